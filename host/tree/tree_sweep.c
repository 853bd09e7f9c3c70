/* See tree_sweep.h. */
#include "tree_sweep.h"

#include "error.h"
#include "pose.h"
#include "tree_step.h"

#include <string.h>

#define HALVES 24 /* times that a stretch is halved at most */

/* A body that makes more turns on its way may be anywhere in its ball in a stretch of a turn or
 * more: so the number of stretches does not grow with that of turns. */
#define TURNS_MOST 1024
#define TURN 6.28318530717958648

/* In shares of the sizes of both: what volumes of nodes, and of primitives, are made larger by
 * until a stretch of time is not divided any more. Of nodes it is less work to divide the larger
 * one, way or node. */
#define LOOSE_NODE 0.5
#define LOOSE_PRIM 0.05

/* ---- a stretch of the way */

typedef struct stretch {
    double t[2];
    bv_pose middle; /* where F is for E in the middle of it */
} stretch;

static bv_pose middle_pose(const tree_sweep *s, const stretch *at)
{
    bv_pose p = {.slack = s->e.slack + s->f.slack};
    double q[4], turn_e[3][3], turn_f[3][3], e[3], f[3], way[3];
    const double t = (at->t[0] + at->t[1]) / 2;
    way_rotation(&s->e, t, q);
    pose_matrix(q, turn_e);
    way_rotation(&s->f, t, q);
    pose_matrix(q, turn_f);
    way_centre(&s->e, t, e);
    way_centre(&s->f, t, f);
    for (int i = 0; i < 3; i++)
        way[i] = f[i] - bv_dot(turn_f[i], s->f.pivot) - e[i];
    for (int i = 0; i < 3; i++) {
        p.t[i] = s->e.pivot[i];
        for (int j = 0; j < 3; j++) {
            p.t[i] += turn_e[j][i] * way[j];
            for (int k = 0; k < 3; k++)
                p.r[i][j] += turn_e[k][i] * turn_f[k][j];
        }
        p.slack += 0x1p-44 * (fabs(p.t[i]) + fabs(way[i])); /* they may be far apart */
    }
    return p;
}

static stretch stretch_of(const tree_sweep *s, double from, double to)
{
    stretch out = {.t = {from, to}};
    out.middle = middle_pose(s, &out);
    return out;
}

/* The first half, or the second. */
static stretch half(const tree_sweep *s, const stretch *of, int second)
{
    const double middle = (of->t[0] + of->t[1]) / 2;
    return stretch_of(s, second ? middle : of->t[0], second ? of->t[1] : middle);
}

/* ---- a node, or a primitive */

typedef struct shape {
    const bv_sphere *sphere; /* or */
    const bv_obb *obb;
    double size, far; /* of it about its middle; of its points from the pivot */
} shape;

static double distance(const double *a, const double *b)
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(bv_dot(d, d)) * (1 + 0x1p-48);
}

static shape sphere_shape(const bv_sphere *s, const body_way *w)
{
    return (shape){.sphere = s, .size = s->r, .far = distance(s->c, w->pivot) + s->r};
}

static shape node_shape(const tree *t, uint32_t node, const body_way *w)
{
    const int round = t->def.volume == IMP_VOLUME_SPHERE ||
                      (t->def.volume == IMP_VOLUME_HYBRID && tree_round(t, node));
    if (round)
        return sphere_shape(t->sphere + node, w);
    const bv_obb *b = t->obb + node;
    const double size = sqrt(bv_dot(b->half, b->half)) * (1 + 0x1p-48);
    return (shape){.obb = b, .size = size, .far = distance(b->c, w->pivot) + size};
}

static const double *shape_middle(const shape *s)
{
    return s->sphere ? s->sphere->c : s->obb->c;
}

/* Errors of box tests grow with the distance of the boxes: beyond this the balls around them are
 * tested. */
#define FAR 256.0

static int balls_overlap(const shape *e, const shape *f, const bv_pose *p)
{
    bv_sphere x = {.r = e->size}, y = {.r = f->size};
    memcpy(x.c, shape_middle(e), sizeof x.c);
    memcpy(y.c, shape_middle(f), sizeof y.c);
    y = bv_sphere_posed(&y, p);
    return bv_spheres_overlap(&x, &y);
}

/* F's is posed, E's stays. */
static int shapes_overlap(const shape *e, const shape *f, const bv_pose *p, tree_counts *c)
{
    c->volume_tests++;
    if (fabs(p->t[0]) + fabs(p->t[1]) + fabs(p->t[2]) > FAR)
        return balls_overlap(e, f, p);
    if (f->sphere) {
        const bv_sphere posed = bv_sphere_posed(f->sphere, p);
        if (e->sphere)
            return bv_spheres_overlap(e->sphere, &posed);
        c->obb_tests++;
        return bv_sphere_obb_overlap(&posed, e->obb, &c->axes);
    }
    const bv_obb posed = bv_obb_posed(f->obb, p);
    c->obb_tests++;
    return e->sphere ? bv_sphere_obb_overlap(e->sphere, &posed, &c->axes)
                     : bv_obbs_overlap(e->obb, &posed, &c->axes);
}

/* How far a point at distance 1 may get from the middle of a turn to one of its ends. */
static double turned(const body_way *w, const stretch *at)
{
    return fmin(way_angle(w, (at->t[1] - at->t[0]) / 2), 2);
}

/* How far the centres get from each other, from the middle of a stretch to one of its ends. */
static double drift_of(const tree_sweep *s, const stretch *at)
{
    double drift[3];
    for (int k = 0; k < 3; k++)
        drift[k] = s->f.centre[1][k] - s->f.centre[0][k] - s->e.centre[1][k] + s->e.centre[0][k];
    return (at->t[1] - at->t[0]) / 2 * sqrt(bv_dot(drift, drift));
}

static int spins(const body_way *w, const stretch *at)
{
    return way_angle(w, 1) > TURNS_MOST * TURN && way_angle(w, at->t[1] - at->t[0]) > TURN;
}

/* How far any point of F may get, as E sees it, from the middle of a stretch to one of its ends.
 * E's rotation moves points by their distance from E's pivot, and F may move away meanwhile. */
static double reach(const tree_sweep *s, const shape *f, const stretch *at)
{
    double middle[3];
    const double moved = drift_of(s, at) + turned(&s->f, at) * f->far;
    bv_point_posed(shape_middle(f), &at->middle, middle);
    const double around = distance(middle, s->e.pivot) + f->size + moved;
    return (moved + turned(&s->e, at) * around) * (1 + 0x1p-40);
}

/* ---- may two shapes meet? */

typedef struct question {
    const tree_sweep *s;
    shape e, f;
    double loose;
    tree_counts *counts;
} question;

/* 0: not in this stretch; 1: perhaps; 2: perhaps, and shorter stretches would hardly help. */
static int test_stretch(const question *q, const stretch *at)
{
    bv_pose p = at->middle;
    double more = reach(q->s, &q->f, at);
    p.slack += more;
    if (!shapes_overlap(&q->e, &q->f, &p, q->counts))
        return 0;
    if (spins(&q->s->e, at) || spins(&q->s->f, at))
        more = drift_of(q->s, at);
    return !(more > q->loose * (q->e.size + q->f.size)) ? 2 : 1; /* 2: nothing is known, either */
}

/* *time becomes the first instant from which on they may. Goes no deeper than HALVES. */
static int meets(const question *q, const stretch *at, int halves, double *time)
{
    const int answer = test_stretch(q, at);
    if (!answer)
        return 0;
    if (!halves || answer == 2) {
        *time = at->t[0];
        return 1;
    }
    stretch part = half(q->s, at, 0);
    if (meets(q, &part, halves - 1, time))
        return 1;
    part = half(q->s, at, 1);
    return meets(q, &part, halves - 1, time);
}

static int prims_test(const tree_sweep *s, const shape *e, const shape *f, const stretch *in,
                      double *time, tree_counts *counts)
{
    const question q = {s, *e, *f, LOOSE_PRIM, counts};
    return meets(&q, in, HALVES, time);
}

/* test_stretch() of two nodes. */
static int nodes_test(const tree_sweep *s, tree_pair at, const stretch *in, tree_counts *counts)
{
    const question q = {s, node_shape(s->duo.e, at.e, &s->e), node_shape(s->duo.f, at.f, &s->f),
                        LOOSE_NODE, counts};
    const int answer = test_stretch(&q, in);
    return answer == 1 && in->t[1] - in->t[0] < 1.5 / (1 << HALVES) ? 2 : answer;
}

/* ---- leaves */

static bv_points prim_points(const tree_source *from, uint32_t prim)
{
    return (bv_points){from->x, from->corner + (size_t)from->corners * prim, from->corners};
}

/* A primitive, and what is around it: a ball, which separates most, and a box, which is made when
 * it is needed. */
typedef struct item {
    uint32_t prim;
    int boxed;
    bv_sphere sphere;
    bv_obb obb;
    shape ball, box;
} item;

static void item_make(const tree_source *from, const body_way *w, uint32_t prim, item *out)
{
    const bv_points p = prim_points(from, prim);
    out->prim = prim;
    out->boxed = 0;
    bv_sphere_fit(&p, &out->sphere);
    out->ball = sphere_shape(&out->sphere, w);
}

static const shape *item_box(const tree_source *from, item *x)
{
    if (!x->boxed) {
        const bv_points p = prim_points(from, x->prim);
        bv_moments m = {0};
        bv_moments_add(&m, &p);
        bv_obb_fit(&p, &m, &x->obb);
        x->box = (shape){.obb = &x->obb, .size = x->ball.size, .far = x->ball.far};
        x->box.size += distance(x->obb.c, x->sphere.c); /* about its own middle */
        x->boxed = 1;
    }
    return &x->box;
}

typedef struct swept_to {
    const tree_sweep *of;
    tree_swept *sink;
    void *user;
    tree_counts *counts;
    int enough; /* what the sink has returned */
} swept_to;

static void items_meet(swept_to *to, const stretch *in, item *x, item *y)
{
    const tree_sweep *s = to->of;
    double time, later;
    if (prims_test(s, &x->ball, &y->ball, in, &time, to->counts) &&
        prims_test(s, item_box(s->from_e, x), item_box(s->from_f, y), in, &later, to->counts))
        to->enough = to->sink(to->user, x->prim, y->prim, later > time ? later : time);
}

#define STRIPE 32 /* items that are looked at together */

/* Items [first, last) of F's node with all of E's; of one node each pair once. */
static void stripe_meets(swept_to *to, tree_pair at, const stretch *in, uint32_t first,
                         uint32_t last)
{
    const tree_sweep *s = to->of;
    const tree *e = s->duo.e, *f = s->duo.f;
    const tree_node *n = e->node + at.e;
    const int self = tree_self(&s->duo, at);
    item one, other[STRIPE];
    for (uint32_t j = first; j < last; j++)
        item_make(s->from_f, &s->f, f->item[j].prim, other + (j - first));
    for (uint32_t i = n->begin; i < n->end && !to->enough && !tree_stops(e); i++) {
        item_make(s->from_e, &s->e, e->item[i].prim, &one);
        for (uint32_t j = self && i >= first ? i + 1 : first; j < last && !to->enough; j++)
            items_meet(to, in, &one, other + (j - first));
    }
}

static void leaves_meet(swept_to *to, tree_pair at, const stretch *in)
{
    const tree_node *f = to->of->duo.f->node + at.f;
    to->counts->leaf_pairs++;
    for (uint32_t j = f->begin, end; j < f->end && !to->enough; j = end) {
        end = f->end - j < STRIPE ? f->end : j + STRIPE;
        stripe_meets(to, at, in, j, end);
    }
}

/* ---- descent */

/* A pair of nodes on the way down, and a stretch of time in which it may meet, which is `halved`
 * before the nodes are divided. */
typedef struct swept_step {
    tree_step step;
    stretch in;
    int halved;
} swept_step;

/* The next half of a step, or pair of children. */
static swept_step step_next(const tree_sweep *s, swept_step *of)
{
    const tree_duo *d = &s->duo;
    const uint64_t i = of->step.next++;
    if (of->halved)
        return (swept_step){{of->step.at, 0}, half(s, &of->in, i > 0), 0};
    return (swept_step){{tree_step_at(d, of->step.at, i), 0}, of->in, 0};
}

/* Does the step have to be followed? A node with itself is not tested, nor are two of its children
 * twice. */
static int step_leads(const tree_sweep *s, const swept_step *from, swept_step *next,
                      tree_counts *counts)
{
    const tree_pair at = next->step.at;
    if (tree_self(&s->duo, at))
        return 1;
    if (tree_self(&s->duo, from->step.at) && at.f < at.e)
        return 0;
    const int answer = nodes_test(s, at, &next->in, counts);
    next->halved = answer == 1;
    return answer;
}

/* The stack has a step more than its depth, for the next one while it is tested. */
static int descend(swept_to *to, swept_step *stack, size_t depth)
{
    const tree_duo *d = &to->of->duo;
    while (depth && !to->enough && !tree_stops(d->e)) {
        swept_step *top = stack + depth - 1;
        const uint64_t count = top->halved ? 2 : tree_step_count(d, top->step.at);
        if (!count) {
            leaves_meet(to, top->step.at, &top->in);
        }
        if (top->step.next >= count) {
            depth--;
            continue;
        }
        top[1] = step_next(to->of, top);
        depth += step_leads(to->of, top, top + 1, to->counts) > 0;
    }
    return tree_look(d->e);
}

/* Each way round of both. Half a turn may go either way round, so both are tested: 2 x 2 where both
 * bodies make one. */
static int sweep_around(swept_to *to, tree_sweep *s, tree_pair roots, swept_step *stack)
{
    int err = IMP_OK;
    to->of = s;
    for (int around_e = 0; around_e <= s->e.either; around_e++, way_turn_back(&s->e))
        for (int around_f = 0; around_f <= s->f.either; around_f++, way_turn_back(&s->f)) {
            swept_step start = {{roots, 0}, stretch_of(s, 0, 1), 0};
            const swept_step before = start;
            if (!step_leads(s, &before, &start, to->counts))
                continue;
            stack[0] = start;
            TRY(descend(to, stack, 1));
        }
out:
    return err;
}

int tree_sweep_pairs(mem *m, const tree_sweep *s, tree_pair roots, tree_swept *sink, void *user,
                     tree_counts *counts)
{
    int err = IMP_OK;
    tree_sweep mine = *s;
    swept_to to = {.sink = sink, .user = user, .counts = counts};
    swept_step *stack = NULL;
    TRY(mem_alloc(m, (tree_stack(s->duo.e, s->duo.f) + HALVES + 2) * sizeof *stack, &stack));
    TRY(sweep_around(&to, &mine, roots, stack));
out:
    mem_free(m, stack);
    return err;
}

/* ---- ways */

void tree_way_box(const tree *t, uint32_t root, const body_way *way, float out[6])
{
    double box[6];
    way_box(way, node_shape(t, root, way).far, box);
    for (int k = 0; k < 3; k++) {
        out[k] = bv_below(box[k]);
        out[3 + k] = bv_above(box[3 + k]);
    }
}
