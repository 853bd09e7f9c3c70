/* kernels/distance_far.h as C: a pair that it calls within a distance is within it, and one that it
 * calls beyond it is beyond it, by integers of any length. Distances are chosen close to that of
 * the pair, and rounding moves vertices in the direction that changes it most. */
#include "distance_far.h"

#include "oracle.h"
#include "expect.h"
#include "testlib.h"

#include <math.h>
#include <string.h>

#define STEP 0x1p-24         /* spacing of float32 from 0.5 to 1 */
#define HALF (0.4999 * STEP) /* less than the rounding of a coordinate there */

typedef struct tally {
    uint64_t pairs, certain, wrong; /* certain: by either test */
} tally;

/* Both triangles as a device stores them. */
static far_pair pair_stored(const solid_case *c, const double centre[3])
{
    static const uint32_t corner[6] = {0, 1, 2, 3, 4, 5};
    float point[6 * FAR_POINT];
    for (uint32_t k = 0; k < 6; k++)
        far_round(point + (size_t)FAR_POINT * k, 0, c->x[k / 3][k % 3], centre);
    return far_pair_of(corner, point, 0, 1);
}

static void tally_distance(const solid_case *c, const double centre[3], double distance, tally *t)
{
    const far_pair r = pair_stored(c, centre);
    const far_way w = far_shortest(r);
    const double square = distance * distance;
    const uint32_t verdict = far_way_verdict(r, w.way, square, square);
    const int beyond = far_pair_beyond(r, square), within = oracle_prims_within(c, distance);
    t->pairs++;
    t->certain += beyond || verdict != TRI_UNDECIDED;
    t->wrong += (uint64_t)((beyond && within) || (verdict == TRI_APART && within) ||
                           (verdict == TRI_MEET && !within) || w.features >= DISTANCE_OPEN);
}

/* The distance of a pair, rounded down; 0 if they touch. */
static double far_pair_distance(const solid_case *c)
{
    nearest_case n = {.of = *c, .vertex = {{0, 1, 2}, {3, 4, 5}}};
    nearest_answer answer;
    return oracle_nearest(&n, &answer) ? answer.distance : 0;
}

/* Two triangles of this size within the frame about a centre. */
static void pair_random(rng *r, double size, solid_case *c, double centre[3])
{
    *c = (solid_case){.corners = {3, 3}};
    for (int k = 0; k < 3; k++) {
        const double at = (1 - size) * (2 * rng_unit(r) - 1);
        centre[k] = 0.25 * rng_below(r, 9) - 1;
        for (int i = 0; i < 6; i++) {
            const double x = at + size * (2 * rng_unit(r) - 1);
            c->x[i / 3][i % 3][k] = fmin(1, fmax(-1, x)) + centre[k];
        }
    }
}

static void test_distance_far_random(void)
{
    static const double off[] = {0, 1e-7, -1e-7, 1e-5, -1e-5, 0.01, -0.01};
    rng r = {1};
    for (int octaves = 0; octaves < 30; octaves++) {
        tally close = {0}, clear = {0};
        for (uint64_t i = test_cases(60); i > 0; i--) {
            solid_case c;
            double centre[3];
            pair_random(&r, ldexp(1, -octaves), &c, centre);
            const double d = far_pair_distance(&c);
            for (int k = 0; k < 7 && d > 0; k++)
                tally_distance(&c, centre, d * (1 + off[k]), k < 5 ? &close : &clear);
        }
        EXPECT(!close.wrong && !clear.wrong, "2^-%d: %llu of %llu are wrong", octaves,
               (unsigned long long)(close.wrong + clear.wrong),
               (unsigned long long)(close.pairs + clear.pairs));
        EXPECT(octaves > 10 || 100 * clear.certain >= 95 * clear.pairs,
               "2^-%d: %llu of %llu are certain", octaves, (unsigned long long)clear.certain,
               (unsigned long long)clear.pairs);
    }
}

/* A triangle across the diagonal and a vertex over it, in float32: `gap` steps along each axis. */
static void pair_diagonal(rng *r, double gap, solid_case *c)
{
    static const int across[3][3] = {{2, -1, -1}, {-1, 2, -1}, {-1, -1, 2}};
    const double size = STEP * (4 + rng_below(r, 1u << rng_below(r, 18)));
    *c = (solid_case){.corners = {3, 3}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            c->x[0][i][k] = 0.75 + size * across[i][k];
            c->x[1][i][k] = 0.75 + gap * STEP + (i ? size * (1 + (i == k)) : 0);
        }
}

/* Vertices with the worst rounding: those of one triangle are moved against the other's. A half of
 * DISTANCE_FAR_STORED would be wrong. */
static void test_distance_far_limit(void)
{
    static const double centre[3] = {0};
    rng r = {2};
    tally t = {0};
    for (uint64_t i = test_cases(2000); i > 0; i--) {
        solid_case c;
        const double gap = 1 + rng_below(&r, 1u << rng_below(&r, 12)),
                     sign = rng_below(&r, 2) ? 1 : -1;
        pair_diagonal(&r, gap, &c);
        for (int k = 0; k < 18; k++)
            c.x[k / 9][k / 3 % 3][k % 3] += (k / 9 ? sign : -sign) * HALF;
        tally_distance(&c, centre, sqrt(3) * STEP * (gap + 4 * rng_unit(&r) - 2), &t);
    }
    EXPECT(!t.wrong, "%llu are wrong", (unsigned long long)t.wrong);
    CU_ASSERT(t.certain > t.pairs / 8 && t.certain < t.pairs);
}

/* Errors of the operations alone: float32 coordinates, as far apart as possible. Without
 * DISTANCE_FAR_ROUNDING there would be wrong ones. */
static void test_distance_far_rounding(void)
{
    static const double none[3] = {0};
    rng r = {3};
    tally t = {0};
    for (uint64_t i = test_cases(3000); i > 0; i--) {
        solid_case c;
        double centre[3];
        pair_random(&r, 1, &c, centre);
        for (int k = 0; k < 18; k++) {
            double *x = &c.x[k / 9][k / 3 % 3][k % 3];
            *x = (float)(*x - centre[k % 3]);
        }
        const double d = far_pair_distance(&c);
        for (int k = -4; k <= 4 && d > 0; k++)
            tally_distance(&c, none, d + k * 1e-7, &t);
    }
    EXPECT(!t.wrong, "%llu are wrong", (unsigned long long)t.wrong);
    CU_ASSERT(t.certain < t.pairs);
}

/* Vertices that coincide, edges without length, faces without area, parallel edges. */
static void test_distance_far_degenerate(void)
{
    static const double centre[3] = {0}, ends[] = {-1, 1, -0.5, 0.5, 0, 0x1p-40};
    rng r = {4};
    tally t = {0};
    for (uint64_t i = test_cases(2000); i > 0; i--) {
        solid_case c = {.corners = {3, 3}};
        for (int k = 0; k < 18; k++)
            c.x[k / 9][k / 3 % 3][k % 3] = ends[rng_below(&r, 6)];
        const double d = far_pair_distance(&c);
        tally_distance(&c, centre, d, &t);
        tally_distance(&c, centre, d * (1 + 1e-4), &t);
        tally_distance(&c, centre, d * (1 - 1e-4), &t);
    }
    EXPECT(!t.wrong, "%llu are wrong", (unsigned long long)t.wrong);
    CU_ASSERT(t.certain > 0 && t.certain < t.pairs);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"random", test_distance_far_random},
                                 {"limit", test_distance_far_limit},
                                 {"rounding", test_distance_far_rounding},
                                 {"degenerate", test_distance_far_degenerate},
                                 {0}};
    return test_main(argc, argv, "distance_far", tests);
}
