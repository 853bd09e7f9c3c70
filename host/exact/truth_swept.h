/* Do two primitives meet at any instant between two frames? Without bounding volumes: the
 * primitives are placed at an instant and tested exactly; where they do not meet, their distance
 * gives a time before and after in which they cannot. The reference of swept queries. */
#ifndef IMP_TRUTH_SWEPT_H
#define IMP_TRUTH_SWEPT_H

#include "impinge.h"

/* A pair that is not decided within 2^-TRUTH_HALVINGS of the step counts as meeting. */
#define TRUTH_HALVINGS 20

/* Primitives a and b of the two frames' mesh, 1: they meet. Bodies with poses move as imp_pose
 * says, of half a turn one way round; their points are not looked at. Vertices of others move
 * evenly. Of two that share a vertex only what they have beyond it counts, as imp_detect has it,
 * and only at 64 instants: they are never apart. */
int truth_swept(const imp_frame *from, const imp_frame *to, uint32_t a, uint32_t b);

#endif
