/* The program gives the same results with a preloaded library that flushes denormals and changes
 * the rounding mode, as Python packages linked with -ffast-math do: scenes, imports, results for
 * coordinates so small that products underflow, and their check. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"flush", "flush and up", "to zero"}; /* see modes.c */

static void preload(const char *name)
{
    program_set(
        &(program_how){.variable = {{"LD_PRELOAD", IMP_FAST_MATH}, {"IMPINGE_TEST_MODE", name}}});
}

/* Runs the program with these arguments in that mode; NULL: the usual mode. */
static void fast_math_run(const char *name, const char *const *arguments)
{
    if (name)
        preload(name);
    ran r = program_run(arguments);
    program_plain();
    EXPECT(!r.code, "%s, mode %s: %d: %s", arguments[0], name ? name : "usual", r.code, r.err);
    ran_free(&r);
}

#define RUN(name, ...) fast_math_run(name, (const char *const[]){__VA_ARGS__, NULL})

static void fast_math_same(const char *a, const char *b, const char *what, const char *name)
{
    const char *differs = h5_same(a, b, "VTKHDF");
    EXPECT(!differs, "%s, mode %s: %s", what, name, differs);
}

/* Moving triangles, scaled by `size`: contacts and their check. */
static void check_fast_math_size(const char *name, double size, int solids)
{
    make m = {.unstructured = solids};
    if (solids)
        make_moving_mixed(&m, 3, 40, 7);
    else
        make_moving(&m, 3, 40, 7);
    for (size_t i = 0; i < m.points.count; i++)
        m.points.value[i] = size * floor(0x1p20 * m.points.value[i]);
    char *in = strdup(make_write(&m, "in.vtkhdf"));
    const char *usual = at("usual.vtkhdf"), *out = at("out.vtkhdf");
    make_free(&m);
    for (int steps = 0; steps < 2; steps++) {
        const char *how = steps ? "--continuous" : "--adjacent=test";
        RUN(NULL, "run", in, "-o", usual, "--force", "-q", how);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            RUN(names[i], "run", in, "-o", out, "--force", "-q", how, "--threads", "4");
            fast_math_same(usual, out, name, names[i]);
            RUN(names[i], "check", usual, "--input", in, "--threads", "4");
        }
    }
    free(in);
}

static void test_fast_math_run(void)
{
    check_fast_math_size("usual", 1, 0);
    check_fast_math_size("underflow", 0x1p-1020, 0);
    check_fast_math_size("denormals", 0x1p-1074, 0);
    check_fast_math_size("solids", 0x1p-1030, 1);
}

static void test_generate(void)
{
    const char *usual = at("usual.vtkhdf"), *out = at("out.vtkhdf");
    RUN(NULL, "generate", "cloth-ball", "-n", "300", "--frames", "4", "-o", usual, "--force", "-q");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        RUN(names[i], "generate", "cloth-ball", "-n", "300", "--frames", "4", "-o", out, "--force",
            "-q");
        fast_math_same(usual, out, "generate", names[i]);
    }
}

static void test_fast_math_convert(void)
{
    write_text(at("in.obj"), "v 0 0 0\nv 1e-310 0 0\nv 0 5e-324 0.1\nv 0.3 1e-300 0.7\n"
                             "v 1e-310 1e-310 0\nf 1 2 3\nf 1 3 4 5\n");
    const char *usual = at("usual.vtkhdf"), *out = at("out.vtkhdf");
    RUN(NULL, "convert", at("in.obj"), "-o", usual, "--force", "-q", "--weld", "0");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        RUN(names[i], "convert", at("in.obj"), "-o", out, "--force", "-q", "--weld", "0");
        fast_math_same(usual, out, "convert", names[i]);
    }
}

/* shared/cases has a pair that does not touch, and did with denormals flushed. */
static void test_case(void)
{
    char path[900];
    if (!test_data())
        SKIP("shared/data is not here");
    snprintf(path, sizeof path, "%s/../cases/float-environment.vtkhdf", test_data());
    if (!exists(path))
        SKIP("shared/cases is not here");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        preload(names[i]);
        ran r = RAN("run", path, "-o", at("out.vtkhdf"), "--force", "--json");
        program_plain();
        EXPECT(!r.code && strstr(r.out, "\"contacts\": 0,"), "mode %s: %s%s", names[i], r.err,
               r.out);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"run", test_fast_math_run},
                                 {"generate", test_generate},
                                 {"convert", test_fast_math_convert},
                                 {"case", test_case},
                                 {0}};
    return test_main(argc, argv, "fast_math", tests);
}
