/* See probes.h: the intersection of two faces, and the points that divide it. */
#include "probes.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

/* A point p / w with w > 0; t: its place along a line, t / w. */
typedef struct cut {
    dyad p[3], w, t;
} cut;

typedef struct around {
    solids_walk *walk;
    const probe_face *f, *g;
    dyad nf[3], ng[3], along[3]; /* normals; the direction of the line in both planes */
    cut *cut;                    /* [count] the ends of the segment, then points between them */
    size_t count, capacity;
    int spoilt; /* no memory */
} around;

/* ---- points */

static void cut_init(cut *c)
{
    dyads_init(c->p);
    dyad_init(&c->w);
    dyad_init(&c->t);
}

static void cut_clear(cut *c)
{
    dyads_clear(c->p);
    dyad_clear(&c->w);
    dyad_clear(&c->t);
}

/* Adds a point, which is initialised; NULL without memory. */
static cut *around_add(around *a)
{
    if (mem_fit(a->walk->of->mem, a->count, &a->capacity, sizeof *a->cut, &a->cut)) {
        a->spoilt = 1;
        return NULL;
    }
    cut_init(&a->cut[a->count]);
    return &a->cut[a->count++];
}

static void around_drop(around *a, size_t from)
{
    while (a->count > from)
        cut_clear(&a->cut[--a->count]);
}

/* w n . (p / w - q): the sign is that of the side of the plane through q. */
static void cut_height(dyad *out, const cut *c, const dyad n[3], const exact_point *q)
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

static void cut_set_point(cut *c, const exact_point *p)
{
    for (int k = 0; k < 3; k++)
        dyad_set_double(&c->p[k], p->x[k]);
    dyad_set_double(&c->w, 1);
}

/* The point at which i-j crosses a plane, over which i is at h / i.w and j, on the other side, at
 * l / j.w: (i.p l - j.p h) / (i.w l - j.w h). */
static void cut_between(cut *out, const cut *i, const cut *j, const dyad *h, const dyad *l)
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

static void cut_place(cut *c, const dyad along[3])
{
    dyads_dot(&c->t, along, c->p);
}

/* The order of two points along the line. */
static int cut_compare(const cut *i, const cut *j)
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

static int cut_order(const void *i, const void *j)
{
    return cut_compare(i, j);
}

/* ---- the segment */

/* Adds the points at which the border of a triangle crosses, or ends at, a plane; its plane is
 * another one. */
static void around_border(around *a, const exact_point p[3], const dyad n[3], const exact_point *q)
{
    cut corner[3];
    dyad h[3];
    dyads_init(h);
    for (int k = 0; k < 3; k++) {
        cut_init(&corner[k]);
        cut_set_point(&corner[k], &p[k]);
        cut_height(&h[k], &corner[k], n, q);
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, zero = !dyad_sign(&h[k]);
        cut *c = zero || dyad_sign(&h[k]) * dyad_sign(&h[l]) < 0 ? around_add(a) : NULL;
        if (c && zero)
            cut_set_point(c, &p[k]);
        else if (c)
            cut_between(c, &corner[k], &corner[l], &h[k], &h[l]);
        if (c)
            cut_place(c, a->along);
    }
    for (int k = 0; k < 3; k++)
        cut_clear(&corner[k]);
    dyads_clear(h);
}

/* Leaves the two ends of the common segment as cut[0] and cut[1]; returns 0 if it has no length. */
static int around_segment(around *a)
{
    size_t least, most;
    around_border(a, a->f->p, a->ng, &a->g->p[0]);
    const size_t first = a->count;
    around_border(a, a->g->p, a->nf, &a->f->p[0]);
    if (a->spoilt || first != 2 || a->count != 4)
        return 0;
    for (size_t i = 0; i < 4; i += 2)
        if (cut_compare(&a->cut[i], &a->cut[i + 1]) > 0) {
            const cut t = a->cut[i];
            a->cut[i] = a->cut[i + 1];
            a->cut[i + 1] = t;
        }
    least = cut_compare(&a->cut[0], &a->cut[2]) >= 0 ? 0 : 2;
    most = cut_compare(&a->cut[1], &a->cut[3]) <= 0 ? 1 : 3;
    const cut ends[4] = {a->cut[least], a->cut[most], a->cut[2 - least], a->cut[4 - most]};
    memcpy(a->cut, ends, sizeof ends);
    around_drop(a, 2);
    return cut_compare(&a->cut[0], &a->cut[1]) < 0;
}

/* ---- points that divide it */

/* Adds the point at which the segment crosses a plane; returns whether it lies in the plane. */
static int around_cross(around *a, const dyad n[3], const exact_point *q)
{
    dyad h, l;
    dyad_init(&h);
    dyad_init(&l);
    cut_height(&h, &a->cut[0], n, q);
    cut_height(&l, &a->cut[1], n, q);
    const int in = !dyad_sign(&h) && !dyad_sign(&l);
    if (dyad_sign(&h) * dyad_sign(&l) < 0) {
        cut *c = around_add(a);
        if (c) {
            cut_between(c, &a->cut[0], &a->cut[1], &h, &l);
            cut_place(c, a->along);
        }
    }
    dyad_clear(&h);
    dyad_clear(&l);
    return in;
}

static void around_divide_by(around *a, const exact_point p[3])
{
    dyad n[3], m[3];
    dyads_init(n);
    dyads_init(m);
    dyads_normal(n, p);
    if (!dyads_zero(n) && around_cross(a, n, &p[0]))
        for (int k = 0; k < 3; k++) {
            dyads_edge_normal(m, n, &p[k], &p[(k + 1) % 3]);
            around_cross(a, m, &p[k]);
        }
    dyads_clear(n);
    dyads_clear(m);
}

static int around_visit_prim(void *user, uint32_t prim)
{
    around *a = user;
    const solids *s = a->walk->of;
    uint32_t vertex[3];
    exact_point p[3];
    for (int f = 0; f < 4; f++)
        if (s->mesh.surface[prim] >> f & 1) {
            solids_face(s, prim, f, vertex, p);
            around_divide_by(a, p);
        }
    return a->spoilt;
}

static void around_box(const around *a, float lo[3], float hi[3])
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
static void around_sort(around *a)
{
    size_t left = 1;
    qsort(a->cut, a->count, sizeof *a->cut, cut_order);
    for (size_t i = 1; i < a->count; i++) {
        if (!cut_compare(&a->cut[left - 1], &a->cut[i]))
            continue;
        const cut t = a->cut[left];
        a->cut[left++] = a->cut[i];
        a->cut[i] = t;
    }
    around_drop(a, left);
}

/* ---- probes */

/* Whether a step to the side `u` from a point of the first face, not a corner, stays on it. */
static int around_stays(const around *a, const probe *s, const dyad u[3], int sign)
{
    int on = 1;
    dyad m[3], h;
    cut at;
    dyads_init(m);
    dyad_init(&h);
    cut_init(&at);
    dyad_set(&at.w, &s->w);
    for (int k = 0; k < 3; k++)
        dyad_set(&at.p[k], &s->p[k]);
    for (int k = 0; k < 3 && on; k++) {
        const exact_point *p = &a->f->p[k];
        dyads_edge_normal(m, a->nf, p, &a->f->p[(k + 1) % 3]);
        cut_height(&h, &at, m, p);
        int side = dyad_sign(&h);
        if (!side) {
            dyads_dot(&h, m, u);
            side = sign * dyad_sign(&h);
        }
        on = side > 0;
    }
    cut_clear(&at);
    dyads_clear(m);
    dyad_clear(&h);
    return on;
}

/* At the middle between two points: beside the first face, in both directions, on both sides. */
static int around_middle(around *a, const cut *i, const cut *j, probe *s, const dyad u[3],
                         probes_visit *visit, void *user)
{
    int found = 0;
    dyad_mul(&s->w, &i->w, &j->w);
    dyad_add(&s->w, &s->w, &s->w, 1);
    for (int k = 0; k < 3; k++) {
        dyad_mul(&s->p[k], &i->p[k], &j->w);
        dyad_add_mul(&s->p[k], &j->p[k], &i->w, 1);
    }
    probe_place(s);
    probe_direction(s, 2, a->along, 1);
    for (int step = 1; step >= -1 && !found; step -= 2) {
        const int on = around_stays(a, s, u, step);
        probe_direction(s, 0, u, step);
        for (int side = 1; side >= -1 && !found; side -= 2) {
            probe_direction(s, 1, a->nf, side);
            found = visit(user, s, on);
        }
    }
    return found;
}

static int around_line(around *a, const uint32_t *place, int places, probes_visit *visit,
                       void *user)
{
    int found = 0;
    float lo[3], hi[3];
    probe s;
    dyad u[3];
    if (!around_segment(a))
        return 0;
    around_box(a, lo, hi);
    for (int n = 0; n < places; n++)
        solids_overlaps(a->walk, place[n], lo, hi, around_visit_prim, a);
    if (a->spoilt)
        return 0;
    around_sort(a);
    probe_init(&s);
    dyads_init(u);
    dyads_cross(u, a->nf, a->along);
    for (size_t i = 0; i + 1 < a->count && !found; i++)
        found = around_middle(a, &a->cut[i], &a->cut[i + 1], &s, u, visit, user);
    probe_clear(&s);
    dyads_clear(u);
    return found;
}

/* ---- coplanar faces */

/* Adds the corners of one that are in the other one. */
static void around_corners(around *a, const probe_face *of, const probe_face *in)
{
    for (int k = 0; k < 3; k++)
        if (exact_in_triangle(&of->p[k], &in->p[0], &in->p[1], &in->p[2])) {
            cut *c = around_add(a);
            if (c)
                cut_set_point(c, &of->p[k]);
        }
}

/* Adds the points at which an edge of the first one crosses an edge of the second one. */
static void around_edges(around *a, int i, int j)
{
    const exact_point *p[2] = {&a->f->p[i], &a->f->p[(i + 1) % 3]},
                      *q[2] = {&a->g->p[j], &a->g->p[(j + 1) % 3]};
    cut end[2];
    dyad m[3], h[2], l[2];
    dyads_init(m);
    for (int n = 0; n < 2; n++) {
        cut_init(&end[n]);
        dyad_init(&h[n]);
        dyad_init(&l[n]);
    }
    dyads_edge_normal(m, a->nf, p[0], p[1]);
    for (int n = 0; n < 2; n++) {
        cut_set_point(&end[n], q[n]);
        cut_height(&l[n], &end[n], m, p[0]);
    }
    dyads_edge_normal(m, a->nf, q[0], q[1]);
    for (int n = 0; n < 2; n++) {
        cut_set_point(&end[n], p[n]);
        cut_height(&h[n], &end[n], m, q[0]);
    }
    if (dyad_sign(&h[0]) * dyad_sign(&h[1]) < 0 && dyad_sign(&l[0]) * dyad_sign(&l[1]) < 0) {
        cut *c = around_add(a);
        if (c)
            cut_between(c, &end[0], &end[1], &h[0], &h[1]);
    }
    for (int n = 0; n < 2; n++) {
        cut_clear(&end[n]);
        dyad_clear(&h[n]);
        dyad_clear(&l[n]);
    }
    dyads_clear(m);
}

/* The middle of all corners of the overlap. */
static void around_mean(const around *a, probe *s)
{
    dyad rest;
    dyad_init(&rest);
    dyad_set_double(&s->w, (double)a->count);
    for (size_t i = 0; i < a->count; i++)
        dyad_mul(&s->w, &s->w, &a->cut[i].w);
    for (int k = 0; k < 3; k++)
        dyad_set_double(&s->p[k], 0);
    for (size_t i = 0; i < a->count; i++) {
        dyad_set_double(&rest, 1);
        for (size_t j = 0; j < a->count; j++)
            if (j != i)
                dyad_mul(&rest, &rest, &a->cut[j].w);
        for (int k = 0; k < 3; k++)
            dyad_add_mul(&s->p[k], &rest, &a->cut[i].p[k], 1);
    }
    dyad_clear(&rest);
}

static int around_area(around *a, probes_visit *visit, void *user)
{
    int found = 0;
    dyad e[3], f[3];
    probe s;
    around_corners(a, a->f, a->g);
    around_corners(a, a->g, a->f);
    for (int k = 0; k < 9; k++)
        around_edges(a, k / 3, k % 3);
    if (a->spoilt || a->count < 3)
        return 0;
    probe_init(&s);
    dyads_init(e);
    dyads_init(f);
    around_mean(a, &s);
    probe_place(&s);
    dyads_between(e, &a->f->p[0], &a->f->p[1]);
    dyads_between(f, &a->f->p[0], &a->f->p[2]);
    probe_direction(&s, 0, e, 1);
    probe_direction(&s, 1, f, 1);
    for (int side = 1; side >= -1 && !found; side -= 2) {
        probe_direction(&s, 2, a->nf, side);
        found = visit(user, &s, 1);
    }
    probe_clear(&s);
    dyads_clear(e);
    dyads_clear(f);
    return found;
}

int probes_around(solids_walk *w, const uint32_t *place, int places, const probe_face *f,
                  const probe_face *g, probes_visit *visit, void *user)
{
    int found = 0;
    around a = {.walk = w, .f = f, .g = g};
    dyads_init(a.nf);
    dyads_init(a.ng);
    dyads_init(a.along);
    dyads_normal(a.nf, f->p);
    dyads_normal(a.ng, g->p);
    dyads_cross(a.along, a.nf, a.ng);
    if (dyads_zero(a.nf) || dyads_zero(a.ng))
        found = 0;
    else if (!dyads_zero(a.along))
        found = around_line(&a, place, places, visit, user);
    else if (!exact_orient3d(&f->p[0], &f->p[1], &f->p[2], &g->p[0]))
        found = around_area(&a, visit, user);
    around_drop(&a, 0);
    mem_free(w->of->mem, a.cut);
    w->err = a.spoilt ? IMP_ERR_MEMORY : w->err;
    dyads_clear(a.nf);
    dyads_clear(a.ng);
    dyads_clear(a.along);
    return found;
}
