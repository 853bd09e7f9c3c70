/* Within store_cut.c (slabs), store_cut_levels.c (levels), store_cut_look.c (what these are made
 * of) and store_cut_bodies.c (rigid bodies). */
#ifndef IMP_STORE_CUT_H
#define IMP_STORE_CUT_H

#include "store_slab.h"

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

/* Sorts the sample, and sets the frame's box and margin. store_cut_levels.c */
void partition_use_sample(partition_build *c);

/* The levels of all vertices along an axis, at most so many: c->levels becomes their number. */
int partition_level_ranges(partition_build *c, int axis, uint32_t levels, level_range *range);

#endif
