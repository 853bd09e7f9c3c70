/* exact_ccd_first_near: features whose distance falls to a given one at a known instant; the same
 * results with the float64 filter as with integers alone; with distance 0 the results of
 * exact_ccd_first; and distances by another method are not smaller before. */
#include "exact.h"
#include "expect.h"
#include "ccd_cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_near_ccd_case(enum exact_ccd_kind kind, const exact_motion *m, double distance)
{
    printf("\n    %s, %a:", kind == EXACT_VERTEX_FACE ? "vertex, face" : "edges", distance);
    for (int i = 0; i < 24; i++)
        printf("%s %a", i % 12 ? "" : "\n     ", m->at[i / 12][i / 3 % 4].x[i % 3]);
    printf("\n");
}

/* Queries with and without the float64 filter, which agree. -1: never. */
static double near_ccd_query(enum exact_ccd_kind kind, const exact_motion *m, double distance)
{
    double toi[2] = {-1, -1};
    int found[2] = {exact_ccd_first_near(kind, m, distance, &toi[0]),
                    exact_near_integers(kind, m, distance, &toi[1])};
    int same = found[0] == found[1] && toi[0] == toi[1] && found[0] == (toi[0] >= 0);
    EXPECT(same, "found %d at %a, by integers %d at %a", found[0], toi[0], found[1], toi[1]);
    if (!same)
        print_near_ccd_case(kind, m, distance);
    return toi[1];
}

static int64_t near_ccd_uniform(rng *r, int low, int high)
{
    return low + (int64_t)rng_below(r, (uint32_t)(high - low + 1));
}

/* ---- distance 0 */

static void test_no_distance(void)
{
    uint64_t cases = test_cases(1500), met = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        exact_motion m;
        double toi = -1;
        const enum exact_ccd_kind kind = i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
        moving_case_grid(&r, i % 3 ? 4 : 2, &m);
        exact_ccd_first(kind, &m, &toi);
        EXPECT(toi == near_ccd_query(kind, &m, 0), "they meet at %a", toi);
        met += toi > 0;
    }
    CU_ASSERT(met >= cases / 20);
}

/* ---- known instants. Two features are (0, 0, n), or (3, 4, 0) n with closest points at vertices,
 * apart, and approach along that direction. */

typedef struct plan {
    enum exact_ccd_kind kind;
    int64_t there[4][3], way[4][3]; /* as in ccd_cases.c */
} plan;

/* The vertex is over the face, or the edges cross over each other. All may move within their
 * planes. */
static void over_face(rng *r, plan *p)
{
    static const int64_t triangle[3][2] = {{-5, -5}, {5, -5}, {0, 5}};
    p->kind = rng_below(r, 2) ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            p->way[i][k] = near_ccd_uniform(r, -3, 3);
            if (p->kind == EXACT_VERTEX_FACE)
                p->there[i][k] = i < 3 ? triangle[i][k] : near_ccd_uniform(r, -2, 0);
            else
                p->there[i][k] =
                    (i / 2 == k) * (i % 2 ? near_ccd_uniform(r, 0, 5) : -near_ccd_uniform(r, 1, 5));
        }
}

/* Two vertices; everything else is behind or beside them. */
static void at_vertices(rng *r, plan *p)
{
    static const int64_t side[3] = {4, -3, 0};
    int64_t way[4] = {near_ccd_uniform(r, -3, 3), near_ccd_uniform(r, -3, 3), 0,
                      near_ccd_uniform(r, -3, 3)};
    p->kind = rng_below(r, 2) ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
    for (int i = 0; i < 4; i++) {
        int other = p->kind == EXACT_VERTEX_FACE ? i == 3 : i > 1;
        int vertex = i == 0 || i == (p->kind == EXACT_VERTEX_FACE ? 3 : 2);
        int64_t back = (other ? 1 : -1) * near_ccd_uniform(r, 0, 4),
                beside = near_ccd_uniform(r, -4, 4);
        for (int k = 0; k < 3; k++) {
            int64_t along = k == 0 ? 3 : k == 1 ? 4 : 0;
            p->there[i][k] = vertex ? 0 : back * along + beside * side[k];
            p->way[i][k] = way[k];
        }
        p->there[i][2] += vertex ? 0 : near_ccd_uniform(r, -4, 4);
    }
}

static void known_make(rng *r, plan *p, int *num, int *den, int64_t *n)
{
    static const int dens[] = {2, 3, 5, 7, 10, 1024};
    int at_ends = (int)rng_below(r, 2), speed = (int)near_ccd_uniform(r, 1, 5);
    memset(p, 0, sizeof *p);
    (at_ends ? at_vertices : over_face)(r, p);
    *n = near_ccd_uniform(r, 1, 9);
    *den = dens[rng_below(r, 6)];
    *num = (int)rng_below(r, (uint32_t)*den + 1);
    for (int i = p->kind == EXACT_VERTEX_FACE ? 3 : 2; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            int64_t along = at_ends ? (k == 0 ? 3 : k == 1 ? 4 : 0) : k == 2;
            p->there[i][k] += *n * along;
            p->way[i][k] -= speed * along;
        }
    *n *= at_ends ? 5 : 1;
}

static void test_near_ccd_known(void)
{
    uint64_t cases = test_cases(1000);
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        plan p;
        exact_motion m;
        int num, den, axis = (int)rng_below(&r, 3), mirror = rng_below(&r, 2) ? -1 : 1;
        int scale =
            i % 16 ? (int)near_ccd_uniform(&r, -40, 40) : (int)near_ccd_uniform(&r, -1074, 900);
        int64_t n;
        known_make(&r, &p, &num, &den, &n);
        for (int j = 0; j < 12; j++) {
            int64_t there = p.there[j / 3][j % 3] * mirror, way = p.way[j / 3][j % 3] * mirror;
            int k = (j + axis) % 3;
            m.at[0][j / 3].x[k] = ldexp((double)(there - num * way + 77), scale);
            m.at[1][j / 3].x[k] = ldexp((double)(there + (den - num) * way + 33), scale);
        }
        double want = (double)num / den, toi = near_ccd_query(p.kind, &m, ldexp((double)n, scale));
        want = fma(want, den, -num) > 0 ? nextafter(want, 0) : want;
        EXPECT(toi == want, "%a, not %a", toi, want);
    }
}

/* ---- distances by other code: the minimum over a face or two edges by nested search over both
 * parameters, as the function is convex */

typedef struct placed {
    enum exact_ccd_kind kind;
    double x[4][3];
} placed;

static placed near_ccd_place(enum exact_ccd_kind kind, const exact_motion *m, double t)
{
    placed p = {.kind = kind};
    for (int i = 0; i < 12; i++)
        p.x[i / 3][i % 3] = (1 - t) * m->at[0][i / 3].x[i % 3] + t * m->at[1][i / 3].x[i % 3];
    return p;
}

static double square_at(const placed *p, double u, double v)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double a = p->x[0][k], b = p->x[1][k], c = p->x[2][k], d = p->x[3][k];
        double way = a + u * (b - a);
        way += p->kind == EXACT_VERTEX_FACE ? v * (c - a) - d : -c - v * (d - c);
        sum += way * way;
    }
    return sum;
}

/* the minimum over v for a given u, of a quadratic function given by three of its values */
static double least_of_v(const placed *p, double u)
{
    double most = p->kind == EXACT_VERTEX_FACE ? 1 - u : 1;
    double c = square_at(p, u, 0), one = square_at(p, u, 1), minus = square_at(p, u, -1);
    double a = 0.5 * (one + minus) - c, b = 0.5 * (one - minus);
    double v = a > 0 ? -b / (2 * a) : b > 0 ? 0 : most;
    v = fmin(fmax(v, 0), most);
    return square_at(p, u, v);
}

static double distance_of(const placed *p)
{
    double low = 0, high = 1;
    for (int step = 0; step < 120; step++) {
        double u = low + (high - low) / 3, v = high - (high - low) / 3;
        if (least_of_v(p, u) > least_of_v(p, v))
            low = u;
        else
            high = v;
    }
    double inner = least_of_v(p, low);
    return sqrt(fmin(inner, fmin(least_of_v(p, 0), least_of_v(p, 1))));
}

/* At the toi the features have that distance, and before it a larger one. */
static void test_near_ccd_distances(void)
{
    uint64_t cases = test_cases(400), later = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        exact_motion m;
        const enum exact_ccd_kind kind = i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
        double distance = 0.05 + rng_unit(&r);
        if (i % 4 < 2)
            moving_case_grid(&r, 4, &m);
        else
            for (int k = 0; k < 24; k++)
                m.at[k / 12][k / 3 % 4].x[k % 3] = 3 * rng_unit(&r);
        double toi = near_ccd_query(kind, &m, distance), until = toi < 0 ? 1 : toi;
        placed there = near_ccd_place(kind, &m, until);
        double found = distance_of(&there);
        later += toi > 0;
        if (toi >= 0)
            EXPECT(found <= distance + 1e-6 && (toi == 0 || found >= distance - 1e-6),
                   "distance %g, not %g", found, distance);
        for (int k = 0; k < 16 && until > 0; k++) {
            placed before = near_ccd_place(kind, &m, until * k / 16);
            EXPECT(distance_of(&before) >= distance - 1e-6, "nearer at %g", until * k / 16);
        }
    }
    CU_ASSERT(later >= cases / 20);
}

/* Distances of all sizes, and coordinates of one scale or of many. */
static void test_near_ccd_random(void)
{
    uint64_t cases = test_cases(3000), later = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        exact_motion m;
        int many = i % 64 == 0, scale = many ? 0 : (int)near_ccd_uniform(&r, -60, 60);
        for (int k = 0; k < 24; k++)
            m.at[k / 12][k / 3 % 4].x[k % 3] = ldexp(
                rng_unit(&r) - (k % 12 == 11), many ? (int)near_ccd_uniform(&r, -300, 300) : scale);
        double distance = ldexp(rng_unit(&r), scale - (int)near_ccd_uniform(&r, 0, 20));
        later += near_ccd_query(i % 2 ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m, distance) > 0;
    }
    CU_ASSERT(later >= cases / 50);
}

/* Coordinates and distances of all sizes together. */
static void test_near_ccd_mixed(void)
{
    uint64_t cases = test_cases(300), later = 0;
    for (uint64_t i = 0; i < cases; i++) {
        rng r = {i};
        moving_case c;
        moving_case_mixed(&r, (int)(i % MOVING_MIXED), &c);
        later +=
            near_ccd_query(c.kind, &c.m,
                           ldexp(0.5 + rng_unit(&r), (int)near_ccd_uniform(&r, -1074, 1022))) > 0;
    }
    CU_ASSERT(later > cases / 20);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"no_distance", test_no_distance}, {"known", test_near_ccd_known},
        {"random", test_near_ccd_random},  {"distances", test_near_ccd_distances},
        {"mixed", test_near_ccd_mixed},    {0}};
    return test_main(argc, argv, "near", tests);
}
