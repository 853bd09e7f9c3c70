/* Within `impinge pcs`: cmd_pcs.c (the verb), cmd_pcs.c (a user's bodies), pcs_files.c (files),
 * pcs_files.c (going on), cmd_pcs.c (nothing is left to do), pcs_run.c (frames), pcs_run.c
 * (the curve of checks per second, and the summary). */
#ifndef IMP_PCS_RUN_H
#define IMP_PCS_RUN_H

#include "contact_sums.h"
#include "json.h"
#include "output_file.h"
#include "simulation.h"
#include "store.h"
#include "cli.h"

/* members: one for each option. */
typedef struct pcs_options {
    const char *scene; /* NULL: the bodies are of `in` */
    const char *in, *out;
    double push; /* N; below 0: not given */
    uint64_t bodies;
    double ratio;
    uint64_t frames;
    double seconds, step, epsilon;
    uint64_t seed;
    const char *device;
    uint64_t threads, mem_limit;
    const char *json;
    int force, quiet, verbose, progress, list, batch_only, resume;
} pcs_options;

/* The files beside OUT. */
enum pcs_text { PCS_CSV, PCS_SVG, PCS_JSON, PCS_TEXTS };

/* A user's batch. */
typedef struct pcs_input {
    batch *batch;
    batch_block block; /* its first frame */
    matter matter;
    uint64_t bytes, hash; /* of the file */
} pcs_input;

/* members: what the verb has between its parts, by subject. */
typedef struct pcs_run {
    pcs_options o;
    mem mem;
    pcs_input input;
    warnings warned;
    const char *title; /* of curves and of the summary */
    simulation *s;
    outputs outputs;
    text_output text[PCS_TEXTS];
    char *batch;                   /* OUT.batch.vtkhdf */
    char *state;                   /* OUT.state.part */
    char *curve;                   /* OUT.cps.csv.part */
    uint64_t provenance;           /* what it is of */
    int complete;                  /* OUT was there, and is what was asked for */
    int whole;                     /* no frame is half done */
    int begun;                     /* an earlier run has left files, with which this one goes on */
    uint64_t found;                /* frames of these */
    double committed, commit_took; /* seconds: when it was, and how long it took */
    pcs_counts *counts;            /* [frames done] */
    size_t capacity;               /* of counts */
    uint64_t done;
    pcs_counts total;
    pcs_counts most; /* of a frame, each by itself */
    contact_sums sums;
    batch_names names; /* of the bodies */
    progress bar;
    double seconds;     /* that it took */
    const char *device; /* device of the earlier run that completed OUT; NULL: this run's */
    const char *command;
} pcs_run;

/* Opens o.in: what it has moves to the simulation. Errors: INPUT, MEMORY. */
int pcs_input_open(pcs_run *r);
void pcs_input_close(pcs_input *p);

/* ---- pcs_files.c */

/* No output may be a file that is read. */
int pcs_claim_input(pcs_run *r);
int pcs_claim_files(pcs_run *r);

/* Opens OUT and the batch beside it, new with the first frame or after those of an earlier run;
 * nothing if r->complete. After an error both may be open. */
int pcs_open_files(pcs_run *r, result **to, batch_writer **w);
int pcs_open_batch(pcs_run *r, const char *path, int force, batch_writer **out);

/* All but OUT gets its name. *w becomes NULL where it was freed. */
int pcs_finish(pcs_run *r, result *to, batch_writer **w);

/* ---- pcs_files.c */

/* Is there a state of the same options in r->state? With --resume its frames, counts and bodies
 * become those of r; else it must not be there, unless --force is given. options: in the normal
 * form. Errors: INPUT, EXISTS, MEMORY. */
int pcs_resume(pcs_run *r, const char *options);

/* Makes all frames so far permanent: in the files that readers know; in all files. Errors: MEMORY,
 * FILE, DISK. */
int pcs_commit_rows(pcs_run *r, result *to, batch_writer *w);
int pcs_commit(pcs_run *r, result *to, batch_writer *w);

int pcs_state_write(pcs_run *r);

/* Is it long enough ago, so that commits cost little? */
int pcs_commit_is_due(const pcs_run *r);

/* ---- cmd_pcs.c */

/* Has the run that --resume goes on with had the file of --json, too? Then it may be replaced. */
int pcs_owns_json(pcs_run *r);

/* OUT is complete: prints that, and writes what is known of it to --json. Errors: INPUT, MEMORY,
 * those of texts. */
int pcs_report_complete(pcs_run *r);

/* Adds the contacts of the first `frames` frames of OUT to r->sums. Errors: INPUT, MEMORY. */
int pcs_sum_rows(pcs_run *r, result_reader *of, uint64_t frames);

/* ---- pcs_run.c */

/* Adds a frame to the sums of all. */
void pcs_count_frame(pcs_run *r, const pcs_counts *of);

/* Where the bodies are, as the next frame of the batch. */
int pcs_append_frame(pcs_run *r, batch_writer *w);

/* Claims all outputs, simulates, and writes them. Errors: those of the library. */
int pcs_run_all(pcs_run *r);
void pcs_run_free(pcs_run *r);

/* The curve as a table and as a picture. */
int pcs_write_csv(const pcs_run *r, FILE *out);
int pcs_write_svg(const pcs_run *r, FILE *out);

/* The summary, to the text of --json. */
int pcs_write_json(pcs_run *r);

#endif
