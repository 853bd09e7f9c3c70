/* Seconds, for measuring how long something takes. */
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

/* ---- Page faults of this process, block by block: each is a page that is touched for the first
 * time, or that the system has taken away. Steady work has none. */

/* All zero at first. Minor and major ones of all threads together. */
typedef struct faults {
    uint64_t blocks;
    uint64_t first, second, most; /* of these blocks, and of any that came after */
    uint64_t sum, since; /* of the current block; the process's count when that was resumed */
} faults;

/* Faults count from faults_resume to faults_pause, towards the block that ends with faults_block.
 * NULL: nothing is done. */
void faults_resume(faults *f);
void faults_pause(faults *f);
void faults_block(faults *f);

#endif
