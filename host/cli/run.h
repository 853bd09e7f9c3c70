/* Within `impinge run`: cmd_run.c (the verb), run_begin.c (before the first frame), run_blocks.c
 * and run_end.c (after the last). */
#ifndef IMP_RUN_H
#define IMP_RUN_H

#include "output.h"
#include "progress.h"
#include "stamp.h"
#include "summary.h"

typedef struct run_options {
    work w;
    const char *out, *shard, *collide_txt, *csv, *counts, *json;
    int resume, force, quiet, verbose, progress, fail_on_collision;
} run_options;
WORK_FIRST(run_options);

/* A run in progress. */
typedef struct run_state {
    run_options o;
    outputs outputs;
    text_output collide_txt, csv, counts, json;
    pipelines p;             /* none if an earlier run has done all */
    result *r;               /* while it is written */
    char *part;              /* OUT.part */
    uint64_t found;          /* steps that an earlier run has done */
    uint64_t done, contacts; /* steps and contacts so far */
    double seconds[ROOMS];
    progress bar;
    char command[4096], normal[4096];
    file_pieces pieces; /* of the input; those of the shard */
    stamps input;       /* before it was read */
} run_state;

/* Opens the input, decides what must be done, and proves all outputs writable. *complete: nothing.
 */
int run_prepare(run_state *s, result_origin *origin, int *complete);

/* Makes OUT.part, or opens it to continue. */
int run_open_result(run_state *s, result_origin *origin);

/* All blocks that an earlier run has not done. */
int run_blocks(run_state *s);

/* The summary, and the texts beside OUT, from OUT as it is in its file. 10 if --fail-on-collision
 * is given and there is one. */
int run_finish(run_state *s);

#endif
