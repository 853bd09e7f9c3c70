/* The distance of a point from a plane, correctly rounded: against rational numbers. For all
 * magnitudes, points near planes, slivers, and values at and beside the midpoint of two float64. */
#include "exact.h"
#include "expect.h"
#include "testlib.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

/* ---- rational arithmetic */

static void exactly_minus(mpq_t r, double a, double b)
{
    mpq_t other;
    mpq_init(other);
    mpq_set_d(r, a);
    mpq_set_d(other, b);
    mpq_sub(r, r, other);
    mpq_clear(other);
}

/* r += s x y */
static void exactly_add(mpq_t r, int s, const mpq_t x, const mpq_t y)
{
    mpq_t product;
    mpq_init(product);
    mpq_mul(product, x, y);
    if (s > 0)
        mpq_add(r, r, product);
    else
        mpq_sub(r, r, product);
    mpq_clear(product);
}

/* The squares of distance * |normal|, and of |normal|. */
static void find_squares(const exact_point p[4], mpq_t height, mpq_t square)
{
    mpq_t d[3][3], n, h;
    mpq_init(n);
    mpq_init(h);
    for (int i = 0; i < 9; i++) {
        mpq_init(d[i / 3][i % 3]);
        exactly_minus(d[i / 3][i % 3], p[1 + i / 3].x[i % 3], p[0].x[i % 3]);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_set_ui(n, 0, 1);
        exactly_add(n, 1, d[0][i], d[1][j]);
        exactly_add(n, -1, d[0][j], d[1][i]);
        exactly_add(h, 1, n, d[2][k]);
        exactly_add(square, 1, n, n);
    }
    exactly_add(height, 1, h, h);
    for (int i = 0; i < 9; i++)
        mpq_clear(d[i / 3][i % 3]);
    mpq_clear(n);
    mpq_clear(h);
}

/* Compares the midpoint of x and y with the distance. An infinite y stands for 2^1024. */
static int line_distance_test_compare_middle(double x, double y, const mpq_t height,
                                             const mpq_t square)
{
    mpq_t middle, other;
    mpq_init(middle);
    mpq_init(other);
    mpq_set_d(middle, x);
    mpq_set_d(other, isinf(y) ? 0x1p1023 : y);
    if (isinf(y))
        mpq_mul_2exp(other, other, 1);
    mpq_add(middle, middle, other);
    mpq_div_2exp(middle, middle, 1);
    mpq_mul(middle, middle, middle);
    mpq_mul(middle, middle, square);
    const int order = mpq_cmp(middle, height);
    mpq_clear(middle);
    mpq_clear(other);
    return order;
}

static int is_odd(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits & 1);
}

/* 0: wrong; 1: right; 2: right, at the midpoint of two float64 */
static int distance_right(const exact_point p[4], double claim)
{
    mpq_t height, square;
    mpq_init(height);
    mpq_init(square);
    find_squares(p, height, square);
    int right;
    if (isinf(claim)) {
        right = line_distance_test_compare_middle(nextafter(claim, 0), claim, height, square) <= 0;
    } else {
        const int above = line_distance_test_compare_middle(claim, nextafter(claim, INFINITY),
                                                            height, square),
                  below = claim > 0 ? line_distance_test_compare_middle(nextafter(claim, 0), claim,
                                                                        height, square)
                                    : -1;
        right = is_odd(claim) ? above > 0 && below < 0 : above >= 0 && below <= 0;
        right += right && (!above || !below);
    }
    mpq_clear(height);
    mpq_clear(square);
    return right;
}

/* ---- cases */

static int middles;

static void check_distance(const char *what, uint64_t seed, const exact_point p[4])
{
    /* for each point as the origin of differences, and on either side */
    static const int order[][3] = {{0, 1, 2}, {2, 0, 1}, {1, 0, 2}};
    for (int i = 0; i < 3; i++) {
        const double d = exact_distance(&p[order[i][0]], &p[order[i][1]], &p[order[i][2]], &p[3]);
        const int right = distance_right(p, d);
        EXPECT(right, "%s, seed %llu, order %d: %a", what, (unsigned long long)seed, i, d);
        middles += right == 2;
    }
}

static int line_distance_test_has_area(const exact_point p[4])
{
    mpq_t height, square;
    mpq_init(height);
    mpq_init(square);
    find_squares(p, height, square);
    const int has = mpq_sgn(square) != 0;
    mpq_clear(height);
    mpq_clear(square);
    return has;
}

static double line_distance_test_spread(rng *r, int low, int high)
{
    return ldexp(rng_unit(r) * 2 - 1, low + (int)rng_below(r, (uint32_t)(high - low + 1)));
}

static double make_number(rng *r, int kind)
{
    switch (kind) {
    case 0:
        return rng_unit(r);
    case 1:
        return rng_below(r, 7);
    case 2:
        return line_distance_test_spread(r, -60, 60);
    case 3:
        return line_distance_test_spread(r, -1074, 1023);
    case 4:
        return ldexp((double)rng_below(r, 9) - 4, -1074);
    case 5:
        return ldexp(rng_unit(r) * 2 - 1, 1024);
    default: { /* near integers */
        const double x = rng_below(r, 4);
        return rng_below(r, 3) ? x : nextafter(x, rng_below(r, 2) ? 9 : -9);
    }
    }
}

static void test_line_distance_any(void)
{
    static const char *const names[] = {"unit",      "integers", "spread",       "all magnitudes",
                                        "denormals", "greatest", "near integers"};
    for (int kind = 0; kind < 7; kind++)
        for (uint64_t seed = 0; seed < test_cases(kind == 3 ? 400 : 1500); seed++) {
            rng r = {seed};
            exact_point p[4];
            for (int i = 0; i < 12; i++)
                p[i / 3].x[i % 3] = make_number(&r, kind);
            if (line_distance_test_has_area(p))
                check_distance(names[kind], seed, p);
        }
}

/* Large coordinates along one axis, equal for all points, and small ones along the others: all
 * differences are small. */
static void test_line_distance_far(void)
{
    for (uint64_t seed = 0; seed < test_cases(1500); seed++) {
        rng r = {seed};
        exact_point p[4];
        const double far = line_distance_test_spread(&r, 250, 1023);
        const int small = -(int)rng_below(&r, 1070);
        for (int i = 0; i < 12; i++)
            p[i / 3].x[i % 3] = i % 3 ? ldexp(rng_unit(&r), small) : far;
        p[3].x[0] = rng_below(&r, 2) ? far : nextafter(far, 0);
        for (int k = 0; k < 3; k++) /* not all in a plane of constant x */
            if (rng_below(&r, 3))
                p[k].x[0] = nextafter(far, 0);
        if (line_distance_test_has_area(p))
            check_distance("far", seed, p);
    }
}

/* The plane is 3 x + 4 y = 0 or z = -e: the distance (3 x + 4 y) / 5, or z + e, is the midpoint of
 * two float64, or as close to one as float64 inputs allow. */
static void test_middles(void)
{
    middles = 0;
    for (uint64_t seed = 0; seed < test_cases(1500); seed++) {
        rng r = {seed};
        const int scale = (int)rng_below(&r, 1900) - 1000;
        const double z = 1 + ldexp((double)rng_below(&r, 1 << 20), -52),
                     e = ldexp(rng_below(&r, 2) ? 1 : 1 + rng_unit(&r) * 0x1p-20, -53);
        const int sign = rng_below(&r, 2) ? 1 : -1;
        exact_point p[4] = {{{0, 0, -sign * e}},
                            {{1, 0, -sign * e}},
                            {{0, 1, -sign * e}},
                            {{rng_unit(&r), rng_unit(&r), z}}};
        if (rng_below(&r, 2)) {
            const exact_point tilted[4] = {
                {{0, 0, 0}}, {{4, -3, 0}}, {{0, 0, 1}}, {{5 * z, 5 * sign * e, rng_unit(&r)}}};
            memcpy(p, tilted, sizeof p);
        }
        for (int i = 0; i < 12; i++)
            p[i / 3].x[i % 3] = ldexp(p[i / 3].x[i % 3], scale);
        check_distance("middles", seed, p);
    }
    EXPECT((uint64_t)middles > test_cases(1500) / 5, "%d middles", middles);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"any", test_line_distance_any},
                                 {"far", test_line_distance_far},
                                 {"middles", test_middles},
                                 {0}};
    return test_main(argc, argv, "distance", tests);
}
