/* Finds overlapping boxes by hashed tiles of several sizes, which are updated when boxes change. */
#ifndef IMP_PCS_TILES_H
#define IMP_PCS_TILES_H

#include "mem.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- A tile: size classes, tile numbers, and their hash. */

#define PCS_CLASS_LEAST (-1000) /* smaller edges count as 2^-1000, whose inverse is a float64 */
#define PCS_CLASS_MOST 1024
#define PCS_CLASSES (PCS_CLASS_MOST - PCS_CLASS_LEAST + 1)

/* Coordinates beyond that are in the last tile. Tile numbers still ascend with coordinates, which
 * suffices to find each pair exactly once. */
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

/* The inverse of the edge of its tiles. Assembled from bits, since it is needed for each tile. */
static inline double pcs_class_scale(int class)
{
    double scale;
    const uint64_t bits = (uint64_t)(1023 - class) << 52;
    if (class >= 1023)
        return ldexp(1, -class); /* denormal */
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* The floor of x times the scale, without a library call. */
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

/* The range of a box's tiles in a class, both ends inclusive. */
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

/* Its lower bits are the bucket. Eight tiles of a cube have adjacent buckets, so a box in several
 * of them reads one cache line. Adjacent tiles, also at an edge or a corner, never have the same
 * hash. Multiplications may wrap. */
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

/* ---- The broad phase of method A: finds overlapping boxes by hashed tiles, which are updated when
 * boxes change.
 *
 * The edge of a box is its longest one. Boxes are in classes by powers of two of their edges, so R
 * <= 2 in each, and the tiles of a class have its greatest edge: a box of it is in at most 2 of
 * them along an axis. A body searches for partners in the tiles of its own class and of larger
 * ones. Two boxes are found in one tile only, that of the lower corner of their intersection, in
 * the class of the larger one. */

#define PCS_BODIES_MOST (UINT32_C(1) << 28) /* a body has up to 8 entries, numbered in 32 bits */

/* A body. Bodies near each other in space are near each other in memory. */
typedef struct pcs_place {
    double box[6]; /* as last entered */
    uint32_t body;
    int class;
} pcs_place;

/* An entry: a body in a tile. */
typedef struct pcs_tile {
    uint32_t next; /* next entry of the bucket, or PCS_NO_TILE */
    uint32_t hash; /* hash of the tile; its lower bits are the bucket */
    uint32_t of;   /* 8 * place, plus 1 2 4 for the second of its tiles along x y z; PCS_NO_TILE:
                    * free */
} pcs_tile;

typedef struct pcs_tiles {
    uint32_t bodies;
    const double (*box)[6];       /* [bodies] low x y z, high */
    pcs_place *place;             /* [bodies] along the curve, larger classes first */
    uint32_t *place_of;           /* [bodies] */
    struct pcs_curve_entry *spot; /* [2 * bodies] */
    uint32_t body_capacity;       /* number of bodies that these are allocated for */
    uint32_t *bucket;             /* [buckets] first entry of each, or PCS_NO_TILE */
    uint32_t buckets;             /* a power of two */
    pcs_tile *tile;               /* entries in buckets, and free ones */
    size_t tiles, capacity;
    uint32_t spare;                     /* first free entry */
    uint32_t in_class[PCS_CLASSES];     /* number of bodies in each class */
    int present[PCS_CLASSES], presents; /* nonempty classes, ascending */
} pcs_tiles;

#define PCS_NO_TILE UINT32_MAX

/* The tile of an entry. */
static inline void pcs_tile_at(const pcs_place *p, uint32_t of, int64_t at[3])
{
    const double scale = pcs_class_scale(p->class);
    for (int k = 0; k < 3; k++)
        at[k] = pcs_tile_of(p->box[k], scale) + (of >> k & 1);
}

/* Returns whether the tile contains the lower corner of the boxes' intersection. */
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

/* Enters all boxes and discards earlier ones. They must be finite, low <= high, and stay valid.
 * Edges of 0 count as the smallest nonzero one. Errors: MEMORY. */
int pcs_tiles_make(mem *m, pcs_tiles *t, const double (*box)[6], uint32_t bodies);
void pcs_tiles_free(mem *m, pcs_tiles *t);

/* Call before and after a change of a body's box. Errors: MEMORY. */
void pcs_tiles_remove(pcs_tiles *t, uint32_t body);
int pcs_tiles_add(mem *m, pcs_tiles *t, uint32_t body);

/* Adds all pairs with overlapping or touching boxes, each once. Errors: MEMORY. */
int pcs_tiles_all_pairs(mem *m, const pcs_tiles *t, pcs_pairs *out);

/* Adds the pairs of one body with any other. Errors: MEMORY. */
int pcs_tiles_pairs_of_body(mem *m, const pcs_tiles *t, uint32_t body, pcs_pairs *out);

/* Sorts by (a, b). Errors: MEMORY. */
int pcs_pairs_sort(mem *m, pcs_pairs *p, uint32_t bodies);

#endif
