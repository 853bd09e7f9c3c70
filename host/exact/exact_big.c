/* See exact_big.h. */
#include "exact_big.h"

#include "exact_float.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static big_view view_trim(big_view v)
{
    while (v.limbs && !v.limb[v.limbs - 1])
        v.limbs--;
    if (!v.limbs)
        v.sign = 0;
    return v;
}

void big_from(big *r, double x, int unit)
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
    r->limbs = (int)whole + (r->limb[whole + 1] != 0) + 1;
}

static int compare_size(big_view a, big_view b)
{
    if (a.limbs != b.limbs)
        return a.limbs > b.limbs ? 1 : -1;
    return a.limbs ? mpn_cmp(a.limb, b.limb, a.limbs) : 0;
}

/* mpn has no signs: the larger amount is first, and gives its sign. */
big_view view_add(mp_limb_t *out, big_view a, big_view b, int s)
{
    int order = compare_size(a, b);
    const big_view *hi = order >= 0 ? &a : &b, *lo = order >= 0 ? &b : &a;
    int same = a.sign * b.sign * s >= 0;
    big_view r = {order >= 0 && a.limbs ? a.sign : b.sign * s, hi->limbs, out};
    if (!lo->limbs) {
        memcpy(out, hi->limb, (size_t)hi->limbs * sizeof *out);
    } else if (same) {
        out[hi->limbs] = mpn_add(out, hi->limb, hi->limbs, lo->limb, lo->limbs);
        r.limbs++;
    } else {
        mpn_sub(out, hi->limb, hi->limbs, lo->limb, lo->limbs);
    }
    return view_trim(r);
}

big_view view_mul(mp_limb_t *out, big_view a, big_view b)
{
    const big_view *hi = a.limbs >= b.limbs ? &a : &b, *lo = a.limbs >= b.limbs ? &b : &a;
    big_view r = {a.sign * b.sign, 0, out};
    if (!r.sign)
        return r;
    mpn_mul(out, hi->limb, hi->limbs, lo->limb, lo->limbs);
    r.limbs = hi->limbs + lo->limbs;
    return view_trim(r);
}

void big_add(big *r, const big *a, const big *b, int s)
{
    const big_view v = view_add(r->limb, big_seen(a), big_seen(b), s);
    r->sign = v.sign;
    r->limbs = v.limbs;
}

void big_mul(big *r, const big *a, const big *b)
{
    const big_view v = view_mul(r->limb, big_seen(a), big_seen(b));
    r->sign = v.sign;
    r->limbs = v.limbs;
}

/* Three limbs have more than the 53 bits of a float64, whatever the first begins with. */
double big_parts(const big *a, int *e)
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

int big_bits(const big *a)
{
    return a->limbs ? 64 * a->limbs - __builtin_clzll(a->limb[a->limbs - 1]) : 0;
}

void big_shift(big *a, int shift)
{
    int whole = shift / 64, part = shift % 64;
    if (!a->limbs || !shift)
        return;
    memmove(a->limb + whole, a->limb, (size_t)a->limbs * sizeof *a->limb);
    memset(a->limb, 0, (size_t)whole * sizeof *a->limb);
    a->limbs += whole;
    if (part) {
        mp_limb_t top = mpn_lshift(a->limb, a->limb, a->limbs, (unsigned)part);
        if (top)
            a->limb[a->limbs++] = top;
    }
}

/* ---- determinants */

int big_unit(const exact_point *const *p, size_t n)
{
    int unit = INT_MAX, e;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            float_parts(p[i]->x[k], &e);
            unit = e < unit ? e : unit;
        }
    return unit;
}

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

/* Differences are exact here, so it needs no 4 x 4 determinant. */
void big_det(big *r, const exact_point *const a[2], const exact_point *const b[2],
             const exact_point *const c[2], int unit)
{
    big u[3], v[3], w[3], minor, term, sum;
    for (int k = 0; k < 3; k++) {
        big_difference(&u[k], a[1], a[0], k, unit);
        big_difference(&v[k], b[1], b[0], k, unit);
        big_difference(&w[k], c[1], c[0], k, unit);
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

void big_orient3d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  const exact_point *d, int unit)
{
    big_det(r, (const exact_point *const[]){a, b}, (const exact_point *const[]){a, c},
            (const exact_point *const[]){a, d}, unit);
}

void big_orient2d(big *r, const exact_point *a, const exact_point *b, const exact_point *c,
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
