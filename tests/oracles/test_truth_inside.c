/* The oracle of closed objects: relations, vertices inside and depths of scenes by hand, and the
 * faults of claims that are not right. */
#include "expect.h"
#include "mem.h"
#include "solid_scenes.h"
#include "truth.h"

#include <limits.h>
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
     0},
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

static void test_relations(void)
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

/* ---- rows of objects of cells: winding numbers and depths by those of the cells */

#define CELLS 3
#define CELLS_AT 4 /* points are multiples of 1 / CELLS_AT */

/* Two sets of cells of a lattice in one object, the second of which may be turned over. */
typedef struct solid_cells_pair {
    char full[2][CELLS * CELLS * CELLS + 1];
    int turned;
} solid_cells_pair;

static int solid_cells_full(const solid_cells_pair *p, int set, const int cell[3])
{
    for (int k = 0; k < 3; k++)
        if (cell[k] < 0 || cell[k] >= CELLS)
            return 0;
    return p->full[set][(cell[2] * CELLS + cell[1]) * CELLS + cell[0]] == '#';
}

static int solid_cells_winding(const solid_cells_pair *p, const int cell[3])
{
    return solid_cells_full(p, 0, cell) + (p->turned ? -1 : 1) * solid_cells_full(p, 1, cell);
}

/* The cells that have a point, in units of 1 / CELLS_AT: the least and the greatest one. */
static void solid_cells_around(const int at[3], int lo[3], int hi[3])
{
    for (int k = 0; k < 3; k++) {
        hi[k] = at[k] / CELLS_AT;
        lo[k] = hi[k] - !(at[k] % CELLS_AT);
    }
}

/* Returns whether the point is on a face of one of the sets: some cells around it are full, and
 * some are not. */
static int solid_cells_touch(const solid_cells_pair *p, const int at[3])
{
    int lo[3], hi[3], c[3], any[2][2] = {{0, 0}, {0, 0}};
    solid_cells_around(at, lo, hi);
    for (c[0] = lo[0]; c[0] <= hi[0]; c[0]++)
        for (c[1] = lo[1]; c[1] <= hi[1]; c[1]++)
            for (c[2] = lo[2]; c[2] <= hi[2]; c[2]++)
                for (int set = 0; set < 2; set++)
                    any[set][solid_cells_full(p, set, c)] = 1;
    return (any[0][0] && any[0][1]) || (any[1][0] && any[1][1]);
}

static int solid_cells_inside(const imp_def *def, int winding)
{
    return def->inside_winding == IMP_INSIDE_POSITIVE ? winding > 0 : winding != 0;
}

/* The square of the distance from the nearest cell that is not inside, in units of the points. */
static int solid_cells_depth(const solid_cells_pair *p, const imp_def *def, const int at[3])
{
    int c[3], least = INT_MAX;
    for (c[0] = -1; c[0] <= CELLS; c[0]++)
        for (c[1] = -1; c[1] <= CELLS; c[1]++)
            for (c[2] = -1; c[2] <= CELLS; c[2]++) {
                int d = 0;
                for (int k = 0; k < 3; k++) {
                    const int lo = c[k] * CELLS_AT - at[k], hi = at[k] - (c[k] + 1) * CELLS_AT;
                    const int gap = lo > hi ? lo : hi;
                    d += gap > 0 ? gap * gap : 0;
                }
                if (!solid_cells_inside(def, solid_cells_winding(p, c)) && d < least)
                    least = d;
            }
    return least;
}

/* Returns whether `depth` is the greatest float64 whose square does not exceed `square`, in units
 * of the points. */
static int solid_cells_depth_right(double depth, int square)
{
    const double want = square / (double)(CELLS_AT * CELLS_AT);
    const double next = nextafter(depth, INFINITY);
    return fma(depth, depth, -want) <= 0 && fma(next, next, -want) > 0;
}

/* Object 1 has the points as triangles with one vertex. */
static void solid_cells_make(solid_scene *s, rng *r, solid_cells_pair *p, int (*at)[3], int points)
{
    static const int n[3] = {CELLS, CELLS, CELLS};
    solid_scene_clear(s);
    p->turned = (int)rng_below(r, 2);
    for (int set = 0; set < 2; set++) {
        for (int i = 0; i < CELLS * CELLS * CELLS; i++)
            p->full[set][i] = rng_below(r, 3) ? '#' : '.';
        p->full[set][CELLS * CELLS * CELLS] = 0;
    }
    solid_cells(s, 0, n, p->full[1], solid_origin);
    if (p->turned)
        solid_flip(s, 0);
    solid_cells(s, 0, n, p->full[0], solid_origin);
    for (int i = 0; i < points; i++) {
        for (int k = 0; k < 3; k++)
            at[i][k] = (int)rng_below(r, CELLS * CELLS_AT + 1);
        const uint32_t v = solid_vertex(s, at[i][0] / (double)CELLS_AT, at[i][1] / (double)CELLS_AT,
                                        at[i][2] / (double)CELLS_AT);
        solid_triangle(s, 1, v, v, v);
    }
}

/* x is sheared by multiples of y and z: winding numbers stay. */
static void solid_cells_shear(solid_scene *s)
{
    for (size_t v = 0; v < s->mesh.vertices; v++)
        s->point[3 * v] += 0x1.8p-12 * s->point[3 * v + 1] - 0x1p-20 * s->point[3 * v + 2];
}

#define CELL_POINTS 200

static void solid_cells_check(solid_scene *s, const imp_def *def, const solid_cells_pair *p,
                              int (*at)[3], int sheared)
{
    mem m = {0};
    truth_inside rows;
    const uint32_t first = s->mesh.vertices - CELL_POINTS;
    const int err = truth_inside_find(&m, &s->frame, def, NULL, 2, &rows);
    size_t next = 0;
    EXPECT(!err, "error %d", err);
    for (uint32_t i = 0; i < CELL_POINTS; i++) {
        int lo[3], hi[3];
        solid_cells_around(at[i], lo, hi);
        const int touch = solid_cells_touch(p, at[i]);
        const int winding = touch ? 0 : solid_cells_winding(p, hi);
        const truth_inside_row *row =
            next < rows.count && rows.row[next].vertex == first + i ? &rows.row[next++] : NULL;
        EXPECT(!row == !solid_cells_inside(def, winding), "point %u: a row or none", i);
        EXPECT(!row || row->winding == winding, "point %u: winding %d, not %d", i, row->winding,
               winding);
        EXPECT(!row || sheared ||
                   solid_cells_depth_right(row->depth, solid_cells_depth(p, def, at[i])),
               "point %u: depth %a", i, row->depth);
    }
    EXPECT(next == rows.count, "%zu rows more", rows.count - next);
    truth_inside_free(&m, &rows);
}

static void test_cells(void)
{
    solid_scene *s = solid_scene_open();
    rng r = {51};
    for (uint64_t i = 0; i < test_cases(20); i++) {
        solid_cells_pair p;
        int at[CELL_POINTS][3];
        const imp_def def = {.inside = 1, .inside_winding = (int)rng_below(&r, 2)};
        solid_cells_make(s, &r, &p, at, CELL_POINTS);
        if (i % 3 == 2)
            solid_cells_shear(s);
        solid_cells_check(s, &def, &p, at, i % 3 == 2);
    }
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"relations", test_relations}, {"cells", test_cells}, {0}};
    return test_main(argc, argv, "truth_inside", tests);
}
