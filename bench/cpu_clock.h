/* Seconds that one thread has had a processor for: of work by one thread that never waits. Other
 * programs that want the processor do not count as much as with clock_seconds. */
#ifndef BENCH_CPU_CLOCK_H
#define BENCH_CPU_CLOCK_H

#include "clock.h"

static inline double cpu_seconds(void)
{
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
