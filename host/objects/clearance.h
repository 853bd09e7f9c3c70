/* The nearest primitives of each two objects of a frame (imp_def.rows OBJECTS). */
#ifndef IMP_CLEARANCE_H
#define IMP_CLEARANCE_H

#include "bounds.h"
#include "ring.h"

/* Pairs of prims, a < b, sorted by (a, b). Zero at first. */
typedef struct clearance_list {
    uint32_t *a, *b;
    size_t count, capacity;
} clearance_list;

/* Finds for each two different objects of frame f that the rules allow the pair of primitives with
 * the least (distance, a, b) that share no vertex and are not within imp_def.ring, by exact
 * distances. ring: of an earlier frame of the call, or zero; used if there is a ring. *compared:
 * the number of pairs of primitives whose distance was bounded. Errors: MEMORY, DEVICE, CANCELLED.
 */
int clearance_find(const context *c, const block_view *v, const bounds *o, uint32_t f,
                   ring_mesh *ring, clearance_list *out, uint64_t *compared);
void clearance_free(mem *m, clearance_list *l);

#endif
