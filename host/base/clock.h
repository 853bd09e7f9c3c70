/* Clocks in seconds, and counts of page faults. */
#ifndef IMP_CLOCK_H
#define IMP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline double clock_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double clock_seconds(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

/* ---- Page faults of this process, counted by block. Each is a page that is touched for the first
 * time, or that the system has taken away. Steady work has none. */

/* Zero at first. Minor and major faults of all threads. */
typedef struct faults {
    uint64_t blocks;
    uint64_t first, second, most; /* first two blocks, and the most of a later one */
    uint64_t sum, since; /* faults of the current block; the process's count at faults_resume */
} faults;

/* Counts faults from faults_resume to faults_pause towards the block that ends with faults_block.
 * With NULL nothing is done. */
void faults_resume(faults *f);
void faults_pause(faults *f);
void faults_block(faults *f);

#endif
