/* See sweep.h. */
#include "sweep.h"

#include "error.h"
#include "prim.h"

#include <string.h>

/* ---- objects */

static const tree_set *named(const sweeping *w, uint32_t object, int32_t *name)
{
    uint32_t i;
    const tree_set *set = trees_set(w->s, object, &i);
    *name = set->object[i];
    return set;
}

int sweep_allowed(const sweeping *w, uint32_t a, uint32_t b)
{
    const options *opt = &w->in->c->opt;
    int32_t name_a, name_b;
    named(w, a, &name_a);
    named(w, b, &name_b);
    return objects_meet(opt->rules, opt->list, opt->listed, name_a, name_b);
}

/* The set's trees are in the order of their objects' names. */
static uint32_t number_in(const tree_set *s, int32_t name)
{
    return body_number(s->object, s->tree.trees, name);
}

uint32_t sweep_object(const sweeping *w, uint32_t prim)
{
    const imp_mesh *mesh = w->from->mesh;
    const int32_t name = mesh->object ? mesh->object[prim] : 0;
    const uint32_t soft = number_in(&w->s->soft, name);
    return soft != NO_BODY ? soft : w->s->soft.tree.trees + number_in(&w->s->rigid, name);
}

static uint32_t prims_of(const trees *s, uint32_t object)
{
    uint32_t i;
    const tree_set *set = trees_set(s, object, &i);
    return set->start[i + 1] - set->start[i];
}

/* ---- objects that come near each other */

/* One side of a pair of objects. A soft object that goes is a still hull of both its positions; a
 * rigid body is its tree and a way. */
static const tree *side(const sweeping *w, uint32_t object, uint32_t *root, body_way *way,
                        const tree_source **from)
{
    const uint32_t soft = w->s->soft.tree.trees;
    if (object >= soft) {
        *root = object - soft;
        *way = w->way[*root];
        *from = &w->bodies;
        return &w->s->rigid.tree;
    }
    const int goes = w->going[object] == GOES;
    *root = goes ? w->hulls.of[object] : object;
    *way = way_still(sweep_slack(w));
    *from = goes ? &w->hulls.from : &w->s->from;
    return goes ? &w->hulls.trees : &w->s->soft.tree;
}

/* Of the whole way, so that a pair of objects which never comes near is not swept at all. */
static int find_above(sweeping *w)
{
    int err = IMP_OK;
    const uint32_t n = trees_objects(w->s), start[2] = {0, n};
    const bv_pose here = bv_pose_still(sweep_slack(w));
    TRY(mem_alloc(w->in->c->mem, (size_t)6 * n * sizeof *w->root, &w->root));
    for (uint32_t i = 0; i < n; i++) {
        body_way way;
        uint32_t root;
        const tree_source *from;
        const tree *t = side(w, i, &root, &way, &from);
        if (i < w->s->soft.tree.trees)
            tree_root_box(t, root, &here, w->root + (size_t)6 * i);
        else
            tree_way_box(t, root, &way, w->root + (size_t)6 * i);
    }
    TRY(trees_over(w->in->c, w->root, 1, start, &w->above));
out:
    return err;
}

/* ---- pairs with something that moves */

static int take(void *user, uint32_t a, uint32_t b, double time)
{
    sweeping *w = user;
    if (!w->err && neighbours_allowed(w->rules, w->s->from.corner, a, b))
        w->err =
            swept_add(w->in->c->mem, &w->pairs, (swept_pair){a < b ? a : b, a < b ? b : a, time});
    return w->err;
}

/* Pairs that stills_find has: of two that stay, of a rigid body with itself. To find them again
 * would give some pairs twice. */
static int answered(const sweeping *w, uint32_t a, uint32_t b)
{
    return (w->going[a] != GOES && w->going[b] != GOES) || (a == b && a >= w->s->soft.tree.trees);
}

/* Two objects that have overlapping boxes of the whole way. */
static void meet(void *user, uint32_t a, uint32_t b)
{
    sweeping *w = user;
    /* As in broad_tree_pairs.c: E has more primitives. */
    const int swap = prims_of(w->s, b) > prims_of(w->s, a);
    tree_pair roots;
    tree_sweep s = {0};
    if (w->err || answered(w, a, b) || !sweep_allowed(w, a, b))
        return;
    s.duo.e = side(w, swap ? b : a, &roots.e, &s.e, &s.from_e);
    s.duo.f = side(w, swap ? a : b, &roots.f, &s.f, &s.from_f);
    /* An error of the sink, in w->err, is the first one. */
    const int err = tree_sweep_pairs(w->in->c->mem, &s, roots, take, w, &w->counts);
    w->err = w->err ? w->err : err;
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
    /* A pair may come from several stretches of the way; the earliest time stays. */
    swept_sort(&w->pairs);
out:
    mem_free(w->in->c->mem, stack);
    return err;
}

/* ---- all lists in one order */

/* The known and the found pairs, on their way to the sink: sorted lists without a common pair. */
enum { MOVING, AMONG, OWN, LISTS };

/* A body that stays has its own pairs among those of the frame. */
static void pass_over(swept_merge *m)
{
    const swept_pairs *own = m->list[OWN];
    while (m->at[OWN] < own->count &&
           m->w->going[sweep_object(m->w, own->pair[m->at[OWN]].a)] != GOES)
        m->at[OWN]++;
}

/* The next pair, or NULL. */
const swept_pair *sweep_next(swept_merge *m)
{
    int best = LISTS;
    const swept_pair *out = NULL;
    pass_over(m);
    for (int i = 0; i < LISTS; i++) {
        const swept_pair *p = m->list[i]->pair + m->at[i];
        if (m->at[i] < m->list[i]->count &&
            (!out || p->a < out->a || (p->a == out->a && p->b < out->b))) {
            out = p;
            best = i;
        }
    }
    if (out)
        m->at[best]++;
    return out;
}

swept_merge sweep_first(const sweeping *w)
{
    return (swept_merge){.w = w, .list = {&w->pairs, &w->still->among, &w->still->own}};
}

/* ---- all of it */

int sweep_open(sweeping *w, const broad_input *in, void *state, stills *still)
{
    w->in = in;
    w->from = in->view->frame;
    w->to = in->view->to;
    w->s = state;
    /* Kept by the caller from sweep to sweep; all else is of this one. */
    w->still = still;
    w->rules = broad_rules(in);
    return sweep_last(w);
}

/* The order matters: stills_find says which objects go, and only these get hulls. */
int sweep_find(sweeping *w)
{
    int err = IMP_OK;
    TRY(stills_find(w));
    TRY(sweep_hulls(w));
    TRY(find_above(w));
    TRY(find_pairs(w));
    tree_counts_add(&w->s->counts, &w->counts);
    trees_report(w->s, w->in->profile);
out:
    return err;
}

void sweep_close(sweeping *w)
{
    /* It was not opened: an earlier stage has failed. */
    if (!w->in)
        return;
    mem *m = w->in->c->mem;
    tree_free(m, &w->hulls.trees);
    tree_free(m, &w->above);
    mem_free(m, w->going);
    mem_free(m, w->hulls.of);
    mem_free(m, w->hulls.corner);
    mem_free(m, w->hulls.x);
    mem_free(m, w->root);
    mem_free(m, w->way);
    mem_free(m, w->pairs.pair);
}
