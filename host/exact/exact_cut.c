/* The point where a segment crosses a plane, or a line in a plane, rounded correctly. With the
 * heights of its ends p and q over the plane, the point is (h_p q - h_q p) / (h_p - h_q), a
 * quotient of integers in units of the coordinates. Double-double numbers give it where their error
 * leaves no doubt about the rounding, else these integers. */
#include "exact_cut.h"

#include "exact_number.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- heights */

/* The input of the fast rounding: heights of both ends, and their error bound. Heights are sums of
 * six products of three factors (two of two), each of which errs by less than 2^-98 of the product
 * of the sizes. */
typedef struct heights {
    twofold p, q;
    double error; /* 0: the numbers are too large or too small for this */
} heights;

#define HEIGHT_ERROR 0x1p-95

/* x - o, and the largest difference along each axis */
static void cut_relative(const exact_point *x, const exact_point *o, twofold out[3], double size[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = sum_of(x->x[k], -o->x[k]);
        size[k] = greater(size[k], fabs(out[k].hi));
    }
}

void exact_cut_plane(const exact_point *const v[3], cut_plane *out)
{
    twofold a[3], b[3];
    for (int k = 0; k < 3; k++) {
        out->v[k] = v[k];
        out->size[k] = 0;
    }
    cut_relative(v[1], v[0], a, out->size);
    cut_relative(v[2], v[0], b, out->size);
    for (int k = 0; k < 3; k++)
        out->normal[k] = loose_minor(a, b, k);
}

void exact_cut_end(const cut_plane *plane, const exact_point *x, cut_end *out)
{
    twofold offset[3];
    out->x = x;
    for (int k = 0; k < 3; k++)
        out->size[k] = plane->size[k];
    cut_relative(x, plane->v[0], offset, out->size);
    out->height = loose_dot(plane->normal, offset);
}

/* Along all axes except `axis`. */
static double height_error(const double p[3], const double q[3], int axis)
{
    double error = HEIGHT_ERROR;
    for (int k = 0; k < 3; k++) {
        double size = greater(p[k], q[k]);
        if (k == axis)
            continue;
        if (!(size > CUT_LEAST && size < CUT_MOST))
            return 0;
        error *= size;
    }
    return error;
}

double exact_cut_error(const cut_end *p, const cut_end *q)
{
    return height_error(p->size, q->size, -1);
}

static heights flat_heights(const cut_point *c)
{
    heights h;
    twofold u[3], p[3], q[3];
    double size[3] = {0};
    cut_relative(c->b, c->a, u, size);
    cut_relative(c->p, c->a, p, size);
    cut_relative(c->q, c->a, q, size);
    h.error = height_error(size, size, c->axis);
    h.p = loose_minor(u, p, c->axis);
    h.q = loose_minor(u, q, c->axis);
    return h;
}

/* The parameter of the crossing from p to q. *error: twice its error bound. The quotient errs by at
 * most 3 h->error / |h_p - h_q|, plus a little. */
static twofold cut_parameter(const heights *h, double *error)
{
    twofold all = two_add(h->p, two_minus(h->q));
    *error = 2 * (4 * h->error / fabs(all.hi) + 0x1p-96);
    return loose_div(h->p, all);
}

/* Coordinate k as p + (q - p) parameter; returns 0 if its rounding is in doubt. */
static int cut_round_fast(const cut_point *c, twofold parameter, double parameter_error, int k,
                          double *out)
{
    twofold offset = sum_of(c->q->x[k], -c->p->x[k]), part = two_mul(offset, parameter);
    twofold x = sum_of(c->p->x[k], part.hi);
    double size = fabs(c->p->x[k]) + fabs(offset.hi);
    double error = fabs(offset.hi) * parameter_error + 0x1p-97 * size;
    x = quick_sum(x.hi, x.lo + part.lo);
    double low = x.hi + (x.lo - error), high = x.hi + (x.lo + error);
    *out = low;
    return low == high && size < CUT_MOST && size > CUT_LEAST;
}

/* ---- integers */

static void big_height(exact_big *r, const cut_point *c, const exact_point *x, int unit)
{
    if (c->axis < 0)
        big_orient3d(r, c->a, c->b, c->c, x, unit);
    else
        big_orient2d(r, c->a, c->b, x, c->axis, unit);
}

/* The `count` highest bits of a, which must have that many, and whether a lower bit is set. */
static uint64_t top_bits(const exact_big *a, int count, int *sticky)
{
    int drop = big_bits(a) - count, whole = drop / 64, part = drop % 64;
    uint64_t low = a->limb[whole] >> part;
    uint64_t high = part && whole + 1 < a->limbs ? a->limb[whole + 1] << (64 - part) : 0;
    for (int i = 0; i < whole; i++)
        *sticky |= a->limb[i] != 0;
    *sticky |= part && (a->limb[whole] & ((UINT64_C(1) << part) - 1)) != 0;
    return low | high;
}

/* mantissa * 2^exponent, slightly more if `sticky`, rounded to the nearest float64, ties to
 * even. */
static double round_even(uint64_t mantissa, int exponent, int sticky)
{
    int bits = 64 - __builtin_clzll(mantissa), drop = bits - DBL_MANT_DIG;
    int least = DBL_MIN_EXP - DBL_MANT_DIG; /* exponent of a denormal's last bit */
    if (exponent + drop < least)
        drop = least - exponent;
    if (drop > 64)
        return 0;
    if (drop <= 0)
        return ldexp((double)mantissa, exponent);
    uint64_t kept = drop < 64 ? mantissa >> drop : 0;
    uint64_t rest = drop < 64 ? mantissa & ((UINT64_C(1) << drop) - 1) : mantissa;
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && (sticky || kept & 1));
    return ldexp((double)kept, exponent + drop);
}

#define QUOTIENT_BITS 62 /* at least; it has at most one more */

/* |a| / |b| * 2^unit, rounded; both are not 0 */
static double big_quotient(exact_big *a, exact_big *b, int unit)
{
    exact_big q, r;
    int shift = big_bits(b) + QUOTIENT_BITS - big_bits(a), sticky = 0;
    big_shift(shift > 0 ? a : b, abs(shift));
    mpn_tdiv_qr(q.limb, r.limb, 0, a->limb, a->limbs, b->limb, b->limbs);
    q.limbs = a->limbs - b->limbs + 1;
    while (q.limbs && !q.limb[q.limbs - 1])
        q.limbs--;
    for (int i = 0; i < b->limbs; i++)
        sticky |= r.limb[i] != 0;
    int bits = big_bits(&q), count = bits < 64 ? bits : 64;
    return round_even(top_bits(&q, count, &sticky), unit - shift + bits - count, sticky);
}

/* Coordinate k of the crossing times h_p - h_q. */
static void big_above(exact_big *r, const cut_point *c, const exact_big *hp, const exact_big *hq,
                      int unit, int k)
{
    exact_big p, q, over, under;
    big_from(&p, c->p->x[k], unit);
    big_from(&q, c->q->x[k], unit);
    big_mul(&over, hp, &q);
    big_mul(&under, hq, &p);
    big_add(r, &over, &under, -1);
}

static double cut_round_exactly(const cut_point *c, const exact_big *hp, const exact_big *hq,
                                int unit, int k)
{
    exact_big above, below;
    big_above(&above, c, hp, hq, unit, k);
    big_add(&below, hp, hq, -1);
    if (!above.sign)
        return 0;
    return above.sign * below.sign * big_quotient(&above, &below, unit);
}

static void big_heights(const cut_point *c, int unit, exact_big *hp, exact_big *hq)
{
    big_height(hp, c, c->p, unit);
    big_height(hq, c, c->q, unit);
}

static void find_exactly(const cut_point *c, const int open[3], exact_point *out)
{
    exact_big hp, hq;
    int unit = c->axis < 0 ? UNIT(c->a, c->b, c->c, c->p, c->q) : UNIT(c->a, c->b, c->p, c->q);
    big_heights(c, unit, &hp, &hq);
    for (int k = 0; k < 3; k++)
        if (open[k])
            out->x[k] = cut_round_exactly(c, &hp, &hq, unit, k);
}

/* ---- both */

/* Returns whether both ends of the segment, or all points of the plane, have the same coordinate k,
 * *x: 0, say, which no error bound would confirm. */
static int cut_is_known(const cut_point *c, int k, double *x)
{
    const double p = c->p->x[k], a = c->a->x[k];
    const int flat = c->b->x[k] == a && c->c->x[k] == a;
    *x = flat ? a : p;
    return flat || c->q->x[k] == p;
}

/* Integer heights are computed once for all coordinates left open by float64. */
static exact_point find_cut(const cut_point *c, const heights *h)
{
    exact_point x;
    double error = 0;
    int open[3], any = 0, soon = h->error > 0;
    twofold parameter = soon ? cut_parameter(h, &error) : (twofold){0};
    for (int k = 0; k < 3; k++) {
        open[k] = !cut_is_known(c, k, &x.x[k]) &&
                  !(soon && cut_round_fast(c, parameter, error, k, &x.x[k]));
        any |= open[k];
    }
    if (any)
        find_exactly(c, open, &x);
    for (int k = 0; k < 3; k++)
        x.x[k] += 0.0; /* -0 becomes 0 */
    return x;
}

exact_point exact_cut(const cut_plane *plane, const cut_end *p, const cut_end *q, cut_point *of)
{
    const heights h = {p->height, q->height, exact_cut_error(p, q)};
    *of = (cut_point){plane->v[0], plane->v[1], plane->v[2], p->x, q->x, -1};
    return find_cut(of, &h);
}

exact_point exact_cut2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis, cut_point *of)
{
    *of = (cut_point){a, b, a, p, q, axis};
    const heights h = flat_heights(of);
    return find_cut(of, &h);
}

exact_point exact_cut_rounded(const cut_point *c)
{
    heights h = {0};
    exact_point x = *c->p;
    if (c->p == c->q) {
        for (int k = 0; k < 3; k++)
            x.x[k] += 0.0;
        return x;
    }
    if (c->axis < 0) {
        cut_plane plane;
        cut_end end[2];
        exact_cut_plane((const exact_point *const[]){c->a, c->b, c->c}, &plane);
        exact_cut_end(&plane, c->p, &end[0]);
        exact_cut_end(&plane, c->q, &end[1]);
        h = (heights){end[0].height, end[1].height, exact_cut_error(&end[0], &end[1])};
    } else {
        h = flat_heights(c);
    }
    return find_cut(c, &h);
}

/* As a quotient, so that later computations need no division. */
void exact_cut_parts(const cut_point *c, int unit, exact_big x[3], exact_big *w)
{
    exact_big hp, hq;
    if (c->p == c->q) {
        for (int k = 0; k < 3; k++)
            big_from(&x[k], c->p->x[k], unit);
        big_from(w, 1, 0);
        return;
    }
    big_heights(c, unit, &hp, &hq);
    for (int k = 0; k < 3; k++)
        big_above(&x[k], c, &hp, &hq, unit, k);
    big_add(w, &hp, &hq, -1);
}
