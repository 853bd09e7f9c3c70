/* For moved.cl and the host. */
#ifndef IMP_MOVED_H
#define IMP_MOVED_H

#define DIRTY_GROUP 128u /* primitives that are skipped together */

/* flags of a chunk of vertices */
#define MOVED_FIRST 1u /* no points precede these */
#define MOVED_USED 2u  /* primitives use other vertices than before */

#endif
