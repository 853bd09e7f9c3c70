/* See region_points.h. A node is the crossing of an edge with a face or an edge, as a quotient of
 * integers (exact_cut.h), or a vertex. Rounding to nearest does not change the order of numbers, so
 * that coordinates that differ need no integers. */
#include "region_points.h"

#include "exact.h"
#include "exact_cut.h"
#include "frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- constructions */

/* The construction of a node of these points: those of its first feature, then of the second. */
typedef struct region_construction {
    exact_point x[6];
    cut_point cut;
} region_construction;

/* The axis along which two edges that cross in a plane are seen as crossing. */
static int region_crossing_axis(const exact_point x[6])
{
    for (int axis = 0; axis < 3; axis++)
        if (exact_orient2d(&x[0], &x[1], &x[3], axis) != exact_orient2d(&x[0], &x[1], &x[4], axis))
            return axis;
    return 0;
}

/* Returns whether the node is a vertex, x[0] or x[3]. */
static int region_construct(const region_space *s, uint32_t node, region_construction *out)
{
    const contour_node *n = &s->graph->node[node];
    exact_point *x = out->x;
    int count[2];
    for (int f = 0; f < 2; f++) {
        count[f] = region_feature_vertices(&n->of[f]);
        for (int k = 0; k < count[f]; k++)
            frame_vertex(s->frame, n->of[f].vertex[k], x[3 * f + k].x);
    }
    if (count[0] == 1 || count[1] == 1 || (count[0] == 3 && count[1] == 3)) {
        const exact_point *at = count[0] == 1 || count[1] != 1 ? &x[0] : &x[3];
        out->cut = (cut_point){at, at, at, at, at, -1};
        return 1;
    }
    if (count[0] == 2 && count[1] == 2)
        out->cut = (cut_point){&x[0], &x[1], &x[0], &x[3], &x[4], region_crossing_axis(x)};
    else if (count[0] == 3)
        out->cut = (cut_point){&x[0], &x[1], &x[2], &x[3], &x[4], -1};
    else
        out->cut = (cut_point){&x[3], &x[4], &x[5], &x[0], &x[1], -1};
    return 0;
}

/* x / w along two axes. */
typedef struct region_parts {
    dyad x[2], w;
} region_parts;

static void region_parts_init(region_parts *p)
{
    dyad_init(&p->x[0]);
    dyad_init(&p->x[1]);
    dyad_init(&p->w);
}

static void region_parts_clear(region_parts *p)
{
    dyad_clear(&p->x[0]);
    dyad_clear(&p->x[1]);
    dyad_clear(&p->w);
}

static void region_from_big(dyad *out, const exact_big *x, int unit)
{
    mpz_t z;
    mpz_init(z);
    mpz_import(z, (size_t)x->limbs, -1, sizeof x->limb[0], 0, 0, x->limb);
    if (x->sign < 0)
        mpz_neg(z, z);
    dyad_set_integer(out, z, unit);
    mpz_clear(z);
}

static void region_node_parts(const region_space *s, uint32_t node, const int axis[2],
                              region_parts *out)
{
    region_construction of;
    exact_big x[3], w;
    region_construct(s, node, &of);
    const cut_point *c = &of.cut;
    int unit = UNIT(c->a, c->b, c->c, c->p, c->q);
    unit = unit == INT_MAX ? 0 : unit;
    exact_cut_parts(c, unit, x, &w);
    region_from_big(&out->x[0], &x[axis[0]], unit);
    region_from_big(&out->x[1], &x[axis[1]], unit);
    region_from_big(&out->w, &w, 0);
}

/* out: x, y and w of p x q as points of the projective plane; that is the line through both, or
 * the point of both lines. */
static void region_parts_cross(const region_parts *p, const region_parts *q, region_parts *out)
{
    const dyad *a[3] = {&p->x[0], &p->x[1], &p->w}, *b[3] = {&q->x[0], &q->x[1], &q->w};
    dyad *r[3] = {&out->x[0], &out->x[1], &out->w};
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        dyad_mul(r[k], a[i], b[j]);
        dyad_add_mul(r[k], a[j], b[i], -1);
    }
}

static void region_line_parts(const region_space *s, uint32_t segment, const int axis[2],
                              region_parts *out)
{
    region_parts p, q;
    region_parts_init(&p);
    region_parts_init(&q);
    region_node_parts(s, s->graph->segment[segment].node[0], axis, &p);
    region_node_parts(s, s->graph->segment[segment].node[1], axis, &q);
    region_parts_cross(&p, &q, out);
    region_parts_clear(&p);
    region_parts_clear(&q);
}

static void region_crossing_parts(const region_space *s, const uint32_t of[2], const int axis[2],
                                  region_parts *out)
{
    region_parts p, q;
    region_parts_init(&p);
    region_parts_init(&q);
    region_line_parts(s, of[0], axis, &p);
    region_line_parts(s, of[1], axis, &q);
    region_parts_cross(&p, &q, out);
    region_parts_clear(&p);
    region_parts_clear(&q);
}

static void region_parts_of(const region_space *s, const region_point *p, const int axis[2],
                            region_parts *out)
{
    if (p->of[0] == REGION_NONE) {
        dyad_set_double(&out->x[0], p->x[axis[0]]);
        dyad_set_double(&out->x[1], p->x[axis[1]]);
        dyad_set_power(&out->w, 0);
    } else if (p->of[1] == REGION_NONE) {
        region_node_parts(s, p->of[0], axis, out);
    } else {
        region_crossing_parts(s, p->of, axis, out);
    }
}

/* ---- points */

region_point region_point_of_vertex(const region_space *s, uint32_t vertex)
{
    region_point p = {.exact = 7, .of = {REGION_NONE, REGION_NONE}};
    frame_vertex(s->frame, vertex, p.x);
    return p;
}

region_point region_point_of_node(const region_space *s, uint32_t node)
{
    region_construction of;
    region_point p = {.exact = 7, .of = {REGION_NONE, REGION_NONE}};
    const int vertex = region_construct(s, node, &of);
    const cut_point *c = &of.cut;
    memcpy(p.x, vertex ? c->p->x : s->graph->node[node].x, sizeof p.x);
    for (int k = 0; k < 3 && !vertex; k++) {
        const double a = c->a->x[k];
        if (c->p->x[k] != c->q->x[k] && (c->b->x[k] != a || c->c->x[k] != a))
            p.exact &= (uint8_t) ~(1u << k);
    }
    p.of[0] = vertex ? REGION_NONE : node;
    return p;
}

#define QUOTIENT_BITS 66 /* at least: more than a float64 and a half has */

/* The nearest float64, of two the even one. */
static double region_quotient(const dyad *above, const dyad *below)
{
    mpz_t n, d, q, r;
    if (!dyad_sign(above) || !dyad_sign(below))
        return 0;
    mpz_init_set(n, above->m);
    mpz_init_set(d, below->m);
    mpz_init(q);
    mpz_init(r);
    const long shift = (long)mpz_sizeinbase(d, 2) + QUOTIENT_BITS - (long)mpz_sizeinbase(n, 2);
    mpz_mul_2exp(shift > 0 ? n : d, shift > 0 ? n : d, (mp_bitcnt_t)labs(shift));
    mpz_tdiv_qr(q, r, n, d);
    const int sign = mpz_sgn(q), rest = mpz_sgn(r) != 0;
    mpz_abs(q, q);
    const long e = 64 * (above->e - below->e) - shift, bits = (long)mpz_sizeinbase(q, 2);
    const long normal = bits - 53, least = -1074 - e; /* bits to drop */
    const mp_bitcnt_t drop = (mp_bitcnt_t)(normal > least ? normal : least);
    const int half = mpz_tstbit(q, drop - 1), odd = mpz_tstbit(q, drop);
    const int more = rest || mpz_scan1(q, 0) < drop - 1;
    mpz_tdiv_q_2exp(q, q, drop);
    mpz_add_ui(q, q, half && (more || odd));
    const double x = sign * ldexp(mpz_get_d(q), (int)(e + (long)drop));
    mpz_clear(n);
    mpz_clear(d);
    mpz_clear(q);
    mpz_clear(r);
    return x;
}

region_point region_point_of_crossing(const region_view *v, uint32_t segment, uint32_t other)
{
    region_point p = {.of = {segment, other}, .along = v->along};
    region_parts x;
    region_parts_init(&x);
    region_crossing_parts(&v->of, p.of, v->axis, &x);
    for (int k = 0; k < 2; k++)
        p.x[v->axis[k]] = region_quotient(&x.x[k], &x.w);
    region_parts_clear(&x);
    return p;
}

/* ---- order */

static int region_order_exactly(const region_space *s, const region_point *p, const region_point *q,
                                int axis)
{
    /* lines cross in the plane of a view */
    const int along = p->of[1] != REGION_NONE   ? p->along
                      : q->of[1] != REGION_NONE ? q->along
                                                : (axis + 2) % 3;
    const int of[2] = {(along + 1) % 3, (along + 2) % 3}, k = of[0] != axis;
    region_parts a, b;
    dyad d;
    region_parts_init(&a);
    region_parts_init(&b);
    dyad_init(&d);
    region_parts_of(s, p, of, &a);
    region_parts_of(s, q, of, &b);
    dyad_mul(&d, &a.x[k], &b.w);
    dyad_add_mul(&d, &b.x[k], &a.w, -1);
    const int sign = dyad_sign(&d) * dyad_sign(&a.w) * dyad_sign(&b.w);
    dyad_clear(&d);
    region_parts_clear(&a);
    region_parts_clear(&b);
    return sign;
}

int region_order_along(const region_space *s, const region_point *p, const region_point *q,
                       int axis)
{
    const double x = p->x[axis], y = q->x[axis];
    if (x != y)
        return x < y ? -1 : 1;
    if ((p->exact & q->exact) >> axis & 1)
        return 0;
    if (p->of[0] == q->of[0] && p->of[1] == q->of[1] && p->of[0] != REGION_NONE)
        return 0;
    return region_order_exactly(s, p, q, axis);
}

int region_order(const region_view *v, const region_point *p, const region_point *q)
{
    const int first = region_order_along(&v->of, p, q, v->axis[0]);
    return first ? first : region_order_along(&v->of, p, q, v->axis[1]);
}

/* ---- turns */

/* The sign of the determinant of three points of the projective plane. */
static int region_turn_exactly(const region_view *v, const region_point *const p[3])
{
    region_parts x[3], line;
    dyad d;
    int sign = 1;
    region_parts_init(&line);
    dyad_init(&d);
    for (int k = 0; k < 3; k++) {
        region_parts_init(&x[k]);
        region_parts_of(&v->of, p[k], v->axis, &x[k]);
        sign *= dyad_sign(&x[k].w);
    }
    region_parts_cross(&x[0], &x[1], &line);
    dyad_mul(&d, &line.x[0], &x[2].x[0]);
    dyad_add_mul(&d, &line.x[1], &x[2].x[1], 1);
    dyad_add_mul(&d, &line.w, &x[2].w, 1);
    sign *= dyad_sign(&d);
    for (int k = 0; k < 3; k++)
        region_parts_clear(&x[k]);
    region_parts_clear(&line);
    dyad_clear(&d);
    return sign;
}

/* Returns whether they have one exact coordinate along an axis. */
static int region_in_line(const region_view *v, const region_point *p, const region_point *q,
                          const region_point *r)
{
    const int exact = p->exact & q->exact & r->exact;
    for (int k = 0; k < 2; k++) {
        const int axis = v->axis[k];
        if (exact >> axis & 1 && p->x[axis] == q->x[axis] && q->x[axis] == r->x[axis])
            return 1;
    }
    return 0;
}

int region_turn(const region_view *v, const region_point *p, const region_point *q,
                const region_point *r)
{
    const int i = v->axis[0], j = v->axis[1];
    const double ui = q->x[i] - p->x[i], uj = q->x[j] - p->x[j];
    const double vi = r->x[i] - p->x[i], vj = r->x[j] - p->x[j];
    const double plus = ui * vj, minus = uj * vi, turn = plus - minus;
    const double error = (fabs(ui) + fabs(vi) + v->error[0]) * v->error[1] +
                         (fabs(uj) + fabs(vj)) * v->error[0] + 0x1p-50 * (fabs(plus) + fabs(minus));
    if (error > 0x1p-1000 && error < 0x1p1000 && fabs(turn) > 2 * error)
        return turn > 0 ? 1 : -1;
    if (region_in_line(v, p, q, r))
        return 0;
    return region_turn_exactly(v, (const region_point *const[]){p, q, r});
}

/* ---- views */

/* The axis along which a triangle's area looks greatest. */
static int region_best_axis(const exact_point corner[3], double scale)
{
    double u[3], w[3], size[3], most = 0;
    int e;
    for (int k = 0; k < 3; k++) {
        u[k] = scale * corner[1].x[k] - scale * corner[0].x[k];
        w[k] = scale * corner[2].x[k] - scale * corner[0].x[k];
        most = greater(most, greater(fabs(u[k]), fabs(w[k])));
    }
    frexp(most, &e);
    for (int k = 0; k < 3; k++) {
        u[k] = times_power(u[k], -e);
        w[k] = times_power(w[k], -e);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        size[k] = fabs(u[i] * w[j] - u[j] * w[i]);
    }
    const int axis = size[1] > size[0];
    return size[2] > size[axis] ? 2 : axis;
}

static void region_view_set(const region_space *s, const exact_point corner[3], int axis, int turn,
                            double most, region_view *out)
{
    *out = (region_view){.of = *s,
                         .along = axis,
                         .axis = {(axis + 1) % 3, (axis + 2) % 3},
                         .turn = turn,
                         .scale = most > 0x1p1000 ? 0.5 : 1};
    for (int k = 0; k < 2; k++) {
        double size = 0;
        for (int c = 0; c < 3; c++)
            size = greater(size, fabs(corner[c].x[out->axis[k]]));
        out->error[k] = 0x1p-50 * size + 0x1p-1070;
    }
}

int region_view_make(const region_space *s, const exact_point corner[3], region_view *out)
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            most = greater(most, fabs(corner[c].x[k]));
    int axis = region_best_axis(corner, most > 0x1p1000 ? 0.5 : 1);
    for (int n = 0; n < 3; n++, axis = (axis + 1) % 3) {
        const int turn = exact_orient2d(&corner[0], &corner[1], &corner[2], axis);
        if (turn) {
            region_view_set(s, corner, axis, turn, most, out);
            return 1;
        }
    }
    return 0;
}

/* ---- sorting */

#define REGION_FEW 8 /* that are sorted by insertion */

void region_sort(uint32_t *number, uint32_t *work, size_t n, region_less *order, const void *of)
{
    if (n <= REGION_FEW) {
        for (size_t i = 1; i < n; i++) {
            const uint32_t x = number[i];
            size_t k = i;
            for (; k > 0 && order(of, number[k - 1], x) > 0; k--)
                number[k] = number[k - 1];
            number[k] = x;
        }
        return;
    }
    const size_t half = n / 2;
    size_t i = 0, k = half, out = 0;
    region_sort(number, work, half, order, of);
    region_sort(number + half, work + half, n - half, order, of);
    memcpy(work, number, half * sizeof *work);
    while (i < half && k < n)
        number[out++] = order(of, work[i], number[k]) <= 0 ? work[i++] : number[k++];
    memcpy(number + out, work + i, (half - i) * sizeof *work);
}
