/* Pairs by tile, a way for methods of the broad phase. A tile of queries writes its pairs to a
 * region of its own and counts them; then the regions are packed. One search as long as regions are
 * large enough: right for CPUs, where one item does a whole tile. If a region was too small, the
 * tiles run again with exact offsets. */
#ifndef IMP_TILES_H
#define IMP_TILES_H

#include "broad.h"

typedef struct tiles tiles;

/* What the method does: `n` tiles from t->at on, each to its own `capacity` elements of out, or
 * with capacity = 0 to t->offset and on; t->count of each in any case. */
typedef int tile_find(void *state, const broad_input *in, const tiles *t, uint32_t n,
                      uint32_t capacity, pairs *out);

struct tiles {
    broad_range range;
    chunks list;       /* of queries; its frames are segments, */
    uint32_t parts;    /* segments of a frame */
    uint32_t at;       /* tiles done so far */
    uint32_t capacity; /* pairs that a region holds; remembered from block to view */
    uint32_t pairs;    /* that a tile of the last piece had on average */
    buffer_u32 count;  /* of each tile of a piece */
    buffer_u64 offset;
    struct pairs regions;
};

#define TILE 128 /* queries; of the R-tree eight whole leaves */

/* start: [parts * frames + 1] first query of each segment, then the total; a frame has `parts` of
 * them. length: queries of a tile. */
int tiles_make(tiles *t, const broad_input *in, const uint32_t *start, uint32_t parts,
               uint32_t length);
void tiles_begin(tiles *t, broad_range range);
int tiles_next(tiles *t, const broad_input *in, uint64_t most, imp_frame_info *info,
               tile_find *find, void *state, pairs *out);
int tiles_done(const tiles *t);
void tiles_free(tiles *t, const context *c);

#endif
