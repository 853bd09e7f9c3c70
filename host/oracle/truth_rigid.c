/* See truth_rigid.h. Two bodies that are awake are in contact before they are nearer than half of
 * epsilon. From then on they come again before they are nearer than a part of the distance at which
 * they were resolved, a few times (host/pcs/README.md, "A pair that rests is watched"). */
#include "truth_rigid.h"

#include "error.h"
#include "float_env.h"
#include "truth_rigid_claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAKE 0.5             /* of epsilon */
#define WATCHED_AIM 0.325     /* of the distance of a contact: where the next one is, at least */
#define WATCHED_AT 0.375      /* the same of where it is one, but for */
#define WATCHED_GAP 0x1p-6    /* of epsilon: how much nearer it may come in a step */
#define WATCHED_LEAST 0x1p-19 /* of epsilon: not watched where it is nearer */
#define WATCHED_TIMES 32      /* in a frame */
#define INTERVALS 64          /* of a step: shorter intervals are not halved */

/* A claim and its pair of bodies. */
typedef struct placed_claim {
    uint32_t a, b; /* bodies, a < b */
    size_t number;
} placed_claim;

/* A pair of bodies that may be in contact, with its claims. */
typedef struct body_pair {
    uint32_t a, b;
    size_t first, count; /* of placed claims */
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

/* ---- no contact lacks */

static int truth_rigid_too_near(rigid_workspace *w, double time, double gap)
{
    char what[120];
    snprintf(what, sizeof what, "%.6g apart, and no contact before; they must be %.6g apart", gap,
             w->floor);
    return rigid_fault(w, time, what);
}

/* Between two instants at which gaps are known, while no velocity changes. */
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

/* From one instant to another, while no velocity changes and there is no contact. */
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

/* The next instant after `time` at which a velocity of one of both changes, or `end`. */
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

/* What the distance must be after its claim number `count`, which was at `gap`. */
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

/* ---- which pairs */

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

/* Rows ascend, and are of two bodies. */
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

/* A body by where its box begins along x. */
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

/* All pairs whose boxes come near enough, by sort and sweep. */
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

/* Each pair gets its claims. One that has claims and is not near lacks a reason for them. */
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

/* ---- all of it */

static void add_found(rigid_found *to, const rigid_found *more)
{
    to->claims += more->claims;
    to->proven += more->proven;
    to->sampled += more->sampled;
    to->unmeasured += more->unmeasured;
    to->deepest = fmax(to->deepest, more->deepest);
}

/* The first fault in the order of pairs, whatever the threads do. */
typedef struct first_fault {
    size_t pair; /* pairs: none */
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
