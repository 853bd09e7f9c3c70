/* Triangles that are a closed body each, one after another, as programs write the parts of an
 * assembly into one file. */
#ifndef IMP_CLOSED_BODIES_H
#define IMP_CLOSED_BODIES_H

#include "welding.h"

/* body[p] becomes the number, from 1, of the closed body of primitive p. A stretch of triangles of
 * one object is divided if it consists of such bodies alone: in each, every edge is used as often
 * in one direction as in the other, and no shorter beginning of it is so. 0: p is of none. `first`:
 * as of positions_find. */
void closed_bodies_find(const welding *w, const uint32_t *first, uint32_t *body);

#endif
