/* Within the tiles: the state of the method. */
#ifndef IMP_BROAD_TILES_H
#define IMP_BROAD_TILES_H

#include "broad.h"
#include "parallel.h"
#include "tiles.h"

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

/* ---- Divides the primitives of a frame into classes by their bounding cubes (kernels/tiles.cl).
 */

/* Of a frame: each begins with a size that occurs, and holds TILES_CLASS bins. */
#define TILE_CLASSES_MOST (TILES_PARTS * (TILES_BINS / TILES_CLASS))

/* Classes of one frame, the largest first; returns how many: none for a frame without primitives.
 * A part has at most log2(R) + 2, R its largest cube by its smallest one that has a size. Cubes
 * of a class differ by less than a factor of two. `most` is the edge of a class's tiles.
 * histogram: [TILES_PARTS * TILES_BINS], as size_bins numbers sizes; out: [TILE_CLASSES_MOST]. */
uint32_t tile_classes(const uint32_t *histogram, uint32_t bipartite, size_class *out);

/* log2 of the buckets of a class with that many primitives, of a frame that has `all` and a view
 * that has `view`. */
uint32_t tile_bits(uint32_t prims, uint32_t all, uint32_t view_prims);

#endif
