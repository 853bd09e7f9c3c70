/* See rigid_oracle.h. Two awake bodies are in contact before they are nearer than half of epsilon.
 * From then on the next contact occurs before they are nearer than a fraction of the distance at
 * which the last one was resolved, a few times (host/pcs/README.md, "A pair that rests is
 * watched"). */
#include "error.h"
#include "float_env.h"
#include "rigid_oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAKE 0.5             /* times epsilon */
#define WATCHED_AIM 0.325     /* times the distance at a contact: least distance at the next */
#define WATCHED_AT 0.375      /* times the distance at a contact: the next one occurs below it */
#define WATCHED_GAP 0x1p-6    /* times epsilon: possible approach beyond WATCHED_AT in one step */
#define WATCHED_LEAST 0x1p-19 /* times epsilon: nearer pairs are not watched */
#define WATCHED_TIMES 32      /* per frame */
#define INTERVALS 64          /* per step: shorter intervals are not halved */

/* A claim and its pair of bodies. */
typedef struct placed_claim {
    uint32_t a, b; /* bodies, a < b */
    size_t number;
} placed_claim;

/* A pair of bodies that may be in contact, with its claims. */
typedef struct body_pair {
    uint32_t a, b;
    size_t first, count; /* range of placed claims */
} body_pair;

typedef struct truth_rigid_scan {
    const rigid_step *s;
    mem *mem;
    placed_claim *placed;
    body_pair *pair;
    size_t pairs, capacity;
} truth_rigid_scan;

static double truth_rigid_speed(const rigid_workspace *w, double time)
{
    const rigid_interval *p = rigid_motion_interval(w->s->motion, w->a, time),
                         *q = rigid_motion_interval(w->s->motion, w->b, time);
    double velocity[3];
    for (int k = 0; k < 3; k++)
        velocity[k] = p->velocity[k] - q->velocity[k];
    const double *v = p->spin, *u = q->spin;
    return (sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] +
                 velocity[2] * velocity[2]) +
            w->s->shapes->shape[w->a].radius * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) +
            w->s->shapes->shape[w->b].radius * sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])) *
           (1 + 0x1p-40);
}

/* ---- missing contacts */

static int truth_rigid_too_near(rigid_workspace *w, double time, double gap)
{
    char what[120];
    snprintf(what, sizeof what, "%.6g apart, and no contact before; they must be %.6g apart", gap,
             w->floor);
    return rigid_fault(w, time, what);
}

/* Checks the time between two known gaps, while no velocity changes. */
static int truth_rigid_check_between(rigid_workspace *w, double from, double gap, double to,
                                     double to_gap, double speed)
{
    if ((gap + to_gap - speed * (to - from)) / 2 >= w->floor) {
        w->found.proven++;
        return IMP_OK;
    }
    if (to - from <= w->s->motion->step / INTERVALS) {
        w->found.sampled++;
        return IMP_OK;
    }
    const double middle = from + (to - from) / 2;
    const double at = rigid_gap_at(w, middle, w->floor + speed * (to - from));
    int err = at < w->floor ? truth_rigid_too_near(w, middle, at) : IMP_OK;
    if (!err)
        err = truth_rigid_check_between(w, from, gap, middle, at, speed);
    return err ? err : truth_rigid_check_between(w, middle, at, to, to_gap, speed);
}

/* Checks from one time to another, while no velocity changes and there is no contact. */
static int truth_rigid_check_interval(rigid_workspace *w, double from, double to)
{
    const double speed = truth_rigid_speed(w, from), most = w->floor + speed * (to - from);
    if (!(w->floor > 0))
        return IMP_OK;
    const double gap = rigid_gap_at(w, from, most);
    if (gap < w->floor)
        return truth_rigid_too_near(w, from, gap);
    if (gap - speed * (to - from) >= w->floor) {
        w->found.proven++;
        return IMP_OK;
    }
    const double to_gap = rigid_gap_at(w, to, most);
    if (to_gap < w->floor)
        return truth_rigid_too_near(w, to, to_gap);
    return truth_rigid_check_between(w, from, gap, to, to_gap, speed);
}

/* The next time after `time` at which a velocity of either body changes, or `end`. */
static double truth_rigid_next_change(const rigid_workspace *w, double time, double end)
{
    const rigid_motion *r = w->s->motion;
    const uint32_t of[2] = {w->a, w->b};
    for (int i = 0; i < 2; i++) {
        const rigid_interval *p = rigid_motion_interval(r, of[i], time) + 1;
        if (p < &r->interval[r->first[of[i] + 1]] && p->time < end)
            end = p->time;
    }
    return end;
}

static int truth_rigid_check_until(rigid_workspace *w, double from, double to)
{
    int err = IMP_OK;
    while (from < to && !err) {
        const double next = truth_rigid_next_change(w, from, to);
        err = truth_rigid_check_interval(w, from, next);
        from = next;
    }
    return err;
}

/* ---- a pair */

/* The least allowed distance after claim number `count`, which was at `gap`. */
static void set_floor(rigid_workspace *w, double gap, size_t count)
{
    const double e = w->s->epsilon;
    w->floor = fmin(WATCHED_AIM * gap, WATCHED_AT * gap - WATCHED_GAP * e) - w->point_error;
    if (gap <= WATCHED_LEAST * e + w->point_error || count >= WATCHED_TIMES)
        w->floor = 0;
}

static int truth_rigid_check_pair(rigid_workspace *w, const truth_rigid_scan *l, const body_pair *p)
{
    int err = IMP_OK;
    const rigid_step *s = w->s;
    double time = 0, gap;
    w->a = p->a;
    w->b = p->b;
    w->point_error = s->motion->point_error[p->a] + s->motion->point_error[p->b];
    w->floor = AWAKE * (1 - 0x1p-20) * s->epsilon - w->point_error;
    for (size_t i = 0; i < p->count; i++) {
        const rigid_claim *c = &s->claim[l->placed[p->first + i].number];
        TRY(truth_rigid_check_until(w, time, c->time));
        TRY(rigid_claim_measure(w, c, &gap));
        time = c->time;
        set_floor(w, gap, i + 1);
    }
    TRY(truth_rigid_check_until(w, time, s->motion->step));
out:
    return err;
}

/* ---- pair selection */

static int by_pair(const void *x, const void *y)
{
    const placed_claim *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Two fixed bodies have no contacts. */
static int is_wanted(const rigid_step *s, uint32_t a, uint32_t b)
{
    if (s->matter->body[a].fixed != 0 && s->matter->body[b].fixed != 0)
        return 0;
    return !s->wanted || s->wanted[a] || s->wanted[b];
}

static int claim_fault(const rigid_claim *c, const char *what)
{
    return imp_fail(IMP_ERR_DIFFERS, "primitives %u and %u, %.17g s after the frame: %s", c->a,
                    c->b, c->time, what);
}

/* Rows must ascend, and be between two bodies. */
static int truth_rigid_sort_claims(truth_rigid_scan *l)
{
    int err = IMP_OK;
    const rigid_step *s = l->s;
    TRY(mem_alloc(l->mem, s->claims * sizeof *l->placed, &l->placed));
    for (size_t i = 0; i < s->claims; i++) {
        const rigid_claim *c = &s->claim[i], *d = c - 1;
        if (c->a >= s->mesh->primitives || c->b >= s->mesh->primitives || c->a >= c->b)
            return claim_fault(c, "no pair of primitives");
        if (!(c->time >= 0 && c->time <= s->motion->step))
            return claim_fault(c, "not within the step");
        if (i && (c->time < d->time ||
                  (c->time == d->time && (c->a < d->a || (c->a == d->a && c->b < d->b)))))
            return claim_fault(c, "not in the order of time and primitives");
        const uint32_t a = s->shapes->body[c->a], b = s->shapes->body[c->b];
        if (a == b)
            return claim_fault(c, "both are of one body");
        l->placed[i] = (placed_claim){a < b ? a : b, a < b ? b : a, i};
    }
    if (s->claims)
        qsort(l->placed, s->claims, sizeof *l->placed, by_pair);
out:
    return err;
}

/* A body, sorted by the lower end of its box along x. */
typedef struct low_body {
    double low;
    uint32_t body;
} low_body;

static int by_low(const void *x, const void *y)
{
    const low_body *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return (a->body > b->body) - (a->body < b->body);
}

static int truth_rigid_boxes_near(const double a[6], const double b[6], double by)
{
    for (int k = 0; k < 3; k++)
        if (a[k] > b[3 + k] + by || b[k] > a[3 + k] + by)
            return 0;
    return 1;
}

static int truth_rigid_add_pair(truth_rigid_scan *l, uint32_t a, uint32_t b)
{
    const int err = mem_fit(l->mem, l->pairs, &l->capacity, sizeof *l->pair, &l->pair);
    if (!err)
        l->pair[l->pairs++] = (body_pair){.a = a < b ? a : b, .b = a < b ? b : a};
    return err;
}

/* All pairs whose boxes are near enough, by sort and sweep. */
static int truth_rigid_find_pairs(truth_rigid_scan *l)
{
    int err = IMP_OK;
    const rigid_step *s = l->s;
    const rigid_motion *r = s->motion;
    low_body *order = NULL;
    TRY(mem_alloc(l->mem, r->bodies * sizeof *order, &order));
    for (uint32_t b = 0; b < r->bodies; b++)
        order[b] = (low_body){r->box[b][0], b};
    qsort(order, r->bodies, sizeof *order, by_low);
    for (uint32_t i = 0; i < r->bodies; i++)
        for (uint32_t k = i + 1; k < r->bodies; k++) {
            const uint32_t a = order[i].body, b = order[k].body;
            if (order[k].low > r->box[a][3] + s->epsilon)
                break;
            if (is_wanted(s, a, b) && truth_rigid_boxes_near(r->box[a], r->box[b], s->epsilon))
                TRY(truth_rigid_add_pair(l, a, b));
        }
out:
    mem_free(l->mem, order);
    return err;
}

static int by_bodies(const void *x, const void *y)
{
    const body_pair *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* Assigns claims to their pairs. A pair with claims whose boxes are not near is a fault. */
static int truth_rigid_assign_claims(truth_rigid_scan *l)
{
    const rigid_step *s = l->s;
    if (l->pairs)
        qsort(l->pair, l->pairs, sizeof *l->pair, by_bodies);
    for (size_t i = 0, n; i < s->claims; i += n) {
        const placed_claim *c = &l->placed[i];
        const body_pair of = {.a = c->a, .b = c->b};
        body_pair *p =
            l->pairs ? bsearch(&of, l->pair, l->pairs, sizeof *l->pair, by_bodies) : NULL;
        for (n = 1; i + n < s->claims && c[n].a == c->a && c[n].b == c->b; n++)
            ;
        if (p) {
            p->first = i;
            p->count = n;
        } else if (!s->wanted || s->wanted[c->a] || s->wanted[c->b]) {
            return claim_fault(&s->claim[c->number],
                               "no contact: their bodies do not come near, or are both fixed");
        }
    }
    return IMP_OK;
}

/* ---- the whole check */

static void add_found(rigid_found *to, const rigid_found *more)
{
    to->claims += more->claims;
    to->proven += more->proven;
    to->sampled += more->sampled;
    to->unmeasured += more->unmeasured;
    to->deepest = fmax(to->deepest, more->deepest);
}

/* The first fault in the order of pairs, independent of threads. */
typedef struct first_fault {
    size_t pair; /* number of pairs: none */
    int err;
    char text[300];
} first_fault;

static void truth_rigid_check_pairs(const truth_rigid_scan *l, rigid_found *out, first_fault *first)
{
#pragma omp parallel num_threads(l->s->threads)
    EACH_IN_FLOAT_ENV
    {
        rigid_workspace w = {.s = l->s};
        int err = IMP_OK;
#pragma omp critical
        err = rigid_pair_open(l->mem, l->s->shapes, &w.at);
#pragma omp for schedule(dynamic, 4)
        for (size_t i = 0; i < l->pairs; i++) {
            const int failed = err ? err : truth_rigid_check_pair(&w, l, &l->pair[i]);
            if (!failed)
                continue;
#pragma omp critical
            if (i < first->pair) {
                first->pair = i;
                first->err = failed;
                memcpy(first->text, w.text, sizeof first->text);
            }
        }
#pragma omp critical
        {
            add_found(out, &w.found);
            rigid_pair_close(&w.at);
        }
    }
}

int truth_rigid_check(mem *m, const rigid_step *s, rigid_found *out)
{
    int err = IMP_OK;
    truth_rigid_scan l = {.s = s, .mem = m};
    TRY(truth_rigid_sort_claims(&l));
    TRY(truth_rigid_find_pairs(&l));
    TRY(truth_rigid_assign_claims(&l));
    first_fault first = {.pair = l.pairs};
    truth_rigid_check_pairs(&l, out, &first);
    if (first.err)
        FAIL(first.err, "%s", *first.text ? first.text : "out of memory");
out:
    mem_free(m, l.placed);
    mem_free(m, l.pair);
    return err;
}

#define EDGES 16384 /* pairs of edges: with more, overlaps are by faces, as in simulations */

int rigid_fault(rigid_workspace *w, double time, const char *what)
{
    const int32_t *object = w->s->mesh->body;
    snprintf(w->text, sizeof w->text, "objects %d and %d, %.17g s after the frame: %s",
             (int)object[w->a], (int)object[w->b], time, what);
    return IMP_ERR_DIFFERS;
}

/* ---- distances */

static void place_at(rigid_workspace *w, double time)
{
    const rigid_step *s = w->s;
    const rigid_pose pa = rigid_motion_pose(s->motion, w->a, time),
                     pb = rigid_motion_pose(s->motion, w->b, time);
    rigid_pair_place(&w->at, &s->shapes->shape[w->a], &pa, &s->shapes->shape[w->b], &pb);
}

/* 0 also if one is in the other. */
double rigid_gap_at(rigid_workspace *w, double time, double most)
{
    place_at(w, time);
    const double apart = (double)rigid_distance(&w->at, most);
    return apart > 0 && rigid_nested(&w->at) ? 0 : apart;
}

/* A row's primitives and points, assigned to bodies 0 and 1 of the pair. */
typedef struct claimed {
    const rigid_claim *c;
    uint32_t triangle[2];
    int64_t feature[2];
    real x[2][3]; /* in the order of the row, which does not tell the bodies */
} claimed;

static int is_vertex(const rigid_workspace *w, int body, int64_t vertex, const real x[3])
{
    const rigid_placed *p = &w->at.body[body];
    for (uint32_t v = 0; v < p->shape->vertices; v++)
        if (p->shape->vertex[v] == vertex) {
            const real d[3] = {p->at[v][0] - x[0], p->at[v][1] - x[1], p->at[v][2] - x[2]};
            return oracle_rigid_length(d) <= w->point_error;
        }
    return 0;
}

/* Returns whether the point is on the feature of one body. A vertex and an edge may have the same
 * number. */
static int feature_fits(const rigid_workspace *w, const claimed *c, int body, const real x[3],
                        int *vertex)
{
    const int64_t f = c->feature[body];
    *vertex = c->c->kind == IMP_KIND_VERTEX_FACE && is_vertex(w, body, f, x);
    if (f == -1 || *vertex)
        return 1;
    return c->c->kind != IMP_KIND_AREA && f >= 0 && f <= 2 &&
           rigid_edge_distance(&w->at, body, c->triangle[body], (int)f, x) <= w->point_error;
}

static int features_fit(const rigid_workspace *w, const claimed *c, int turned)
{
    int vertex[2];
    for (int i = 0; i < 2; i++)
        if (!feature_fits(w, c, i, c->x[i ^ turned], &vertex[i]))
            return 0;
    switch (c->c->kind) {
    case IMP_KIND_AREA:
        return 1;
    case IMP_KIND_EDGE_EDGE:
        return c->feature[0] != -1 || c->feature[1] != -1;
    default:
        return c->c->kind == IMP_KIND_VERTEX_FACE && (vertex[0] || vertex[1]);
    }
}

/* Checks that the points, in either order, are on these triangles and these features. */
static const char *fault_points(const rigid_workspace *w, const claimed *c)
{
    const char *fault = "the points are not those of the primitives";
    for (int turned = 0; turned < 2; turned++) {
        if (rigid_point_distance(&w->at, 0, c->triangle[0], c->x[turned]) > w->point_error ||
            rigid_point_distance(&w->at, 1, c->triangle[1], c->x[!turned]) > w->point_error)
            continue;
        if (features_fit(w, c, turned))
            return NULL;
        fault = "other features, or another kind";
    }
    return fault;
}

/* Returns whether the point is in or on a body of the pair. */
static int is_in(const rigid_workspace *w, int body, uint32_t triangle, const real x[3])
{
    const rigid_placed *p = &w->at.body[body];
    if (rigid_point_distance(&w->at, body, triangle, x) <= w->point_error)
        return 1;
    if (p->shape->closed && rigid_inside(&w->at, body, x))
        return 1;
    for (uint32_t t = 0; t < p->shape->triangles; t++)
        if (rigid_point_distance(&w->at, body, t, x) <= w->point_error)
            return 1;
    return 0;
}

static real points_apart(const claimed *c)
{
    const real offset[3] = {c->x[0][0] - c->x[1][0], c->x[0][1] - c->x[1][1],
                            c->x[0][2] - c->x[1][2]};
    return oracle_rigid_length(offset);
}

/* Overlapping bodies: both points are the same, and in both. */
static const char *fault_inside(rigid_workspace *w, const claimed *c)
{
    if (!(points_apart(c) <= w->point_error))
        return "they are in each other, and the points are not the same";
    if (!is_in(w, 0, c->triangle[0], c->x[0]) || !is_in(w, 1, c->triangle[1], c->x[0]))
        return "they are in each other, and the point is not in both";
    if (!w->at.body[0].shape->convex || !w->at.body[1].shape->convex) {
        w->found.unmeasured++;
        return NULL;
    }
    const double depth = (double)rigid_depth(&w->at, EDGES);
    w->found.deepest = fmax(w->found.deepest, depth);
    return depth > w->s->overlap + w->point_error
               ? "they are deeper in each other than /impinge/velocity_changes says (overlap)"
               : NULL;
}

static const char *fault_apart(const rigid_workspace *w, const claimed *c, double gap)
{
    if (gap > w->s->epsilon + w->point_error)
        return "no contact: they are farther apart than epsilon";
    if (rigid_triangles_distance(&w->at, c->triangle[0], c->triangle[1]) > gap + w->point_error)
        return "not the closest primitives";
    const char *fault = fault_points(w, c);
    return !fault && !(fabsl(points_apart(c) - gap) <= w->point_error)
               ? "the points are not the closest"
               : fault;
}

int rigid_claim_measure(rigid_workspace *w, const rigid_claim *c, double *gap)
{
    const rigid_step *s = w->s;
    claimed of = {.c = c};
    const int turned = s->shapes->body[c->a] != w->a;
    const uint32_t cell[2] = {c->a, c->b}, body[2] = {w->a, w->b};
    *gap = rigid_gap_at(w, c->time, 2 * s->epsilon);
    for (int i = 0; i < 2; i++) {
        of.triangle[i] = rigid_triangle(&s->shapes->shape[body[i]], cell[i ^ turned]);
        of.feature[i] = c->feature[i ^ turned];
    }
    for (int i = 0; i < 6; i++)
        of.x[i / 3][i % 3] = c->point[i] - w->at.origin[i % 3];
    const char *what = *gap > w->point_error ? fault_apart(w, &of, *gap) : fault_inside(w, &of);
    w->found.claims++;
    return what ? rigid_fault(w, c->time, what) : IMP_OK;
}
