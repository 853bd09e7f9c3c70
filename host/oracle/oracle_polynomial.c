/* See oracle_polynomial.h. */
#include "oracle_polynomial.h"

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

/* Sets the degree: coefficients beyond it are 0 in all polynomials. */
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

/* Divides by the greatest integer that divides all coefficients. */
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

/* One step: times the size of b's first coefficient, minus a multiple of b, so that the first
 * coefficient becomes 0. That multiple is added to the quotient, which is scaled alike. */
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

/* quotient b + rest = a times a constant > 0; none of the four is another one. */
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
    /* the sign of the divisor is any */
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

/* The next of the chain; 0: there is none. */
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

/* q may be of a higher degree than p: its remainder has the same signs at the roots of p. */
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
