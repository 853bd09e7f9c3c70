/* Within `impinge pcs`: cmd_pcs.c (the verb), pcs_run.c (frames, files), pcs_texts.c (the curve of
 * checks per second, and the summary). */
#ifndef IMP_PCS_RUN_H
#define IMP_PCS_RUN_H

#include "contact_sums.h"
#include "json.h"
#include "output.h"
#include "progress.h"
#include "simulation.h"

typedef struct pcs_options {
    const char *scene, *out;
    double push; /* N; below 0: not given */
    uint64_t bodies;
    double ratio;
    uint64_t frames;
    double seconds, step, epsilon;
    uint64_t seed;
    const char *device;
    uint64_t threads, mem_limit;
    const char *json;
    int force, quiet, verbose, progress, list;
} pcs_options;

/* The files beside OUT. */
enum pcs_text { PCS_CSV, PCS_SVG, PCS_JSON, PCS_TEXTS };

typedef struct pcs_run {
    pcs_options o;
    mem mem;
    simulation *s;
    outputs outputs;
    text_output text[PCS_TEXTS];
    char *batch;        /* OUT.batch.vtkhdf */
    pcs_counts *counts; /* [frames done] */
    size_t capacity;    /* of counts */
    uint64_t done;
    pcs_counts total;
    pcs_counts most; /* of a frame, each by itself */
    contact_sums sums;
    batch_names names; /* of the bodies */
    progress bar;
    double seconds; /* that it took */
    const char *command;
} pcs_run;

/* Claims all outputs, simulates, and writes them. Errors: those of the library. */
int pcs_run_all(pcs_run *r);
void pcs_run_free(pcs_run *r);

/* The curve as a table and as a picture. */
int pcs_write_csv(const pcs_run *r, FILE *out);
int pcs_write_svg(const pcs_run *r, FILE *out);

/* The members of the summary, into an open object. */
void pcs_json(const pcs_run *r, json *j);

#endif
