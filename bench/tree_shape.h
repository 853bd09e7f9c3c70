/* How tight the volumes of trees are, by points at fixed places in them. */
#ifndef BENCH_TREE_SHAPE_H
#define BENCH_TREE_SHAPE_H

#include "tree.h"

/* Sums over trees, all zero at first. */
typedef struct tree_shape {
    double nodes, roots; /* volumes of all nodes, and of the roots */
    double shares;       /* of siblings: how much of one's volume lies in the other's; */
    uint64_t siblings;   /* how often that was asked, which it is not of one that has none */
} tree_shape;

void tree_shape_add(const tree *t, uint32_t dop_k, tree_shape *sum);

/* The mean share. */
double tree_shape_overlap(const tree_shape *s);

/* All nodes' volumes over the roots'. */
double tree_shape_volumes(const tree_shape *s);

#endif
