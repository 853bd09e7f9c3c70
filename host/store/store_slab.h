/* Within store_cut.c (where slabs begin and end) and store_slab.c (what is in one). */
#ifndef IMP_STORE_SLAB_H
#define IMP_STORE_SLAB_H

#include "store_pieces.h"
#include "store_space.h"

/* The first and last row or level along an axis that bounds reach around a vertex. */
typedef struct level_range {
    uint16_t low, high;
} level_range;

#define LEVEL_BAD UINT16_MAX /* as `low`: the vertex is not finite */

/* Where a slab is: its row, and its first and last level in it; begin > last: nowhere. */
typedef struct slab_bounds {
    uint16_t row, begin, last;
} slab_bounds;

/* The rigid bodies of a step in which one turns. All zero: none does. */
typedef struct partition_bodies {
    uint32_t count;  /* of the file */
    uint32_t *row;   /* [vertices] the number of its point among those of all bodies that the frame
                        has, which follow each other; NO_BODY: of none */
    uint32_t *start; /* [count + 1] where those of each body begin, and the end */
    double *grow;    /* [count] by how much its bounds grow; 0: it does not turn */
} partition_bodies;

struct batch_partition {
    batch *b;
    batch_partition_def def;
    batch_partition_info info;
    cell_chunks cells;
    level_range *range[2]; /* [vertices] rows along the first axis, and levels along the second;
                           NULL: rows are not cut */
    level_range *chunk[2]; /* [chunks] of all cells of a chunk; low > high: it has none */
    slab_bounds *bounds;   /* [slabs] */
    uint64_t *count;       /* [slabs] primitives in each */
    int32_t *object;       /* [vertices] where objects are connected components; NULL */
    partition_bodies bodies;
};

#define PARTITION_ROWS ((uint64_t)1 << 15) /* vertices that are read at a time */

/* A bit for each vertex. */
static inline int bit_of(const uint64_t *bits, uint64_t i)
{
    return (int)(bits[i / 64] >> i % 64 & 1);
}

static inline void bit_set(uint64_t *bits, uint64_t i)
{
    bits[i / 64] |= (uint64_t)1 << i % 64;
}

static inline uint64_t bit_words(uint64_t bits)
{
    return bits / 64 + 1;
}

/* The body of a vertex, or NO_BODY. `near`: that of another vertex, which mostly is the same. */
static inline uint32_t partition_body_of(const partition_bodies *b, uint64_t v, uint32_t near)
{
    const uint32_t row = b->row[v];
    uint32_t low = 0, high = b->count;
    if (row == NO_BODY)
        return NO_BODY;
    if (near < b->count && b->start[near] <= row && row < b->start[near + 1])
        return near;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (b->start[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Points of bodies, which are read for any vertices. */
typedef struct partition_rest {
    batch_partition *s;
    uint64_t *key; /* [PARTITION_ROWS] */
    double *rows;  /* [3 * PARTITION_ROWS] */
} partition_rest;

/* store_cut_bodies.c. Close also after an error. */
int partition_rest_open(batch_partition *s, partition_rest *r);
void partition_rest_close(partition_rest *r);

/* Of n vertices, at most PARTITION_ROWS: those of vertex[], or NULL: from the first one on. What is
 * of no body stays as it is in out[3 * n]. */
int partition_rest_read(partition_rest *r, uint64_t first, const uint32_t *vertex, size_t n,
                        double *out);

void partition_bodies_free(mem *m, partition_bodies *b);

/* Bytes of the bodies in a slab of so many vertices; adds to `besides` what finding all takes. */
uint64_t partition_bodies_bytes(const batch_partition *s, uint64_t vertices, uint64_t *besides);

/* What a primitive with these corners spans; 0: it is bad. */
static inline int cell_level_range(const level_range *range, const uint32_t *corner,
                                   uint32_t corners, level_range *out)
{
    level_range s = range[corner[0]];
    int good = s.low != LEVEL_BAD;
    for (uint32_t k = 1; k < corners; k++) {
        const level_range at = range[corner[k]];
        good &= at.low != LEVEL_BAD;
        s.low = at.low < s.low ? at.low : s.low;
        s.high = at.high > s.high ? at.high : s.high;
    }
    *out = s;
    return good;
}

/* Along which axes a primitive begins before the slab, as bits; -1: it is not in the slab. */
static inline int cell_begins_before(const batch_partition *s, const slab_bounds *at,
                                     const uint32_t *corner)
{
    level_range x, y;
    const uint32_t corners = s->cells.corners;
    if (!cell_level_range(s->range[0], corner, corners, &x) || x.low > at->row || x.high < at->row)
        return -1;
    if (!s->range[1])
        return x.low < at->row;
    cell_level_range(s->range[1], corner, corners, &y);
    if (y.low > at->last || y.high < at->begin)
        return -1;
    return (x.low < at->row) | (y.low < at->begin) << 1;
}

/* May a chunk have cells in it? */
static inline int slab_reaches_chunk(const batch_partition *s, const slab_bounds *at,
                                     uint64_t chunk)
{
    const level_range x = s->chunk[0][chunk];
    if (x.low > at->row || x.high < at->row)
        return 0;
    return !s->range[1] ||
           (s->chunk[1][chunk].low <= at->last && s->chunk[1][chunk].high >= at->begin);
}

#endif
