/* See dyads.h. */
#include "dyads.h"

void dyads_init(dyad v[3])
{
    for (int k = 0; k < 3; k++)
        dyad_init(&v[k]);
}

void dyads_clear(dyad v[3])
{
    for (int k = 0; k < 3; k++)
        dyad_clear(&v[k]);
}

void dyads_between(dyad out[3], const exact_point *p, const exact_point *q)
{
    dyad t;
    dyad_init(&t);
    for (int k = 0; k < 3; k++) {
        dyad_set_double(&out[k], q->x[k]);
        dyad_set_double(&t, p->x[k]);
        dyad_add(&out[k], &out[k], &t, -1);
    }
    dyad_clear(&t);
}

void dyads_cross(dyad out[3], const dyad a[3], const dyad b[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        dyad_mul(&out[k], &a[i], &b[j]);
        dyad_add_mul(&out[k], &a[j], &b[i], -1);
    }
}

void dyads_dot(dyad *out, const dyad a[3], const dyad b[3])
{
    dyad_mul(out, &a[0], &b[0]);
    dyad_add_mul(out, &a[1], &b[1], 1);
    dyad_add_mul(out, &a[2], &b[2], 1);
}

int dyads_zero(const dyad v[3])
{
    return !dyad_sign(&v[0]) && !dyad_sign(&v[1]) && !dyad_sign(&v[2]);
}

void dyads_normal(dyad out[3], const exact_point p[3])
{
    dyad e[3], f[3];
    dyads_init(e);
    dyads_init(f);
    dyads_between(e, &p[0], &p[1]);
    dyads_between(f, &p[0], &p[2]);
    dyads_cross(out, e, f);
    dyads_clear(e);
    dyads_clear(f);
}

void dyads_edge_normal(dyad out[3], const dyad n[3], const exact_point *a, const exact_point *b)
{
    dyad e[3];
    dyads_init(e);
    dyads_between(e, a, b);
    dyads_cross(out, n, e);
    dyads_clear(e);
}
