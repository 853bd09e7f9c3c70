/* Within `impinge run`: the verb, what happens before the first frame and after the last (run.c),
 * the workers (worker_pool.c), and frames in partitions (run_partition.c). */
#ifndef IMP_RUN_H
#define IMP_RUN_H

#include "io_thread.h"
#include "json.h"
#include "output_file.h"
#include "store.h"
#include "summary.h"

typedef struct run_options {
    job job;
    const char *out, *shard, *collide_txt, *csv, *counts, *json;
    uint64_t slabs; /* --space */
    int resume, force, quiet, verbose, progress, fail_on_collision;
} run_options;
JOB_FIRST(run_options);

/* OUT.slabs, while frames are computed in slabs. */
typedef struct run_slabs {
    char *path; /* NULL: they are not, or OUT itself has the slabs of a shard */
    int complete;
    char normal[4096];
} run_slabs;

/* A run in progress. */
typedef struct run_state {
    run_options o;
    outputs outputs;
    text_output collide_txt, csv, counts, json;
    devices p; /* none if an earlier run has done all */
    result *r; /* while it is written */
    run_slabs slabs;
    char *part;              /* OUT.part, OUT.slabs.part */
    uint64_t found;          /* steps that an earlier run has done */
    uint64_t done, contacts; /* steps and contacts so far */
    double seconds[STAGES];
    progress bar;
    char command[4096], normal[4096];
    input_hash hash;                  /* of the input; of a shard that of its pieces */
    file_signatures input_signatures; /* before it was read */
} run_state;

/* Opens the input, decides what must be done, and proves all outputs writable. *complete: nothing.
 */
int run_prepare(run_state *s, result_provenance *provenance, int *complete);

/* Makes OUT.part, or opens it to continue. */
int run_open_result(run_state *s, result_provenance *provenance);

/* ---- worker_pool.c */

/* All blocks that an earlier run has not done. */
int run_blocks(run_state *s);

/* ---- run_partition.c */

/* Computes a unit, after the rows of it that were delivered. The caller leaves out those that
 * belong to an earlier slab: batch_slab.carried. `m`: memory for what is carried. */
int run_unit(imp *p, mem *m, io_block *b, imp_sink *sink, void *user);

/* From now on units are computed, into OUT.slabs, which may be complete. */
int run_space_begin(run_state *s, result_provenance *provenance);

/* OUT.slabs becomes OUT. */
int run_space_join(run_state *s, const result_provenance *provenance);

/* OUT is complete: OUT.slabs of an earlier run goes, if OUT has all that is in it. */
void run_space_drop(run_state *s, const result_provenance *provenance);

/* ---- run.c */

/* The summary, and the texts beside OUT, from OUT as it is in its file. 10 if --fail-on-collision
 * is given and there is one. */
int run_finish(run_state *s);

/* ---- The slabs of each step become one: after run --space, and in merge. */

/* A result of units, some in a row. */
typedef struct slab_file {
    const char *path;
    uint64_t first, count;
    result_reader *reader; /* while it is open */
} slab_file;

/* Appends all steps, each of `slabs` units. Sources are in the order of their units, and have all
 * of them. No more are open at a time than have slabs of one step. Errors: those of result_open and
 * result_join_slabs, CANCELLED. */
int slabs_join(mem *m, result_join *j, slab_file *source, size_t sources, uint64_t slabs);

#endif
