/* See rigid_oracle.h. */
#include "error.h"
#include "rigid_oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 0x1p-36 /* times the sizes that contribute to a position */

static double rigid_motion_length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* ---- rotation */

static void rigid_motion_quaternion_product(const real p[4], const real q[4], real out[4])
{
    const real r[4] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                       p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                       p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                       p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
    memcpy(out, r, sizeof r);
}

static void to_unit(real q[4])
{
    const real size = sqrtl(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= size;
}

/* The pose of an interval `seconds` after its beginning. */
static void rigid_motion_move(const rigid_interval *p, real seconds, real centre[3],
                              real rotation[4])
{
    const real w[3] = {p->spin[0], p->spin[1], p->spin[2]};
    const real rate = sqrtl(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    const real half = rate * seconds / 2, part = rate > 0 ? sinl(half) / rate : 0;
    const real turn[4] = {cosl(half), w[0] * part, w[1] * part, w[2] * part};
    for (int k = 0; k < 3; k++)
        centre[k] = p->centre[k] + p->velocity[k] * seconds;
    rigid_motion_quaternion_product(turn, p->rotation, rotation);
    to_unit(rotation);
}

static void matrix_of(const real q[4], real r[3][3])
{
    const real w = q[0], x = q[1], y = q[2], z = q[3];
    const real m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

const rigid_interval *rigid_motion_interval(const rigid_motion *r, uint32_t b, double time)
{
    const rigid_interval *p = &r->interval[r->first[b]], *end = &r->interval[r->first[b + 1]];
    while (p + 1 < end && p[1].time <= time)
        p++;
    return p;
}

rigid_pose rigid_motion_pose(const rigid_motion *r, uint32_t b, double time)
{
    const rigid_interval *p = rigid_motion_interval(r, b, time);
    rigid_pose out;
    real q[4];
    rigid_motion_move(p, (real)time - p->time, out.centre, q);
    matrix_of(q, out.r);
    return out;
}

/* ---- forces */

/* Solves I y = x for a symmetric matrix xx yy zz xy xz yz, by elimination. */
static void rigid_motion_solve(const double i[6], const real x[3], real y[3])
{
    real a[3][4] = {{i[0], i[3], i[4], x[0]}, {i[3], i[1], i[5], x[1]}, {i[4], i[5], i[2], x[2]}};
    for (int k = 0; k < 3; k++)
        for (int row = k + 1; row < 3; row++) {
            const real part = a[row][k] / a[k][k];
            for (int c = k; c < 4; c++)
                a[row][c] -= part * a[k][c];
        }
    for (int k = 3; k--;) {
        y[k] = a[k][3];
        for (int c = k + 1; c < 3; c++)
            y[k] -= a[k][c] * y[c];
        y[k] /= a[k][k];
    }
}

static void turn_vector(const real r[3][3], const real x[3], int back, real out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = back ? r[0][k] * x[0] + r[1][k] * x[1] + r[2][k] * x[2]
                      : r[k][0] * x[0] + r[k][1] * x[1] + r[k][2] * x[2];
}

/* The effect of a force at a point in so many seconds. */
static void rigid_motion_push(const matter_push *p, const matter_body *of, rigid_interval *to,
                              real seconds)
{
    real r[3][3], at[3], torque[3], own[3], spin[3];
    const real local[3] = {p->at[0], p->at[1], p->at[2]};
    matrix_of(to->rotation, r);
    turn_vector((const real(*)[3])r, local, 0, at);
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        torque[k] = (at[l] * p->force[m] - at[m] * p->force[l]) * seconds;
    }
    turn_vector((const real(*)[3])r, torque, 1, own);
    rigid_motion_solve(of->inertia, own, torque);
    turn_vector((const real(*)[3])r, torque, 0, spin);
    for (int k = 0; k < 3; k++) {
        to->velocity[k] = (double)(to->velocity[k] + p->force[k] * seconds / of->mass);
        to->spin[k] = (double)(to->spin[k] + spin[k]);
    }
}

/* The part of the frame during which a push acts, in seconds. */
static real pushed(const rigid_frame *f, const matter_push *p)
{
    const real begin = (real)f->number * f->step, end = (real)(f->number + 1) * f->step;
    const real from = p->begin > begin ? p->begin : begin, to = p->end < end ? p->end : end;
    const real nearly = 0x1p-49L * (end + p->end);
    return to - from <= nearly ? 0 : to - from;
}

static void rigid_motion_add_forces(const rigid_frame *f, uint32_t b, rigid_interval *p)
{
    const matter *m = f->matter;
    for (int k = 0; k < 3; k++) {
        real more = m->gravity[k];
        if (m->home)
            more -= m->spring[k] * (p->centre[k] - m->home[3 * (size_t)b + (size_t)k]);
        p->velocity[k] = (double)(p->velocity[k] + more * f->step);
    }
    for (size_t i = 0; i < m->pushes; i++) {
        const real seconds = m->push[i].body == b ? pushed(f, &m->push[i]) : 0;
        if (seconds > 0)
            rigid_motion_push(&m->push[i], &m->body[b], p, seconds);
    }
}

/* ---- intervals */

static rigid_interval rigid_motion_first_interval(const rigid_frame *f, uint32_t b)
{
    const imp_pose *from = &f->from[b];
    rigid_interval p = {0};
    for (int k = 0; k < 3; k++)
        p.centre[k] = from->centre[k];
    for (int k = 0; k < 4; k++)
        p.rotation[k] = from->rotation[k];
    to_unit(p.rotation);
    if (f->matter->body[b].fixed != 0)
        return p;
    memcpy(p.velocity, from->velocity, sizeof p.velocity);
    memcpy(p.spin, from->spin, sizeof p.spin);
    rigid_motion_add_forces(f, b, &p);
    return p;
}

/* Lays out the intervals of each body and makes the first ones. */
static int rigid_motion_lay_out(rigid_motion *r, const rigid_frame *f)
{
    int err = IMP_OK;
    TRY(mem_alloc(r->mem, ((size_t)r->bodies + 1) * sizeof *r->first, &r->first));
    TRY(mem_alloc(r->mem, (r->bodies + f->changes) * sizeof *r->interval, &r->interval));
    TRY(mem_alloc(r->mem, r->bodies * sizeof *r->point_error, &r->point_error));
    TRY(mem_alloc(r->mem, r->bodies * sizeof *r->box, &r->box));
    for (uint32_t b = 0; b <= r->bodies; b++)
        r->first[b] = b > 0;
    for (size_t i = 0; i < f->changes; i++)
        r->first[f->change[i].body + 1]++;
    for (uint32_t b = 0; b < r->bodies; b++) {
        r->first[b + 1] += r->first[b];
        r->interval[r->first[b]] = rigid_motion_first_interval(f, b);
    }
out:
    return err;
}

static int rigid_motion_is_finite(const velocity_change *c)
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(c->velocity[k]) || !isfinite(c->spin[k]))
            return 0;
    return 1;
}

static int add_change(rigid_motion *r, const rigid_frame *f, const int32_t *object, size_t i,
                      rigid_interval *last, rigid_interval *to)
{
    const velocity_change *c = &f->change[i];
    const int32_t name = object[c->body];
    if (!(c->time >= 0 && c->time <= r->step) || (i && c->time < c[-1].time))
        return imp_fail(IMP_ERR_DIFFERS,
                        "velocity_changes: object %d at %.17g s: not in order, or outside the step",
                        (int)name, c->time);
    if (!rigid_motion_is_finite(c))
        return imp_fail(IMP_ERR_DIFFERS,
                        "velocity_changes: object %d at %.17g s: a velocity is not finite",
                        (int)name, c->time);
    if (f->matter->body[c->body].fixed != 0)
        return imp_fail(IMP_ERR_DIFFERS, "velocity_changes: object %d is fixed", (int)name);
    to->time = c->time;
    rigid_motion_move(last, (real)c->time - last->time, to->centre, to->rotation);
    memcpy(to->velocity, c->velocity, sizeof to->velocity);
    memcpy(to->spin, c->spin, sizeof to->spin);
    return IMP_OK;
}

/* used[b]: number of intervals that body b has so far, after the first. */
static int add_changes(rigid_motion *r, const rigid_frame *f, const int32_t *object)
{
    int err = IMP_OK;
    size_t *used = NULL;
    TRY(mem_alloc(r->mem, r->bodies * sizeof *used, &used));
    memset(used, 0, r->bodies * sizeof *used);
    for (size_t i = 0; i < f->changes; i++) {
        const uint32_t b = f->change[i].body;
        rigid_interval *last = &r->interval[r->first[b] + used[b]++];
        TRY(add_change(r, f, object, i, last, last + 1));
    }
out:
    mem_free(r->mem, used);
    return err;
}

/* ---- poses at the end */

/* Position error, and a box around the trajectory, for the point farthest from the centre in any
 * direction. */
static void rigid_motion_measure(rigid_motion *r, const rigid_frame *f, uint32_t b)
{
    const double radius = f->shapes->shape[b].radius;
    double sizes = 0;
    for (int k = 0; k < 3; k++) {
        r->box[b][k] = INFINITY;
        r->box[b][3 + k] = -INFINITY;
    }
    for (size_t i = r->first[b]; i < r->first[b + 1]; i++) {
        const rigid_interval *p = &r->interval[i];
        const double end = i + 1 < r->first[b + 1] ? p[1].time : r->step;
        for (int k = 0; k < 3; k++) {
            const double at = (double)p->centre[k], to = at + p->velocity[k] * (end - p->time);
            r->box[b][k] = fmin(r->box[b][k], fmin(at, to) - radius);
            r->box[b][3 + k] = fmax(r->box[b][3 + k], fmax(at, to) + radius);
            sizes = fmax(sizes, fabs(at));
        }
        sizes =
            fmax(sizes, (rigid_motion_length(p->velocity) + radius * rigid_motion_length(p->spin)) *
                            r->step);
    }
    r->point_error[b] = SLACK * (sizes + radius);
    for (int k = 0; k < 6; k++)
        r->box[b][k] += k < 3 ? -r->point_error[b] : r->point_error[b];
}

/* The angle between two rotations, accurate at least if small. */
static real angle_between(const real p[4], const double to[4])
{
    real q[4] = {to[0], -to[1], -to[2], -to[3]}, d[4];
    to_unit(q);
    rigid_motion_quaternion_product(p, q, d);
    return 2 * sqrtl(d[1] * d[1] + d[2] * d[2] + d[3] * d[3]);
}

static int end_of(const rigid_motion *r, const rigid_frame *f, const int32_t *object, uint32_t b)
{
    const rigid_interval *p = &r->interval[r->first[b + 1] - 1];
    const imp_pose *to = &f->to[b];
    real centre[3], rotation[4], far = 0;
    const int changed = r->first[b + 1] - r->first[b] > 1, fixed = f->matter->body[b].fixed != 0;
    const double most =
        changed ? 0 : r->point_error[b]; /* those of a change are the same numbers */
    double off = 0;
    rigid_motion_move(p, (real)r->step - p->time, centre, rotation);
    for (int k = 0; k < 3; k++) {
        far = fmaxl(far, fabsl(centre[k] - to->centre[k]));
        off = fmax(off, fabs(p->velocity[k] - to->velocity[k]) * r->step);
        off = fmax(off, fabs(p->spin[k] - to->spin[k]) * r->step * f->shapes->shape[b].radius);
    }
    far = fmaxl(far, angle_between(rotation, to->rotation) * f->shapes->shape[b].radius);
    if (!(far <= r->point_error[b]))
        return imp_fail(IMP_ERR_DIFFERS, "object %d ends %.3Lg away from where it moves",
                        (int)object[b], far);
    if (!fixed && !(off <= most))
        return imp_fail(IMP_ERR_DIFFERS, "object %d ends with velocities that it does not have",
                        (int)object[b]);
    return IMP_OK;
}

int rigid_motion_make(mem *m, const rigid_frame *f, const int32_t *object, rigid_motion *out)
{
    int err = IMP_OK;
    *out = (rigid_motion){.mem = m, .step = f->step, .bodies = f->shapes->bodies};
    TRY(rigid_motion_lay_out(out, f));
    TRY(add_changes(out, f, object));
    for (uint32_t b = 0; b < out->bodies; b++) {
        rigid_motion_measure(out, f, b);
        TRY(end_of(out, f, object, b));
    }
out:
    if (err)
        rigid_motion_free(out);
    return err;
}

void rigid_motion_free(rigid_motion *r)
{
    if (r->mem) {
        mem_free(r->mem, r->first);
        mem_free(r->mem, r->interval);
        mem_free(r->mem, r->point_error);
        mem_free(r->mem, r->box);
    }
    *r = (rigid_motion){0};
}

/* An edge of a triangle, by positions: `low` and `high` are the lowest vertices at these. */
typedef struct rigid_edge {
    uint32_t low, high;
    int up; /* 1: from low to high */
} rigid_edge;

typedef struct rigid_vertex {
    double at[3];
    uint32_t number;
} rigid_vertex;

/* Scratch for the inspection of one shape. */
typedef struct rigid_shape_scan {
    mem *mem;
    rigid_shape *s;
    uint32_t *same; /* [vertices] lowest vertex at the same position */
    uint32_t *up;   /* [vertices] link to another vertex of the part, or to itself at the root */
    rigid_vertex *order; /* [vertices] by position */
    rigid_edge *edge;
    size_t edges;
} rigid_shape_scan;

/* ---- vertices at one position */

static int by_position(const void *x, const void *y)
{
    const rigid_vertex *p = x, *q = y;
    for (int c = 0; c < 3; c++)
        if (p->at[c] != q->at[c])
            return p->at[c] < q->at[c] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static void rigid_shape_find_same(const rigid_shape_scan *l)
{
    const rigid_shape *s = l->s;
    const rigid_vertex *first = l->order;
    for (uint32_t i = 0; i < s->vertices; i++) {
        l->order[i].number = i;
        memcpy(l->order[i].at, s->point + 3 * (size_t)i, sizeof l->order[i].at);
    }
    qsort(l->order, s->vertices, sizeof *l->order, by_position);
    for (const rigid_vertex *v = l->order; v < l->order + s->vertices; v++) {
        if (v->at[0] != first->at[0] || v->at[1] != first->at[1] || v->at[2] != first->at[2])
            first = v;
        l->same[v->number] = first->number;
    }
}

/* ---- edges */

static int by_ends(const void *x, const void *y)
{
    const rigid_edge *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->high > b->high) - (a->high < b->high);
}

static void rigid_shape_list_edges(rigid_shape_scan *l)
{
    l->edges = 0;
    for (uint32_t t = 0; t < l->s->triangles; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t *c = l->s->corner + 3 * (size_t)t;
            const uint32_t a = l->same[c[k]], b = l->same[c[(k + 1) % 3]];
            if (a != b)
                l->edge[l->edges++] = (rigid_edge){a < b ? a : b, a < b ? b : a, a < b};
        }
    if (l->edges)
        qsort(l->edge, l->edges, sizeof *l->edge, by_ends);
}

/* *twice: each edge has exactly one partner, in the opposite direction. */
static void rigid_shape_scan_edges(rigid_shape_scan *l, int *twice)
{
    rigid_shape *s = l->s;
    s->closed = s->oriented = *twice = l->edges > 0;
    for (size_t i = 0, n; i < l->edges; i += n) {
        size_t up = 0;
        for (n = 0; i + n < l->edges && !by_ends(&l->edge[i], &l->edge[i + n]); n++)
            up += (size_t)l->edge[i + n].up;
        s->closed &= n % 2 == 0;
        s->oriented &= 2 * up == n;
        *twice &= n == 2 && up == 1;
    }
    s->oriented &= s->closed;
}

/* ---- parts */

static uint32_t root(uint32_t *up, uint32_t v)
{
    while (up[v] != v)
        v = up[v] = up[up[v]];
    return v;
}

static int rigid_shape_find_parts(rigid_shape_scan *l)
{
    int err = IMP_OK;
    rigid_shape *s = l->s;
    uint32_t *up = l->up;
    memcpy(up, l->same, s->vertices * sizeof *up);
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        for (int k = 1; k < 3; k++)
            up[root(up, c[0])] = root(up, c[k]);
    }
    for (uint32_t v = 0; v < s->vertices; v++)
        s->parts += up[v] == v;
    TRY(mem_alloc(l->mem, s->parts * sizeof *s->part, &s->part));
    s->parts = 0;
    for (uint32_t v = 0; v < s->vertices; v++)
        if (up[v] == v)
            s->part[s->parts++] = v;
out:
    return err;
}

/* ---- convexity */

/* The sign of the volume of a b c d, in rational numbers. */
static int rigid_shape_exact_side(const double *const x[4])
{
    mpq_t e[3][3], t, sum;
    mpq_inits(t, sum, NULL);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            mpq_init(e[i][k]);
            mpq_set_d(e[i][k], x[i + 1][k]);
            mpq_set_d(t, x[0][k]);
            mpq_sub(e[i][k], e[i][k], t);
        }
    for (int k = 0; k < 6; k++) {
        static const int permutation[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                              {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
        mpq_mul(t, e[0][permutation[k][0]], e[1][permutation[k][1]]);
        mpq_mul(t, t, e[2][permutation[k][2]]);
        if (k < 3)
            mpq_add(sum, sum, t);
        else
            mpq_sub(sum, sum, t);
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 9; i++)
        mpq_clear(e[i / 3][i % 3]);
    mpq_clears(t, sum, NULL);
    return sign;
}

/* In long double where its rounding cannot change the sign. */
static int rigid_shape_side(const double *const x[4])
{
    long double e[3][3], size = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            e[i][k] = (long double)x[i + 1][k] - x[0][k];
            size = fabsl(e[i][k]) > size ? fabsl(e[i][k]) : size;
        }
    const long double volume = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                               e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    if (fabsl(volume) > 0x1p-50L * size * size * size)
        return volume > 0 ? 1 : -1;
    return rigid_shape_exact_side(x);
}

/* Returns whether three different corners are collinear. Then the triangle has no plane. */
static int on_a_line(const double *const x[3])
{
    for (int k = 0; k < 3; k++) {
        double p[4][3];
        for (int i = 0; i < 3; i++)
            memcpy(p[i], x[i], sizeof p[i]);
        memcpy(p[3], x[0], sizeof p[3]);
        p[3][k] += 1 + fabs(p[3][k]); /* out of its plane, along an axis not in it */
        if (rigid_shape_exact_side((const double *const[4]){p[0], p[1], p[2], p[3]}))
            return 0;
    }
    return 1;
}

/* Returns whether all vertices are on or on one side of all faces. */
static int rigid_shape_is_convex(const rigid_shape_scan *l)
{
    const rigid_shape *s = l->s;
    int inside = 0;
    for (uint32_t t = 0; t < s->triangles; t++) {
        const uint32_t *c = s->corner + 3 * (size_t)t;
        const double *x[4];
        if (l->same[c[0]] == l->same[c[1]] || l->same[c[1]] == l->same[c[2]] ||
            l->same[c[2]] == l->same[c[0]])
            continue;
        for (int k = 0; k < 3; k++)
            x[k] = s->point + 3 * (size_t)c[k];
        if (on_a_line((const double *const[3]){x[0], x[1], x[2]}))
            return 0;
        for (uint32_t v = 0; v < s->vertices; v++) {
            x[3] = s->point + 3 * (size_t)v;
            const int sign = rigid_shape_side(x);
            if (sign && inside && sign != inside)
                return 0;
            inside = sign ? sign : inside;
        }
    }
    return inside != 0;
}

/* ---- one shape */

static int rigid_shape_inspect(rigid_shape_scan *l)
{
    int err = IMP_OK, twice;
    rigid_shape *s = l->s;
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->same, &l->same));
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->order, &l->order));
    TRY(mem_alloc(l->mem, s->vertices * sizeof *l->up, &l->up));
    TRY(mem_alloc(l->mem, (size_t)3 * s->triangles * sizeof *l->edge, &l->edge));
    rigid_shape_find_same(l);
    rigid_shape_list_edges(l);
    rigid_shape_scan_edges(l, &twice);
    TRY(rigid_shape_find_parts(l));
    s->convex = twice && s->parts == 1 && rigid_shape_is_convex(l);
    for (uint32_t v = 0; v < s->vertices; v++) {
        const double *p = s->point + 3 * (size_t)v;
        s->radius = fmax(s->radius, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) * (1 + 0x1p-50));
    }
out:
    mem_free(l->mem, l->same);
    mem_free(l->mem, l->order);
    mem_free(l->mem, l->up);
    mem_free(l->mem, l->edge);
    return err;
}

/* ---- the bodies of a mesh */

static uint32_t rigid_shape_body_of(const imp_mesh *mesh, uint32_t p)
{
    const int32_t object = mesh->object ? mesh->object[p] : 0;
    for (uint32_t low = 0, high = mesh->bodies; low < high;) {
        const uint32_t middle = low + (high - low) / 2;
        if (mesh->body[middle] == object)
            return middle;
        if (mesh->body[middle] < object)
            low = middle + 1;
        else
            high = middle;
    }
    return UINT32_MAX;
}

/* Counts the elements of each body and allocates them. owner[vertices]: the body of each, or
 * UINT32_MAX. */
static int rigid_shape_count(rigid_shapes *r, const imp_mesh *mesh, uint32_t *owner)
{
    int err = IMP_OK;
    memset(owner, 0xff, mesh->vertices * sizeof *owner);
    for (uint32_t p = 0; p < mesh->primitives; p++) {
        const uint32_t b = r->body[p] = rigid_shape_body_of(mesh, p);
        if (b == UINT32_MAX)
            FAIL(IMP_ERR_INPUT, "cell %u belongs to no rigid body", p);
        r->shape[b].triangles++;
        for (int k = 0; k < 3; k++)
            owner[mesh->corner[3 * (size_t)p + (size_t)k]] = b;
    }
    for (uint32_t v = 0; v < mesh->vertices; v++)
        if (owner[v] != UINT32_MAX)
            r->shape[owner[v]].vertices++;
    for (rigid_shape *s = r->shape; s < r->shape + r->bodies; s++) {
        TRY(mem_alloc(r->mem, (size_t)3 * s->vertices * sizeof *s->point, &s->point));
        TRY(mem_alloc(r->mem, s->vertices * sizeof *s->vertex, &s->vertex));
        TRY(mem_alloc(r->mem, (size_t)3 * s->triangles * sizeof *s->corner, &s->corner));
        TRY(mem_alloc(r->mem, s->triangles * sizeof *s->cell, &s->cell));
        r->most_vertices = s->vertices > r->most_vertices ? s->vertices : r->most_vertices;
        r->most_triangles = s->triangles > r->most_triangles ? s->triangles : r->most_triangles;
        s->vertices = s->triangles = 0;
    }
out:
    return err;
}

/* owner[v] becomes the vertex's number in its body. */
static void fill_all(rigid_shapes *r, const imp_mesh *mesh, uint32_t *owner)
{
    for (uint32_t v = 0; v < mesh->vertices; v++) {
        if (owner[v] == UINT32_MAX)
            continue;
        rigid_shape *s = &r->shape[owner[v]];
        for (int k = 0; k < 3; k++) /* + 0 removes -0 */
            s->point[3 * (size_t)s->vertices + (size_t)k] =
                mesh->rest[3 * (size_t)v + (size_t)k] + 0.0;
        s->vertex[s->vertices] = v;
        owner[v] = s->vertices++;
    }
    for (uint32_t p = 0; p < mesh->primitives; p++) {
        rigid_shape *s = &r->shape[r->body[p]];
        for (int k = 0; k < 3; k++)
            s->corner[3 * (size_t)s->triangles + (size_t)k] =
                owner[mesh->corner[3 * (size_t)p + (size_t)k]];
        s->cell[s->triangles++] = p;
    }
}

int rigid_shapes_make(mem *m, const imp_mesh *mesh, rigid_shapes *out)
{
    int err = IMP_OK;
    uint32_t *owner = NULL;
    *out = (rigid_shapes){.mem = m};
    TRY(mem_alloc(m, mesh->bodies * sizeof *out->shape, &out->shape));
    memset(out->shape, 0, mesh->bodies * sizeof *out->shape);
    out->bodies = mesh->bodies;
    TRY(mem_alloc(m, mesh->primitives * sizeof *out->body, &out->body));
    TRY(mem_alloc(m, mesh->vertices * sizeof *owner, &owner));
    TRY(rigid_shape_count(out, mesh, owner));
    fill_all(out, mesh, owner);
    for (uint32_t b = 0; b < out->bodies; b++) {
        rigid_shape_scan l = {.mem = m, .s = &out->shape[b]};
        TRY(rigid_shape_inspect(&l));
    }
out:
    mem_free(m, owner);
    if (err)
        rigid_shapes_free(out);
    return err;
}

void rigid_shapes_free(rigid_shapes *r)
{
    for (uint32_t b = 0; r->shape && b < r->bodies; b++) {
        mem_free(r->mem, r->shape[b].point);
        mem_free(r->mem, r->shape[b].vertex);
        mem_free(r->mem, r->shape[b].corner);
        mem_free(r->mem, r->shape[b].cell);
        mem_free(r->mem, r->shape[b].part);
    }
    if (r->mem) {
        mem_free(r->mem, r->shape);
        mem_free(r->mem, r->body);
    }
    *r = (rigid_shapes){0};
}

uint32_t rigid_triangle(const rigid_shape *s, uint32_t cell)
{
    uint32_t low = 0, high = s->triangles;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->cell[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}
