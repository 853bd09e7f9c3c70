/* See probes.h: around the intersection of two faces. */
#include "cuts.h"

#include <string.h>

typedef struct around {
    const probe_face *f, *g;
    int both;          /* beside the second face, too */
    dyad nf[3], ng[3]; /* normals */
    dyad uf[3], ug[3]; /* directions in the faces, at a right angle to the line */
    cut_line line;     /* the segment: its ends, then points between them */
} around;

/* ---- the segment */

/* Adds the points at which the border of a triangle crosses, or ends at, a plane; its plane is
 * another one. */
static void around_border(around *a, const exact_point p[3], const dyad n[3], const exact_point *q)
{
    cut corner[3];
    dyad h[3];
    dyads_init(h);
    for (int k = 0; k < 3; k++) {
        cut_at_init(&corner[k]);
        cut_at_set_point(&corner[k], &p[k]);
        cut_at_height(&h[k], &corner[k], n, q);
    }
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, zero = !dyad_sign(&h[k]);
        cut *c = zero || dyad_sign(&h[k]) * dyad_sign(&h[l]) < 0 ? cut_line_add(&a->line) : NULL;
        if (c && zero)
            cut_at_set_point(c, &p[k]);
        else if (c)
            cut_at_between(c, &corner[k], &corner[l], &h[k], &h[l]);
        if (c)
            cut_line_place(&a->line, c);
    }
    for (int k = 0; k < 3; k++)
        cut_at_clear(&corner[k]);
    dyads_clear(h);
}

/* Leaves the two ends of the common segment as cut[0] and cut[1]; returns 0 if it has no length. */
static int around_segment(around *a)
{
    size_t least, most;
    around_border(a, a->f->p, a->ng, &a->g->p[0]);
    const size_t first = a->line.count;
    around_border(a, a->g->p, a->nf, &a->f->p[0]);
    if (a->line.spoilt || first != 2 || a->line.count != 4)
        return 0;
    for (size_t i = 0; i < 4; i += 2)
        if (cut_at_compare(&a->line.cut[i], &a->line.cut[i + 1]) > 0) {
            const cut t = a->line.cut[i];
            a->line.cut[i] = a->line.cut[i + 1];
            a->line.cut[i + 1] = t;
        }
    least = cut_at_compare(&a->line.cut[0], &a->line.cut[2]) >= 0 ? 0 : 2;
    most = cut_at_compare(&a->line.cut[1], &a->line.cut[3]) <= 0 ? 1 : 3;
    const cut ends[4] = {a->line.cut[least], a->line.cut[most], a->line.cut[2 - least],
                         a->line.cut[4 - most]};
    memcpy(a->line.cut, ends, sizeof ends);
    cut_line_drop(&a->line, 2);
    return cut_at_compare(&a->line.cut[0], &a->line.cut[1]) < 0;
}

/* ---- probes */

/* Whether a step to the side `u` from a point of the first face, not a corner, stays on it; without
 * a step, whether the point is within the face. */
static int around_stays(const around *a, const probe *s, const dyad u[3], int sign)
{
    int on = 1;
    dyad m[3], h;
    cut at;
    dyads_init(m);
    dyad_init(&h);
    cut_at_init(&at);
    dyad_set(&at.w, &s->w);
    for (int k = 0; k < 3; k++)
        dyad_set(&at.p[k], &s->p[k]);
    for (int k = 0; k < 3 && on; k++) {
        const exact_point *p = &a->f->p[k];
        dyads_edge_normal(m, a->nf, p, &a->f->p[(k + 1) % 3]);
        cut_at_height(&h, &at, m, p);
        int side = dyad_sign(&h);
        if (!side && u) {
            dyads_dot(&h, m, u);
            side = sign * dyad_sign(&h);
        }
        on = side > 0;
    }
    cut_at_clear(&at);
    dyads_clear(m);
    dyad_clear(&h);
    return on;
}

/* Beside a face with the normal n, on both sides, in both directions at a right angle to the line,
 * u or -u. */
static int around_beside(around *a, probe *s, const dyad n[3], const dyad u[3], probes_visit *visit,
                         void *user)
{
    int found = 0;
    for (int step = 1; step >= -1 && !found; step -= 2) {
        const int on = !a->both && around_stays(a, s, u, step);
        probe_direction(s, 0, u, step);
        for (int side = 1; side >= -1 && !found; side -= 2) {
            probe_direction(s, 1, n, side);
            found = visit(user, s, on);
        }
    }
    return found;
}

/* At the middle between two points. */
static int around_middle(around *a, const cut *i, const cut *j, probe *s, probes_visit *visit,
                         void *user)
{
    cut_at_middle(i, j, s);
    probe_direction(s, 2, a->line.along, 1);
    const int found = around_beside(a, s, a->nf, a->uf, visit, user);
    return found || !a->both ? found : around_beside(a, s, a->ng, a->ug, visit, user);
}

static int around_line(around *a, const uint32_t *place, int places, probes_visit *visit,
                       void *user)
{
    int found = 0;
    probe s;
    if (!around_segment(a))
        return 0;
    cut_line_divide(&a->line, place, places);
    if (a->line.spoilt)
        return 0;
    probe_init(&s);
    dyads_cross(a->uf, a->nf, a->line.along);
    dyads_cross(a->ug, a->ng, a->line.along);
    for (size_t i = 0; i + 1 < a->line.count && !found; i++)
        found = around_middle(a, &a->line.cut[i], &a->line.cut[i + 1], &s, visit, user);
    probe_clear(&s);
    return found;
}

/* ---- coplanar faces */

/* Adds the corners of one that are in the other one. */
static void around_corners(around *a, const probe_face *of, const probe_face *in)
{
    for (int k = 0; k < 3; k++)
        if (exact_in_triangle(&of->p[k], &in->p[0], &in->p[1], &in->p[2])) {
            cut *c = cut_line_add(&a->line);
            if (c)
                cut_at_set_point(c, &of->p[k]);
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
        cut_at_init(&end[n]);
        dyad_init(&h[n]);
        dyad_init(&l[n]);
    }
    dyads_edge_normal(m, a->nf, p[0], p[1]);
    for (int n = 0; n < 2; n++) {
        cut_at_set_point(&end[n], q[n]);
        cut_at_height(&l[n], &end[n], m, p[0]);
    }
    dyads_edge_normal(m, a->nf, q[0], q[1]);
    for (int n = 0; n < 2; n++) {
        cut_at_set_point(&end[n], p[n]);
        cut_at_height(&h[n], &end[n], m, q[0]);
    }
    if (dyad_sign(&h[0]) * dyad_sign(&h[1]) < 0 && dyad_sign(&l[0]) * dyad_sign(&l[1]) < 0) {
        cut *c = cut_line_add(&a->line);
        if (c)
            cut_at_between(c, &end[0], &end[1], &h[0], &h[1]);
    }
    for (int n = 0; n < 2; n++) {
        cut_at_clear(&end[n]);
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
    dyad_set_double(&s->w, (double)a->line.count);
    for (size_t i = 0; i < a->line.count; i++)
        dyad_mul(&s->w, &s->w, &a->line.cut[i].w);
    for (int k = 0; k < 3; k++)
        dyad_set_double(&s->p[k], 0);
    for (size_t i = 0; i < a->line.count; i++) {
        dyad_set_double(&rest, 1);
        for (size_t j = 0; j < a->line.count; j++)
            if (j != i)
                dyad_mul(&rest, &rest, &a->line.cut[j].w);
        for (int k = 0; k < 3; k++)
            dyad_add_mul(&s->p[k], &rest, &a->line.cut[i].p[k], 1);
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
    if (a->line.spoilt || a->line.count < 3)
        return 0;
    probe_init(&s);
    dyads_init(e);
    dyads_init(f);
    around_mean(a, &s);
    /* faces that have only a point or a part of an edge in common have it on their borders */
    const int area = around_stays(a, &s, NULL, 0);
    probe_place(&s);
    dyads_between(e, &a->f->p[0], &a->f->p[1]);
    dyads_between(f, &a->f->p[0], &a->f->p[2]);
    probe_direction(&s, 0, e, 1);
    probe_direction(&s, 1, f, 1);
    for (int side = 1; side >= -1 && !found && area; side -= 2) {
        probe_direction(&s, 2, a->nf, side);
        found = visit(user, &s, 1);
    }
    probe_clear(&s);
    dyads_clear(e);
    dyads_clear(f);
    return found;
}

int probes_around(solids_walk *w, const uint32_t *place, int places, const probe_face *f,
                  const probe_face *g, int both, probes_visit *visit, void *user)
{
    int found = 0;
    around a = {.f = f, .g = g, .both = both};
    cut_line_init(&a.line, w);
    dyads_init(a.nf);
    dyads_init(a.ng);
    dyads_init(a.uf);
    dyads_init(a.ug);
    dyads_normal(a.nf, f->p);
    dyads_normal(a.ng, g->p);
    dyads_cross(a.line.along, a.nf, a.ng);
    if (dyads_zero(a.nf) || dyads_zero(a.ng))
        found = 0;
    else if (!dyads_zero(a.line.along))
        found = around_line(&a, place, places, visit, user);
    else if (!exact_orient3d(&f->p[0], &f->p[1], &f->p[2], &g->p[0]))
        found = around_area(&a, visit, user);
    cut_line_clear(&a.line);
    dyads_clear(a.nf);
    dyads_clear(a.ng);
    dyads_clear(a.uf);
    dyads_clear(a.ug);
    return found;
}
