/* See layouts.h. */
#include "layouts.h"

void layout_part(make *m, int64_t vertices, int64_t triangles, rng *r)
{
    int64_t ids[300];
    for (int64_t i = 0; i < 3 * triangles; i++)
        ids[i] = rng_below(r, (uint32_t)vertices);
    make_part(m, vertices, triangles, ids);
}

#define BOTH 0

void layout_cells(make *m, int64_t vertices, int64_t cells, int64_t type, rng *r)
{
    int64_t ids[400] = {0}, types[100] = {0};
    for (int64_t i = 0; i < cells; i++)
        types[i] = type != BOTH ? type : rng_below(r, 2) ? 5 : 10;
    for (int64_t i = 0; i < 4 * cells; i++)
        ids[i] = rng_below(r, (uint32_t)vertices);
    make_part_of(m, vertices, cells, types, ids);
}

void layout_static(make *m, rng *r)
{
    layout_part(m, 9, 11, r);
    for (int f = 0; f < 5; f++) {
        make_step(m, 0.25 * f, 0, 1, 9 * f, 0, 0);
        make_random_points(m, 9, r);
    }
}

static void build_one_frame(make *m, rng *r)
{
    layout_part(m, 9, 4, r);
    make_step(m, -3.5, 0, 1, 0, 0, 0);
    make_random_points(m, 9, r);
}

/* Includes parts without cells, and empty parts. */
void layout_parts(make *m, rng *r)
{
    const int64_t sizes[][2] = {{5, 7}, {3, 0}, {0, 0}, {8, 2}};
    for (int p = 0; p < 4; p++)
        layout_part(m, sizes[p][0], sizes[p][1], r);
    for (int f = 0; f < 3; f++) {
        make_step(m, f, 0, 4, 16 * f, 0, 0);
        make_random_points(m, 16, r);
    }
}

void layout_repeated_counts(make *m, rng *r)
{
    int64_t ids[] = {0, 1, 2, 2, 1, 3};
    for (int f = 0; f < 3; f++) {
        make_step(m, f, f, 1, 4 * f, 0, 0);
        make_random_points(m, 4, r);
        if (f == 0)
            make_part(m, 4, 2, ids);
        else
            make_part_again(m);
    }
}

/* The same points in all steps, then in reverse order. */
static void build_same_points(make *m, rng *r)
{
    layout_part(m, 5, 4, r);
    make_random_points(m, 10, r);
    const int64_t point0[] = {5, 5, 0, 5, 0};
    for (int f = 0; f < 5; f++)
        make_step(m, f, 0, 1, point0[f], 0, 0);
}

static void build_changing_sizes(make *m, rng *r, const int64_t (*sizes)[2], int n)
{
    for (int f = 0; f < n; f++) {
        layout_part(m, sizes[f][0], sizes[f][1], r);
        make_step_next(m, 10 * f, 1);
        make_random_points(m, (size_t)sizes[f][0], r);
    }
}

void layout_changing(make *m, rng *r)
{
    const int64_t sizes[][2] = {{4, 3}, {9, 20}, {3, 1}, {30, 5}};
    build_changing_sizes(m, r, sizes, 4);
}

static void build_empty_between(make *m, rng *r)
{
    const int64_t sizes[][2] = {{0, 0}, {4, 1}, {0, 0}, {0, 0}, {5, 3}, {3, 1}, {2, 0}, {4, 1}};
    build_changing_sizes(m, r, sizes, 8);
}

static void build_empty_last(make *m, rng *r)
{
    const int64_t sizes[][2] = {{3, 1}, {3, 1}, {0, 0}, {0, 0}};
    build_changing_sizes(m, r, sizes, 4);
}

static void build_changing_parts(make *m, rng *r)
{
    for (int f = 0; f < 5; f++) {
        int64_t verts = 0, parts = f % 3 + 1;
        for (int p = 0; p < parts; p++) {
            int64_t n = p == 1 ? 0 : 2 + f;
            layout_part(m, 3 + p + f, n, r);
            verts += 3 + p + f;
        }
        make_step_next(m, f, parts);
        make_random_points(m, (size_t)verts, r);
    }
}

/* A step reuses the topology of an earlier one, with new points. */
static void build_returning(make *m, rng *r)
{
    layout_changing(m, r);
    for (int f = 0; f < 3; f++) {
        int64_t from = f % 2 ? 1 : 0;
        make_step(m, 100 + f, from, 1, (int64_t)m->points.count / 3, m->cell0.value[from],
                  m->id0.value[from]);
        make_random_points(m, (size_t)m->part_points.value[from], r);
    }
}

static void build_no_steps(make *m, rng *r)
{
    layout_parts(m, r);
    m->no_steps = 1;
}

static void build_no_part_counts(make *m, rng *r)
{
    layout_changing(m, r);
    m->no_part_counts = 1;
}

static void build_no_triangles(make *m, rng *r)
{
    make_part(m, 4, 0, NULL);
    make_step(m, 1, 0, 1, 0, 0, 0);
    make_random_points(m, 4, r);
}

static void build_nothing(make *m, rng *r)
{
    (void)r;
    make_part(m, 0, 0, NULL);
    make_step(m, 1, 0, 1, 0, 0, 0);
}

static void build_no_parts(make *m, rng *r)
{
    (void)r;
    make_step(m, 1, 0, 0, 0, 0, 0);
}

static void build_no_frames(make *m, rng *r)
{
    layout_part(m, 4, 2, r);
}

/* ---- tetrahedra, and mixed cells */

static void static_of(make *m, int64_t type, rng *r)
{
    layout_cells(m, 9, 13, type, r);
    for (int f = 0; f < 3; f++) {
        make_step(m, f, 0, 1, 9 * f, 0, 0);
        make_random_points(m, 9, r);
    }
}

static void build_tetrahedra(make *m, rng *r)
{
    static_of(m, 10, r);
}

static void build_mixed(make *m, rng *r)
{
    static_of(m, BOTH, r);
}

/* Parts of one kind each, of both, and without cells. */
static void build_mixed_parts(make *m, rng *r)
{
    const int64_t parts[][3] = {{5, 7, 10}, {3, 0, 5},    {4, 6, 5},
                                {0, 0, 5},  {8, 9, BOTH}, {6, 1, 10}};
    for (int p = 0; p < 6; p++)
        layout_cells(m, parts[p][0], parts[p][1], parts[p][2], r);
    for (int f = 0; f < 3; f++) {
        make_step(m, f, 0, 6, 26 * f, 0, 0);
        make_random_points(m, 26, r);
    }
}

/* A static topology as VTK writes it: the counts of the part are repeated for each step. */
static void build_mixed_again(make *m, rng *r)
{
    layout_cells(m, 7, 5, BOTH, r);
    for (int f = 0; f < 3; f++) {
        make_step(m, f, f, 1, 7 * f, 0, 0);
        make_random_points(m, 7, r);
        if (f)
            make_part_again(m);
    }
}

/* The kinds of cells vary from frame to frame: one kind, the other, both, none. */
static void build_kinds_by_turns(make *m, rng *r)
{
    const int64_t frames[][3] = {{4, 3, 5},  {9, 20, BOTH}, {0, 0, 5},
                                 {6, 5, 10}, {6, 5, 5},     {6, 5, BOTH}};
    for (int f = 0; f < 6; f++) {
        layout_cells(m, frames[f][0], frames[f][1], frames[f][2], r);
        make_step_next(m, f, 1);
        make_random_points(m, (size_t)frames[f][0], r);
    }
}

/* As many cells and ids in each frame, in another order: only offsets differ. */
static void build_orders(make *m, rng *r)
{
    for (int f = 0; f < 6; f++) {
        int64_t types[] = {5, 5, 10, 10}, ids[14];
        for (int i = 3; i > 0; i--) {
            uint32_t k = rng_below(r, (uint32_t)i + 1);
            int64_t t = types[i];
            types[i] = types[k];
            types[k] = t;
        }
        for (int i = 0; i < 14; i++)
            ids[i] = rng_below(r, 5);
        make_part_of(m, 5, 4, types, ids);
        make_step_next(m, f, 1);
        make_random_points(m, 5, r);
        layout_cells(m, 0, 0, 5, r);
        make_step_next(m, f + 0.5, 1);
    }
}

/* Four parts without cells and offsets: if they had one offset each, the last part would be at the
 * position of the previous one, whose first and last cell end where its own do. */
static void build_much_alike(make *m, rng *r)
{
    const int64_t types[2][3] = {{5, 5, 10}, {5, 10, 5}};
    int64_t ids[10];
    m->skip_empty = 1;
    for (int p = 0; p < 4; p++)
        make_part(m, 0, 0, NULL);
    for (int p = 0; p < 2; p++) {
        for (int i = 0; i < 10; i++)
            ids[i] = rng_below(r, 6);
        make_part_of(m, 6, 3, types[p], ids);
    }
    make_step(m, 0, 0, 6, 0, 0, 0);
    make_random_points(m, 12, r);
}

static void build_mixed_no_steps(make *m, rng *r)
{
    build_mixed_parts(m, r);
    m->no_steps = 1;
}

const layout layouts[] = {
    {"static", layout_static, 1},
    {"one frame", build_one_frame, 1},
    {"several parts", layout_parts, 1},
    {"repeated counts", layout_repeated_counts, 1},
    {"same points", build_same_points, 1},
    {"changing", layout_changing, 0},
    {"empty frames between", build_empty_between, 0},
    {"empty frames last", build_empty_last, 0},
    {"changing parts", build_changing_parts, 0},
    {"returning", build_returning, 0},
    {"no steps", build_no_steps, 1},
    {"no part counts", build_no_part_counts, 0},
    {"no triangles", build_no_triangles, 1},
    {"nothing", build_nothing, 1},
    {"no parts", build_no_parts, 1},
    {"no frames", build_no_frames, 1},
    {"tetrahedra", build_tetrahedra, 1, 1},
    {"mixed", build_mixed, 1, 1},
    {"mixed parts", build_mixed_parts, 1, 1},
    {"mixed, repeated counts", build_mixed_again, 1, 1},
    {"kinds by turns", build_kinds_by_turns, 0, 1},
    {"orders", build_orders, 0, 1},
    {"much alike", build_much_alike, 1, 1},
    {"mixed, no steps", build_mixed_no_steps, 1, 1},
    {0},
};
