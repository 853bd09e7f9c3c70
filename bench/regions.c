/* libbench_regions.so, for LD_PRELOAD: replaces the clock of a program with OpenMP by one that
 * counts what threads do, so that the stages which the program times are, by BENCH_CLOCK,
 *
 *     serial   the time outside of parallel regions, or in those of one thread
 *     work     that, and the time of all threads in regions
 *     longest  that outside, and of each region the time of the thread that has the longest
 *     regions  a millisecond for each region with more than one thread
 *
 * All times are of processors, not of the wall: they hardly depend on how many cores there are, nor
 * on what else runs. So the program may have 16 threads on two cores. Only `longest` needs a core
 * for each thread where threads take pieces of the work as they go. ./dev bench --threads makes its
 * table of these. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void region_start(void (*)(void *), void *, unsigned, unsigned);

enum { THREADS_MOST = 1024 };
enum clock_kind { SERIAL, WORK, LONGEST, REGIONS, CLOCKS };

/* Of regions that a thread began: processor seconds of its own, of all their threads, of the
 * longest one of each. */
static _Thread_local struct {
    double own, all, longest;
    unsigned long count;
    int inside;
} of;

typedef struct region {
    void (*body)(void *);
    void *data;
    double seconds[THREADS_MOST];
} region;

static double clock_real(clockid_t clock)
{
    struct timespec t = {0};
    syscall(SYS_clock_gettime, clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double processor_seconds(void)
{
    return clock_real(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- regions */

static void region_body(void *data)
{
    region *r = data;
    const double start = processor_seconds();
    const int outer = of.inside;
    of.inside = 1;
    r->body(r->data);
    of.inside = outer;
    r->seconds[omp_get_thread_num()] = processor_seconds() - start;
}

static void region_add(const region *r, double own)
{
    double longest = 0;
    for (int t = 0; t < THREADS_MOST; t++) {
        of.all += r->seconds[t];
        longest = r->seconds[t] > longest ? r->seconds[t] : longest;
    }
    of.own += own;
    of.longest += longest;
    of.count++;
}

static region_start *gomp_parallel(void)
{
    static region_start *next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "GOMP_parallel");
    if (!next) {
        fprintf(stderr, "libbench_regions: no GOMP_parallel: the program has not GCC's OpenMP\n");
        abort();
    }
    return next;
}

#define REPLACES __attribute__((visibility("default")))

REPLACES void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);

/* Replaces that of libgomp. A region of one thread, as an `if` clause makes it, is none. */
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    const unsigned most = threads ? threads : (unsigned)omp_get_max_threads();
    if (most == 1 || of.inside) {
        gomp_parallel()(body, data, threads, flags);
        return;
    }
    if (most > THREADS_MOST) {
        fprintf(stderr, "libbench_regions: more than %d threads\n", THREADS_MOST);
        abort();
    }
    region r = {.body = body, .data = data};
    const double start = processor_seconds();
    gomp_parallel()(region_body, &r, threads, flags);
    region_add(&r, processor_seconds() - start);
}

/* ---- the clock */

static enum clock_kind clock_wanted(void)
{
    static const char *const names[CLOCKS] = {"serial", "work", "longest", "regions"};
    const char *name = getenv("BENCH_CLOCK");
    for (int k = 0; name && k < CLOCKS; k++)
        if (!strcmp(name, names[k]))
            return (enum clock_kind)k;
    fprintf(stderr, "libbench_regions: BENCH_CLOCK: serial, work, longest or regions\n");
    abort();
}

static double clock_counted(void)
{
    static enum clock_kind wanted = CLOCKS;
    const double outside = processor_seconds() - of.own;
    if (wanted == CLOCKS)
        wanted = clock_wanted();
    switch (wanted) {
    case WORK:
        return outside + of.all;
    case LONGEST:
        return outside + of.longest;
    case REGIONS:
        return 1e-3 * (double)of.count;
    default:
        return outside;
    }
}

/* Replaces that of libc for the clock of stages. */
REPLACES int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, t);
    const double now = clock_counted();
    t->tv_sec = (time_t)now;
    t->tv_nsec = (long)(1e9 * (now - (double)t->tv_sec));
    return 0;
}
