/* See tile_classes.h. The paper has tiles of the smallest cube. Here they are of the largest one of
 * a class: a box covers 8 of them, not 27. With the smallest, finding the pairs of four scenes took
 * 1.3 to 3.4 times as long on a CPU. */
#include "tile_classes.h"

#include "prim.h"

#include <string.h>

_Static_assert(2 * BOUND_REACH < 1 << (TILES_BINS / 4 - TILES_OCTAVES),
               "no cube is as large as bins");

/* Cubes without a size count as the smallest that has one; where there is none, tiles are as many
 * as primitives. */
static uint32_t sizeless(uint32_t prims, uint32_t part, uint32_t n, size_class *out)
{
    float most = 1;
    if (n && prims)
        out[n - 1].prims += prims;
    if (n || !prims)
        return n;
    for (uint32_t left = prims; left > 1; left /= 8)
        most /= 2;
    out[0] = (size_class){.prims = prims, .part = part, .most = most};
    return 1;
}

/* The smallest first, as classes begin with the smallest size that is in none. */
static uint32_t part_classes(const uint32_t *histogram, uint32_t part, size_class *out)
{
    size_class up[SIZE_CLASSES_MOST];
    uint32_t n = 0;
    for (uint32_t bin = 1, first = 0; bin < TILES_BINS; bin++) {
        if (!histogram[bin])
            continue;
        if (!n || bin - first >= TILES_CLASS) {
            up[n++] = (size_class){.part = part};
            first = bin;
        }
        up[n - 1].prims += histogram[bin];
        up[n - 1].most = size_bin_end(TILES_OCTAVES, bin);
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = up[n - 1 - i];
    return sizeless(histogram[0], part, n, out);
}

uint32_t tile_classes(const uint32_t *histogram, uint32_t bipartite, size_class *out)
{
    return size_classes(histogram, TILES_BINS, bipartite, part_classes, out);
}

/* least power of two that is not less, as its log2 */
static uint32_t bits_up(uint64_t n)
{
    uint32_t bits = 0;
    while (bits < 31 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

/* Two to four buckets for each primitive. All others of the frame may look into a small class, and
 * should find nothing in most of its buckets: it has at least LOOKED_LEAST, where that is little
 * beside all others. */
#define LOOKED_LEAST 1024
#define LOOKED_SHARE 32
#define BLOCK_PLENTY (1u << 28) /* primitives; above it numbers of buckets would not fit 32 bits   \
                                 */

uint32_t tile_bits(uint32_t prims, uint32_t all, uint32_t view)
{
    uint64_t least = all / LOOKED_SHARE < LOOKED_LEAST ? all / LOOKED_SHARE : LOOKED_LEAST;
    uint64_t want = view < BLOCK_PLENTY ? 2 * (uint64_t)prims : prims / 2;
    return bits_up(want > least ? want : least);
}
