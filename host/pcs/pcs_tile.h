/* One tile: classes of sizes, numbers of tiles, and their hash. */
#ifndef IMP_PCS_TILE_H
#define IMP_PCS_TILE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

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

#endif
