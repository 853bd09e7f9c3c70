/* Room 3: which pairs of primitives have overlapping bounds. A method is a file broad_NAME.c and a
 * line in broad.def. Every method finds exactly the pairs {a < b of one frame, allowed by the
 * rules, bounds overlap}, each once, in an order that depends on the method alone.
 *
 * Work is divided among finders. A method says how many pairs each finder finds (count) and, given
 * where each finder's pairs begin, writes them for a range of finders (emit): any number of pairs
 * can so be had in pieces that fit. Finders of a frame are consecutive. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "scan.h"
#include "types.h"

typedef struct hash_state {
    buffer inv, bucket0, level, levels; /* cell.h, hash.cl */
    buffer first, last;                 /* chunks of primitives */
    buffer count, offset;               /* cells of each primitive */
    buffer bucket, entry, start;
} hash_state;

typedef struct broad {
    const struct broad_method *method;
    hash_state hash;
    buffer count, offset; /* pairs of each finder */
    uint64_t total;       /* pairs of all finders */
    uint64_t base;        /* pairs emitted so far */
    uint32_t first, last; /* the lower primitive of a pair is in here */
    scanner scan;
    sorter sort;
} broad;

typedef struct broad_method {
    const char *name;
    int (*build)(imp *p);
    int (*count)(imp *p, uint32_t finder0, uint32_t finders);
    int (*emit)(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out);
    void (*free)(imp *p);
} broad_method;

/* NULL if there is none of that name. "auto" is the method for everyday use. */
const broad_method *broad_find(const char *name);

/* Prepares for the block in p. */
int broad_build(imp *p);

/* Counts pairs whose lower primitive is in [first, last); adds them to info[frame].candidates. */
int broad_count(imp *p, uint32_t first, uint32_t last, imp_frame_info *info);

/* The next finders from *finder on whose pairs, at most `room`, fit; their pairs go to `out`.
 * *finder moves on; it equals the number of finders at the end. A single finder with more than
 * `room` pairs gets all the room it needs. */
int broad_next(imp *p, uint32_t *finder, uint64_t room, pairs *out);

void broad_free(imp *p);

/* Arguments of the kernels that look for pairs: SCENE_ARGS of prim.h. */
#define SCENE_OF(p)                                                                                \
    BUF(&(p)->bounds.near.box), BUF(&(p)->bounds.near.slab), BUF(&(p)->bounds.near.corner),        \
        BUF(&(p)->bounds.near.object), BUF(&(p)->bounds.near.list), U32((p)->bounds.extra),        \
        U32((p)->bounds.listed), U32((p)->bounds.rules), U32((p)->broad.first),                    \
        U32((p)->broad.last)

#endif
