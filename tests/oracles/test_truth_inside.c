/* The oracle of closed objects: relations, vertices inside and depths of scenes by hand, and the
 * faults of claims that are not right. */
#include "expect.h"
#include "mem.h"
#include "solid_scenes.h"
#include "truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- relations of scenes by hand */

typedef struct solid_want {
    const char *what;
    void (*make)(solid_scene *s);
    int relation; /* of objects 0 and 1; APART: there is none */
    int contacts; /* 0: none, 1: some, -1: any number */
    uint64_t inside[2], touching[2];
    double depth[2];
    size_t swallowed; /* parts of 0 in 1 or of 1 in 0 */
} solid_want;

static void solid_make_apart(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    solid_cube(s, 1, 0.5, 2, 0.5, 1);
}

static void solid_make_near(solid_scene *s)
{
    static const double x[4][3] = {{1, 0, 0}, {1, 1, 0}, {1, 0, 1}, {2, 0.5, 0.5}};
    solid_cube(s, 0, 0, 0, 0, 1);
    const uint32_t first = solid_pyramid(s, 1, x);
    solid_move(s, first, 0x1p-40, 0, 0);
}

static void solid_make_box_in_box(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    solid_cube(s, 1, 3, 2, 3, 2);
}

static void solid_make_box_in_corner(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    solid_cube(s, 1, 0, 0, 0, 2);
}

static void solid_make_same(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    solid_cube(s, 1, 0, 0, 0, 8);
}

static void solid_make_slab(solid_scene *s)
{
    static const double lo[3] = {-4, -4, -1}, hi[3] = {4, 4, 0};
    solid_box(s, 0, lo, hi);
}

static void solid_make_rests(solid_scene *s)
{
    solid_make_slab(s);
    solid_cube(s, 1, 0.25, 0.5, 0, 2);
}

static void solid_make_sunk(solid_scene *s)
{
    solid_make_slab(s);
    solid_cube(s, 1, 0.25, 0.5, -0x1p-40, 2);
}

static void solid_make_beside(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 2);
    solid_cube(s, 1, 2, 0, 0, 2);
}

static void solid_make_edge_in_face(solid_scene *s)
{
    static const double base[3][2] = {{0, 0}, {2, 1}, {2, -1}};
    static const double lo[3] = {-2, -4, -4}, hi[3] = {0, 4, 4};
    solid_box(s, 0, lo, hi);
    solid_prism(s, 1, base, -1, 1);
}

static void solid_make_corners(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 2);
    solid_cube(s, 1, 2, 2, 2, 2);
}

static void solid_make_edges(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 2);
    solid_cube(s, 1, 2, 2, 0.5, 1);
}

static void solid_make_needle(solid_scene *s)
{
    static const double x[4][3] = {{0, 0, -4}, {0x1p-6, 0, -4}, {0, 0x1p-6, -4}, {0.25, 0.5, 4}};
    solid_make_slab(s);
    solid_pyramid(s, 1, x);
}

static void solid_make_cross(solid_scene *s)
{
    static const double lo[2][3] = {{-4, -1, -1}, {-1, -1, -4}};
    static const double hi[2][3] = {{4, 1, 1}, {1, 1, 4}};
    solid_box(s, 0, lo[0], hi[0]);
    solid_box(s, 1, lo[1], hi[1]);
}

static const double solid_origin[3] = {0, 0, 0}, solid_beside[3] = {6, 0, 0};

/* Two spheres that overlap, as one object, and a cube in the middle of the overlap. */
static void solid_make_spheres(solid_scene *s)
{
    solid_sphere(s, 0, solid_origin, 4, 8);
    solid_sphere(s, 0, solid_beside, 4, 8);
    solid_cube(s, 1, 2.5, -0.5, -0.5, 1);
}

/* A cube with a cubic hole: its inner shell is turned over. */
static void solid_make_hollow(solid_scene *s)
{
    solid_cube(s, 0, 2, 2, 2, 4);
    solid_flip(s, 0);
    solid_cube(s, 0, 0, 0, 0, 8);
}

static void solid_make_in_hole(solid_scene *s)
{
    solid_make_hollow(s);
    solid_cube(s, 1, 3, 3, 3, 2);
}

static void solid_make_fills_hole(solid_scene *s)
{
    solid_make_hollow(s);
    solid_cube(s, 1, 2, 2, 2, 4);
}

static void solid_make_over_hole(solid_scene *s)
{
    solid_make_hollow(s);
    solid_cube(s, 1, 1, 1, 1, 6);
}

/* An inverted cube is inside by NONZERO. */
static void solid_make_inverted(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    solid_flip(s, 0);
    solid_cube(s, 1, 3, 3, 3, 1);
}

/* A wall in the middle of a cube, both sides of it inside: depth does not count from there. */
static void solid_make_wall(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    const uint32_t v = solid_vertex(s, 4, 1, 1);
    solid_vertex(s, 4, 7, 1);
    solid_vertex(s, 4, 7, 7);
    solid_triangle(s, 0, v, v + 1, v + 2);
    solid_triangle(s, 0, v, v + 2, v + 1);
    solid_cube(s, 1, 4.5, 3, 3, 1);
}

/* Three half-planes of a page meet in an edge: the edge has four uses that cancel. */
static void solid_make_pages(solid_scene *s)
{
    const uint32_t a = solid_vertex(s, 0, 0, -2), b = solid_vertex(s, 0, 0, 2);
    const uint32_t c[4] = {solid_vertex(s, 4, 0, 0), solid_vertex(s, 4, 2, 0),
                           solid_vertex(s, -4, 0, 0), solid_vertex(s, -4, -2, 0)};
    for (int i = 0; i < 4; i += 2) { /* two tetrahedra with a common edge */
        solid_triangle(s, 0, a, b, c[i]);
        solid_triangle(s, 0, b, a, c[i + 1]);
        solid_triangle(s, 0, a, c[i], c[i + 1]);
        solid_triangle(s, 0, b, c[i + 1], c[i]);
    }
    solid_cube(s, 1, 2, 0.25, -0.0625, 0.125);
}

/* Cubes that share a face inside one object: walls with opposite sides cancel in effect. */
static void solid_make_two_in_one(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 4);
    solid_cube(s, 0, 4, 0, 0, 4);
    solid_cube(s, 1, 3, 1, 1, 2);
}

static void solid_make_torus(solid_scene *s)
{
    solid_torus(s, 0, solid_origin, 4, 1, 12, 8);
    solid_cube(s, 1, -0.5, -0.5, -0.5, 1);
}

static void solid_make_sheet_in(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    const uint32_t v = solid_vertex(s, 2, 2, 2);
    solid_vertex(s, 3, 2, 4);
    solid_vertex(s, 2, 3, 4);
    solid_triangle(s, 1, v, v + 1, v + 2);
}

static void solid_make_sheet_through(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    const uint32_t v = solid_vertex(s, -9, -9, 4);
    solid_vertex(s, 40, -9, 4);
    solid_vertex(s, -9, 40, 4);
    solid_triangle(s, 1, v, v + 1, v + 2);
}

static void solid_make_sheet_on(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 8);
    const uint32_t v = solid_vertex(s, 2, 2, 8);
    solid_vertex(s, 3, 2, 8);
    solid_vertex(s, 2, 3, 9);
    solid_triangle(s, 1, v, v + 1, v + 2);
}

/* Two tetrahedra with a common face, and a vertex at the middle of it. */
static void solid_make_tets(solid_scene *s)
{
    const uint32_t v = solid_vertex(s, 0, 0, -6);
    solid_vertex(s, 6, 0, 0);
    solid_vertex(s, -6, 6, 0);
    solid_vertex(s, -6, -6, 0);
    solid_vertex(s, 0, 0, 6);
    solid_tet(s, 0, (const uint32_t[4]){v, v + 1, v + 2, v + 3});
    solid_tet(s, 0, (const uint32_t[4]){v + 1, v + 2, v + 3, v + 4});
    solid_cube(s, 1, -2, 0, 0, 0.5);
}

#define NO_DEPTH                                                                                   \
    {                                                                                              \
        0, 0                                                                                       \
    }

static const solid_want solid_wants[] = {
    {"apart", solid_make_apart, IMP_RELATION_APART, 0, {0}, {0}, NO_DEPTH, 0},
    {"2^-40 apart", solid_make_near, IMP_RELATION_APART, 0, {0}, {0}, NO_DEPTH, 0},
    {"a box in a box", solid_make_box_in_box, IMP_RELATION_B_IN_A, 0, {0, 8}, {0}, {0, 3}, 1},
    {"a box in a corner",
     solid_make_box_in_corner,
     IMP_RELATION_B_IN_A,
     1,
     {0, 1},
     {1, 7},
     {0, 2},
     0},
    {"the same box", solid_make_same, IMP_RELATION_A_IN_B, 1, {0}, {8, 8}, NO_DEPTH, 0},
    {"a box rests on a slab", solid_make_rests, IMP_RELATION_TOUCHING, 1, {0}, {0, 4}, NO_DEPTH, 0},
    {"one sunk by 2^-40", solid_make_sunk, IMP_RELATION_CROSSING, 1, {0, 4}, {0}, {0, 0x1p-40}, 0},
    {"boxes with the same face",
     solid_make_beside,
     IMP_RELATION_TOUCHING,
     1,
     {0},
     {4, 4},
     NO_DEPTH,
     0},
    {"an edge in a face",
     solid_make_edge_in_face,
     IMP_RELATION_TOUCHING,
     1,
     {0},
     {0, 2},
     NO_DEPTH,
     0},
    {"corner on corner", solid_make_corners, IMP_RELATION_TOUCHING, 1, {0}, {1, 1}, NO_DEPTH, 0},
    {"edge on edge", solid_make_edges, IMP_RELATION_TOUCHING, 1, {0}, {0, 2}, NO_DEPTH, 0},
    {"a needle through a plate",
     solid_make_needle,
     IMP_RELATION_CROSSING,
     1,
     {0},
     {0},
     NO_DEPTH,
     0},
    {"a cross with coplanar faces",
     solid_make_cross,
     IMP_RELATION_CROSSING,
     1,
     {0},
     {0},
     NO_DEPTH,
     0},
    {"two spheres in one mesh",
     solid_make_spheres,
     IMP_RELATION_B_IN_A,
     0,
     {0, 8},
     {0},
     {0, -1},
     1},
    {"a box in a hole", solid_make_in_hole, IMP_RELATION_APART, 0, {0}, {0}, NO_DEPTH, 0},
    {"a box that fills a hole",
     solid_make_fills_hole,
     IMP_RELATION_TOUCHING,
     1,
     {0},
     {8, 8},
     NO_DEPTH,
     0},
    {"a box over a hole", solid_make_over_hole, IMP_RELATION_CROSSING, 0, {8, 8}, {0}, {1, 1}, 2},
    {"a box in an inverted one",
     solid_make_inverted,
     IMP_RELATION_B_IN_A,
     0,
     {0, 8},
     {0},
     {0, 4},
     1},
    {"a wall inside", solid_make_wall, IMP_RELATION_B_IN_A, 0, {0, 8}, {0}, {0, 3.5}, 1},
    {"two tetrahedra with one edge",
     solid_make_pages,
     IMP_RELATION_B_IN_A,
     0,
     {0, 8},
     {0},
     {0, -1},
     1},
    {"two boxes in one object",
     solid_make_two_in_one,
     IMP_RELATION_B_IN_A,
     1,
     {0, 8},
     {0},
     {0, 1},
     0},
    {"a box in the hole of a torus",
     solid_make_torus,
     IMP_RELATION_APART,
     0,
     {0},
     {0},
     NO_DEPTH,
     0},
    {"a sheet in a box", solid_make_sheet_in, IMP_RELATION_B_IN_A, 0, {0, 3}, {0}, {0, 2}, 1},
    {"a sheet through a box",
     solid_make_sheet_through,
     IMP_RELATION_CROSSING,
     1,
     {0},
     {0},
     NO_DEPTH,
     0},
    {"a sheet on a box", solid_make_sheet_on, IMP_RELATION_TOUCHING, 1, {0}, {0, 2}, NO_DEPTH, 0},
    {"tetrahedra, a vertex on their common face",
     solid_make_tets,
     IMP_RELATION_B_IN_A,
     1,
     {0, 8},
     {0},
     {0, -1},
     1},
};

static void solid_expect(const solid_want *w, const truth_relations *got)
{
    const int apart = w->relation == IMP_RELATION_APART;
    EXPECT(got->count == (size_t)!apart, "%s: %zu relations", w->what, got->count);
    EXPECT(got->swallowed_count == w->swallowed, "%s: %zu parts swallowed", w->what,
           got->swallowed_count);
    if (apart || !got->count)
        return;
    const imp_relation *r = got->relation;
    EXPECT(r->a == 0 && r->b == 1 && r->relation == w->relation, "%s: %d %d %d", w->what, r->a,
           r->b, r->relation);
    EXPECT(w->contacts < 0 || w->contacts == (r->contacts > 0), "%s: %d contacts", w->what,
           (int)r->contacts);
    for (int i = 0; i < 2; i++) {
        EXPECT(r->inside[i] == w->inside[i] && r->touching[i] == w->touching[i],
               "%s: of %d: %d inside, %d touching", w->what, i, (int)r->inside[i],
               (int)r->touching[i]);
        EXPECT(w->depth[i] < 0 || r->depth[i] == w->depth[i], "%s: of %d: depth %a", w->what, i,
               r->depth[i]);
        EXPECT((r->deepest[i] == UINT32_MAX) == !r->inside[i], "%s: of %d: deepest %u", w->what, i,
               r->deepest[i]);
    }
}

static void test_solid_relations(void)
{
    solid_scene *s = solid_scene_open();
    for (size_t i = 0; i < sizeof solid_wants / sizeof *solid_wants; i++) {
        mem m = {0};
        const imp_def def = {.inside = 1};
        truth_relations got;
        solid_scene_clear(s);
        solid_wants[i].make(s);
        const int err = truth_relations_find(&m, &s->frame, &def, 2, &got);
        EXPECT(!err, "%s: error %d", solid_wants[i].what, err);
        solid_expect(&solid_wants[i], &got);
        truth_relations_free(&m, &got);
        EXPECT(!m.now, "%s: %d bytes left", solid_wants[i].what, (int)m.now);
    }
    free(s);
}

/* ---- which objects are closed, and which count */

/* A Klein bottle of n x n quads: one direction of each edge cannot be the reverse of the other. */
static void solid_make_klein(solid_scene *s)
{
    enum { N = 6 };
    uint32_t v[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            v[i][j] = solid_vertex(s, i, j, (i * 5 + j * 3) % 7);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const int last = i == N - 1, q = (j + 1) % N, next = (i + 1) % N;
            const uint32_t c = v[next][last ? (N - q) % N : q], d = v[next][last ? (N - j) % N : j];
            solid_triangle(s, 0, v[i][j], d, c);
            solid_triangle(s, 0, v[i][j], c, v[i][q]);
        }
}

/* An open box. */
static void solid_make_open(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    s->mesh.primitives--;
}

/* Closed, but for a triangle that is left out. */
static void solid_make_bad(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    s->point[3 * 7 + 1] = NAN;
}

/* The edges of a bad triangle do not count: it is left out. */
static void solid_make_bad_more(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    solid_vertex(s, INFINITY, 0, 0);
    solid_triangle(s, 0, 0, 1, 8);
}

/* Two sheets with the same vertices, back to back. */
static void solid_make_double(solid_scene *s)
{
    solid_vertex(s, 0, 0, 0);
    solid_vertex(s, 1, 0, 0);
    solid_vertex(s, 0, 1, 0);
    solid_triangle(s, 0, 0, 1, 2);
    solid_triangle(s, 0, 1, 0, 2);
}

/* Triangles with one vertex twice use an edge in both directions. */
static void solid_make_with_edge(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    const uint32_t v = solid_vertex(s, 5, 5, 5);
    solid_triangle(s, 0, v, 2, 2);
    solid_triangle(s, 0, v, v, v);
}

/* A triangle that is turned over. */
static void solid_make_turned(solid_scene *s)
{
    solid_cube(s, 0, 0, 0, 0, 1);
    const uint32_t was = s->corner[0];
    s->corner[0] = s->corner[1];
    s->corner[1] = was;
}

static void solid_make_tet_and_sheet(solid_scene *s)
{
    solid_vertex(s, 0, 0, 0);
    solid_vertex(s, 1, 0, 0);
    solid_vertex(s, 0, 1, 0);
    solid_vertex(s, 0, 0, 1);
    solid_tet(s, 0, (const uint32_t[4]){0, 1, 2, 3});
    solid_triangle(s, 0, 0, 1, 2);
}

static void test_solid_closed(void)
{
    static const struct {
        const char *what;
        void (*make)(solid_scene *s);
        uint32_t closed;
    } cases[] = {{"a box", solid_make_slab, 1},
                 {"two boxes that share an edge", solid_make_pages, 2},
                 {"a Klein bottle", solid_make_klein, 0},
                 {"a box without a triangle", solid_make_open, 0},
                 {"a box with a bad vertex", solid_make_bad, 0},
                 {"a box and a bad triangle", solid_make_bad_more, 1},
                 {"two sheets back to back", solid_make_double, 1},
                 {"a box with a whisker", solid_make_with_edge, 1},
                 {"a box with a triangle turned over", solid_make_turned, 0},
                 {"a tetrahedron and a sheet", solid_make_tet_and_sheet, 0}};
    solid_scene *s = solid_scene_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const int32_t listed[2] = {0, 7};
        mem m = {0};
        imp_def def = {.inside = 1};
        truth_inside rows;
        solid_scene_clear(s);
        cases[i].make(s);
        EXPECT(!truth_inside_find(&m, &s->frame, &def, NULL, 1, &rows), "%s: error", cases[i].what);
        EXPECT(rows.closed == cases[i].closed && !rows.open, "%s: %u closed, %u open",
               cases[i].what, rows.closed, rows.open);
        truth_inside_free(&m, &rows);
        def.inside_object = listed;
        def.inside_objects = 2;
        EXPECT(!truth_inside_find(&m, &s->frame, &def, NULL, 1, &rows), "%s: error", cases[i].what);
        EXPECT(rows.closed == (cases[i].closed != 0) && rows.open == !cases[i].closed,
               "%s, listed: %u closed, %u open", cases[i].what, rows.closed, rows.open);
        truth_inside_free(&m, &rows);
    }
    free(s);
}

/* ---- options */

/* Three boxes, each in the next one. */
static void solid_make_three(solid_scene *s)
{
    for (int32_t i = 0; i < 3; i++)
        solid_cube(s, i, -1.0 - i, -1.0 - i, -1.0 - i, 2 + 2 * i);
}

typedef struct solid_option {
    const char *what;
    imp_def def;
    size_t rows, relations, swallowed;
} solid_option;

static void test_options(void)
{
    static const int32_t pair[1][2] = {{2, 0}}, listed[1] = {2};
    static const solid_option cases[] = {
        {"all", {.inside = 1}, 24, 3, 3},
        {"of a pair", {.inside = 1, .object_pair = pair, .object_pairs = 1}, 8, 1, 1},
        {"of other pairs",
         {.inside = 1, .object_pair = pair, .object_pairs = 1, .object_pairs_exclude = 1},
         16,
         2,
         2},
        {"one is listed", {.inside = 1, .inside_object = listed, .inside_objects = 1}, 16, 2, 2},
        {"between", {.inside = 1, .pairs = IMP_PAIRS_BETWEEN}, 24, 3, 3},
        {"positive", {.inside = 1, .inside_winding = IMP_INSIDE_POSITIVE}, 16, 2, 2},
    };
    solid_scene *s = solid_scene_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mem m = {0};
        truth_inside rows;
        truth_relations relations;
        solid_scene_clear(s);
        solid_make_three(s);
        if (cases[i].def.inside_winding == IMP_INSIDE_POSITIVE)
            solid_flip(s, 1); /* box 0 is not in it, and nothing of it is in box 2 */
        EXPECT(!truth_inside_find(&m, &s->frame, &cases[i].def, NULL, 2, &rows) &&
                   !truth_relations_find(&m, &s->frame, &cases[i].def, 2, &relations),
               "%s: error", cases[i].what);
        EXPECT(rows.count == cases[i].rows && relations.count == cases[i].relations &&
                   relations.swallowed_count == cases[i].swallowed,
               "%s: %zu rows, %zu relations, %zu swallowed", cases[i].what, rows.count,
               relations.count, relations.swallowed_count);
        truth_inside_free(&m, &rows);
        truth_relations_free(&m, &relations);
    }
    free(s);
}

/* ---- claims */

static double solid_dot(const long double a[3], const long double b[3])
{
    return (double)(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

/* The right claim about a vertex whose nearest point is within the face, in long double. */
typedef struct solid_claim_of {
    double point[6], barycentric[4], normal[3];
    truth_inside_claim claim;
} solid_claim_of;

static void solid_claim_make(const solid_scene *s, const truth_inside_row *row, solid_claim_of *out)
{
    uint32_t v[3];
    long double x[3][3], to[3], n[3];
    *out = (solid_claim_of){.claim = {.winding = row->winding, .depth = row->depth}};
    feature_face_vertices(&s->mesh, row->b, row->side, v);
    for (size_t k = 0; k < 3; k++) {
        out->point[k] = s->point[3 * (size_t)row->vertex + k];
        for (int i = 0; i < 3; i++)
            x[i][k] = (long double)s->point[3 * (size_t)v[i] + k] - (i ? x[0][k] : 0);
        to[k] = out->point[k] - x[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = x[1][(k + 1) % 3] * x[2][(k + 2) % 3] - x[1][(k + 2) % 3] * x[2][(k + 1) % 3];
    const long double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const long double high = (n[0] * to[0] + n[1] * to[1] + n[2] * to[2]) / square;
    for (int k = 0; k < 3; k++) {
        out->point[3 + k] = (double)(out->point[k] - high * n[k]);
        out->normal[k] = (double)(row->outward * n[k] / sqrtl(square));
    }
    const double d[5] = {solid_dot(x[1], x[1]), solid_dot(x[1], x[2]), solid_dot(x[2], x[2]),
                         solid_dot(to, x[1]), solid_dot(to, x[2])};
    const double weight[3] = {0, (d[2] * d[3] - d[1] * d[4]) / (double)square,
                              (d[0] * d[4] - d[1] * d[3]) / (double)square};
    for (int i = 0; i < 3; i++)
        for (uint32_t c = 0; c < s->corner_count[row->b]; c++)
            if (s->corner[4 * (size_t)row->b + c] == v[i])
                out->barycentric[c] = i ? weight[i] : 1 - weight[1] - weight[2];
    out->claim.point = out->point;
    out->claim.barycentric = out->barycentric;
    out->claim.normal = out->normal;
}

/* Spoils one member; returns 0 past the last. */
static int solid_claim_spoil(int way, solid_claim_of *c)
{
    double *number[16];
    size_t numbers = 0;
    for (int k = 0; k < 6; k++)
        number[numbers++] = &c->point[k];
    for (int k = 0; k < 4; k++)
        number[numbers++] = &c->barycentric[k];
    for (int k = 0; k < 3; k++)
        number[numbers++] = &c->normal[k];
    if (way < 13)
        *number[way] += 0x1p-40;
    else if (way < 26)
        *number[way - 13] = way & 1 ? NAN : INFINITY;
    else if (way == 26)
        c->claim.winding++;
    else if (way == 27)
        c->claim.depth = nextafter(c->claim.depth, INFINITY);
    else if (way == 28)
        c->claim.depth = nextafter(c->claim.depth, 0);
    else if (way == 29)
        for (int k = 0; k < 3; k++)
            c->normal[k] = -c->normal[k];
    return way < 30;
}

static void solid_make_turned_box(solid_scene *s)
{
    solid_make_box_in_box(s);
    solid_flip(s, 0);
}

static void solid_make_tets_around(solid_scene *s)
{
    solid_make_tets(s);
    solid_move(s, 5, 1, -0.25, -0.375);
}

static void test_claims(void)
{
    static const struct {
        const char *what;
        void (*make)(solid_scene *s);
    } cases[] = {{"a box in a box", solid_make_box_in_box},
                 {"a box in an inverted one", solid_make_turned_box},
                 {"a box with a wall", solid_make_wall},
                 {"tetrahedra", solid_make_tets_around}};
    solid_scene *s = solid_scene_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mem m = {0};
        truth_inside rows;
        const imp_def def = {.inside = 1};
        solid_scene_clear(s);
        cases[i].make(s);
        EXPECT(!truth_inside_find(&m, &s->frame, &def, NULL, 1, &rows) && rows.count == 8,
               "%s: %zu rows", cases[i].what, rows.count);
        for (size_t r = 0; r < rows.count; r++) {
            solid_claim_of right, wrong;
            solid_claim_make(s, &rows.row[r], &right);
            const char *fault = truth_inside_fault(&s->frame, &rows.row[r], &right.claim);
            EXPECT(!fault, "%s: row %zu: %s", cases[i].what, r, fault ? fault : "");
            for (int way = 0;; way++) {
                solid_claim_make(s, &rows.row[r], &wrong);
                if (!solid_claim_spoil(way, &wrong))
                    break;
                EXPECT(truth_inside_fault(&s->frame, &rows.row[r], &wrong.claim) != NULL,
                       "%s: row %zu spoilt by way %d is right", cases[i].what, r, way);
            }
        }
        truth_inside_free(&m, &rows);
    }
    free(s);
}

/* Each way of being wrong; returns 0 past the last. */
static int solid_relations_spoil(int way, imp_relations *c, imp_relation *r, imp_swallowed *p)
{
    const int i = way & 1;
    switch (way / 2) {
    case 0:
        r[i].inside[i]++;
        return 1;
    case 1:
        r[i].touching[i]++;
        return 1;
    case 2:
        r[i].depth[i] = nextafter(r[i].depth[i], INFINITY);
        return 1;
    case 3:
        r[i].deepest[i]--;
        return 1;
    case 4:
        *(i ? &r[2].relation : &r[1].b) += 1;
        return 1;
    case 5:
        *(i ? &c->count : &c->swallowed_count) -= 1;
        return 1;
    case 6:
        *(i ? &c->closed : &c->open) += 1;
        return 1;
    case 7:
        *(i ? &p[1].primitives : &p[2].vertices) += 1;
        return 1;
    case 8:
        *(i ? &p[2].in : &p[0].object) += 1;
        return 1;
    case 9:
        *(i ? &r[0].contacts : &r[2].contacts) += 1;
        return 1;
    default:
        return 0;
    }
}

static void test_relation_claims(void)
{
    mem m = {0};
    truth_relations t;
    const imp_def def = {.inside = 1};
    solid_scene *s = solid_scene_open();
    solid_make_three(s);
    EXPECT(!truth_relations_find(&m, &s->frame, &def, 1, &t) && t.count == 3 &&
               t.swallowed_count == 3,
           "%zu relations, %zu swallowed", t.count, t.swallowed_count);
    for (int way = -1;; way++) {
        imp_relation relation[4] = {{0}};
        imp_swallowed swallowed[4] = {{0}};
        int32_t object[2];
        memcpy(relation, t.relation, t.count * sizeof *relation);
        memcpy(swallowed, t.swallowed, t.swallowed_count * sizeof *swallowed);
        relation[3] = (imp_relation){.a = 2, .b = 3};
        imp_relations claim = {.count = 3,
                               .swallowed_count = 3,
                               .relation = relation,
                               .swallowed = swallowed,
                               .closed = 3};
        if (way >= 0 && !solid_relations_spoil(way, &claim, relation, swallowed))
            break;
        const char *fault = truth_relations_fault(&t, &claim, object);
        EXPECT(!fault == (way < 0), "way %d: %s", way, fault ? fault : "right");
        claim.count = t.count + 1;
        EXPECT(truth_relations_fault(&t, &claim, object) != NULL, "way %d, a relation more", way);
    }
    truth_relations_free(&m, &t);
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"relations", test_solid_relations},
                                 {"closed", test_solid_closed},
                                 {"options", test_options},
                                 {"claims", test_claims},
                                 {"relation_claims", test_relation_claims},
                                 {0}};
    return test_main(argc, argv, "truth_inside", tests);
}
