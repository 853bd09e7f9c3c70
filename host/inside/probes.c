/* See probes.h. Coordinates are dyadic rationals with a common denominator, which needs no
 * division. */
#include "probes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- probes */

void probe_init(probe *s)
{
    dyad_init(&s->w);
    for (int k = 0; k < 3; k++) {
        dyad_init(&s->p[k]);
        for (int n = 0; n < 3; n++)
            dyad_init(&s->d[n][k]);
    }
}

void probe_clear(probe *s)
{
    dyad_clear(&s->w);
    for (int k = 0; k < 3; k++) {
        dyad_clear(&s->p[k]);
        for (int n = 0; n < 3; n++)
            dyad_clear(&s->d[n][k]);
    }
}

/* Truncation errs by less than 2^-52 of each number. */
void probe_place(probe *s)
{
    long power;
    const double w = dyad_top(&s->w, &power);
    for (int k = 0; k < 3; k++) {
        long e;
        const double x = dyad_top(&s->p[k], &e) / w;
        /* the exponent of 0 says nothing */
        const double near = x == 0 || e - power < -2000 ? 0
                            : e - power > 2000          ? copysign(INFINITY, x)
                                                        : ldexp(x, (int)(e - power));
        const double error = fabs(near) * 0x1p-49 + 0x1p-1074;
        s->lo[k] = near - error;
        s->hi[k] = near + error;
    }
}

void probe_direction(probe *s, int n, const dyad v[3], int sign)
{
    for (int k = 0; k < 3; k++) {
        dyad_set(&s->d[n][k], &v[k]);
        if (sign < 0)
            mpz_neg(s->d[n][k].m, s->d[n][k].m);
    }
}

/* The sign of n . (x - a) for the probe x. */
static int probe_side(const probe *s, const dyad n[3], const exact_point *a)
{
    dyad h, t;
    dyad_init(&h);
    dyad_init(&t);
    dyads_dot(&h, n, s->p);
    for (int k = 0; k < 3; k++) {
        dyad_set_double(&t, a->x[k]);
        dyad_mul(&t, &t, &n[k]);
        dyad_add_mul(&h, &t, &s->w, -1);
    }
    int sign = dyad_sign(&h);
    for (int k = 0; k < 3 && !sign; k++) {
        dyads_dot(&h, n, s->d[k]);
        sign = dyad_sign(&h);
    }
    dyad_clear(&h);
    dyad_clear(&t);
    return sign;
}

/* ---- winding numbers: a ray along an axis, as in winding.c */

typedef struct probe_ray {
    const solids *of;
    const probe *s;
    double x[3], error[3]; /* about the probe */
    int axis, winding;
} probe_ray;

/* The sign of n . (x - a) in float64, or SIGN_OPEN; size: of the components of n, which err by at
 * most 2^-50 of it. */
static int probe_quick(const probe_ray *r, const double n[3], const double size[3],
                       const exact_point *a)
{
    double sum = 0, bound = 0;
    for (int k = 0; k < 3; k++) {
        sum += n[k] * (r->x[k] - a->x[k]);
        bound += size[k] * (fabs(r->x[k]) + fabs(a->x[k]));
    }
    bound = bound * 0x1p-46 + 0x1p-900;
    return isfinite(sum) && isfinite(bound) && fabs(sum) > bound ? sum > 0 ? 1 : -1 : SIGN_OPEN;
}

/* The sign of the area of a, b and the probe, seen along the axis; 0 if a - b is parallel to it. */
static int probe_turn(const probe_ray *r, const exact_point *a, const exact_point *b)
{
    const int i = (r->axis + 1) % 3, j = (r->axis + 2) % 3;
    double n[3] = {0}, size[3] = {0};
    n[i] = a->x[j] - b->x[j];
    n[j] = b->x[i] - a->x[i];
    size[i] = fabs(n[i]);
    size[j] = fabs(n[j]);
    const int quick = probe_quick(r, n, size, a);
    if (quick != SIGN_OPEN)
        return quick;
    dyad e[3], normal[3];
    dyads_init(e);
    dyads_init(normal);
    dyads_between(e, a, b);
    dyad_set(&normal[j], &e[i]);
    dyad_set(&normal[i], &e[j]);
    mpz_neg(normal[i].m, normal[i].m);
    const int sign = probe_side(r->s, normal, a);
    dyads_clear(e);
    dyads_clear(normal);
    return sign;
}

/* The side of the probe over the plane of a triangle. */
static int probe_height(const probe_ray *r, const exact_point *a, const exact_point *b,
                        const exact_point *c)
{
    double e[3], f[3], n[3], size[3];
    for (int k = 0; k < 3; k++) {
        e[k] = b->x[k] - a->x[k];
        f[k] = c->x[k] - a->x[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = e[i] * f[j] - e[j] * f[i];
        size[k] = fabs(e[i] * f[j]) + fabs(e[j] * f[i]);
    }
    const int quick = probe_quick(r, n, size, a);
    if (quick != SIGN_OPEN)
        return quick;
    const exact_point p[3] = {*a, *b, *c};
    dyad normal[3];
    dyads_init(normal);
    dyads_normal(normal, p);
    const int sign = probe_side(r->s, normal, a);
    dyads_clear(normal);
    return sign;
}

/* Whether the corners are all on one side of the probe's box along an axis. */
static int probe_off(const probe *s, const exact_point *p, int n, int axis, int above)
{
    for (int c = 0; c < n; c++)
        if (above ? p[c].x[axis] <= s->hi[axis] : p[c].x[axis] >= s->lo[axis])
            return 0;
    return 1;
}

static void probe_triangle(probe_ray *r, const exact_point p[3])
{
    const int i = (r->axis + 1) % 3, j = (r->axis + 2) % 3;
    if (probe_off(r->s, p, 3, i, 0) || probe_off(r->s, p, 3, i, 1) || probe_off(r->s, p, 3, j, 0) ||
        probe_off(r->s, p, 3, j, 1) || probe_off(r->s, p, 3, r->axis, 0))
        return;
    const int first = probe_turn(r, &p[0], &p[1]);
    if (!first || probe_turn(r, &p[1], &p[2]) != first || probe_turn(r, &p[2], &p[0]) != first)
        return;
    if (first * probe_height(r, &p[0], &p[1], &p[2]) < 0)
        r->winding += first;
}

static void probe_tetrahedron(probe_ray *r, const exact_prim *p)
{
    for (int f = 0; f < 4; f++) {
        const exact_point *a = &p->v[tet_face[f][0]], *b = &p->v[tet_face[f][1]],
                          *c = &p->v[tet_face[f][2]];
        const int side = exact_orient3d(a, b, c, &p->v[f]);
        if (!side || probe_height(r, a, b, c) != side)
            return;
    }
    r->winding++;
}

static int probe_visit_prim(void *user, uint32_t prim)
{
    probe_ray *r = user;
    const exact_prim p = exact_prim_of(r->of->mesh.frame, prim);
    if (p.corners == 4)
        probe_tetrahedron(r, &p);
    else
        probe_triangle(r, p.v);
    return 0;
}

int probes_winding(solids_walk *w, uint32_t place, const probe *s)
{
    probe_ray r = {.of = w->of, .s = s};
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        r.x[k] = s->lo[k] / 2 + s->hi[k] / 2;
        lo[k] = solids_unit(w->of, k, s->lo[k]);
        hi[k] = solids_unit(w->of, k, s->hi[k]);
    }
    hi[r.axis] = INFINITY;
    solids_overlaps(w, place, lo, hi, probe_visit_prim, &r);
    return r.winding;
}

/* ---- beside a face */

int probes_beside(const probe_face *f, int corner, probes_visit *visit, void *user)
{
    probe s;
    dyad n[3], e[3], g[3], in[3];
    int found = 0;
    probe_init(&s);
    dyads_init(n);
    dyads_init(e);
    dyads_init(g);
    dyads_init(in);
    const exact_point *p[3];
    for (int k = 0; k < 3; k++)
        p[k] = &f->p[(k + (corner < 0 ? 0 : corner)) % 3];
    dyads_normal(n, f->p);
    dyads_between(e, p[0], p[1]);
    dyads_between(g, p[0], p[2]);
    /* in units of a quarter: the corner, or the middle of the first corner and that of the others
     */
    dyad_set_double(&s.w, 4);
    for (int k = 0; k < 3; k++) {
        dyad_add(&in[k], &e[k], &g[k], 1);
        dyad_set_double(&s.p[k], p[0]->x[k]);
        dyad_mul(&s.p[k], &s.p[k], &s.w);
        if (corner < 0)
            dyad_add(&s.p[k], &s.p[k], &in[k], 1);
    }
    probe_place(&s);
    probe_direction(&s, 0, in, 1);
    probe_direction(&s, 1, e, 1);
    for (int side = 1; side >= -1 && !found && !dyads_zero(n); side -= 2) {
        probe_direction(&s, 2, n, side);
        found = visit(user, &s, 1);
    }
    probe_clear(&s);
    dyads_clear(n);
    dyads_clear(e);
    dyads_clear(g);
    dyads_clear(in);
    return found;
}
