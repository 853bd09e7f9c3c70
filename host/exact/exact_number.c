/* See exact_number.h. */
#include "exact_number.h"

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

void big_from(exact_big *r, double x, int unit)
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

/* mpn is unsigned: the operand with the larger absolute value is first and gives the sign. */
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

void big_add(exact_big *r, const exact_big *a, const exact_big *b, int s)
{
    const big_view v = view_add(r->limb, big_seen(a), big_seen(b), s);
    r->sign = v.sign;
    r->limbs = v.limbs;
}

void big_mul(exact_big *r, const exact_big *a, const exact_big *b)
{
    const big_view v = view_mul(r->limb, big_seen(a), big_seen(b));
    r->sign = v.sign;
    r->limbs = v.limbs;
}

/* Three limbs have more than the 53 bits of a float64, however many zero bits the first begins
 * with. */
double view_parts(big_view a, int *e)
{
    double m = 0;
    int top = a.limbs - 1;
    *e = 0;
    if (top < 0)
        return 0;
    for (int i = 0; i < 3 && top - i >= 0; i++)
        m += ldexp((double)a.limb[top - i], -64 * (i + 1));
    m = frexp(m, e);
    *e += 64 * a.limbs;
    return m;
}

int big_bits(const exact_big *a)
{
    return a->limbs ? 64 * a->limbs - __builtin_clzll(a->limb[a->limbs - 1]) : 0;
}

void big_shift(exact_big *a, int shift)
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
static void big_difference(exact_big *r, const exact_point *p, const exact_point *o, int axis,
                           int unit)
{
    exact_big a, b;
    big_from(&a, p->x[axis], unit);
    big_from(&b, o->x[axis], unit);
    big_add(r, &a, &b, -1);
}

/* r = a * d - b * c */
static void big_det2(exact_big *r, const exact_big *a, const exact_big *b, const exact_big *c,
                     const exact_big *d)
{
    exact_big ad, bc;
    big_mul(&ad, a, d);
    big_mul(&bc, b, c);
    big_add(r, &ad, &bc, -1);
}

/* Differences are exact here, so no 4 x 4 determinant is needed. */
void big_det(exact_big *r, const exact_point *const a[2], const exact_point *const b[2],
             const exact_point *const c[2], int unit)
{
    exact_big u[3], v[3], w[3], minor, term, sum;
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

void big_orient3d(exact_big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  const exact_point *d, int unit)
{
    big_det(r, (const exact_point *const[]){a, b}, (const exact_point *const[]){a, c},
            (const exact_point *const[]){a, d}, unit);
}

void big_orient2d(exact_big *r, const exact_point *a, const exact_point *b, const exact_point *c,
                  int axis, int unit)
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    exact_big ui, uj, vi, vj;
    big_difference(&ui, b, a, i, unit);
    big_difference(&uj, b, a, j, unit);
    big_difference(&vi, c, a, i, unit);
    big_difference(&vj, c, a, j, unit);
    big_det2(r, &ui, &uj, &vi, &vj);
}

#define LIMB 64

_Static_assert(GMP_NUMB_BITS == LIMB, "limbs of 64 bits");

void dyad_init(dyad *x)
{
    mpz_init(x->m);
    x->e = 0;
}

void dyad_clear(dyad *x)
{
    mpz_clear(x->m);
}

void dyad_set(dyad *r, const dyad *x)
{
    mpz_set(r->m, x->m);
    r->e = x->e;
}

/* Removes low limbs that are 0. */
static void dyad_normalise(dyad *x)
{
    mp_size_t zeros = 0;
    if (!mpz_sgn(x->m)) {
        x->e = 0;
        return;
    }
    while (!mpz_getlimbn(x->m, zeros))
        zeros++;
    if (zeros)
        mpz_tdiv_q_2exp(x->m, x->m, LIMB * (mp_bitcnt_t)zeros);
    x->e += zeros;
}

/* r 2^e */
static void dyad_scale_binary(dyad *r, long e)
{
    const long part = e & (LIMB - 1);
    mpz_mul_2exp(r->m, r->m, (mp_bitcnt_t)part);
    r->e = (e - part) / LIMB;
    dyad_normalise(r);
}

void dyad_set_double(dyad *r, double x)
{
    int e;
    mpz_set_si(r->m, float_parts(x, &e));
    dyad_scale_binary(r, mpz_sgn(r->m) ? e : 0);
}

void dyad_set_power(dyad *r, long e)
{
    mpz_set_ui(r->m, 1);
    dyad_scale_binary(r, e);
}

void dyad_set_integer(dyad *r, const mpz_t x, long e)
{
    mpz_set(r->m, x);
    dyad_scale_binary(r, e);
}

/* r += sign b, both not 0 */
static void dyad_accumulate(dyad *r, const dyad *b, int sign)
{
    if (r->e >= b->e) {
        if (r->e > b->e)
            mpz_mul_2exp(r->m, r->m, LIMB * (mp_bitcnt_t)(r->e - b->e));
        (sign > 0 ? mpz_add : mpz_sub)(r->m, r->m, b->m);
        r->e = b->e;
    } else {
        mpz_t longer;
        mpz_init(longer);
        mpz_mul_2exp(longer, b->m, LIMB * (mp_bitcnt_t)(b->e - r->e));
        (sign > 0 ? mpz_add : mpz_sub)(r->m, r->m, longer);
        mpz_clear(longer);
    }
    dyad_normalise(r);
}

void dyad_add(dyad *r, const dyad *a, const dyad *b, int sign)
{
    const int first = dyad_sign(a), second = dyad_sign(b);
    if (r != a || !first)
        dyad_set(r, first ? a : b);
    if (!first && sign < 0)
        mpz_neg(r->m, r->m);
    if (first && second)
        dyad_accumulate(r, b, sign);
}

void dyad_mul(dyad *r, const dyad *a, const dyad *b)
{
    const long e = a->e + b->e;
    mpz_mul(r->m, a->m, b->m);
    r->e = e;
    dyad_normalise(r);
}

void dyad_add_mul(dyad *r, const dyad *a, const dyad *b, int sign)
{
    dyad product;
    if (!dyad_sign(a) || !dyad_sign(b))
        return;
    if (!dyad_sign(r) || r->e == a->e + b->e) {
        r->e = a->e + b->e;
        (sign > 0 ? mpz_addmul : mpz_submul)(r->m, a->m, b->m);
        dyad_normalise(r);
        return;
    }
    dyad_init(&product);
    dyad_mul(&product, a, b);
    dyad_accumulate(r, &product, sign);
    dyad_clear(&product);
}

double dyad_top(const dyad *x, long *e)
{
    long bits;
    const double d = mpz_get_d_2exp(&bits, x->m);
    *e = bits + LIMB * x->e;
    return d;
}

int dyad_compare(const dyad *a, const dyad *b)
{
    const int sign = dyad_sign(a), other = dyad_sign(b);
    if (sign != other || !sign)
        return (sign > other) - (sign < other);
    if (a->e == b->e)
        return mpz_cmp(a->m, b->m);
    long e, f;
    dyad_top(a, &e);
    dyad_top(b, &f);
    if (e != f)
        return e > f ? sign : -sign;
    dyad rest;
    dyad_init(&rest);
    dyad_add(&rest, a, b, -1);
    const int order = dyad_sign(&rest);
    dyad_clear(&rest);
    return order;
}
