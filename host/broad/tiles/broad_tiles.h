/* Within the tiles: the state of the method. */
#ifndef IMP_BROAD_TILES_H
#define IMP_BROAD_TILES_H

#include "queries.h"
#include "segments.h"
#include "strips.h"

/* The classes of each frame, and the order of primitives. */
typedef struct tile_ranks {
    int several;               /* classes of one frame */
    buffer_u32 class0, record; /* tiles.cl */
    uint32_t buckets;          /* of all classes */
    uint32_t *rank0;           /* [frames + 1] like block_view.prim0, for those that have entries */
    size_t rank0_bytes;        /* of that memory */
    buffer_u32 rank0_buf;      /* the same */
    buffer_u32 bipartite;      /* [frames] as normalisation.bipartite */
    buffer_u32 histogram;      /* of the sizes of each frame */
    buffer_u32 key, id;        /* by rank: bucket of the first tile, primitive */
    buffer_f32 sorted;         /* boxes, */
    buffer_u8 own;             /* and classes by rank */
} tile_ranks;

typedef struct tile_entries {
    buffer_u32 count;                /* of each rank */
    buffer_u64 offset, visitor;      /* of each rank: its first entry, and its first as a visitor */
    uint64_t own, visitors;          /* in the own class, and those that follow them */
    uint32_t rank_bits, bucket_bits; /* of an entry: hash.h */
    buffer_u32 key, value;
    buffer_u64 start;  /* [buckets + 1], where primitives look */
    buffer_u64 entry0; /* [frames + 1] first of each frame, */
    buffer_u32 group0; /* the same, of groups */
} tile_entries;

typedef struct tiles {
    int by_strip; /* finds pairs along chains */
    int visits;   /* pairs of two classes, too */
    int looks;    /* primitives search: all classes, or with by_strip those of larger cubes */
    tile_ranks ranks;
    tile_entries entries;
    segments segments;
    scanner scan;
    sorter sort;
    queries queries;
    strips strips;
} tiles;

#endif
