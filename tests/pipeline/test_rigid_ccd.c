/* Contacts of steps with rotating bodies: none is missed, none is farther apart than the tolerance,
 * and rows are the same with every device, method, block, and amount of memory. The truth is the
 * construction of the scene: each body has an axis and an angle, and is placed at any instant by
 * sines in long double, where contacts of a frame are found exactly. */
#include "boxes.h"
#include "error.h"
#include "expect.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846264338327950288L
#define BODIES 8
#define STEPS 3
#define BODY_VERTICES 8
#define VERTICES (BODIES * BODY_VERTICES)
#define PRIMITIVES (BODIES * 12)

/* ---- scenes */

/* The motion of a body in a step, at constant velocities. */
typedef struct route {
    double axis[3], angle; /* unit vector; radians */
    double stretch;        /* soft objects: their vertices move linearly */
    double way[3];
} route;

typedef struct act {
    int bodies, steps, corners, single;
    int soft; /* the last ones, which are soft */
    imp_mesh mesh;
    uint32_t corner[4 * PRIMITIVES];
    int32_t object[PRIMITIVES], body[BODIES];
    double rest[3 * VERTICES];
    imp_pose pose[STEPS + 1][BODIES];
    route going[STEPS][BODIES];
    double point[STEPS + 1][3 * VERTICES];
    float narrow[STEPS + 1][3 * VERTICES];
    imp_frame frame[STEPS + 1];
} act;

/* Triangles or tetrahedra (corners) of a box around `at`, in the body's coordinates. */
static void rigid_ccd_test_add_box(act *s, const double half[3], const double at[3])
{
    const uint32_t first = s->mesh.vertices, body = (uint32_t)s->bodies++;
    const uint32_t prims = s->corners == 4 ? 5 : 12;
    for (uint32_t i = 0; i < BODY_VERTICES; i++)
        for (uint32_t k = 0; k < 3; k++)
            s->rest[3 * (first + i) + k] = at[k] + (i >> k & 1 ? half[k] : -half[k]);
    for (uint32_t i = 0; i < prims; i++) {
        const uint32_t p = s->mesh.primitives++;
        for (uint32_t k = 0; k < (uint32_t)s->corners; k++)
            s->corner[(uint32_t)s->corners * p + k] =
                first + (s->corners == 4 ? box_solids[i][k] : box_corners[i][k]);
        s->object[p] = (int32_t)body;
    }
    s->mesh.vertices += BODY_VERTICES;
    s->body[body] = (int32_t)body;
    s->pose[0][body] = (imp_pose){.rotation = {1}};
}

/* first q, then p */
static void multiply(const double p[4], const double q[4], double out[4])
{
    out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    out[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    out[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    out[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
}

/* The position of a vertex at a fraction of step f. */
static void rigid_ccd_test_vertex_at(const act *s, int f, int body, uint32_t v, long double t,
                                     long double out[3])
{
    const route *g = &s->going[f][body];
    const imp_pose *p = &s->pose[f][body];
    const double *q = p->rotation, *x = s->rest + 3 * (size_t)v;
    long double r[3], w[3], side[3], along = 0, size = 0;
    for (int k = 0; k < 4; k++)
        size += (long double)q[k] * q[k];
    for (int k = 0; k < 3; k++)
        w[k] = (long double)q[1 + (k + 1) % 3] * x[(k + 2) % 3] -
               (long double)q[1 + (k + 2) % 3] * x[(k + 1) % 3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] + 2 / size *
                          (q[0] * w[k] + q[1 + (k + 1) % 3] * w[(k + 2) % 3] -
                           q[1 + (k + 2) % 3] * w[(k + 1) % 3]);
    const long double c = cosl(t * g->angle), sine = sinl(t * g->angle);
    for (int k = 0; k < 3; k++)
        r[k] *= 1 + t * g->stretch;
    for (int k = 0; k < 3; k++) {
        side[k] = g->axis[(k + 1) % 3] * r[(k + 2) % 3] - g->axis[(k + 2) % 3] * r[(k + 1) % 3];
        along += g->axis[k] * r[k];
    }
    for (int k = 0; k < 3; k++)
        out[k] =
            c * r[k] + sine * side[k] + (1 - c) * along * g->axis[k] + p->centre[k] + t * g->way[k];
}

/* Poses from the motions of bodies. A rotation by more than 180 degrees is in the angular velocity.
 */
static void poses_make(act *s)
{
    for (int f = 0; f < s->steps; f++)
        for (int b = 0; b < s->bodies; b++) {
            const route *g = &s->going[f][b];
            const double half = g->angle / 2;
            const double q[4] = {cos(half), sin(half) * g->axis[0], sin(half) * g->axis[1],
                                 sin(half) * g->axis[2]};
            imp_pose *from = &s->pose[f][b], *to = &s->pose[f + 1][b];
            *to = *from;
            if (g->angle != 0)
                multiply(q, from->rotation, to->rotation);
            for (int k = 0; k < 3; k++) {
                to->centre[k] = from->centre[k] + g->way[k];
                from->spin[k] = fabs(g->angle) > 3.2 ? g->angle * g->axis[k] : 0;
                to->spin[k] = 0;
            }
        }
}

static void frames_make(act *s)
{
    poses_make(s);
    s->mesh.corners = s->corners;
    s->mesh.corner = s->corner;
    s->mesh.object = s->object;
    s->mesh.bodies = (uint32_t)(s->bodies - s->soft);
    s->mesh.body = s->body;
    s->mesh.rest = s->rest;
    for (int f = 0; f <= s->steps; f++) {
        for (uint32_t v = 0; v < s->mesh.vertices; v++) {
            long double x[3];
            rigid_ccd_test_vertex_at(s, f < s->steps ? f : f - 1, (int)(v / BODY_VERTICES), v,
                                     f == s->steps, x);
            for (size_t k = 0; k < 3; k++) {
                s->point[f][3 * v + k] = (double)x[k];
                s->narrow[f][3 * v + k] = (float)x[k];
            }
        }
        s->frame[f] = (imp_frame){.mesh = &s->mesh,
                                  .point = s->single ? (void *)s->narrow[f] : (void *)s->point[f],
                                  .type = s->single ? IMP_FLOAT32 : IMP_FLOAT64,
                                  .number = (uint64_t)f,
                                  .pose = s->pose[f],
                                  .time = f};
    }
}

static act *act_new(int steps, int corners)
{
    act *s = calloc(1, sizeof *s);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    s->steps = steps;
    s->corners = corners;
    return s;
}

static void random_axis(rng *r, double axis[3])
{
    double size = 0;
    while (size < 0.01) {
        for (int k = 0; k < 3; k++)
            axis[k] = rng_unit(r) - 0.5;
        size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    }
    for (int k = 0; k < 3; k++)
        axis[k] /= size;
}

/* Rods and boxes in a small space. most: the greatest angle, in degrees; pivot: offset of their
 * origins. */
static act *crowded(uint64_t seed, int steps, int corners, double most, double pivot)
{
    rng r = {seed};
    act *s = act_new(steps, corners);
    for (int b = 0; b < BODIES; b++) {
        const double half[3] = {0.02 + 0.3 * rng_unit(&r), 0.02 + 0.05 * rng_unit(&r),
                                0.02 + 0.2 * rng_unit(&r)};
        const double at[3] = {pivot, -pivot, pivot / 2};
        rigid_ccd_test_add_box(s, half, at);
        for (int k = 0; k < 3; k++)
            s->pose[0][b].centre[k] = 0.9 * rng_unit(&r) - at[k];
        for (int f = 0; f < steps; f++) {
            route *g = &s->going[f][b];
            random_axis(&r, g->axis);
            /* one does not rotate, another one does not move, the last is soft */
            g->angle =
                b == 3 || b == 4 || b == 7 ? 0 : (2 * rng_unit(&r) - 1) * most * (double)(PI / 180);
            for (int k = 0; k < 3 && b != 4; k++)
                g->way[k] = rng_unit(&r) - 0.5;
        }
    }
    s->soft = 1;
    s->going[0][BODIES - 1].stretch = steps > 1 ? 0 : 0.5;
    frames_make(s);
    return s;
}

/* ---- rows */

static void rows_by(imp *p, const act *s, contact_list *out)
{
    *out = (contact_list){0};
    CU_ASSERT_EQUAL_FATAL(
        imp_detect(p, s->frame, (size_t)s->steps + 1, contact_list_sink, out, NULL), 0);
}

static void rigid_ccd_test_find_rows(const imp_def *def, const act *s, contact_list *out)
{
    const way w = way_host();
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    rows_by(p, s, out);
    imp_destroy(p);
}

static const struct contact_row *rigid_ccd_test_find_row(const contact_list *l, uint64_t f,
                                                         uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == f && l->row[i].a == a && l->row[i].b == b)
            return &l->row[i];
    return NULL;
}

#define INSTANTS 64

/* A contact at an instant, found exactly, has a row that is no later. Returns the number of such
 * contacts. */
static size_t check_instants(const char *what, const act *s, const imp_def *def,
                             const contact_list *rows, int f)
{
    static double point[INSTANTS + 1][3 * VERTICES];
    imp_mesh mesh = s->mesh;
    imp_frame frame[INSTANTS + 1];
    contact_list list = {0};
    const way w = way_host();
    imp_def still = *def;
    size_t missed = 0;
    mesh.bodies = 0;
    still.continuous = 0;
    still.tolerance = still.min_separation = 0;
    for (int i = 0; i <= INSTANTS; i++) {
        for (uint32_t v = 0; v < mesh.vertices; v++) {
            long double x[3];
            rigid_ccd_test_vertex_at(s, f, (int)(v / BODY_VERTICES), v, (long double)i / INSTANTS,
                                     x);
            for (size_t k = 0; k < 3; k++)
                point[i][3 * v + k] = (double)x[k];
        }
        frame[i] = (imp_frame){.mesh = &mesh, .point = point[i]};
    }
    imp *p = way_pipeline(&w, &still);
    CU_ASSERT_EQUAL(imp_detect(p, frame, INSTANTS + 1, contact_list_sink, &list, NULL), 0);
    for (size_t i = 0; i < list.count; i++) {
        const struct contact_row *row =
            rigid_ccd_test_find_row(rows, (uint64_t)f, list.row[i].a, list.row[i].b);
        const double t = (double)list.row[i].frame / INSTANTS;
        /* at the ends, rounding rotates bodies that do not: contacts within a body are ignored */
        missed +=
            s->object[list.row[i].a] != s->object[list.row[i].b] && (!row || row->toi > t + 1e-9);
    }
    EXPECT(!missed, "%s, step %d: %zu of %zu missed", what, f, missed, list.count);
    const size_t count = list.count;
    contact_list_free(&list);
    imp_destroy(p);
    return count;
}

/* Each row is confirmed by arithmetic other than the engine's; rows of pairs that do not rotate, to
 * the last bit. Returns the number of rows of rotating bodies. */
static size_t check_rigid_ccd_rows_of(const char *what, const act *s, const imp_def *def,
                                      const contact_list *rows, int f)
{
    mem m = {0};
    truth want;
    oracle *o = oracle_open();
    const imp_frame *from = s->frame + f;
    const truth_case c = {.f = {from, from + 1}, .frames = 2, .def = def};
    size_t exact = 0, turning = 0;
    CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&m, from, from + 1, def, NULL, 2, &want), 0);
    for (size_t i = 0; i < rows->count; i++) {
        const struct contact_row *x = &rows->row[i];
        if (x->frame != (uint64_t)f)
            continue;
        EXPECT(!i || x->frame != x[-1].frame || x->toi > x[-1].toi ||
                   (x->toi == x[-1].toi && (x->a > x[-1].a || (x->a == x[-1].a && x->b > x[-1].b))),
               "%s, step %d: pair %u %u is out of order", what, f, x->a, x->b);
        if (x->kind & IMP_KIND_AT_START || !truth_rigid_ccd(&c, x->a, x->b)) {
            const truth_row *t = exact < want.count ? &want.row[exact++] : NULL;
            EXPECT(t && t->a == x->a && t->b == x->b && t->kind == x->kind && t->toi == x->toi,
                   "%s, step %d: pair %u %u is not the exact one", what, f, x->a, x->b);
            continue;
        }
        const truth_rigid_ccd_claim claim = {.a = x->a,
                                             .b = x->b,
                                             .kind = x->kind,
                                             .toi = x->toi,
                                             .feature_a = x->feature[0],
                                             .feature_b = x->feature[1],
                                             .point = x->point};
        const char *fault = truth_rigid_ccd_fault(o, from, from + 1, def, &claim);
        const truth_row *t = truth_rigid_ccd_row(&want, x->a, x->b);
        EXPECT(!fault, "%s, step %d: pair %u %u %s", what, f, x->a, x->b, fault);
        EXPECT(!t || x->toi <= t->toi, "%s, step %d: pair %u %u meets at %g, not %g", what, f, x->a,
               x->b, t->toi, x->toi);
        turning++;
    }
    EXPECT(exact == want.count, "%s, step %d: %zu exact rows, not %zu", what, f, exact, want.count);
    for (size_t i = 0; i < want.turning; i++)
        EXPECT(rigid_ccd_test_find_row(rows, (uint64_t)f, want.turning_row[i].a,
                                       want.turning_row[i].b) != NULL,
               "%s, step %d: pair %u %u is missing", what, f, want.turning_row[i].a,
               want.turning_row[i].b);
    oracle_close(o);
    truth_free(&m, &want);
    return turning;
}

static const struct case_of {
    const char *name;
    int corners;
    double most, pivot;
    imp_def def;
} cases[] = {
    {"boxes", 3, 60, 0, {.continuous = 1}},
    {"far", 3, 170, 0, {.continuous = 1, .tolerance = 1e-4}},
    {"spins", 3, 500, 0, {.continuous = 1}},
    {"pivots", 3, 1.5, 30, {.continuous = 1, .pairs = IMP_PAIRS_BETWEEN}},
    {"near", 3, 90, 0, {.continuous = 1, .min_separation = 0.05}},
    {"solids", 4, 90, 0, {.continuous = 1, .solids = 1}},
    {"adjacent", 4, 40, 0, {.continuous = 1, .adjacent = 1, .tolerance = 1e-3}},
};
#define CASES (sizeof cases / sizeof *cases)

static void test_rigid_ccd_truth(void)
{
    const uint64_t seeds = test_cases(2);
    for (size_t i = 0; i < CASES; i++) {
        const struct case_of *of = &cases[i];
        size_t met = 0, turning = 0;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            act *s = crowded(seed, 1, of->corners, of->most, of->pivot);
            contact_list rows;
            rigid_ccd_test_find_rows(&of->def, s, &rows);
            met += check_instants(of->name, s, &of->def, &rows, 0);
            turning += check_rigid_ccd_rows_of(of->name, s, &of->def, &rows, 0);
            contact_list_free(&rows);
            free(s);
        }
        EXPECT(met > 10 && turning > 10, "%s: %zu contacts, %zu rows", of->name, met, turning);
    }
}

/* Points match their poses to the precision of the file. */
static void test_rigid_ccd_single(void)
{
    act *s = crowded(9, 2, 3, 80, 0);
    const imp_def def = {.continuous = 1};
    contact_list rows;
    s->single = 1;
    frames_make(s);
    rigid_ccd_test_find_rows(&def, s, &rows);
    for (int f = 0; f < 2; f++) {
        check_instants("single", s, &def, &rows, f);
        CU_ASSERT(check_rigid_ccd_rows_of("single", s, &def, &rows, f) > 10);
    }
    contact_list_free(&rows);
    free(s);
}

/* Far from the origin, positions are less precise than the tolerance, but relative positions are
 * not. Instants are placed in float64; if that is too coarse, only rows are checked. */
static void test_rigid_ccd_far(void)
{
    static const double offsets[] = {1e3, 5e5, 1e6, 1e9};
    for (uint64_t i = 0; i < test_cases(4); i++) {
        const struct case_of *of = &cases[i % CASES];
        act *s = crowded(51 + i, 1, of->corners, of->most, of->pivot);
        const double offset = offsets[i % 4];
        contact_list rows;
        for (int b = 0; b < BODIES - 1; b++)
            for (int k = 0; k < 3; k++)
                s->pose[0][b].centre[k] += offset * (1 - 0.3 * k);
        s->pose[0][BODIES - 1].centre[0] += offset;
        frames_make(s);
        rigid_ccd_test_find_rows(&of->def, s, &rows);
        CU_ASSERT(check_rigid_ccd_rows_of(of->name, s, &of->def, &rows, 0) > 5);
        if (offset < 1e6)
            check_instants(of->name, s, &of->def, &rows, 0);
        contact_list_free(&rows);
        free(s);
    }
}

/* ---- known results */

/* A rod of length 1 rotates about its end, above a wall that it reaches at a known angle. */
static act *rod_and_wall(double angle, double wall)
{
    act *s = act_new(1, 3);
    const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {0.01, 2, 2};
    rigid_ccd_test_add_box(s, rod, (const double[3]){0.5, 0, 0});
    rigid_ccd_test_add_box(s, plate, (const double[3]){-wall - 0.01, 0, 0});
    s->going[0][0].axis[2] = 1;
    s->going[0][0].angle = angle;
    frames_make(s);
    return s;
}

static double rigid_ccd_test_first_toi(const act *s, const imp_def *def, size_t *count)
{
    contact_list rows;
    double first = 2;
    rigid_ccd_test_find_rows(def, s, &rows);
    for (size_t i = 0; i < rows.count; i++)
        first = fmin(first, rows.row[i].toi);
    *count = rows.count;
    contact_list_free(&rows);
    return first;
}

/* The rod passes through the wall where its tip is beyond it, in either direction of rotation. */
static void test_rigid_ccd_rod(void)
{
    const imp_def def = {.continuous = 1, .tolerance = 1e-5};
    size_t missed = 0, tried = 0;
    for (int degrees = 1; degrees <= 500; degrees += degrees < 10 ? 1 : 13) {
        const double angle = degrees * (double)(PI / 180);
        if (degrees > 170 && degrees < 200)
            continue;
        for (int part = 1; part < 8; part += 3) {
            /* the tip is at -wall after this part of the rotation, and moves on a little */
            const double at = degrees < 100 ? 0
                                            : 100 * (double)(PI / 180) / angle +
                                                  0.1 * part * fmax(0, 1 - 100. / degrees);
            const double wall = -cos(fmin(angle * at, 3.0));
            size_t count;
            if (!(wall > 0.05) || angle * at > 3)
                continue;
            act *s = rod_and_wall(angle, wall);
            const double toi = rigid_ccd_test_first_toi(s, &def, &count),
                         true_toi = acos(-wall) / angle;
            tried++;
            missed += !count;
            EXPECT(!count || (toi <= true_toi && toi > true_toi - 1e-2),
                   "%d degrees: share %.9g, not %.9g", degrees, toi, true_toi);
            free(s);
        }
    }
    CU_ASSERT(tried > 30);
    EXPECT(!missed, "%zu of %zu rods pass the wall", missed, tried);
}

/* Small rotations of a rod that is nearly at the wall, with the wall below its tip. */
static void test_small_turns(void)
{
    for (int degrees = 1; degrees < 90; degrees += 4) {
        const double angle = degrees * (double)(PI / 180), beyond = sin(angle * 0.6);
        act *s = act_new(1, 3);
        const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {2, 0.01, 2};
        size_t count;
        rigid_ccd_test_add_box(s, rod, (const double[3]){0.5, 0, 0});
        rigid_ccd_test_add_box(s, plate, (const double[3]){2.5, beyond + 0.01, 0});
        s->pose[0][1].centre[0] = -2;
        s->going[0][0].axis[2] = 1;
        s->going[0][0].angle = angle;
        frames_make(s);
        const double toi = rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1}, &count);
        EXPECT(count && toi <= 0.6 && toi > 0.6 - 1e-4, "%d degrees: %zu rows, share %.9g", degrees,
               count, toi);
        free(s);
    }
}

/* Half a turn: the wall may be on either side. */
static void test_rigid_ccd_either(void)
{
    for (int side = -1; side <= 1; side += 2) {
        act *s = act_new(1, 3);
        const double rod[3] = {0.5, 0x1p-30, 0x1p-30}, plate[3] = {2, 0.01, 2};
        size_t count;
        rigid_ccd_test_add_box(s, rod, (const double[3]){0.5, 0, 0});
        rigid_ccd_test_add_box(s, plate, (const double[3]){0, side * 0.7, 0});
        frames_make(s);
        s->pose[1][0] = (imp_pose){.rotation = {0, 0, 0, 1}};
        for (size_t v = 0; v < BODY_VERTICES; v++)
            for (size_t k = 0; k < 2; k++)
                s->point[1][3 * v + k] = -s->rest[3 * v + k];
        const double toi = rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1}, &count),
                     want = asin(0.69) / (double)PI;
        EXPECT(count && toi <= want && toi > want - 1e-4, "side %d: %zu rows, share %g", side,
               count, toi);
        free(s);
    }
}

/* A rotation that changes by less than a rounding error: the toi is the exact one, less at most
 * the allowance of the tolerance. */
static void test_translations(void)
{
    const imp_def def = {.continuous = 1, .pairs = IMP_PAIRS_BETWEEN};
    act *s = crowded(5, 1, 3, 0, 0);
    contact_list exact, rows;
    rigid_ccd_test_find_rows(&def, s, &exact);
    for (int b = 0; b < BODIES; b++)
        s->pose[1][b].rotation[1] = 0x1p-70;
    rigid_ccd_test_find_rows(&def, s, &rows);
    CU_ASSERT(exact.count > 10);
    for (size_t i = 0; i < exact.count; i++) {
        const struct contact_row *x = &exact.row[i],
                                 *y = rigid_ccd_test_find_row(&rows, 0, x->a, x->b);
        EXPECT(y && y->toi <= x->toi && (y->toi > x->toi - 1e-3 || (x->kind & IMP_KIND_AT_START)),
               "pair %u %u: share %.17g, not %.17g", x->a, x->b, y ? y->toi : 2., x->toi);
    }
    check_rigid_ccd_rows_of("translations", s, &def, &rows, 0);
    contact_list_free(&exact);
    contact_list_free(&rows);
    free(s);
}

static size_t rigid_ccd_test_candidates(const act *s, const imp_def *def, size_t *contacts)
{
    const way w = way_host();
    imp_frame_info info;
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_EQUAL(imp_detect(p, s->frame, 2, NULL, NULL, &info), 0);
    imp_destroy(p);
    *contacts = (size_t)info.contacts;
    return (size_t)info.candidates;
}

/* Contacts within a rotating body, which are those of its start, are candidates, too. */
static void test_rigid_ccd_counts(void)
{
    act *s = act_new(1, 3);
    const double half[3] = {0.5, 0.5, 0.5};
    const imp_def all = {.continuous = 1, .adjacent = 1},
                  between = {.continuous = 1, .adjacent = 1, .pairs = IMP_PAIRS_BETWEEN};
    size_t contacts, less, own = 0;
    contact_list rows;
    rigid_ccd_test_add_box(s, half, (const double[3]){0, 0, 0});
    rigid_ccd_test_add_box(s, half, (const double[3]){0, 0, 0});
    s->rest[0] = 0.7; /* a corner passes through the opposite face: its triangles touch others */
    s->rest[1] = 0.2;
    s->rest[2] = 0.1;
    s->going[0][0].axis[2] = 1;
    s->going[0][0].angle = 2000;
    frames_make(s);
    rigid_ccd_test_find_rows(&all, s, &rows);
    for (size_t i = 0; i < rows.count; i++)
        own += s->object[rows.row[i].a] == 0 && s->object[rows.row[i].b] == 0;
    const size_t with = rigid_ccd_test_candidates(s, &all, &contacts),
                 without = rigid_ccd_test_candidates(s, &between, &less);
    EXPECT(contacts == rows.count && own > 0 && with >= contacts && without >= less,
           "%zu contacts among %zu, %zu among %zu", contacts, with, less, without);
    contact_list_free(&rows);
    free(s);
}

/* Two bodies in a common motion keep their distance, twice the tolerance. */
static void test_rigid_ccd_together(void)
{
    act *s = act_new(1, 3);
    const double half[3] = {0.5, 0.5, 0.5};
    size_t count;
    rigid_ccd_test_add_box(s, half, (const double[3]){0, 0, 0});
    rigid_ccd_test_add_box(s, half, (const double[3]){0, 1 + 0x1p-12, 0});
    for (int b = 0; b < 2; b++) {
        random_axis(&(rng){3}, s->going[0][b].axis);
        s->going[0][b].angle = 2;
        s->going[0][b].way[1] = 5;
    }
    frames_make(s);
    rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1, .tolerance = 0x1p-13}, &count);
    EXPECT(!count, "%zu pairs", count);
    const double toi =
        rigid_ccd_test_first_toi(s, &(imp_def){.continuous = 1, .min_separation = 0x1p-11}, &count);
    EXPECT(count && toi == 0, "%zu pairs, share %g", count, toi);
    free(s);
}

/* ---- invariance of rows */

static void rigid_ccd_test_same_rows(const contact_list *want, const contact_list *got,
                                     const char *what, const char *how)
{
    EXPECT(contact_list_equal(want, got), "%s: other rows by %s: %zu, not %zu", what, how,
           got->count, want->count);
}

static void test_rigid_ccd_ways(void)
{
    for (size_t i = 0; i<CASES; i += test_count(1)> 1 ? 1 : 6) {
        const struct case_of *of = &cases[i];
        act *s = crowded(17 + i, STEPS, of->corners, of->most, of->pivot);
        contact_list want;
        pipes p;
        rigid_ccd_test_find_rows(&of->def, s, &want);
        CU_ASSERT(want.count > 20);
        pipes_open(&p, &of->def, 0);
        for (size_t k = 0; k < p.count; k++) {
            contact_list got;
            rows_by(p.list[k].p, s, &got);
            rigid_ccd_test_same_rows(&want, &got, p.list[k].way->name, p.list[k].method);
            contact_list_free(&got);
        }
        pipes_close(&p);
        contact_list_free(&want);
        free(s);
    }
}

static void test_rigid_ccd_options(void)
{
    const struct case_of *of = &cases[0];
    act *s = crowded(23, STEPS, of->corners, of->most, of->pivot);
    contact_list want, got;
    rigid_ccd_test_find_rows(&of->def, s, &want);
    for (int i = 0; i < 6; i++) {
        imp_def def = of->def;
        static const int dops[] = {14, 18, 26};
        def.block = (uint32_t)i % 3;
        def.threads = 1 + i % 3;
        def.dop_k = i < 3 ? 0 : dops[i - 3];
        def.update = i % 2 ? IMP_UPDATE_KEEP : IMP_UPDATE_AUTO;
        rigid_ccd_test_find_rows(&def, s, &got);
        rigid_ccd_test_same_rows(&want, &got, "options", "blocks and threads");
        contact_list_free(&got);
    }
    contact_list_free(&want);
    free(s);
}

/* With as much memory as needed, and with less and less, until there is an error. */
static void test_rigid_ccd_memory(void)
{
    const struct case_of *of = &cases[2];
    act *s = crowded(29, 2, of->corners, of->most, of->pivot);
    const way w = way_host();
    contact_list want, got;
    imp_profile used;
    int err = 0, fewer = 0;
    rigid_ccd_test_find_rows(&of->def, s, &want);
    imp *p = way_pipeline(&w, &of->def);
    CU_ASSERT_EQUAL(imp_detect(p, s->frame, 3, NULL, NULL, NULL), 0);
    imp_profile_get(p, &used);
    imp_destroy(p);
    for (uint64_t limit = used.peak_bytes; limit > 4096 && !err; limit -= limit / 12) {
        imp_def def = of->def;
        def.mem_limit = limit;
        got = (contact_list){0};
        err = way_create(&w, &def, &p);
        if (err)
            break;
        err = imp_detect(p, s->frame, 3, contact_list_sink, &got, NULL);
        EXPECT(!err || err == IMP_ERR_MEMORY, "%s", imp_error_text());
        if (!err)
            rigid_ccd_test_same_rows(&want, &got, "memory", "less of it");
        fewer += !err;
        contact_list_free(&got);
        imp_destroy(p);
    }
    CU_ASSERT(err == IMP_ERR_MEMORY && fewer > 3);
    contact_list_free(&want);
    free(s);
}

/* Scaled by powers of two: tois stay, points scale. */
static void test_rigid_ccd_scaled(void)
{
    const struct case_of *of = &cases[4];
    for (int e = -300; e <= 300; e += 200) {
        act *s = crowded(31, 1, of->corners, of->most, of->pivot);
        imp_def def = of->def;
        contact_list want, got;
        rigid_ccd_test_find_rows(&def, s, &want);
        def.min_separation = ldexp(def.min_separation, e);
        for (size_t i = 0; i < 3 * (size_t)s->mesh.vertices; i++) {
            s->rest[i] = ldexp(s->rest[i], e);
            for (int f = 0; f < 2; f++)
                s->point[f][i] = ldexp(s->point[f][i], e);
        }
        for (int i = 0; i < 2 * 3 * BODIES; i++)
            s->pose[i % 2][i / 2 % BODIES].centre[i / 2 / BODIES] =
                ldexp(s->pose[i % 2][i / 2 % BODIES].centre[i / 2 / BODIES], e);
        rigid_ccd_test_find_rows(&def, s, &got);
        for (size_t i = 0; i < 6 * want.count; i++)
            want.row[i / 6].point[i % 6] = ldexp(want.row[i / 6].point[i % 6], e);
        rigid_ccd_test_same_rows(&want, &got, "scaled", "a power of two");
        contact_list_free(&want);
        contact_list_free(&got);
        free(s);
    }
}

/* In the opposite order: tois stay, and the two primitives of a row are swapped. */
static void test_rigid_ccd_permuted(void)
{
    const struct case_of *of = &cases[1];
    act *s = crowded(37, 1, of->corners, of->most, of->pivot);
    const uint32_t n = s->mesh.primitives;
    contact_list want, got;
    rigid_ccd_test_find_rows(&of->def, s, &want);
    act *t = malloc(sizeof *t);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    *t = *s;
    for (uint32_t i = 0; i < n; i++) {
        memcpy(t->corner + (size_t)3 * i, s->corner + (size_t)3 * (n - 1 - i),
               3 * sizeof *t->corner);
        t->object[i] = s->object[n - 1 - i];
    }
    frames_make(t);
    rigid_ccd_test_find_rows(&of->def, t, &got);
    CU_ASSERT_EQUAL(got.count, want.count);
    for (size_t i = 0; i < want.count; i++) {
        const struct contact_row *x = &want.row[i],
                                 *y = rigid_ccd_test_find_row(&got, 0, n - 1 - x->b, n - 1 - x->a);
        EXPECT(y && y->toi == x->toi, "pair %u %u has another share", x->a, x->b);
    }
    contact_list_free(&want);
    contact_list_free(&got);
    free(s);
    free(t);
}

/* Candidates include all pairs in contact, and no pair within a rotating body. */
static void test_rigid_ccd_candidates(void)
{
    const imp_def contacts = {.continuous = 1},
                  def = {.continuous = 1, .stage = IMP_STAGE_CANDIDATES};
    act *s = crowded(41, STEPS, 3, 60, 0);
    contact_list rows, all;
    rigid_ccd_test_find_rows(&contacts, s, &rows);
    rigid_ccd_test_find_rows(&def, s, &all);
    for (size_t i = 0; i < rows.count; i++)
        EXPECT(rigid_ccd_test_find_row(&all, rows.row[i].frame, rows.row[i].a, rows.row[i].b) !=
                   NULL,
               "pair %u %u is no candidate", rows.row[i].a, rows.row[i].b);
    for (size_t i = 0; i < all.count; i++) {
        const int32_t of = s->object[all.row[i].a];
        EXPECT(of != s->object[all.row[i].b] || of == 3 || of == 4 || of == 7,
               "body %d with itself", of);
    }
    contact_list_free(&rows);
    contact_list_free(&all);
    free(s);
}

/* Bodies that rotate in one step and not in the other: the step without rotation is exact, as
 * without poses. */
static void test_both(void)
{
    const imp_def def = {.continuous = 1};
    act *s = crowded(43, STEPS, 3, 60, 0);
    contact_list rows, alone;
    for (int b = 0; b < BODIES; b++)
        s->going[1][b].angle = 0;
    frames_make(s);
    rigid_ccd_test_find_rows(&def, s, &rows);
    imp_frame plain[2] = {s->frame[1], s->frame[2]};
    const way w = way_host();
    imp *p = way_pipeline(&w, &def);
    plain[0].pose = plain[1].pose = NULL;
    alone = (contact_list){0};
    CU_ASSERT_EQUAL(imp_detect(p, plain, 2, contact_list_sink, &alone, NULL), 0);
    size_t n = 0;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.row[i].frame == 1) {
            struct contact_row x = rows.row[i];
            x.frame = 0;
            EXPECT(n < alone.count && !memcmp(&x, &alone.row[n], sizeof x), "row %zu differs", n);
            n++;
        }
    CU_ASSERT(n == alone.count && n > 5);
    contact_list_free(&rows);
    contact_list_free(&alone);
    imp_destroy(p);
    free(s);
}

/* Refused with the frame, the body and the figures, before any row is delivered. */
static void test_rigid_ccd_refused(void)
{
    static const struct {
        double tolerance, turns;
        int err;
        const char *text[3];
    } refused[] = {
        {1e-14,
         0.1,
         IMP_ERR_ARGUMENT,
         {"bodies: frame 0: the tolerance 1e-14", "at least", "extent"}},
        {0,
         1e10,
         IMP_ERR_INPUT,
         {"bodies: frame 0: body 0 turns by 6.283e+10", "at least", "right?"}},
        {1, 1e20, IMP_ERR_INPUT, {"bodies: frame 0: body 0 turns", "counted", "right?"}},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const way w = way_host();
        const imp_def def = {.continuous = 1, .tolerance = refused[i].tolerance};
        contact_list rows = {0};
        act *s = rod_and_wall(0.6, 0.5);
        s->pose[0][0].spin[2] = 2 * (double)PI * (refused[i].turns > 1 ? refused[i].turns : 0);
        imp *p = way_pipeline(&w, &def);
        EXPECT(imp_detect(p, s->frame, 2, contact_list_sink, &rows, NULL) == refused[i].err &&
                   !rows.count,
               "%zu: %s", i, imp_error_text());
        for (int k = 0; k < 3; k++)
            EXPECT(strstr(imp_error_text(), refused[i].text[k]) != NULL, "%zu: %s", i,
                   imp_error_text());
        contact_list_free(&rows);
        imp_destroy(p);
        free(s);
    }
}

static void test_rigid_ccd_arguments(void)
{
    static const imp_def bad[] = {{.continuous = 1, .tolerance = -1},
                                  {.continuous = 1, .tolerance = NAN},
                                  {.continuous = 1, .tolerance = INFINITY},
                                  {.tolerance = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        imp *p = NULL;
        CU_ASSERT_EQUAL(imp_create(&bad[i], &p), IMP_ERR_ARGUMENT);
        CU_ASSERT(strstr(imp_error_text(), "tolerance") != NULL);
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"truth", test_rigid_ccd_truth},
                                 {"single", test_rigid_ccd_single},
                                 {"far", test_rigid_ccd_far},
                                 {"rod", test_rigid_ccd_rod},
                                 {"small_turns", test_small_turns},
                                 {"either", test_rigid_ccd_either},
                                 {"translations", test_translations},
                                 {"together", test_rigid_ccd_together},
                                 {"ways", test_rigid_ccd_ways},
                                 {"options", test_rigid_ccd_options},
                                 {"memory", test_rigid_ccd_memory},
                                 {"scaled", test_rigid_ccd_scaled},
                                 {"permuted", test_rigid_ccd_permuted},
                                 {"candidates", test_rigid_ccd_candidates},
                                 {"counts", test_rigid_ccd_counts},
                                 {"both", test_both},
                                 {"refused", test_rigid_ccd_refused},
                                 {"arguments", test_rigid_ccd_arguments},
                                 {0}};
    return test_main(argc, argv, "rigid_ccd", tests);
}
