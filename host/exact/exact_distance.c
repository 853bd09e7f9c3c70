/* The distance of a point from a plane, |(b - a) x (c - a) . (x - a)| / |(b - a) x (c - a)|,
 * rounded correctly: in double-double numbers, and by integers where their error leaves the
 * rounding in doubt. The point may be nearly in the plane, and the plane's own points nearly
 * collinear. */
#include "exact.h"

#include "exact_middle.h"
#include "exact_number.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- double-double numbers */

#define LARGE 0x1p300
/* Larger ones are scaled by 2^-DOWN, so that differences do not overflow. Small ones may become
 * denormals, which is harmless: if a large coordinate differs between points (otherwise they are
 * coplanar), it differs by at least 2^-53 of itself. */
#define DOWN 700

static int scale_of(const exact_point *const p[4])
{
    double most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            most = greater(most, fabs(p[i]->x[k]));
    return most > LARGE ? DOWN : 0;
}

/* Differences from the first point, in units of 2^*unit: the largest is between 0.5 and 1. */
static void differences(const exact_point *const p[4], int down, twofold out[3][3], int *unit)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k] = sum_of(times_power(p[i + 1]->x[k], -down), -times_power(p[0]->x[k], -down));
            most = greater(most, fabs(out[i][k].hi));
        }
    frexp(most, unit);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[i][k].hi = times_power(out[i][k].hi, -*unit);
            out[i][k].lo = times_power(out[i][k].lo, -*unit);
        }
}

/* Differences are exact and at most 1. So a component of the normal, a sum of two products, errs by
 * less than 2^-98, and the height, a sum of three products with one of these, by less than 2^-95.
 * The normal's length N errs by root 3 of a component's error, and by 2^-99 of itself for its
 * squares, their sum and the root; the quotient by 2^-97 of itself. */
#define HEIGHT_ERROR 0x1p-95
#define NORMAL_ERROR 0x1p-97
#define QUOTIENT_ERROR 0x1p-95

/* Above these bounds, the low part of a double-double number is not a denormal. */
#define PARTS_LEAST 0x1p-400
#define RESULT_LEAST 0x1p-1000

static twofold two_root(twofold square)
{
    const double root = sqrt(square.hi);
    const twofold rest = two_add(square, two_minus(product_of(root, root)));
    return quick_sum(root, rest.hi / (2 * root));
}

/* Returns 0 if the rounding is in doubt. */
static int line_distance_round_fast(const exact_point *const p[4], double *out)
{
    twofold d[3][3], n[3], square = {0, 0};
    int unit, down = scale_of(p);
    differences(p, down, d, &unit);
    for (int k = 0; k < 3; k++) {
        n[k] = two_minor(d[0], d[1], k);
        square = two_add(square, two_mul(n[k], n[k]));
    }
    twofold height = two_dot(n, d[2]);
    if (height.hi < 0)
        height = two_minus(height);
    if (!(height.hi > PARTS_LEAST && square.hi > PARTS_LEAST))
        return 0;
    const twofold length = two_root(square), x = loose_div(height, length);
    const double error =
        2 * x.hi * (HEIGHT_ERROR / height.hi + NORMAL_ERROR / length.hi + QUOTIENT_ERROR);
    const double low = x.hi + (x.lo - error), high = x.hi + (x.lo + error);
    *out = times_power(low, unit + down);
    return low == high && *out > RESULT_LEAST;
}

/* ---- integers */

/* a 2^shift */
static big_view line_distance_shift(mp_limb_t out[DISTANCE_LIMBS], big_view a, int shift)
{
    const int whole = shift / 64, part = shift % 64;
    big_view r = {a.sign, a.limbs + whole, out};
    memset(out, 0, (size_t)whole * sizeof *out);
    if (part) {
        out[r.limbs] = mpn_lshift(out + whole, a.limb, a.limbs, (unsigned)part);
        r.limbs += out[r.limbs] != 0;
    } else {
        memcpy(out + whole, a.limb, (size_t)a.limbs * sizeof *out);
    }
    return r;
}

static int line_distance_compare(big_view a, big_view b)
{
    return a.limbs != b.limbs ? (a.limbs > b.limbs ? 1 : -1) : mpn_cmp(a.limb, b.limb, a.limbs);
}

/* The distance in float64, with errors in its last bits. */
static double guess_distance(const exact_squares *x)
{
    int up, down;
    const double height = view_parts(x->height, &up), weight = view_parts(x->weight, &down);
    const int e = up - down;
    return ldexp(sqrt(e % 2 ? 2 * (height / weight) : height / weight),
                 (e % 2 ? e - 1 : e) / 2 + x->unit);
}

/* The sign of the distance - m 2^e, which is that of height 2^(2 unit) - m^2 2^(2 e) weight. */
static int line_distance_beyond(const exact_squares *x, uint64_t m, int e)
{
    mp_limb_t of_m[2], of_s[DISTANCE_LIMBS], longer[DISTANCE_LIMBS];
    const mp_limb_t limb = m;
    const big_view one = {1, 1, &limb};
    const big_view s = view_mul(of_s, x->weight, view_mul(of_m, one, one));
    const int shift = 2 * (e - x->unit);
    return shift >= 0 ? line_distance_compare(x->height, line_distance_shift(longer, s, shift))
                      : line_distance_compare(line_distance_shift(longer, x->height, -shift), s);
}

/* The midpoint between a float64 and the next one is 2 m + 1 times a power of two. */
static int beyond_middle(const exact_squares *x, double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const int exponent = (int)(bits >> 52);
    const uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent > 0) << 52;
    const int order = line_distance_beyond(x, 2 * m + 1, (exponent ? exponent : 1) - 1076);
    return order ? order > 0 : m & 1; /* ties to even */
}

double exact_squares_root(const exact_squares *x)
{
    if (!x->height.limbs || !x->weight.limbs)
        return 0;
    double d = guess_distance(x);
    while (d < INFINITY && beyond_middle(x, d))
        d = nextafter(d, INFINITY);
    while (d > 0 && !beyond_middle(x, nextafter(d, 0)))
        d = nextafter(d, 0);
    return d;
}

void exact_normal_square(const exact_point *const p[3], int unit, exact_big *out)
{
    exact_big n, product, sum;
    out->sign = out->limbs = 0;
    for (int k = 0; k < 3; k++) {
        big_orient2d(&n, p[0], p[1], p[2], k, unit);
        big_mul(&product, &n, &n);
        big_add(&sum, out, &product, 1);
        *out = sum;
    }
}

static double line_distance_round_exactly(const exact_point *const p[4])
{
    exact_big height, square;
    mp_limb_t of_height[2 * BIG_LIMBS];
    const int unit = UNIT(p[0], p[1], p[2], p[3]);
    big_orient3d(&height, p[0], p[1], p[2], p[3], unit);
    exact_normal_square(p, unit, &square);
    return exact_squares_root(&(exact_squares){
        view_mul(of_height, big_seen(&height), big_seen(&height)), big_seen(&square), unit});
}

double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x)
{
    const exact_point *const p[4] = {a, b, c, x};
    double d;
    return line_distance_round_fast(p, &d) ? d : line_distance_round_exactly(p);
}
