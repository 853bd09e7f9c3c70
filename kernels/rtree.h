/* The shape of a packed R-tree, for the search (rtree.cl) and the host that lays it out. */
#ifndef IMP_RTREE_H
#define IMP_RTREE_H

#define RTREE_WIDTH 16               /* boxes of a node, which are primitives in a leaf */
#define RTREE_NODE (6 * RTREE_WIDTH) /* floats of a node */
#define RTREE_LEVELS_MOST 8          /* for any number of primitives */
#define RTREE_BITS 20u               /* of a coordinate */
#define RTREE_NOWHERE 0xffffffffu    /* no position */
#define RTREE_LEFT 2u                /* a mark: the position had a primitive */
#define RTREE_CROWD 64u              /* this many in one cell are too many */

#endif
