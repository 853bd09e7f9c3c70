/* Trees of bounding volumes: [K] section 4 (k-DOPs), [S] section 2.1.2 (spheres above, oriented
 * boxes below). A node represents a set of primitives, its children parts of that set, and the root
 * an object. All trees of a block of frames share one set of arrays, and node t is the root of tree
 * t, so that thousands of small trees are built and fitted in parallel.
 *
 * Nothing here recurses: nodes are made level by level, each level after the one above it. */
#ifndef IMP_TREE_H
#define IMP_TREE_H

#include "bv.h"
#include "impinge.h"
#include "mem.h"

#define TREE_LEAF 32        /* default number of primitives */
#define TREE_HYBRID_LEVEL 1 /* default; more levels of spheres cost more than they save */

typedef struct tree_def {
    int volume, build, descent; /* enumerators of impinge.h */
    uint32_t degree;            /* greatest number of children of a node, >= 2 */
    uint32_t leaf;              /* greatest number of primitives of a leaf, >= 1 */
    uint32_t hybrid_level;      /* nodes above this level have spheres; the root's level is 0 */
    double loose;   /* trees are rebuilt when tree_weight exceeds `loose` times its value after the
                     * build; 0: the fastest choice (broad_tree.c) */
    uint32_t extra; /* axes of the primitives' bounds besides the box's */
    int threads;
    const atomic_int *cancel; /* nonzero stops with IMP_ERR_CANCELLED; NULL: never */
} tree_def;

/* A primitive in a leaf. */
typedef struct tree_item {
    float box[6];
    uint32_t prim;
} tree_item;

/* Twice the centre of its box along an axis. */
static inline float tree_middle(const tree_item *item, int axis)
{
    return item->box[axis] + item->box[3 + axis];
}

typedef struct tree_node {
    uint32_t begin, end; /* range in tree.item */
    uint32_t child;      /* first child; the others follow it */
    uint32_t children;   /* 0: a leaf */
} tree_node;

/* All zero at first. */
typedef struct tree {
    tree_def def;
    uint32_t trees, items, nodes;
    tree_item *item;  /* [items] contiguous for each node */
    float *slab;      /* [2 * extra * items] bounds along the further axes */
    tree_node *node;  /* [nodes] */
    uint32_t *level0; /* [levels + 1] first node of each level */
    uint32_t levels;
    float *dop;        /* [words * nodes], or NULL for other volumes */
    uint32_t words;    /* words of a k-DOP */
    bv_sphere *sphere; /* [nodes] or NULL */
    bv_obb *obb;
} tree;

/* The input for volumes: the primitives' bounds and vertices. */
typedef struct tree_source {
    const float *box;       /* [6 * primitives] */
    const float *slab;      /* [2 * extra * primitives] */
    const uint32_t *corner; /* [corners * primitives] vertex numbers */
    uint32_t corners;
    const double *x; /* [3 * vertices] relative to the centre of their frame; unused for k-DOPs */
} tree_source;

/* Builds `trees` trees and fits their volumes. Tree t has the primitives prim[start[t]] to before
 * prim[start[t + 1]]. Each primitive must have a nonempty box. Errors: MEMORY, CANCELLED. */
int tree_make(mem *m, const tree_def *def, const tree_source *from, uint32_t trees,
              const uint32_t *start, const uint32_t *prim, tree *out);

/* Refits the volumes of the existing nodes to new bounds and vertices of the same primitives. */
int tree_refit(mem *m, const tree_source *from, tree *t);

/* Updates the bounds of the items [first, last), all of one tree, which leaves compare. The
 * volumes, those of a rigid body, stay. */
void tree_update_items(const tree_source *from, uint32_t first, uint32_t last, tree *t);

void tree_free(mem *m, tree *t);

/* Bytes of its arrays. */
uint64_t tree_bytes(const tree *t);

/* For k-DOPs: half the surface areas of all nodes' boxes, over those of the roots. A lower weight
 * means fewer nodes tested in vain. */
double tree_weight(const tree *t);

/* A box around all of tree `root`, in other coordinates if pose is not NULL. */
void tree_root_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6]);

/* A sort key, and the index it belongs to. */
typedef struct tree_key {
    uint32_t key, from;
} tree_key;

/* Sorts by key, stably; `other` has the same size. The result is in *keys: the two may be
 * swapped. */
void tree_sort(tree_key **keys, tree_key **other, uint32_t n);

/* Returns whether the caller asked to stop. Then tree_check_cancel returns IMP_ERR_CANCELLED. */
static inline int tree_is_cancelled(const tree *t)
{
    return t->def.cancel && atomic_load(t->def.cancel);
}
int tree_check_cancel(const tree *t);

/* ---- tree_build.c: nodes, the order of items, and volumes */

int tree_top_down(mem *m, tree *t, const uint32_t *start);
int tree_bottom_up(mem *m, tree *t, const uint32_t *start);
int tree_fit(mem *m, const tree_source *from, tree *t);

/* Makes nodes from the roots down. `divide` is called for all nodes of a level at once: it fills in
 * a node's children, which are already numbered, and gives each some of the items. */
typedef void tree_divide(tree *t, const tree_node *parent);
int tree_nodes(mem *m, tree *t, const uint32_t *start, tree_divide *divide);

/* ---- tree_traverse.c */

/* The cost of a descent, independent of the number of threads. */
typedef struct tree_counts {
    uint64_t volume_tests; /* pairs of nodes tested */
    uint64_t obb_tests;    /* those of them with an oriented box */
    uint64_t axes;         /* axes tested in those until one separated */
    uint64_t leaf_pairs;   /* pairs of leaves whose primitives were compared */
} tree_counts;

static inline void tree_counts_add(tree_counts *to, const tree_counts *c)
{
    to->volume_tests += c->volume_tests;
    to->obb_tests += c->obb_tests;
    to->axes += c->axes;
    to->leaf_pairs += c->leaf_pairs;
}

/* Two trees E and F to find pairs between, or one tree twice, for pairs within it. */
typedef struct tree_duo {
    const tree *e, *f;
    const bv_pose *pose; /* from the coordinates of F's volumes to those of E's; NULL: they are the
                          * same, as always for k-DOPs */
} tree_duo;

/* Two nodes, one of E and one of F. The same node of one tree twice: pairs within it. */
typedef struct tree_pair {
    uint32_t e, f;
} tree_pair;

/* Receives two primitives with overlapping bounds. */
typedef void tree_sink(void *user, uint32_t a, uint32_t b);

/* The front: pairs of nodes still to be descended from, each belonging to one of several duos. */
typedef struct tree_start {
    uint32_t duo;
    tree_pair at;
} tree_start;

typedef struct tree_front {
    tree_start *start; /* [count] */
    size_t count, capacity;
} tree_front;

int tree_front_add(mem *m, tree_front *f, tree_start start);

/* Returns whether the volumes of two nodes overlap. */
int tree_overlap(const tree_duo *d, tree_pair at, tree_counts *counts);

/* Replaces pairs by the pairs that one step of the descent makes of each, in their order, until
 * there are `enough` or none can be divided; then divides pairs with a large share of the total
 * work. Errors: MEMORY, CANCELLED. */
int tree_front_widen(mem *m, const tree_duo *duo, tree_front *f, size_t enough,
                     tree_counts *counts);
void tree_front_free(mem *m, tree_front *f);

/* A pair of nodes whose descent has begun. */
typedef struct tree_stack_entry {
    tree_pair at;
    uint64_t next; /* index of the next pair of children */
} tree_stack_entry;

/* Passes all pairs of primitives below one pair of nodes to the sink; some of them if cancelled.
 * stack: tree_stack_size() entries. */
size_t tree_stack_size(const tree *e, const tree *f);
void tree_traverse(const tree_duo *d, tree_pair from, tree_stack_entry *stack, tree_sink *sink,
                   void *user, tree_counts *counts);

/* ---- Private to descents: the pairs of children that a step tests. */

/* Returns whether a node has a sphere. In a hybrid tree the level decides: spheres are above. */
static inline int tree_node_is_sphere(const tree *t, uint32_t node)
{
    const uint32_t level = t->def.hybrid_level;
    return node < t->level0[level < t->levels ? level : t->levels];
}

static inline int tree_pair_is_self(const tree_duo *d, tree_pair at)
{
    return at.e == at.f && d->e == d->f;
}

/* Number of pairs of children; 0: neither node is divided. */
static inline uint64_t tree_child_pairs(const tree_duo *d, tree_pair at)
{
    uint64_t e = d->e->node[at.e].children, f = d->f->node[at.f].children;
    if (tree_pair_is_self(d, at))
        return e * e;
    if (d->e->def.descent == IMP_DESCENT_SIMULTANEOUS)
        return e && f ? e * f : e + f;
    return e ? e : f;
}

/* Pair of children number i. */
static inline tree_pair tree_child_pair(const tree_duo *d, tree_pair at, uint64_t i)
{
    const tree_node *e = d->e->node + at.e, *f = d->f->node + at.f;
    const int both = d->e->def.descent == IMP_DESCENT_SIMULTANEOUS && e->children && f->children;
    if (tree_pair_is_self(d, at) || both)
        return (tree_pair){e->child + (uint32_t)(i / f->children),
                           f->child + (uint32_t)(i % f->children)};
    if (e->children)
        return (tree_pair){e->child + (uint32_t)i, at.f};
    return (tree_pair){at.e, f->child + (uint32_t)i};
}

#endif
