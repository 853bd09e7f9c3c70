/* See cases.h. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- helpers */

static int pair_cases_uniform(rng *r, int low, int high)
{
    return low + (int)rng_below(r, (uint32_t)(high - low + 1));
}

static int chance(rng *r, uint32_t one_in)
{
    return rng_below(r, one_in) == 0;
}

/* an integer of up to `bits` bits, of either sign */
static double pair_cases_integer(rng *r, int bits)
{
    int most = 1 << bits;
    return pair_cases_uniform(r, -most, most);
}

static void whole_vector(rng *r, int bits, double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = pair_cases_integer(r, bits);
}

/* x = o + s u + t v */
static void combine(double x[3], const double o[3], double s, const double u[3], double t,
                    const double v[3])
{
    for (int k = 0; k < 3; k++)
        x[k] = o[k] + s * u[k] + t * v[k];
}

static const double zero[3];

static void corners_own(tri_pair *t)
{
    for (uint32_t i = 0; i < 6; i++)
        t->corner[i] = i;
}

static void scale_vertex(double x[3], double s)
{
    for (int k = 0; k < 3; k++)
        x[k] *= s;
}

static void move_all(tri_pair *t, const double by[3])
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            t->x[i][k] += by[k];
}

/* orientation of x, y, z about the origin; exact for integers of 12 bits */
static double pair_cases_side(const double x[3], const double y[3], const double z[3])
{
    return (x[1] * y[2] - x[2] * y[1]) * z[0] + (x[2] * y[0] - x[0] * y[2]) * z[1] +
           (x[0] * y[1] - x[1] * y[0]) * z[2];
}

/* reflects x to the wanted side (1, -1) of the plane of u and v through the origin */
static void to_side(double x[3], const double u[3], const double v[3], int side)
{
    if (pair_cases_side(u, v, x) * side < 0)
        scale_vertex(x, -1);
}

/* ---- general */

static void general(rng *r, tri_pair *t)
{
    corners_own(t);
    for (int i = 0; i < 18; i++)
        t->x[i / 3][i % 3] = rng_unit(r);
}

static void lattice(rng *r, tri_pair *t)
{
    int n = pair_cases_uniform(r, 1, 4);
    corners_own(t);
    for (int i = 0; i < 18; i++)
        t->x[i / 3][i % 3] = pair_cases_uniform(r, -n, n);
}

static void to_single(tri_pair *t)
{
    for (int i = 0; i < 18; i++)
        t->x[i / 3][i % 3] = (float)t->x[i / 3][i % 3];
}

/* ---- coplanar or nearly */

static void coplanar(rng *r, tri_pair *t)
{
    int bits = pair_cases_uniform(r, 2, 20), n = pair_cases_uniform(r, 1, 5);
    double o[3], u[3], v[3];
    whole_vector(r, bits, u);
    whole_vector(r, bits, v);
    whole_vector(r, bits + 2, o);
    corners_own(t);
    for (int i = 0; i < 6; i++)
        combine(t->x[i], o, pair_cases_uniform(r, -n, n), u, pair_cases_uniform(r, -n, n), v);
}

/* planes tilted against each other by 1 to 2^-60 */
static void grazing(rng *r, tri_pair *t)
{
    double u[3], v[3], n[3], tilt = ldexp(1, -pair_cases_uniform(r, 0, 60));
    for (int k = 0; k < 3; k++) {
        u[k] = rng_unit(r) - 0.5;
        v[k] = rng_unit(r) - 0.5;
        n[k] = rng_unit(r) - 0.5;
    }
    corners_own(t);
    for (int i = 0; i < 6; i++) {
        combine(t->x[i], zero, 2 * rng_unit(r) - 1, u, 2 * rng_unit(r) - 1, v);
        if (i > 2)
            combine(t->x[i], t->x[i], tilt * (2 * rng_unit(r) - 1), n, 0, zero);
    }
}

/* ---- touching at the origin */

/* makes the origin interior to the first triangle, on an edge or at a corner */
static void around_origin(rng *r, tri_pair *t, int dim, double u[3], double v[3])
{
    whole_vector(r, 10, u);
    whole_vector(r, 10, v);
    combine(t->x[0], zero, pair_cases_uniform(r, 1, 4), u, 0, v);
    combine(t->x[1], zero, 0, u, pair_cases_uniform(r, 1, 4), v);
    combine(t->x[2], zero, -pair_cases_uniform(r, 1, 4), u,
            dim == 2 ? -pair_cases_uniform(r, 1, 4) : 0, v);
    if (dim == 0)
        memset(t->x[2], 0, sizeof t->x[2]);
}

static void at_origin(rng *r, tri_pair *t, int dim_a, int dim_b)
{
    double u[3], v[3], p[3], q[3];
    corners_own(t);
    around_origin(r, t, dim_a, u, v);
    int side = pair_cases_uniform(r, -1, 1);
    if (dim_b == 1) { /* an edge through the origin, within the plane or not */
        whole_vector(r, 10, p);
        if (chance(r, 2))
            combine(p, zero, pair_cases_uniform(r, -3, 3), u, pair_cases_uniform(r, -3, 3), v);
        combine(t->x[3], zero, pair_cases_uniform(r, 1, 4), p, 0, p);
        combine(t->x[4], zero, -pair_cases_uniform(r, 1, 4), p, 0, p);
    } else { /* a vertex at the origin */
        whole_vector(r, 10, p);
        memset(t->x[3], 0, sizeof t->x[3]);
        memcpy(t->x[4], p, sizeof p);
        to_side(t->x[4], u, v, side);
    }
    whole_vector(r, 10, q);
    memcpy(t->x[5], q, sizeof q);
    to_side(t->x[5], u, v, side);
}

/* moved and scaled, still exact */
static void elsewhere(rng *r, tri_pair *t)
{
    double by[3], s = ldexp(1, pair_cases_uniform(r, -20, 20));
    whole_vector(r, pair_cases_uniform(r, 1, 12), by);
    move_all(t, by);
    for (int i = 0; i < 6; i++)
        scale_vertex(t->x[i], s);
}

static void pair_cases_vertex_face(rng *r, tri_pair *t)
{
    at_origin(r, t, 2, 0);
    elsewhere(r, t);
}

static void pair_cases_vertex_edge(rng *r, tri_pair *t)
{
    at_origin(r, t, 1, 0);
    elsewhere(r, t);
}

static void pair_cases_edge_edge(rng *r, tri_pair *t)
{
    at_origin(r, t, 1, 1);
    elsewhere(r, t);
}

static void pair_cases_vertex_vertex(rng *r, tri_pair *t)
{
    at_origin(r, t, 0, 0);
    elsewhere(r, t);
}

/* edges on one line, overlapping or not; third vertices anywhere or coplanar */
static void edge_line(rng *r, tri_pair *t)
{
    int bits = pair_cases_uniform(r, 2, 20), flat = chance(r, 3);
    double o[3], d[3], e[3];
    whole_vector(r, bits, o);
    whole_vector(r, bits, d);
    whole_vector(r, bits, e);
    corners_own(t);
    for (int i = 0; i < 6; i++)
        if (i % 3 < 2)
            combine(t->x[i], o, pair_cases_uniform(r, -4, 4), d, 0, d);
        else if (flat)
            combine(t->x[i], o, pair_cases_uniform(r, -4, 4), d, pair_cases_uniform(r, -2, 2), e);
        else
            whole_vector(r, bits + 2, t->x[i]);
}

/* the same coordinates under other indices; sometimes one vertex moved */
static void twins(rng *r, tri_pair *t)
{
    if (chance(r, 2))
        general(r, t);
    else
        lattice(r, t);
    memcpy(t->x[3], t->x[0], sizeof t->x[0]);
    memcpy(t->x[4], t->x[1], sizeof t->x[1]);
    if (!chance(r, 3))
        memcpy(t->x[5], t->x[2], sizeof t->x[2]);
    if (chance(r, 4))
        t->x[5][pair_cases_uniform(r, 0, 2)] += ldexp(1, -pair_cases_uniform(r, 0, 52));
}

/* ---- zero area */

static void thin_triangle(rng *r, double x[3][3], uint32_t corner[3])
{
    double d[3];
    int n = pair_cases_uniform(r, 1, 2), what = pair_cases_uniform(r, 0, 4);
    for (int k = 0; k < 3; k++) {
        x[0][k] = pair_cases_uniform(r, -n, n);
        d[k] = what ? pair_cases_uniform(r, -1, 1) : 0;
    }
    combine(x[1], x[0], pair_cases_uniform(r, -2, 2), d, 0, d);
    combine(x[2], x[0], pair_cases_uniform(r, -2, 2), d, 0, d);
    if (what == 1)
        memcpy(x[2], x[pair_cases_uniform(r, 0, 1)], sizeof x[2]);
    if (what == 2)
        corner[pair_cases_uniform(r, 1, 2)] = corner[0];
    if (what == 3 && chance(r, 3))
        corner[1] = corner[2] = corner[0];
}

static void zero_area(rng *r, tri_pair *t)
{
    int which = pair_cases_uniform(r, 0, 2);
    corners_own(t);
    for (int i = 0; i < 18; i++)
        t->x[i / 3][i % 3] = pair_cases_uniform(r, -2, 2);
    if (which != 1)
        thin_triangle(r, t->x, t->corner);
    if (which != 0)
        thin_triangle(r, t->x + 3, t->corner + 3);
    elsewhere(r, t);
}

/* ---- any of the above */

static void any_exact(rng *r, tri_pair *t)
{
    static void (*const make[])(rng *, tri_pair *) = {lattice,
                                                      coplanar,
                                                      pair_cases_vertex_face,
                                                      edge_line,
                                                      pair_cases_vertex_edge,
                                                      pair_cases_edge_edge,
                                                      zero_area,
                                                      twins,
                                                      pair_cases_vertex_vertex};
    make[rng_below(r, sizeof make / sizeof *make)](r, t);
}

static void any(rng *r, tri_pair *t)
{
    if (chance(r, 4))
        general(r, t);
    else if (chance(r, 6))
        grazing(r, t);
    else
        any_exact(r, t);
}

/* ---- nearly degenerate */

static double pair_cases_step(rng *r, double x)
{
    int n = pair_cases_uniform(r, -3, 3);
    if (x == 0 && !chance(r, 20)) /* not always down to the smallest denormals */
        return n * 0x1p-52;
    for (; n; n += n < 0 ? 1 : -1)
        x = nextafter(x, n < 0 ? -INFINITY : INFINITY);
    return x;
}

static void near_exact(rng *r, tri_pair *t)
{
    any_exact(r, t);
    for (int i = 0; i < 18; i++)
        if (chance(r, 4))
            t->x[i / 3][i % 3] = pair_cases_step(r, t->x[i / 3][i % 3]);
}

/* a vertex on the other triangle, its edge or corner, up to rounding */
static void near_general(rng *r, tri_pair *t)
{
    general(r, t);
    double s = rng_unit(r), u = rng_unit(r) * (1 - s), v = rng_unit(r);
    if (chance(r, 2))
        u = 0;
    if (chance(r, 4))
        s = 0;
    int edge = chance(r, 3); /* the edge passes through that point; otherwise a vertex is there */
    for (int k = 0; k < 3; k++) {
        double o = t->x[0][k], p = o + s * (t->x[1][k] - o) + u * (t->x[2][k] - o);
        t->x[3][k] = edge ? p + v * (p - t->x[4][k]) : p;
    }
    for (int i = 9; i < 18; i++)
        if (chance(r, 6))
            t->x[i / 3][i % 3] = pair_cases_step(r, t->x[i / 3][i % 3]);
}

/* near_general with larger deviations: where float64 begins to be certain */
static void close_by(rng *r, tri_pair *t)
{
    double by = ldexp(1, -pair_cases_uniform(r, 10, 52));
    near_general(r, t);
    for (int i = 0; i < 18; i++)
        if (chance(r, 4))
            t->x[i / 3][i % 3] += by * (2 * rng_unit(r) - 1);
}

/* an edge on the other triangle or in its plane, up to rounding and slightly more */
static void edge_nearby(rng *r, tri_pair *t)
{
    double by = ldexp(1, -pair_cases_uniform(r, 10, 60));
    general(r, t);
    for (int i = 3; i < 5; i++) {
        double u = 2 * rng_unit(r) - 0.5, v = 2 * rng_unit(r) - 0.5;
        for (int k = 0; k < 3; k++) {
            double o = t->x[0][k];
            t->x[i][k] = o + u * (t->x[1][k] - o) + v * (t->x[2][k] - o) + by * (rng_unit(r) - 0.5);
        }
    }
}

/* a small triangle near a point of a large one */
static void pair_cases_sizes(rng *r, tri_pair *t)
{
    double s = rng_unit(r), u = rng_unit(r) * (1 - s),
           small = ldexp(1, -pair_cases_uniform(r, 0, 40));
    general(r, t);
    for (int k = 0; k < 3; k++) {
        double o = t->x[0][k], p = o + s * (t->x[1][k] - o) + u * (t->x[2][k] - o);
        for (int i = 3; i < 6; i++)
            t->x[i][k] = p + small * (t->x[i][k] - 0.5);
    }
}

/* long and thin, in any direction */
static void pair_cases_slivers(rng *r, tri_pair *t)
{
    near_general(r, t);
    for (int i = 0; i < 2; i++) {
        double *x = t->x[3 * i + 2], *a = t->x[3 * i], *b = t->x[3 * i + 1];
        double s = 1.5 * rng_unit(r) - 0.25, thin = ldexp(1, -pair_cases_uniform(r, 0, 54));
        for (int k = 0; k < 3; k++)
            x[k] = a[k] + s * (b[k] - a[k]) + thin * (rng_unit(r) - 0.5);
    }
}

/* ---- magnitudes */

/* e with every coordinate below 2^e */
static int exponent(const tri_pair *t)
{
    int e;
    double most = 0;
    for (int i = 0; i < 18; i++)
        most = fmax(most, fabs(t->x[i / 3][i % 3]));
    frexp(most, &e);
    return e;
}

static void scale_all(tri_pair *t, int e)
{
    for (int i = 0; i < 18; i++)
        t->x[i / 3][i % 3] = ldexp(t->x[i / 3][i % 3], e);
}

static void huge_30(rng *r, tri_pair *t)
{
    any(r, t);
    scale_all(t, 100 - exponent(t));
}

static void tiny_30(rng *r, tri_pair *t)
{
    any(r, t);
    scale_all(t, -100 - exponent(t));
}

static void huge_300(rng *r, tri_pair *t)
{
    any(r, t);
    scale_all(t, 998 - exponent(t));
}

static void tiny_300(rng *r, tri_pair *t)
{
    any(r, t);
    scale_all(t, -996 - exponent(t));
}

/* Up to the greatest number and down to the least: differences overflow, results cannot be
 * represented. */
static void limits(rng *r, tri_pair *t)
{
    int up = chance(r, 2);
    any_exact(r, t);
    scale_all(t, up ? 1024 - exponent(t) : pair_cases_uniform(r, -1074, -1050));
    for (int i = 0; i < 18 && up; i++)
        if (chance(r, 8))
            t->x[i / 3][i % 3] = chance(r, 2) ? 0x1.fffffffffffffp1023 : -0x1.fffffffffffffp1023;
}

/* Each vertex, or each triangle, on its own scale. Rays from the origin are preserved, and so are
 * touches there. */
static void pair_cases_mixed(rng *r, tri_pair *t, int most)
{
    int dim_a = pair_cases_uniform(r, 0, 2), dim_b = pair_cases_uniform(r, 0, 1),
        each = chance(r, 2), e[2];
    if (chance(r, 4)) {
        general(r, t);
        for (int i = 0; i < 18; i++)
            t->x[i / 3][i % 3] -= 0.5;
    } else {
        at_origin(r, t, dim_a, dim_b);
    }
    for (int i = 0; i < 2; i++)
        e[i] = pair_cases_uniform(r, -most, most);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++)
            t->x[i][k] = ldexp(t->x[i][k], each ? 0 : e[i / 3]);
    for (int i = 0; i < 6 && each; i++) {
        int own = pair_cases_uniform(r, -most, most);
        for (int k = 0; k < 3; k++)
            t->x[i][k] = ldexp(t->x[i][k], own);
    }
}

static void mixed_30(rng *r, tri_pair *t)
{
    pair_cases_mixed(r, t, 100);
}

static void mixed_300(rng *r, tri_pair *t)
{
    pair_cases_mixed(r, t, 985);
}

/* each axis on its own scale: a linear map, which preserves degeneracy */
static void scale_axes(rng *r, tri_pair *t)
{
    int most = chance(r, 2) ? 100 : 960;
    for (int k = 0; k < 3; k++) {
        int e = pair_cases_uniform(r, -most, most);
        for (int i = 0; i < 6; i++)
            t->x[i][k] = ldexp(t->x[i][k], e);
    }
}

static void axes(rng *r, tri_pair *t)
{
    any(r, t);
    scale_axes(r, t);
}

/* One coordinate is the same everywhere, and large compared to the others' extent. */
static void thin_sheet(rng *r, tri_pair *t)
{
    int axis = pair_cases_uniform(r, 0, 2);
    double level = ldexp(rng_unit(r) + 1, pair_cases_uniform(r, 0, 980));
    any(r, t);
    scale_all(t, -pair_cases_uniform(r, 0, 980));
    for (int i = 0; i < 6; i++)
        t->x[i][axis] = level;
}

/* ---- positions */

/* up to 10^7 extents away, sometimes so far that vertices coincide */
static void pair_cases_off_centre(rng *r, tri_pair *t)
{
    double by[3];
    any(r, t);
    int e = exponent(t) + (chance(r, 4) ? pair_cases_uniform(r, 0, 30) : 0);
    for (int k = 0; k < 3; k++)
        by[k] = ldexp(pair_cases_uniform(r, -10000000, 10000000), e);
    move_all(t, by);
}

static void pair_cases_negative(rng *r, tri_pair *t)
{
    any(r, t);
    for (int k = 0; k < 3; k++) {
        double most = 0, by[3] = {0};
        for (int i = 0; i < 6; i++)
            most = fmax(most, t->x[i][k]);
        by[k] = -2 * most;
        move_all(t, by);
    }
}

/* multiples of the cell size and neighbouring floats */
static void cell_borders(rng *r, tri_pair *t)
{
    corners_own(t);
    for (int i = 0; i < 18; i++) {
        double x = pair_cases_uniform(r, -3, 3) * CASE_CELL;
        int n = pair_cases_uniform(r, -1, 1);
        t->x[i / 3][i % 3] = n ? nextafter(x, n > 0 ? INFINITY : -INFINITY) : x;
    }
    if (chance(r, 3)) /* a sheet along a layer of cells */
        for (int i = 1; i < 6; i++)
            t->x[i][2] = t->x[0][2];
}

static void single_general(rng *r, tri_pair *t)
{
    general(r, t);
    to_single(t);
}

static void single_near(rng *r, tri_pair *t)
{
    near_general(r, t);
    to_single(t);
}

static void single_any(rng *r, tri_pair *t)
{
    any(r, t);
    to_single(t);
}

/* ---- sharing vertices by index */

/* vertices suitable for sharing: anywhere, coplanar, nearly so, or at few points */
static void pair_cases_loose(rng *r, tri_pair *t)
{
    static void (*const make[])(rng *, tri_pair *) = {general,
                                                      lattice,
                                                      coplanar,
                                                      grazing,
                                                      near_exact,
                                                      zero_area,
                                                      edge_line,
                                                      close_by,
                                                      edge_nearby,
                                                      pair_cases_vertex_vertex,
                                                      pair_cases_slivers,
                                                      near_general};
    make[rng_below(r, sizeof make / sizeof *make)](r, t);
    corners_own(t);
}

/* replaces `n` random corners of the second triangle by corners of the first */
static void pair_cases_share_corners(rng *r, tri_pair *t, int n)
{
    uint32_t from = rng_below(r, 3), to = rng_below(r, 3);
    int turn = pair_cases_uniform(r, 1, 2);
    for (uint32_t i = 0; i < (uint32_t)n; i++)
        t->corner[3 + (to + i) % 3] = (from + (uint32_t)turn * i) % 3;
}

static void share_1(rng *r, tri_pair *t)
{
    pair_cases_loose(r, t);
    if (chance(r, 3))
        at_origin(r, t, 0, 0);
    pair_cases_share_corners(r, t, 1);
}

static void share_2(rng *r, tri_pair *t)
{
    pair_cases_loose(r, t);
    pair_cases_share_corners(r, t, 2);
}

static void share_3(rng *r, tri_pair *t)
{
    pair_cases_loose(r, t);
    pair_cases_share_corners(r, t, 3);
}

/* vertices repeated within a triangle, in all ways */
static void share_repeated(rng *r, tri_pair *t)
{
    pair_cases_loose(r, t);
    for (int i = 0; i < 6; i++)
        t->corner[i] = rng_below(r, i < 3 ? 3 : 5);
}

static void share_axes(rng *r, tri_pair *t)
{
    if (chance(r, 2))
        share_1(r, t);
    else
        share_2(r, t);
    scale_axes(r, t);
}

/* ---- the list */

const case_class case_classes[] = {
    {"general", general, 0, 0, 0},
    {"lattice", lattice, 0, 0, 0},
    {"coplanar", coplanar, 0, 0, 0},
    {"grazing", grazing, 0, 0, 0},
    {"edges on a line", edge_line, 0, 0, 0},
    {"vertex on face", pair_cases_vertex_face, 0, 0, 0},
    {"vertex on edge", pair_cases_vertex_edge, 0, 0, 0},
    {"edge on edge", pair_cases_edge_edge, 0, 0, 0},
    {"vertex on vertex", pair_cases_vertex_vertex, 0, 0, 0},
    {"twins", twins, 0, 0, 0},
    {"zero area", zero_area, 0, 0, 0},
    {"near exact", near_exact, 0, 0, 0},
    {"near general", near_general, 0, 0, 0},
    {"close by", close_by, 0, 0, 0},
    {"edge nearby", edge_nearby, 0, 0, 0},
    {"slivers", pair_cases_slivers, 0, 0, 0},
    {"sizes", pair_cases_sizes, 0, 0, 0},
    {"1e30", huge_30, 0, 0, 0},
    {"1e-30", tiny_30, 0, 0, 0},
    {"1e300", huge_300, 0, 0, 0},
    {"1e-300", tiny_300, 0, 0, 0},
    {"limits", limits, 0, 0, 0},
    {"mixed 1e30", mixed_30, 0, 0, 0},
    {"mixed 1e300", mixed_300, 0, 0, 0},
    {"mixed axes", axes, 0, 0, 0},
    {"thin sheet", thin_sheet, 0, 0, 0},
    {"off centre", pair_cases_off_centre, 0, 0, 0},
    {"negative", pair_cases_negative, 0, 0, 0},
    {"cell borders", cell_borders, 0, 0, CASE_CELL},
    {"float32 general", single_general, 0, 1, 0},
    {"float32 near", single_near, 0, 1, 0},
    {"float32 any", single_any, 0, 1, 0},
    {"share 1", share_1, 1, 0, 0},
    {"share 2", share_2, 1, 0, 0},
    {"share 3", share_3, 1, 0, 0},
    {"share repeated", share_repeated, 1, 0, 0},
    {"share, axes", share_axes, 1, 0, 0},
    {0},
};

void case_make(const case_class *c, uint64_t i, tri_pair *out)
{
    rng r = {(uint64_t)(c - case_classes) << 48 ^ i};
    r.state = rng_next(&r);
    memset(out, 0, sizeof *out);
    c->make(&r, out);
    for (int k = 0; k < 18; k++)
        out->x[k / 3][k % 3] += 0.0;
}

void case_print(const case_class *c, uint64_t i, const tri_pair *t, const char *what)
{
    printf("\n    %s %llu: %s\n", c->name, (unsigned long long)i, what);
    for (int k = 0; k < 6; k++) {
        const double *x = t->x[t->corner[k]];
        printf("      %u: %a %a %a  (%.17g %.17g %.17g)\n", t->corner[k], x[0], x[1], x[2], x[0],
               x[1], x[2]);
    }
}
