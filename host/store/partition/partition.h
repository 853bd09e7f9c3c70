/* A frame in partitions: where slabs begin and end, and what is in one. */
#ifndef IMP_PARTITION_H
#define IMP_PARTITION_H

#include "batch_pieces.h"
#include "store_partition.h"

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

/* partition_scan.c. Close also after an error. */
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

/* ---- Within partition.c (slabs), partition.c (levels), partition_scan.c (what these are made
 * of) and partition_scan.c (rigid bodies). */

#define PARTITION_SAMPLE ((size_t)1 << 17) /* vertices of an instant */

/* Where a row begins, and its first slab. */
typedef struct partition_row {
    uint16_t level;
    uint32_t first;
} partition_row;

/* A frame while it is cut. members: workspaces, and what is known of the axis that was tried last
 */
typedef struct partition_build {
    batch_partition *s;
    uint64_t *used, *bad; /* bits of vertices: of primitives; not finite */
    uint64_t bad_vertices;
    double *rows; /* [3 * PARTITION_ROWS] */
    /* of used finite vertices */
    double lo[3], hi[3];
    double half;       /* of the largest extent of an instant */
    double *sample[3]; /* [samples] of each axis, ascending */
    size_t samples, stride, next;
    double margin;
    double cut_part[3]; /* of each axis that was tried: the part of all primitives that a border
                           cuts */
    /* of the axis that was tried last */
    int axis;
    double *bound; /* [levels - 1] where levels begin, but the first */
    uint32_t levels;
    uint64_t *low, *high; /* [levels + 1] primitives whose bounds are below a level */
    partition_row *row;   /* [rows_found + 1] */
    uint32_t rows_found;
    uint64_t good, copies; /* primitives; of all rows */
} partition_build;

/* A frame has one instant, a step two. */
static inline int partition_instants(const partition_build *c)
{
    return 1 + (c->s->def.next != c->s->def.frame);
}

static inline uint64_t partition_instant(const partition_build *c, int i)
{
    return i ? c->s->def.next : c->s->def.frame;
}

/* The objects of the frame. */
int partition_find_objects(batch_partition *s);

/* Checks the rigid bodies of both instants. s->bodies: those of a step in which one turns. */
int partition_find_bodies(batch_partition *s);

/* With the tolerance of the frame, once that is known. */
void partition_set_growth(partition_build *c);

/* The vertices that finite primitives use, their box and a sample. */
int partition_scan(partition_build *c);

/* Reads n vertices of a frame into c->rows. */
int partition_read_vertices(partition_build *c, uint64_t frame, uint64_t first, uint64_t n);

/* Sorts the sample, and sets the frame's box and margin. partition.c */
void partition_use_sample(partition_build *c);

/* The levels of all vertices along an axis, at most so many: c->levels becomes their number. */
int partition_level_ranges(partition_build *c, int axis, uint32_t levels, level_range *range);

#endif
