/* Within `impinge pcs`: cmd_pcs.c (the verb, a user's bodies, a run that is already complete),
 * pcs_files.c (files, resuming), pcs_run.c (frames, the curve of checks per second, the
 * summary). */
#ifndef IMP_PCS_RUN_H
#define IMP_PCS_RUN_H

#include "contact_sums.h"
#include "json.h"
#include "output_file.h"
#include "simulation.h"
#include "store.h"
#include "cli.h"

/* members: one for each option */
typedef struct pcs_options {
    const char *scene; /* NULL: the bodies are those of `in` */
    const char *in, *out;
    double push; /* newtons; below 0: not given */
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

/* A user's batch of bodies. */
typedef struct pcs_input {
    batch *batch;
    batch_block block; /* its first frame */
    matter matter;
    uint64_t bytes, hash; /* size and hash of the file */
} pcs_input;

/* members: state shared by the parts of the verb, by subject */
typedef struct pcs_run {
    pcs_options o;
    mem mem;
    pcs_input input;
    warnings warned;
    const char *title; /* title of the curves and the summary */
    simulation *s;
    outputs outputs;
    text_output text[PCS_TEXTS];
    char *batch;                   /* BASE.batch.vtkhdf, see pcs_name_beside */
    char *state;                   /* BASE.state.part */
    char *curve;                   /* BASE.cps.csv.part */
    uint64_t provenance;           /* hash of options and version */
    int complete;                  /* OUT exists and matches the options */
    int whole;                     /* no frame is partly written */
    int begun;                     /* an earlier run has left files that this one continues */
    uint64_t found;                /* frames in these files */
    double committed, commit_took; /* seconds: time of the last commit, and its duration */
    pcs_counts *counts;            /* [frames done] */
    size_t capacity;               /* capacity of counts */
    uint64_t done;
    pcs_counts total;
    pcs_counts most; /* maximum over frames, each count by itself */
    contact_sums sums;
    batch_names names; /* names of the bodies */
    progress bar;
    double seconds;     /* wall time */
    const char *device; /* device of the earlier run that completed OUT; NULL: this run's */
    const char *command;
} pcs_run;

/* Opens o.in and moves its contents to the simulation. Errors: INPUT, MEMORY. */
int pcs_input_open(pcs_run *r);
void pcs_input_close(pcs_input *p);

/* ---- pcs_files.c */

/* Makes the name of a file beside OUT, which the caller frees: BASE, which is OUT without its
 * ending .vtkhdf, and a suffix. Errors: MEMORY. */
int pcs_name_beside(const pcs_run *r, const char *suffix, char **out);

/* Claim the inputs and the outputs: no output may be a file that is read. */
int pcs_claim_input(pcs_run *r);
int pcs_claim_files(pcs_run *r);

/* Opens OUT and the batch beside it, new with the first frame or after the frames of an earlier
 * run; does nothing if r->complete. After an error both may be open. */
int pcs_open_files(pcs_run *r, result **to, batch_writer **w);
int pcs_open_batch(pcs_run *r, const char *path, int force, batch_writer **out);

/* Gives all files but OUT their final names. Sets *w to NULL once it is freed. */
int pcs_finish(pcs_run *r, result *to, batch_writer **w);

/* ---- pcs_files.c */

/* Looks for a state of the same options in r->state. With --resume its frames, counts and bodies
 * become those of r; otherwise it must not exist unless --force is given. options: in the normal
 * form. Errors: INPUT, EXISTS, MEMORY. */
int pcs_resume(pcs_run *r, const char *options);

/* Makes all frames so far permanent: in the files that readers know; in all files. Errors: MEMORY,
 * FILE, DISK. */
int pcs_commit_rows(pcs_run *r, result *to, batch_writer *w);
int pcs_commit(pcs_run *r, result *to, batch_writer *w);

int pcs_state_write(pcs_run *r);

/* Returns whether the last commit is long enough ago, so that commits cost little. */
int pcs_commit_is_due(const pcs_run *r);

/* ---- cmd_pcs.c */

/* Returns whether the run that --resume continues also wrote the file of --json; then it may be
 * replaced. */
int pcs_owns_json(pcs_run *r);

/* OUT is complete: prints that, and writes the known facts to --json. Errors: INPUT, MEMORY, those
 * of texts. */
int pcs_report_complete(pcs_run *r);

/* Adds the contacts of the first `frames` frames of OUT to r->sums. Errors: INPUT, MEMORY. */
int pcs_sum_rows(pcs_run *r, result_reader *of, uint64_t frames);

/* ---- pcs_run.c */

/* Adds a frame to the totals. */
void pcs_count_frame(pcs_run *r, const pcs_counts *of);

/* Appends the bodies' poses to the batch as the next frame. */
int pcs_append_frame(pcs_run *r, batch_writer *w);

/* Claims all outputs, simulates, and writes them. Errors: those of the library. */
int pcs_run_all(pcs_run *r);
void pcs_run_free(pcs_run *r);

/* Writes the curve as a table and as a picture. */
int pcs_write_csv(const pcs_run *r, FILE *out);
int pcs_write_svg(const pcs_run *r, FILE *out);

/* Writes the summary to the text of --json. */
int pcs_write_json(pcs_run *r);

#endif
