/* A stage for bench_regions.sh: processor time that is known. Prints the milliseconds that the
 * clock of stages says. Alone: 30 ms outside of regions, 20 in a region of one thread. In regions:
 * two of four threads, in which thread k works for 10 * (k + 1) ms, so all for 200, the longest
 * ones for 80. */
#include "clock.h"

#include <omp.h>
#include <stdio.h>

#define THREADS 4

/* However long that takes where others work, too. */
static void work(double milliseconds)
{
    const double end = clock_of(CLOCK_THREAD_CPUTIME_ID) + 1e-3 * milliseconds;
    while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void stage(int threads)
{
    work(30);
#pragma omp parallel num_threads(threads) if (threads < THREADS)
    work(20);
    for (int i = 0; i < 2; i++)
#pragma omp parallel num_threads(threads)
        work(10 * (omp_get_thread_num() + 1));
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
    work(1); /* threads are created here */
    const double start = clock_seconds();
    stage(THREADS);
    printf("%.3f\n", 1e3 * (clock_seconds() - start));
    return 0;
}
