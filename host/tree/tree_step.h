/* Within descents: the pairs of children that a step tests. */
#ifndef IMP_TREE_STEP_H
#define IMP_TREE_STEP_H

#include "tree.h"

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
