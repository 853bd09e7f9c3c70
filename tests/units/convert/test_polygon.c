/* Polygons into triangles. The reference is the plane in which the polygons are made: the area of
 * the polygon, and for many points whether they lie in it, counted by crossings of its edges. */
#include "error.h"
#include "expect.h"
#include "polygon.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

/* A polygon in the plane with small integer coordinates. */
typedef struct flat {
    uint32_t n;
    double u[MOST], v[MOST];
} flat;

static uint32_t corner[MOST], triangle[3 * MOST];
static double point[3 * MOST];
static polygon_workspace capacity;

/* ---- the reference */

static double area2(const flat *p, uint32_t a, uint32_t b, uint32_t c)
{
    return (p->u[b] - p->u[a]) * (p->v[c] - p->v[a]) - (p->v[b] - p->v[a]) * (p->u[c] - p->u[a]);
}

static double whole_area2(const flat *p)
{
    double sum = 0;
    for (uint32_t i = 2; i < p->n; i++)
        sum += area2(p, 0, i - 1, i);
    return sum;
}

/* By crossings of a ray to the right. The point lies on no line through two corners. */
static int polygon_test_is_inside(const flat *p, double u, double v)
{
    int inside = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t j = i + 1 < p->n ? i + 1 : 0;
        if ((p->v[i] > v) != (p->v[j] > v) &&
            u < p->u[i] + (v - p->v[i]) / (p->v[j] - p->v[i]) * (p->u[j] - p->u[i]))
            inside = !inside;
    }
    return inside;
}

static int times_covered(const flat *p, double u, double v)
{
    int n = 0;
    for (uint32_t t = 0; t < p->n - 2; t++) {
        flat one = {.n = 3};
        for (int k = 0; k < 3; k++) {
            one.u[k] = p->u[triangle[3 * t + (uint32_t)k]];
            one.v[k] = p->v[triangle[3 * t + (uint32_t)k]];
        }
        n += polygon_test_is_inside(&one, u, v);
    }
    return n;
}

/* ---- in space: exact maps of the plane */

static const double map[][6] = {
    {1, 0, 0, 0, 1, 0},   {0, 1, 0, 1, 0, 0},  {0, 0, 1, 1, 0, 0},  {0, 1, 0, 0, 0, 1},
    {1, 0, 1, 0, 1, 1},   {3, 1, -2, 1, 4, 1}, {1, -7, 2, 5, 0, 3}, {1, 1, 1, 1, 1, 1.0009765625},
    {-1, 2, 9, 4, -1, 0},
};
enum { MAPS = sizeof map / sizeof *map };

static void polygon_test_project(const flat *p, int m, double scale)
{
    for (uint32_t i = 0; i < p->n; i++) {
        corner[i] = i;
        for (int k = 0; k < 3; k++)
            point[3 * i + (uint32_t)k] = scale * (map[m][k] * p->u[i] + map[m][3 + k] * p->v[i]);
    }
}

static int polygon_test_cut(const flat *p)
{
    int crosses = -1;
    memset(triangle, 0xff, sizeof triangle);
    CU_ASSERT(!polygon_triangulate(&capacity, point, corner, p->n, triangle, &crosses));
    return crosses;
}

/* All triangles have the polygon's orientation, their areas sum to its area, and they cover its
 * points. */
static void check_cover(const flat *p, const char *what, rng *r, int points)
{
    double whole = whole_area2(p), sum = 0;
    int wrong = 0;
    for (uint32_t t = 0; t < p->n - 2; t++) {
        const uint32_t *c = triangle + 3 * t;
        int known = c[0] < p->n && c[1] < p->n && c[2] < p->n;
        EXPECT(known, "%s: a corner of triangle %u", what, t);
        if (!known)
            return;
        double a = area2(p, c[0], c[1], c[2]);
        wrong += a * whole < 0;
        sum += a;
    }
    EXPECT(!wrong, "%s (%u corners): %d triangles are turned over", what, p->n, wrong);
    EXPECT(sum == whole, "%s (%u corners): area %g, not %g", what, p->n, sum, whole);
    for (int i = 0; i < points; i++) {
        uint32_t c = rng_below(r, p->n);
        double u = p->u[c] + 8 * rng_unit(r) - 4, v = p->v[c] + 8 * rng_unit(r) - 4;
        int have = times_covered(p, u, v), want = polygon_test_is_inside(p, u, v);
        EXPECT(have == want, "%s (%u corners): (%g, %g) is in %d triangles, not %d", what, p->n, u,
               v, have, want);
    }
}

static void check_flat(const flat *p, const char *what, rng *r)
{
    for (int m = 0; m < MAPS; m++) {
        polygon_test_project(p, m, 1);
        int crosses = polygon_test_cut(p);
        EXPECT(!crosses, "%s, map %d: crosses itself?", what, m);
        check_cover(p, what, r, m < 3 ? 20 : 2);
        CU_ASSERT(polygon_holds(point, corner, p->n, triangle));
    }
}

static void polygon_test_add(flat *p, double u, double v)
{
    p->u[p->n] = u;
    p->v[p->n++] = v;
}

static flat from(const double *uv, size_t n)
{
    flat p = {0};
    for (size_t i = 0; i < n; i++)
        polygon_test_add(&p, uv[2 * i], uv[2 * i + 1]);
    return p;
}
#define FROM(list) from(list, sizeof(list) / sizeof *(list) / 2)

/* For every start and order of its corners with the same outline. */
static void check_turned(const flat *p, const char *what, rng *r)
{
    for (uint32_t first = 0; first < p->n; first++) {
        flat q = {.n = p->n}, back = {.n = p->n};
        for (uint32_t i = 0; i < p->n; i++) {
            q.u[i] = back.u[p->n - 1 - i] = p->u[(first + i) % p->n];
            q.v[i] = back.v[p->n - 1 - i] = p->v[(first + i) % p->n];
        }
        check_flat(&q, what, r);
        check_flat(&back, what, r);
    }
}

/* ---- shapes */

static const double notched[] = {0, 0, 4, 0, 4, 4, 2, 1, 0, 4};
static const double arrow[] = {0, 0, 4, 2, 0, 4, 1, 2};
static const double straight[] = {0, 0, 1, 0, 2, 0, 3, 0, 3, 3, 2, 3, 0, 3, 0, 1};
static const double stairs[] = {0, 0, 6, 0, 6, 1, 5, 1, 5, 2, 3, 2, 3, 5, 2, 5, 2, 6, 0, 6};
static const double plus_sign[] = {1, 0, 2, 0, 2, 1, 3, 1, 3, 2, 2, 2,
                                   2, 3, 1, 3, 1, 2, 0, 2, 0, 1, 1, 1};
static const double repeated[] = {0, 0, 0, 0, 4, 0, 4, 4, 4, 4, 4, 4, 2, 1, 2, 1, 0, 4};
static const double spike_out[] = {0, 0, 4, 0, 4, 2, 7, 2, 4, 2, 4, 4, 0, 4};
static const double spike_in[] = {0, 0, 4, 0, 4, 2, 2, 2, 4, 2, 4, 4, 0, 4};
static const double square_hole[] = {0, 0, 9, 0, 9, 9, 0, 9, 0, 0, 3, 3, 3, 6, 6, 6, 6, 3, 3, 3};
static const double two_holes[] = {0, 0, 20, 0, 20, 10, 0, 10, 0, 0, 2, 2, 2, 5, 5,
                                   5, 5, 2,  9, 4,  8,  7, 12, 8, 9, 4, 5, 2, 2, 2};
static const double corner_hole[] = {0, 0, 9, 0, 9, 9, 0, 9, 0, 0, 3, 6, 6, 3}; /* touches itself */
static const double pinched[] = {0, 0, 4, 0, 2, 2,
                                 4, 4, 0, 4, 2, 2}; /* two parts that meet at a point */
static const double hook[] = {0, 0, 9, 0, 9, 9, 2, 9, 2, 4, 5, 4, 5, 6,
                              4, 6, 4, 5, 3, 5, 3, 8, 8, 8, 8, 1, 0, 1};

static void test_polygon_shapes(void)
{
    static const struct {
        const char *name;
        const double *uv;
        size_t n;
    } all[] = {
#define SHAPE(x) {#x, x, sizeof x / sizeof *x / 2}
        SHAPE(notched), SHAPE(arrow),     SHAPE(straight),   SHAPE(stairs),   SHAPE(plus_sign),
        SHAPE(hook),    SHAPE(repeated),  SHAPE(spike_out),  SHAPE(spike_in), SHAPE(square_hole),
        SHAPE(pinched), SHAPE(two_holes), SHAPE(corner_hole)};
    rng r = {1};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        flat p = from(all[i].uv, all[i].n);
        check_turned(&p, all[i].name, &r);
    }
}

/* Convex polygons remain fans around their first corner. */
static void test_polygon_convex(void)
{
    static const double house[] = {0, 0, 4, 0, 5, 2, 4, 4, 1, 5, -1, 3};
    flat p = FROM(house);
    for (int m = 0; m < MAPS; m++) {
        polygon_test_project(&p, m, 1);
        CU_ASSERT(!polygon_test_cut(&p));
        for (uint32_t t = 0; t < p.n - 2; t++)
            CU_ASSERT(triangle[3 * t] == 0 && triangle[3 * t + 1] == t + 1 &&
                      triangle[3 * t + 2] == t + 2);
    }
}

/* A random outline: a star around a centre with integer corners. */
static void random_star(flat *p, uint32_t n, rng *r)
{
    p->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (i + 0.4 * rng_unit(r)) / n;
        double radius = 1000 * n * (0.05 + rng_unit(r));
        polygon_test_add(p, rint(radius * cos(angle)), rint(radius * sin(angle)));
    }
}

static void test_stars(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(200); i++) {
        flat p;
        random_star(&p, 4 + rng_below(&r, 40), &r);
        check_flat(&p, "star", &r);
    }
}

static int cross_each_other(const flat *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return area2(p, a, b, c) * area2(p, a, b, d) <= 0 && area2(p, c, d, a) * area2(p, c, d, b) <= 0;
}

/* Returns whether an edge crosses or touches another than its neighbours. */
static int find_crossing(const flat *p, uint32_t *a, uint32_t *c)
{
    for (*a = 0; *a < p->n; ++*a)
        for (*c = *a + 2; *c < p->n - (*a == 0); ++*c)
            if (cross_each_other(p, *a, *a + 1, *c, *c + 1 < p->n ? *c + 1 : 0))
                return 1;
    return 0;
}

static void polygon_test_swap(double *a, double *b)
{
    double was = *a;
    *a = *b;
    *b = was;
}

/* Random points, joined so that no edges cross: where two do, the path between them is reversed,
 * which makes it shorter. Returns 0 if collinear points prevent it. */
static int random_simple(flat *p, uint32_t n, rng *r)
{
    uint32_t a, c;
    p->n = 0;
    for (uint32_t i = 0; i < n; i++)
        polygon_test_add(p, rng_below(r, 3 * n), rng_below(r, 3 * n));
    for (int i = 0; i < 20000; i++) {
        if (!find_crossing(p, &a, &c))
            return 1;
        for (uint32_t low = a + 1, high = c; low < high; low++, high--) {
            polygon_test_swap(&p->u[low], &p->u[high]);
            polygon_test_swap(&p->v[low], &p->v[high]);
        }
    }
    return 0;
}

static int has_flat_corner(const flat *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (area2(p, i ? i - 1 : p->n - 1, i, i + 1 < p->n ? i + 1 : 0) == 0)
            return 1;
    return 0;
}

static void test_simple(void)
{
    rng r = {3};
    uint64_t good = 0;
    for (uint64_t i = 0; i < test_cases(600); i++) {
        flat p;
        if (!random_simple(&p, 4 + rng_below(&r, i % 10 ? 12 : 60), &r) || has_flat_corner(&p))
            continue;
        good++;
        check_flat(&p, "simple", &r);
    }
    CU_ASSERT(good > test_cases(600) / 4);
}

/* Random walks on a small grid of cells: outlines of connected cells, with straight corners,
 * corners that touch, and edges that overlap. */
static void test_polygon_cells(void)
{
    rng r = {4};
    for (uint64_t i = 0; i < test_cases(400); i++) {
        enum { SIDE = 6 };
        flat p = {0};
        /* traverses a tree of cells: each of its edges is passed twice */
        int seen[SIDE][SIDE] = {{0}}, path[SIDE * SIDE][2] = {{0}}, depth = 0, u = 2, v = 2;
        seen[u][v] = 1;
        static const int du[] = {1, 0, -1, 0}, dv[] = {0, 1, 0, -1};
        int from_side[SIDE * SIDE], next[SIDE * SIDE] = {0};
        from_side[0] = 0;
        path[0][0] = u;
        path[0][1] = v;
        while (depth >= 0 && p.n < 300) {
            u = path[depth][0];
            v = path[depth][1];
            int k = next[depth]++;
            int side = (from_side[depth] + k) % 4; /* counter-clockwise around the cell */
            int nu = u + du[side], nv = v + dv[side];
            if (k == 4) { /* back to the previous cell */
                depth--;
                continue;
            }
            int free_cell = nu >= 0 && nv >= 0 && nu < SIDE && nv < SIDE && !seen[nu][nv];
            if (free_cell && rng_below(&r, 2)) {
                seen[nu][nv] = 1;
                path[++depth][0] = nu;
                path[depth][1] = nv;
                from_side[depth] = (side + 3) % 4; /* begins after the side of entry */
                next[depth] = 0;
                continue;
            }
            if (k == 3 && depth) /* the side of entry */
                continue;
            /* the end of this side, in counter-clockwise order */
            double eu = u + (side == 0 || side == 3 ? 0.5 : -0.5) + 0.5;
            double ev = v + (side == 0 || side == 1 ? 0.5 : -0.5) + 0.5;
            polygon_test_add(&p, 2 * eu, 2 * ev);
        }
        if (p.n < 3 || p.n >= 300)
            continue;
        check_flat(&p, "cells", &r);
    }
}

/* ---- invalid polygons */

/* Any result must be deterministic, and consist of triangles between its corners. */
static void check_polygon_any(const flat *p, const char *what, int want_crosses)
{
    static uint32_t first[3 * MOST];
    int crosses = polygon_test_cut(p);
    EXPECT(want_crosses < 0 || crosses == want_crosses, "%s: crosses %d", what, crosses);
    for (uint32_t i = 0; i < 3 * (p->n - 2); i++)
        EXPECT(triangle[i] < p->n, "%s: corner %u", what, triangle[i]);
    memcpy(first, triangle, sizeof first);
    CU_ASSERT(polygon_test_cut(p) == crosses && !memcmp(first, triangle, sizeof first));
    polygon_holds(point, corner, p->n, triangle);
}

static void test_crossing(void)
{
    static const double bow_tie[] = {0, 0, 4, 4, 4, 0, 0, 4}, eight[] = {0, 0, 4, 4, 4, 1, 0, 4};
    static const double pentagram[] = {0, 10, 6, -8, -10, 3, 10, 3, -6, -8};
    static const double twice[] = {0, 0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4};
    static const double loop[] = {0, 0, 9, 0, 9, 9, 3, 3, 3, 6, 9, 3, 9, 12, 0, 12};
    char name[64];
    const flat all[] = {FROM(bow_tie), FROM(eight), FROM(pentagram), FROM(twice), FROM(loop)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int m = 0; m < MAPS; m++) {
            polygon_test_project(&all[i], m, 1);
            snprintf(name, sizeof name, "crossing %zu, map %d", i, m);
            check_polygon_any(&all[i], name, i < 4 ? 1 : -1); /* the last one covers a part twice */
        }
}

static void test_no_area(void)
{
    static const double line[] = {0, 0, 1, 1, 2, 2, 3, 3},
                        there_and_back[] = {0, 0, 5, 5, 2, 2, 9, 9, 1, 1};
    static const double same_point[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const flat all[] = {FROM(line), FROM(there_and_back), FROM(same_point)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int m = 0; m < MAPS; m++) {
            polygon_test_project(&all[i], m, 1);
            check_polygon_any(&all[i], "no area", 0);
        }
}

static void test_polygon_random(void)
{
    rng r = {5};
    for (uint64_t i = 0; i < test_cases(3000); i++) {
        flat p = {0};
        uint32_t n = 3 + rng_below(&r, 12);
        for (uint32_t k = 0; k < n; k++)
            polygon_test_add(&p, rng_below(&r, 5), rng_below(&r, 5));
        polygon_test_project(&p, (int)(i % MAPS), 1);
        if (i % 3 == 0)
            for (uint32_t k = 0; k < 3 * n; k++)
                point[k] += (double)rng_below(&r, 3);
        if (i % 50 == 0)
            point[rng_below(&r, 3 * n)] = i % 100 ? NAN : INFINITY;
        check_polygon_any(&p, "random", -1);
    }
}

/* Scaling by a power of two changes nothing, however large or small. */
static void test_scale(void)
{
    static const int power[] = {-1000, -500, -30, 1, 40, 600, 1000};
    static uint32_t first[3 * MOST];
    rng r = {6};
    for (int i = 0; i < 20; i++) {
        flat p;
        random_star(&p, 20, &r);
        polygon_test_project(&p, i % MAPS, 1);
        polygon_test_cut(&p);
        memcpy(first, triangle, sizeof first);
        for (size_t k = 0; k < sizeof power / sizeof *power; k++) {
            polygon_test_project(&p, i % MAPS, ldexp(1, power[k]));
            CU_ASSERT(!polygon_test_cut(&p));
            EXPECT(!memcmp(first, triangle, sizeof first), "scale 2^%d", power[k]);
        }
    }
    flat square = {0};
    polygon_test_add(&square, 0, 0); /* over the full range of numbers */
    polygon_test_project(&square, 0, 1);
    static const double huge[] = {-1.7e308, -1.7e308, 0, 1.7e308,  -1.7e308, 0, 1.7e308, 1.7e308, 0,
                                  0,        -1e308,   0, -1.7e308, 1.7e308,  0};
    int crosses = -1;
    for (uint32_t i = 0; i < 5; i++)
        corner[i] = i;
    CU_ASSERT(!polygon_triangulate(&capacity, huge, corner, 5, triangle, &crosses) && !crosses);
}

/* A cube far away: small details are triangulated as near the origin. */
static void test_polygon_far(void)
{
    rng r = {7};
    for (int m = 0; m < MAPS - 2; m++) {
        flat p = FROM(hook);
        polygon_test_project(&p, m, 1);
        for (uint32_t i = 0; i < 3 * p.n; i++)
            point[i] = point[i] * 0x1p-10 + 0x1p30;
        CU_ASSERT(!polygon_test_cut(&p));
        check_cover(&p, "far", &r, 20);
    }
}

/* ---- non-planar */

/* A non-planar polygon is triangulated as seen along its area vector. */
static void test_bent(void)
{
    rng r = {8};
    for (uint64_t i = 0; i < test_cases(200); i++) {
        flat p;
        random_star(&p, 5 + rng_below(&r, 20), &r);
        polygon_test_project(&p, 0, 1);
        for (uint32_t k = 0; k < p.n; k++)
            point[3 * k + 2] =
                100 * rng_unit(&r) * p.n; /* large heights, but simple when seen from above */
        CU_ASSERT(!polygon_test_cut(&p));
        check_cover(&p, "bent", &r, 5);
    }
}

/* An outline that crosses itself when seen along each axis, but not along its area vector. */
static void test_other_view(void)
{
    rng r = {9};
    int seen_other = 0;
    for (uint64_t i = 0; i < test_cases(500); i++) {
        flat p;
        random_star(&p, 8, &r);
        /* in the plane normal to (1, 1, 1), displaced along it */
        for (uint32_t k = 0; k < p.n; k++) {
            double h = 3 * 8000 * (rng_unit(&r) - 0.5), u = p.u[k] / 1.414213562373095,
                   v = p.v[k] / 2.449489742783178;
            corner[k] = k;
            point[3 * k] = u + v + h;
            point[3 * k + 1] = -u + v + h;
            point[3 * k + 2] = -2 * v + h;
        }
        seen_other += !polygon_test_cut(&p);
    }
    CU_ASSERT(seen_other > 10);
}

/* ---- the same triangles later */

static void test_holds(void)
{
    flat p = FROM(notched);
    polygon_test_project(&p, 0, 1);
    CU_ASSERT(!polygon_test_cut(&p));
    CU_ASSERT(polygon_holds(point, corner, p.n, triangle));
    point[10] = 2; /* the notch moves slightly */
    CU_ASSERT(polygon_holds(point, corner, p.n, triangle));
    static const double moved[] = {0, 0, 4, 0, 4, 4, 2, 5, 0, 4},
                        other[] = {2, 2, 4, 0, 4, 4, 2, 5, 0, 4};
    p = FROM(moved); /* without the notch: all triangles are still valid */
    polygon_test_project(&p, 3, 1);
    CU_ASSERT(polygon_holds(point, corner, p.n, triangle));
    p = FROM(other); /* the notch is at another corner */
    for (int m = 0; m < MAPS; m++) {
        polygon_test_project(&p, m, 1);
        int wrong = 0;
        double whole = whole_area2(&p);
        for (int t = 0; t < 3; t++)
            wrong |=
                area2(&p, triangle[3 * t], triangle[3 * t + 1], triangle[3 * t + 2]) * whole < 0;
        EXPECT(polygon_holds(point, corner, p.n, triangle) == !wrong, "map %d: %d", m, wrong);
    }
}

/* A folded square keeps its triangulation; a planar one does not. */
static void test_holds_bent(void)
{
    static const uint32_t diagonal[] = {0, 1, 2, 0, 2, 3};
    double flat_arrow[] = {0, 0, 0, 1, 3, 0, 0, 1, 0, -1, 3, 0};
    for (uint32_t i = 0; i < 4; i++)
        corner[i] = i;
    CU_ASSERT(polygon_holds(flat_arrow, corner, 4, diagonal));
    double other_arrow[] = {0, 1, 0, 1, 3, 0, 0, 0, 0, -1, 3, 0};
    static const uint32_t across[] = {1, 2, 3, 1, 3, 0};
    CU_ASSERT(polygon_holds(other_arrow, corner, 4, diagonal));
    CU_ASSERT(!polygon_holds(other_arrow, corner, 4, across));
    other_arrow[2] = 2; /* bent upwards */
    CU_ASSERT(polygon_holds(other_arrow, corner, 4, across));
    other_arrow[2] = NAN;
    CU_ASSERT(polygon_holds(other_arrow, corner, 4, across));
}

/* ---- very many corners */

static void polygon_test_large(uint32_t n, double **space, uint32_t **corners, uint32_t **out)
{
    *space = calloc(n, 3 * sizeof **space);
    *corners = calloc(n, sizeof **corners);
    *out = calloc(n, 3 * sizeof **out);
    CU_ASSERT_FATAL(*space && *corners && *out);
    for (uint32_t i = 0; i < n; i++)
        (*corners)[i] = i;
}

static void check_polygon_large(const double *space, const uint32_t *corners, uint32_t *out,
                                uint32_t n, const char *what)
{
    int crosses = -1;
    double whole = 0, sum = 0, turned = 0;
    CU_ASSERT(!polygon_triangulate(&capacity, space, corners, n, out, &crosses) && !crosses);
    for (uint32_t i = 0; i < n; i++) {
        const double *a = space + 3 * i, *b = space + 3 * (i + 1 < n ? i + 1 : 0);
        whole += a[0] * b[1] - a[1] * b[0];
    }
    for (uint32_t t = 0; t < n - 2; t++) {
        const double *a = space + 3 * out[3 * t], *b = space + 3 * out[3 * t + 1],
                     *c = space + 3 * out[3 * t + 2];
        double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        sum += area;
        turned += area * whole < 0;
    }
    EXPECT(sum == whole && turned == 0, "%s: area %.17g, not %.17g, %g turned", what, sum, whole,
           turned);
}

static void test_polygon_large(void)
{
    enum { N = 100000 };
    double *space;
    uint32_t *corners, *out;
    polygon_test_large(N, &space, &corners, &out);
    for (uint32_t i = 0; i < N; i++) { /* a comb: teeth and a straight back */
        space[3 * i] = i < N / 2 ? i : N - 1 - i;
        space[3 * i + 1] = i < N / 2 ? 0 : i % 2 ? 1000 : 1;
    }
    check_polygon_large(space, corners, out, N, "comb");
    for (uint32_t i = 0; i < N; i++) { /* a spiral of two walls */
        uint32_t k = i < N / 2 ? i : N - 1 - i;
        double angle = k * 0.01, radius = 100 + 0.2 * k + (i < N / 2 ? 50 : 0);
        space[3 * i] = rint(radius * 64 * cos(angle));
        space[3 * i + 1] = rint(radius * 64 * sin(angle));
    }
    check_polygon_large(space, corners, out, N, "spiral");
    rng r = {11};
    for (uint32_t i = 0; i < N; i++) { /* a star */
        double angle = 6.283185307179586 * i / N, radius = 1e7 * (0.2 + rng_unit(&r));
        space[3 * i] = rint(radius * cos(angle));
        space[3 * i + 1] = rint(radius * sin(angle));
    }
    check_polygon_large(space, corners, out, N, "star");
    free(space);
    free(corners);
    free(out);
    polygon_workspace_free(&capacity);
}

/* Long teeth around a point that contains all roots: excessive time is an error, not a wrong
 * answer. */
static void test_too_long(void)
{
    enum { N = 60000 };
    if (TEST_SANITIZED)
        SKIP("it takes long on purpose");
    double *space;
    uint32_t *corners, *out;
    int crosses = 0;
    polygon_test_large(N, &space, &corners, &out);
    for (uint32_t i = 0; i + 1 < N; i++) {
        space[3 * i] = (i % 2 ? 1e6 : 10) * cos(1.5 * i / N);
        space[3 * i + 1] = (i % 2 ? 1e6 : 10) * sin(1.5 * i / N);
    }
    int err = polygon_triangulate(&capacity, space, corners, N, out, &crosses);
    EXPECT(!err || err == IMP_ERR_INPUT, "%d", err);
    EXPECT(!crosses, "it does not cross itself");
    for (uint32_t t = 0; t < N - 2 && !err; t++) {
        const double *a = space + 3 * out[3 * t], *b = space + 3 * out[3 * t + 1],
                     *c = space + 3 * out[3 * t + 2];
        EXPECT((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= -1e-3, "%u", t);
    }
    free(space);
    free(corners);
    free(out);
    polygon_workspace_free(&capacity);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"shapes", test_polygon_shapes},
                                 {"convex", test_polygon_convex},
                                 {"stars", test_stars},
                                 {"simple", test_simple},
                                 {"cells", test_polygon_cells},
                                 {"crossing", test_crossing},
                                 {"no_area", test_no_area},
                                 {"random", test_polygon_random},
                                 {"scale", test_scale},
                                 {"far", test_polygon_far},
                                 {"bent", test_bent},
                                 {"other_view", test_other_view},
                                 {"holds", test_holds},
                                 {"holds_bent", test_holds_bent},
                                 {"large", test_polygon_large},
                                 {"too_long", test_too_long},
                                 {0}};
    int code = test_main(argc, argv, "polygon", tests);
    polygon_workspace_free(&capacity);
    return code;
}
