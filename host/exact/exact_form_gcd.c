/* Common roots of forms, as polynomials in x = t / s. */
#include "exact_form.h"

#include <stdint.h>

/* ---- modulo a prime: a common divisor of a and b divides them there as well, and keeps its degree
 * if the first coefficient of one of them does. */

#define PRIME ((UINT64_C(1) << 31) - 1) /* 2^31 is 1 */

typedef struct residue {
    int degree; /* -1: 0 */
    uint64_t c[FORM_DEGREE + 1];
} residue;

/* 2^e times the form is one of integers; a power of two divides none of the others. */
static void residue_of(residue *r, const form *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; i++) {
        const long power = p->c[i].e * GMP_NUMB_BITS % 31;
        r->c[i] = mpz_fdiv_ui(p->c[i].m, PRIME) *
                  (UINT64_C(1) << (power < 0 ? power + 31 : power)) % PRIME;
    }
}

static void residue_shorten(residue *r)
{
    while (r->degree >= 0 && !r->c[r->degree])
        r->degree--;
}

/* a times some number that is not 0, less a multiple of b */
static void residue_reduce(residue *a, const residue *b)
{
    while (a->degree >= b->degree) {
        const int up = a->degree - b->degree;
        const uint64_t lead = PRIME - a->c[a->degree];
        for (int i = 0; i < a->degree; i++)
            a->c[i] = (a->c[i] * b->c[b->degree] + (i >= up ? b->c[i - up] * lead : 0)) % PRIME;
        a->degree--;
        residue_shorten(a);
    }
}

int form_may_share(const form *a, const form *b)
{
    residue r, s;
    residue_of(&r, a);
    residue_of(&s, b);
    if (!r.c[r.degree])
        return 1;
    residue_shorten(&s);
    while (s.degree >= 0) {
        residue_reduce(&r, &s);
        const residue swap = r;
        r = s;
        s = swap;
    }
    return r.degree > 0;
}

/* ---- Euclid's algorithm, every remainder divided by the content of its coefficients (primitive
 * remainders), so that they stay short. */

/* p by the greatest number that divides all its m, and by a power of two */
static void drop_content(form *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = 0; i <= p->degree; i++)
        mpz_gcd(content, content, p->c[i].m);
    const long e = p->c[p->degree].e;
    for (int i = 0; i <= p->degree; i++) {
        if (dyad_sign(&p->c[i]))
            p->c[i].e -= e;
        if (mpz_cmp_ui(content, 1) > 0)
            mpz_divexact(p->c[i].m, p->c[i].m, content);
    }
    mpz_clear(content);
}

/* a times some number, less a multiple of b: of lower degree than b */
static void reduce(form *a, const form *b)
{
    dyad lead;
    dyad_init(&lead);
    while (a->degree >= b->degree) {
        int up = a->degree - b->degree;
        dyad_set(&lead, &a->c[a->degree]);
        for (int i = 0; i < a->degree; i++) {
            dyad_mul(&a->c[i], &a->c[i], &b->c[b->degree]);
            if (i >= up)
                dyad_add_mul(&a->c[i], &b->c[i - up], &lead, -1);
        }
        if (!a->degree) {
            dyad_set_double(&a->c[0], 0);
            break;
        }
        a->degree--;
        while (a->degree > 0 && !dyad_sign(&a->c[a->degree]))
            a->degree--;
    }
    dyad_clear(&lead);
}

/* A remainder's factors of x do no harm to it: b has none. */
void form_gcd(form *r, const form *a, const form *b)
{
    form rest;
    form_init(&rest);
    form_copy(r, a);
    form_copy(&rest, b);
    form_drop_ends(r);
    form_drop_ends(&rest);
    while (!form_is_zero(&rest)) {
        drop_content(&rest);
        reduce(r, &rest);
        form_drop_ends(r);
        form swap = *r;
        *r = rest;
        rest = swap;
    }
    form_clear(&rest);
}
