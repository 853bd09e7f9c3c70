/* How tight the volumes of trees are, measured by points at fixed positions in them. */
#ifndef BENCH_TREE_SHAPE_H
#define BENCH_TREE_SHAPE_H

#include "tree.h"

/* Sums over trees, initially zero. */
typedef struct tree_shape {
    double nodes, roots; /* volumes of all nodes, and of the roots */
    double shares;     /* overlap of siblings: the fraction of one's volume that lies in another */
    uint64_t siblings; /* number of terms in that sum; nodes without volume have none */
} tree_shape;

void tree_shape_add(const tree *t, uint32_t dop_k, tree_shape *sum);

/* The mean overlap of siblings. */
double tree_shape_overlap(const tree_shape *s);

/* The sum of all nodes' volumes over that of the roots. */
double tree_shape_volumes(const tree_shape *s);

#endif
