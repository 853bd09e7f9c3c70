/* A frame in partitions: the borders and the contents of slabs. */
#ifndef IMP_PARTITION_H
#define IMP_PARTITION_H

#include "batch_pieces.h"
#include "store_partition.h"

/* The first and last row or level along an axis that bounds around a vertex reach. */
typedef struct level_range {
    uint16_t low, high;
} level_range;

#define LEVEL_BAD UINT16_MAX /* value of `low` for a vertex that is not finite */

/* The extent of a slab: its row, and its first and last level in that row; begin > last: empty. */
typedef struct slab_bounds {
    uint16_t row, begin, last;
} slab_bounds;

/* The rigid bodies of a step in which at least one rotates. All zero: none rotates. */
typedef struct partition_bodies {
    uint32_t count;  /* bodies of the file */
    uint32_t *row;   /* [vertices] index of its point among the points of the frame's bodies, which
                        are consecutive; NO_BODY: in no body */
    uint32_t *start; /* [count + 1] first point of each body, and the end */
    double *grow;    /* [count] growth of its bounds; 0: it does not rotate */
} partition_bodies;

/* How an object is in a slab. */
enum object_in { OBJECT_OUT, OBJECT_OWN, OBJECT_CARRIED };

/* Numbers of objects. */
typedef struct object_span {
    uint32_t first, last;
} object_span;

/* The objects of a frame that is cut by objects, numbered in the order of their ids; arrays are
 * [count]. */
typedef struct partition_objects {
    size_t count;
    int32_t *id;                     /* ascending; NULL: components, which have their number */
    uint64_t *primitives, *vertices; /* those that are finite; vertices perhaps too many */
    level_range *range[3];           /* boxes */
    uint32_t *slab;                  /* that the object belongs to */
    uint32_t *along;                 /* objects in the order in which they begin along the axis */
    int axis;
    object_span *chunk; /* [chunks] its least and greatest object; first > last: none */
    uint64_t *bad;      /* bits of vertices that are not finite; NULL: there is none */
    /* of the slab selected last */
    uint8_t *in;         /* enum object_in */
    uint32_t *before;    /* [count + 1] objects in the slab before each, and in all */
    uint32_t *active[2]; /* workspace */
    uint64_t largest;    /* vertices of the slab with the most */
} partition_objects;

#define OBJECT_BYTES 88 /* of partition_objects and of the cut, for each object */

struct batch_partition {
    batch *b;
    batch_partition_def def;
    batch_partition_info info;
    cell_chunks cells;
    level_range *range[2];     /* [vertices] rows along the first axis, and levels along the second;
                                  NULL: rows are not cut */
    level_range *chunk[2];     /* [chunks] union over the cells of a chunk; low > high: empty */
    slab_bounds *bounds;       /* [slabs] */
    uint64_t *count;           /* [slabs] primitives in each */
    int32_t *object;           /* [vertices] if objects are connected components, or NULL */
    partition_objects objects; /* with def.by_objects; range, chunk and bounds are NULL then */
    partition_bodies bodies;
};

#define PARTITION_ROWS ((uint64_t)1 << 15) /* vertices read at a time */

/* Bit sets with a bit for each vertex. */
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

/* Returns the body of a vertex, or NO_BODY. near: the body of another vertex, tried first. */
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

/* Reader of bodies' points, for any set of vertices. */
typedef struct partition_rest {
    batch_partition *s;
    uint64_t *key; /* [PARTITION_ROWS] */
    double *rows;  /* [3 * PARTITION_ROWS] */
} partition_rest;

/* partition_scan.c. Must also be closed after an error. */
int partition_rest_open(batch_partition *s, partition_rest *r);
void partition_rest_close(partition_rest *r);

/* Reads the body points of n vertices, at most PARTITION_ROWS: those of vertex[], or if it is NULL
 * those from `first` on. Entries of out[3 * n] for vertices in no body do not change. */
int partition_rest_read(partition_rest *r, uint64_t first, const uint32_t *vertex, size_t n,
                        double *out);

void partition_bodies_free(mem *m, partition_bodies *b);

/* Returns the bytes of the bodies in a slab of so many vertices; adds to *besides the bytes for
 * finding all bodies. */
uint64_t partition_bodies_bytes(const batch_partition *s, uint64_t vertices, uint64_t *besides);

/* Finds the range of a primitive with these corners; returns 0 if it is bad. */
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

/* Returns the axes along which a primitive begins before the slab, as bits; -1 if it is not in the
 * slab. */
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

/* PART_ bits of a vertex (motion.h). */
static inline uint8_t vertex_part_bits(const batch_partition *s, const slab_bounds *at, uint32_t v)
{
    const uint32_t x = s->range[0][v].low, y = s->range[1] ? s->range[1][v].low : at->begin;
    return (uint8_t)((x < at->row ? PART_BEFORE(0) : 0) | (x > at->row ? PART_AFTER(0) : 0) |
                     (y < at->begin ? PART_BEFORE(1) : 0) | (y > at->last ? PART_AFTER(1) : 0));
}

/* Returns whether a chunk may have cells in the slab. */
static inline int slab_reaches_chunk(const batch_partition *s, const slab_bounds *at,
                                     uint64_t chunk)
{
    const level_range x = s->chunk[0][chunk];
    if (x.low > at->row || x.high < at->row)
        return 0;
    return !s->range[1] ||
           (s->chunk[1][chunk].low <= at->last && s->chunk[1][chunk].high >= at->begin);
}

/* ---- partition_objects.c: slabs of whole objects */

/* The number of an object of a primitive with this id and corner; near: another one's number, which
 * is tried first. */
static inline uint32_t partition_object_number(const batch_partition *s, int32_t id,
                                               uint32_t corner, uint32_t near)
{
    const partition_objects *o = &s->objects;
    size_t low = 0, high = o->count;
    if (s->object)
        return (uint32_t)s->object[corner];
    if (o->id[near] == id)
        return near;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (o->id[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Whether a primitive has a vertex that is not finite. */
static inline int partition_objects_bad(const uint64_t *bad, const uint32_t *corner,
                                        uint32_t corners)
{
    int any = 0;
    for (uint32_t k = 0; k < corners && bad; k++)
        any |= bit_of(bad, corner[k]);
    return any;
}

/* Whether a chunk may have primitives in the slab selected last. */
static inline int partition_objects_reach(const partition_objects *o, uint64_t chunk)
{
    const object_span c = o->chunk[chunk];
    return c.first <= c.last && o->before[c.last + 1] > o->before[c.first];
}

/* Selects the objects of a slab. */
void partition_objects_select(batch_partition *s, uint32_t slab);

void partition_objects_free(mem *m, partition_objects *o);

/* ---- Within partition.c (slabs, levels) and partition_scan.c (objects, used vertices, sample,
 * rigid bodies). */

#define PARTITION_SAMPLE ((size_t)1 << 17) /* vertices sampled from an instant */

/* The level at which a row begins, and its first slab. */
typedef struct partition_row {
    uint16_t level;
    uint32_t first;
} partition_row;

/* A frame while it is cut. members: workspaces, and facts about the axis tried last */
typedef struct partition_build {
    batch_partition *s;
    uint64_t *used, *bad; /* bits of vertices: used by primitives; not finite */
    uint64_t bad_vertices;
    double *rows; /* [3 * PARTITION_ROWS] */
    /* over used finite vertices */
    double lo[3], hi[3];
    double half;       /* half of the largest extent of an instant */
    double *sample[3]; /* [samples] along each axis, ascending */
    size_t samples, stride, next;
    double margin;
    double cut_part[3]; /* by axis: the fraction of primitives that a border cuts */
    /* for the axis tried last */
    int axis;
    double *bound; /* [levels - 1] lower borders of levels, except the first */
    uint32_t levels;
    uint64_t *low, *high; /* [levels + 1] primitives whose low or high bounds are below a level */
    partition_row *row;   /* [rows_found + 1] */
    uint32_t rows_found;
    uint64_t good, copies; /* primitives of the frame; of all rows together */
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

/* Finds the objects of the frame. */
int partition_find_objects(batch_partition *s);

/* Checks the rigid bodies of both instants. Fills s->bodies if one of them rotates. */
int partition_find_bodies(batch_partition *s);

/* Sets the growth of bounds by the frame's tolerance, once that is known. */
void partition_set_growth(partition_build *c);

/* Finds the vertices that finite primitives use, their box and a sample. */
int partition_scan(partition_build *c);

/* Reads n vertices of a frame into c->rows. */
int partition_read_vertices(partition_build *c, uint64_t frame, uint64_t first, uint64_t n);

/* Sorts the sample, and sets the frame's box and margin. partition.c */
void partition_use_sample(partition_build *c);

/* partition_objects.c: cuts the frame by objects. */
int partition_objects_cut(partition_build *c);

/* Finds the levels of all vertices along an axis; sets c->levels, at most `levels`, or twice as
 * many with by_objects. */
int partition_level_ranges(partition_build *c, int axis, uint32_t levels, level_range *range);

#endif
