/* kernels/far.h as C: a pair that it calls apart is apart, by integers of any length. The worst
 * cases are constructed: rounding moves vertices in the direction that changes a height most. */
#include "far.h"

#include "testlib.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#define BITS 260             /* coordinates are multiples of 2^-BITS */
#define STEP 0x1p-24         /* spacing of float32 from 0.5 to 1 */
#define HALF (0.4999 * STEP) /* less than the rounding of a coordinate there */
#define BEYOND (12 * STEP)

/* ---- exact */

typedef struct exact_vec {
    mpz_t x[3];
} exact_vec;

static exact_vec of_w, of_s, of_t;
static mpz_t height, minor, product;

static void far_exact_open(void)
{
    exact_vec *all[] = {&of_w, &of_s, &of_t};
    for (int i = 0; i < 9; i++)
        mpz_init(all[i / 3]->x[i % 3]);
    mpz_inits(height, minor, product, NULL);
}

static void exact_difference(exact_vec *out, const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++) {
        mpz_set_d(out->x[k], ldexp(a[k], BITS));
        mpz_set_d(product, ldexp(b[k], BITS));
        mpz_sub(out->x[k], out->x[k], product);
    }
}

/* height = (d - a).((b - a) x (c - a)) */
static void exact_height(const double a[3], const double b[3], const double c[3], const double d[3])
{
    exact_difference(&of_s, b, a);
    exact_difference(&of_t, c, a);
    exact_difference(&of_w, d, a);
    mpz_set_ui(height, 0);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(minor, of_s.x[i], of_t.x[j]);
        mpz_submul(minor, of_s.x[j], of_t.x[i]);
        mpz_addmul(height, minor, of_w.x[k]);
    }
}

static int far_exact_sign(const double *a, const double *b, const double *c, const double *d)
{
    exact_height(a, b, c, d);
    return mpz_sgn(height);
}

/* Whether q is strictly on one side of the plane of p. */
static int exact_beside(double p[3][3], double q[3][3])
{
    const int one = far_exact_sign(p[0], p[1], p[2], q[0]);
    return one && far_exact_sign(p[0], p[1], p[2], q[1]) == one &&
           far_exact_sign(p[0], p[1], p[2], q[2]) == one;
}

/* Whether the face of p opposite vertex k has the rest of p, or nothing, on one side and q on the
 * other. */
static int exact_face(double p[4][3], int k, double q[4][3])
{
    const double *a = p[(k + 1) % 4], *b = p[(k + 2) % 4], *c = p[(k + 3) % 4];
    mpz_t own, least, most;
    mpz_inits(own, least, most, NULL);
    exact_height(a, b, c, p[k]);
    mpz_set(own, height);
    for (int i = 0; i < 4; i++) {
        exact_height(a, b, c, q[i]);
        if (!i || mpz_cmp(height, least) < 0)
            mpz_set(least, height);
        if (!i || mpz_cmp(height, most) > 0)
            mpz_set(most, height);
    }
    const int above = mpz_sgn(least) > 0 && mpz_cmp(least, own) > 0;
    const int below = mpz_sgn(most) < 0 && mpz_cmp(most, own) < 0;
    mpz_clears(own, least, most, NULL);
    return above || below;
}

static int exact_faces(double p[4][3], double q[4][3])
{
    int any = 0;
    for (int k = 0; k < 4 && !any; k++)
        any = exact_face(p, k, q) || exact_face(q, k, p);
    return any;
}

/* ---- pairs */

typedef struct pair {
    double p[4][3], q[4][3]; /* the first three vertices, or all four */
    double centre[3];
} pair;

static far_vec stored(const double x[3], const double centre[3])
{
    float point[FAR_POINT];
    far_round(point, 0, x, centre);
    return far_get(point, 0);
}

static far_triangle triangle(double x[3][3], const double *centre)
{
    const far_triangle t = {stored(x[0], centre), stored(x[1], centre), stored(x[2], centre)};
    return t;
}

static far_solid solid(double x[4][3], const double *centre)
{
    const far_solid s = {stored(x[0], centre), stored(x[1], centre), stored(x[2], centre),
                         stored(x[3], centre)};
    return s;
}

static int far_of(pair *c)
{
    return far_triangles_apart(triangle(c->p, c->centre), triangle(c->q, c->centre), 0, 0);
}

typedef struct tally {
    uint64_t apart, truly, wrong; /* by float32; by planes, exactly; only by float32 */
} tally;

static void far_query(pair *c, tally *t)
{
    const int apart = far_of(c);
    const int truly = exact_beside(c->p, c->q) || exact_beside(c->q, c->p);
    t->apart += (uint64_t)apart;
    t->truly += (uint64_t)truly;
    t->wrong += (uint64_t)(apart && !truly);
}

static void ask_solids(pair *c, tally *t)
{
    const int apart = far_solids_apart(solid(c->p, c->centre), solid(c->q, c->centre));
    const int truly = exact_faces(c->p, c->q);
    t->apart += (uint64_t)apart;
    t->truly += (uint64_t)truly;
    t->wrong += (uint64_t)(apart && !truly);
}

static double either(rng *r)
{
    return rng_below(r, 2) ? 1 : -1;
}

/* A coordinate near `at`, within [-1, 1]. */
static double far_random_coordinate(rng *r, double at, double size)
{
    return fmin(1, fmax(-1, at + size * (2 * rng_unit(r) - 1)));
}

/* Two primitives of this size, near each other, about a centre. */
static void far_make(rng *r, double size, pair *c)
{
    for (int k = 0; k < 3; k++) {
        const double at = (1 - size) * (2 * rng_unit(r) - 1);
        c->centre[k] = 0.25 * rng_below(r, 9) - 1;
        for (int i = 0; i < 4; i++) {
            c->p[i][k] = far_random_coordinate(r, at, size) + c->centre[k];
            c->q[i][k] = far_random_coordinate(r, at, size) + c->centre[k];
        }
    }
}

/* ---- tests */

static void test_far_random(void)
{
    rng r = {1};
    for (int octaves = 0; octaves < 30; octaves++) {
        tally t = {0}, s = {0};
        for (uint64_t i = test_long_cases(2000); i > 0; i--) {
            pair c;
            far_make(&r, ldexp(1, -octaves), &c);
            far_query(&c, &t);
            ask_solids(&c, &s);
        }
        CU_ASSERT_EQUAL(t.wrong + s.wrong, 0);
        /* so small that vertices coincide: nothing is certain */
        CU_ASSERT(octaves < 26 || t.apart + s.apart == 0);
        CU_ASSERT(octaves > 10 || 100 * t.apart >= 99 * t.truly);
        CU_ASSERT(octaves > 10 || 100 * s.apart >= 98 * s.truly);
    }
}

/* Whether the vertices of q that are not in `shared` are strictly on one side of the plane of p. */
static int exact_beside_but(double p[3][3], double q[3][3], uint32_t shared)
{
    int side = 0;
    for (int k = 0; k < 3; k++) {
        const int one = shared >> k & 1 ? side : far_exact_sign(p[0], p[1], p[2], q[k]);
        if (!(shared >> k & 1) && (!one || one == -side))
            return 0;
        side = one;
    }
    return side != 0;
}

/* Makes n vertices of q those of p, in some order; of[0], of[1]: bits of these of p and of q. */
static void far_share(rng *r, pair *c, uint32_t n, uint32_t of[2])
{
    const uint32_t from = rng_below(r, 3), to = rng_below(r, 3), turn = 1 + rng_below(r, 2);
    of[0] = of[1] = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t i = (from + turn * k) % 3, j = (to + k) % 3;
        memcpy(c->q[j], c->p[i], sizeof c->p[i]);
        of[0] |= 1u << i;
        of[1] |= 1u << j;
    }
}

/* Of triangles that share vertices the others decide; those that share all are never apart. */
static void test_far_adjacent(void)
{
    rng r = {4};
    for (int octaves = 0; octaves < 24; octaves++) {
        uint64_t all = 0, truly_all = 0, wrong = 0;
        for (uint64_t i = test_long_cases(3000); i > 0; i--) {
            pair c;
            uint32_t of[2];
            far_make(&r, ldexp(1, -octaves), &c);
            far_share(&r, &c, (uint32_t)(1 + i % 3), of);
            const int apart =
                far_triangles_apart(triangle(c.p, c.centre), triangle(c.q, c.centre), of[0], of[1]);
            const int truly =
                exact_beside_but(c.p, c.q, of[1]) || exact_beside_but(c.q, c.p, of[0]);
            all += (uint64_t)apart;
            truly_all += (uint64_t)truly;
            wrong += (uint64_t)(apart && !truly);
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT(octaves > 10 || (truly_all && 100 * all >= 98 * truly_all));
    }
}

static void far_cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The derivative of the height of d over a b c with respect to each coordinate. */
static void slopes(double v[4][3], double out[4][3])
{
    double s[3], t[3], w[3];
    for (int k = 0; k < 3; k++) {
        s[k] = v[1][k] - v[0][k];
        t[k] = v[2][k] - v[0][k];
        w[k] = v[3][k] - v[0][k];
    }
    far_cross(t, w, out[1]);
    far_cross(w, s, out[2]);
    far_cross(s, t, out[3]);
    for (int k = 0; k < 3; k++)
        out[0][k] = -(out[1][k] + out[2][k] + out[3][k]);
}

/* The corners of a float32 parallelogram whose last one is a few steps above the plane of the
 * others; the plane contains one axis, or nearly, where errors are largest. All coordinates are
 * from 0.5 to 1. */
static void far_make_flat(rng *r, double v[4][3])
{
    const double size = ldexp(0.2, -(int)rng_below(r, 16));
    const uint32_t axis = rng_below(r, 3);
    for (uint32_t k = 0; k < 3; k++) {
        const double along = k == axis ? size : size * 0.01 * rng_unit(r);
        const double across = k == axis ? 0 : either(r) * size * (0.8 + 0.2 * rng_unit(r));
        const double at = 0.75 - (across + along) / 2;
        const double corner[4] = {at, at + along, at + across + along, at + across};
        for (int i = 0; i < 4; i++)
            v[i][k] = (float)corner[i] + (i == 3 ? (rng_below(r, 17) - 8.0) * STEP : 0);
    }
}

/* Constructs true vertices that are rounded to these. The last vertex has the least possible
 * height, or the greatest if it is below. It is one end of a segment whose other end is certainly
 * on the same side: if rounding has moved it to that side, the two are in contact. */
static void unround(double v[4][3], pair *c)
{
    double slope[4][3];
    slopes(v, slope);
    const double up = far_exact_sign(v[0], v[1], v[2], v[3]);
    memset(c->centre, 0, sizeof c->centre);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            const double x = v[i][k] - up * copysign(HALF, slope[i][k]);
            *(i < 3 ? &c->p[i][k] : &c->q[0][k]) = x;
        }
    for (int k = 0; k < 9; k++)
        c->q[1 + k / 3][k % 3] = v[3][k % 3] + up * copysign(BEYOND, slope[3][k % 3]);
    memcpy(c->p[3], c->p[2], sizeof c->p[2]);
}

/* Vertices with the worst rounding. A quarter or a half of FAR_VERTEX would be wrong. */
static void test_far_limit(void)
{
    rng r = {2};
    tally t = {0}, s = {0};
    for (uint64_t i = test_long_cases(100000); i > 0; i--) {
        double v[4][3];
        pair c;
        far_make_flat(&r, v);
        unround(v, &c);
        far_query(&c, &t);
        ask_solids(&c, &s);
    }
    CU_ASSERT_EQUAL(t.wrong + s.wrong, 0);
    CU_ASSERT(t.apart > 0 && s.apart > 0 && t.apart < t.truly);
}

/* Long double is precise enough to show an error of float32. */
static double height_of(double v[4][3])
{
    long double s[3], t[3], w[3];
    for (int k = 0; k < 3; k++) {
        s[k] = (long double)v[1][k] - v[0][k];
        t[k] = (long double)v[2][k] - v[0][k];
        w[k] = (long double)v[3][k] - v[0][k];
    }
    return (double)(w[0] * (s[1] * t[2] - s[2] * t[1]) + w[1] * (s[2] * t[0] - s[0] * t[2]) +
                    w[2] * (s[0] * t[1] - s[1] * t[0]));
}

static double rounded_height_of(double v[4][3])
{
    static const double none[3] = {0};
    const far_vec a = stored(v[0], none);
    return (double)far_height(far_sub(stored(v[1], none), a), far_sub(stored(v[2], none), a),
                              far_sub(stored(v[3], none), a));
}

/* Four float32 points, nearly coplanar, as far apart as possible. The last one is not above the
 * plane of the others, but rounding makes it appear as high above as small steps of coordinates
 * can. */
static void make_rounded(rng *r, double v[4][3])
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            v[i][k] = (float)(either(r) * (1 - 0.3 * rng_unit(r)));
        v[3][k] = (float)fmax(-1, fmin(1, v[1][k] + v[2][k] - v[0][k]));
    }
    for (int i = 0; height_of(v) > 0; i = (i + 1) % 3) {
        double old[3];
        memcpy(old, v[i], sizeof old);
        memcpy(v[i], v[(i + 1) % 3], sizeof old);
        memcpy(v[(i + 1) % 3], old, sizeof old);
    }
    for (int tries = 0; tries < 20000; tries++) {
        double *x = &v[rng_below(r, 4)][rng_below(r, 3)], old = *x, most = rounded_height_of(v);
        *x = (float)far_random_coordinate(r, old, ldexp(1, -(int)rng_below(r, 24)));
        if (height_of(v) > 0 || rounded_height_of(v) < most)
            *x = old;
    }
}

/* Errors of the operations alone: the other vertices are far above. The errors never all add up as
 * the bound assumes; a sixteenth of FAR_ROUNDING would be wrong. */
static void test_far_rounding(void)
{
    rng r = {3};
    tally t = {0};
    for (uint64_t i = test_cases(300); i > 0; i--) {
        double v[4][3], slope[4][3];
        pair c = {.centre = {0}};
        make_rounded(&r, v);
        memcpy(c.p, v, 3 * sizeof *v);
        memcpy(c.q, v[3], sizeof *v);
        slopes(v, slope);
        for (int k = 0; k < 6; k++)
            c.q[1 + k / 3][k % 3] = copysign(1, slope[3][k % 3]);
        far_query(&c, &t);
    }
    CU_ASSERT_EQUAL(t.wrong, 0);
}

/* A shared vertex is on both planes. */
static void test_far_shared(void)
{
    rng r = {4};
    uint64_t apart = 0;
    for (uint64_t i = test_long_cases(200000); i > 0; i--) {
        pair c;
        far_make(&r, ldexp(1, -(int)rng_below(&r, 24)), &c);
        memcpy(c.q[rng_below(&r, 3)], c.p[rng_below(&r, 3)], sizeof c.p[0]);
        apart += (uint64_t)far_of(&c);
        apart += (uint64_t)far_solids_apart(solid(c.p, c.centre), solid(c.q, c.centre));
    }
    CU_ASSERT_EQUAL(apart, 0);
}

/* Segments and points have no plane; the other one's plane may separate them. */
static void test_far_flat(void)
{
    rng r = {5};
    tally t = {0};
    uint64_t apart = 0;
    for (uint64_t i = test_cases(20000); i > 0; i--) {
        pair c;
        far_make(&r, 0.25, &c);
        memcpy(c.q[1], c.q[0], sizeof c.q[0]);
        if (i % 2)
            memcpy(c.q[2], c.q[0], sizeof c.q[0]);
        far_query(&c, &t);
        for (int k = 0; k < 3; k++)
            c.p[1][k] = c.p[0][k] / 2 + c.p[2][k] / 2;
        apart += (uint64_t)far_of(&c);
    }
    CU_ASSERT(!t.wrong && t.apart > 0 && !apart);
}

/* Around the centre coordinates are tiny: products are denormal, or 0. */
static void test_tiny(void)
{
    rng r = {6};
    tally t = {0}, s = {0};
    for (uint64_t i = test_cases(20000); i > 0; i--) {
        pair c = {.centre = {0}};
        for (int k = 0; k < 24; k++) {
            const double x = either(&r) * ldexp(1 + rng_unit(&r), -(int)rng_below(&r, 200));
            (k < 12 ? c.p : c.q)[k / 3 % 4][k % 3] = fmax(-1, fmin(1, x));
        }
        far_query(&c, &t);
        ask_solids(&c, &s);
    }
    CU_ASSERT(!t.wrong && !s.wrong && t.apart > 0 && s.apart > 0);
}

/* Corners of the frame, and points next to them. */
static void test_far_ends(void)
{
    static const double ends[] = {-1, 1, -1 + 0x1p-53, 1 - 0x1p-53, 1 - 0x1p-24, 0};
    rng r = {7};
    tally t = {0}, s = {0};
    for (uint64_t i = test_cases(20000); i > 0; i--) {
        pair c = {.centre = {0}};
        for (int k = 0; k < 24; k++)
            (k < 12 ? c.p : c.q)[k / 3 % 4][k % 3] = ends[rng_below(&r, 6)];
        far_query(&c, &t);
        ask_solids(&c, &s);
    }
    CU_ASSERT(!t.wrong && !s.wrong && t.apart > 0 && s.apart > 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"random", test_far_random},
        {"limit", test_far_limit},
        {"rounding", test_far_rounding},
        {"shared", test_far_shared},
        {"adjacent", test_far_adjacent},
        {"flat", test_far_flat},
        {"tiny", test_tiny},
        {"ends", test_far_ends},
        {0},
    };
    far_exact_open();
    return test_main(argc, argv, "far", tests);
}
