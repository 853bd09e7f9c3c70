/* For moved.cl and the host: what is new of a chunk of vertices. */
#ifndef IMP_MOVED_H
#define IMP_MOVED_H

#define MOVED_FIRST 1u /* there are no points before these */
#define MOVED_USED 2u  /* primitives use others of them than before */

#endif
