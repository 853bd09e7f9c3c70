/* See exact_form.h. */
#include "exact_form.h"

/* ---- places */

void ratio_init(ratio *p)
{
    dyad_init(&p->s);
    dyad_init(&p->t);
    dyad_set_power(&p->s, 0);
}

void ratio_clear(ratio *p)
{
    dyad_clear(&p->s);
    dyad_clear(&p->t);
}

void ratio_set(ratio *r, const ratio *p)
{
    dyad_set(&r->s, &p->s);
    dyad_set(&r->t, &p->t);
}

/* ---- one form */

void form_init(form *p)
{
    p->degree = 0;
    for (int i = 0; i <= FORM_DEGREE; i++)
        dyad_init(&p->c[i]);
}

void form_clear(form *p)
{
    for (int i = 0; i <= FORM_DEGREE; i++)
        dyad_clear(&p->c[i]);
}

void form_copy(form *r, const form *p)
{
    r->degree = p->degree;
    for (int i = 0; i <= p->degree; i++)
        dyad_set(&r->c[i], &p->c[i]);
}

int form_is_zero(const form *p)
{
    return !form_sign_after(p);
}

int form_variations(const form *p)
{
    int count = 0, last = 0;
    for (int i = 0; i <= p->degree; i++) {
        int sign = dyad_sign(&p->c[i]);
        count += sign * last < 0;
        last = sign ? sign : last;
    }
    return count;
}

int form_sign_after(const form *p)
{
    int sign = 0;
    for (int i = 0; i <= p->degree && !sign; i++)
        sign = dyad_sign(&p->c[i]);
    return sign;
}

int form_sign_before(const form *p)
{
    int sign = 0;
    for (int i = p->degree; i >= 0 && !sign; i--)
        sign = dyad_sign(&p->c[i]);
    return sign;
}

void form_mul(form *r, const form *a, const form *b)
{
    r->degree = 0;
    dyad_set_double(&r->c[0], 0);
    form_add_mul(r, a, b, 1);
}

void form_add(form *r, const form *a, const form *b, int sign)
{
    r->degree = a->degree;
    for (int i = 0; i <= a->degree; i++)
        dyad_add(&r->c[i], &a->c[i], &b->c[i], sign);
}

void form_add_mul(form *r, const form *a, const form *b, int sign)
{
    while (r->degree < a->degree + b->degree)
        dyad_set_double(&r->c[++r->degree], 0);
    for (int i = 0; i <= a->degree; i++)
        for (int j = 0; j <= b->degree; j++)
            dyad_add_mul(&r->c[i + j], &a->c[i], &b->c[j], sign);
}

void form_raise(form *p, int k)
{
    for (; k > 0; k--) {
        p->degree++;
        dyad_set(&p->c[p->degree], &p->c[p->degree - 1]);
        for (int i = p->degree - 1; i > 0; i--)
            dyad_add(&p->c[i], &p->c[i], &p->c[i - 1], 1);
    }
}

void form_drop_ends(form *p)
{
    int low = 0;
    while (p->degree > 0 && !dyad_sign(&p->c[p->degree]))
        p->degree--;
    while (low < p->degree && !dyad_sign(&p->c[low]))
        low++;
    for (int i = low; low && i <= p->degree; i++)
        dyad_set(&p->c[i - low], &p->c[i]);
    p->degree -= low;
}

void form_slope(form *r, const form *p)
{
    r->degree = p->degree > 0 ? p->degree - 1 : 0;
    dyad_set_double(&r->c[0], 0);
    for (int i = 1; i <= p->degree; i++) {
        dyad power;
        dyad_init(&power);
        dyad_set_double(&power, i);
        dyad_mul(&r->c[i - 1], &p->c[i], &power);
        dyad_clear(&power);
    }
    form_drop_ends(r);
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
