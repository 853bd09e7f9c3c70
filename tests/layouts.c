/* See layouts.h. */
#include "layouts.h"

void layout_part(make *m, int64_t vertices, int64_t triangles, rng *r)
{
    int64_t ids[300];
    for (int64_t i = 0; i < 3 * triangles; i++)
        ids[i] = rng_below(r, (uint32_t)vertices);
    make_part(m, vertices, triangles, ids);
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

/* Parts without cells, and without anything, stand among the others. */
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
        else {
            make_add(&m->part_points, 4);
            make_add(&m->part_cells, 2);
        }
    }
}

/* The same points in all steps, then backwards. */
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

/* A step has the topology of an earlier one, at new points. */
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
    {0},
};
