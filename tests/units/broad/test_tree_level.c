/* The level that hybrid trees choose where nobody says one (tree_level.c): queries of real motions
 * cost about as little with it as with any. Costs are counts, so they are the same everywhere. */
#include "expect.h"
#include "made.h"
#include "variants.h"

#define MOST 1.1  /* times the least of all levels */
#define LEVELS 20 /* more than the trees have */

typedef struct motion {
    const char *scene;
    uint64_t triangles, frames;
    const int32_t (*pair)[2]; /* of objects */
    size_t pairs;
} motion;

/* In tests of two spheres: what descents and pairs of leaves cost. */
static double cost_of(const imp_profile *p, int leaf)
{
    return (double)p->volume_tests + (double)p->obb_tests + 0.4 * (double)p->axes +
           (20 + 0.02 * leaf * leaf) * (double)p->leaf_pairs;
}

static double cost_at(const made *m, const motion *what, int leaf, int level, size_t *contacts)
{
    const way w = {.name = "cpu", .device = "cpu", .threads = 1};
    const variant v = {.volume = IMP_VOLUME_HYBRID, .leaf = leaf, .degree = 2, .level = level};
    imp_def def = variant_def(&v);
    contact_list found;
    imp_profile told;
    def.object_pair = what->pair;
    def.object_pairs = what->pairs;
    variant_detect(&w, &def, m, &found, &told);
    *contacts = found.count;
    contact_list_free(&found);
    return cost_of(&told, leaf);
}

static void check_motion(const motion *what, int leaf)
{
    made m;
    size_t contacts, same;
    double least = INFINITY;
    int best = 0;
    CU_ASSERT_FATAL(made_procedural(what->scene, what->triangles, what->frames, 1, &m));
    const double own = cost_at(&m, what, leaf, 0, &contacts);
    for (int level = 1; level <= LEVELS; level += 1 + level / 6) {
        const double one = cost_at(&m, what, leaf, level, &same);
        best = one < least ? level : best;
        least = one < least ? one : least;
        CU_ASSERT_EQUAL(same, contacts);
    }
    CU_ASSERT(contacts > 0);
    EXPECT(own <= MOST * least, "%s, leaves of %d: the chosen level costs %.0f, level %d %.0f",
           what->scene, leaf, own, best, least);
    made_free(&m);
}

/* The missile, object 2, with the terrain and with the building. */
static void test_flight(void)
{
    static const int32_t pair[2][2] = {{0, 2}, {1, 2}};
    const motion missile = {"missile", 20000, 240, pair, 2};
    for (int leaf = TEST_SLOW ? 4 : 1; leaf <= (TEST_SLOW ? 4 : 16); leaf *= 4)
        check_motion(&missile, leaf);
}

/* Bodies that touch all over. */
static void test_touching(void)
{
    static const int32_t pair[1][2] = {{0, 1}};
    check_motion(&(motion){"dense", 10000, 2, pair, 1}, 1);
    check_motion(&(motion){"dense", 10000, 2, pair, 1}, 4);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"flight", test_flight}, {"touching", test_touching}, {0}};
    return test_main(argc, argv, "tree_level", tests);
}
