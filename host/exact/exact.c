/* Signs of determinants, exactly: a float64 filter, then integers of any length by GMP's mpn layer,
 * which works in the caller's memory and cannot fail. */
#include "exact.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- integers of bounded length
 *
 * A finite float64 is m * 2^e with |m| < 2^53 and -1074 <= e <= 971. In units of the smallest 2^e
 * of a determinant's coordinates each is an integer below 2^(53 + 2045) = 2^2098; a difference of
 * two is below 2^2099, a product of three below 2^6297, a sum of six such below 2^6300: 99 limbs
 * of 64 bits. GMP's limbs are checked to be that wide. */
#define BIG_LIMBS 104

_Static_assert(sizeof(mp_limb_t) == 8, "limbs of 64 bits");

typedef struct big {
    int sign;  /* -1, 0, 1 */
    int limbs; /* used; 0 if and only if sign is 0 */
    mp_limb_t limb[BIG_LIMBS];
} big;

static void big_trim(big *r)
{
    while (r->limbs && !r->limb[r->limbs - 1])
        r->limbs--;
    if (!r->limbs)
        r->sign = 0;
}

/* x = m * 2^e with m an odd integer; m = 0 and e = INT_MAX for zero. From the bits, because every
 * exact sign begins here. */
static int64_t float_parts(double x, int *e)
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

/* x in units of 2^unit, unit not above x's own exponent */
static void big_from(big *r, double x, int unit)
{
    int e;
    int64_t m = float_parts(x, &e);
    r->sign = (m > 0) - (m < 0);
    r->limbs = 0;
    if (!m)
        return;
    unsigned shift = (unsigned)(e - unit), whole = shift / 64, part = shift % 64;
    uint64_t a = m < 0 ? (uint64_t)-m : (uint64_t)m;
    memset(r->limb, 0, whole * sizeof *r->limb);
    r->limb[whole] = a << part;
    r->limb[whole + 1] = part ? a >> (64 - part) : 0;
    r->limbs = (int)whole + 2;
    big_trim(r);
}

static int big_compare_size(const big *a, const big *b)
{
    if (a->limbs != b->limbs)
        return a->limbs > b->limbs ? 1 : -1;
    return a->limbs ? mpn_cmp(a->limb, b->limb, a->limbs) : 0;
}

/* r = a + s * b, s = 1 or -1; r is neither a nor b */
static void big_add(big *r, const big *a, const big *b, int s)
{
    int order = big_compare_size(a, b);
    const big *hi = order >= 0 ? a : b, *lo = order >= 0 ? b : a;
    int same = a->sign * b->sign * s >= 0;
    if (!lo->limbs) {
        memcpy(r->limb, hi->limb, (size_t)hi->limbs * sizeof *r->limb);
        r->limbs = hi->limbs;
    } else if (same) {
        r->limb[hi->limbs] = mpn_add(r->limb, hi->limb, hi->limbs, lo->limb, lo->limbs);
        r->limbs = hi->limbs + 1;
    } else {
        mpn_sub(r->limb, hi->limb, hi->limbs, lo->limb, lo->limbs);
        r->limbs = hi->limbs;
    }
    r->sign = order >= 0 && a->limbs ? a->sign : b->sign * s;
    big_trim(r);
}

static void big_mul(big *r, const big *a, const big *b)
{
    const big *hi = a->limbs >= b->limbs ? a : b, *lo = a->limbs >= b->limbs ? b : a;
    r->sign = a->sign * b->sign;
    r->limbs = 0;
    if (!r->sign)
        return;
    mpn_mul(r->limb, hi->limb, hi->limbs, lo->limb, lo->limbs);
    r->limbs = hi->limbs + lo->limbs;
    big_trim(r);
}

/* |a| = m * 2^*e with m in [0.5, 1), rounded; 0 for 0 */
static double big_parts(const big *a, int *e)
{
    double m = 0;
    int top = a->limbs - 1;
    *e = 0;
    if (top < 0)
        return 0;
    for (int i = 0; i < 3 && top - i >= 0; i++)
        m += ldexp((double)a->limb[top - i], -64 * (i + 1));
    m = frexp(m, e);
    *e += 64 * a->limbs;
    return m;
}

/* |a| / (|a| + |b|) */
static double big_share(const big *a, const big *b)
{
    int ea, eb;
    double ma = big_parts(a, &ea), mb = big_parts(b, &eb);
    return ma / (ma + ldexp(mb, eb - ea < 1000 ? eb - ea : 1000));
}

/* ---- determinants */

static int smallest_unit(const exact_point *const *p, size_t n)
{
    int unit = INT_MAX, e;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float_parts(p[i]->x[k], &e);
            unit = e < unit ? e : unit;
        }
    return unit;
}

#define UNIT(...)                                                                                  \
    smallest_unit((const exact_point *const[]){__VA_ARGS__},                                       \
                  sizeof((const exact_point *const[]){__VA_ARGS__}) / sizeof(exact_point *))

/* r = (p - o) along one axis */
static void big_difference(big *r, const exact_point *p, const exact_point *o, int axis, int unit)
{
    big a, b;
    big_from(&a, p->x[axis], unit);
    big_from(&b, o->x[axis], unit);
    big_add(r, &a, &b, -1);
}

/* r = a * d - b * c */
static void big_det2(big *r, const big *a, const big *b, const big *c, const big *d)
{
    big ad, bc;
    big_mul(&ad, a, d);
    big_mul(&bc, b, c);
    big_add(r, &ad, &bc, -1);
}

/* ((b - a) x (c - a)) . (d - a) in units of 2^(3 unit) */
static void big_orient3d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                         const exact_point *d, int unit)
{
    big u[3], v[3], w[3], minor, term, sum;
    for (int k = 0; k < 3; k++) {
        big_difference(&u[k], b, a, k, unit);
        big_difference(&v[k], c, a, k, unit);
        big_difference(&w[k], d, a, k, unit);
    }
    r->sign = r->limbs = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        big_det2(&minor, &u[i], &u[j], &v[i], &v[j]);
        big_mul(&term, &minor, &w[k]);
        big_add(&sum, r, &term, 1);
        *r = sum;
    }
}

/* the component of (b - a) x (c - a) along `axis`, in units of 2^(2 unit) */
static void big_orient2d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                         int axis, int unit)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    big ui, uj, vi, vj;
    big_difference(&ui, b, a, i, unit);
    big_difference(&uj, b, a, j, unit);
    big_difference(&vi, c, a, i, unit);
    big_difference(&vj, c, a, j, unit);
    big_det2(r, &ui, &uj, &vi, &vj);
}

/* The sign of a determinant computed in float64 if its size proves it, else 2. `size` holds for
 * each axis the largest of the factors, and `epsilon` bounds the error relative to the product of
 * these: see kernels/tri.h. Each size is kept far from the ends of the exponent range, for a
 * product of only some of them must not over- or underflow either. */
static int filtered_sign(double d, const double *size, int axes, double epsilon)
{
    double bound = epsilon;
    for (int k = 0; k < axes; k++) {
        if (size[k] == 0)
            return 0; /* all differences along this axis are 0 */
        if (!(size[k] > 1e-75 && size[k] < 1e75))
            return 2;
        bound *= size[k];
    }
    return d > bound ? 1 : d < -bound ? -1 : 2;
}

static double max_abs3(double a, double b, double c)
{
    a = fabs(a);
    b = fabs(b);
    c = fabs(c);
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

int exact_orient3d(const exact_point *a, const exact_point *b, const exact_point *c,
                   const exact_point *d)
{
    double u[3], v[3], w[3], size[3], det = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = b->x[k] - a->x[k];
        v[k] = c->x[k] - a->x[k];
        w[k] = d->x[k] - a->x[k];
        size[k] = max_abs3(u[k], v[k], w[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += (u[i] * v[j] - u[j] * v[i]) * w[k];
    }
    int sign = filtered_sign(det, size, 3, 5.4e-15);
    if (sign == 2) {
        big r;
        big_orient3d(&r, a, b, c, d, UNIT(a, b, c, d));
        sign = r.sign;
    }
    return sign;
}

int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    double ui = b->x[i] - a->x[i], uj = b->x[j] - a->x[j];
    double vi = c->x[i] - a->x[i], vj = c->x[j] - a->x[j];
    double size[2] = {max_abs3(ui, vi, 0), max_abs3(uj, vj, 0)};
    int sign = filtered_sign(ui * vj - uj * vi, size, 2, 1e-15);
    if (sign == 2) {
        big r;
        big_orient2d(&r, a, b, c, axis, UNIT(a, b, c));
        sign = r.sign;
    }
    return sign;
}

double exact_crossing(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *p, const exact_point *q)
{
    int unit = UNIT(a, b, c, p, q);
    big hp, hq;
    big_orient3d(&hp, a, b, c, p, unit);
    big_orient3d(&hq, a, b, c, q, unit);
    return big_share(&hp, &hq);
}

double exact_crossing2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis)
{
    int unit = UNIT(a, b, p, q);
    big hp, hq;
    big_orient2d(&hp, a, b, p, axis, unit);
    big_orient2d(&hq, a, b, q, axis, unit);
    return big_share(&hp, &hq);
}
