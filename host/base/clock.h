/* Seconds, for measuring how long something takes. */
#ifndef IMP_CLOCK_H
#define IMP_CLOCK_H

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

#endif
