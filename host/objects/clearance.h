/* The nearest primitives of each two objects of a frame (imp_def.rows OBJECTS). */
#ifndef IMP_CLEARANCE_H
#define IMP_CLEARANCE_H

#include "bounds.h"
#include "ring.h"

/* Pairs of prims or of objects. Zero at first. */
typedef struct clearance_list {
    uint32_t *a, *b;
    size_t count, capacity;
} clearance_list;

void clearance_free(mem *m, clearance_list *l);

typedef struct clearance_trees clearance_trees;
typedef struct clearance_all clearance_all;

/* The search of a frame: all pairs of objects would not fit in memory. */
typedef struct clearance {
    const context *c;
    clearance_trees *trees; /* one for each object */
    clearance_all *all;
    uint32_t *order;        /* [ordered] trees by their first prims */
    uint32_t ordered, next; /* next: the first whose pairs with later ones are not found yet */
    clearance_list found, pending; /* pending: later pairs may precede them */
    int more;                      /* clearance_next has to be called again */
    uint64_t compared;             /* pairs of primitives whose distance was bounded */
} clearance;

/* Begins for frame f. ring: of an earlier frame of the call, or zero; used if there is a ring.
 * Errors: MEMORY, DEVICE, CANCELLED. */
int clearance_begin(const context *c, const block_view *v, const bounds *o, uint32_t f,
                    ring_mesh *ring, clearance *out);

/* Finds for some pairs of different objects that the rules allow the primitives with the least
 * (distance, a, b) that share no vertex and are not within imp_def.ring, by exact distances. out:
 * the next pairs, a < b, in the order of (a, b). Errors: MEMORY, CANCELLED. */
int clearance_next(clearance *s, clearance_list *out);

void clearance_end(clearance *s);

#endif
