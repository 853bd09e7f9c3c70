/* Moving features: exact integers and the oracle of `check`, which share no method, agree to the
 * last bit. */
#include "exact.h"
#include "expect.h"
#include "ccd_cases.h"
#include "oracle_ccd.h"

#include <math.h>
#include <string.h>

static size_t exact_ccd_oracle_compare(enum exact_ccd_kind kind, const exact_motion *m,
                                       const char *what)
{
    oracle_ccd_points p;
    double toi = -1, want = -1;
    for (int i = 0; i < 8; i++)
        memcpy(p.at[i / 4][i % 4], m->at[i / 4][i % 4].x, sizeof p.at[0][0]);
    const int meet = exact_ccd_first(kind, m, &toi);
    const int truth = oracle_ccd_first(kind == EXACT_VERTEX_FACE, &p, &want);
    EXPECT(meet == truth && (!meet || toi == want), "%s: %d at %.17g, not %d at %.17g", what, meet,
           toi, truth, want);
    return (size_t)meet;
}

/* Coplanar, collinear, collapsed, at rest: all special cases. */
static void test_exact_ccd_oracle_grids(void)
{
    rng r = {1};
    size_t meet = 0;
    const uint64_t n = test_long_cases(20000);
    for (uint64_t i = 0; i < n; i++) {
        exact_motion m;
        moving_case_grid(&r, 2 + (uint32_t)(i / 2 % 4), &m);
        meet += exact_ccd_oracle_compare(i % 2 ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE, &m, "grid");
    }
    EXPECT(meet * 10 > n && meet < n - n / 10, "%zu meet", meet);
}

static void test_exact_ccd_oracle_classes(void)
{
    rng r = {2};
    for (int c = 0; moving_class_names[c]; c++)
        for (uint64_t i = 0; i < test_long_cases(400); i++) {
            moving_case m;
            moving_case_make(c, &r, (int)rng_below(&r, 81) - 40, &m);
            exact_ccd_oracle_compare(m.kind, &m.m, moving_class_names[c]);
        }
}

/* In general position, and coordinates of very different sizes. */
static void test_exact_ccd_oracle_random(void)
{
    rng r = {3};
    size_t meet = 0;
    for (uint64_t i = 0; i < test_long_cases(4000); i++) {
        exact_motion m;
        for (int k = 0; k < 24; k++) {
            const int power = i % 4 ? 0 : (int)rng_below(&r, 120) - 60;
            m.at[k / 12][k / 3 % 4].x[k % 3] = ldexp(rng_unit(&r) - 0.5, power);
        }
        meet += exact_ccd_oracle_compare(i % 2 ? EXACT_VERTEX_FACE : EXACT_EDGE_EDGE, &m, "random");
    }
    EXPECT(meet, "none meet");
}

/* Coordinates of all magnitudes. */
static void test_exact_ccd_oracle_mixed(void)
{
    size_t meet = 0;
    const uint64_t n = test_long_cases(400);
    for (uint64_t i = 0; i < n; i++) {
        rng r = {i};
        moving_case m;
        moving_case_mixed(&r, (int)(i % MOVING_MIXED), &m);
        meet += exact_ccd_oracle_compare(m.kind, &m.m, "mixed");
    }
    EXPECT(meet * 10 > n, "%zu meet", meet);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"grids", test_exact_ccd_oracle_grids},
                                 {"classes", test_exact_ccd_oracle_classes},
                                 {"random", test_exact_ccd_oracle_random},
                                 {"mixed", test_exact_ccd_oracle_mixed},
                                 {0}};
    return test_main(argc, argv, "exact_ccd_oracle", tests);
}
