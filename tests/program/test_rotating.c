/* run --continuous with rotating rigid bodies: every division of the steps into blocks gives the
 * same result, which check confirms; check finds contacts that are missing, too late, too far apart
 * or misplaced; and --tolerance is for such batches alone. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "json_read.h"
#include "run_rows.h"

#include <string.h>
#include <unistd.h>

/* A missile about to hit a wall. `begin`: seconds of flight before the first frame. */
static const char *flight(const char *name, const char *begin)
{
    const char *in = at(name);
    ran r = RAN("generate", "missile", "-n", "900", "--frames", "8", "--set", begin, "--set",
                "share=0.2", "-o", in, "--force", "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    return in;
}

static void check_rotations_well(const char *out, const char *in)
{
    ran r = RAN("check", out, "--input", in);
    EXPECT(ran_well(&r) && strstr(r.out, "none missing"), "^ check: %s", r.out);
    ran_free(&r);
}

static void check_fails(const char *out, const char *in, const char *word)
{
    ran r = RAN("check", out, "--input", in, "-q");
    EXPECT(ran_failed(&r, 1, word, "pair"), "^ check %s", word);
    ran_free(&r);
}

static void test_rotations_results(void)
{
    const char *in = flight("flight.vtkhdf", "begin=3.98"), *out = at("out.vtkhdf"),
               *other = at("other.vtkhdf");
    RUN_STEPS(in, out, NULL);
    rows r = read_rows(out);
    size_t way = 0;
    for (size_t i = 0; i < r.count; i++)
        way += r.kind[i] < 16;
    EXPECT(way > 100, "%zu contacts on the way", way);
    free_rows(&r);
    check_rotations_well(out, in);
    static const char *const how[][4] = {
        {"--block", "1"},      {"--block", "3"},     {"--mem-limit", "8M"},
        {"--broad", "brute"},  {"--broad", "tree"},  {"--broad", "hash"},
        {"--broad", "grid"},   {"--broad", "tiles"}, {"--broad", "rtree"},
        {"--dop", "18", "-q"}, {"--update", "keep"}, {"--frames", ":", "--progress=never"}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i += TEST_SANITIZED ? 4 : 1) {
        RUN_STEPS(in, other, how[i][0], how[i][1], how[i][2], how[i][3]);
        const char *what = h5_same(out, other, "VTKHDF");
        EXPECT(!what, "%s %s: %s", how[i][0], how[i][1], what);
    }
    check_rotations_well(other, in);
}

/* Backwards, and with every third frame, bodies have other motions. */
static void test_rotations_slices(void)
{
    const char *in = flight("sliced.vtkhdf", "begin=3.98"), *out = at("slice.vtkhdf");
    RUN_STEPS(in, out, "--frames", "::-1", NULL);
    check_rotations_well(out, in);
    RUN_STEPS(in, out, "--frames", "1::3", "--tolerance", "0.05", NULL);
    check_rotations_well(out, in);
    RUN_STEPS(in, out, "--min-separation", "0.5", NULL);
    check_rotations_well(out, in);
    RUN_STEPS(in, out, "--stage", "candidates", NULL);
    check_rotations_well(out, in);
}

/* A row in the middle of the result, with a contact during a step, to be changed. */
static size_t some_row(const char *out)
{
    rows r = read_rows(out);
    size_t i = r.count / 2;
    while (i && (r.kind[i] >= 16 || !(r.toi[i] > 0) || r.toi[i] > 0.9))
        i--;
    free_rows(&r);
    return i;
}

static void test_rotations_wrong(void)
{
    static const struct {
        const char *name, *word;
        double by;
    } faults[] = {
        {"VTKHDF/CellData/Share", "meets", 0.0625},   {"VTKHDF/CellData/PrimitiveB", "pair", 1},
        {"VTKHDF/CellData/FeatureA", "pair", 100000}, {"VTKHDF/CellData/Kind", "pair", 2},
        {"VTKHDF/CellData/ObjectB", "objects", 1},    {"VTKHDF/CellData/Time", "time", 0.001}};
    const char *in = flight("right.vtkhdf", "begin=3.98"), *out = at("wrong.vtkhdf");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i += TEST_SANITIZED ? 3 : 1) {
        RUN_STEPS(in, out, NULL);
        const size_t at_row = some_row(out);
        const double was = h5_peek(out, faults[i].name, at_row);
        h5_poke(out, faults[i].name, at_row, was + faults[i].by);
        check_fails(out, in, faults[i].word);
    }
    RUN_STEPS(in, out, NULL);
    h5_poke(out, "VTKHDF/Points", 6 * some_row(out),
            h5_peek(out, "VTKHDF/Points", 6 * some_row(out)) - 1);
    check_fails(out, in, "feature");
    /* a result of another flight, in which the wall is not reached yet */
    const char *early = flight("early.vtkhdf", "begin=3.5");
    RUN_STEPS(early, out, NULL);
    check_rotations_well(out, early);
    check_fails(out, in, "is missing");
}

/* The result stores the tolerance: rows that are too far apart for a smaller one are wrong. */
static void test_tolerance(void)
{
    const char *in = flight("tolerant.vtkhdf", "begin=3.98"), *out = at("tolerant.out.vtkhdf");
    RUN_STEPS(in, out, "--tolerance", "0.5", NULL);
    check_rotations_well(out, in);
    ran r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, " tolerance=0.5 "), "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", at("none.vtkhdf"), CPU, "--tolerance", "0.5");
    EXPECT(ran_failed(&r, 2, "--tolerance", "--continuous"), "^ without --continuous");
    ran_free(&r);
    r = RAN("run", in, "-o", at("none.vtkhdf"), CPU, "--continuous", "--tolerance", "0");
    EXPECT(ran_failed(&r, 2, "--tolerance", "positive"), "^ 0");
    ran_free(&r);
    r = RAN("run", make_batch(), "-o", at("none.vtkhdf"), CPU, "--continuous", "--tolerance", "1");
    EXPECT(ran_failed(&r, 2, "--tolerance", "turns"), "^ nothing turns");
    ran_free(&r);
    r = RAN("bench", make_batch(), CPU, "--continuous", "--tolerance", "1", "--reps", "1");
    EXPECT(ran_failed(&r, 2, "--tolerance", "turns"), "^ bench, nothing turns");
    ran_free(&r);
    r = RAN("run", in, "-o", at("none.vtkhdf"), CPU, "--continuous", "--tolerance", "1", "--frames",
            ":1");
    EXPECT(ran_failed(&r, 2, "--tolerance", "turns"), "^ one frame");
    ran_free(&r);
    CU_ASSERT(!exists(at("none.vtkhdf")) && !exists_part(at("none.vtkhdf")));
}

/* A wrong angular velocity or time is refused, as is a tolerance below the rounding error: the
 * message has the file, the frame and the figures, and no output is left. With a high spin below
 * these limits the run still ends soon. */
static void test_spin(void)
{
    const char *in = flight("spin.vtkhdf", "begin=3.98"), *out = at("spun.vtkhdf");
    static const char spin[] = "impinge/bodies/angular_velocity";
    ran r = RAN("run", in, "-o", out, CPU, "--continuous", "--tolerance", "1e-13", "--force");
    EXPECT(ran_failed(&r, 2, "spin.vtkhdf: /impinge/bodies: frame 0: the tolerance", "at least"),
           "^ tolerance");
    ran_free(&r);
    const double was = h5_peek(in, spin, 3);
    for (double by = 1e14; by < 1e30; by *= 1e5) {
        h5_poke(in, spin, 3, by);
        r = RAN("run", in, "-o", out, CPU, "--continuous", "--force");
        EXPECT(ran_failed(&r, 3, "spin.vtkhdf: /impinge/bodies: frame",
                          by < 1e15 ? "radians" : "counted"),
               "^ %g", by);
        ran_free(&r);
        CU_ASSERT(!exists(out) && !exists_part(out));
    }
    if (!TEST_SANITIZED) {
        h5_poke(in, spin, 3, 1e6); /* check, by brute force, would take minutes */
        RUN_STEPS(in, out, NULL);
    }
    h5_poke(in, spin, 3, TEST_SANITIZED ? 40 : 200);
    RUN_STEPS(in, out, NULL);
    check_rotations_well(out, in);
    h5_poke(in, spin, 3, was);
    h5_poke(in, "VTKHDF/Steps/Values", 2, 1e12);
    r = RAN("run", in, "-o", at("late.vtkhdf"), CPU, "--continuous");
    EXPECT(ran_failed(&r, 3, "frame 1: body", "times of both frames"), "^ time");
    ran_free(&r);
    CU_ASSERT(!exists(at("late.vtkhdf")) && !exists_part(at("late.vtkhdf")));
}

static void test_bench(void)
{
    const char *in = flight("timed.vtkhdf", "begin=3.98");
    ran r = RAN("bench", in, CPU, "--continuous", "--reps", "1", "--json");
    EXPECT(ran_well(&r) && strstr(r.out, "\"vertex-face\""), "^ bench");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"results", test_rotations_results},
                                 {"slices", test_rotations_slices},
                                 {"wrong", test_rotations_wrong},
                                 {"tolerance", test_tolerance},
                                 {"spin", test_spin},
                                 {"bench", test_bench},
                                 {0}};
    return test_main(argc, argv, "rotating", tests);
}
