/* See oracle_number.h. */
#include "oracle_number.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* x as an integer of 53 bits, times 2^*e */
static int64_t oracle_integers_split(double x, int *e)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int field = bits >> 52 & 2047;
    const int64_t m = (int64_t)(bits & (((uint64_t)1 << 52) - 1)) | (int64_t)(field != 0) << 52;
    *e = (field ? field : 1) - 1075;
    return x < 0 ? -m : m;
}

/* the exponent of x's last bit, INT_MAX for 0 */
static int last_bit(double x)
{
    int e;
    const int64_t m = oracle_integers_split(x, &e);
    return m ? e + __builtin_ctzll((unsigned long long)m) : INT_MAX;
}

/* The unit is the lowest bit of any number, so that all are short integers. */
int oracle_integers(int n, const double *x, mpz_t *out)
{
    int unit = INT_MAX;
    for (int i = 0; i < n; i++) {
        int e = last_bit(x[i]);
        unit = e < unit ? e : unit;
    }
    if (unit == INT_MAX)
        unit = 0;
    for (int i = 0; i < n; i++) {
        int e;
        mpz_set_si(out[i], oracle_integers_split(x[i], &e));
        if (e >= unit)
            mpz_mul_2exp(out[i], out[i], (mp_bitcnt_t)(e - unit));
        else
            mpz_tdiv_q_2exp(out[i], out[i], (mp_bitcnt_t)(unit - e));
    }
    return unit;
}

int oracle_corner_integers(const int corners[2], const double (*x)[4][3], mpz_t out[24])
{
    double all[24];
    for (int i = 0; i < 24; i++) {
        const int s = i / 12, v = i / 3 % 4;
        mpz_init(out[i]);
        all[i] = x[s][v < corners[s] ? v : 0][i % 3];
    }
    return oracle_integers(24, all, out);
}

void vector_init(vector v)
{
    for (int k = 0; k < 3; k++)
        mpz_init(v[k]);
}

void vector_clear(vector v)
{
    for (int k = 0; k < 3; k++)
        mpz_clear(v[k]);
}

void vector_subtract(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++)
        mpz_sub(r[k], a[k], b[k]);
}

void vector_cross(vector r, vector a, vector b)
{
    for (int k = 0; k < 3; k++) {
        mpz_mul(r[k], a[(k + 1) % 3], b[(k + 2) % 3]);
        mpz_submul(r[k], a[(k + 2) % 3], b[(k + 1) % 3]);
    }
}

void vector_dot(mpz_t r, vector a, vector b)
{
    mpz_mul(r, a[0], b[0]);
    mpz_addmul(r, a[1], b[1]);
    mpz_addmul(r, a[2], b[2]);
}

int fraction_compare(fraction a, fraction b)
{
    mpz_t s, t;
    mpz_init(s);
    mpz_init(t);
    mpz_mul(s, a[0], b[1]);
    mpz_mul(t, b[0], a[1]);
    const int order = mpz_cmp(s, t);
    mpz_clear(s);
    mpz_clear(t);
    return order;
}

void fraction_init(fraction a)
{
    mpz_init(a[0]);
    mpz_init_set_ui(a[1], 1);
}

void fraction_clear(fraction a)
{
    mpz_clear(a[0]);
    mpz_clear(a[1]);
}

void fraction_set(fraction a, fraction b)
{
    mpz_set(a[0], b[0]);
    mpz_set(a[1], b[1]);
}

void polynomial_init(polynomial *p)
{
    p->degree = -1;
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_init(p->c[i]);
}

void polynomial_clear(polynomial *p)
{
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_clear(p->c[i]);
}

void polynomial_set(polynomial *r, const polynomial *a)
{
    r->degree = a->degree;
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_set(r->c[i], a->c[i]);
}

/* Sets the degree: in all polynomials, coefficients beyond it are 0. */
static void find_degree(polynomial *p)
{
    p->degree = POLYNOMIAL_MOST;
    while (p->degree >= 0 && !mpz_sgn(p->c[p->degree]))
        p->degree--;
}

void polynomial_line(polynomial *r, const mpz_t from, const mpz_t to)
{
    for (int i = 2; i <= POLYNOMIAL_MOST; i++)
        mpz_set_ui(r->c[i], 0);
    mpz_set(r->c[0], from);
    mpz_sub(r->c[1], to, from);
    find_degree(r);
}

void polynomial_add(polynomial *r, const polynomial *a, const polynomial *b)
{
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_add(r->c[i], a->c[i], b->c[i]);
    find_degree(r);
}

void polynomial_subtract(polynomial *r, const polynomial *a, const polynomial *b)
{
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_sub(r->c[i], a->c[i], b->c[i]);
    find_degree(r);
}

static void polynomial_multiply(polynomial *r, const polynomial *a, const polynomial *b,
                                void (*with)(mpz_ptr, mpz_srcptr, mpz_srcptr))
{
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            with(r->c[i + j], a->c[i], b->c[j]);
    find_degree(r);
}

void polynomial_add_product(polynomial *r, const polynomial *a, const polynomial *b)
{
    polynomial_multiply(r, a, b, mpz_addmul);
}

void polynomial_subtract_product(polynomial *r, const polynomial *a, const polynomial *b)
{
    polynomial_multiply(r, a, b, mpz_submul);
}

void polynomial_derivative(polynomial *r, const polynomial *p)
{
    for (int i = 0; i < POLYNOMIAL_MOST; i++)
        mpz_mul_ui(r->c[i], p->c[i + 1], (unsigned long)i + 1);
    mpz_set_ui(r->c[POLYNOMIAL_MOST], 0);
    find_degree(r);
}

/* ---- division */

/* Divides by the greatest common divisor of all coefficients. */
static void polynomial_primitive_part(polynomial *p)
{
    mpz_t g;
    mpz_init(g);
    for (int i = 0; i <= p->degree; i++)
        mpz_gcd(g, g, p->c[i]);
    for (int i = 0; i <= p->degree && mpz_cmp_ui(g, 1); i++)
        mpz_divexact(p->c[i], p->c[i], g);
    mpz_clear(g);
}

/* One step: multiplies by the absolute value of b's leading coefficient and subtracts a multiple of
 * b, so that the leading coefficient becomes 0. That multiple is added to the quotient, which is
 * scaled alike. */
static void divide_step(polynomial *rest, const polynomial *b, polynomial *quotient)
{
    mpz_t lead, factor;
    const int shift = rest->degree - b->degree;
    mpz_init(lead);
    mpz_init_set(factor, rest->c[rest->degree]);
    mpz_abs(lead, b->c[b->degree]);
    if (mpz_sgn(b->c[b->degree]) < 0)
        mpz_neg(factor, factor);
    for (int i = 0; i <= POLYNOMIAL_MOST; i++) {
        mpz_mul(rest->c[i], rest->c[i], lead);
        mpz_mul(quotient->c[i], quotient->c[i], lead);
    }
    for (int i = 0; i <= b->degree; i++)
        mpz_submul(rest->c[i + shift], factor, b->c[i]);
    mpz_add(quotient->c[shift], quotient->c[shift], factor);
    find_degree(rest);
    mpz_clear(lead);
    mpz_clear(factor);
}

/* quotient b + rest = a times a constant > 0. All four must be different. */
static void polynomial_divide(polynomial *quotient, polynomial *rest, const polynomial *a,
                              const polynomial *b)
{
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        mpz_set_ui(quotient->c[i], 0);
    polynomial_set(rest, a);
    while (rest->degree >= b->degree)
        divide_step(rest, b, quotient);
    find_degree(quotient);
}

/* The quotient by the greatest common divisor with the derivative. */
void polynomial_square_free(polynomial *r, const polynomial *p)
{
    polynomial_chain c;
    polynomial slope, rest;
    polynomial_init(&slope);
    polynomial_init(&rest);
    polynomial_derivative(&slope, p);
    chain_open(&c, p, &slope);
    polynomial_divide(r, &rest, p, &c.p[c.count - 1]);
    polynomial_primitive_part(r);
    /* the divisor may have either sign */
    if (mpz_sgn(r->c[r->degree]) != mpz_sgn(p->c[p->degree]))
        for (int i = 0; i <= r->degree; i++)
            mpz_neg(r->c[i], r->c[i]);
    chain_close(&c);
    polynomial_clear(&slope);
    polynomial_clear(&rest);
}

/* ---- dyadic numbers */

void dyadic_init(dyadic *x, unsigned long m, mp_bitcnt_t bits)
{
    mpz_init_set_ui(x->m, m);
    x->bits = bits;
}

void dyadic_clear(dyadic *x)
{
    mpz_clear(x->m);
}

/* Horner's scheme times 2^(bits degree) */
int polynomial_sign(const polynomial *p, const dyadic *x)
{
    mpz_t sum, term;
    if (p->degree < 0)
        return 0;
    mpz_init_set(sum, p->c[p->degree]);
    mpz_init(term);
    for (int i = p->degree - 1; i >= 0; i--) {
        mpz_mul_2exp(term, p->c[i], x->bits * (mp_bitcnt_t)(p->degree - i));
        mpz_mul(sum, sum, x->m);
        mpz_add(sum, sum, term);
    }
    const int sign = mpz_sgn(sum);
    mpz_clear(sum);
    mpz_clear(term);
    return sign;
}

/* ---- chains */

/* The next polynomial of the chain; returns 0 at its end. */
static int chain_next(polynomial_chain *c)
{
    polynomial quotient;
    polynomial *r = &c->p[c->count];
    polynomial_init(&quotient);
    polynomial_divide(&quotient, r, &c->p[c->count - 2], &c->p[c->count - 1]);
    polynomial_clear(&quotient);
    polynomial_primitive_part(r);
    for (int i = 0; i <= r->degree; i++)
        mpz_neg(r->c[i], r->c[i]);
    return r->degree >= 0;
}

/* q may have a higher degree than p: its remainder has the same signs at the roots of p. */
void chain_open(polynomial_chain *c, const polynomial *p, const polynomial *q)
{
    polynomial quotient;
    polynomial_init(&quotient);
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        polynomial_init(&c->p[i]);
    polynomial_set(&c->p[0], p);
    polynomial_divide(&quotient, &c->p[1], q, p);
    polynomial_primitive_part(&c->p[1]);
    polynomial_clear(&quotient);
    c->count = c->p[1].degree < 0 ? 1 : 2;
    while (c->count > 1 && chain_next(c))
        c->count++;
}

void chain_close(polynomial_chain *c)
{
    for (int i = 0; i <= POLYNOMIAL_MOST; i++)
        polynomial_clear(&c->p[i]);
}

int chain_changes(const polynomial_chain *c, const dyadic *x)
{
    int changes = 0, last = 0;
    for (int i = 0; i < c->count; i++) {
        const int sign = polynomial_sign(&c->p[i], x);
        changes += sign && last && sign != last;
        last = sign ? sign : last;
    }
    return changes;
}

/* ---- root isolation */

/* Tries to isolate the only root in (i, i + 1] / 2^bits; returns 0 if more bisection is needed. */
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

/* Finds all roots in (i, i + 1] / 2^bits, where the chain has these sign changes at both ends. */
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

/* x is in [0, 1] */
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

/* Returns whether x is not above the root. A root between low and high is above x if the polynomial
 * has no sign change from low to x: it has no other root there, and this one is simple. */
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

/* float64 of one sign are ordered like their bits, which are bisected between 0 and 1. */
double oracle_root_rounded_down(const oracle_root *t)
{
    const double most = 1;
    uint64_t low = 0, high;
    memcpy(&high, &most, sizeof high);
    high++; /* above the root */
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
