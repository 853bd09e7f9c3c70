/* Numbers for exact arithmetic in host/exact: integers of bounded length, dyadic rationals, floats
 * as integers, double-double numbers. */
#ifndef IMP_EXACT_NUMBER_H
#define IMP_EXACT_NUMBER_H

#include "exact_point.h"
#include "lane.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- Integers of bounded length, for exact determinants: GMP's mpn layer, which works in the
 * caller's memory and cannot fail. Private to host/exact. */

/* A finite float64 is m * 2^e with |m| < 2^53 and -1074 <= e <= 971. In units of the smallest 2^e
 * of a determinant's coordinates each is an integer below 2^(53 + 2045) = 2^2098; a difference of
 * two is below 2^2099, a product of three below 2^6297, a sum of six such products below 2^6300,
 * two of these times a coordinate below 2^8399: 132 limbs of 64 bits, and some for shifts. GMP's
 * limbs are checked to have that width. */
#define BIG_LIMBS 140

_Static_assert(sizeof(mp_limb_t) == 8, "limbs of 64 bits");

typedef struct exact_big {
    int sign;  /* -1, 0, 1 */
    int limbs; /* used; 0 if and only if sign is 0 */
    mp_limb_t limb[BIG_LIMBS];
} exact_big;

/* x in units of 2^unit, unit not above x's own exponent */
void big_from(exact_big *r, double x, int unit);

/* r = a + s * b, s = 1 or -1; r = a * b. r must be neither a nor b. */
void big_add(exact_big *r, const exact_big *a, const exact_big *b, int s);
void big_mul(exact_big *r, const exact_big *a, const exact_big *b);

/* An integer of any length, in memory of the caller. */
typedef struct big_view {
    int sign, limbs; /* as in exact_big */
    const mp_limb_t *limb;
} big_view;

static inline big_view big_seen(const exact_big *a)
{
    return (big_view){a->sign, a->limbs, a->limb};
}

/* The same. `out` needs one limb more than the longer operand for a sum, and the limbs of both for
 * a product. */
big_view view_add(mp_limb_t *out, big_view a, big_view b, int s);
big_view view_mul(mp_limb_t *out, big_view a, big_view b);

/* |a| = m * 2^*e with m in [0.5, 1), rounded; 0 for 0 */
double view_parts(big_view a, int *e);

/* Length of |a| in bits; 0 for 0. */
int big_bits(const exact_big *a);

/* a = a * 2^shift */
void big_shift(exact_big *a, int shift);

/* The least exponent of the coordinates; INT_MAX if all are 0. */
int big_unit(const exact_point *const *p, size_t n);
#define UNIT(...)                                                                                  \
    big_unit((const exact_point *const[]){__VA_ARGS__},                                            \
             sizeof((const exact_point *const[]){__VA_ARGS__}) / sizeof(exact_point *))

/* ((a1 - a0) x (b1 - b0)) . (c1 - c0) in units of 2^(3 unit) */
void big_det(exact_big *r, const exact_point *const a[2], const exact_point *const b[2],
             const exact_point *const c[2], int unit);

/* ((b - a) x (c - a)) . (d - a) in units of 2^(3 unit) */
void big_orient3d(exact_big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  const exact_point *d, int unit);

/* the component of (b - a) x (c - a) along `axis`, in units of 2^(2 unit) */
void big_orient2d(exact_big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  int axis, int unit);

/* ---- Dyadic rationals: m 2^(64 e) with integers of any length. Coordinates of very different
 * sizes, and products of them, are as short as their significant limbs, and most sums need no
 * shift. Private to host/exact. */

typedef struct dyad {
    mpz_t m; /* its lowest limb is not 0 unless m is 0 */
    long e;  /* 0 if m is 0 */
} dyad;

void dyad_init(dyad *x); /* 0 */
void dyad_clear(dyad *x);
void dyad_set(dyad *r, const dyad *x);
void dyad_set_double(dyad *r, double x); /* finite */
void dyad_set_power(dyad *r, long e);    /* 2^e */

/* x 2^e */
void dyad_set_integer(dyad *r, const mpz_t x, long e);

static inline int dyad_sign(const dyad *x)
{
    return mpz_sgn(x->m);
}

/* r = a + sign b, r = a b, r += sign a b; sign: 1 or -1. r may be a, and in products also b. */
void dyad_add(dyad *r, const dyad *a, const dyad *b, int sign);
void dyad_mul(dyad *r, const dyad *a, const dyad *b);
void dyad_add_mul(dyad *r, const dyad *a, const dyad *b, int sign);

/* The sign of a - b. */
int dyad_compare(const dyad *a, const dyad *b);

/* x = d 2^*e with 0.5 <= |d| < 1, truncated: d errs by less than 2^-52 of itself; 0 for 0. */
double dyad_top(const dyad *x, long *e);

/* ---- float64: inline versions of C library calls; signs where an error bound allows. Private to
 * host/exact. */

/* The greater of two numbers, neither NaN. */
static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* x 2^e, rounded once as by ldexp. */
static inline double times_power(double x, int e)
{
    double power;
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    if (e < -1000 || e > 1000)
        return ldexp(x, e);
    memcpy(&power, &bits, sizeof power);
    return x * power;
}

/* x = m * 2^e with m an odd integer; m = 0 and e = INT_MAX for zero. Uses the bits, because every
 * exact sign begins here. */
static inline int64_t float_parts(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent)
        m |= UINT64_C(1) << 52;
    *e = INT_MAX;
    if (!m)
        return 0;
    int zeros = __builtin_ctzll(m);
    *e = (exponent ? exponent : 1) - 1075 + zeros;
    m >>= zeros;
    return bits >> 63 ? -(int64_t)m : (int64_t)m;
}

/* ---- signs */

#define SIGN_OPEN 2 /* undecided in float64 */

/* Relative error of determinants: relative to the product of the largest factors along each axis.
 * See kernels/tri.h. */
#define DET_EPSILON 5.4e-15

/* Within these limits, no product of sizes over- or underflows, nor one of only some of them. */
#define FILTER_LEAST 1e-75
#define FILTER_MOST 1e75

/* The sign of a determinant d whose largest factors along the axes are size[k]. */
static inline int filter_det(double d, const double size[3])
{
    double bound = DET_EPSILON * size[0] * size[1] * size[2];
    int usual = size[0] > FILTER_LEAST && size[0] < FILTER_MOST && size[1] > FILTER_LEAST &&
                size[1] < FILTER_MOST && size[2] > FILTER_LEAST && size[2] < FILTER_MOST;
    if (usual && fabs(d) > bound)
        return d > 0 ? 1 : -1;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        return 0; /* all differences along this axis are 0 */
    return SIGN_OPEN;
}

/* ---- Double-double numbers. Private to host/exact and host/shape. */

#include "lane_twofold.h"

#endif
