/* See ccd_cases.h. */
#include "ccd_cases.h"

#include <math.h>
#include <string.h>

/* Four vertices are at `there` at the fraction num / den of the step; `way` is their motion in a
 * part 1 / den of the step. */
typedef struct plan {
    enum exact_ccd_kind kind;
    int64_t there[4][3], way[4][3];
    int num, den;
    int meet;   /* contact at that fraction, and not before */
    int single; /* nor afterwards */
} plan;

static int64_t ccd_cases_uniform(rng *r, int low, int high)
{
    return low + (int64_t)rng_below(r, (uint32_t)(high - low + 1));
}

/* uniform in [-most, most] without 0 */
static int64_t ccd_cases_nonzero(rng *r, int most)
{
    int64_t x = ccd_cases_uniform(r, 1, most);
    return rng_below(r, 2) ? x : -x;
}

static void random_ways(rng *r, plan *p, int axes)
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < axes; k++)
            p->way[i][k] = ccd_cases_uniform(r, -9, 9);
}

/* ---- vertex and face. The face stays in the plane z = 0, and the vertex crosses it. */

static int64_t ccd_cases_area(int64_t (*v)[3])
{
    return (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[2][0] - v[0][0]) * (v[1][1] - v[0][1]);
}

/* The vertex meets the plane at weights of the face's vertices: some are 0, for edges and vertices
 * of the face, or negative. */
static void ccd_cases_vertex_face(rng *r, plan *p)
{
    int64_t weight[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        weight[i] = rng_below(r, 3) ? ccd_cases_uniform(r, 1, 4) : rng_below(r, 5) ? 0 : -1;
        sum += weight[i];
    }
    if (sum <= 0)
        weight[0] += 1 - sum;
    sum = weight[0] + weight[1] + weight[2];
    p->meet = weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
    do
        for (int i = 0; i < 6; i++)
            p->there[i / 2][i % 2] = ccd_cases_uniform(r, -9, 9);
    while (!ccd_cases_area(p->there));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            p->there[3][k] += weight[i] * p->there[i][k];
            p->there[i][k] *= sum;
        }
    random_ways(r, p, 2);
    p->way[3][2] = ccd_cases_nonzero(r, 9);
    p->single = 1;
}

/* The face's vertices are collinear, at that time or always. */
static void face_line(rng *r, plan *p, int always)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int i = 0; i < 4; i++) {
        int64_t x = p->there[i][0] = ccd_cases_uniform(r, -3, 3);
        if (i < 3) {
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    }
    p->meet = p->there[3][0] >= low && p->there[3][0] <= high;
    p->single = 1;
    random_ways(r, p, always ? 1 : 2);
    p->way[3][1] = ccd_cases_uniform(r, -9, 9);
    p->way[3][2] = ccd_cases_nonzero(r, 9);
}

static void face_is_line(rng *r, plan *p)
{
    face_line(r, p, 1);
}

static void face_becomes_line(rng *r, plan *p)
{
    face_line(r, p, 0);
}

static void face_is_point(rng *r, plan *p)
{
    random_ways(r, p, 3);
    for (int i = 1; i < 3; i++)
        memcpy(p->way[i], p->way[0], sizeof p->way[0]);
    p->there[3][0] = rng_below(r, 2);
    p->meet = !p->there[3][0];
    p->single = 1;
    p->way[3][2] = p->way[0][2] + ccd_cases_nonzero(r, 9);
}

/* In one plane all the time: the vertex moves along y = 0, where the face has a vertex. */
static void flat_graze(rng *r, plan *p)
{
    p->meet = rng_below(r, 4) > 0;
    p->single = 1;
    for (int i = 0; i < 4; i++)
        p->way[i][0] = ccd_cases_uniform(r, -9, 9);
    for (int i = 1; i < 3; i++) {
        p->there[i][0] = ccd_cases_uniform(r, -9, 9);
        p->there[i][1] = ccd_cases_uniform(r, -9, -1);
    }
    p->way[3][0] = p->way[0][0] + (p->meet ? ccd_cases_nonzero(r, 9) : 0);
    p->there[3][0] = !p->meet;
}

/* In one plane as well; the vertex reaches an edge on y = 0, and may pass into the face. */
static void flat_edge(rng *r, plan *p)
{
    p->meet = 1;
    p->there[1][0] = ccd_cases_uniform(r, 1, 9);
    p->there[2][0] = ccd_cases_uniform(r, -9, 9);
    p->there[2][1] = ccd_cases_uniform(r, -9, -1);
    p->there[3][0] = ccd_cases_uniform(r, 0, (int)p->there[1][0]);
    for (int i = 0; i < 4; i++)
        p->way[i][0] = ccd_cases_uniform(r, -9, 9);
    p->way[3][1] = -ccd_cases_uniform(r, 1, 9);
}

/* On one line all the time. */
static void line_face(rng *r, plan *p)
{
    p->meet = 1;
    for (int i = 1; i < 3; i++)
        p->there[i][0] = -ccd_cases_uniform(r, 0, 9);
    p->way[3][0] = -ccd_cases_uniform(r, 1, 9);
}

/* ---- edges. The first one stays in the plane z = 0, and the other one crosses it. */

/* The edge's ends are -parts[0] and parts[1] times `along` from the point where the lines cross. */
static int ccd_cases_spread(rng *r, plan *p, int first, const int64_t along[2])
{
    int64_t parts[2];
    for (int end = 0; end < 2; end++)
        parts[end] = rng_below(r, 3) ? ccd_cases_uniform(r, 1, 4) : 0;
    if (!parts[0] && !parts[1])
        parts[0] = 1;
    int meet = rng_below(r, 5) > 0;
    if (!meet) {
        parts[0] = -1 - parts[0];
        parts[1] = 1 - parts[0];
    }
    for (int k = 0; k < 2; k++) {
        p->there[first][k] = -parts[0] * along[k];
        p->there[first + 1][k] = parts[1] * along[k];
    }
    return meet;
}

static void ccd_cases_cross(rng *r, plan *p)
{
    int64_t along[2][2];
    do
        for (int i = 0; i < 4; i++)
            along[i / 2][i % 2] = ccd_cases_uniform(r, -5, 5);
    while (along[0][0] * along[1][1] == along[0][1] * along[1][0]);
    p->meet = ccd_cases_spread(r, p, 0, along[0]);
    p->meet &= ccd_cases_spread(r, p, 2, along[1]);
    p->single = 1;
    random_ways(r, p, 2);
    p->way[2][2] = ccd_cases_nonzero(r, 9);
    p->way[3][2] = p->way[2][2] > 0 ? ccd_cases_uniform(r, 1, 9) : -ccd_cases_uniform(r, 1, 9);
}

/* Collinear at that time; an edge may be a point then, or always. */
static void parallel(rng *r, plan *p)
{
    for (int i = 0; i < 4; i++)
        p->there[i][0] = ccd_cases_uniform(r, -3, 3);
    int64_t low[2], high[2];
    for (size_t e = 0; e < 2; e++) {
        int64_t a = p->there[2 * e][0], b = p->there[2 * e + 1][0];
        low[e] = a < b ? a : b;
        high[e] = a < b ? b : a;
    }
    p->meet = low[0] <= high[1] && low[1] <= high[0];
    p->single = 1;
    random_ways(r, p, 2);
    p->way[2][2] = p->way[3][2] = ccd_cases_nonzero(r, 9);
    if (rng_below(r, 2))
        for (size_t i = 0; i < 4; i++)
            p->way[i][1] = p->way[i / 2 * 2][1];
    for (size_t e = 0; e < 2; e++)
        if (low[e] == high[e] && rng_below(r, 2))
            memcpy(p->way[2 * e + 1], p->way[2 * e], sizeof p->way[0]);
}

/* In one plane all the time: the end of an edge on y = 0 reaches an edge that extends down from y =
 * 0. */
static void flat_edges(rng *r, plan *p)
{
    p->meet = 1;
    p->there[1][0] = ccd_cases_uniform(r, -9, 9);
    p->there[1][1] = ccd_cases_uniform(r, -9, -1);
    p->there[3][0] = ccd_cases_uniform(r, 1, 9);
    p->way[0][0] = ccd_cases_uniform(r, -9, 9);
    p->way[1][0] = ccd_cases_uniform(r, -9, 9);
    p->way[2][0] = p->way[3][0] = p->way[0][0] - ccd_cases_uniform(r, 1, 9);
}

static void line_edges(rng *r, plan *p)
{
    p->meet = 1;
    p->there[1][0] = -ccd_cases_uniform(r, 0, 9);
    p->there[3][0] = ccd_cases_uniform(r, 0, 9);
    p->way[2][0] = p->way[3][0] = -ccd_cases_uniform(r, 1, 9);
}

/* ---- the classes */

static const struct class_of_cases {
    enum exact_ccd_kind kind;
    void (*make)(rng *r, plan *p);
} classes[] = {
    {EXACT_VERTEX_FACE, ccd_cases_vertex_face},
    {EXACT_VERTEX_FACE, face_is_line},
    {EXACT_VERTEX_FACE, face_becomes_line},
    {EXACT_VERTEX_FACE, face_is_point},
    {EXACT_VERTEX_FACE, flat_graze},
    {EXACT_VERTEX_FACE, flat_edge},
    {EXACT_VERTEX_FACE, line_face},
    {EXACT_EDGE_EDGE, ccd_cases_cross},
    {EXACT_EDGE_EDGE, parallel},
    {EXACT_EDGE_EDGE, flat_edges},
    {EXACT_EDGE_EDGE, line_edges},
};

const char *const moving_class_names[] = {
    "vertex, face",         "face is a line",   "face becomes a line", "face is a point",
    "flat, grazing",        "flat, to an edge", "face in a line",      "edges cross",
    "edges in a line then", "flat edges",       "edges in a line",     NULL,
};

/* ---- the same contact with other positions, orders and times */

static void for_all(plan *p, void (*change)(int64_t x[3], const int64_t by[4]), const int64_t by[4])
{
    for (int i = 0; i < 4; i++) {
        change(p->there[i], by);
        change(p->way[i], by);
    }
}

/* x[by[0]] += by[2] x[by[1]] */
static void ccd_cases_shear(int64_t x[3], const int64_t by[4])
{
    x[by[0]] += by[2] * x[by[1]];
}

/* swaps x[by[0]] and x[by[1]], with a change of one sign if by[2] is -1 */
static void ccd_cases_swap_axes(int64_t x[3], const int64_t by[4])
{
    int64_t first = x[by[0]];
    x[by[0]] = x[by[1]];
    x[by[1]] = by[2] * first;
}

static void ccd_cases_rotate(rng *r, plan *p)
{
    for (int i = 0; i < 4; i++) {
        int64_t from = rng_below(r, 3), to = (from + 1 + rng_below(r, 2)) % 3;
        const int64_t by[4] = {from, to,
                               i % 2 ? ccd_cases_uniform(r, -2, 2) : ccd_cases_nonzero(r, 1)};
        for_all(p, i % 2 ? ccd_cases_shear : ccd_cases_swap_axes, by);
    }
    for (int k = 0; k < 3; k++) {
        int64_t place = ccd_cases_uniform(r, -1000, 1000), way = ccd_cases_uniform(r, -50, 50);
        for (int i = 0; i < 4; i++) {
            p->there[i][k] += place;
            p->way[i][k] += way;
        }
    }
}

static void ccd_cases_swap_vertices(plan *p, int i, int j)
{
    for (int k = 0; k < 3; k++) {
        int64_t there = p->there[i][k], way = p->way[i][k];
        p->there[i][k] = p->there[j][k];
        p->way[i][k] = p->way[j][k];
        p->there[j][k] = there;
        p->way[j][k] = way;
    }
}

static void ccd_cases_order(rng *r, plan *p)
{
    if (p->kind == EXACT_VERTEX_FACE) {
        for (int i = 0; i < 2; i++)
            ccd_cases_swap_vertices(p, i, i + (int)rng_below(r, (uint32_t)(3 - i)));
        return;
    }
    for (int e = 0; e < 2; e++)
        if (rng_below(r, 2))
            ccd_cases_swap_vertices(p, 2 * e, 2 * e + 1);
    if (rng_below(r, 2)) {
        ccd_cases_swap_vertices(p, 0, 2);
        ccd_cases_swap_vertices(p, 1, 3);
    }
}

static void ccd_cases_reverse(plan *p)
{
    p->num = p->den - p->num;
    for (int i = 0; i < 12; i++)
        p->way[i / 3][i % 3] *= -1;
}

static double ccd_cases_rounded_down(int num, int den)
{
    double x = (double)num / den;
    return fma(x, den, -num) > 0 ? nextafter(x, 0) : x;
}

void moving_case_make(int class, rng *r, int scale, moving_case *out)
{
    static const int dens[] = {2, 3, 4, 5, 7, 10, 1024, 12345};
    plan p = {.kind = classes[class].kind};
    p.den = dens[rng_below(r, 8)];
    p.num = rng_below(r, 8) ? (int)rng_below(r, (uint32_t)p.den + 1) : 0;
    classes[class].make(r, &p);
    ccd_cases_rotate(r, &p);
    ccd_cases_order(r, &p);
    if (p.single && rng_below(r, 2))
        ccd_cases_reverse(&p);
    out->kind = p.kind;
    out->meet = p.meet;
    out->toi = ccd_cases_rounded_down(p.num, p.den);
    for (int i = 0; i < 12; i++) {
        int64_t there = p.there[i / 3][i % 3], way = p.way[i / 3][i % 3];
        out->m.at[0][i / 3].x[i % 3] = ldexp((double)(there - p.num * way), scale);
        out->m.at[1][i / 3].x[i % 3] = ldexp((double)(there + (p.den - p.num) * way), scale);
    }
}

void moving_case_grid(rng *r, uint32_t n, exact_motion *m)
{
    int still = rng_below(r, 4) == 0;
    for (int i = 0; i < 12; i++) {
        m->at[0][i / 3].x[i % 3] = rng_below(r, n);
        m->at[1][i / 3].x[i % 3] = rng_below(r, n);
        if (still && rng_below(r, 2))
            m->at[1][i / 3].x[i % 3] = m->at[0][i / 3].x[i % 3];
    }
}

/* ---- coordinates of all sizes */

/* an integer from -2 to 2, times 2^power */
static double little(rng *r, int power)
{
    return ldexp((double)rng_below(r, 5) - 2, power);
}

static void mix_sizes(rng *r, double *x)
{
    static const double sizes[] = {0,         0,         0, 1,          1,         2,
                                   0x1p-1074, 0x1p-1073, 0, 0x1.8p1020, 0x1.8p1021};
    for (int i = 0; i < 24; i++)
        x[i] = sizes[rng_below(r, sizeof sizes / sizeof *sizes)];
}

static void throw(rng * r, double *x)
{
    for (int i = 0; i < 24; i++)
        x[i] = rng_unit(r) - 0.5;
    for (int v = 4; v < 8; v++) {
        const int power = (int)rng_below(r, 2000) - 1000;
        for (int k = 0; k < 3; k++)
            x[3 * v + k] = ldexp(x[3 * v + k], power);
    }
}

static void mix_grids(rng *r, exact_motion *m)
{
    moving_case_grid(r, 2 + rng_below(r, 3), m);
    for (int k = 0; k < 3; k++) {
        const int power = (int)rng_below(r, 2000) - 1000, small = (int)rng_below(r, 1000) - 1074;
        for (int i = 0; i < 8; i++) {
            double *x = &m->at[i / 4][i % 4].x[k];
            *x = *x == 0 ? little(r, small) : ldexp(*x, power);
        }
    }
}

void moving_case_mixed(rng *r, int how, moving_case *out)
{
    double *x = out->m.at[0][0].x; /* all 24 coordinates */
    out->kind = rng_below(r, 2) ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
    out->meet = -1; /* unknown */
    if (how == 0)
        mix_sizes(r, x);
    for (int i = 0; i < 24 && how == 1; i++)
        x[i] = ldexp(rng_unit(r) - 0.5, (int)rng_below(r, 2090) - 1070);
    if (how == 2)
        throw(r, x);
    if (how == 3)
        moving_case_make((int)rng_below(r, sizeof classes / sizeof *classes), r,
                         (int)rng_below(r, 1990) - 1074, out);
    for (int i = 0; i < 24 && how == 3; i++)
        x[i] += rng_below(r, 4) ? 0 : little(r, (int)rng_below(r, 100) - 1074);
    if (how == 4)
        mix_grids(r, &out->m);
}
