/* The nearest points of two features, also of nearly parallel edges and nearly degenerate faces: on
 * the features, in order, and no farther apart than those that other code finds. */
#include "closest.h"
#include "expect.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

static void closest_lerp_points(const double *a, const double *b, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = (1 - t) * a[k] + t * b[k];
}

static double closest_test_distance(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double closest_test_edge_distance(const double *p, const double *a, const double *b)
{
    double along = 0, size = 0, at[3];
    for (int k = 0; k < 3; k++) {
        along += (b[k] - a[k]) * (p[k] - a[k]);
        size += (b[k] - a[k]) * (b[k] - a[k]);
    }
    closest_lerp_points(a, b, size > 0 ? fmin(fmax(along / size, 0), 1) : 0, at);
    return closest_test_distance(at, p);
}

/* Distance of a point of the first edge to the second one, or of the vertex to a section of the
 * face. */
static double at_place(int face, const double x[4][3], double t)
{
    double from[3], to[3];
    closest_lerp_points(x[0], x[1], t, from);
    closest_lerp_points(x[2], x[1], t, to);
    return face ? closest_test_edge_distance(x[3], from, to)
                : closest_test_edge_distance(from, x[2], x[3]);
}

/* Ternary search: along the interval the distance decreases, then increases. */
static double closest_test_least_distance(int face, const double x[4][3])
{
    double low = 0, high = 1, least = fmin(at_place(face, x, 0), at_place(face, x, 1));
    for (int i = 0; i < 120; i++) {
        const double third = (high - low) / 3, p = at_place(face, x, low + third),
                     q = at_place(face, x, high - third);
        least = fmin(least, fmin(p, q));
        *(p < q ? &high : &low) += p < q ? -third : third;
    }
    return least;
}

static double off_features(int face, const double x[4][3], const double *p, const double *q)
{
    double with[4][3];
    if (!face)
        return fmax(closest_test_edge_distance(p, x[0], x[1]),
                    closest_test_edge_distance(q, x[2], x[3]));
    memcpy(with, x, sizeof with);
    memcpy(with[3], p, sizeof with[3]);
    return fmax(closest_test_least_distance(1, (const double(*)[3])with),
                closest_test_distance(q, x[3]));
}

static int closest_test_in_order(const double out[6])
{
    for (int k = 0; k < 3; k++)
        if (out[k] != out[3 + k])
            return out[k] < out[3 + k];
    return 1;
}

static void check_closest(int face, const double x[4][3], double size, const char *what,
                          uint64_t number)
{
    double out[6];
    closest_points(face, x, out);
    const double found = closest_test_distance(out, out + 3),
                 least = closest_test_least_distance(face, x);
    const double off =
        fmin(off_features(face, x, out, out + 3), off_features(face, x, out + 3, out));
    EXPECT(found <= least + 1e-14 * size, "%s %llu: %.17g, not %.17g", what,
           (unsigned long long)number, found, least);
    EXPECT(off <= 1e-15 * size, "%s %llu: %g beside", what, (unsigned long long)number, off);
    EXPECT(closest_test_in_order(out), "%s %llu: out of order", what, (unsigned long long)number);
}

static void closest_test_random_corners(rng *r, double x[4][3])
{
    for (int i = 0; i < 12; i++)
        x[i / 3][i % 3] = 2 * rng_unit(r) - 1;
}

static void test_closest_random(void)
{
    rng r = {1};
    for (uint64_t i = 0; i < test_cases(4000); i++) {
        double x[4][3];
        closest_test_random_corners(&r, x);
        check_closest((int)(i % 2), (const double(*)[3])x, 1, "random", i);
    }
}

/* Corners on a coarse grid: nearest at vertices, on edges, collapsed. */
static void test_grid(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(8000); i++) {
        double x[4][3];
        for (int k = 0; k < 12; k++)
            x[k / 3][k % 3] = rng_below(&r, 4) / 4.;
        check_closest((int)(i % 2), (const double(*)[3])x, 1, "grid", i);
    }
}

/* The third corner is nearly on the line of the first two, or the second edge is nearly parallel to
 * the first. The features touch, nearly touch, or are apart. */
static void test_slivers(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_cases(20000); i++) {
        double x[4][3];
        const int face = (int)(i % 2);
        const double angle = ldexp(1, -(int)rng_below(&r, 60)), t = 2 * rng_unit(&r) - 0.5;
        const double gap = i % 3 ? ldexp(1, -(int)rng_below(&r, 60)) : 0;
        closest_test_random_corners(&r, x);
        if (face) {
            for (int k = 0; k < 3; k++)
                x[2][k] = (1 - t) * x[0][k] + t * x[1][k] + angle * (2 * rng_unit(&r) - 1);
            const double u = rng_unit(&r), v = rng_unit(&r) * (1 - u);
            for (int k = 0; k < 3; k++)
                x[3][k] = (1 - u - v) * x[0][k] + u * x[1][k] + v * x[2][k] + gap * rng_unit(&r);
        } else {
            for (int k = 0; k < 3; k++)
                x[3][k] = x[1][k] - x[0][k] + angle * (2 * rng_unit(&r) - 1); /* its direction */
            const double u = rng_unit(&r), v = rng_unit(&r);
            for (int k = 0; k < 3; k++) {
                x[2][k] = (1 - u) * x[0][k] + u * x[1][k] - v * x[3][k] + gap * rng_unit(&r);
                x[3][k] += x[2][k];
            }
        }
        check_closest(face, (const double(*)[3])x, 4, "sliver", i);
    }
}

/* Features far smaller than anything in a frame: the points scale exactly. */
static void test_closest_small(void)
{
    rng r = {4};
    for (uint64_t i = 0; i < test_cases(2000); i++) {
        double x[4][3];
        const int power = -(int)rng_below(&r, 900);
        closest_test_random_corners(&r, x);
        for (int k = 0; k < 12; k++)
            x[k / 3][k % 3] *= ldexp(1, power);
        double big[4][3], out[2][6];
        for (int k = 0; k < 12; k++)
            big[k / 3][k % 3] = ldexp(x[k / 3][k % 3], -power);
        closest_points((int)(i % 2), (const double(*)[3])x, out[0]);
        closest_points((int)(i % 2), (const double(*)[3])big, out[1]);
        for (int k = 0; k < 6; k++)
            EXPECT(out[0][k] == ldexp(out[1][k], power), "%llu: other points at 2^%d",
                   (unsigned long long)i, power);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"random", test_closest_random},
                                 {"grid", test_grid},
                                 {"slivers", test_slivers},
                                 {"small", test_closest_small},
                                 {0}};
    return test_main(argc, argv, "closest", tests);
}
