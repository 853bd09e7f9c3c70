/* Private to the tiles: the state of the method. */
#ifndef IMP_BROAD_TILES_H
#define IMP_BROAD_TILES_H

#include "broad.h"
#include "parallel.h"
#include "tiles.h"

/* The size classes of each frame, and the order of primitives. */
typedef struct tile_ranks {
    int several;               /* some frame has several classes */
    buffer_u32 class0, record; /* tiles.cl */
    uint32_t buckets;          /* sum over all classes */
    uint32_t *rank0;           /* [frames + 1] like block_view.prim0, but counts only primitives
                                * with entries */
    size_t rank0_bytes;        /* bytes allocated for rank0 */
    buffer_u32 rank0_buf;      /* rank0 on the device */
    buffer_u32 bipartite;      /* [frames] as normalisation.bipartite */
    buffer_u32 histogram;      /* size histogram of each frame */
    buffer_u32 key, id;        /* by rank: bucket of the first tile, primitive */
    buffer_f32 sorted;         /* boxes by rank */
    buffer_u8 own;             /* classes by rank */
} tile_ranks;

typedef struct tile_entries {
    buffer_u32 count;           /* entries of each rank */
    buffer_u64 offset, visitor; /* first entry of each rank: in its own class, and as a visitor */
    uint64_t own, visitors;     /* entries in the own class, and visitors' entries after them */
    uint32_t rank_bits, bucket_bits; /* bits of an entry: hash.h */
    buffer_u32 key, value;
    buffer_u64 start;  /* [buckets + 1] first entries, for searches */
    buffer_u64 entry0; /* [frames + 1] first entry of each frame */
    buffer_u32 group0; /* [frames + 1] first group of each frame */
} tile_entries;

typedef struct tiles {
    int by_strip; /* by strip, along chains */
    int visits;   /* entries of visitors give the pairs of two classes, too */
    int looks;    /* primitives search all classes, or only those of larger cubes if by_strip */
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

/* Classes per frame: each begins with a size that occurs, and holds TILES_CLASS bins. */
#define TILE_CLASSES_MOST (TILES_PARTS * (TILES_BINS / TILES_CLASS))

/* Writes the classes of one frame to out, the largest first, and returns their number: 0 for a
 * frame without primitives. A part has at most log2(R) + 2 classes, where R is the ratio of its
 * largest cube to its smallest of nonzero size. Cubes of a class differ by less than a factor of
 * two. `most` is the edge of a class's tiles. histogram: [TILES_PARTS * TILES_BINS], with sizes
 * numbered as by size_bins; out: [TILE_CLASSES_MOST]. */
uint32_t tile_classes(const uint32_t *histogram, uint32_t bipartite, size_class *out);

/* log2 of the number of buckets of a class with `prims` primitives, in a frame with `all` and a
 * view with `view_prims`. */
uint32_t tile_bits(uint32_t prims, uint32_t all, uint32_t view_prims);

#endif
