/* See exact_dyad.h. */
#include "exact_dyad.h"

#include "exact_float.h"

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

/* Leaves out limbs that are 0. */
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

/* r += sign b, of numbers that are not 0 */
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
