/* See oracle_root.h. */
#include "oracle_root.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- finding */

/* The only root in (i, i + 1] / 2^bits: is that enough to know it by? */
static int oracle_roots_add(oracle_roots *r, const mpz_t i, mp_bitcnt_t bits)
{
    oracle_root *t = &r->at[r->count];
    *t = (oracle_root){.of = &r->of, .slope = &r->slope};
    mpz_init_set(t->low.m, i);
    mpz_init(t->high.m);
    mpz_add_ui(t->high.m, i, 1);
    t->low.bits = t->high.bits = bits;
    t->exact = !polynomial_sign(t->of, &t->high);
    if (t->exact)
        mpz_set(t->low.m, t->high.m);
    const int known = t->exact || polynomial_sign(t->of, &t->low);
    if (!known)
        oracle_root_close(t);
    r->count += known;
    return known;
}

/* All roots in (i, i + 1] / 2^bits, where the chain has these changes at both ends. */
static void oracle_root_find_in(oracle_roots *r, const mpz_t i, mp_bitcnt_t bits, int low, int high)
{
    dyadic middle;
    mpz_t half;
    if (low == high || (low == high + 1 && oracle_roots_add(r, i, bits)))
        return;
    mpz_init(half);
    mpz_mul_2exp(half, i, 1);
    dyadic_init(&middle, 1, bits + 1);
    mpz_add(middle.m, middle.m, half);
    const int changes = chain_changes(&r->chain, &middle);
    oracle_root_find_in(r, half, bits + 1, low, changes);
    oracle_root_find_in(r, middle.m, bits + 1, changes, high);
    mpz_clear(half);
    dyadic_clear(&middle);
}

void oracle_roots_open(oracle_roots *r, const polynomial *p)
{
    dyadic zero, one;
    r->count = 0;
    polynomial_init(&r->of);
    polynomial_init(&r->slope);
    polynomial_square_free(&r->of, p);
    polynomial_derivative(&r->slope, &r->of);
    chain_open(&r->chain, &r->of, &r->slope);
    dyadic_init(&zero, 0, 0);
    dyadic_init(&one, 1, 0);
    const int changes[2] = {chain_changes(&r->chain, &zero), chain_changes(&r->chain, &one)};
    oracle_root_find_in(r, zero.m, 0, changes[0], changes[1]);
    dyadic_clear(&zero);
    dyadic_clear(&one);
}

void oracle_roots_close(oracle_roots *r)
{
    for (int i = 0; i < r->count; i++)
        oracle_root_close(&r->at[i]);
    chain_close(&r->chain);
    polynomial_clear(&r->of);
    polynomial_clear(&r->slope);
}

void oracle_root_start(oracle_root *t)
{
    *t = (oracle_root){.exact = 1};
    dyadic_init(&t->low, 0, 0);
    dyadic_init(&t->high, 0, 0);
}

void oracle_root_close(oracle_root *t)
{
    dyadic_clear(&t->low);
    dyadic_clear(&t->high);
}

/* ---- signs */

int oracle_root_sign(const oracle_root *t, const polynomial *p)
{
    polynomial product;
    polynomial_chain c;
    if (t->exact)
        return polynomial_sign(p, &t->low);
    if (p->degree < 1)
        return p->degree < 0 ? 0 : mpz_sgn(p->c[0]);
    polynomial_init(&product);
    polynomial_add_product(&product, t->slope, p);
    chain_open(&c, t->of, &product);
    const int sign = chain_changes(&c, &t->low) - chain_changes(&c, &t->high);
    chain_close(&c);
    polynomial_clear(&product);
    return sign;
}

/* ---- rounding */

/* x of [0, 1] */
static void dyadic_of(dyadic *r, double x)
{
    int e;
    const double m = frexp(x, &e); /* x = m 2^e */
    mpz_init_set_d(r->m, ldexp(m, 53));
    r->bits = (mp_bitcnt_t)(53 - e);
}

static int dyadic_compare(const dyadic *a, const dyadic *b)
{
    mpz_t s, t;
    mpz_init(s);
    mpz_init(t);
    mpz_mul_2exp(s, a->m, b->bits);
    mpz_mul_2exp(t, b->m, a->bits);
    const int order = mpz_cmp(s, t);
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

/* Is x not more than the instant? A root between low and high is beyond x if the polynomial has no
 * change of sign from low to x: it has no other root there, and this one is simple. */
static int not_more(const oracle_root *t, const dyadic *x)
{
    if (dyadic_compare(x, &t->low) <= 0)
        return 1;
    if (t->exact || dyadic_compare(x, &t->high) >= 0)
        return 0;
    const int sign = polynomial_sign(t->of, x);
    return !sign || sign == polynomial_sign(t->of, &t->low);
}

static double float_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* float64 of one sign are in the order of their bits: these are halved between 0 and 1. */
double oracle_root_rounded_down(const oracle_root *t)
{
    const double most = 1;
    uint64_t low = 0, high;
    memcpy(&high, &most, sizeof high);
    high++; /* more than the instant */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        dyadic x;
        dyadic_of(&x, float_of(middle));
        const int good = not_more(t, &x);
        dyadic_clear(&x);
        low = good ? middle : low;
        high = good ? high : middle;
    }
    return float_of(low);
}
