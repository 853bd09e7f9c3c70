/* `check` of results of `pcs`: independent arithmetic confirms the simulation's output, and `check`
 * finds each value that is changed in it. */
#include "expect.h"
#include "program.h"
#include "testlib.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUT "out.vtkhdf"
#define BATCH "out.batch.vtkhdf"

/* 0: built without ODE. */
static int check_simulated_test_simulate(const char *scene, const char *const *options)
{
    const char *line[20] = {"pcs", scene, "-o", at(OUT), "--force", "-q"};
    for (size_t n = 6, i = 0; options[i] && n < 19; i++)
        line[n++] = options[i];
    ran r = program_run(line);
    const int done = r.code == 0;
    EXPECT(done || strstr(r.err, "built without ODE"), "^ pcs %s: %s", scene, r.err);
    ran_free(&r);
    return done;
}
#define SIMULATE(scene, ...)                                                                       \
    check_simulated_test_simulate(scene, (const char *const[]){__VA_ARGS__, NULL})

static ran check_simulated_result(const char *result, const char *batch)
{
    return RAN("check", at(result), "--input", at(batch));
}

static void check_right(const char *scene)
{
    ran r = check_simulated_result(OUT, BATCH);
    EXPECT(ran_well(&r) && strstr(r.out, "are correct, none missing"), "^ check %s", scene);
    ran_free(&r);
}

/* ---- correct results */

static void test_check_simulated_scenes(void)
{
    if (!SIMULATE("cradle", "--frames", "130"))
        SKIP("built without ODE");
    check_right("cradle");
    SIMULATE("dominoes", "--bodies", "3", "--step", "0.02", "--frames", "70");
    check_right("dominoes");
    SIMULATE("boxes", "--bodies", "30", "--ratio", "30", "--seed", "3", "--frames", "30");
    check_right("boxes");
    SIMULATE("ball-slope", "--frames", "50", "--step", "0.02");
    check_right("ball-slope");
}

/* A part of the steps or of the bodies, and an unfinished run. */
static void test_check_simulated_parts(void)
{
    if (!SIMULATE("boxes", "--bodies", "60", "--frames", "30"))
        SKIP("built without ODE");
    ran r = RAN("check", at(OUT), "--input", at(BATCH), "--frames", "3:9:2", "--sample", "5");
    EXPECT(ran_well(&r) && strstr(r.out, "in 3 steps") && strstr(r.out, "those of 5 objects"),
           "^ a part: %s", r.out);
    ran_free(&r);
    r = RAN("check", at(OUT), "--input", at(OUT));
    EXPECT(ran_failed(&r, 3, OUT, NULL), "^ a result is no batch");
    ran_free(&r);
    r = RAN("generate", "spheres", "-o", at("other.vtkhdf"), "--primitives", "500", "--force",
            "-q");
    ran_free(&r);
    r = RAN("check", at(OUT), "--input", at("other.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "is no batch of 'impinge pcs'", NULL), "^ another batch");
    ran_free(&r);
}

/* ---- any settings */

/* 10 to the power of a random number in [low, high]. */
static void check_simulated_test_power(rng *r, double low, double high, char out[32])
{
    snprintf(out, 32, "%.3g", pow(10, low + (high - low) * rng_unit(r)));
}

/* The command line of a scene with its options, each with a random value of a wide range. */
typedef struct setting {
    char value[8][32];
    const char *line[24];
    size_t count;
} setting;

static void check_simulated_test_add_option(setting *s, const char *name, size_t value)
{
    s->line[s->count++] = name;
    s->line[s->count++] = s->value[value];
}

static void random_setting(rng *r, setting *s)
{
    static const char *const scenes[] = {"ball-slope", "dominoes", "boxes", "cradle"};
    *s = (setting){.line = {"pcs", scenes[rng_below(r, 4)], "-o", at(OUT), "--force", "-q"},
                   .count = 6};
    const char scene = *s->line[1] == 'b' ? s->line[1][1] : *s->line[1];
    snprintf(s->value[0], sizeof s->value[0], "%u",
             scene == 'o' ? 2 + (uint32_t)pow(10, 2.4 * rng_unit(r)) : 2 + rng_below(r, 15));
    check_simulated_test_power(r, 0, 6, s->value[1]);
    snprintf(s->value[2], sizeof s->value[2], "%u", rng_below(r, 1000));
    check_simulated_test_power(r, -1, 5, s->value[3]);
    check_simulated_test_power(r, -3, -0.7, s->value[4]);
    snprintf(s->value[5], sizeof s->value[5], "%u", 1 + rng_below(r, 40));
    check_simulated_test_power(r, -7, -2, s->value[6]);
    if (scene != 'a')
        check_simulated_test_add_option(s, "--bodies", 0);
    if (scene == 'o') {
        check_simulated_test_add_option(s, "--ratio", 1);
        check_simulated_test_add_option(s, "--seed", 2);
    }
    if (scene == 'a' || scene == 'd')
        check_simulated_test_add_option(s, "--push", 3);
    check_simulated_test_add_option(s, "--step", 4);
    check_simulated_test_add_option(s, "--frames", 5);
    if (rng_below(r, 2))
        check_simulated_test_add_option(s, "--epsilon", 6);
}

static void print_check_simulated_setting(const setting *s, char out[600])
{
    size_t n = 0;
    for (size_t i = 1; i < s->count; i++)
        n += (size_t)snprintf(out + n, 600 - n, " %s", s->line[i]);
}

/* The run ends soon, and its output is correct. An epsilon that is too large is refused. */
static void check_simulated_random(rng *r)
{
    char text[600];
    setting s;
    random_setting(r, &s);
    print_check_simulated_setting(&s, text);
    ran p = program_run(s.line);
    EXPECT(p.code <= 2 && (p.code != 2 || strstr(p.err, "epsilon is")), "^%s", text);
    EXPECT(p.cpu < 60, "%g s of%s", p.cpu, text);
    if (p.code < 2) {
        const char *end = p.code ? ".part" : "";
        char out[64], batch[64];
        snprintf(out, sizeof out, OUT "%s", end);
        snprintf(batch, sizeof batch, BATCH "%s", end);
        ran c = RAN("check", at(out), "--input", at(batch), "--sample", "30");
        EXPECT(c.code == 0, "^ check of%s: %s", text, c.err);
        ran_free(&c);
    }
    ran_free(&p);
}

static void test_check_simulated_random(void)
{
    rng r = {77};
    if (!SIMULATE("cradle", "--frames", "1"))
        SKIP("built without ODE");
    for (uint64_t i = test_cases(3); i--;)
        check_simulated_random(&r);
}

/* ---- changed results */

/* Adds to one number of a dataset, or sets an attribute of a group. */
typedef struct change {
    int batch; /* 1: in the batch, else in the result */
    const char *name, *attribute;
    double part; /* row that changes, as a fraction of all */
    size_t columns;
    double add;
    const char *word; /* in the message */
} change;

static void change_numbers(hid_t id, int is_attribute, const change *c)
{
    double x[3 * 4096];
    const hid_t space = is_attribute ? H5Aget_space(id) : H5Dget_space(id);
    const size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    const size_t row = (size_t)(c->part * (double)(n / c->columns)) * c->columns;
    EXPECT(n && n <= sizeof x / sizeof *x, "%s has %zu numbers", c->name, n);
    if (is_attribute)
        H5Aread(id, H5T_NATIVE_DOUBLE, x);
    else
        H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    x[row] = is_attribute ? c->add : x[row] + c->add;
    const herr_t written = is_attribute
                               ? H5Awrite(id, H5T_NATIVE_DOUBLE, x)
                               : H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    EXPECT(written >= 0, "%s was not changed", c->name);
    H5Sclose(space);
}

static void change_file(const char *path, const change *c)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t object = H5Oopen(file, c->name, H5P_DEFAULT);
    const hid_t id = c->attribute ? H5Aopen(object, c->attribute, H5P_DEFAULT) : object;
    EXPECT(id >= 0, "%s is there", c->name);
    change_numbers(id, c->attribute != NULL, c);
    if (c->attribute)
        H5Aclose(id);
    H5Oclose(object);
    H5Fclose(file);
}

static void check_changed(const change *c)
{
    copy_file(at(OUT), at("changed.vtkhdf"));
    copy_file(at(BATCH), at("changed.batch"));
    change_file(at(c->batch ? "changed.batch" : "changed.vtkhdf"), c);
    ran r = check_simulated_result("changed.vtkhdf", "changed.batch");
    EXPECT(r.code == 1 && strstr(r.err, c->word), "%s %s: code %d, %s", c->name,
           c->attribute ? c->attribute : "", r.code, r.err);
    ran_free(&r);
}

static void test_check_simulated_changed(void)
{
    static const change changes[] = {
        {0, "VTKHDF/CellData/PrimitiveA", NULL, 0.5, 1, 1, ""},
        {0, "VTKHDF/CellData/ObjectB", NULL, 0.5, 1, 1, "an object is not that of its primitive"},
        {0, "VTKHDF/CellData/Share", NULL, 0.5, 1, 1e-3, "Time does not follow"},
        {0, "VTKHDF/CellData/Time", NULL, 0.5, 1, 1e-9, "Time does not follow"},
        {0, "VTKHDF/CellData/Kind", NULL, 0.5, 1, -5, "another kind"},
        {0, "VTKHDF/CellData/FeatureA", NULL, 0.5, 1, 300, "other features"},
        {0, "VTKHDF/Points", NULL, 0.5, 6, 1e-6, "points"},
        {0, "impinge/input_frame", NULL, 0.5, 1, 1, "input_frame is another one"},
        {0, "impinge/undecided", NULL, 0.5, 1, 1, "undecided is not 0"},
        {0, "impinge/checksum", NULL, 0.5, 1, 1, "checksum"},
        {1, "impinge/velocity_changes/velocity", NULL, 0.5, 3, 1e-9, "velocit"},
        {1, "impinge/velocity_changes/velocity", NULL, 0.2, 3, 1e-6, "away from where it moves"},
        {1, "impinge/velocity_changes/angular_velocity", NULL, 0.5, 3, 1e-6, "step from frame"},
        {1, "impinge/velocity_changes/time", NULL, 0.5, 1, -1e-4, "step from frame"},
        {1, "impinge/velocity_changes/time", NULL, 0.5, 1, 1, "outside the step"},
        {1, "impinge/velocity_changes/velocity", NULL, 0.5, 3, NAN, "a velocity is not finite"},
        {1, "impinge/velocity_changes/angular_velocity", NULL, 0.99, 3, INFINITY, "not finite"},
        {0, "VTKHDF/Points", NULL, 0.5, 6, NAN, "points"},
        {1, "impinge/velocity_changes/object_id", NULL, 0.5, 1, 1, "step from frame"},
        {1, "impinge/simulation", "gravity", 0, 1, 1e-3, "away from where it moves"},
        {1, "impinge/simulation", "epsilon", 0, 1, 1e-9, "epsilon are not those"},
        {1, "impinge/bodies/velocity", NULL, 0.5, 3, 1e-6, "step from frame"}};
    if (!SIMULATE("boxes", "--bodies", "12", "--frames", "100", "--seed", "6"))
        SKIP("built without ODE");
    check_right("boxes, few");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        check_changed(&changes[i]);
}

/* Rows of a run with another epsilon: with a greater one the result lacks contacts, with a smaller
 * one it has too many rows. */
static void test_check_simulated_epsilon(void)
{
    static const struct {
        const char *epsilon, *word;
    } cases[] = {{"9e-5", "and no contact before"}, {"1e-6", "their bodies do not come near"}};
    for (size_t i = 0; i < 2; i++) {
        if (!SIMULATE("cradle", "--frames", "60", "--epsilon", "1e-5"))
            SKIP("built without ODE");
        copy_file(at(OUT), at("changed.vtkhdf"));
        copy_file(at(BATCH), at("changed.batch"));
        SIMULATE("cradle", "--frames", "60", "--epsilon", cases[i].epsilon);
        /* the options and epsilon of this run, the rows of the one before */
        const hid_t from = H5Fopen(at("changed.vtkhdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t to = H5Fopen(at(OUT), H5F_ACC_RDWR, H5P_DEFAULT);
        H5Ldelete(to, "VTKHDF", H5P_DEFAULT);
        H5Ocopy(from, "VTKHDF", to, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT);
        H5Fclose(to);
        H5Fclose(from);
        const change c = {1, "impinge/simulation", "epsilon", 0, 1, atof(cases[i].epsilon), ""};
        change_file(at("changed.batch"), &c);
        ran r = check_simulated_result(OUT, "changed.batch");
        EXPECT(r.code == 1 && strstr(r.err, cases[i].word), "epsilon %s: code %d, %s",
               cases[i].epsilon, r.code, r.err);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"scenes", test_check_simulated_scenes},   {"parts", test_check_simulated_parts},
        {"random", test_check_simulated_random},   {"changed", test_check_simulated_changed},
        {"epsilon", test_check_simulated_epsilon}, {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "check_simulated", tests);
}
