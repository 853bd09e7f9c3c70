/* Trees of boxes of a frame's closed objects, packed for the host and for kernels
 * (../../kernels/inside_tree.h). An object's nodes are level by level, its leaves first; its root
 * is the last one. */
#ifndef IMP_SOLIDS_TREE_H
#define IMP_SOLIDS_TREE_H

#include "closed.h"
#include "inside_tree.h"

/* Zero at first. */
typedef struct solids_tree {
    uint32_t items; /* primitives */
    uint32_t nodes, leaves;
    uint32_t plain;  /* the first leaves: those of objects without tetrahedra */
    uint32_t *root;  /* [mesh.count] the number of its root, or INSIDE_NONE: not closed; NULL: the
                        trees are not made */
    uint32_t *prim;  /* [INSIDE_WIDTH * leaves] the primitive at each place, or CLOSED_NONE */
    float *box;      /* [INSIDE_NODE * nodes] */
    uint32_t *below; /* [nodes] the first child, or INSIDE_LEAF and the leaf's number */
} solids_tree;

/* Runs of INSIDE_WIDTH primitives of an object one after another, as the mesh has them, and their
 * boxes. */
typedef struct solids_runs {
    uint32_t *first; /* [mesh.count + 1] the first run of each object; an object that is not closed
                        has none */
    double *box;     /* [6 * runs] */
} solids_runs;

/* What the trees are made of. */
typedef struct solids_tree_source {
    mem *mem;
    const closed_mesh *mesh;
    const double *x;      /* [3 * vertices] of at most about 2 */
    const double *middle; /* [3] boxes are relative to it */
    const float *box;     /* [6 * mesh->count] of each object */
    const solids_runs *runs;
    size_t queries; /* about so many will search it */
    int threads;
} solids_tree_source;

/* Errors: MEMORY. Call solids_tree_free after errors as well. */
int solids_tree_make(const solids_tree_source *from, solids_tree *out);
void solids_tree_free(mem *m, solids_tree *t);

#endif
