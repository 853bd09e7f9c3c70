/* Trees of bounding volumes: [K] section 4 (k-DOPs), [S] section 2.1.2 (spheres above, oriented
 * boxes below). A node represents a set of primitives, its children for parts of it; the root for
 * an object. All trees of a block of frames are in one set of arrays, root t being node t, so that
 * thousands of small ones are built and fitted side by side.
 *
 * Nothing here recurses: nodes are made level by level, those of a level after those above it. */
#ifndef IMP_TREE_H
#define IMP_TREE_H

#include "bv.h"
#include "impinge.h"
#include "mem.h"

#define TREE_LEAF 32        /* primitives, by default */
#define TREE_HYBRID_LEVEL 1 /* by default: spheres of more levels cost more than they save */

typedef struct tree_def {
    int volume, build, descent; /* of impinge.h */
    uint32_t degree;            /* children of a node at most, >= 2 */
    uint32_t leaf;              /* primitives of a leaf at most, >= 1 */
    uint32_t hybrid_level;      /* nodes above it, the root being on level 0, have spheres */
    double loose;   /* trees are made again when their tree_weight exceeds `loose` times what it
                       was; 0: the fastest choice (broad_tree.c) */
    uint32_t extra; /* axes of the primitives' bounds beside the box */
    int threads;
    const atomic_int *cancel; /* not 0: stop with IMP_ERR_CANCELLED; NULL: never */
} tree_def;

/* A primitive in a leaf. */
typedef struct tree_item {
    float box[6];
    uint32_t prim;
} tree_item;

/* Twice the middle of its box along an axis. */
static inline float tree_middle(const tree_item *item, int axis)
{
    return item->box[axis] + item->box[3 + axis];
}

typedef struct tree_node {
    uint32_t begin, end; /* of tree.item */
    uint32_t child;      /* the first; the others follow it */
    uint32_t children;   /* 0: a leaf */
} tree_node;

/* All zero at first. */
typedef struct tree {
    tree_def def;
    uint32_t trees, items, nodes;
    tree_item *item;  /* [items] those of a node side by side */
    float *slab;      /* [2 * extra * items] bounds along further axes */
    tree_node *node;  /* [nodes] */
    uint32_t *level0; /* [levels + 1] first node of each level */
    uint32_t levels;
    float *dop;        /* [words * nodes] or, if volumes are others, NULL */
    uint32_t words;    /* of a k-DOP */
    bv_sphere *sphere; /* [nodes] or NULL */
    bv_obb *obb;
} tree;

/* What volumes are made of: the primitives' bounds and vertices. */
typedef struct tree_source {
    const float *box;       /* [6 * primitives] */
    const float *slab;      /* [2 * extra * primitives] */
    const uint32_t *corner; /* [corners * primitives] vertex numbers */
    uint32_t corners;
    const double *x; /* [3 * vertices] relative to the centre of their frame: not for k-DOPs */
} tree_source;

/* Builds `trees` trees, of which t has the primitives prim[start[t]] to before prim[start[t + 1]],
 * and fits their volumes. Each primitive has a box that is not empty. Errors: MEMORY, CANCELLED. */
int tree_make(mem *m, const tree_def *def, const tree_source *from, uint32_t trees,
              const uint32_t *start, const uint32_t *prim, tree *out);

/* The same primitives have other bounds and vertices: new volumes for the nodes that there are. */
int tree_refit(mem *m, const tree_source *from, tree *t);

/* The items [first, last), all of a tree, have other bounds, which leaves compare; the volumes
 * stay, of a rigid body. */
void tree_update_items(const tree_source *from, uint32_t first, uint32_t last, tree *t);

void tree_free(mem *m, tree *t);

/* The memory of its arrays. */
uint64_t tree_bytes(const tree *t);

/* Of k-DOPs: half the surfaces of all nodes' boxes, over those of the roots. The less, the fewer
 * nodes are tested in vain. */
double tree_weight(const tree *t);

/* A box around all of tree number `root`, in other coordinates if pose is not NULL. */
void tree_root_box(const tree *t, uint32_t root, const bv_pose *pose, float out[6]);

/* A number to sort by, and the index it belongs to. */
typedef struct tree_key {
    uint32_t key, from;
} tree_key;

/* By key, equal keys in their present order; `other` is as large. The result is in *keys, as both
 * may be swapped. */
void tree_sort(tree_key **keys, tree_key **other, uint32_t n);

/* Is it to stop? Then tree_check_cancel returns IMP_ERR_CANCELLED. */
static inline int tree_is_cancelled(const tree *t)
{
    return t->def.cancel && atomic_load(t->def.cancel);
}
int tree_check_cancel(const tree *t);

/* ---- tree_build.c, tree_build.c: nodes and the order of items; tree_build.c: their volumes
 */

int tree_top_down(mem *m, tree *t, const uint32_t *start);
int tree_bottom_up(mem *m, tree *t, const uint32_t *start);
int tree_fit(mem *m, const tree_source *from, tree *t);

/* Nodes from the roots down. `divide` makes the children of a node, which are numbered already, and
 * gives each some of the items. It is called for all nodes of a level at once. */
typedef void tree_divide(tree *t, const tree_node *parent);
int tree_nodes(mem *m, tree *t, const uint32_t *start, tree_divide *divide);

/* ---- tree_traverse.c */

/* The cost of a descent; the same with any number of threads. */
typedef struct tree_counts {
    uint64_t volume_tests; /* pairs of nodes that were tested */
    uint64_t obb_tests;    /* of these, those of which one had an oriented box, */
    uint64_t axes;         /* and how many axes they took until one separated */
    uint64_t leaf_pairs;   /* pairs of leaves with primitives that were compared */
} tree_counts;

static inline void tree_counts_add(tree_counts *to, const tree_counts *c)
{
    to->volume_tests += c->volume_tests;
    to->obb_tests += c->obb_tests;
    to->axes += c->axes;
    to->leaf_pairs += c->leaf_pairs;
}

/* Trees to find pairs of: E's and F's; or the same tree twice, for pairs within it. */
typedef struct tree_duo {
    const tree *e, *f;
    const bv_pose *pose; /* from the coordinates of F's volumes to those of E's; NULL: they are the
                            same, as those of k-DOPs always are */
} tree_duo;

/* Two nodes, of E and F; the same of one tree: pairs within it. */
typedef struct tree_pair {
    uint32_t e, f;
} tree_pair;

/* Takes two primitives with overlapping bounds. */
typedef void tree_sink(void *user, uint32_t a, uint32_t b);

/* Pairs of nodes that are still to be descended from, each of one of several duos. */
typedef struct tree_start {
    uint32_t duo;
    tree_pair at;
} tree_start;

typedef struct tree_front {
    tree_start *start; /* [count] */
    size_t count, capacity;
} tree_front;

int tree_front_add(mem *m, tree_front *f, tree_start start);

/* Do the volumes of two nodes overlap? */
int tree_overlap(const tree_duo *d, tree_pair at, tree_counts *counts);

/* Pairs are replaced by those that a step of the descent makes of each, in their order, until there
 * are `enough` or none can be divided; then those with a large share of the whole. Errors: MEMORY,
 * CANCELLED. */
int tree_front_widen(mem *m, const tree_duo *duo, tree_front *f, size_t enough,
                     tree_counts *counts);
void tree_front_free(mem *m, tree_front *f);

/* A pair of nodes on the way down. */
typedef struct tree_stack_entry {
    tree_pair at;
    uint64_t next; /* of the pairs of children */
} tree_stack_entry;

/* All pairs of primitives below one pair of nodes, to the sink; some of them if it is to stop.
 * stack: of tree_stack_size() steps. */
size_t tree_stack_size(const tree *e, const tree *f);
void tree_traverse(const tree_duo *d, tree_pair from, tree_stack_entry *stack, tree_sink *sink,
                   void *user, tree_counts *counts);

/* ---- Within descents: the pairs of children that a step tests. */

/* Of a hybrid tree a node has the volume of its level: spheres are above. */
static inline int tree_node_is_sphere(const tree *t, uint32_t node)
{
    const uint32_t level = t->def.hybrid_level;
    return node < t->level0[level < t->levels ? level : t->levels];
}

static inline int tree_pair_is_self(const tree_duo *d, tree_pair at)
{
    return at.e == at.f && d->e == d->f;
}

/* Numbers there are; 0: neither is divided. */
static inline uint64_t tree_child_pairs(const tree_duo *d, tree_pair at)
{
    uint64_t e = d->e->node[at.e].children, f = d->f->node[at.f].children;
    if (tree_pair_is_self(d, at))
        return e * e;
    if (d->e->def.descent == IMP_DESCENT_SIMULTANEOUS)
        return e && f ? e * f : e + f;
    return e ? e : f;
}

/* Number i of them. */
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
