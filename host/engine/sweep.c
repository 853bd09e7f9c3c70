/* Swept queries: imp_sweep. Trees of rigid bodies are those that the method "tree" has; of other
 * objects such are made whose volumes contain both places of each vertex. */
#include "broad_tree.h"
#include "walk.h"

#include "error.h"
#include "pose.h"
#include "prim.h"
#include "tree_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair that was found. */
typedef struct swept_pair {
    uint32_t a, b;
    double time;
} swept_pair;

typedef struct sweeping {
    const broad_input *in;
    const imp_frame *to;
    trees *s;
    tree hulls;         /* of objects that are not rigid */
    tree_source both;   /* what they are made of: vertices of both frames */
    tree_source bodies; /* what rigid bodies are made of */
    uint32_t *corner;
    double *x;
    double most;   /* the greatest coordinate in the end, which may be more than BV_EXTENT */
    float *root;   /* [6 * objects] boxes of the whole way */
    tree_way *way; /* [rigid trees] */
    tree above;
    swept_pair *pair; /* [count] */
    size_t count, room;
    tree_counts counts;
    uint32_t rules;
    int err;
} sweeping;

/* ---- what there is */

static int check(const imp *p, const imp_frame *from, const imp_frame *to)
{
    const options *o = &p->context.opt;
    if (!o->trees || o->tree.volume == IMP_VOLUME_DOP)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_sweep: only trees of spheres, oriented boxes or "
                                          "both can be swept");
    if (!from || !to || from->mesh != to->mesh)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_sweep: two frames of one mesh are needed");
    if (from->mesh && from->mesh->bodies && !from->pose != !to->pose)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_sweep: only one of the frames has poses");
    return frames_check(p, from, 1) ? IMP_ERR_ARGUMENT : frames_check(p, to, 1);
}

/* Coordinates of the frame to go to, beside those of the first in its units. */
static int both_points(sweeping *w)
{
    int err = IMP_OK;
    const block *b = w->in->block;
    const units *u = &w->in->bounds->units;
    mem *m = w->in->c->mem;
    TRY(mem_alloc(m, (size_t)6 * b->verts * sizeof *w->x, &w->x));
    memcpy(w->x, w->s->x, (size_t)3 * b->verts * sizeof *w->x);
    for (size_t v = 0; v < b->verts; v++) {
        double x[DIMENSIONS];
        frame_vertex(w->to, v, x);
        for (size_t k = 0; k < DIMENSIONS; k++)
            w->x[3 * (b->verts + v) + k] = x[k] * u->scale[0] * u->scale[1] - u->centre[k];
    }
out:
    return err;
}

/* Those of primitives are finite; vertices that nothing uses may be anything. */
static int look_at_used(sweeping *w)
{
    const block *b = w->in->block;
    const imp_frame *f = w->to;
    for (uint32_t i = 0; i < b->prims; i++)
        for (uint32_t k = 0; k < mesh_own(f->mesh, i); k++) {
            const size_t v = mesh_vertex(f->mesh, i, k);
            double x[DIMENSIONS];
            frame_vertex(f, v, x);
            if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
                return imp_fail(IMP_ERR_INPUT, "frame %llu: vertex %zu is not finite",
                                (unsigned long long)f->number, v);
            for (size_t a = 0; a < DIMENSIONS; a++)
                w->most = fmax(w->most, fabs(w->x[3 * (b->verts + v) + a]));
        }
    return IMP_OK;
}

/* How far what is compared may lie from where it is: margins are for BV_EXTENT, and in the units of
 * the first frame the last one may be far from it. */
static double soft_slack(const sweeping *w)
{
    return BV_MARGIN + 0x1p-40 * w->most;
}

static int make_hulls(sweeping *w)
{
    int err = IMP_OK;
    trees *s = w->s;
    const block *b = w->in->block;
    mem *m = w->in->c->mem;
    const uint32_t corners = b->corners;
    tree_def def = s->soft.tree.def;
    TRY(mem_alloc(m, (size_t)2 * corners * b->prims * sizeof *w->corner, &w->corner));
    for (size_t i = 0; i < b->prims; i++)
        for (size_t k = 0; k < corners; k++) {
            const uint32_t v = s->from.corner[corners * i + k];
            w->corner[(size_t)2 * corners * i + k] = v;
            w->corner[(size_t)2 * corners * i + corners + k] = b->verts + v;
        }
    w->both = s->from;
    w->both.corner = w->corner;
    w->both.corners = 2 * corners;
    w->both.x = w->x;
    if (s->soft.tree.trees)
        TRY(tree_make(m, &def, &w->both, s->soft.tree.trees, s->soft.start, s->soft.prim,
                      &w->hulls));
out:
    return err;
}

/* ---- ways of rigid bodies */

/* Of two quaternions with a dot product so small the shorter arc cannot be told: it is half a turn.
 */
#define HALF_TURN 0x1p-45

static tree_way way_of(const sweeping *w, uint32_t i)
{
    const tree_bodies *b = &w->s->bodies;
    const double *scale = b->scale, *middle = b->middle + (size_t)3 * i;
    const imp_pose *pose[2] = {w->in->block->frame->pose + b->body[i], w->to->pose + b->body[i]};
    tree_way out = {.slack = b->place[i].slack};
    double dot = 0, size[2];
    for (int e = 0; e < 2; e++)
        size[e] = sqrt(pose_square(pose[e]->rotation));
    for (int k = 0; k < 4; k++)
        dot += pose[0]->rotation[k] * pose[1]->rotation[k];
    out.either = fabs(dot) < HALF_TURN;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 4; k++)
            out.turn[e][k] = (e && dot < 0 ? -1 : 1) * pose[e]->rotation[k] / size[e];
    for (int k = 0; k < 3; k++) {
        out.pivot[k] = -middle[k] * scale[0] * scale[1];
        for (int e = 0; e < 2; e++)
            out.centre[e][k] =
                pose[e]->centre[k] * scale[0] * scale[1] - w->in->bounds->units.centre[k];
    }
    /* points of the last frame may lie that far from its pose, and all this is rounded */
    out.slack +=
        POSE_ROUNDED * pose_tolerance(pose[1], b->radius[i], w->to->type) * scale[0] * scale[1];
    out.slack += 0x1p-44 * (w->most + b->radius[i] * scale[0] * scale[1]);
    for (int k = 0; k < 3; k++)
        out.slack +=
            0x1p-44 * (fabs(out.pivot[k]) + fabs(out.centre[0][k]) + fabs(out.centre[1][k]));
    return out;
}

static int find_ways(sweeping *w)
{
    int err = IMP_OK;
    const trees *s = w->s;
    const uint32_t n = s->rigid.tree.trees;
    TRY(mem_alloc(w->in->c->mem, n * sizeof *w->way, &w->way));
    for (uint32_t i = 0; i < n; i++) {
        const imp_pose *pose = w->to->pose + s->bodies.body[i];
        if (!pose_valid(pose))
            FAIL(IMP_ERR_ARGUMENT, "frame %llu: body %d has no valid pose",
                 (unsigned long long)w->to->number, s->rigid.object[i]);
        w->way[i] = way_of(w, i);
    }
    w->bodies = s->from;
    w->bodies.x = s->bodies.x;
out:
    return err;
}

/* Do the points lie where the last poses put them? */
static int last_check(const sweeping *w)
{
    const trees *s = w->s;
    const imp_frame *f = w->to;
    for (size_t i = 0; i < s->bodies.runs; i++) {
        const tree_run *run = s->bodies.run + i;
        const imp_pose *pose = f->pose + s->bodies.body[run->tree];
        const pose_map map = pose_map_of(pose);
        const double most =
            POSE_ROUNDED * pose_tolerance(pose, s->bodies.radius[run->tree], f->type);
        for (uint32_t v = run->first; v < run->last; v++) {
            double is[DIMENSIONS], off[DIMENSIONS];
            frame_vertex(f, v, is);
            pose_off(&map, f->mesh->rest + (size_t)3 * v, is, off);
            if (!pose_within(off, most))
                return imp_fail(IMP_ERR_ARGUMENT,
                                "frame %llu: body %d: vertex %u lies not where the body's pose "
                                "puts it",
                                (unsigned long long)f->number, s->rigid.object[run->tree], v);
        }
    }
    return IMP_OK;
}

/* ---- which objects come near each other */

static int find_above(sweeping *w)
{
    int err = IMP_OK;
    const trees *s = w->s;
    const uint32_t soft = s->soft.tree.trees, n = trees_objects(s), start[2] = {0, n};
    const bv_pose here = bv_pose_still(soft_slack(w));
    TRY(mem_alloc(w->in->c->mem, (size_t)6 * n * sizeof *w->root, &w->root));
    for (uint32_t i = 0; i < n; i++)
        if (i < soft)
            tree_root_box(&w->hulls, i, &here, w->root + (size_t)6 * i);
        else
            tree_way_box(&s->rigid.tree, i - soft, w->way + i - soft, w->root + (size_t)6 * i);
    TRY(trees_over(w->in->c, w->root, 1, start, &w->above));
out:
    return err;
}

/* ---- pairs */

static int take(void *user, uint32_t a, uint32_t b, double time)
{
    sweeping *w = user;
    if (w->err || !neighbours_allowed(w->rules, w->s->from.corner, a, b))
        return w->err;
    if (w->count == w->room) {
        const size_t more = w->room + w->room / 2 + 1024;
        w->err =
            mem_grow(w->in->c->mem, w->count * sizeof *w->pair, more * sizeof *w->pair, &w->pair);
        if (w->err)
            return w->err;
        w->room = more;
    }
    w->pair[w->count++] = (swept_pair){a < b ? a : b, a < b ? b : a, time};
    return IMP_OK;
}

static uint32_t prims_of(const trees *s, uint32_t object, int32_t *name)
{
    uint32_t i;
    const tree_set *set = trees_set(s, object, &i);
    *name = set->object[i];
    return set->start[i + 1] - set->start[i];
}

/* The side of a pair that an object is. */
static const tree *side(const sweeping *w, uint32_t object, uint32_t *root, tree_way *way,
                        const tree_source **from)
{
    const uint32_t soft = w->s->soft.tree.trees;
    *root = object < soft ? object : object - soft;
    *way = object < soft ? tree_way_still(soft_slack(w)) : w->way[*root];
    *from = object < soft ? &w->both : &w->bodies;
    return object < soft ? &w->hulls : &w->s->rigid.tree;
}

/* Two objects whose boxes of the whole way overlap; of one object, which does not move as it sees
 * itself, but for how far its points lie from where poses put them. */
static void meet(void *user, uint32_t a, uint32_t b)
{
    sweeping *w = user;
    const options *opt = &w->in->c->opt;
    int32_t name_a, name_b;
    const uint32_t more_a = prims_of(w->s, a, &name_a), more_b = prims_of(w->s, b, &name_b);
    const uint32_t e = more_b > more_a ? b : a, f = more_b > more_a ? a : b;
    tree_pair roots;
    tree_sweep s = {0};
    if (w->err || !objects_meet(opt->rules, opt->list, opt->listed, name_a, name_b))
        return;
    s.duo.e = side(w, e, &roots.e, &s.e, &s.from_e);
    s.duo.f = side(w, f, &roots.f, &s.f, &s.from_f);
    if (a == b)
        s.e = s.f = tree_way_still(s.e.slack);
    const int err = tree_sweep_pairs(w->in->c->mem, &s, roots, take, w, &w->counts);
    w->err = w->err ? w->err : err;
}

static int pair_order(const void *x, const void *y)
{
    const swept_pair *p = x, *q = y;
    if (p->a != q->a || p->b != q->b)
        return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
    return (p->time > q->time) - (p->time < q->time);
}

/* Of each pair the earliest alone. */
static void pairs_once(sweeping *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->count; i++)
        if (!n || w->pair[n - 1].a != w->pair[i].a || w->pair[n - 1].b != w->pair[i].b)
            w->pair[n++] = w->pair[i];
    w->count = n;
}

static int find_pairs(sweeping *w)
{
    int err = IMP_OK;
    const tree_duo duo = {&w->above, &w->above, NULL};
    tree_step *stack = NULL;
    tree_counts counts = {0};
    TRY(mem_alloc(w->in->c->mem, tree_stack(duo.e, duo.f) * sizeof *stack, &stack));
    for (uint32_t i = 0; i < trees_objects(w->s); i++)
        meet(w, i, i);
    if (trees_objects(w->s))
        tree_descend(&duo, (tree_pair){0, 0}, stack, meet, w, &counts);
    TRY(w->err);
    if (w->count)
        qsort(w->pair, w->count, sizeof *w->pair, pair_order);
    pairs_once(w);
out:
    mem_free(w->in->c->mem, stack);
    return err;
}

#define PIECE 4096 /* pairs that the sink gets at a time */

static int hand_out(const sweeping *w, imp_swept_sink *sink, void *user)
{
    uint32_t a[PIECE], b[PIECE];
    double time[PIECE];
    for (size_t done = 0; sink && done < w->count; done += PIECE) {
        const size_t n = w->count - done < PIECE ? w->count - done : PIECE;
        for (size_t i = 0; i < n; i++) {
            a[i] = w->pair[done + i].a;
            b[i] = w->pair[done + i].b;
            time[i] = w->pair[done + i].time;
        }
        const unsigned long texts = error_texts();
        const int stop = sink(user, &(imp_swept){n, a, b, time});
        if (stop && texts == error_texts())
            imp_fail(stop, "frame %llu: the caller's sink stopped the sweep with %d",
                     (unsigned long long)w->to->number, stop);
        if (stop)
            return stop;
    }
    return IMP_OK;
}

/* ---- all of it */

static int sweep_block(sweeping *w, imp_swept_sink *sink, void *user)
{
    int err = IMP_OK;
    TRY(both_points(w));
    TRY(look_at_used(w));
    TRY(make_hulls(w));
    if (w->s->rigid.tree.trees) {
        TRY(find_ways(w));
        TRY(last_check(w));
    }
    TRY(find_above(w));
    TRY(find_pairs(w));
    err = hand_out(w, sink, user);
out:
    return err;
}

static void sweeping_free(sweeping *w, mem *m)
{
    tree_free(m, &w->hulls);
    tree_free(m, &w->above);
    mem_free(m, w->corner);
    mem_free(m, w->x);
    mem_free(m, w->root);
    mem_free(m, w->way);
    mem_free(m, w->pair);
}

/* On the device that there is: it is waited for, whatever happens. */
static int sweep_frames(imp *p, const imp_frame *from, const imp_frame *to, imp_swept_sink *sink,
                        void *user, uint64_t *count)
{
    int err = IMP_OK;
    sweeping w = {0};
    context c = p->context;
    rooms *r = &p->rooms;
    c.opt.on_bad = IMP_BAD_ERROR;
    TRY(block_open(&p->mem, from, 1, &r->block));
    keep_look(&c, &r->keep, &r->block, 0);
    TRY(bound(&c, &r->block, from, &r->bounds));
    TRY(device_finish(c.dev));
    const broad_input in = {
        .c = &c, .block = &r->block, .bounds = &r->bounds, .mesh = r->keep.number};
    TRY(broad_build(&r->broad, &in, NULL));
    w.in = &in;
    w.to = to;
    w.s = broad_state(&r->broad);
    w.rules = broad_rules(&in);
    err = sweep_block(&w, sink, user);
    tree_counts_add(&w.s->counts, &w.counts);
    broad_tell(&r->broad);
    if (count)
        *count = w.count;
out:
    err = err ? walk_wait_out(&c, err) : err;
    sweeping_free(&w, &p->mem);
    block_close(&p->mem, &p->rooms.block);
    return err;
}

int imp_sweep(imp *p, const imp_frame *from, const imp_frame *to, imp_swept_sink *sink, void *user,
              uint64_t *count)
{
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_sweep: the pipeline is NULL");
    int err = check(p, from, to);
    err = err ? err : sweep_frames(p, from, to, sink, user, count);
    if (err == IMP_ERR_DEVICE && strcmp(p->name, "cpu")) { /* before the sink was told anything */
        err = walk_fall_back(p);
        err = err ? err : sweep_frames(p, from, to, sink, user, count);
    }
    if (err == IMP_ERR_CANCELLED)
        atomic_store(&p->cancel, 0);
    return err;
}
