/* See tree.h: which pairs of nodes are asked, and in what order. */
#include "tree.h"

#include "error.h"
#include "prim.h"

/* ---- do two nodes overlap? */

/* Of a hybrid tree a node has the volume of its level: spheres are above. */
static int is_sphere(const tree *t, uint32_t node)
{
    return node < t->level0[t->def.hybrid_level < t->levels ? t->def.hybrid_level : t->levels];
}

static int hybrid_overlap(const tree *t, uint32_t a, uint32_t b, tree_counts *c)
{
    int round_a = is_sphere(t, a), round_b = is_sphere(t, b);
    if (round_a && round_b)
        return bv_spheres_overlap(t->sphere + a, t->sphere + b);
    c->obb_tests++;
    if (round_a || round_b)
        return bv_sphere_obb_overlap(t->sphere + (round_a ? a : b), t->obb + (round_a ? b : a),
                                     &c->axes);
    return bv_obbs_overlap(t->obb + a, t->obb + b, &c->axes);
}

/* volume: that of all trees, as a constant where this is inlined. */
static inline int nodes_overlap(const tree *t, int volume, uint32_t a, uint32_t b, tree_counts *c)
{
    c->volume_tests++;
    switch (volume) {
    case IMP_VOLUME_DOP:
        return bv_dops_overlap(t->dop + (size_t)t->words * a, t->dop + (size_t)t->words * b,
                               t->def.extra);
    case IMP_VOLUME_SPHERE:
        return bv_spheres_overlap(t->sphere + a, t->sphere + b);
    case IMP_VOLUME_OBB:
        c->obb_tests++;
        return bv_obbs_overlap(t->obb + a, t->obb + b, &c->axes);
    default:
        return hybrid_overlap(t, a, b, c);
    }
}

/* ---- a step: the pairs of children of a pair, by number */

/* Numbers there are; 0: neither is divided. */
static uint64_t step_count(const tree *t, tree_pair at)
{
    uint64_t e = t->node[at.e].children, f = t->node[at.f].children;
    if (at.e == at.f)
        return e * e;
    switch (t->def.descent) {
    case IMP_DESCENT_SIMULTANEOUS:
        return e && f ? e * f : e + f;
    case TREE_DESCENT_ACTIVE_FIRST:
        return f ? f : e;
    default:
        return e ? e : f;
    }
}

/* Number i of them. */
static tree_pair step_at(const tree *t, tree_pair at, uint64_t i)
{
    const tree_node *e = t->node + at.e, *f = t->node + at.f;
    if (at.e == at.f || (t->def.descent == IMP_DESCENT_SIMULTANEOUS && e->children && f->children))
        return (tree_pair){e->child + (uint32_t)(i / f->children),
                           f->child + (uint32_t)(i % f->children)};
    if (t->def.descent == TREE_DESCENT_ACTIVE_FIRST ? !f->children : e->children != 0)
        return (tree_pair){e->child + (uint32_t)i, at.f};
    return (tree_pair){at.e, f->child + (uint32_t)i};
}

/* Is it to be followed? Within a node each child is asked with itself and with those after it. */
static inline int step_leads(const tree *t, int volume, tree_pair from, tree_pair next,
                             tree_counts *c)
{
    if (from.e == from.f && next.f <= next.e)
        return next.e == next.f;
    return nodes_overlap(t, volume, next.e, next.f, c);
}

/* ---- leaves */

static int items_overlap(const tree *t, uint32_t i, uint32_t j)
{
    return bv_boxes_overlap(t->item[i].box, t->item[j].box) &&
           slabs_overlap(t->slab, t->def.extra, i, j);
}

#define STRIPE 64 /* items of a leaf that are looked at together */

/* Those of [begin, end) that overlap the box, which most do not; returns how many. */
static uint32_t near_box(const tree *t, const float *box, uint32_t begin, uint32_t end,
                         uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = begin; i < end; i++) {
        out[n] = i;
        n += (uint32_t)bv_boxes_overlap(t->item[i].box, box);
    }
    return n;
}

/* The box of all items of a leaf. */
static const float *leaf_box(const tree *t, uint32_t node, float *room)
{
    if (t->dop)
        return t->dop + (size_t)t->words * node;
    bv_dop_none(room, 0);
    for (uint32_t i = t->node[node].begin; i < t->node[node].end; i++)
        bv_dop_join(room, t->item[i].box, 0);
    return room;
}

static void leaf_within(const tree *t, const tree_node *n, tree_sink *sink, void *user)
{
    for (uint32_t i = n->begin; i < n->end; i++)
        for (uint32_t j = i + 1; j < n->end; j++)
            if (items_overlap(t, i, j))
                sink(user, t->item[i].prim, t->item[j].prim);
}

/* Of each leaf only those items are compared that overlap the other's box. */
static void leaves(const tree *t, tree_pair at, tree_sink *sink, void *user)
{
    const tree_node *e = t->node + at.e, *f = t->node + at.f;
    uint32_t near_e[STRIPE], near_f[STRIPE];
    float room_e[6], room_f[6];
    if (at.e == at.f) {
        leaf_within(t, e, sink, user);
        return;
    }
    const float *box_e = leaf_box(t, at.e, room_e), *box_f = leaf_box(t, at.f, room_f);
    for (uint32_t i = e->begin, end; i < e->end; i = end) {
        end = e->end - i < STRIPE ? e->end : i + STRIPE;
        uint32_t count_e = near_box(t, box_f, i, end, near_e);
        for (uint32_t j = f->begin, last; count_e && j < f->end; j = last) {
            last = f->end - j < STRIPE ? f->end : j + STRIPE;
            uint32_t count_f = near_box(t, box_e, j, last, near_f);
            for (uint32_t x = 0; x < count_e; x++)
                for (uint32_t y = 0; y < count_f; y++)
                    if (items_overlap(t, near_e[x], near_f[y]))
                        sink(user, t->item[near_e[x]].prim, t->item[near_f[y]].prim);
        }
    }
}

/* ---- the front */

#define LOOK 65536 /* pairs of children, after which to look whether to stop */

int tree_overlap(const tree *t, tree_pair at, tree_counts *counts)
{
    return nodes_overlap(t, t->def.volume, at.e, at.f, counts);
}

int tree_front_add(mem *m, tree_front *f, tree_pair pair)
{
    int err = IMP_OK;
    if (f->count == f->capacity) {
        size_t more = f->capacity + f->capacity / 2 + 64;
        TRY(mem_grow(m, f->count * sizeof *f->pair, more * sizeof *f->pair, &f->pair));
        f->capacity = more;
    }
    f->pair[f->count++] = pair;
out:
    return err;
}

/* A step from each pair; *divided: that there was one to divide. */
static int front_step(mem *m, const tree *t, const tree_front *f, tree_front *out, int *divided,
                      tree_counts *counts)
{
    int err = IMP_OK;
    *divided = 0;
    for (size_t i = 0; i < f->count; i++) {
        uint64_t count = step_count(t, f->pair[i]);
        if (!count)
            TRY(tree_front_add(m, out, f->pair[i]));
        for (uint64_t k = 0; k < count; k++) {
            tree_pair next = step_at(t, f->pair[i], k);
            if (k % LOOK == 0)
                TRY(tree_look(t));
            if (step_leads(t, t->def.volume, f->pair[i], next, counts))
                TRY(tree_front_add(m, out, next));
        }
        *divided |= count > 0;
    }
out:
    return err;
}

int tree_front_widen(mem *m, const tree *t, tree_front *f, size_t enough, tree_counts *counts)
{
    int err = IMP_OK, divided = 1;
    tree_front next = {0};
    while (divided && f->count < enough) {
        next.count = 0;
        TRY(front_step(m, t, f, &next, &divided, counts));
        tree_front other = *f;
        *f = next;
        next = other;
    }
out:
    tree_front_free(m, &next);
    return err;
}

void tree_front_free(mem *m, tree_front *f)
{
    mem_free(m, f->pair);
    *f = (tree_front){0};
}

/* ---- descent */

size_t tree_stack(const tree *t)
{
    return (size_t)2 * t->levels + 2;
}

static inline void descend(const tree *t, int volume, tree_pair from, tree_step *stack,
                           tree_sink *sink, void *user, tree_counts *counts)
{
    size_t depth = 1;
    stack[0] = (tree_step){from, 0};
    while (depth) {
        tree_step *top = stack + depth - 1;
        uint64_t count = step_count(t, top->at);
        if (!count) {
            counts->leaf_pairs++;
            leaves(t, top->at, sink, user);
        }
        if (top->next >= count) {
            depth--;
            continue;
        }
        tree_pair next = step_at(t, top->at, top->next++);
        if (step_leads(t, volume, top->at, next, counts))
            stack[depth++] = (tree_step){next, 0};
    }
}

void tree_descend(const tree *t, tree_pair from, tree_step *stack, tree_sink *sink, void *user,
                  tree_counts *counts)
{
    switch (t->def.volume) {
    case IMP_VOLUME_DOP:
        descend(t, IMP_VOLUME_DOP, from, stack, sink, user, counts);
        return;
    case IMP_VOLUME_SPHERE:
        descend(t, IMP_VOLUME_SPHERE, from, stack, sink, user, counts);
        return;
    case IMP_VOLUME_OBB:
        descend(t, IMP_VOLUME_OBB, from, stack, sink, user, counts);
        return;
    default:
        descend(t, IMP_VOLUME_HYBRID, from, stack, sink, user, counts);
        return;
    }
}
