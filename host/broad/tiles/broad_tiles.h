/* Within the tiles: the state of the method. */
#ifndef IMP_BROAD_TILES_H
#define IMP_BROAD_TILES_H

#include "queries.h"
#include "segments.h"
#include "strips.h"

typedef struct tile_table {
    buffer_u32 bipartite;      /* [frames] as units.bipartite */
    buffer_u32 histogram;      /* of the sizes of each frame */
    buffer_u32 class0, record; /* classes of each frame: tiles.cl */
    uint32_t buckets;          /* of all classes */
    uint32_t *rank0;           /* [frames + 1] like view.prim0, for those that have entries */
    size_t rank0_bytes;        /* of that memory */
    buffer_u32 rank0_buf;      /* the same */
    buffer_u32 key, id;        /* by rank: bucket of the first tile, primitive */
    buffer_f32 sorted;         /* boxes by rank */
    buffer_u8 own;             /* classes by rank */
    buffer_u32 count;          /* tiles by rank */
    buffer_u64 offset;         /* first entry by rank */
    buffer_u32 bucket, rank;   /* of each entry */
    buffer_u64 start;          /* [buckets + 1] */
    uint64_t entries;
} tile_table;

typedef struct tiles {
    int by_strip;
    tile_table table;
    segments segments;
    scanner scan;
    sorter sort;
    queries queries;
    strips strips;
} tiles;

#endif
