/* The layout of a packed R-tree, for the search (rtree.cl) and the host that builds it. */
#ifndef IMP_RTREE_H
#define IMP_RTREE_H

#define RTREE_WIDTH 16               /* boxes of a node, or primitives of a leaf */
#define RTREE_NODE (6 * RTREE_WIDTH) /* floats of a node */
#define RTREE_LEVELS_MOST 8          /* enough for any number of primitives */
#define RTREE_BITS 20u               /* bits of a quantised coordinate */
#define RTREE_NOWHERE 0xffffffffu    /* no position */
#define RTREE_LEFT 2u                /* mark of a position whose primitive was removed */
#define RTREE_CROWD 64u              /* a cell with so many primitives is crowded */
#define RTREE_SWAPPED 2u             /* the first primitive's object is the second part */

#endif
