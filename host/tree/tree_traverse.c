/* See tree.h: selects the pairs of nodes to test, and their order. */
#include "tree.h"

#include "error.h"

/* ---- overlap of two nodes */

/* The last tested node of F in E's coordinates: descents stay with one node for some time. */
typedef struct posed {
    uint32_t node;
    bv_sphere sphere;
    bv_obb obb;
} posed;

#define NO_NODE UINT32_MAX
#define NOTHING_POSED                                                                              \
    {                                                                                              \
        .node = NO_NODE                                                                            \
    }

static inline void pose_node(const tree_duo *d, int sphere, uint32_t node, posed *p)
{
    if (p->node == node)
        return;
    p->node = node;
    if (sphere)
        p->sphere = bv_sphere_posed(d->f->sphere + node, d->pose);
    else
        p->obb = bv_obb_posed(d->f->obb + node, d->pose);
}

/* p: NULL if the coordinates are the same. */
static inline const bv_sphere *sphere_of(const tree_duo *d, uint32_t node, posed *p)
{
    if (!p)
        return d->f->sphere + node;
    pose_node(d, 1, node, p);
    return &p->sphere;
}

static inline const bv_obb *obb_of(const tree_duo *d, uint32_t node, posed *p)
{
    if (!p)
        return d->f->obb + node;
    pose_node(d, 0, node, p);
    return &p->obb;
}

/* Each node has one volume; on different levels a sphere may be tested against a box. */
static int traverse_hybrid_overlap(const tree_duo *d, tree_pair at, posed *p, tree_counts *c)
{
    int round_e = tree_node_is_sphere(d->e, at.e), round_f = tree_node_is_sphere(d->f, at.f);
    if (round_e && round_f)
        return bv_spheres_overlap(d->e->sphere + at.e, sphere_of(d, at.f, p));
    c->obb_tests++;
    if (round_e)
        return bv_sphere_obb_overlap(d->e->sphere + at.e, obb_of(d, at.f, p), &c->axes);
    if (round_f)
        return bv_sphere_obb_overlap(sphere_of(d, at.f, p), d->e->obb + at.e, &c->axes);
    return bv_obbs_overlap(d->e->obb + at.e, obb_of(d, at.f, p), &c->axes);
}

/* ---- any two nodes */

/* volume: the type of both trees' volumes, a constant where this is inlined. */
static inline int traverse_nodes_overlap(const tree_duo *d, int volume, tree_pair at, posed *p,
                                         tree_counts *c)
{
    const tree *e = d->e, *f = d->f;
    c->volume_tests++;
    switch (volume) {
    case IMP_VOLUME_DOP:
        return bv_dops_overlap(e->dop + (size_t)e->words * at.e, f->dop + (size_t)f->words * at.f,
                               e->def.extra);
    case IMP_VOLUME_SPHERE:
        return bv_spheres_overlap(e->sphere + at.e, sphere_of(d, at.f, p));
    case IMP_VOLUME_OBB:
        c->obb_tests++;
        return bv_obbs_overlap(e->obb + at.e, obb_of(d, at.f, p), &c->axes);
    default:
        return traverse_hybrid_overlap(d, at, p, c);
    }
}

int tree_overlap(const tree_duo *d, tree_pair at, tree_counts *counts)
{
    posed p = NOTHING_POSED;
    return traverse_nodes_overlap(d, d->e->def.volume, at, d->pose ? &p : NULL, counts);
}

/* Returns whether the step must be followed. Within a node, each child is tested with itself and
 * with later ones. */
static inline int traverse_enters(const tree_duo *d, int volume, tree_pair from, tree_pair next,
                                  posed *p, tree_counts *c)
{
    if (tree_pair_is_self(d, from) && next.f <= next.e)
        return next.e == next.f;
    return traverse_nodes_overlap(d, volume, next, p, c);
}

/* ---- leaves */

/* Along the axes besides the box's. */
static inline int traverse_slabs_overlap(const tree_duo *d, uint32_t i, uint32_t j)
{
    const uint32_t extra = d->e->def.extra;
    return !extra || bv_slabs_overlap(d->e->slab + (size_t)2 * extra * i,
                                      d->f->slab + (size_t)2 * extra * j, extra);
}

static inline int traverse_items_overlap(const tree_duo *d, uint32_t i, uint32_t j)
{
    return bv_boxes_overlap(d->e->item[i].box, d->f->item[j].box) &&
           traverse_slabs_overlap(d, i, j);
}

#define LEAF_CHUNK 64 /* items of a leaf that are compared together */

/* Lists the items in [begin, end) that overlap the box; returns their number. Most do not, and are
 * compared no further. */
static uint32_t traverse_list_near(const tree *t, const float *box, uint32_t begin, uint32_t end,
                                   uint32_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = begin; i < end; i++) {
        out[n] = i;
        n += (uint32_t)bv_boxes_overlap(t->item[i].box, box);
    }
    return n;
}

/* The same with their bounds side by side, for vector lanes. */
typedef struct leaf_chunk {
    float lo[3][LEAF_CHUNK], hi[3][LEAF_CHUNK];
    uint32_t item[LEAF_CHUNK], count;
} leaf_chunk;

static void leaf_chunk_fill(const tree *t, const float *box, uint32_t begin, uint32_t end,
                            leaf_chunk *out)
{
    out->count = traverse_list_near(t, box, begin, end, out->item);
    for (uint32_t i = 0; i < out->count; i++)
        for (int k = 0; k < 3; k++) {
            out->lo[k][i] = t->item[out->item[i]].box[k];
            out->hi[k][i] = t->item[out->item[i]].box[3 + k];
        }
}

/* Lists the items of the chunk that overlap a box; returns their number. */
static uint32_t leaf_chunk_overlap(const leaf_chunk *s, const float *box, uint32_t *out)
{
    int32_t overlapping[LEAF_CHUNK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        overlapping[i] = (box[0] <= s->hi[0][i]) & (s->lo[0][i] <= box[3]) &
                         (box[1] <= s->hi[1][i]) & (s->lo[1][i] <= box[4]) &
                         (box[2] <= s->hi[2][i]) & (s->lo[2][i] <= box[5]);
    for (uint32_t i = 0; i < s->count; i++) {
        out[n] = s->item[i];
        n += (uint32_t)overlapping[i];
    }
    return n;
}

/* The box of all items of a leaf. Leaves with other volumes have none: those may be rotated, or
 * round. */
static const float *traverse_leaf_box(const tree *t, uint32_t node, float *buffer)
{
    if (t->dop)
        return t->dop + (size_t)t->words * node;
    bv_dop_none(buffer, 0);
    for (uint32_t i = t->node[node].begin; i < t->node[node].end; i++)
        bv_dop_join(buffer, t->item[i].box, 0);
    return buffer;
}

/* Pairs within one leaf: the other side's box would exclude none. */
static void traverse_leaf(const tree_duo *d, const tree_node *n, tree_sink *sink, void *user)
{
    for (uint32_t i = n->begin; i < n->end && !tree_is_cancelled(d->e); i++)
        for (uint32_t j = i + 1; j < n->end; j++)
            if (traverse_items_overlap(d, i, j))
                sink(user, d->e->item[i].prim, d->e->item[j].prim);
}

/* Compares only items that overlap the other leaf's box. */
static void traverse_leaves(const tree_duo *d, tree_pair at, tree_sink *sink, void *user)
{
    const tree_node *e = d->e->node + at.e, *f = d->f->node + at.f;
    uint32_t near_e[LEAF_CHUNK], overlapping[LEAF_CHUNK] = {0};
    float buffer_e[6], buffer_f[6];
    leaf_chunk near_f;
    if (tree_pair_is_self(d, at)) {
        traverse_leaf(d, e, sink, user);
        return;
    }
    const float *box_e = traverse_leaf_box(d->e, at.e, buffer_e),
                *box_f = traverse_leaf_box(d->f, at.f, buffer_f);
    for (uint32_t i = e->begin, end; i < e->end; i = end) {
        end = e->end - i < LEAF_CHUNK ? e->end : i + LEAF_CHUNK;
        uint32_t count = traverse_list_near(d->e, box_f, i, end, near_e);
        for (uint32_t j = f->begin, last; count && j < f->end && !tree_is_cancelled(d->e);
             j = last) {
            last = f->end - j < LEAF_CHUNK ? f->end : j + LEAF_CHUNK;
            leaf_chunk_fill(d->f, box_e, j, last, &near_f);
            for (uint32_t x = 0; x < count; x++) {
                const tree_item *one = d->e->item + near_e[x];
                const uint32_t overlaps = leaf_chunk_overlap(&near_f, one->box, overlapping);
                for (uint32_t y = 0; y < overlaps; y++)
                    if (traverse_slabs_overlap(d, near_e[x], overlapping[y]))
                        sink(user, one->prim, d->f->item[overlapping[y]].prim);
            }
        }
    }
}

/* ---- the front */

#define CANCEL_PERIOD 65536 /* pairs of children between checks for a stop */

/* Grows by half, so that adding is amortised O(1). */
int tree_front_add(mem *m, tree_front *f, tree_start start)
{
    int err = IMP_OK;
    if (f->count == f->capacity) {
        size_t more = f->capacity + f->capacity / 2 + 64;
        TRY(mem_grow(m, f->count * sizeof *f->start, more * sizeof *f->start, &f->start));
        f->capacity = more;
    }
    f->start[f->count++] = start;
out:
    return err;
}

/* Number of primitives of a pair, as an estimate of its work, which is not known before. */
static uint64_t front_pair_weight(const tree_duo *duo, const tree_start *s)
{
    const tree_node *e = duo[s->duo].e->node + s->at.e, *f = duo[s->duo].f->node + s->at.f;
    return (uint64_t)(e->end - e->begin) + (f->end - f->begin);
}

/* Makes one step from each pair of more than `light` primitives; *divided: any pair was divided. */
static int front_divide_pairs(mem *m, const tree_duo *duo, const tree_front *f, uint64_t light,
                              tree_front *out, int *divided, tree_counts *counts)
{
    int err = IMP_OK;
    *divided = 0;
    for (size_t i = 0; i < f->count; i++) {
        const tree_start *from = f->start + i;
        const tree_duo *d = duo + from->duo;
        uint64_t count = front_pair_weight(duo, from) > light ? tree_child_pairs(d, from->at) : 0;
        const int volume = d->e->def.volume;
        posed p = NOTHING_POSED;
        if (!count)
            TRY(tree_front_add(m, out, *from));
        for (uint64_t k = 0; k < count; k++) {
            tree_pair next = tree_child_pair(d, from->at, k);
            if (k % CANCEL_PERIOD == 0)
                TRY(tree_check_cancel(d->e));
            if (traverse_enters(d, volume, from->at, next, d->pose ? &p : NULL, counts))
                TRY(tree_front_add(m, out, (tree_start){from->duo, next}));
        }
        *divided |= count > 0;
    }
out:
    return err;
}

#define SHARES 64  /* no divisible pair has a larger part of the front than one of these */
#define LIGHT 4096 /* except pairs of at most this many primitives */

/* Limit of one thread's work while others wait for it. */
static uint64_t traverse_thread_budget(const tree_duo *duo, const tree_front *f)
{
    uint64_t all = 0;
    for (size_t i = 0; i < f->count; i++)
        all += front_pair_weight(duo, f->start + i);
    return all / SHARES > LIGHT ? all / SHARES : LIGHT;
}

/* Divides all pairs alike until there are enough; then only heavy ones, since the others would wait
 * for the thread that has one. The steps depend only on the trees, so the front does not depend on
 * the number of threads. */
int tree_front_widen(mem *m, const tree_duo *duo, tree_front *f, size_t enough, tree_counts *counts)
{
    int err = IMP_OK, divided = 1, widened = 0;
    uint64_t light = 0;
    tree_front next = {0};
    while (divided) {
        if (!widened && f->count >= enough) {
            widened = 1;
            light = traverse_thread_budget(duo, f);
        }
        next.count = 0;
        TRY(front_divide_pairs(m, duo, f, light, &next, &divided, counts));
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
    mem_free(m, f->start);
    *f = (tree_front){0};
}

/* ---- descent */

size_t tree_stack_size(const tree *e, const tree *f)
{
    return (size_t)e->levels + f->levels + 2;
}

/* The arguments of a descent, except the volume: traverse() is compiled for each. */
typedef struct traversal {
    const tree_duo *duo;
    tree_pair from;
    tree_stack_entry *stack;
    tree_sink *sink;
    void *user;
    tree_counts *counts;
} traversal;

/* Uses an explicit stack: its depth is known from the levels, and a stop returns at once. */
static inline void traverse(const traversal *v, int volume, posed *p)
{
    const tree_duo *d = v->duo;
    tree_stack_entry *stack = v->stack;
    size_t depth = 1;
    stack[0] = (tree_stack_entry){v->from, 0};
    while (depth && !tree_is_cancelled(d->e)) {
        tree_stack_entry *top = stack + depth - 1;
        uint64_t count = tree_child_pairs(d, top->at);
        if (!count) {
            v->counts->leaf_pairs++;
            traverse_leaves(d, top->at, v->sink, v->user);
        }
        if (top->next >= count) {
            depth--;
            continue;
        }
        tree_pair next = tree_child_pair(d, top->at, top->next++);
        if (traverse_enters(d, volume, top->at, next, p, v->counts))
            stack[depth++] = (tree_stack_entry){next, 0};
    }
}

/* One loop per volume. */
static inline void traverse_any_volume(const traversal *v, posed *p)
{
    switch (v->duo->e->def.volume) {
    case IMP_VOLUME_DOP:
        traverse(v, IMP_VOLUME_DOP, NULL);
        break;
    case IMP_VOLUME_SPHERE:
        traverse(v, IMP_VOLUME_SPHERE, p);
        break;
    case IMP_VOLUME_OBB:
        traverse(v, IMP_VOLUME_OBB, p);
        break;
    default:
        traverse(v, IMP_VOLUME_HYBRID, p);
    }
}

void tree_traverse(const tree_duo *d, tree_pair from, tree_stack_entry *stack, tree_sink *sink,
                   void *user, tree_counts *counts)
{
    const traversal v = {d, from, stack, sink, user, counts};
    posed p = NOTHING_POSED;
    if (d->pose)
        traverse_any_volume(&v, &p);
    else
        traverse_any_volume(&v, NULL);
}
