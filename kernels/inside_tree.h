/* The triangles of closed objects as trees of boxes, for kernels (inside.cl) and the host that
 * packs them. A node has sixteen boxes, in rows like those of a packed R-tree (rtree.h): of its
 * children, which follow each other from child[node] on, or of triangles. */
#ifndef IMP_INSIDE_TREE_H
#define IMP_INSIDE_TREE_H

#define INSIDE_WIDTH 16                /* boxes of a node */
#define INSIDE_NODE (6 * INSIDE_WIDTH) /* floats of a node */
#define INSIDE_GROUP 8                 /* triangles that lie together */
#define INSIDE_CORNERS                                                                             \
    (9 * INSIDE_GROUP) /* float64 of a group: x, y, z of all first corners, ..                     \
                        */
/* In child[]: the boxes are those of triangles, of which the first is number INSIDE_WIDTH times the
 * rest. */
#define INSIDE_LEAF 0x80000000u
#define INSIDE_NONE 0xffffffffu
#define INSIDE_HEIGHT 8      /* levels of nodes, at most: a frame has fewer than 2^32 primitives */
#define INSIDE_EMPTY 0x1p20f /* an empty box goes from this number to minus that */

#define INSIDE_DOUBT 0x7fffffff /* no winding number: the host decides */
#define INSIDE_NEAR 16          /* faces that a search remembers */
#define INSIDE_MANY 0xffffffffu /* more than these may be the nearest */

#endif
