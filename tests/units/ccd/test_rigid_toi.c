/* Two primitives of which one rotates: the work, which does not grow with the number of turns, and
 * known times of impact. Whole turns of any number, directions between features that are nearer
 * than the rounding of nearest points, tolerances that cannot be met, and a limit of iterations as
 * a last resort. */
#include "error.h"
#include "expect.h"
#include "testlib.h"
#include "rigid_toi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN 6.283185307179586476925286766559

/* Two triangles, each of a body that rotates about z, or of none. */
typedef struct duo {
    double rest[2][3][3], centre[2][2][3]; /* [2][2]: of each at both instants */
    double turns[2], phase[2];             /* initial angle in turns */
    int body[2];
    double tolerance, separation;
} duo;

typedef struct scene {
    mem m;
    imp_mesh mesh;
    uint32_t corner[6];
    int32_t object[2], body[2];
    double rest[18], point[2][18];
    imp_pose pose[2][2];
    imp_frame frame[2];
    normalisation u;
    context c;
    rigid_ccd t;
} scene;

static void rigid_toi_test_point(const duo *d, int s, int f, const double x[3], double out[3])
{
    const double angle = TURN * fmod(d->phase[s] + (f ? d->turns[s] : 0), 1);
    const double c = d->body[s] ? cos(angle) : 1, n = d->body[s] ? sin(angle) : 0;
    out[0] = c * x[0] - n * x[1] + d->centre[s][f][0];
    out[1] = n * x[0] + c * x[1] + d->centre[s][f][1];
    out[2] = x[2] + d->centre[s][f][2];
}

static imp_pose pose_of(const duo *d, int s, int f)
{
    const double half = TURN / 2 * fmod(d->phase[s] + (f ? d->turns[s] : 0), 1);
    imp_pose p = {.rotation = {cos(half), 0, 0, sin(half)}};
    memcpy(p.centre, d->centre[s][f], sizeof p.centre);
    p.spin[2] = fabs(d->turns[s]) > 0.5 ? TURN * d->turns[s] : 0;
    return p;
}

static void rigid_toi_test_fill(const duo *d, scene *s)
{
    for (int k = 0; k < 2; k++) {
        s->object[k] = k;
        if (d->body[k])
            s->body[s->mesh.bodies++] = k;
    }
    for (uint32_t v = 0; v < 6; v++) {
        s->corner[v] = v;
        memcpy(s->rest + (size_t)3 * v, d->rest[v / 3][v % 3], 3 * sizeof *s->rest);
        for (int f = 0; f < 2; f++)
            rigid_toi_test_point(d, (int)v / 3, f, d->rest[v / 3][v % 3],
                                 s->point[f] + (size_t)3 * v);
    }
    for (int f = 0; f < 2; f++)
        for (uint32_t b = 0; b < s->mesh.bodies; b++)
            s->pose[f][b] = pose_of(d, s->body[b], f);
}

/* Returns the result of rigid_ccd_open. */
static int rigid_toi_test_scene_open(const duo *d, scene *s)
{
    const double lo[3] = {-1, -1, -1}, hi[3] = {1, 1, 1};
    *s = (scene){.m = {.limit = 1 << 20}};
    s->mesh = (imp_mesh){.vertices = 6,
                         .primitives = 2,
                         .corner = s->corner,
                         .object = s->object,
                         .body = s->body,
                         .rest = s->rest};
    rigid_toi_test_fill(d, s);
    for (int f = 0; f < 2; f++)
        s->frame[f] = (imp_frame){.mesh = &s->mesh,
                                  .point = s->point[f],
                                  .number = 5 + (uint64_t)f,
                                  .pose = s->pose[f],
                                  .time = f};
    s->c = (context){.mem = &s->m, .opt = {.tolerance = d->tolerance}};
    CU_ASSERT_FATAL(normalisation_fit(&s->m, &s->u, 1) == IMP_OK);
    normalisation_set(&s->u, 0, lo, hi);
    return rigid_ccd_open(&s->c, s->frame, 1, &s->t);
}

static void scene_close(scene *s)
{
    rigid_ccd_close(&s->m, &s->t);
    normalisation_free(&s->m, &s->u);
}

/* *looks: number of evaluations. Returns whether they meet. */
static int rigid_toi_test_query(const duo *d, double *toi, uint32_t *looks)
{
    scene s;
    toi_pair p;
    atomic_int cancel = 0;
    const int err = rigid_toi_test_scene_open(d, &s);
    const double unit = s.u.scale[0] * s.u.scale[1];
    EXPECT(!err, "%s", imp_error_text());
    rigid_toi_open(&s.t, &s.u, 0, 0, 1, d->separation * unit, &cancel, &p);
    const int meets = rigid_toi_find(&p, toi);
    *looks = p.intervals;
    scene_close(&s);
    return meets;
}

/* ---- scenes */

/* A blade along x about the origin, of length 1 and nearly without width, in the plane z = 0. */
static void blade(duo *d, int s, double length)
{
    const double x[3][3] = {{0, 0, 0}, {length, 1e-4, 0}, {length, -1e-4, 0}};
    d->body[s] = 1;
    memcpy(d->rest[s], x, sizeof x);
}

/* A plate at this distance from the origin, on the path of the blade's tip. */
static void plate(duo *d, double from)
{
    const double x[3][3] = {{from, -0.2, -0.2}, {from, 0.2, -0.2}, {from, 0, 0.3}};
    memcpy(d->rest[1], x, sizeof x);
}

static duo duo_new(void)
{
    return (duo){.tolerance = 1e-6};
}

/* A blade passes a plate in each turn. */
static void test_rigid_toi_turns(void)
{
    static const double gaps[] = {0.1, 1e-3, 1e-5};
    for (int i = 0; i < 3; i++)
        for (double turns = 1; turns < 1e8; turns *= 7) {
            duo d = duo_new();
            double toi;
            uint32_t looks;
            blade(&d, 0, 1);
            plate(&d, 1 + gaps[i]);
            d.turns[0] = turns + 0.3;
            d.phase[0] = 0.3;
            const int meets = rigid_toi_test_query(&d, &toi, &looks);
            EXPECT(!meets && looks < 3000, "%g turns, %g apart: %d, %u looks", turns, gaps[i],
                   meets, looks);
        }
}

/* It reaches the plate first in a known turn: when the blade has moved far enough or is long
 * enough. */
static void test_meets(void)
{
    for (double turns = 1; turns < 1e7; turns *= 7) {
        duo d = duo_new();
        double toi;
        uint32_t looks;
        blade(&d, 0, 1);
        plate(&d, 1.5);
        d.turns[0] = turns + 0.25;
        d.phase[0] = 0.4;
        d.centre[0][1][0] = 1; /* at 0.5 of the step it is there, with the right phase */
        const int meets = rigid_toi_test_query(&d, &toi, &looks);
        const double turn = 1 / d.turns[0];
        /* before half of the step nothing is there, and then for a part of the first turn */
        EXPECT(turns < 5 || (meets && toi > 0.5 - 1e-4 - turn && toi < 0.5 + 1e-4 + 2 * turn),
               "%g turns: %d, share %g", turns, meets, toi);
        EXPECT(looks < 20000, "%g turns: %u looks", turns, looks);
    }
}

/* Two blades whose discs overlap, but never both at once: at rates of small integers. */
static void test_rigid_toi_two(void)
{
    static const double rates[][3] = {{1, 1, 0.5}, {1, -1, 0.5}, {2, 1, 0.25}, {3, 2, 0.5 / 3}};
    for (int i = 0; i < 4; i++)
        for (double turns = 1; turns < 3e6; turns *= 9) {
            duo d = duo_new();
            double toi;
            uint32_t looks;
            blade(&d, 0, 0.505);
            blade(&d, 1, 0.505);
            d.centre[1][0][0] = d.centre[1][1][0] = 1;
            d.turns[0] = rates[i][0] * turns;
            d.turns[1] = rates[i][1] * turns;
            d.phase[1] = 0.5 + rates[i][2]; /* 0.5: towards the other one, when that is at 0 */
            const int meets = rigid_toi_test_query(&d, &toi, &looks);
            EXPECT(!meets && looks < 20000, "rates %g %g, %g turns: %d at %g, %u looks",
                   rates[i][0], rates[i][1], turns, meets, toi, looks);
        }
}

/* At rates whose phases approach each other in more ways than are tried, only testing all turns
 * would decide; and after cancellation there are no further evaluations. */
static void test_over(void)
{
    duo d = duo_new();
    scene s;
    toi_pair p;
    double toi;
    atomic_int cancel = 1;
    blade(&d, 0, 0.5005);
    blade(&d, 1, 0.5005);
    d.centre[1][0][0] = d.centre[1][1][0] = 1;
    d.turns[0] = 17 * 20000;
    d.turns[1] = 23 * 20000;
    d.phase[1] = 0.5 + 0.5 / 17;
    CU_ASSERT_EQUAL_FATAL(rigid_toi_test_scene_open(&d, &s), IMP_OK);
    rigid_toi_open(&s.t, &s.u, 0, 0, 1, 0, &cancel, &p);
    CU_ASSERT(!rigid_toi_find(&p, &toi) && p.intervals < 100);
    cancel = 0;
    rigid_toi_open(&s.t, &s.u, 0, 0, 1, 0, &cancel, &p);
    CU_ASSERT(!rigid_toi_find(&p, &toi));
    EXPECT(p.intervals > RIGID_INTERVALS_MOST && p.intervals < RIGID_INTERVALS_MOST + 100,
           "%u looks", p.intervals);
    CU_ASSERT_EQUAL(rigid_ccd_fail_tests(&s.t, 0, 0, 1), IMP_ERR_INPUT);
    EXPECT(strstr(imp_error_text(), "frame 5: body 1 turns by 2.89e+06 radians") &&
               strstr(imp_error_text(), "primitives 0 and 1"),
           "%s", imp_error_text());
    scene_close(&s);
}

/* Primitives that are very close throughout are reported after few evaluations. */
static void test_rigid_toi_near(void)
{
    for (double gap = 1e-7; gap > 1e-12; gap /= 10) {
        duo d = duo_new();
        double toi;
        uint32_t looks;
        const double floor[3][3] = {{-3, -3, -gap}, {3, -3, -gap}, {0, 3, -gap}};
        blade(&d, 0, 1);
        memcpy(d.rest[1], floor, sizeof floor);
        d.turns[0] = 0.4;
        const int meets = rigid_toi_test_query(&d, &toi, &looks);
        EXPECT(looks < 3 * RIGID_INTERVALS_FINE, "gap %g: %u looks, %d", gap, looks, meets);
    }
}

/* A direction along no coordinate axis, and two normal to it. */
static void rigid_toi_test_frame(rng *r, double n[3], double e[3], double f[3])
{
    double length = 0;
    rng_direction(r, n);
    n[2] = 1 + fabs(n[2]);
    for (int k = 0; k < 3; k++)
        length += n[k] * n[k];
    for (int k = 0; k < 3; k++)
        n[k] /= sqrt(length);
    const double across = sqrt(n[0] * n[0] + n[1] * n[1]);
    e[0] = -n[1] / across;
    e[1] = n[0] / across;
    e[2] = 0;
    for (int k = 0; k < 3; k++)
        f[k] = n[(k + 1) % 3] * e[(k + 2) % 3] - n[(k + 2) % 3] * e[(k + 1) % 3];
}

/* A vertex on the axis and a vertex, an edge or a face beyond it, for any rotation: the gap is
 * tiny, so that rounding moves the nearest points by a part of it. */
static void test_directions(void)
{
    rng r = {7};
    for (int i = 0; i < 12; i++) {
        duo d = duo_new();
        double toi, n[3], e[3], f[3];
        uint32_t looks;
        const double tip[3][3] = {{0, 0, 0}, {0.02, 0.01, -1}, {-0.01, 0.03, -0.9}};
        const double at[3][3][3] = {{{0, 0, 0}, {1, 0.3, 1}, {-0.2, 1, 1}},
                                    {{-1, 0, 0}, {0.7, 0, 0}, {0.1, 1, 1}},
                                    {{-1, -0.4, 0}, {1, -0.5, 0}, {0.2, 0.8, 0}}};
        rigid_toi_test_frame(&r, n, e, f);
        d.tolerance = 6e-12;
        d.body[0] = 1;
        d.turns[0] = 0.05;
        memcpy(d.rest[0], tip, sizeof tip);
        for (int v = 0; v < 3; v++)
            for (int k = 0; k < 3; k++) {
                const double *x = at[i % 3][v];
                d.rest[1][v][k] = x[0] * e[k] + x[1] * f[k] + (x[2] + 7e-12) * n[k];
            }
        EXPECT(!rigid_toi_test_query(&d, &toi, &looks), "%d: a row, %u looks", i, looks);
        EXPECT(looks < 1000000, "%d: %u looks", i, looks);
        d.separation = 7.1e-12;
        EXPECT(rigid_toi_test_query(&d, &toi, &looks) && toi == 0, "%d: no row", i);
    }
}

static void test_rigid_toi_refused(void)
{
    duo d = duo_new();
    scene s;
    blade(&d, 0, 1);
    plate(&d, 2);
    d.turns[0] = 0.25;
    d.tolerance = 1e-14;
    CU_ASSERT_EQUAL(rigid_toi_test_scene_open(&d, &s), IMP_ERR_ARGUMENT);
    EXPECT(strstr(imp_error_text(), "frame 5: the tolerance 1e-14") &&
               strstr(imp_error_text(), "at least"),
           "%s", imp_error_text());
    scene_close(&s);
    const double least = strtod(strstr(imp_error_text(), "at least") + 8, NULL);
    d.tolerance = least;
    EXPECT(rigid_toi_test_scene_open(&d, &s) == IMP_OK, "%g: %s", least, imp_error_text());
    scene_close(&s);
    d.tolerance = least / 1.01;
    CU_ASSERT_EQUAL(rigid_toi_test_scene_open(&d, &s), IMP_ERR_ARGUMENT);
    scene_close(&s);
    static const double turns[] = {1e8, 1e12, 1e18, 1e300};
    for (int i = 0; i < 4; i++) {
        d.turns[0] = turns[i];
        d.tolerance = 1e-6;
        CU_ASSERT_EQUAL(rigid_toi_test_scene_open(&d, &s), IMP_ERR_INPUT);
        EXPECT(strstr(imp_error_text(), "bodies: frame 5: body 0 turns") != NULL, "%s",
               imp_error_text());
        scene_close(&s);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"turns", test_rigid_toi_turns},     {"meets", test_meets},
        {"two", test_rigid_toi_two},         {"over", test_over},
        {"near", test_rigid_toi_near},       {"directions", test_directions},
        {"refused", test_rigid_toi_refused}, {0}};
    return test_main(argc, argv, "rigid_toi", tests);
}
