/* For moved.cl and the host. */
#ifndef IMP_MOVED_H
#define IMP_MOVED_H

#define MOVED_PRIMS 128u /* primitives that are passed over together */

/* what is new of a chunk of vertices */
#define MOVED_FIRST 1u /* there are no points before these */
#define MOVED_USED 2u  /* primitives use others of them than before */

#endif
