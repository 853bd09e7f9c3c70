/* Within store_cut.c (where slabs begin and end) and store_slab.c (what is in one). */
#ifndef IMP_STORE_SLAB_H
#define IMP_STORE_SLAB_H

#include "store_pieces.h"
#include "store_space.h"

/* The first and last row or level along an axis that bounds reach around a vertex. */
typedef struct slab_span {
    uint16_t low, high;
} slab_span;

#define SPAN_BAD UINT16_MAX /* as `low`: the vertex is not finite */

/* Where a slab is: its row, and its first and last level in it; begin > last: nowhere. */
typedef struct slab_place {
    uint16_t row, begin, last;
} slab_place;

/* The rigid bodies of a step in which one turns. All zero: none does. */
typedef struct space_bodies {
    uint32_t count;  /* of the file */
    uint32_t *row;   /* [vertices] the number of its point among those of all bodies that the frame
                        has, which follow each other; NO_BODY: of none */
    uint32_t *start; /* [count + 1] where those of each body begin, and the end */
    double *grow;    /* [count] by how much its bounds grow; 0: it does not turn */
} space_bodies;

struct batch_space {
    batch *b;
    batch_space_def def;
    batch_space_info info;
    batch_pieces cells;
    slab_span *span[2];  /* [vertices] rows along the first axis, and levels along the second; NULL:
                            rows are not cut */
    slab_span *piece[2]; /* [pieces] of all cells of a piece; low > high: it has none */
    slab_place *place;   /* [slabs] */
    uint64_t *count;     /* [slabs] primitives in each */
    int32_t *object;     /* [vertices] where objects are connected components; NULL */
    space_bodies bodies;
};

#define SPACE_ROWS ((uint64_t)1 << 15) /* vertices that are read at a time */

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
static inline uint32_t space_body_of(const space_bodies *b, uint64_t v, uint32_t near)
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
typedef struct space_rest {
    batch_space *s;
    uint64_t *key; /* [SPACE_ROWS] */
    double *rows;  /* [3 * SPACE_ROWS] */
} space_rest;

/* store_cut_bodies.c. Close also after an error. */
int space_rest_open(batch_space *s, space_rest *r);
void space_rest_close(space_rest *r);

/* Of n vertices, at most SPACE_ROWS: those of vertex[], or NULL: from the first one on. What is of
 * no body stays as it is in out[3 * n]. */
int space_rest_read(space_rest *r, uint64_t first, const uint32_t *vertex, size_t n, double *out);

void space_bodies_free(mem *m, space_bodies *b);

/* Bytes of the bodies in a slab of so many vertices; adds to `besides` what finding all takes. */
uint64_t space_bodies_bytes(const batch_space *s, uint64_t vertices, uint64_t *besides);

/* What a primitive with these corners spans; 0: it is bad. */
static inline int cell_span(const slab_span *span, const uint32_t *corner, uint32_t corners,
                            slab_span *out)
{
    slab_span s = span[corner[0]];
    int good = s.low != SPAN_BAD;
    for (uint32_t k = 1; k < corners; k++) {
        const slab_span at = span[corner[k]];
        good &= at.low != SPAN_BAD;
        s.low = at.low < s.low ? at.low : s.low;
        s.high = at.high > s.high ? at.high : s.high;
    }
    *out = s;
    return good;
}

/* Along which axes a primitive begins before the slab, as bits; -1: it is not in the slab. */
static inline int cell_in(const batch_space *s, const slab_place *at, const uint32_t *corner)
{
    slab_span x, y;
    const uint32_t corners = s->cells.corners;
    if (!cell_span(s->span[0], corner, corners, &x) || x.low > at->row || x.high < at->row)
        return -1;
    if (!s->span[1])
        return x.low < at->row;
    cell_span(s->span[1], corner, corners, &y);
    if (y.low > at->last || y.high < at->begin)
        return -1;
    return (x.low < at->row) | (y.low < at->begin) << 1;
}

/* May a piece have cells in it? */
static inline int piece_in(const batch_space *s, const slab_place *at, uint64_t piece)
{
    const slab_span x = s->piece[0][piece];
    if (x.low > at->row || x.high < at->row)
        return 0;
    return !s->span[1] ||
           (s->piece[1][piece].low <= at->last && s->piece[1][piece].high >= at->begin);
}

#endif
