/* Pairs by strip, a way for methods of the broad phase. A strip of queries writes its pairs to a
 * region of its own and counts them; then the regions are packed. One search as long as regions are
 * large enough: right for CPUs, where one item does a whole strip. If a region was too small, the
 * strips run again with exact offsets. */
#ifndef IMP_STRIPS_H
#define IMP_STRIPS_H

#include "broad.h"

typedef struct strips strips;

/* What the method does: `n` strips from t->at on, each to its own `capacity` elements of out, or
 * with capacity = 0 to t->offset and on; t->count of each in any case. */
typedef int strip_find(void *state, const broad_input *in, const strips *t, uint32_t n,
                       uint32_t capacity, pairs *out);

struct strips {
    broad_range range;
    chunks list;       /* of queries; its frames are segments, */
    uint32_t parts;    /* segments of a frame */
    uint32_t at;       /* strips done so far */
    uint32_t capacity; /* pairs that a region holds; remembered from block to view */
    uint32_t pairs;    /* that a strip of the last piece had on average */
    buffer_u32 count;  /* of each strip of a piece */
    buffer_u64 offset;
    struct pairs regions;
};

#define STRIP 128 /* queries; of the R-tree eight whole leaves */

/* start: [parts * frames + 1] first query of each segment, then the total; a frame has `parts` of
 * them. length: queries of a strip. */
int strips_make(strips *t, const broad_input *in, const uint32_t *start, uint32_t parts,
                uint32_t length);
void strips_begin(strips *t, broad_range range);
int strips_next(strips *t, const broad_input *in, uint64_t most, imp_frame_info *info,
                strip_find *find, void *state, pairs *out);
int strips_done(const strips *t);
void strips_free(strips *t, const context *c);

#endif
