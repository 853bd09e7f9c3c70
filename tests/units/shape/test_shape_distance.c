/* The distance of two shapes against brute force in long double: it differs by at most the error
 * that is stated with it, which is small, and points are where the shapes are. */
#include "expect.h"
#include "shape_cases.h"

#include <math.h>
#include <string.h>

static mem store;

typedef struct worst {
    double off, stated; /* parts of the size */
    uint64_t cases, steps, none, searched;
} worst;

static double size_of(const body *a, const pose_map *pa, const body *b, const pose_map *pb)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = pb->t[k] - pa->t[k];
    return shape_radius(a->s) + shape_radius(b->s) + pose_length(d);
}

/* Returns 0 if something is wrong. */
static int check(const char *what, const body *a, const pose_map *pa, const body *b,
                 const pose_map *pb, shape_pair *kept, worst *w)
{
    shape_nearest n;
    shape_distance(a->s, pa, b->s, pb, kept, &n);
    const double size = size_of(a, pa, b, pb);
    const long double want =
        true_distance(a, pa, b, pb, shape_is_convex(a->s) && shape_is_convex(b->s));
    const double off = (double)fabsl((long double)n.distance - want);
    EXPECT(off <= n.error, "%s: %.17g, not %.17Lg: error %g stated %g", what, n.distance, want, off,
           n.error);
    EXPECT(off <= 1e-9 * size && n.error <= 1e-9 * size, "%s: off %g, stated %g of %g", what, off,
           n.error, size);
    w->off = fmax(w->off, off / size);
    w->stated = fmax(w->stated, n.error / size);
    w->cases++;
    w->steps += n.steps;
    w->none += n.distance == 0;
    w->searched += n.searched != 0;
    return off <= n.error && n.error <= 1e-9 * size;
}

static void print(const char *what, const worst *w)
{
    printf("  %s: %llu cases, %llu at 0, %llu searched, worst %.2g, stated %.2g of the size, %.1f steps\n",
           what, (unsigned long long)w->cases, (unsigned long long)w->none,
           (unsigned long long)w->searched, w->off, w->stated, (double)w->steps / (double)w->cases);
}

/* Convex bodies anywhere. */
static void test_hulls(void)
{
    rng r = {7};
    worst w = {0};
    const uint64_t cases = test_cases(2000);
    for (uint64_t c = 0; c < cases; c++) {
        body a = body_hull(&r, 4 + rng_below(&r, 8)), b = body_hull(&r, 4 + rng_below(&r, 8));
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        CU_ASSERT(shape_is_convex(a.s) && shape_is_convex(b.s));
        const pose_map pa = random_map(&r, 1000), pb = random_map(&r, 2000);
        shape_pair kept = {0};
        check("hulls", &a, &pa, &b, &pb, &kept, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print("hulls", &w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"hulls", test_hulls}, {0}};
    return test_main(argc, argv, "shape_distance", tests);
}
