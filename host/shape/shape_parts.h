/* What a shape consists of. Within host/shape. */
#ifndef IMP_SHAPE_PARTS_H
#define IMP_SHAPE_PARTS_H

#include "exact.h"
#include "shape.h"

#define SHAPE_NONE UINT32_MAX

/* A box in the coordinates of the shape, and a sphere with the same middle. */
typedef struct shape_node {
    double middle[3], half[3], radius;
    uint32_t begin, end; /* of shape.order */
    uint32_t child;      /* the first of two, side by side; 0: a leaf */
} shape_node;

/* Which points are inside. */
enum shape_closed {
    SHAPE_OPEN,   /* none */
    SHAPE_ODD,    /* from which a ray crosses an odd number of triangles */
    SHAPE_WINDING /* that triangles go round another number of times than 0 */
};

struct shape {
    uint32_t vertices, triangles, nodes;
    exact_point *point; /* [vertices] */
    uint32_t *corner;   /* [3 * triangles] as they were given */
    uint32_t *same;     /* [vertices] the lowest vertex with the same position */
    uint32_t *order;    /* [triangles] those of a node side by side */
    shape_node *node;   /* [nodes] the root first */
    double radius;
    struct shape_hull *hull;  /* of a convex body, else NULL */
    enum shape_closed closed; /* shape_closed.c */
    uint32_t components;
    uint32_t *component; /* [components] a corner of a triangle of each, 3 t + i */
};

/* ---- shape_closed.c */

/* Is the surface closed, and which parts of it hang together? After shape_hull_make. */
int shape_closed_make(mem *m, shape *s);

/* ---- shape_tree.c */

/* A descent into two trees has never more than this many pairs of nodes before it, as each half of
 * a node has at most half of its triangles, rounded up. */
#define SHAPE_LEVELS 33

int shape_tree(mem *m, shape *s);

#endif
