/* Closed objects: which are closed; winding numbers about overlapping boxes, which are counts of
 * boxes, by rays along each axis; depth against a search through all faces; relations of objects as
 * they are by construction, of triangles and of tetrahedra, in any order, size and place. */
#include "boxes.h"
#include "expect.h"
#include "inside.h"
#include "testlib.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- meshes of boxes */

#define BOXES 12

typedef struct boxes {
    int count, solid;                              /* solid: of tetrahedra */
    int lo[BOXES][3], hi[BOXES][3], turned[BOXES]; /* turned: the front is inside */
    int32_t object[BOXES];
    double scale, shift;
} boxes;

typedef struct made {
    imp_mesh mesh;
    imp_frame frame;
    double point[3 * 8 * BOXES];
    uint32_t corner[36 * BOXES];
    int32_t object[12 * BOXES];
} made;

static void boxes_add(boxes *b, const int lo[3], const int hi[3], int32_t object)
{
    memcpy(b->lo[b->count], lo, sizeof b->lo[0]);
    memcpy(b->hi[b->count], hi, sizeof b->hi[0]);
    b->object[b->count++] = object;
}

static double boxes_coordinate(const boxes *b, double x)
{
    return x * (b->scale > 0 ? b->scale : 1) + b->shift;
}

static void boxes_mesh(const boxes *b, made *m)
{
    const int prims = b->solid ? 5 : 12, corners = b->solid ? 4 : 3;
    for (int i = 0; i < b->count; i++) {
        for (int v = 0; v < 8; v++)
            for (int k = 0; k < 3; k++)
                m->point[3 * (8 * i + v) + k] =
                    boxes_coordinate(b, v >> k & 1 ? b->hi[i][k] : b->lo[i][k]);
        for (int p = 0; p < prims; p++) {
            const uint32_t *from = b->solid ? box_solids[p] : box_corners[p];
            uint32_t *to = m->corner + corners * (i * prims + p);
            for (int c = 0; c < corners; c++)
                to[c] = (uint32_t)(8 * i) + from[c];
            /* the corners of a box turn clockwise seen from outside */
            if (!b->solid && !b->turned[i]) {
                to[1] = (uint32_t)(8 * i) + from[2];
                to[2] = (uint32_t)(8 * i) + from[1];
            }
            m->object[i * prims + p] = b->object[i];
        }
    }
    m->mesh = (imp_mesh){.vertices = (uint32_t)(8 * b->count),
                         .primitives = (uint32_t)(prims * b->count),
                         .corners = corners,
                         .corner = m->corner,
                         .object = m->object};
    m->frame = (imp_frame){.mesh = &m->mesh, .point = m->point};
}

/* ---- winding numbers */

static mem test_mem;

static void solids_of(const imp_frame *f, solids *s)
{
    *s = (solids){.mem = &test_mem, .threads = 2};
    EXPECT(!solids_make(f, &(closed_wanted){0}, s) && !solids_trees(s, 1000), "%s",
           imp_error_text());
}

static void boxes_random(rng *r, int most, boxes *b)
{
    *b = (boxes){.count = 1 + (int)rng_below(r, 4), .solid = (int)rng_below(r, 2)};
    for (int i = 0; i < b->count; i++) {
        b->turned[i] = rng_below(r, 4) == 0;
        for (int k = 0; k < 3; k++) {
            b->lo[i][k] = (int)rng_below(r, (uint32_t)most);
            b->hi[i][k] = b->lo[i][k] + 1 + (int)rng_below(r, (uint32_t)most);
        }
    }
}

/* The number of boxes around a point, in halves; *touches: it is on a box's surface. */
static int boxes_winding(const boxes *b, const int x[3], int *touches)
{
    int winding = 0;
    *touches = 0;
    for (int i = 0; i < b->count; i++) {
        int in = 1, within = 1;
        for (int k = 0; k < 3; k++) {
            in &= x[k] > 2 * b->lo[i][k] && x[k] < 2 * b->hi[i][k];
            within &= x[k] >= 2 * b->lo[i][k] && x[k] <= 2 * b->hi[i][k];
        }
        winding += in ? b->turned[i] && !b->solid ? -1 : 1 : 0;
        *touches |= within && !in;
    }
    return *touches ? 0 : winding;
}

static void test_inside_winding(void)
{
    const uint64_t cases = test_cases(8);
    uint64_t many = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        boxes b;
        made m;
        solids s;
        boxes_random(&r, 3, &b);
        boxes_mesh(&b, &m);
        solids_of(&m.frame, &s);
        solids_walk w = {.of = &s};
        for (int at = 0; at < 14 * 14 * 14; at++) {
            const int x[3] = {at % 14 - 1, at / 14 % 14 - 1, at / 196 - 1};
            const double point[3] = {x[0] / 2.0, x[1] / 2.0, x[2] / 2.0};
            int touches, want_touches;
            const int want = boxes_winding(&b, x, &want_touches);
            for (int axis = -1; axis < 3; axis++) {
                const int got = solids_winding(&w, 0, point, axis, &touches);
                EXPECT(got == want && touches == want_touches,
                       "case %llu, axis %d, at %g %g %g: %d (touches %d), not %d (%d)",
                       (unsigned long long)i, axis, point[0], point[1], point[2], got, touches,
                       want, want_touches);
            }
            many += abs(want) > 1;
        }
        solids_walk_free(&w);
        solids_free(&s);
    }
    CU_ASSERT(many > cases);
}

/* On the face between two tetrahedra, whose plane is parallel to two axes. */
static void test_inside_between(void)
{
    static const uint32_t corner[8] = {0, 1, 2, 3, 0, 1, 2, 4};
    for (int axis = 0; axis < 3; axis++) {
        double point[15] = {0}, x[3] = {1, 1, 1};
        for (int v = 1; v < 3; v++)
            point[3 * v + (axis + v) % 3] = 4;
        point[9 + axis] = 4;
        point[12 + axis] = -4;
        x[axis] = 0;
        const imp_mesh mesh = {.vertices = 5, .primitives = 2, .corners = 4, .corner = corner};
        const imp_frame frame = {.mesh = &mesh, .point = point};
        solids s;
        int touches;
        solids_of(&frame, &s);
        solids_walk w = {.of = &s};
        for (int way = 0; way < 3; way++) {
            const int winding = solids_winding(&w, 0, x, way, &touches);
            EXPECT(winding == 1 && !touches, "plane of axis %d, ray along %d: %d, touches %d", axis,
                   way, winding, touches);
        }
        solids_walk_free(&w);
        solids_free(&s);
    }
}

/* ---- depth */

/* A point beside the middle of a unit square of a face, in halves and off the plane by a half, on
 * side `side` of it. */
static int boxes_inside_at(const boxes *b, const double x[3])
{
    int winding = 0;
    for (int i = 0; i < b->count; i++) {
        int in = 1;
        for (int k = 0; k < 3; k++)
            in &= x[k] > b->lo[i][k] && x[k] < b->hi[i][k];
        winding += in ? b->turned[i] && !b->solid ? -1 : 1 : 0;
    }
    return winding != 0;
}

static double vec_of(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether the sides of a triangle differ: at points of a fine grid on it. */
static int boxes_differs(const boxes *b, const exact_point p[3])
{
    double e[3], f[3], n[3], x[2][3];
    for (int k = 0; k < 3; k++) {
        e[k] = p[1].x[k] - p[0].x[k];
        f[k] = p[2].x[k] - p[0].x[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    const double length = sqrt(vec_of(n, n));
    for (int i = 1; i < 40; i++)
        for (int j = 1; i + j < 40; j++) {
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 3; k++)
                    x[side][k] = p[0].x[k] + (i * e[k] + j * f[k]) / 40.0137 +
                                 (side ? 1 : -1) * 1e-3 * n[k] / length;
            if (boxes_inside_at(b, x[0]) != boxes_inside_at(b, x[1]))
                return 1;
        }
    return 0;
}

static double distance_to(const double x[3], const exact_point p[3])
{
    const exact_prim point = {.corners = 3,
                              .v = {{{x[0], x[1], x[2]}},
                                    {{x[0], x[1], x[2]}},
                                    {{x[0], x[1], x[2]}}}},
                     face = {.corners = 3, .v = {p[0], p[1], p[2]}};
    double least, most, way[3];
    exact_prims_distance_bounds(&point, &face, &least, &most, way);
    return least;
}

/* The least distance of a face whose sides differ. */
static double boxes_depth(const boxes *b, const solids *s, const uint8_t *differs,
                          const double x[3])
{
    double depth = INFINITY;
    for (uint32_t i = 0; i < s->mesh.frame->mesh->primitives; i++)
        for (int f = 0; f < 4; f++) {
            uint32_t vertex[3];
            exact_point p[3];
            if (!(differs[i] >> f & 1))
                continue;
            solids_face(s, i, f, vertex, p);
            depth = fmin(depth, distance_to(x, p));
        }
    (void)b;
    return depth;
}

static void expect_depth(uint64_t c, const double x[3], const solids_depth_at *at, double want,
                         const uint8_t *differs, const solids *s)
{
    double square = 0, to[3];
    uint32_t vertex[3];
    exact_point p[3];
    EXPECT(fabs(at->depth - want) <= 1e-9, "case %llu, at %g %g %g: depth %.17g, not %.17g",
           (unsigned long long)c, x[0], x[1], x[2], at->depth, want);
    EXPECT(differs[at->prim] >> at->face & 1, "case %llu: the sides of face %u do not differ",
           (unsigned long long)c, at->prim);
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        to[k] = at->nearest[k] - x[k];
        square += to[k] * to[k];
        for (uint32_t n = 0; n < mesh_corners(s->mesh.frame->mesh); n++)
            sum += at->weight[n] * frame_coordinate(s->mesh.frame,
                                                    mesh_vertex(s->mesh.frame->mesh, at->prim, n),
                                                    (size_t)k);
        EXPECT(fabs(sum - at->nearest[k]) < 1e-13, "the weights give another point");
    }
    EXPECT(fabs(sqrt(square) - at->depth) < 1e-12, "the nearest point is not at this depth");
    solids_face(s, at->prim, at->face, vertex, p);
    EXPECT(fabs(vec_of(at->normal, at->normal) - 1) < 0x1p-49, "the normal has another length");
    for (int k = 0; k < 3; k++)
        to[k] = p[1].x[k] - p[0].x[k];
    EXPECT(fabs(vec_of(at->normal, to)) < 1e-12, "the normal is not at a right angle");
}

static void test_inside_depth(void)
{
    const uint64_t cases = test_cases(6);
    uint64_t deep = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        boxes b;
        made m;
        solids s;
        uint8_t differs[12 * BOXES] = {0};
        boxes_random(&r, 3, &b);
        boxes_mesh(&b, &m);
        solids_of(&m.frame, &s);
        solids_walk w = {.of = &s};
        for (uint32_t p = 0; p < m.mesh.primitives; p++)
            for (int f = 0; f < 4; f++) {
                uint32_t vertex[3];
                exact_point face[3];
                if (!(s.mesh.surface[p] >> f & 1))
                    continue;
                solids_face(&s, p, f, vertex, face);
                const int want = boxes_differs(&b, face);
                differs[p] |= (uint8_t)(want << f);
                EXPECT((solids_side_of(&w, p, f) != SOLIDS_SAME) == want,
                       "case %llu: the sides of face %u %d: %d, not %d", (unsigned long long)i, p,
                       f, solids_side_of(&w, p, f), want);
            }
        memset(s.side, 0, m.mesh.primitives);
        for (int at = 0; at < 400; at++) {
            solids_depth_at found;
            double x[3];
            int touches;
            for (int k = 0; k < 3; k++)
                x[k] = at % 2 ? rng_below(&r, 24) / 4.0 : 6 * rng_unit(&r);
            const int winding = solids_winding(&w, 0, x, -1, &touches);
            if (touches || !winding)
                continue;
            deep++;
            EXPECT(solids_depth(&w, 0, x, winding, &found), "case %llu: no depth",
                   (unsigned long long)i);
            expect_depth(i, x, &found, boxes_depth(&b, &s, differs, x), differs, &s);
        }
        solids_walk_free(&w);
        solids_free(&s);
    }
    CU_ASSERT(deep > 10 * cases);
}

/* ---- closed objects */

static void test_inside_closed(void)
{
    boxes b = {.count = 0};
    made m;
    solids s;
    boxes_add(&b, (int[3]){0, 0, 0}, (int[3]){2, 2, 2}, 7);
    boxes_add(&b, (int[3]){5, 0, 0}, (int[3]){6, 1, 1}, -3);
    boxes_mesh(&b, &m);
    m.mesh.primitives--; /* the last triangle of object -3 is not there */
    solids_of(&m.frame, &s);
    CU_ASSERT_EQUAL(s.mesh.count, 2);
    CU_ASSERT(s.mesh.of[0].object == -3 && !s.mesh.of[0].closed);
    CU_ASSERT(s.mesh.of[1].object == 7 && s.mesh.of[1].closed);
    uint32_t edge[2];
    CU_ASSERT(!closed_mesh_open_edge(&test_mem, &s.mesh, 0, edge));
    EXPECT(edge[0] == 9 && edge[1] == 11, "the first open edge is %u %u", edge[0], edge[1]);
    CU_ASSERT(!closed_mesh_open_edge(&test_mem, &s.mesh, 1, edge));
    EXPECT(edge[0] == edge[1], "a closed object has the open edge %u %u", edge[0], edge[1]);
    solids_free(&s);
    /* an open object that is not wanted is not looked at */
    const int32_t wanted[1] = {7};
    s = (solids){.mem = &test_mem, .threads = 1};
    CU_ASSERT(!solids_make(&m.frame, &(closed_wanted){wanted, 1}, &s));
    CU_ASSERT(!s.mesh.of[0].wanted && s.mesh.of[1].closed);
    solids_free(&s);
}

/* Ten triangles whose edges do not cancel, though the sums do by which most open objects show. */
static void test_inside_cancelling(void)
{
    static const int net[6][3] = {{0, 1, 1}, {2, 0, 2}, {0, 3, 1}, {1, 2, 3}, {3, 1, 2}, {2, 3, 1}};
    made m = {.point = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}};
    solids s;
    m.mesh = (imp_mesh){.vertices = 5, .corners = 3, .corner = m.corner};
    m.frame = (imp_frame){.mesh = &m.mesh, .point = m.point};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < net[i][2]; k++) {
            uint32_t *to = m.corner + (size_t)3 * m.mesh.primitives++;
            to[0] = 4;
            to[1] = (uint32_t)net[i][0];
            to[2] = (uint32_t)net[i][1];
        }
    solids_of(&m.frame, &s);
    CU_ASSERT(s.mesh.count == 1 && !s.mesh.of[0].closed);
    EXPECT(s.mesh.span[0].sum == 0, "the sum is %llu", (unsigned long long)s.mesh.span[0].sum);
    solids_free(&s);
}

/* ---- relations */

typedef struct relation_case {
    const char *what;
    int lo[2][3], hi[2][3];
    int relation;
    uint64_t inside[2], touching[2];
    size_t swallowed;
} relation_case;

static const relation_case relation_cases[] = {
    {"in", {{0, 0, 0}, {2, 2, 2}}, {{8, 8, 8}, {4, 4, 4}}, IMP_RELATION_B_IN_A, {0, 8}, {0, 0}, 1},
    {"in, flush",
     {{0, 0, 0}, {2, 2, 0}},
     {{8, 8, 8}, {4, 4, 4}},
     IMP_RELATION_B_IN_A,
     {0, 4},
     {0, 4},
     0},
    {"same",
     {{0, 0, 0}, {0, 0, 0}},
     {{4, 4, 4}, {4, 4, 4}},
     IMP_RELATION_A_IN_B,
     {0, 0},
     {8, 8},
     0},
    {"rests",
     {{-10, -10, -2}, {0, 0, 0}},
     {{10, 10, 0}, {2, 2, 2}},
     IMP_RELATION_TOUCHING,
     {0, 0},
     {0, 4},
     0},
    {"sunk",
     {{-100, -100, -20}, {0, 0, -1}},
     {{100, 100, 0}, {20, 20, 20}},
     IMP_RELATION_CROSSING,
     {0, 4},
     {0, 0},
     0},
    {"needle",
     {{-10, -10, -1}, {3, 4, -9}},
     {{10, 10, 1}, {4, 5, 9}},
     IMP_RELATION_CROSSING,
     {0, 0},
     {0, 0},
     0},
    {"corner",
     {{0, 0, 0}, {2, 2, 2}},
     {{2, 2, 2}, {4, 4, 4}},
     IMP_RELATION_TOUCHING,
     {0, 0},
     {1, 1},
     0},
    {"edge",
     {{0, 0, 0}, {2, 2, 1}},
     {{2, 2, 4}, {4, 4, 3}},
     IMP_RELATION_TOUCHING,
     {0, 0},
     {0, 2},
     0},
    {"face",
     {{0, 0, 0}, {2, 0, 0}},
     {{2, 2, 2}, {4, 2, 2}},
     IMP_RELATION_TOUCHING,
     {0, 0},
     {4, 4},
     0},
    {"half",
     {{0, 0, 0}, {1, 0, 0}},
     {{2, 2, 2}, {3, 2, 2}},
     IMP_RELATION_CROSSING,
     {0, 0},
     {4, 4},
     0},
    {"apart",
     {{0, 0, 0}, {3, 0, 0}},
     {{2, 2, 2}, {4, 2, 2}},
     IMP_RELATION_APART,
     {0, 0},
     {0, 0},
     0},
    {"plus",
     {{0, 2, 2}, {2, 0, 2}},
     {{6, 4, 4}, {4, 6, 4}},
     IMP_RELATION_CROSSING,
     {0, 0},
     {0, 0},
     0},
};

typedef struct relation_seen {
    int calls, relation;
    imp_relation of;
    size_t swallowed;
    imp_swallowed part;
} relation_seen;

static int relation_sink(void *user, const imp_relations *r)
{
    relation_seen *to = user;
    to->calls++;
    to->relation = r->count ? r->relation[0].relation : IMP_RELATION_APART;
    if (r->count)
        to->of = r->relation[0];
    to->swallowed = r->swallowed_count;
    if (r->swallowed_count)
        to->part = r->swallowed[0];
    return 0;
}

/* A pipeline, and what it finds. */
typedef struct relation_finder {
    imp *p;
    relation_seen seen;
} relation_finder;

static void relation_open(int solid, relation_finder *f)
{
    const imp_def def = {.device = "cpu",
                         .threads = 2,
                         .rows = IMP_ROWS_INSIDE,
                         .relations = relation_sink,
                         .solids = solid,
                         .relations_user = &f->seen};
    EXPECT(!imp_create(&def, &f->p), "%s", imp_error_text());
}

static relation_seen relation_find(relation_finder *f, const boxes *b, imp_frame_info *info)
{
    made m;
    f->seen = (relation_seen){0};
    boxes_mesh(b, &m);
    EXPECT(!imp_detect(f->p, &m.frame, 1, NULL, NULL, info), "%s", imp_error_text());
    return f->seen;
}

static void expect_relation(relation_finder *f, const relation_case *c, const boxes *b, int swapped)
{
    imp_frame_info info;
    static const int reverse[] = {IMP_RELATION_APART, IMP_RELATION_TOUCHING, IMP_RELATION_CROSSING,
                                  IMP_RELATION_B_IN_A, IMP_RELATION_A_IN_B};
    const relation_seen seen = relation_find(f, b, &info);
    const int same = !memcmp(c->lo[0], c->lo[1], sizeof c->lo[0]);
    const int want = swapped && !same ? reverse[c->relation] : c->relation;
    EXPECT(seen.relation == want, "%s (%s, swapped %d, %g): relation %d, not %d", c->what,
           b->solid ? "tetrahedra" : "triangles", swapped, b->shift, seen.relation, want);
    CU_ASSERT_EQUAL(info.contacts, c->inside[0] + c->inside[1]);
    EXPECT(seen.swallowed == c->swallowed, "%s: %zu parts swallowed", c->what, seen.swallowed);
    for (int n = 0; n < 2 && c->relation; n++) {
        EXPECT(seen.of.inside[n ^ swapped] == c->inside[n], "%s: %llu inside", c->what,
               (unsigned long long)seen.of.inside[n ^ swapped]);
        EXPECT(seen.of.touching[n ^ swapped] == c->touching[n], "%s: %llu touch", c->what,
               (unsigned long long)seen.of.touching[n ^ swapped]);
    }
}

static void test_inside_relations(void)
{
    static const double scales[][2] = {{1, 0}, {0x1p-40, 0}, {0x1p300, 0}, {0x1p-20, 1000}};
    relation_finder find[2];
    for (int solid = 0; solid < 2; solid++)
        relation_open(solid, &find[solid]);
    for (size_t i = 0; i < sizeof relation_cases / sizeof *relation_cases; i++)
        for (int way = 0; way < 16; way++) {
            const relation_case *c = &relation_cases[i];
            const int swapped = way & 1;
            boxes b = {
                .solid = way >> 1 & 1, .scale = scales[way >> 2][0], .shift = scales[way >> 2][1]};
            for (int n = 0; n < 2; n++)
                boxes_add(&b, c->lo[n], c->hi[n], n ^ swapped);
            expect_relation(&find[b.solid], c, &b, swapped);
        }
    for (int solid = 0; solid < 2; solid++)
        imp_destroy(find[solid].p);
}

/* A box of vertices 8 to 15, and other primitives of an object 1, of its vertices and of these from
 * 0 on. solid: tetrahedra */
static relation_seen relation_beside(int solid, const double (*point)[3], uint32_t points,
                                     const uint32_t *corner, uint32_t prims)
{
    const uint32_t corners = solid ? 4 : 3, of_box = solid ? 5 : 12;
    boxes b = {.solid = solid};
    made m;
    relation_finder f;
    relation_open(solid, &f);
    boxes_add(&b, (int[3]){0, 0, 0}, (int[3]){1, 1, 1}, 0);
    boxes_add(&b, (int[3]){0, 0, 0}, (int[3]){8, 8, 8}, 1);
    boxes_mesh(&b, &m);
    memcpy(m.corner, m.corner + (size_t)corners * of_box, sizeof *m.corner * corners * of_box);
    memcpy(m.point, point, points * sizeof *point);
    memcpy(m.corner + (size_t)corners * of_box, corner, sizeof *corner * corners * prims);
    m.mesh.primitives = of_box + prims;
    f.seen = (relation_seen){0};
    EXPECT(!imp_detect(f.p, &m.frame, 1, NULL, NULL, NULL), "%s", imp_error_text());
    imp_destroy(f.p);
    return f.seen;
}

/* A part that has a vertex of the other object touches it there, though no two primitives are in
 * contact. */
static void test_inside_common(void)
{
    static const double point[3][3] = {{4, 2, 2}, {2, 4, 2}, {2, 2, 4}};
    static const uint32_t corner[12] = {0, 1, 2, 1, 0, 8, 2, 1, 8, 0, 2, 8};
    const relation_seen seen = relation_beside(0, point, 3, corner, 4);
    CU_ASSERT_EQUAL(seen.relation, IMP_RELATION_B_IN_A);
    EXPECT(seen.of.inside[1] == 3 && seen.of.touching[1] == 1 && !seen.of.contacts,
           "%llu vertices inside, %llu on the surface", (unsigned long long)seen.of.inside[1],
           (unsigned long long)seen.of.touching[1]);
    EXPECT(!seen.swallowed, "%zu parts swallowed", seen.swallowed);
}

/* A tetrahedron without volume leaves the box, but has no surface that would meet it. */
static void test_inside_leaving(void)
{
    static const double point[5][3] = {{2, 2, 2}, {4, 2, 2}, {2, 4, 2}, {2, 2, 4}, {12, 3, 3}};
    static const uint32_t corner[8] = {0, 1, 2, 3, 0, 1, 4, 4};
    EXPECT(relation_beside(1, point, 4, corner, 1).swallowed == 1, "within the box");
    EXPECT(relation_beside(1, point, 5, corner, 2).swallowed == 0, "with a vertex outside");
}

/* A sheet on a face of a box touches it, whichever side is outside. */
static void test_inside_sheet(void)
{
    static const double point[4][3] = {{1, 1, 8}, {6, 2, 8}, {6, 5, 8}, {2, 7, 8}};
    static const uint32_t corner[2][6] = {{0, 1, 2, 0, 2, 3}, {0, 2, 1, 0, 3, 2}};
    for (int turned = 0; turned < 2; turned++) {
        const relation_seen seen = relation_beside(0, point, 4, corner[turned], 2);
        EXPECT(seen.relation == IMP_RELATION_TOUCHING, "turned %d: relation %d", turned,
               seen.relation);
        CU_ASSERT(seen.of.contacts && seen.of.touching[1] == 4);
    }
}

static int depth_sink(void *user, const imp_contacts *rows)
{
    double *deepest = user;
    for (size_t i = 0; i < rows->count; i++)
        *deepest = rows->depth[i] > *deepest ? rows->depth[i] : *deepest;
    return 0;
}

/* The greatest depth of an edge at a height through two boxes of one object, which overlap. */
static double depth_of_edge(double height)
{
    const imp_def def = {.device = "cpu",
                         .threads = 1,
                         .rows = IMP_ROWS_CONTACTS,
                         .inside = 1,
                         .pairs = IMP_PAIRS_BETWEEN};
    const double point[3][3] = {{-1, 1, height}, {5, 1, height}, {2, -9, height}};
    boxes b = {0};
    made m;
    imp *p;
    double deepest = 0;
    boxes_add(&b, (int[3]){0, 0, 0}, (int[3]){4, 4, 4}, 0);
    boxes_add(&b, (int[3]){0, 0, 2}, (int[3]){4, 4, 6}, 0);
    boxes_add(&b, (int[3]){0, 0, 0}, (int[3]){1, 1, 1}, 1);
    boxes_mesh(&b, &m);
    memcpy(m.point + (size_t)3 * 16, point, sizeof point);
    memcpy(m.corner + (size_t)3 * 24, (uint32_t[3]){16, 17, 18}, 3 * sizeof *m.corner);
    m.mesh.primitives = 25;
    EXPECT(!imp_create(&def, &p) && !imp_detect(p, &m.frame, 1, depth_sink, &deepest, NULL), "%s",
           imp_error_text());
    imp_destroy(p);
    return deepest;
}

/* What lies on a face is not inside, though that one has both sides inside. */
static void test_inside_on_face(void)
{
    CU_ASSERT_EQUAL(depth_of_edge(2), 0);
    CU_ASSERT_EQUAL(depth_of_edge(2.5), 1);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"closed", test_inside_closed},
                                 {"cancelling", test_inside_cancelling},
                                 {"winding", test_inside_winding},
                                 {"between", test_inside_between},
                                 {"depth", test_inside_depth},
                                 {"relations", test_inside_relations},
                                 {"common", test_inside_common},
                                 {"leaving", test_inside_leaving},
                                 {"on a face", test_inside_on_face},
                                 {"sheet", test_inside_sheet},
                                 {0}};
    return test_main(argc, argv, "inside", tests);
}
