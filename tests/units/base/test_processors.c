/* Threads are never more than the processors that the process may use, whatever its environment
 * variables or its caller request. */
#define _GNU_SOURCE
#include "machine.h"
#include "expect.h"
#include "testlib.h"

#include <dirent.h>
#include <omp.h>
#include <sched.h>

#define TOO_MANY 100000

/* From now on the process may use its first processor only. */
static int use_one(cpu_set_t *before)
{
    cpu_set_t one;
    size_t first = 0;
    if (sched_getaffinity(0, sizeof *before, before))
        return 0;
    while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}

static void test_affinity(void)
{
    cpu_set_t before;
    const int wanted = omp_get_max_threads();
    processors_pretend(0);
    EXPECT(processors_own() > 0 && processors_own() <= omp_get_num_procs(), "%d processors",
           processors_own());
    omp_set_num_threads(TOO_MANY);
    EXPECT(processors_threads(0) == processors_own(), "%d threads by default",
           processors_threads(0));
    EXPECT(processors_threads(TOO_MANY) == processors_own() && processors_threads(1) == 1,
           "%d and %d threads", processors_threads(TOO_MANY), processors_threads(1));
    if (use_one(&before)) {
        EXPECT(processors_own() == 1 && processors_threads(7) == 1, "%d of one processor",
               processors_own());
        sched_setaffinity(0, sizeof before, &before);
    }
    omp_set_num_threads(wanted);
    processors_pretend(TEST_PROCESSORS);
}

static int processors_test_threads_now(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

#define TRIANGLES 5000 /* enough for all threads */

/* The threads created by a pipeline exist until the process ends, so they can be counted. */
static void test_pipeline(void)
{
    static uint32_t corner[3 * TRIANGLES];
    static double point[9 * TRIANGLES];
    const int wanted = omp_get_max_threads(), before = processors_test_threads_now();
    rng r = {3};
    imp *p = NULL;
    imp_device_info info;
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++)
        corner[i] = i;
    for (uint32_t i = 0; i < 9 * TRIANGLES; i++)
        point[i] = rng_unit(&r);
    const imp_mesh mesh = {.vertices = 3 * TRIANGLES, .primitives = TRIANGLES, .corner = corner};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    processors_pretend(0);
    for (int i = 0; i < 2; i++) {
        omp_set_num_threads(i ? TOO_MANY : wanted);
        CU_ASSERT_FATAL(!imp_create(&(imp_def){.device = "cpu", .threads = i ? 0 : 4096}, &p));
        CU_ASSERT(!imp_detect(p, &frame, 1, NULL, NULL, NULL));
        EXPECT(processors_test_threads_now() <= before + processors_own(),
               "%d threads, of %d processors", processors_test_threads_now(), processors_own());
        imp_destroy(p);
        EXPECT(imp_device_at(0, &info) && info.compute_units <= (uint32_t)processors_own(),
               "%u units", info.compute_units);
    }
    omp_set_num_threads(wanted);
    processors_pretend(TEST_PROCESSORS);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"affinity", test_affinity}, {"pipeline", test_pipeline}, {0}};
    return test_main(argc, argv, "processors", tests);
}
