/* Which vertices are at one point. */
#ifndef IMP_POSITIONS_H
#define IMP_POSITIONS_H

#include "welding.h"

/* A hash of coordinates; those of equal ones are equal: -0 is 0. position_hash_add continues h. */
uint64_t position_hash_add(uint64_t h, const double x[3]);
uint64_t position_hash(const imp_frame *frame, size_t frames, uint32_t v);

/* Are both at one point in all frames? */
int position_same(const imp_frame *frame, size_t frames, uint32_t a, uint32_t b);

/* first[v] becomes the least vertex that is at the same point as v in all frames: v itself, if no
 * earlier one is, or if a coordinate is no number. Errors: MEMORY. */
int positions_find(const welding *w, uint32_t *first);

#endif
