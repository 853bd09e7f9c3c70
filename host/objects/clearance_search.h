/* The nearest primitives of two objects: private to clearance.c. */
#ifndef IMP_CLEARANCE_SEARCH_H
#define IMP_CLEARANCE_SEARCH_H

#include "cylinder.h"
#include "exact.h"
#include "ring.h"

#define CLEARANCE_DEGREE 8 /* the most children of a node */

typedef struct clearance_node {
    uint32_t e, f; /* nodes */
    double least;  /* square of the distance of their boxes, in the unit of the frame */
    double way[3]; /* a direction that separated the nodes above */
} clearance_node;

/* The nearest pair so far. */
typedef struct clearance_best {
    int any; /* the other members are set */
    uint32_t a, b;
    double least, most, way[3]; /* exact_prims_distance_bounds */
    int quick_known;            /* 1: quick is set, 0: not yet, -1: the pair has none */
    exact_rounded quick;
} clearance_best;

typedef struct clearance_search {
    const tree *tree;
    const cylinder *cylinder; /* [tree->nodes] */
    const cylinder_points *points;
    const imp_frame *frame;
    uint32_t prim0;
    double scale[2];       /* factors of the frame's scale, the inverse of its unit */
    clearance_node *stack; /* [room] */
    ring_search *ring;     /* NULL: imp_def.ring is 0 */
    uint32_t ring_from;    /* the prim that *ring begins from */
    clearance_best best;
    double near;         /* a bound that the nearest pair does not exceed */
    double reach, limit; /* a little more, in the unit of the frame; its square */
    uint64_t compared;
} clearance_search;

/* Entries of clearance_search.stack. */
size_t clearance_stack_size(const tree *t);

/* Finds the nearest primitives below two nodes, s->best; there are none if all pairs are left out.
 * What *s has before is the nearest pair so far. Ends early if the tree is cancelled. */
void clearance_descend(clearance_search *s, clearance_node from);

#define CLEARANCE_FRONT 1024

/* Lists pairs of nodes below two nodes, whose primitives may be the nearest, probably the nearest
 * first. They do not depend on the number of threads. front: [2 * CLEARANCE_FRONT]. Returns their
 * number. */
size_t clearance_widen(clearance_search *s, uint32_t e, uint32_t f, clearance_node *front);

/* Finds i and j, of either order, unless they share a vertex or are within the ring. */
void clearance_only(clearance_search *s, uint32_t i, uint32_t j);

/* Compares the primitives i and j, of either order, with the nearest so far. */
void clearance_compare(clearance_search *s, uint32_t i, uint32_t j);

#endif
