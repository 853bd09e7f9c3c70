/* Within the method "tree": broad_tree.c (objects and their trees), broad_tree_pairs.c (descents).
 */
#ifndef IMP_BROAD_TREE_H
#define IMP_BROAD_TREE_H

#include "broad.h"

enum copies { COPY_BOX, COPY_SLAB, COPY_CORNER, COPY_X, COPIES };

typedef struct trees {
    tree objects; /* tree i is of object[i] */
    tree above;   /* of each frame, over boxes of its objects */
    uint32_t *start, *start_above;
    uint32_t *prim;
    int32_t *object;
    float *root; /* [6 * trees] their boxes */
    /* on the host: the device's memory, or copies */
    tree_source from;
    void *copy[COPIES];
    double *x;
    /* pairs */
    broad_range range;
    tree_front front;
    size_t at;
    double each; /* pairs that one of the front had on average */
    /* that nobody was told of yet */
    tree_counts counts;
    uint32_t nodes_new, height;
} trees;

/* The pairs of a block whose trees are built: as of broad_method. */
int trees_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
int trees_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info, pairs *out);
int trees_done(const void *state);

#endif
