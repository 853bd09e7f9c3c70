/* Features that approach each other: exact integers and the oracle of `check`, which share no
 * method, agree to the last bit. */
#include "exact.h"
#include "expect.h"
#include "ccd_cases.h"
#include "oracle_ccd.h"

#include <math.h>
#include <string.h>

/* 1: the distance is reached after the start */
static size_t near_ccd_oracle_compare(enum exact_ccd_kind kind, const exact_motion *m,
                                      double distance, const char *what, uint64_t number)
{
    oracle_ccd_points p;
    double toi = -1, want = -1;
    for (int i = 0; i < 8; i++)
        memcpy(p.at[i / 4][i % 4], m->at[i / 4][i % 4].x, sizeof p.at[0][0]);
    const int near = exact_ccd_first_near(kind, m, distance, &toi);
    const int truth = oracle_ccd_first_near(kind == EXACT_VERTEX_FACE, &p, distance, &want);
    EXPECT(near == truth && toi == want, "%s %llu, %a: %d at %.17g, not %d at %.17g", what,
           (unsigned long long)number, distance, near, toi, truth, want);
    return toi > 0;
}

static enum exact_ccd_kind near_ccd_oracle_kind(uint64_t i)
{
    return i % 2 ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE;
}

/* Coplanar, collinear, collapsed, at rest, and with exactly the given distance: at an instant, for
 * a while or always. */
static void test_near_ccd_oracle_grids(void)
{
    static const double distances[] = {1, 2, 0.5, 3, 5, 0.25, 1e-3, 0x1.6a09e667f3bcdp0};
    rng r = {1};
    size_t later = 0;
    const uint64_t n = test_long_cases(4000);
    for (uint64_t i = 0; i < n; i++) {
        exact_motion m;
        moving_case_grid(&r, 2 + (uint32_t)(i / 2 % 5), &m);
        later +=
            near_ccd_oracle_compare(near_ccd_oracle_kind(i), &m, distances[i / 10 % 8], "grid", i);
    }
    EXPECT(later * 10 > n, "%zu are near later", later);
}

/* Features that touch at an instant, with known position and motion: around it they are near. */
static void test_near_ccd_oracle_classes(void)
{
    rng r = {2};
    for (int c = 0; moving_class_names[c]; c++)
        for (uint64_t i = 0; i < test_long_cases(80); i++) {
            moving_case m;
            const int scale = (int)rng_below(&r, 81) - 40;
            const double distance = ldexp(1 + (double)rng_below(&r, 9), scale - (int)(i % 8) * 4);
            moving_case_make(c, &r, scale, &m);
            near_ccd_oracle_compare(m.kind, &m.m, distance, moving_class_names[c], i);
        }
}

/* In general position, and coordinates of very different sizes. */
static void test_near_ccd_oracle_random(void)
{
    rng r = {3};
    size_t later = 0;
    const uint64_t n = test_long_cases(1200);
    for (uint64_t i = 0; i < n; i++) {
        exact_motion m;
        const int spread = i % 8 ? 0 : 60;
        for (int k = 0; k < 24; k++) {
            const int power = spread ? (int)rng_below(&r, 120) - spread : 0;
            m.at[k / 12][k / 3 % 4].x[k % 3] = ldexp(rng_unit(&r) - 0.5, power);
        }
        const double distance = ldexp(rng_unit(&r), -(int)rng_below(&r, spread ? 100 : 12));
        later += near_ccd_oracle_compare(near_ccd_oracle_kind(i), &m, distance, "random", i);
    }
    EXPECT(later * 20 > n, "%zu are near later", later);
}

/* Edges that are parallel all the time, a face without area, edges without length. */
static void test_near_ccd_oracle_degenerate(void)
{
    rng r = {4};
    for (uint64_t i = 0; i < test_long_cases(800); i++) {
        exact_motion m;
        moving_case_grid(&r, 4, &m);
        const uint32_t how = rng_below(&r, 3);
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 3; k++) {
                exact_point *x = m.at[e];
                if (how == 0) /* the second edge is a multiple of the first one */
                    x[3].x[k] = x[2].x[k] + (i % 4 < 2 ? 1 : -2) * (x[1].x[k] - x[0].x[k]);
                else if (how == 1) /* an edge without length */
                    x[1].x[k] = x[0].x[k];
                else /* collinear corners of a face */
                    x[2].x[k] = 2 * x[1].x[k] - x[0].x[k];
            }
        near_ccd_oracle_compare(near_ccd_oracle_kind(i), &m, i % 3 ? 1 : 0.75, "degenerate", i);
    }
}

/* Coordinates of all magnitudes. */
static void test_near_ccd_oracle_mixed(void)
{
    for (uint64_t i = 0; i < test_long_cases(60); i++) {
        rng r = {i};
        moving_case m;
        moving_case_mixed(&r, (int)(i % MOVING_MIXED), &m);
        near_ccd_oracle_compare(
            m.kind, &m.m, ldexp(0.5 + rng_unit(&r), (int)rng_below(&r, 2090) - 1070), "mixed", i);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"grids", test_near_ccd_oracle_grids},   {"classes", test_near_ccd_oracle_classes},
        {"random", test_near_ccd_oracle_random}, {"degenerate", test_near_ccd_oracle_degenerate},
        {"mixed", test_near_ccd_oracle_mixed},   {0}};
    return test_main(argc, argv, "near_oracle", tests);
}
