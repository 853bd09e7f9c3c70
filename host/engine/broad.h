/* Room 3: which pairs of primitives have overlapping bounds. A method is a file broad_NAME.c and a
 * line in broad.def. Every method finds exactly the pairs {a < b of one frame, allowed by the
 * rules, bounds overlap}, each once, in an order that depends on the method and device alone.
 *
 * Pairs come in pieces, of a size that memory allows. The work is divided among finders, one for
 * each primitive that may have a partner, those of a frame side by side, in one of two ways:
 *
 *  - by finder: count how many pairs each finds, prefix sum, then emit a range of finders exactly
 *    where their pairs belong. Two look-ups, no waste: right for GPUs.
 *  - by tile: a tile of finders writes its pairs to a region of its own and counts them; then the
 *    regions are packed. One look-up as long as regions are large enough: right for CPUs, where one
 *    item does a whole tile. If a region was too small, the tiles run again with exact places. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "scan.h"
#include "types.h"

typedef struct hash_state {
    buffer inv, bucket0, level, levels; /* cell.h, hash.cl */
    buffer count, offset;               /* cells of each primitive */
    buffer bucket, entry, start;
} hash_state;

typedef struct grid_state {
    buffer parted;         /* u32 [frames] as block.parted */
    buffer level0, record; /* levels of each frame: grid.cl */
    buffer place;          /* where those of each chunk go before they are sorted */
    buffer place0;         /* u32 [frames + 1] as block.place0 */
    buffer key, id, start, sorted, corner;
    uint32_t stride;
    uint32_t places; /* pairs are of sorted places; `triangle` has their triangles, for narrow */
    buffer triangle; /* f64 [9 * prims] */
} grid_state;

typedef struct broad {
    const struct broad_method *method;
    hash_state hash;
    grid_state grid;
    uint32_t first, last;    /* the lower primitive of a pair is in here */
    const uint32_t *finder0; /* [frames + 1] first of each frame, then the total */
    const buffer *finder0_buf;
    uint32_t at, end; /* finders or tiles done so far, and all */
    int by_tile;
    chunks tiles;         /* of finders */
    uint32_t tile_room;   /* pairs that a tile's region holds; remembered from block to block */
    uint32_t tile_pairs;  /* that a tile of the last piece had on average */
    buffer count, offset; /* pairs of each finder, or of each tile of a piece */
    uint64_t total, base; /* by finder: pairs of all, and emitted so far */
    pairs regions;
    scanner scan;
    sorter sort;
} broad;

typedef struct broad_method {
    const char *name;
    int (*build)(imp *p); /* sets broad.finder0 if not every primitive is a finder */
    int (*count)(imp *p, uint32_t finder0, uint32_t finders);
    int (*emit)(imp *p, uint32_t finder0, uint32_t finders, uint64_t base, pairs *out);
    /* tiles from tile0 on, each to its own `room` places of out, or with room = 0 to broad.offset;
     * NULL if the method works by finder only */
    int (*tiles)(imp *p, uint32_t tile0, uint32_t tiles, uint32_t room, pairs *out);
    void (*free)(imp *p);
} broad_method;

/* NULL if there is none of that name. "auto" is the method for everyday use. */
const broad_method *broad_find(const char *name);

/* Leaves out what can have no partner, where only pairs of two objects are asked for, and sets
 * block.parted: cull.c. */
int cull(imp *p);

/* Prepares for the block in p. */
int broad_build(imp *p);

/* Begins with the pairs whose lower primitive is in [first, last). */
int broad_begin(imp *p, uint32_t first, uint32_t last, imp_frame_info *info);

/* The next pairs, about `room` at most, go to *out; there may be none. They are of sorted places if
 * broad.grid.places says so (narrow.cl), the place of the lower primitive in a. A single finder or
 * tile with more than `room` pairs gets all the room it needs. Pairs are counted in
 * info[frame].candidates by the time they have all been handed out. */
int broad_next(imp *p, uint64_t room, imp_frame_info *info, pairs *out);
int broad_done(const imp *p);

void broad_free(imp *p);

/* Arguments of the kernels that look for pairs: SCENE_ARGS of prim.h. */
#define SCENE_OF(p)                                                                                \
    BUF(&(p)->bounds.near.box), BUF(&(p)->bounds.near.slab), BUF(&(p)->bounds.near.corner),        \
        BUF(&(p)->bounds.near.object), BUF(&(p)->bounds.near.list), U32((p)->bounds.extra),        \
        U32((p)->bounds.listed), U32((p)->bounds.rules), U32((p)->broad.first),                    \
        U32((p)->broad.last)

#endif
