/* Levels of sizes (broad_grid.c): every primitive is in a level that can hold it, and a few that
 * are larger than all others do not determine the cells of the others. */
#include "grid_levels.h"
#include "testlib.h"

#include <string.h>

#define MANY 90000
#define MIDDLE 60 /* a bin */

static uint32_t level_histogram[GRID_PARTS * GRID_BINS];
static size_class level[GRID_LEVELS_MOST];

static float grid_levels_test_bin_least(uint32_t bin)
{
    uint32_t bits = (((127u - GRID_OCTAVES) << 2) + bin) << 21;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* the last level of a part whose cells can hold this size, as chosen by grid_key */
static const size_class *grid_levels_test_level(uint32_t n, uint32_t part, uint32_t bin)
{
    const size_class *own = NULL;
    for (uint32_t i = 0; i < n; i++)
        if (level[i].part == part && grid_levels_test_bin_least(bin) < level[i].most)
            own = &level[i];
    return own;
}

static const char *grid_levels_test_wrong(uint32_t n, uint32_t bipartite)
{
    static uint32_t in[GRID_LEVELS_MOST];
    memset(in, 0, sizeof in);
    if (n < 1 || n > GRID_LEVELS_MOST)
        return "how many";
    for (uint32_t i = 1; i < n; i++)
        if (level[i].most > level[i - 1].most)
            return "not the largest first";
    for (uint32_t part = 0; part < GRID_PARTS; part++)
        for (uint32_t b = 0; b < GRID_BINS; b++)
            if (level_histogram[GRID_BINS * part + b]) {
                const size_class *own = grid_levels_test_level(n, bipartite ? part + 1 : 0, b);
                if (!own)
                    return "a size without a level";
                in[own - level] += level_histogram[GRID_BINS * part + b];
            }
    for (uint32_t i = 0; i < n; i++)
        if (level[i].prims != in[i])
            return "other primitives than it counts";
    return NULL;
}

static uint32_t grid_levels_test_levels(uint32_t bipartite)
{
    uint32_t n = grid_levels(level_histogram, bipartite, level);
    const char *what = grid_levels_test_wrong(n, bipartite);
    if (what)
        printf("\n    %s ", what);
    CU_ASSERT_PTR_NULL(what);
    return n;
}

static void test_grid_levels_any(void)
{
    rng r = {3};
    for (int i = 0; i < 2000; i++) {
        uint32_t bipartite = (uint32_t)i & 1;
        memset(level_histogram, 0, sizeof level_histogram);
        for (uint32_t k = 0; k < 1 + (uint32_t)i % 40; k++) {
            uint32_t bin = (uint32_t)(rng_unit(&r) * GRID_BINS);
            if (bipartite && rng_unit(&r) < 0.5)
                bin += GRID_BINS;
            level_histogram[bin] += (uint32_t)(1 + rng_unit(&r) * (i % 3 ? 1000 : 3));
        }
        grid_levels_test_levels(bipartite);
    }
    memset(level_histogram, 0, sizeof level_histogram);
    CU_ASSERT_EQUAL(grid_levels(level_histogram, 0, level), 1);
    CU_ASSERT_EQUAL(grid_levels(level_histogram, 1, level), 1);
}

/* Sizes within an octave, as in meshes, and one larger by any factor: the many have cells of their
 * own size or little more. */
static void test_grid_levels_outlier(void)
{
    for (uint32_t above = 0; above < 60; above++) {
        memset(level_histogram, 0, sizeof level_histogram);
        for (uint32_t b = 0; b < 4; b++)
            level_histogram[MIDDLE + b] = MANY / 4;
        uint32_t alone = grid_levels_test_levels(0);
        CU_ASSERT_EQUAL(alone, 1);
        level_histogram[MIDDLE + 3 + above]++;
        const size_class *own = grid_levels_test_level(grid_levels_test_levels(0), 0, MIDDLE);
        CU_ASSERT(own && own->most <= grid_levels_test_bin_least(MIDDLE + 3 + 4));
    }
}

/* A frame of few primitives is not divided: a table takes longer than testing them. */
static void test_grid_levels_few(void)
{
    memset(level_histogram, 0, sizeof level_histogram);
    for (uint32_t b = MIDDLE; b < MIDDLE + 12; b++)
        level_histogram[b] = 1;
    CU_ASSERT_EQUAL(grid_levels_test_levels(0), 1);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"any", test_grid_levels_any},
                                 {"outlier", test_grid_levels_outlier},
                                 {"few", test_grid_levels_few},
                                 {0}};
    return test_main(argc, argv, "levels", tests);
}
