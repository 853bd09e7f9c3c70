/* See exact_form.h. */
#include "exact_form.h"

/* ---- spans */

void span_init(span *s)
{
    mpz_init(s->from);
    mpz_init_set_ui(s->to, 1);
    s->bits = 0;
}

void span_clear(span *s)
{
    mpz_clear(s->from);
    mpz_clear(s->to);
}

void span_finer(span *s)
{
    mpz_mul_2exp(s->from, s->from, 1);
    mpz_mul_2exp(s->to, s->to, 1);
    s->bits++;
}

/* out = 1 - x/2^bits in units of 2^-bits */
static void rest_of_step(mpz_t out, const mpz_t x, mp_bitcnt_t bits)
{
    mpz_set_ui(out, 1);
    mpz_mul_2exp(out, out, bits);
    mpz_sub(out, out, x);
}

/* ---- one form */

void form_init(form *p)
{
    p->degree = 0;
    for (int i = 0; i <= FORM_DEGREE; i++)
        mpz_init(p->c[i]);
}

void form_clear(form *p)
{
    for (int i = 0; i <= FORM_DEGREE; i++)
        mpz_clear(p->c[i]);
}

void form_copy(form *r, const form *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; i++)
        mpz_set(r->c[i], p->c[i]);
}

int form_is_zero(const form *p)
{
    for (int i = 0; i <= p->degree; i++)
        if (mpz_sgn(p->c[i]))
            return 0;
    return 1;
}

/* Horner's rule for forms: after step i value = sum of c[j] s^(j-i) t^(n-j)... over j >= i. */
int form_sign(const form *p, const span *at)
{
    mpz_t value, s, power;
    mpz_init(s);
    mpz_init_set(value, p->c[p->degree]);
    mpz_init_set_ui(power, 1);
    rest_of_step(s, at->from, at->bits);
    for (int i = p->degree - 1; i >= 0; i--) {
        mpz_mul(power, power, s);
        mpz_mul(value, value, at->from);
        mpz_addmul(value, p->c[i], power);
    }
    int sign = mpz_sgn(value);
    mpz_clear(value);
    mpz_clear(s);
    mpz_clear(power);
    return sign;
}

int form_variations(const form *p)
{
    int count = 0, last = 0;
    for (int i = 0; i <= p->degree; i++) {
        int sign = mpz_sgn(p->c[i]);
        count += sign * last < 0;
        last = sign ? sign : last;
    }
    return count;
}

int form_sign_after(const form *p)
{
    int sign = 0;
    for (int i = 0; i <= p->degree && !sign; i++)
        sign = mpz_sgn(p->c[i]);
    return sign;
}

/* p *= a s + b t */
static void times_line(form *p, const mpz_t a, const mpz_t b)
{
    p->degree++;
    mpz_mul(p->c[p->degree], p->c[p->degree - 1], b);
    for (int i = p->degree - 1; i > 0; i--) {
        mpz_mul(p->c[i], p->c[i], a);
        mpz_addmul(p->c[i], p->c[i - 1], b);
    }
    mpz_mul(p->c[0], p->c[0], a);
}

/* With s' and t' within the span, s = (2^bits - from) s' + (2^bits - to) t' and t = from s' + to t'
 * in units of 2^-bits, by Horner's rule. */
void form_over(form *r, const form *p, const span *in)
{
    form power; /* of s */
    mpz_t from, to;
    form_init(&power);
    mpz_init(from);
    mpz_init(to);
    rest_of_step(from, in->from, in->bits);
    rest_of_step(to, in->to, in->bits);
    mpz_set_ui(power.c[0], 1);
    r->degree = 0;
    mpz_set(r->c[0], p->c[p->degree]);
    for (int i = p->degree - 1; i >= 0; i--) {
        times_line(&power, from, to);
        times_line(r, in->from, in->to);
        for (int j = 0; j <= r->degree; j++)
            mpz_addmul(r->c[j], p->c[i], power.c[j]);
    }
    form_clear(&power);
    mpz_clear(from);
    mpz_clear(to);
}

void form_mul(form *r, const form *a, const form *b)
{
    r->degree = 0;
    mpz_set_ui(r->c[0], 0);
    form_add_mul(r, a, b, 1);
}

void form_add(form *r, const form *a, const form *b, int sign)
{
    r->degree = a->degree;
    for (int i = 0; i <= a->degree; i++)
        (sign > 0 ? mpz_add : mpz_sub)(r->c[i], a->c[i], b->c[i]);
}

void form_add_mul(form *r, const form *a, const form *b, int sign)
{
    while (r->degree < a->degree + b->degree)
        mpz_set_ui(r->c[++r->degree], 0);
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            (sign > 0 ? mpz_addmul : mpz_submul)(r->c[i + j], a->c[i], b->c[j]);
}

void form_raise(form *p, int k)
{
    for (; k > 0; k--) {
        p->degree++;
        mpz_set(p->c[p->degree], p->c[p->degree - 1]);
        for (int i = p->degree - 1; i > 0; i--)
            mpz_add(p->c[i], p->c[i], p->c[i - 1]);
    }
}

/* ---- three */

void triple_init(triple *v)
{
    for (int k = 0; k < 3; k++)
        form_init(&v->x[k]);
}

void triple_clear(triple *v)
{
    for (int k = 0; k < 3; k++)
        form_clear(&v->x[k]);
}

void triple_sub(triple *r, const triple *a, const triple *b)
{
    for (int k = 0; k < 3; k++)
        form_add(&r->x[k], &a->x[k], &b->x[k], -1);
}

void triple_cross(triple *r, const triple *a, const triple *b)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        form_mul(&r->x[k], &a->x[i], &b->x[j]);
        form_add_mul(&r->x[k], &a->x[j], &b->x[i], -1);
    }
}

void triple_dot(form *r, const triple *a, const triple *b)
{
    form_mul(r, &a->x[0], &b->x[0]);
    form_add_mul(r, &a->x[1], &b->x[1], 1);
    form_add_mul(r, &a->x[2], &b->x[2], 1);
}

int triple_is_zero(const triple *v)
{
    return form_is_zero(&v->x[0]) && form_is_zero(&v->x[1]) && form_is_zero(&v->x[2]);
}
