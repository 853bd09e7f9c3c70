/* See cuts.h. */
#include "cuts.h"

#include <stdlib.h>
#include <string.h>

void cut_at_init(cut *c)
{
    dyads_init(c->p);
    dyad_init(&c->w);
    dyad_init(&c->t);
}

void cut_at_clear(cut *c)
{
    dyads_clear(c->p);
    dyad_clear(&c->w);
    dyad_clear(&c->t);
}

cut *cut_line_add(cut_line *a)
{
    if (mem_fit(a->walk->of->mem, a->count, &a->capacity, sizeof *a->cut, &a->cut)) {
        a->spoilt = 1;
        return NULL;
    }
    cut_at_init(&a->cut[a->count]);
    return &a->cut[a->count++];
}

void cut_line_drop(cut_line *a, size_t from)
{
    while (a->count > from)
        cut_at_clear(&a->cut[--a->count]);
}

void cut_at_height(dyad *out, const cut *c, const dyad n[3], const exact_point *q)
{
    dyad t;
    dyad_init(&t);
    dyads_dot(out, n, c->p);
    for (int k = 0; k < 3; k++) {
        dyad_set_double(&t, q->x[k]);
        dyad_mul(&t, &t, &n[k]);
        dyad_add_mul(out, &t, &c->w, -1);
    }
    dyad_clear(&t);
}

void cut_at_set_point(cut *c, const exact_point *p)
{
    for (int k = 0; k < 3; k++)
        dyad_set_double(&c->p[k], p->x[k]);
    dyad_set_double(&c->w, 1);
}

/* (i.p l - j.p h) / (i.w l - j.w h) */
void cut_at_between(cut *out, const cut *i, const cut *j, const dyad *h, const dyad *l)
{
    for (int k = 0; k < 3; k++) {
        dyad_mul(&out->p[k], &i->p[k], l);
        dyad_add_mul(&out->p[k], &j->p[k], h, -1);
    }
    dyad_mul(&out->w, &i->w, l);
    dyad_add_mul(&out->w, &j->w, h, -1);
    if (dyad_sign(&out->w) < 0) {
        mpz_neg(out->w.m, out->w.m);
        for (int k = 0; k < 3; k++)
            mpz_neg(out->p[k].m, out->p[k].m);
    }
}

void cut_line_place(const cut_line *a, cut *c)
{
    dyads_dot(&c->t, a->along, c->p);
}

void cut_at_middle(const cut *i, const cut *j, probe *s)
{
    dyad_mul(&s->w, &i->w, &j->w);
    dyad_add(&s->w, &s->w, &s->w, 1);
    for (int k = 0; k < 3; k++) {
        dyad_mul(&s->p[k], &i->p[k], &j->w);
        dyad_add_mul(&s->p[k], &j->p[k], &i->w, 1);
    }
    probe_place(s);
}

int cut_at_compare(const cut *i, const cut *j)
{
    dyad a, b;
    dyad_init(&a);
    dyad_init(&b);
    dyad_mul(&a, &i->t, &j->w);
    dyad_mul(&b, &j->t, &i->w);
    const int order = dyad_compare(&a, &b);
    dyad_clear(&a);
    dyad_clear(&b);
    return order;
}

static int cut_at_order(const void *i, const void *j)
{
    return cut_at_compare(i, j);
}

/* ---- points that divide it */

/* Adds the point at which the segment crosses a plane; returns whether it lies in the plane. */
static int line_cross(cut_line *a, const dyad n[3], const exact_point *q)
{
    dyad h, l;
    dyad_init(&h);
    dyad_init(&l);
    cut_at_height(&h, &a->cut[0], n, q);
    cut_at_height(&l, &a->cut[1], n, q);
    const int in = !dyad_sign(&h) && !dyad_sign(&l);
    if (dyad_sign(&h) * dyad_sign(&l) < 0) {
        cut *c = cut_line_add(a);
        if (c) {
            cut_at_between(c, &a->cut[0], &a->cut[1], &h, &l);
            cut_line_place(a, c);
        }
    }
    dyad_clear(&h);
    dyad_clear(&l);
    return in;
}

static void line_divide_by(cut_line *a, const exact_point p[3])
{
    dyad n[3], m[3];
    dyads_init(n);
    dyads_init(m);
    dyads_normal(n, p);
    if (!dyads_zero(n) && line_cross(a, n, &p[0]))
        for (int k = 0; k < 3; k++) {
            dyads_edge_normal(m, n, &p[k], &p[(k + 1) % 3]);
            line_cross(a, m, &p[k]);
        }
    dyads_clear(n);
    dyads_clear(m);
}

static int line_visit_prim(void *user, uint32_t prim)
{
    cut_line *a = user;
    const solids *s = a->walk->of;
    uint32_t vertex[3];
    exact_point p[3];
    for (int f = 0; f < 4; f++)
        if (s->mesh.surface[prim] >> f & 1) {
            solids_face(s, prim, f, vertex, p);
            line_divide_by(a, p);
        }
    return a->spoilt;
}

static void line_box(const cut_line *a, float lo[3], float hi[3])
{
    const solids *s = a->walk->of;
    probe end[2];
    for (int n = 0; n < 2; n++) {
        probe_init(&end[n]);
        dyad_set(&end[n].w, &a->cut[n].w);
        for (int k = 0; k < 3; k++)
            dyad_set(&end[n].p[k], &a->cut[n].p[k]);
        probe_place(&end[n]);
    }
    for (int k = 0; k < 3; k++) {
        const double low = end[0].lo[k] < end[1].lo[k] ? end[0].lo[k] : end[1].lo[k];
        const double high = end[0].hi[k] > end[1].hi[k] ? end[0].hi[k] : end[1].hi[k];
        lo[k] = solids_unit(s, k, low);
        hi[k] = solids_unit(s, k, high);
    }
    probe_clear(&end[0]);
    probe_clear(&end[1]);
}

/* Puts all points in order, each once. */
static void line_sort(cut_line *a)
{
    size_t left = 1;
    qsort(a->cut, a->count, sizeof *a->cut, cut_at_order);
    for (size_t i = 1; i < a->count; i++) {
        if (!cut_at_compare(&a->cut[left - 1], &a->cut[i]))
            continue;
        const cut t = a->cut[left];
        a->cut[left++] = a->cut[i];
        a->cut[i] = t;
    }
    cut_line_drop(a, left);
}

void cut_line_divide(cut_line *a, const uint32_t *place, int places)
{
    float lo[3], hi[3];
    line_box(a, lo, hi);
    for (int n = 0; n < places; n++)
        solids_overlaps(a->walk, place[n], lo, hi, line_visit_prim, a);
    if (!a->spoilt)
        line_sort(a);
}

void cut_line_init(cut_line *a, solids_walk *walk)
{
    *a = (cut_line){.walk = walk};
    dyads_init(a->along);
}

void cut_line_clear(cut_line *a)
{
    cut_line_drop(a, 0);
    mem_free(a->walk->of->mem, a->cut);
    a->walk->err = a->spoilt ? IMP_ERR_MEMORY : a->walk->err;
    dyads_clear(a->along);
}
