/* Which boxes overlap, by hashed tiles of several sizes that are kept while boxes change. */
#ifndef IMP_PCS_TILES_H
#define IMP_PCS_TILES_H

#include "mem.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- One tile: classes of sizes, numbers of tiles, and their hash. */

#define PCS_CLASS_LEAST (-1000) /* smaller edges count as 2^-1000, whose inverse is a float64 */
#define PCS_CLASS_MOST 1024
#define PCS_CLASSES (PCS_CLASS_MOST - PCS_CLASS_LEAST + 1)

/* Beyond that all is in the last tile. Tiles still ascend with coordinates, which is all that
 * finding a pair, and finding it once, needs. */
#define PCS_FARTHEST 0x1p62

static inline double pcs_box_edge(const double box[6])
{
    const double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
    const double xy = x > y ? x : y;
    return xy > z ? xy : z;
}

/* 2^(class - 1) <= edge < 2^class, by the exponent's bits. */
static inline int pcs_edge_class(double edge)
{
    uint64_t bits;
    memcpy(&bits, &edge, sizeof bits);
    const int class = (int)(bits >> 52 & 0x7ff) - 1022;
    return class < PCS_CLASS_LEAST  ? PCS_CLASS_LEAST
           : class > PCS_CLASS_MOST ? PCS_CLASS_MOST
                                    : class;
}

/* One over the edge of its tiles. Bits are put together, since this is asked for each tile. */
static inline double pcs_class_scale(int class)
{
    double scale;
    const uint64_t bits = (uint64_t)(1023 - class) << 52;
    if (class >= 1023)
        return ldexp(1, -class); /* below the normal numbers */
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* The floor of x times the scale, without a call. */
static inline int64_t pcs_tile_of(double x, double scale)
{
    const double y = x * scale;
    if (!(y < PCS_FARTHEST))
        return (int64_t)PCS_FARTHEST;
    if (!(y > -PCS_FARTHEST))
        return (int64_t)-PCS_FARTHEST;
    const int64_t tile = (int64_t)y;
    return tile - ((double)tile > y);
}

/* The tiles of a box in a class, from first to last. */
typedef struct tile_range {
    int64_t first[3], last[3];
} tile_range;

static inline tile_range pcs_box_tiles(const double box[6], int class)
{
    tile_range r;
    const double scale = pcs_class_scale(class);
    for (int k = 0; k < 3; k++) {
        r.first[k] = pcs_tile_of(box[k], scale);
        r.last[k] = pcs_tile_of(box[3 + k], scale);
    }
    return r;
}

/* Its lower bits are the bucket. Eight tiles of a cube have buckets in a row: a box that is in
 * several of them then reads one line of the cache. Tiles that are side by side, also at an edge or
 * a corner, never have the same hash. Multiplications may wrap. */
static inline uint32_t pcs_tile_hash(int64_t i, int64_t j, int64_t k, int class)
{
    const uint64_t x = (uint64_t)i, y = (uint64_t)j, z = (uint64_t)k;
    const uint64_t h = (x >> 1) * UINT64_C(0x9e3779b97f4a7c15) ^
                       (y >> 1) * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                       (z >> 1) * UINT64_C(0x165667b19e3779f9) ^
                       (uint64_t)(class - PCS_CLASS_LEAST) * UINT64_C(0xd6e8feb86659fd93);
    const uint64_t mixed = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(mixed >> 32 << 3 | (x & 1) | (y & 1) << 1 | (z & 1) << 2);
}

/* ---- Which boxes overlap, by hashed tiles: the broad phase of method A, kept while boxes change.
 *
 * The edge of a box is its longest one. Boxes are in classes by powers of two of their edges, so
 * R <= 2 in each, and the tiles of a class have its greatest edge: a box of it is in at most 2 of
 * them along an axis. A body looks for partners in the tiles of its own class and of larger ones.
 * Two boxes are found in one tile only, that of the lower corner of their intersection, in the
 * class of the larger one. */

#define PCS_BODIES_MOST (UINT32_C(1) << 28) /* 8 entries of each have 32-bit numbers */

/* A body. Those that are near each other in space are near each other in memory. */
typedef struct pcs_place {
    double box[6]; /* as it was entered */
    uint32_t body;
    int class;
} pcs_place;

/* An entry: a body in a tile. */
typedef struct pcs_tile {
    uint32_t next; /* of the bucket, or PCS_NO_TILE */
    uint32_t hash; /* of the tile, whose bits also are the bucket's number */
    uint32_t of; /* 8 * place, and 1 2 4 for the second of its tiles along x y z; or PCS_NO_TILE */
} pcs_tile;

typedef struct pcs_tiles {
    uint32_t bodies;
    const double (*box)[6];       /* [bodies] low x y z, high */
    pcs_place *place;             /* [bodies] by pcs_curve, larger classes first */
    uint32_t *place_of;           /* [bodies] */
    struct pcs_curve_entry *spot; /* [2 * bodies] */
    uint32_t body_capacity;       /* bodies that these have memory for */
    uint32_t *bucket;             /* [buckets] first entry of each, or PCS_NO_TILE */
    uint32_t buckets;             /* a power of two */
    pcs_tile *tile;               /* entries of buckets, and free ones */
    size_t tiles, capacity;
    uint32_t spare;                     /* first of the free ones */
    uint32_t in_class[PCS_CLASSES];     /* bodies of each */
    int present[PCS_CLASSES], presents; /* classes that have bodies, ascending */
} pcs_tiles;

#define PCS_NO_TILE UINT32_MAX

/* The tile of an entry. */
static inline void pcs_tile_at(const pcs_place *p, uint32_t of, int64_t at[3])
{
    const double scale = pcs_class_scale(p->class);
    for (int k = 0; k < 3; k++)
        at[k] = pcs_tile_of(p->box[k], scale) + (of >> k & 1);
}

/* Does the tile hold the lower corner of the boxes' intersection? */
static inline int pcs_tile_owns(const double a[6], const double b[6], const int64_t at[3],
                                int class)
{
    const double scale = pcs_class_scale(class);
    for (int k = 0; k < 3; k++)
        if (pcs_tile_of(a[k] > b[k] ? a[k] : b[k], scale) != at[k])
            return 0;
    return 1;
}

/* Pairs of bodies, a < b. */
typedef struct pcs_pairs {
    uint32_t (*at)[2];
    size_t count, capacity;
} pcs_pairs;

/* Adds one. Errors: MEMORY. */
int pcs_pairs_add(mem *m, pcs_pairs *p, uint32_t a, uint32_t b);

/* Enters all boxes, whatever was there. They are finite, low <= high, and stay the caller's. Edges
 * of 0 count as the smallest one that is not 0. Errors: MEMORY. */
int pcs_tiles_make(mem *m, pcs_tiles *t, const double (*box)[6], uint32_t bodies);
void pcs_tiles_free(mem *m, pcs_tiles *t);

/* A body's box is about to change, and has changed. Errors: MEMORY. */
void pcs_tiles_remove(pcs_tiles *t, uint32_t body);
int pcs_tiles_add(mem *m, pcs_tiles *t, uint32_t body);

/* Adds all pairs whose boxes overlap; touching is overlapping. Each once. Errors: MEMORY. */
int pcs_tiles_all_pairs(mem *m, const pcs_tiles *t, pcs_pairs *out);

/* Adds the pairs of one body with any other. Errors: MEMORY. */
int pcs_tiles_pairs_of_body(mem *m, const pcs_tiles *t, uint32_t body, pcs_pairs *out);

/* Sorts by (a, b). Errors: MEMORY. */
int pcs_pairs_sort(mem *m, pcs_pairs *p, uint32_t bodies);

#endif
