/* Integers of bounded length, for exact determinants: GMP's mpn layer, which works in the caller's
 * memory and cannot fail. Within host/exact. */
#ifndef IMP_EXACT_BIG_H
#define IMP_EXACT_BIG_H

#include "exact_prim.h"

#include <gmp.h>
#include <stddef.h>

/* A finite float64 is m * 2^e with |m| < 2^53 and -1074 <= e <= 971. In units of the smallest 2^e
 * of a determinant's coordinates each is an integer below 2^(53 + 2045) = 2^2098; a difference of
 * two is below 2^2099, a product of three below 2^6297, a sum of six such products below 2^6300,
 * two of these times a coordinate below 2^8399: 132 limbs of 64 bits, and some for shifts. GMP's
 * limbs are checked to have that width. */
#define BIG_LIMBS 140

_Static_assert(sizeof(mp_limb_t) == 8, "limbs of 64 bits");

typedef struct big {
    int sign;  /* -1, 0, 1 */
    int limbs; /* used; 0 if and only if sign is 0 */
    mp_limb_t limb[BIG_LIMBS];
} big;

/* x in units of 2^unit, unit not above x's own exponent */
void big_from(big *r, double x, int unit);

/* r = a + s * b, s = 1 or -1; r = a * b. r is neither a nor b. */
void big_add(big *r, const big *a, const big *b, int s);
void big_mul(big *r, const big *a, const big *b);

/* One of any length, in memory of the caller. */
typedef struct big_view {
    int sign, limbs; /* as in big */
    const mp_limb_t *limb;
} big_view;

static inline big_view big_seen(const big *a)
{
    return (big_view){a->sign, a->limbs, a->limb};
}

/* The same. Limbs of out: one more than the longer has; the sum of both. */
big_view view_add(mp_limb_t *out, big_view a, big_view b, int s);
big_view view_mul(mp_limb_t *out, big_view a, big_view b);

/* |a| = m * 2^*e with m in [0.5, 1), rounded; 0 for 0 */
double big_parts(const big *a, int *e);

/* |a| in bits; 0 for 0 */
int big_bits(const big *a);

/* a = a * 2^shift */
void big_shift(big *a, int shift);

/* The least exponent of the coordinates: INT_MAX if all are 0. */
int big_unit(const exact_point *const *p, size_t n);
#define UNIT(...)                                                                                  \
    big_unit((const exact_point *const[]){__VA_ARGS__},                                            \
             sizeof((const exact_point *const[]){__VA_ARGS__}) / sizeof(exact_point *))

/* ((a1 - a0) x (b1 - b0)) . (c1 - c0) in units of 2^(3 unit) */
void big_det(big *r, const exact_point *const a[2], const exact_point *const b[2],
             const exact_point *const c[2], int unit);

/* ((b - a) x (c - a)) . (d - a) in units of 2^(3 unit) */
void big_orient3d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  const exact_point *d, int unit);

/* the component of (b - a) x (c - a) along `axis`, in units of 2^(2 unit) */
void big_orient2d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  int axis, int unit);

#endif
