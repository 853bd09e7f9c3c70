/* Processor seconds of one thread, for work in one thread that never waits. Other programs that use
 * the processor affect them less than clock_seconds. */
#ifndef BENCH_CPU_CLOCK_H
#define BENCH_CPU_CLOCK_H

#include "clock.h"

static inline double cpu_seconds(void)
{
    return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

#endif
