/* Greatest common divisors of forms, as polynomials in x = t/s: Euclid's algorithm, every remainder
 * divided by the content of its coefficients (primitive remainders), so that they stay short. */
#include "exact_form.h"

/* p without its roots at 0 and 1: c[0] and c[degree] are not 0, or p is 0, of degree 0. */
static void drop_ends(form *p)
{
    int low = 0;
    while (p->degree > 0 && !mpz_sgn(p->c[p->degree]))
        p->degree--;
    while (low < p->degree && !mpz_sgn(p->c[low]))
        low++;
    for (int i = low; low && i <= p->degree; i++)
        mpz_swap(p->c[i - low], p->c[i]);
    p->degree -= low;
}

/* p by the greatest number that divides all its coefficients */
static void drop_content(form *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = 0; i <= p->degree; i++)
        mpz_gcd(content, content, p->c[i]);
    if (mpz_cmp_ui(content, 1) > 0)
        for (int i = 0; i <= p->degree; i++)
            mpz_divexact(p->c[i], p->c[i], content);
    mpz_clear(content);
}

/* a times some number, less a multiple of b: of lower degree than b */
static void reduce(form *a, const form *b)
{
    mpz_t lead;
    mpz_init(lead);
    while (a->degree >= b->degree) {
        int up = a->degree - b->degree;
        mpz_set(lead, a->c[a->degree]);
        for (int i = 0; i < a->degree; i++) {
            mpz_mul(a->c[i], a->c[i], b->c[b->degree]);
            if (i >= up)
                mpz_submul(a->c[i], b->c[i - up], lead);
        }
        if (!a->degree) {
            mpz_set_ui(a->c[0], 0);
            break;
        }
        a->degree--;
        while (a->degree > 0 && !mpz_sgn(a->c[a->degree]))
            a->degree--;
    }
    mpz_clear(lead);
}

/* A remainder's factors of x do no harm to it: b has none. */
void form_gcd(form *r, const form *a, const form *b)
{
    form rest;
    form_init(&rest);
    form_copy(r, a);
    form_copy(&rest, b);
    drop_ends(r);
    drop_ends(&rest);
    while (!form_is_zero(&rest)) {
        drop_content(&rest);
        reduce(r, &rest);
        drop_ends(r);
        form swap = *r;
        *r = rest;
        rest = swap;
    }
    form_clear(&rest);
}

/* r = p / q, which divides p; p is lost. q's coefficients have no common factor, so all quotients
 * are integers (Gauss). */
static void divide(form *r, form *p, const form *q)
{
    r->degree = p->degree - q->degree;
    for (int i = r->degree; i >= 0; i--) {
        mpz_divexact(r->c[i], p->c[i + q->degree], q->c[q->degree]);
        for (int j = 0; j <= q->degree; j++)
            mpz_submul(p->c[i + j], r->c[i], q->c[j]);
    }
}

/* p / gcd(p, p') */
void form_square_free(form *r, const form *p)
{
    form whole, slope, common;
    form_init(&whole);
    form_init(&slope);
    form_init(&common);
    form_copy(&whole, p);
    drop_ends(&whole);
    drop_content(&whole);
    slope.degree = whole.degree > 0 ? whole.degree - 1 : 0;
    for (int i = 1; i <= whole.degree; i++)
        mpz_mul_ui(slope.c[i - 1], whole.c[i], (unsigned long)i);
    if (whole.degree > 0) {
        form_gcd(&common, &whole, &slope);
        divide(r, &whole, &common);
    } else {
        form_copy(r, &whole);
    }
    form_clear(&whole);
    form_clear(&slope);
    form_clear(&common);
}
