/* See tree_sweep.h. */
#include "tree_sweep.h"

#include "error.h"
#include "pose.h"
#include "tree_step.h"

#include <string.h>

#define HALVES 24 /* times that a stretch is halved at most */

/* In shares of the sizes of both: what volumes of nodes, and of primitives, are made larger by
 * until a stretch of time is not divided any more. Of nodes it is less work to divide whichever is
 * larger, the way or the node. */
#define LOOSE_NODE 0.5
#define LOOSE_PRIM 0.05

/* ---- a stretch of the way */

typedef struct stretch {
    double t[2];
    double turn_e[2][4], turn_f[2][4];
} stretch;

static stretch whole_way(const tree_sweep *s)
{
    stretch out = {.t = {0, 1}};
    memcpy(out.turn_e, s->e.turn, sizeof out.turn_e);
    memcpy(out.turn_f, s->f.turn, sizeof out.turn_f);
    return out;
}

/* Half way between two quaternions that are less than a right angle apart. */
static void halfway(double q[2][4], double out[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = q[0][i] + q[1][i];
        square += out[i] * out[i];
    }
    const double scale = 1 / sqrt(square);
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
}

/* The first half, or the second. */
static stretch half(const stretch *s, int second)
{
    stretch out = *s, whole = *s;
    out.t[!second] = (s->t[0] + s->t[1]) / 2;
    halfway(whole.turn_e, out.turn_e[!second]);
    halfway(whole.turn_f, out.turn_f[!second]);
    return out;
}

/* No less than the angle of a whole turn from one to the other: a quaternion's angle is half of it,
 * their distance twice the sine of a quarter, and up to pi / 4 an angle is no more than 1.1108
 * times its sine. */
static double angle(const double q[2][4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (q[1][i] - q[0][i]) * (q[1][i] - q[0][i]);
    return 2.2216 * sqrt(square);
}

/* ---- where F is for E, at an instant */

static void centre_at(const tree_way *w, double t, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = w->centre[0][k] + t * (w->centre[1][k] - w->centre[0][k]);
}

static bv_pose middle_pose(const tree_sweep *s, stretch *at)
{
    bv_pose p = {.slack = s->e.slack + s->f.slack};
    double q[4], turn_e[3][3], turn_f[3][3], e[3], f[3], way[3];
    const double t = (at->t[0] + at->t[1]) / 2;
    halfway(at->turn_e, q);
    pose_matrix(q, turn_e);
    halfway(at->turn_f, q);
    pose_matrix(q, turn_f);
    centre_at(&s->e, t, e);
    centre_at(&s->f, t, f);
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

static shape sphere_shape(const bv_sphere *s, const tree_way *w)
{
    return (shape){.sphere = s, .size = s->r, .far = distance(s->c, w->pivot) + s->r};
}

static shape node_shape(const tree *t, uint32_t node, const tree_way *w)
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

/* What tests of boxes err by grows with how far apart they are: beyond this the balls around them
 * are asked. */
#define FAR 256.0

static int balls_overlap(const shape *e, const shape *f, const bv_pose *p)
{
    bv_sphere x = {.r = e->size}, y = {.r = f->size};
    memcpy(x.c, shape_middle(e), sizeof x.c);
    memcpy(y.c, shape_middle(f), sizeof y.c);
    y = bv_sphere_posed(&y, p);
    return bv_spheres_overlap(&x, &y);
}

/* F's is put where the pose says, E's stays. */
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

/* How far any point of F may get, as E sees it, from the middle of a stretch to one of its ends.
 * E's turning carries along what is far from E's pivot, which what moves meanwhile may be. */
static double reach(const tree_sweep *s, const shape *f, const bv_pose *p, const stretch *at)
{
    double drift[3], middle[3];
    for (int k = 0; k < 3; k++)
        drift[k] = s->f.centre[1][k] - s->f.centre[0][k] - s->e.centre[1][k] + s->e.centre[0][k];
    const double time = (at->t[1] - at->t[0]) / 2;
    const double moved = time * sqrt(bv_dot(drift, drift)) + angle(at->turn_f) / 2 * f->far;
    bv_point_posed(shape_middle(f), p, middle);
    const double around = distance(middle, s->e.pivot) + f->size + moved;
    return (moved + angle(at->turn_e) / 2 * around) * (1 + 0x1p-40);
}

/* ---- may two shapes meet? */

typedef struct question {
    const tree_sweep *s;
    shape e, f;
    double loose;
    tree_counts *counts;
} question;

/* 0: not in this stretch; 1: perhaps; 2: perhaps, and shorter stretches would hardly tell more. */
static int asked(const question *q, stretch *at)
{
    bv_pose p = middle_pose(q->s, at);
    const double more = reach(q->s, &q->f, &p, at);
    p.slack += more;
    if (!shapes_overlap(&q->e, &q->f, &p, q->counts))
        return 0;
    return !(more > q->loose * (q->e.size + q->f.size)) ? 2 : 1; /* 2: nothing is known, either */
}

/* *time becomes the first instant from which on they may. Goes no deeper than HALVES. */
static int meets(const question *q, stretch *at, int halves, double *time)
{
    const int answer = asked(q, at);
    if (!answer)
        return 0;
    if (!halves || answer == 2) {
        *time = at->t[0];
        return 1;
    }
    stretch part = half(at, 0);
    if (meets(q, &part, halves - 1, time))
        return 1;
    part = half(at, 1);
    return meets(q, &part, halves - 1, time);
}

static int prims_ask(const tree_sweep *s, const shape *e, const shape *f, const stretch *in,
                     double *time, tree_counts *counts)
{
    const question q = {s, *e, *f, LOOSE_PRIM, counts};
    stretch at = *in;
    return meets(&q, &at, HALVES, time);
}

/* Of nodes, as asked(). */
static int nodes_ask(const tree_sweep *s, tree_pair at, stretch *in, tree_counts *counts)
{
    const question q = {s, node_shape(s->duo.e, at.e, &s->e), node_shape(s->duo.f, at.f, &s->f),
                        LOOSE_NODE, counts};
    const int answer = asked(&q, in);
    return answer == 1 && in->t[1] - in->t[0] < 1.5 / (1 << HALVES) ? 2 : answer;
}

/* ---- leaves */

static bv_points prim_points(const tree_source *from, uint32_t prim)
{
    return (bv_points){from->x, from->corner + (size_t)from->corners * prim, from->corners};
}

/* One ball in place of the other's box is enough to tell most apart. */
static void prim_box(const bv_points *p, const shape *round, bv_obb *box, shape *out)
{
    bv_moments m = {0};
    bv_moments_add(&m, p);
    bv_obb_fit(p, &m, box);
    *out = (shape){.obb = box, .size = round->size, .far = round->far};
    out->size += distance(box->c, round->sphere->c); /* about its own middle */
}

typedef struct swept_to {
    const tree_sweep *s;
    tree_swept *sink;
    void *user;
    tree_counts *counts;
    int enough; /* what the sink has returned */
} swept_to;

/* x, y: the balls of primitives a and b. */
static void prims_meet(swept_to *to, const stretch *in, const shape *x, const shape *y, uint32_t a,
                       uint32_t b)
{
    const tree_sweep *s = to->s;
    const bv_points p = prim_points(s->from_e, a), q = prim_points(s->from_f, b);
    double time, later;
    bv_obb box_e, box_f;
    shape e, f;
    if (!prims_ask(s, x, y, in, &time, to->counts))
        return;
    prim_box(&p, x, &box_e, &e);
    prim_box(&q, y, &box_f, &f);
    if (prims_ask(s, &e, &f, in, &later, to->counts))
        to->enough = to->sink(to->user, a, b, later > time ? later : time);
}

static void leaves_meet(swept_to *to, tree_pair at, const stretch *in)
{
    const tree_sweep *s = to->s;
    const tree *x = s->duo.e, *y = s->duo.f;
    const tree_node *e = x->node + at.e, *f = y->node + at.f;
    const int self = tree_self(&s->duo, at);
    to->counts->leaf_pairs++;
    for (uint32_t i = e->begin; i < e->end && !to->enough && !tree_stops(x); i++) {
        const bv_points p = prim_points(s->from_e, x->item[i].prim);
        bv_sphere one, other;
        bv_sphere_fit(&p, &one);
        const shape ball = sphere_shape(&one, &s->e);
        for (uint32_t j = self ? i + 1 : f->begin; j < f->end && !to->enough; j++) {
            const bv_points q = prim_points(s->from_f, y->item[j].prim);
            bv_sphere_fit(&q, &other);
            const shape second = sphere_shape(&other, &s->f);
            prims_meet(to, in, &ball, &second, x->item[i].prim, y->item[j].prim);
        }
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
static swept_step step_next(const tree_duo *d, swept_step *of)
{
    const uint64_t i = of->step.next++;
    if (of->halved)
        return (swept_step){{of->step.at, 0}, half(&of->in, i > 0), 0};
    return (swept_step){{tree_step_at(d, of->step.at, i), 0}, of->in, 0};
}

/* Is it to be followed? A node with itself is not asked, nor are two of its children twice. */
static int step_leads(const tree_sweep *s, const swept_step *from, swept_step *next,
                      tree_counts *counts)
{
    const tree_pair at = next->step.at;
    if (tree_self(&s->duo, at))
        return 1;
    if (tree_self(&s->duo, from->step.at) && at.f < at.e)
        return 0;
    const int answer = nodes_ask(s, at, &next->in, counts);
    next->halved = answer == 1;
    return answer;
}

static int descend(swept_to *to, swept_step *stack, size_t depth)
{
    const tree_duo *d = &to->s->duo;
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
        top[1] = step_next(d, top);
        depth += step_leads(to->s, top, top + 1, to->counts) > 0;
    }
    return tree_look(d->e);
}

/* The other way round, if that is as short. */
static void turn_back(tree_way *w)
{
    for (int k = 0; k < 4 && w->either; k++)
        w->turn[1][k] = -w->turn[1][k];
}

/* Each way round of both. */
static int sweep_around(swept_to *to, tree_sweep *s, tree_pair roots, swept_step *stack)
{
    int err = IMP_OK;
    to->s = s;
    for (int around_e = 0; around_e <= s->e.either; around_e++, turn_back(&s->e))
        for (int around_f = 0; around_f <= s->f.either; around_f++, turn_back(&s->f)) {
            swept_step start = {{roots, 0}, whole_way(s), 0};
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

tree_way tree_way_still(double slack)
{
    return (tree_way){.turn = {{1, 0, 0, 0}, {1, 0, 0, 0}}, .slack = slack};
}

void tree_way_box(const tree *t, uint32_t root, const tree_way *way, float out[6])
{
    const shape s = node_shape(t, root, way);
    const double wide = s.far + way->slack;
    for (int k = 0; k < 3; k++) {
        const double a = way->centre[0][k], b = way->centre[1][k];
        const double lo = a < b ? a : b, hi = a < b ? b : a;
        const double margin = wide * 0x1p-40 + (fabs(a) + fabs(b)) * 0x1p-40;
        out[k] = bv_below(lo - wide - margin);
        out[3 + k] = bv_above(hi + wide + margin);
    }
}
