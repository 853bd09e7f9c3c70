/* A share of the steps, for one of several tasks that work on the same input: `run --shard`. */
#ifndef IMP_WORK_SHARD_H
#define IMP_WORK_SHARD_H

#include "work_slice.h"

#include <stdint.h>

/* Shard `index` of `count`; 0: all steps. */
typedef struct job_shard {
    uint64_t index, count;
    frame_slice whole; /* what all shards have together: job_shard_select */
} job_shard;

/* "i/n" with i from 0 to n - 1, or "auto": the task's number as its launcher gives it. Launchers
 * are Open MPI, those with PMI (MPICH, Intel MPI), srun, and job arrays of Slurm; tasks within an
 * array are numbered on. ARGUMENT for any other text, or without such a launcher. */
int job_shard_parse(const char *text, job_shard *out);

/* The steps from *first to before *end that a shard has: the first whose weights before it come to
 * its share of the sum. All shards together have each step once, whatever the weights are. */
void job_shard_steps(const job_shard *s, const uint64_t *weight, uint64_t steps, uint64_t *first,
                     uint64_t *end);

#endif
