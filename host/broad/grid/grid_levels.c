/* Levels by what they cost, so that no shape of the distribution of sizes is expensive: a few large
 * primitives get a level of their own instead of giving all others cells that are too large. */
#include "grid_levels.h"

#include <math.h>

/* The cost of the search for pairs, in units of what a primitive takes that looks in cells of its
 * own size. Found by measuring: folded cloth with all primitives taken for larger than they are (2
 * times: 1.8; 8 times: 11), the same with spheres, which depend little on it (0.9; 2.7), and random
 * triangles whose sizes differ by up to e^8. */
#define LEVEL 64       /* of a level itself: its table has thousands of cells at least */
#define LOOK_EMPTY 0.5 /* to search a level of larger primitives where it has none */
#define LOOK_FULL 5.0  /* and where they are everywhere */
#define FULL_LEAST 64  /* least number of primitives for that */

/* of a primitive by the number of quarter octaves that its size is below its level's cells: the
 * number of partners grows with the square of the ratio, as on surfaces */
static double own_cost(uint32_t below)
{
    double ratio = exp2(below / 4.0);
    return 1 + 0.1 * (ratio * ratio - 1);
}

/* The sizes that occur, the largest first. */
typedef struct sizes {
    uint32_t count;
    uint32_t bin[GRID_BINS], prims[GRID_BINS];
} sizes;

static double bin_area(uint32_t bin)
{
    return exp2(bin / 2.0);
}

static sizes grid_levels_sizes(const uint32_t *histogram)
{
    sizes s;
    s.count = 0;
    for (uint32_t i = GRID_BINS; i-- > 0;)
        if (histogram[i]) {
            s.bin[s.count] = i;
            s.prims[s.count++] = histogram[i];
        }
    return s;
}

/* The cheapest way to divide. best: the cost of the sizes from i on, found for the smallest first;
 * to[i]: where the first of their levels ends. All smaller sizes search that level; a search costs
 * the more, the greater the level's share of the area of both is. */
static void grid_levels_divide(const sizes *s, uint32_t *to)
{
    double best[GRID_BINS + 1], all = 0, all_area = 0;
    best[s->count] = 0;
    for (uint32_t i = s->count; i-- > 0;) {
        all += s->prims[i];
        all_area += s->prims[i] * bin_area(s->bin[i]);
        double cost = LEVEL, area = 0, n = 0, rest = all;
        for (uint32_t j = i; j < s->count; j++) {
            cost += s->prims[j] * own_cost(s->bin[i] - s->bin[j]);
            area += s->prims[j] * bin_area(s->bin[j]);
            n += s->prims[j];
            rest -= s->prims[j];
            double full = area / all_area * fmin(1, n / FULL_LEAST);
            double sum = cost + rest * (LOOK_EMPTY + LOOK_FULL * full) + best[j + 1];
            if (j == i || sum < best[i]) {
                best[i] = sum;
                to[i] = j + 1;
            }
        }
    }
}

static uint32_t part_levels(const uint32_t *histogram, uint32_t part, size_class *out)
{
    uint32_t to[GRID_BINS] = {0}, n = 0;
    sizes s = grid_levels_sizes(histogram);
    grid_levels_divide(&s, to);
    for (uint32_t i = 0; i < s.count; n++) {
        out[n] = (size_class){.part = part, .most = size_bin_end(GRID_OCTAVES, s.bin[i])};
        for (uint32_t end = to[i]; i < end; i++)
            out[n].prims += s.prims[i];
    }
    return n;
}

uint32_t grid_levels(const uint32_t *histogram, uint32_t bipartite, size_class *out)
{
    uint32_t n = size_classes(histogram, GRID_BINS, bipartite, part_levels, out);
    if (!n)
        out[0] = (size_class){.most = 1};
    return n ? n : 1;
}
