/* All triangle pairs of two shapes within a distance, against brute force in long double: none
 * within it is missing, none is delivered twice, and additional ones are at most a little farther.
 */
#include "expect.h"
#include "shape_cases.h"
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem store;

typedef struct taken {
    uint8_t *times; /* [triangles of a * of b] */
    uint32_t columns;
    uint64_t count, most; /* the sink returns 77 when count reaches most */
} taken;

static int shape_near_collect(void *with, const uint32_t cell[2])
{
    taken *t = with;
    t->times[(size_t)cell[0] * t->columns + cell[1]]++;
    return ++t->count == t->most ? 77 : 0;
}

static body triangle_of(const body *b, uint32_t t)
{
    body one = *b;
    one.corner = b->corner + (size_t)3 * t;
    one.triangles = 1;
    return one;
}

static body shape_near_test_any_body(rng *r)
{
    const double h[3] = {1, 0.7, 0.4};
    switch (rng_below(r, 5)) {
    case 0:
        return body_sheet(r, 1 + rng_below(r, 6));
    case 1:
        return body_soup(r, 1 + rng_below(r, 20));
    case 2:
        return body_ball(4, h);
    case 3:
        return body_collapsed(body_box(h));
    default:
        return body_grid_box(1 + rng_below(r, 2));
    }
}

static uint64_t near_pairs, all_pairs;

static void shape_near_test_compare(const body *a, const pose_map *pa, const body *b,
                                    const pose_map *pb, double reach, const taken *got)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = pb->t[k] - pa->t[k];
    const double size = shape_radius(a->s) + shape_radius(b->s) + pose_length(d);
    for (uint32_t i = 0; i < a->triangles; i++)
        for (uint32_t k = 0; k < b->triangles; k++) {
            const body p = triangle_of(a, i), q = triangle_of(b, k);
            const double want = (double)true_distance(&p, pa, &q, pb, 0);
            const int times = got->times[(size_t)i * got->columns + k];
            EXPECT(want > reach ? times <= 1 : times == 1, "%u, %u: %.17g, reach %.17g: %d times",
                   i, k, want, reach, times);
            EXPECT(!times || want <= reach + 1e-12 * size, "%u, %u: %.17g is beyond %.17g", i, k,
                   want, reach);
            near_pairs += want <= reach;
            all_pairs++;
        }
}

static void test_shape_near_all(void)
{
    rng r = {31};
    const uint64_t cases = test_cases(300);
    near_pairs = all_pairs = 0;
    for (uint64_t c = 0; c < cases; c++) {
        body a = shape_near_test_any_body(&r), b = shape_near_test_any_body(&r);
        const pose_map pa = random_map(&r, 1), pb = random_map(&r, 1);
        const double reach = c % 4 ? 0.6 * rng_unit(&r) : 0;
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        taken got = {.columns = b.triangles, .most = UINT64_MAX};
        got.times = calloc((size_t)a.triangles * b.triangles, 1);
        CU_ASSERT_PTR_NOT_NULL_FATAL(got.times);
        CU_ASSERT_EQUAL(
            shape_near(a.s, &pa, b.s, &pb, reach, &(shape_pair_sink){shape_near_collect, &got}), 0);
        shape_near_test_compare(&a, &pa, &b, &pb, reach, &got);
        if (got.count) {
            got.most = got.count + 1; /* the first one of a second search */
            CU_ASSERT_EQUAL(
                shape_near(a.s, &pa, b.s, &pb, reach, &(shape_pair_sink){shape_near_collect, &got}),
                77);
        }
        free(got.times);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    printf("  %llu of %llu pairs are near\n", (unsigned long long)near_pairs,
           (unsigned long long)all_pairs);
    EXPECT(near_pairs > all_pairs / 100 && near_pairs < all_pairs / 2, "%llu of %llu are near",
           (unsigned long long)near_pairs, (unsigned long long)all_pairs);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"near", test_shape_near_all}, {0}};
    return test_main(argc, argv, "shape_near", tests);
}
