/* Pairs of bodies that touched in this frame or the last one: what a contact may pass on to. */
#ifndef IMP_TOUCHING_H
#define IMP_TOUCHING_H

#include "mem.h"
#include "shape.h"
#include "vec.h"

#include <stdint.h>

#define TOUCHING_NONE UINT32_MAX

typedef struct touching_pair {
    uint32_t body[2];
    uint32_t next[2]; /* pair in the list of that body, or TOUCHING_NONE */
    int listed[2];    /* whether that body has a list */
    uint64_t frame;   /* when they touched last */
    uint64_t turn;    /* of the last walk that came to it */
    v3 normal;        /* from body[0] to body[1], the last one known */
    shape_pair cache; /* of shape_distance */
} touching_pair;

/* All zero at first, except mem. */
typedef struct touching {
    mem *mem;
    uint32_t *first; /* [bodies] pair, or TOUCHING_NONE */
    touching_pair *pair;
    size_t count, capacity;
    uint64_t frame, turn;
} touching;

/* A pair of the last frame as it is kept, for a simulation that goes on later. */
typedef struct touching_saved {
    uint32_t body[2];
    int32_t listed[2];
    shape_pair cache;
    double normal[3];
} touching_saved;

int touching_open(touching *t, uint32_t bodies);
void touching_close(touching *t);

/* A frame begins: pairs that did not touch in the last one are dropped. */
void touching_begin(touching *t);

/* Two bodies touch now. `listed`: which of them have lists, of pairs that can be found from them;
 * at least one. *pair: their number until the next frame. Errors: MEMORY. */
int touching_add(touching *t, uint32_t a, uint32_t b, const int listed[2], v3 normal,
                 uint32_t *pair);

/* The pairs of the last frame into out[], unless it is NULL; returns how many. They are recalled in
 * place of all. Errors: MEMORY. */
size_t touching_save(const touching *t, touching_saved *out);
int touching_restore(touching *t, const touching_saved *saved, size_t count);

/* The next pair in the list of a body. */
static inline uint32_t touching_next(const touching *t, uint32_t pair, uint32_t body)
{
    return t->pair[pair].next[t->pair[pair].body[1] == body];
}

#endif
