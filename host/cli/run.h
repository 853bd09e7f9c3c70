/* Within `impinge run`: the verb and the work before the first frame and after the last (run.c),
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
    const char *out, *shard, *collide_txt, *csv, *counts, *contours, *regions, *json;
    uint64_t slabs; /* --space */
    int resume, force, quiet, verbose, progress, fail_on_collision;
} run_options;
JOB_FIRST(run_options);

/* OUT.slabs, used while frames are computed in slabs. */
typedef struct run_slabs {
    char *path; /* NULL: no slabs, or OUT itself has the slabs of a shard */
    int complete;
    char normal[4096];
} run_slabs;

/* A run in progress. members: its parts, and each output */
typedef struct run_state {
    run_options o;
    outputs outputs;
    text_output collide_txt, csv, counts, contours, regions, json;
    devices p; /* empty if an earlier run has done everything */
    result *r; /* open while it is written */
    run_slabs slabs;
    char *part;              /* OUT.part, or OUT.slabs.part */
    uint64_t found;          /* steps done by an earlier run */
    uint64_t done, contacts; /* steps and contacts so far */
    relation_sums relations; /* with --inside, of the whole result */
    region_sums region_sums; /* with --regions, likewise */
    double seconds[STAGES];
    progress bar;
    char command[4096], normal[4096];
    input_hash hash;                  /* hash of the input; for a shard, of its pieces */
    file_signatures input_signatures; /* taken before the input is read */
} run_state;

/* Opens the input, decides what must be done, and proves all outputs writable. *complete: 1 if
 * nothing is left to do. */
int run_prepare(run_state *s, result_provenance *provenance, int *complete);

/* Creates OUT.part, or opens it to continue. */
int run_open_result(run_state *s, result_provenance *provenance);

/* ---- worker_pool.c */

/* Computes all blocks that an earlier run has not done. run_relations: imp_def.relations of their
 * pipelines. */
int run_blocks(run_state *s);
int run_relations(void *user, const imp_relations *of);

/* ---- run_partition.c */

/* Computes a unit and hands out the rows after those delivered so far. The caller leaves out the
 * rows that belong to another slab: batch_slab.carried. m: memory for the carried primitives. */
int run_unit(imp *p, mem *m, io_block *b, imp_sink *sink, void *user);

/* From now on units are computed, into OUT.slabs, which may already be complete. */
int run_space_begin(run_state *s, result_provenance *provenance);

/* Joins OUT.slabs into OUT. */
int run_space_join(run_state *s, const result_provenance *provenance);

/* Called when OUT is complete: removes the OUT.slabs of an earlier run if OUT contains everything
 * in it. */
void run_space_drop(run_state *s, const result_provenance *provenance);

/* ---- run.c */

/* Prints the summary and writes the texts beside OUT, read back from OUT's file. Returns 10 if
 * --fail-on-collision is given and there is a contact. */
int run_finish(run_state *s);

/* ---- Joining the slabs of each step: after run --space, and in merge. */

/* A result that consists of consecutive units. */
typedef struct slab_file {
    const char *path;
    uint64_t first, count;
    result_reader *reader; /* NULL unless it is open */
} slab_file;

/* Appends all steps, each of `slabs` units. The sources are in the order of their units and contain
 * all of them. At most as many are open at a time as contain units of one step. Errors: those of
 * result_open and result_join_slabs, CANCELLED. */
int slabs_join(mem *m, result_join *j, slab_file *source, size_t sources, uint64_t slabs);

#endif
