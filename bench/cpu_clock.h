/* Seconds that one thread has had a processor for: of work by one thread that never waits. Other
 * programs that want the processor do not count as much as with clock_seconds. */
#ifndef BENCH_CPU_CLOCK_H
#define BENCH_CPU_CLOCK_H

#include <time.h>

static inline double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
