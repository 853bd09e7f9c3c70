/* See sweep.h. Objects that stand still are found by comparing all points and poses in each sweep,
 * so no pair can be out of date: the first instant is compared with the second one, and with the
 * frame that the kept pairs are of. */
#include "sweep.h"

#include "error.h"
#include "float_env.h"
#include "prim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pairs */

int swept_add(mem *m, swept_pairs *to, swept_pair pair)
{
    int err = IMP_OK;
    if (to->count == to->room) {
        const size_t more = to->room + to->room / 2 + 1024;
        TRY(mem_grow(m, to->count * sizeof *to->pair, more * sizeof *to->pair, &to->pair));
        to->room = more;
    }
    to->pair[to->count++] = pair;
out:
    return err;
}

/* By time last, so that the earliest of equal pairs is the first, which swept_sort keeps. */
static int pair_order(const void *x, const void *y)
{
    const swept_pair *p = x, *q = y;
    if (p->a != q->a || p->b != q->b)
        return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
    return (p->time > q->time) - (p->time < q->time);
}

void swept_sort(swept_pairs *p)
{
    size_t n = 0;
    if (p->count)
        qsort(p->pair, p->count, sizeof *p->pair, pair_order);
    for (size_t i = 0; i < p->count; i++)
        if (!n || p->pair[n - 1].a != p->pair[i].a || p->pair[n - 1].b != p->pair[i].b)
            p->pair[n++] = p->pair[i];
    p->count = n;
}

void stills_free(mem *m, stills *s)
{
    mem_free(m, s->known);
    mem_free(m, s->point);
    mem_free(m, s->pose);
    mem_free(m, s->slack);
    mem_free(m, s->among.pair);
    mem_free(m, s->own.pair);
    *s = (stills){0};
}

/* ---- is it the same mesh, in the same unit? */

static int same_point(const double *x, const double *y)
{
    return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

/* All 0: no object is known, no slack is that of any body. */
static int stills_new(sweeping *w)
{
    int err = IMP_OK;
    stills *s = w->still;
    mem *m = w->in->c->mem;
    const uint32_t n = trees_objects(w->s);
    const size_t points = (size_t)3 * w->in->view->verts;
    stills_free(m, s);
    s->soft = w->s->soft.tree.trees;
    s->objects = n;
    TRY(mem_alloc(m, n * sizeof *s->known, &s->known));
    TRY(mem_alloc(m, n * sizeof *s->slack, &s->slack));
    TRY(mem_alloc(m, points * sizeof *s->point, &s->point));
    TRY(mem_alloc(m, w->from->mesh->bodies * sizeof *s->pose, &s->pose));
    memset(s->point, 0, points * sizeof *s->point);
    memset(s->pose, 0, w->from->mesh->bodies * sizeof *s->pose);
    memset(s->known, 0, n * sizeof *s->known);
    memset(s->slack, 0, n * sizeof *s->slack);
out:
    return err;
}

/* Candidates depend on the frame's unit and centre, contacts do not; trees of rigid bodies are in
 * its unit. After a change of mesh nothing is known. */
static int stills_open(sweeping *w)
{
    int err = IMP_OK;
    stills *s = w->still;
    const units *u = &w->in->bounds->units;
    const uint64_t mesh = s->mesh;
    s->mesh = 0; /* until all has succeeded */
    if (!mesh || mesh != w->in->view->mesh || s->objects != trees_objects(w->s) ||
        s->soft != w->s->soft.tree.trees)
        TRY(stills_new(w));
    const int scale = s->scale[0] == u->scale[0] && s->scale[1] == u->scale[1];
    const int centre = same_point(s->centre, u->centre);
    if (!scale) {
        memset(s->slack, 0, s->objects * sizeof *s->slack);
        s->own.count = 0;
    }
    if ((!scale || !centre) && w->in->c->opt.stage == IMP_STAGE_CANDIDATES) {
        /* Contacts are kept, and they do not depend on the unit; candidates do. */
        memset(s->known, 0, s->objects * sizeof *s->known);
        s->among.count = 0;
    }
    memcpy(s->scale, u->scale, sizeof s->scale);
    memcpy(s->centre, u->centre, sizeof s->centre);
out:
    return err;
}

/* ---- what stays? */

/* here[verts]: the motion of each vertex, as if it were an object. */
static void look_at_points(const sweeping *w, uint8_t *here)
{
    const double *before = w->still->point;
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t v = 0; v < (int64_t)w->in->view->verts; v++) {
        double x[DIMENSIONS], y[DIMENSIONS];
        frame_vertex(w->from, (size_t)v, x);
        frame_vertex(w->to, (size_t)v, y);
        here[v] = !same_point(x, y) ? GOES : same_point(x, before + 3 * v) ? STAYED : STAYS;
    }
}

/* Compared exactly: any change may change a pair. */
static int same_place(const imp_pose *p, const imp_pose *q)
{
    return same_point(p->centre, q->centre) && p->rotation[0] == q->rotation[0] &&
           same_point(p->rotation + 1, q->rotation + 1);
}

/* A body that spins may have made a full turn. */
static enum going look_at_pose(const sweeping *w, uint32_t body)
{
    static const double none[3] = {0};
    const imp_pose *p = w->from->pose + body, *q = w->to->pose + body;
    if (!same_place(p, q) || !same_point(p->spin, none))
        return GOES;
    return same_place(p, w->still->pose + body) ? STAYED : STAYS;
}

/* GOES < STAYS < STAYED: an object is as still as its least still vertex. */
static enum going look_at_object(const sweeping *w, uint32_t object, const uint8_t *here)
{
    uint32_t i;
    const tree_set *set = trees_set(w->s, object, &i);
    const uint32_t corners = w->in->view->corners;
    int least = w->still->known[object] ? STAYED : STAYS;
    if (set == &w->s->rigid) {
        const int by_pose = (int)look_at_pose(w, w->s->bodies.body[i]);
        least = by_pose < least ? by_pose : least;
    }
    for (uint32_t p = set->start[i]; p < set->start[i + 1] && least != GOES; p++)
        for (uint32_t k = 0; k < corners; k++) {
            const int at = here[w->s->from.corner[(size_t)corners * set->prim[p] + k]];
            least = at < least ? at : least;
        }
    return (enum going)least;
}

static int look_at_all(sweeping *w)
{
    int err = IMP_OK;
    mem *m = w->in->c->mem;
    uint8_t *here = NULL;
    const uint32_t n = trees_objects(w->s);
    TRY(mem_alloc(m, w->in->view->verts * sizeof *here, &here));
    TRY(mem_alloc(m, n * sizeof *w->going, &w->going));
    look_at_points(w, here);
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(guided) nowait
    for (int64_t i = 0; i < (int64_t)n; i++)
        w->going[i] = (uint8_t)look_at_object(w, (uint32_t)i, here);
out:
    mem_free(m, here);
    return err;
}

/* ---- pairs of two that stay */

static int both_stayed(const sweeping *w, uint32_t a, uint32_t b)
{
    return w->going[a] == STAYED && w->going[b] == STAYED;
}

/* A descent into pairs of objects that are not known. */
static int wanted(void *user, uint32_t a, uint32_t b)
{
    const sweeping *w = user;
    return w->going[a] != GOES && w->going[b] != GOES && !both_stayed(w, a, b);
}

/* Removes pairs with an object that moves now, or has moved. */
static void forget_moved(const sweeping *w, swept_pairs *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        if (both_stayed(w, sweep_object(w, p->pair[i].a), sweep_object(w, p->pair[i].b)))
            p->pair[n++] = p->pair[i];
    p->count = n;
}

/* The pairs of the frame between wanted objects, found as in any frame. */
static int ask_frame(sweeping *w)
{
    w->s->wanted = wanted;
    w->s->user = w;
    const int err = w->ask_frame(w->user, &w->still->among);
    w->s->wanted = NULL;
    return err;
}

/* The next sweep compares its points and poses with these. */
static void remember(const sweeping *w)
{
    stills *s = w->still;
#pragma omp parallel num_threads(w->in->c->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t v = 0; v < (int64_t)w->in->view->verts; v++)
        frame_vertex(w->from, (size_t)v, s->point + 3 * v);
    if (w->from->pose)
        memcpy(s->pose, w->from->pose, w->from->mesh->bodies * sizeof *s->pose);
}

static int find_among(sweeping *w)
{
    int err = IMP_OK, fewer = 0, more = 0;
    stills *s = w->still;
    for (uint32_t i = 0; i < s->objects; i++) {
        fewer |= s->known[i] && w->going[i] != STAYED;
        more |= w->going[i] == STAYS;
    }
    /* Pairs are forgotten first, so that a pair which is found again is in the list once. */
    if (fewer)
        forget_moved(w, &s->among);
    /* Objects that stay as they were cost nothing more: the frame is only asked for the others. */
    if (more) {
        TRY(ask_frame(w));
        swept_sort(&s->among);
        remember(w);
    }
    for (uint32_t i = 0; i < s->objects; i++)
        s->known[i] = w->going[i] != GOES;
out:
    return err;
}

/* ---- rigid bodies with themselves */

/* Rounds up to a power of two, so that pairs are seldom found again because of it. */
static double slack_class(double slack)
{
    int e;
    const double part = frexp(slack, &e);
    return isfinite(slack) ? ldexp(1, part > 0.5 ? e : e - 1) : slack;
}

static int take_own(void *user, uint32_t a, uint32_t b, double time)
{
    sweeping *w = user;
    (void)time;
    if (!w->err && neighbours_allowed(w->rules, w->s->from.corner, a, b))
        w->err =
            swept_add(w->in->c->mem, &w->still->own, (swept_pair){a < b ? a : b, a < b ? b : a, 0});
    return w->err;
}

/* Its pairs are those of a body that stays where it is, with `slack` around it. In the coordinates
 * of the body nothing moves, so the pairs hold while the slack is of one class. */
static int ask_own(sweeping *w, uint32_t object, double slack)
{
    const uint32_t root = object - w->still->soft;
    const tree *t = &w->s->rigid.tree;
    tree_sweep s = {{t, t, NULL}, way_still(slack), way_still(slack), &w->bodies, &w->bodies};
    const int err =
        tree_sweep_pairs(w->in->c->mem, &s, (tree_pair){root, root}, take_own, w, &w->counts);
    return w->err ? w->err : err;
}

/* Removes pairs that were found with other slacks. A slack of 0 marks bodies that are found again.
 */
static void forget_own(const sweeping *w)
{
    stills *s = w->still;
    size_t n = 0;
    for (size_t k = 0; k < s->own.count; k++)
        if (s->slack[sweep_object(w, s->own.pair[k].a)] > 0)
            s->own.pair[n++] = s->own.pair[k];
    s->own.count = n;
}

/* Slacks are compared in a form in which NaN counts as another one. */
static int find_own(sweeping *w)
{
    int err = IMP_OK, other = 0;
    stills *s = w->still;
    for (uint32_t i = s->soft; i < s->objects; i++) {
        if (w->going[i] == GOES && sweep_allowed(w, i, i) &&
            !(s->slack[i] == slack_class(w->way[i - s->soft].slack))) {
            other = 1;
            s->slack[i] = 0;
        }
    }
    if (!other)
        return IMP_OK;
    forget_own(w);
    for (uint32_t i = s->soft; i < s->objects; i++)
        if (w->going[i] == GOES && sweep_allowed(w, i, i) && !(s->slack[i] > 0)) {
            const double slack = slack_class(w->way[i - s->soft].slack);
            TRY(ask_own(w, i, slack));
            s->slack[i] = slack;
        }
    swept_sort(&s->own);
out:
    return err;
}

/* Ways come before find_own, which needs their slack. */
int stills_find(sweeping *w)
{
    int err = IMP_OK;
    TRY(stills_open(w));
    TRY(look_at_all(w));
    TRY(sweep_ways(w));
    TRY(find_among(w));
    TRY(find_own(w));
    /* Nothing failed: the next sweep may use it. */
    w->still->mesh = w->in->view->mesh;
out:
    return err;
}
