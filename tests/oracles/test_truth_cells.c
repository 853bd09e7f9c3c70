/* The oracle of closed objects, against cells of a lattice: objects are sets of cells, of which
 * winding numbers, depths and relations are known. They meet themselves, and are not manifolds. */
#include "expect.h"
#include "mem.h"
#include "solid_cells.h"
#include "truth.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows of objects of cells: winding numbers and depths by those of the cells */

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

/* ---- relations of objects of cells, which may meet themselves */

/* The winding number of an object at a cell of the finer lattice. */
static int solid_cells_fine(const solid_cells_pair *p, const int from[3], const int fine[3])
{
    int c[3];
    for (int k = 0; k < 3; k++)
        c[k] = (fine[k] - from[k] + FINE) / CELLS_AT - CELLS;
    return solid_cells_winding(p, c);
}

/* What there is of two objects: bits 1 both, 2 only the first, 4 only the second. */
static int solid_cells_parts(const imp_def *def, const solid_cells_pair p[2], int from[2][3])
{
    int c[3], parts = 0;
    for (c[0] = -FINE; c[0] < 2 * FINE; c[0]++)
        for (c[1] = -FINE; c[1] < 2 * FINE; c[1]++)
            for (c[2] = -FINE; c[2] < 2 * FINE; c[2]++) {
                const int a = solid_cells_inside(def, solid_cells_fine(&p[0], from[0], c));
                const int b = solid_cells_inside(def, solid_cells_fine(&p[1], from[1], c));
                parts |= a && b ? 1 : a ? 2 : b ? 4 : 0;
            }
    return parts;
}

/* Returns whether two triangles of these right-angled faces have a common point: their boxes do, as
 * far as a face is all of its box. */
static int solid_cells_meet(const solid_scene *s)
{
    const uint32_t n = s->mesh.primitives;
    for (uint32_t i = 0; i < n; i += 2)
        for (uint32_t j = i + 2; j < n; j += 2) {
            int apart = s->object[i] == s->object[j];
            for (int k = 0; k < 3 && !apart; k++) {
                double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
                for (uint32_t v = 0; v < 6; v++)
                    for (int of = 0; of < 2; of++) {
                        const uint32_t prim = (of ? j : i) + v / 3;
                        const double x =
                            s->point[3 * (size_t)s->corner[4 * prim + v % 3] + (size_t)k];
                        lo[of] = fmin(lo[of], x);
                        hi[of] = fmax(hi[of], x);
                    }
                apart = lo[0] > hi[1] || lo[1] > hi[0];
            }
            if (!apart)
                return 1;
        }
    return 0;
}

/* The numbers of a relation are those of the rows. */
static void solid_cells_count(const solid_scene *s, const imp_def *def, const truth_relations *got)
{
    mem m = {0};
    truth_inside rows;
    uint64_t inside[2] = {0, 0};
    double depth[2] = {0, 0};
    EXPECT(!truth_inside_find(&m, &s->frame, def, NULL, 2, &rows), "no rows");
    for (size_t i = 0; i < rows.count; i++) {
        const int of = s->object[rows.row[i].a];
        inside[of]++;
        depth[of] = fmax(depth[of], rows.row[i].depth);
        EXPECT(s->object[rows.row[i].b] == !of, "row %zu: a face of its own object", i);
    }
    for (int i = 0; i < 2; i++)
        EXPECT(got->count
                   ? got->relation->inside[i] == inside[i] && got->relation->depth[i] == depth[i]
                   : !inside[i],
               "%d rows of object %d, to a depth of %a", (int)inside[i], i, depth[i]);
    truth_inside_free(&m, &rows);
}

static void test_cell_relations(void)
{
    solid_scene *s = solid_scene_open();
    rng r = {52};
    int seen[5] = {0};
    for (uint64_t i = 0; i < test_cases(30); i++) {
        mem m = {0};
        solid_cells_pair p[2];
        int from[2][3];
        truth_relations got;
        const imp_def def = {.inside = 1, .inside_winding = (int)rng_below(&r, 2)};
        solid_cells_objects(s, &r, p, from);
        const int parts = solid_cells_parts(&def, p, from);
        const int want = !(parts & 1)
                             ? (solid_cells_meet(s) ? IMP_RELATION_TOUCHING : IMP_RELATION_APART)
                         : !(parts & 2) ? IMP_RELATION_A_IN_B
                         : !(parts & 4) ? IMP_RELATION_B_IN_A
                                        : IMP_RELATION_CROSSING;
        const int err = truth_relations_find(&m, &s->frame, &def, 2, &got);
        const int is = got.count ? got.relation->relation : IMP_RELATION_APART;
        EXPECT(!err && is == want, "case %d: error %d, relation %d, not %d", (int)i, err, is, want);
        seen[want]++;
        solid_cells_count(s, &def, &got);
        truth_relations_free(&m, &got);
    }
    EXPECT(TEST_SLOW || (seen[1] && seen[2] && seen[3] + seen[4]), "relations: %d %d %d %d %d",
           seen[0], seen[1], seen[2], seen[3], seen[4]);
    free(s);
}

/* ---- a sheet, which is not closed, about cells */

/* Bits: 1 a part inside, 2 a part outside; a part with one side inside is neither. */
static int solid_sheet_parts(const imp_def *def, const solid_cells_pair *p, const int sheet[5])
{
    int parts = 0, c[3];
    static const int from[3] = {0, 0, 0};
    for (c[0] = sheet[0]; c[0] < sheet[2]; c[0]++)
        for (c[1] = sheet[1]; c[1] < sheet[3]; c[1]++) {
            c[2] = sheet[4];
            const int above = solid_cells_inside(def, solid_cells_fine(p, from, c));
            c[2]--;
            const int below = solid_cells_inside(def, solid_cells_fine(p, from, c));
            parts |= above != below ? 0 : above ? 1 : 2;
        }
    return parts;
}

static void test_cell_sheets(void)
{
    solid_scene *s = solid_scene_open();
    rng r = {53};
    for (uint64_t i = 0; i < test_cases(100); i++) {
        mem m = {0};
        solid_cells_pair p;
        int sheet[5];
        truth_relations got;
        const imp_def def = {.inside = 1, .inside_winding = (int)rng_below(&r, 2)};
        solid_sheet_make(s, &r, &p, sheet);
        const int parts = solid_sheet_parts(&def, &p, sheet);
        const int want = !(parts & 1)
                             ? (solid_cells_meet(s) ? IMP_RELATION_TOUCHING : IMP_RELATION_APART)
                         : parts & 2 ? IMP_RELATION_CROSSING
                                     : IMP_RELATION_B_IN_A;
        const int err = truth_relations_find(&m, &s->frame, &def, 2, &got);
        const int is = got.count ? got.relation->relation : IMP_RELATION_APART;
        EXPECT(!err && is == want && got.closed == 1, "case %d: error %d, relation %d, not %d",
               (int)i, err, is, want);
        truth_relations_free(&m, &got);
    }
    free(s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"rows", test_cells},
                                 {"relations", test_cell_relations},
                                 {"sheets", test_cell_sheets},
                                 {0}};
    return test_main(argc, argv, "truth_cells", tests);
}
