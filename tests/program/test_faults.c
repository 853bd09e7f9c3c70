/* Page faults of `impinge bench`: after two blocks all memory has been touched, and no later block
 * touches new pages.
 *
 * The number of faults does not depend on the speed or load of the machine, but the system may
 * add some of its own: it reclaims pages if memory is short, or unmaps them for a moment to see who
 * uses them (NUMA balancing). So one of several tries has to succeed, and where the system does the
 * latter, the test is skipped. */
#include "expect.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdio.h>
#include <sys/prctl.h>

#define FAULTS_MOST 16
#define TRIES 5
#define THREADS "2" /* memory that a thread touches at its first work is not counted */

/* Poisoned buffers are never larger than necessary. */
#if defined(IMP_POISON) || TEST_SANITIZED
#define STEADY 0
#else
#define STEADY 1
#endif

static int balancing(void)
{
    FILE *f = fopen("/proc/sys/kernel/numa_balancing", "r");
    int on = 0;
    if (f && fscanf(f, "%d", &on) != 1)
        on = 0;
    if (f)
        fclose(f);
    return on;
}

/* The most faults of a block after the first two; checks the figures for the first two. */
static double bench_once(const char *in, const char *block, double blocks)
{
    ran r = RAN("bench", in, "--device", "cpu", "--threads", THREADS, "--block", block, "--reps",
                "1", "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ bench --block %s", block);
    EXPECT(json_number(r.out, "page_faults.blocks") == blocks, "blocks: %s", r.out);
    EXPECT(json_number(r.out, "page_faults.first") > FAULTS_MOST, "none in the first: %s", r.out);
    EXPECT(json_number(r.out, "page_faults.second") >= 0, "%s", r.out);
    double most = json_number(r.out, "page_faults.most");
    ran_free(&r);
    return most;
}

/* `blocks`: those of two repetitions, of which the first is not counted. */
static void check_faults(const char *in, const char *block, double blocks)
{
    double most = 0, least = HUGE_VAL;
    for (int i = 0; i < TRIES && !(least <= FAULTS_MOST); i++) {
        most = bench_once(in, block, blocks);
        least = most < least ? most : least;
    }
    EXPECT(least <= FAULTS_MOST, "%s, --block %s: %g page faults in a block, at most %d", in, block,
           least, FAULTS_MOST);
}

static const char *faults_test_scene(const char *name, const char *triangles, const char *frames)
{
    const char *in = at(name);
    ran r = RAN("generate", "cloth-fold", "-n", triangles, "--frames", frames, "-o", in, "-q",
                "--force");
    EXPECT(ran_well(&r), "^ generate %s", triangles);
    ran_free(&r);
    return in;
}

static void check_faults_all(void)
{
    check_faults(faults_test_scene("many.vtkhdf", "2000", "1000"), "100", 20);
    check_faults(faults_test_scene("few.vtkhdf", "150000", "6"), "1", 12);
}

static void test_steady(void)
{
    if (!STEADY || balancing())
        SKIP("page faults of this build, or on this machine, say nothing");
    check_faults_all();
}

/* Without huge pages each newly touched page is a fault. */
static void test_small_pages(void)
{
    if (!STEADY || balancing() || prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
        SKIP("page faults of this build, or on this machine, say nothing");
    check_faults_all();
    prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"steady", test_steady}, {"small_pages", test_small_pages}, {0}};
    return test_main(argc, argv, "faults", tests);
}
