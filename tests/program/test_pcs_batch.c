/* `impinge pcs` of a batch of rigid bodies: batches of the scenes give the results of the scenes; a
 * user's own batch, written with plain HDF5, moves by the laws of mechanics; an invalid one is
 * refused. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The test needs a build that simulates. */
static int pcs_batch_can_run(void)
{
    ran r = RAN("pcs", "cradle", "-o", at("can.vtkhdf"), "--frames", "1", "-q", "--force");
    const int can = r.code == 0;
    ran_free(&r);
    return can;
}

#define NEEDS_ODE                                                                                  \
    if (!pcs_batch_can_run())                                                                      \
    SKIP("built without ODE")

static const char *pcs_batch_sibling_path(const char *out, const char *suffix)
{
    char name[200];
    const char *ending = strstr(out, ".vtkhdf");
    const int length =
        (int)(ending && *suffix && strncmp(suffix, ".part", 5) ? (size_t)(ending - out)
                                                               : strlen(out));
    snprintf(name, sizeof name, "%.*s%s", length, out, suffix);
    return at(name);
}

/* Runs pcs; returns its output. */
static ran pcs_batch_simulate(const char *of, const char *out, const char *const *more)
{
    const char *line[24] = {"pcs", of, "-o", at(out), "--force", "-q"};
    for (size_t n = 6, i = 0; more[i] && n < 23; i++)
        line[n++] = more[i];
    return program_run(line);
}
#define SIMULATE(of, out, ...) pcs_batch_simulate(of, out, (const char *const[]){__VA_ARGS__, NULL})

static void write_batch(const char *scene, const char *out, const char *const *more)
{
    ran r = pcs_batch_simulate(scene, out, more);
    EXPECT(ran_well(&r) && !*r.out && !*r.err, "^ %s --batch-only", scene);
    ran_free(&r);
}
#define BATCH(scene, out, ...)                                                                     \
    write_batch(scene, out, (const char *const[]){"--batch-only", __VA_ARGS__, NULL})

/* ---- the scenes */

static void check_same_text(const char *a, const char *b, const char *suffix)
{
    char *x = file_text(pcs_batch_sibling_path(a, suffix), NULL),
         *y = file_text(pcs_batch_sibling_path(b, suffix), NULL);
    EXPECT(!strcmp(x, y), "%s of the scene and of its batch differ", suffix);
    free(x);
    free(y);
}

/* Rows, bodies and curve. */
static void check_pcs_batch_same(const char *scene, const char *const *options)
{
    ran r;
    const char *line[20] = {NULL}, *few[] = {"--frames", "60", NULL};
    size_t n = 0;
    for (; options[n]; n++)
        line[n] = options[n];
    line[n] = "--batch-only";
    write_batch(scene, "scene.vtkhdf", line);
    line[n] = "--frames";
    line[n + 1] = "60";
    r = pcs_batch_simulate(scene, "one.vtkhdf", line);
    EXPECT(ran_well(&r), "^ %s", scene);
    ran_free(&r);
    r = pcs_batch_simulate(at("scene.vtkhdf"), "two.vtkhdf", few);
    EXPECT(ran_well(&r), "^ the batch of %s", scene);
    ran_free(&r);
    const char *what = h5_same(at("one.vtkhdf"), at("two.vtkhdf"), "VTKHDF");
    EXPECT(!what, "%s: rows: %s", scene, what);
    what = h5_same(pcs_batch_sibling_path("one.vtkhdf", ".batch.vtkhdf"),
                   pcs_batch_sibling_path("two.vtkhdf", ".batch.vtkhdf"), "/");
    EXPECT(!what, "%s: bodies: %s", scene, what);
    check_same_text("one.vtkhdf", "two.vtkhdf", ".cps.csv");
    check_same_text("one.vtkhdf", "two.vtkhdf", ".cps.svg");
}

static void test_pcs_batch_scenes(void)
{
    NEEDS_ODE;
    check_pcs_batch_same("ball-slope", (const char *const[]){"--push", "30", NULL});
    check_pcs_batch_same("dominoes",
                         (const char *const[]){"--bodies", "5", "--step", "0.005", NULL});
    check_pcs_batch_same(
        "boxes", (const char *const[]){"--bodies", "200", "--ratio", "20", "--seed", "4", NULL});
    check_pcs_batch_same("cradle", (const char *const[]){"--epsilon", "2e-5", NULL});
}

/* --seconds sets the number of frames for a batch, too. */
static void test_seconds(void)
{
    NEEDS_ODE;
    BATCH("cradle", "short.vtkhdf", "--seconds", "0.25", "--step", "0.05");
    ran r = SIMULATE(at("short.vtkhdf"), "out.vtkhdf", "--epsilon", "1e-5");
    size_t n;
    EXPECT(ran_well(&r), "^ five frames");
    ran_free(&r);
    free(h5_reals(at("out.vtkhdf"), "impinge/seconds", &n));
    EXPECT(n == 5, "%zu frames", n);
}

/* The batch of a simulation starts another one; a warning names its further frames. */
static void test_pcs_batch_again(void)
{
    NEEDS_ODE;
    ran r = SIMULATE("cradle", "first.vtkhdf", "--frames", "40");
    ran_free(&r);
    r = SIMULATE(pcs_batch_sibling_path("first.vtkhdf", ".batch.vtkhdf"), "again.vtkhdf",
                 "--frames", "40");
    EXPECT(r.code == 0 && strstr(r.err, "has 41 frames, of which only the first one is read"),
           "^ %s", r.err);
    ran_free(&r);
    const char *what = h5_same(at("first.vtkhdf"), at("again.vtkhdf"), "VTKHDF");
    EXPECT(!what, "rows: %s", what);
    r = RAN("check", at("again.vtkhdf"), "--input",
            pcs_batch_sibling_path("again.vtkhdf", ".batch.vtkhdf"));
    EXPECT(ran_well(&r), "^ check");
    ran_free(&r);
    r = RAN("info", at("again.vtkhdf"));
    EXPECT(r.code == 0, "^ info");
    ran_free(&r);
}

/* ---- a user's bodies: a cube that falls on a slab, their triangles alternating */

enum { CUBE = 4, SLAB = 9 };

static const int64_t sides[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                  2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

/* Corners of a box with these half edges about a point. */
static void pcs_batch_make_box(const double half[3], const double middle[3], double out[24])
{
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = middle[k] + (i >> k & 1 ? half[k] : -half[k]);
}

static void make_group(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(group);
    H5Fclose(file);
}

static void pcs_batch_write_dataset(const char *path, const char *name, hsize_t count,
                                    hsize_t columns, const double *value)
{
    const hsize_t dims[2] = {count, columns};
    char all[80];
    snprintf(all, sizeof all, "impinge/bodies/%s", name);
    h5_replace(path, all, H5T_IEEE_F64LE, columns > 1 ? 2 : 1, dims, value);
}

static void put_ints(const char *path, const char *name, size_t count, const int64_t *value)
{
    char all[80];
    snprintf(all, sizeof all, "impinge/bodies/%s", name);
    h5_replace_ints(path, all, count, value);
}

/* The cube, of edge 1, has its origin `aside` of its centre along x, and its lower side at z = 1;
 * the upper side of the slab is at 0; with `sheet` the slab consists of that side only. A vertex
 * stored between the bodies belongs to neither. Optional datasets are absent. */
static const char *make_user(double aside, int sheet)
{
    static char path[400];
    static const double small[3] = {0.5, 0.5, 0.5}, wide[3] = {5, 5, 0.25};
    const double middle[3] = {aside, 0, 0}, low[3] = {0, 0, -0.25};
    const int64_t slab_sides = sheet ? 2 : 12;
    double own[48], seen[51];
    int64_t ids[72], object[24];
    size_t n = 0;
    make m = {0};
    pcs_batch_make_box(small, middle, own);
    pcs_batch_make_box(wide, low, own + 24);
    memcpy(seen, own, 24 * sizeof *own);
    memcpy(seen + 27, own + 24, 24 * sizeof *own);
    for (int i = 0; i < 3; i++)
        seen[24 + i] = 7;
    for (int i = 0; i < 8; i++) {
        seen[3 * i] -= aside;
        seen[3 * i + 2] += 1.5;
    }
    for (int64_t t = 0; t < 12; t++)
        for (int which = 0; which < 2; which++) {
            const int64_t side = sheet && which ? t + 2 : t;
            if (which && t >= slab_sides)
                continue;
            for (int k = 0; k < 3; k++)
                ids[3 * n + (size_t)k] = sides[3 * side + k] + (which ? 9 : 0);
            object[n++] = which ? SLAB : CUBE;
        }
    m.cells[0] = (make_cells){.name = "ObjectId"};
    make_part(&m, 17, (int64_t)n, ids);
    for (size_t i = 0; i < n; i++)
        make_add(&m.cells[0].value, object[i]);
    make_add(&m.cells[0].offset, 0);
    make_step_next(&m, 0, 1);
    make_points(&m, 17, seen);
    snprintf(path, sizeof path, "%s", make_write(&m, "user.vtkhdf"));
    make_free(&m);
    make_group(path, "impinge");
    make_group(path, "impinge/bodies");
    /* only vertices of triangles: the upper four of a sheet */
    if (sheet)
        memcpy(own + 24, own + 36, 12 * sizeof *own);
    const int64_t points = sheet ? 12 : 16;
    put_ints(path, "object_id", 2, (int64_t[]){CUBE, SLAB});
    put_ints(path, "point_offsets", 3, (int64_t[]){0, 8, points});
    pcs_batch_write_dataset(path, "points", (hsize_t)points, 3, own);
    pcs_batch_write_dataset(path, "centre", 2, 3, (double[]){-aside, 0, 1.5, 0, 0, 0});
    pcs_batch_write_dataset(path, "rotation", 2, 4, (double[]){1, 0, 0, 0, 1, 0, 0, 0});
    put_ints(path, "fixed", 2, (int64_t[]){0, 1});
    return path;
}

/* The height of the cube's centre, or its speed, in a frame. */
static double pcs_batch_height(const char *out, size_t frame, int speed)
{
    size_t n;
    const char *path = pcs_batch_sibling_path(out, ".batch.vtkhdf");
    double *all = h5_reals(path, speed ? "impinge/bodies/velocity" : "impinge/bodies/centre", &n);
    const double z = frame < n / 6 ? all[6 * frame + 2] : NAN;
    free(all);
    return z;
}

/* The cube falls from 1 with g = 9.81 in steps of 0.01: v = g t at each step's start, so that it is
 * at 1 - g dt^2 n (n + 1) / 2 after n steps; it lands in the 45th, and rebounds with half its
 * speed. */
static void check_fall(const char *path, const char *what)
{
    const double g = 9.81, dt = 0.01;
    pcs_batch_write_dataset(path, "restitution", 2, 1, (double[]){0.5, 0.25});
    ran r = SIMULATE(path, "fall.vtkhdf", "--frames", "60");
    EXPECT(ran_well(&r), "^ %s", what);
    ran_free(&r);
    EXPECT(fabs(pcs_batch_height("fall.vtkhdf", 44, 0) - (1.5 - g * dt * dt * 44 * 45 / 2)) < 1e-9,
           "%s: at %.17g", what, pcs_batch_height("fall.vtkhdf", 44, 0));
    EXPECT(fabs(pcs_batch_height("fall.vtkhdf", 45, 1) - 0.5 * g * dt * 45) < 1e-6,
           "%s: comes back with %.17g", what, pcs_batch_height("fall.vtkhdf", 45, 1));
    rows c = read_rows(at("fall.vtkhdf"));
    size_t n;
    int64_t *object = h5_ints(at("user.vtkhdf"), "VTKHDF/CellData/ObjectId", &n);
    EXPECT(c.count > 0, "%s: no contacts", what);
    for (size_t i = 0; i < c.count; i++)
        EXPECT(c.a[i] < c.b[i] && object[c.a[i]] != object[c.b[i]], "%s: row %zu is %lld %lld",
               what, i, (long long)c.a[i], (long long)c.b[i]);
    free(object);
    free_rows(&c);
}

static void test_user(void)
{
    NEEDS_ODE;
    check_fall(make_user(0, 0), "a cube");
    /* the body moves about its centre of mass, not its origin */
    check_fall(make_user(0.75, 0), "a cube beside its origin");
    const char *path = make_user(0, 1);
    pcs_batch_write_dataset(path, "mass", 2, 1, (double[]){3, 0});
    check_fall(path, "a cube on a sheet");
    /* the mesh is the user's: cells, vertices, and the unused one */
    size_t n;
    double *points =
        h5_reals(pcs_batch_sibling_path("fall.vtkhdf", ".batch.vtkhdf"), "VTKHDF/Points", &n);
    EXPECT(n == 61 * 17 * 3 && points[24] == 7 && points[60 * 51 + 26] == 7, "%zu points", n);
    free(points);
}

/* Absent datasets are computed and written. */
static void test_completed(void)
{
    const char *path = make_user(0.75, 0);
    size_t n;
    BATCH(path, "whole.vtkhdf", "--seconds", "3");
    double *mass = h5_reals(at("whole.vtkhdf"), "impinge/bodies/mass", &n);
    double *inertia = h5_reals(at("whole.vtkhdf"), "impinge/bodies/inertia", &n);
    double *centre = h5_reals(at("whole.vtkhdf"), "impinge/bodies/centre", &n);
    double *gravity = h5_reals(at("whole.vtkhdf"), "impinge/bodies/friction", &n);
    EXPECT(fabs(mass[0] - 1000) < 1e-9 && mass[1] == 0, "masses %.17g %.17g", mass[0], mass[1]);
    for (int k = 0; k < 3; k++)
        EXPECT(fabs(inertia[k] - 1000 / 6.0) < 1e-9 && fabs(inertia[3 + k]) < 1e-9,
               "inertia %d: %.17g %.17g", k, inertia[k], inertia[3 + k]);
    EXPECT(fabs(centre[0]) < 1e-15 && centre[2] == 1.5, "centre of mass at %.17g", centre[0]);
    EXPECT(n == 2 && gravity[0] == 0.5, "friction %g", gravity[0]);
    free(mass);
    free(inertia);
    free(centre);
    free(gravity);
}

/* ---- refused batches */

static void pcs_batch_expect_refused(const char *path, int code, const char *why, const char *more)
{
    ran r = SIMULATE(path, "no.vtkhdf", "--batch-only", more);
    EXPECT(ran_failed(&r, code, why, NULL), "^ not refused: %s", why);
    EXPECT(!exists(at("no.vtkhdf")) && !exists_part(at("no.vtkhdf")), "%s: OUT is there", why);
    ran_free(&r);
}

static void test_pcs_batch_refused(void)
{
    static const struct {
        const char *name;
        int columns;
        double value[12];
        const char *why;
    } bad[] = {
        {"density", 1, {-1, 1}, "body 4: its density is not above 0"},
        {"density", 1, {NAN, 1}, "body 4: a number of it is not finite"},
        {"mass", 1, {-2, 1}, "body 4: its mass is below 0"},
        {"inertia", 6, {1, 1, 1, 0, 0, 0}, "body 4: it has inertia, but no mass"},
        {"restitution", 1, {0, 1.5}, "body 9: its restitution is not from 0 to 1"},
        {"friction", 1, {-0.5, 0}, "body 4: its friction is below 0"},
        {"fixed", 1, {2, 1}, "body 4: `fixed` is neither 0 nor 1"},
        {"inertia", 3, {1, 1, 1}, "impinge/bodies/inertia"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = make_user(0, 0);
        pcs_batch_write_dataset(path, bad[i].name, 2, (hsize_t)bad[i].columns, bad[i].value);
        pcs_batch_expect_refused(path, 3, bad[i].why, NULL);
    }
    const char *path = make_user(0, 0);
    pcs_batch_write_dataset(path, "mass", 3, 1, (double[]){1, 2, 3});
    pcs_batch_expect_refused(path, 3, "impinge/bodies/mass: 3 rows, there must be 2", NULL);
    path = make_user(0, 0);
    pcs_batch_write_dataset(path, "mass", 2, 1, (double[]){1, 2});
    pcs_batch_write_dataset(path, "inertia", 2, 6, (double[12]){1, 1, 3});
    pcs_batch_expect_refused(path, 3, "body 4: no body has this inertia", NULL);
    path = make_user(0, 1);
    put_ints(path, "fixed", 2, (int64_t[]){1, 0});
    pcs_batch_expect_refused(path, 3, "body 9: its surface is not closed", NULL);
    path = make_user(0, 0);
    h5_poke(path, "VTKHDF/CellData/ObjectId", 3, 5);
    pcs_batch_expect_refused(path, 3, "object 5 is no rigid body", NULL);
    path = make_user(0, 0);
    h5_remove(path, "impinge/bodies");
    pcs_batch_expect_refused(path, 3, "has no rigid bodies", NULL);
    pcs_batch_expect_refused(at("not there.vtkhdf"), 3, "not there.vtkhdf", NULL);
}

/* A motion out of range in the first step is a fault of the file; one that arises later is not, nor
 * is that of a fixed body. */
static void test_too_fast(void)
{
    static const struct {
        const char *name;
        double value[6];
        const char *step, *why;
    } bad[] = {
        {"angular_velocity", {0, 2e11, 0}, "0.01", "body 4: its angular velocity: it turns by"},
        {"angular_velocity",
         {0, 1e308, 1e308},
         "0.01",
         "body 4: its angular velocity: it turns by"},
        {"angular_velocity", {0, 0, 2e8}, "10", "radians in a step of 10 s"},
        {"velocity", {1e308, 0, 0}, "10", "body 4: its velocity: it goes beyond the range of"},
        {"velocity", {0, -1e307, 0}, "30", "float64 in a step of 30 s"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int aside = 0; aside < 2; aside++) {
            const char *path = make_user(0.75 * aside, 0);
            pcs_batch_write_dataset(path, bad[i].name, 2, 3, bad[i].value);
            ran r = SIMULATE(path, "no.vtkhdf", "--batch-only", "--step", bad[i].step);
            EXPECT(ran_failed(&r, 3, bad[i].why, NULL) && strstr(r.err, "user.vtkhdf: body 4"),
                   "^ %s for %s s", bad[i].name, bad[i].step);
            EXPECT(!exists(at("no.vtkhdf")) && !exists_part(at("no.vtkhdf")), "OUT is there");
            ran_free(&r);
        }
    const char *path = make_user(0, 0);
    pcs_batch_write_dataset(path, "velocity", 2, 3, (double[]){1e306, 0, 0, 1e308, 0, 0});
    pcs_batch_write_dataset(path, "angular_velocity", 2, 3, (double[]){1e11, 0, 0, 1e308, 0, 0});
    BATCH(path, "fast.vtkhdf", NULL);
}

/* The input is never overwritten, not even with --force. */
static void test_pcs_batch_in_place(void)
{
    char line[600];
    const char *path = make_user(0, 0);
    ran r = SIMULATE(path, "user.vtkhdf", "--batch-only");
    EXPECT(ran_failed(&r, 2, "user.vtkhdf", NULL), "^ OUT is the input");
    ran_free(&r);
    snprintf(line, sizeof line, "%s", at("place.batch.vtkhdf"));
    EXPECT(!rename(path, line), "not renamed");
    r = SIMULATE(line, "place.vtkhdf", "--frames", "2");
    EXPECT(ran_failed(&r, pcs_batch_can_run() ? 2 : 1, NULL, NULL),
           "^ the batch beside OUT is the input");
    ran_free(&r);
    EXPECT(exists(line), "the input is gone");
}

static void test_pcs_batch_usage(void)
{
    static const char *const bad[][3] = {{"--push", "3", "a batch takes no --push"},
                                         {"--bodies", "3", "a batch takes no --bodies"},
                                         {"--ratio", "3", "a batch takes no --ratio"},
                                         {"--seed", "3", "a batch takes no --seed"},
                                         {"--frames", "3", "takes no --frames"},
                                         {"--device", "cpu", "takes no --device"},
                                         {"--json", NULL, "takes no --json"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ran r = SIMULATE(at("any.vtkhdf"), "no.vtkhdf", "--batch-only", bad[i][0], bad[i][1]);
        EXPECT(ran_failed(&r, 2, bad[i][2], NULL), "^ %s", bad[i][0]);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"scenes", test_pcs_batch_scenes}, {"seconds", test_seconds},
        {"again", test_pcs_batch_again},   {"user", test_user},
        {"completed", test_completed},     {"refused", test_pcs_batch_refused},
        {"too_fast", test_too_fast},       {"in_place", test_pcs_batch_in_place},
        {"usage", test_pcs_batch_usage},   {0}};
    return test_main(argc, argv, "pcs_batch", tests);
}
