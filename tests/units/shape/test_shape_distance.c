/* The distance of two shapes against brute force in long double: it differs by at most the error
 * that is reported with it, which is small, and points are on the shapes. */
#include "expect.h"
#include "shape_cases.h"
#include "shape_hull.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mem store;

/* V-Clip fails while `lost` is set. */
static int lost;
enum v_clip_end __real_shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps);
enum v_clip_end __wrap_shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps);
enum v_clip_end __wrap_shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps)
{
    return lost ? V_CLIP_LOST : __real_shape_v_clip(q, f, steps);
}

typedef struct worst {
    double off, stated; /* relative to the size */
    uint64_t cases, steps, none, searched, undirected;
} worst;

static double shape_distance_test_size(const body *a, const pose_map *pa, const body *b,
                                       const pose_map *pb)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = pb->t[k] - pa->t[k];
    return shape_radius(a->s) + shape_radius(b->s) + pose_length(d);
}

static int is_convex_pair(const body *a, const body *b)
{
    return shape_is_convex(a->s) && shape_is_convex(b->s);
}

/* Points are on the named features, and their distance is the reported one. If one body is inside
 * the other, there is a single point. */
static void check_shape_distance_points(const char *what, const body *a, const pose_map *pa,
                                        const body *b, const pose_map *pb, const shape_nearest *n,
                                        double size)
{
    const body *both[2] = {a, b};
    const pose_map *put[2] = {pa, pb};
    double d[3], most = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = n->point[1][k] - n->point[0][k];
        most = fmax(most, fmax(fabs(pa->t[k]), fabs(pb->t[k])));
    }
    for (int side = 0; side < 2; side++) {
        const double far = (double)true_off(both[side], put[side], n->cell[side], n->point[side]);
        off = side ? fmin(off, far) : far;
        if (n->distance > 0)
            EXPECT(far <= 1e-14 * (size + most), "%s: point %d is %g off its triangle", what, side,
                   far);
        EXPECT(n->kind[side] == SHAPE_VERTEX ? (uint64_t)n->feature[side] < both[side]->vertices
               : n->kind[side] == SHAPE_EDGE
                   ? n->feature[side] >= 0 && n->feature[side] < 3
                   : n->kind[side] == SHAPE_FACE && n->feature[side] == -1,
               "%s: feature %lld of kind %d", what, (long long)n->feature[side], n->kind[side]);
    }
    EXPECT(off <= 1e-14 * (size + most), "%s: both points are %g off their triangles", what, off);
    EXPECT(fabs(pose_length(d) - n->distance) <= n->error + 1e-14 * (size + most),
           "%s: points are %.17g apart, distance %.17g", what, pose_length(d), n->distance);
}

/* The direction separates convex bodies. */
static void check_direction(const char *what, const body *a, const pose_map *pa, const body *b,
                            const pose_map *pb, const shape_nearest *n)
{
    const double *d = n->direction, length = pose_length(d);
    if (length == 0)
        return;
    EXPECT(n->distance > 0 && fabs(length - 1) < 1e-15, "%s: a direction of length %g", what,
           length);
    if (is_convex_pair(a, b))
        EXPECT(true_gap(a, pa, b, pb, d) >= (long double)n->distance - n->error,
               "%s: apart by %Lg only, not %g - %g", what, true_gap(a, pa, b, pb, d), n->distance,
               n->error);
}

/* Swapped, from its own cached features, and from those of another pair. */
static void check_shape_distance_again(const char *what, const body *a, const pose_map *pa,
                                       const body *b, const pose_map *pb, const shape_pair *cache,
                                       const shape_nearest *n)
{
    shape_nearest back, next, odd;
    shape_pair of_others = {{(uint32_t)n->steps * 7919, n->cell[0]}, 1};
    shape_pair turned = {{cache->near[1], cache->near[0]}, cache->known}, same = *cache;
    shape_distance(b->s, pb, a->s, pa, &turned, &back);
    shape_distance(a->s, pa, b->s, pb, &same, &next);
    shape_distance(a->s, pa, b->s, pb, &of_others, &odd);
    EXPECT(fabs(odd.distance - n->distance) <= odd.error + n->error,
           "%s: %.17g, after others %.17g", what, n->distance, odd.distance);
    EXPECT(fabs(back.distance - n->distance) <= back.error + n->error, "%s: %.17g, swapped %.17g",
           what, n->distance, back.distance);
    EXPECT(fabs(next.distance - n->distance) <= next.error + n->error, "%s: %.17g, then %.17g",
           what, n->distance, next.distance);
}

static void check_shape_distance(const char *what, const body *a, const pose_map *pa, const body *b,
                                 const pose_map *pb, shape_pair *cache, worst *w)
{
    shape_nearest n;
    shape_distance(a->s, pa, b->s, pb, cache, &n);
    const double size = shape_distance_test_size(a, pa, b, pb);
    const long double want = true_distance(a, pa, b, pb, is_convex_pair(a, b));
    const double off = (double)fabsl((long double)n.distance - want);
    EXPECT(off <= n.error, "%s: %.17g, not %.17Lg: error %g stated %g", what, n.distance, want, off,
           n.error);
    EXPECT(off <= 1e-9 * size && n.error <= 1e-9 * size, "%s: off %g, stated %g of %g", what, off,
           n.error, size);
    check_shape_distance_points(what, a, pa, b, pb, &n, size);
    check_direction(what, a, pa, b, pb, &n);
    check_shape_distance_again(what, a, pa, b, pb, cache, &n);
    w->off = fmax(w->off, off / size);
    w->stated = fmax(w->stated, n.error / size);
    w->cases++;
    w->steps += n.steps;
    w->none += n.distance == 0;
    w->searched += n.searched != 0;
    w->undirected += n.distance > 0 && pose_length(n.direction) == 0;
}

static void print_shape_distance(const char *what, const worst *w)
{
    printf("  %s: %llu cases, %llu at 0, %llu searched, %llu without direction, worst %.2g, stated "
           "%.2g of the size, %.1f steps\n",
           what, (unsigned long long)w->cases, (unsigned long long)w->none,
           (unsigned long long)w->searched, (unsigned long long)w->undirected, w->off, w->stated,
           (double)w->steps / (double)w->cases);
}

/* Convex bodies anywhere. */
static void test_hulls(void)
{
    rng r = {7};
    worst w = {0};
    const uint64_t cases = test_long_cases(2000);
    for (uint64_t c = 0; c < cases; c++) {
        body a = body_hull(&r, 4 + rng_below(&r, 8)), b = body_hull(&r, 4 + rng_below(&r, 8));
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        CU_ASSERT(shape_is_convex(a.s) && shape_is_convex(b.s));
        const pose_map pa = random_map(&r, 1000), pb = random_map(&r, 2000);
        shape_pair cache = {0};
        check_shape_distance("hulls", &a, &pa, &b, &pb, &cache, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print_shape_distance("hulls", &w);
}

/* ---- degenerate positions */

static double power_of_ten(rng *r, uint32_t least, uint32_t most)
{
    double x = 1;
    for (uint32_t n = least + rng_below(r, most - least + 1); n > 0; n--)
        x /= 10;
    return rng_below(r, 2) ? x : -x;
}

static body regular_body(rng *r)
{
    static const double half[] = {0.5, 1, 2};
    const double h[3] = {half[rng_below(r, 3)], half[rng_below(r, 3)], half[rng_below(r, 3)]};
    switch (rng_below(r, 7)) {
    case 6:
        return body_collapsed(body_box(h));
    case 0:
        return body_grid_box(1 + rng_below(r, 3));
    case 1:
        return body_prism(3 + rng_below(r, 6));
    case 2:
        return body_box_apart(h);
    case 3:
        return body_ball(2 + rng_below(r, 2), h);
    default:
        return body_box(h);
    }
}

/* Exact quarter and third turns, sometimes with a little more. */
static pose_map regular_map(rng *r)
{
    double q[4] = {1, 0, 0, 0}, c[3], more = rng_below(r, 3) ? 0 : power_of_ten(r, 1, 17);
    if (rng_below(r, 2))
        for (int k = 1; k < 4; k++)
            q[k] = (double)rng_below(r, 3) - 1;
    for (int k = 0; k < 4; k++)
        q[k] += more * (rng_unit(r) - 0.5);
    for (int k = 0; k < 3; k++)
        c[k] = ((double)rng_below(r, 17) - 8) * 0.5;
    if (rng_below(r, 2))
        c[rng_below(r, 3)] += power_of_ten(r, 1, 17);
    return map_of(q, c);
}

/* Axis-aligned bodies: parallel edges and faces, vertices above borders of Voronoi regions,
 * touching, nested, and all that with small gaps and small angles. */
static void test_shape_distance_degenerate(void)
{
    rng r = {11};
    worst w = {0};
    const uint64_t cases = test_long_cases(3000);
    for (uint64_t c = 0; c < cases; c++) {
        body a = regular_body(&r), b = regular_body(&r);
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        EXPECT(shape_is_convex(a.s) && shape_is_convex(b.s), "not convex: case %llu",
               (unsigned long long)c);
        const pose_map pa = regular_map(&r), pb = regular_map(&r);
        shape_pair cache = {0};
        check_shape_distance("degenerate", &a, &pa, &b, &pb, &cache, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print_shape_distance("degenerate", &w);
    EXPECT(w.none > w.cases / 20 && w.none < w.cases, "%llu of %llu touch",
           (unsigned long long)w.none, (unsigned long long)w.cases);
    EXPECT(w.searched * 50 <= w.cases, "%llu of %llu are searched", (unsigned long long)w.searched,
           (unsigned long long)w.cases);
}

/* If V-Clip fails, trees find the same. */
static void test_shape_distance_lost(void)
{
    rng r = {29};
    worst w = {0};
    const uint64_t cases = test_cases(600);
    lost = 1;
    for (uint64_t c = 0; c < cases; c++) {
        body a = regular_body(&r), b = regular_body(&r);
        if (c % 3 == 0)
            body_scale(&b, 0.125);
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        const pose_map pa = regular_map(&r), pb = c % 2 ? regular_map(&r) : random_map(&r, 3);
        shape_pair cache = {0};
        check_shape_distance("lost", &a, &pa, &b, &pb, &cache, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    lost = 0;
    print_shape_distance("lost", &w);
    EXPECT(w.searched > w.cases / 2, "%llu of %llu are searched", (unsigned long long)w.searched,
           (unsigned long long)w.cases);
}

/* Plates and needles. */
static void test_thin(void)
{
    rng r = {13};
    worst w = {0};
    const uint64_t cases = test_long_cases(1000);
    for (uint64_t c = 0; c < cases; c++) {
        double h[2][3];
        for (int i = 0; i < 6; i++)
            h[i / 3][i % 3] = fabs(power_of_ten(&r, 0, 9));
        body a = body_box(h[0]), b = rng_below(&r, 2) ? body_box(h[1]) : body_ball(3, h[1]);
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        const pose_map pa = random_map(&r, 0.5), pb = random_map(&r, 0.5);
        shape_pair cache = {0};
        check_shape_distance("thin", &a, &pa, &b, &pb, &cache, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print_shape_distance("thin", &w);
}

/* ---- other shapes */

/* Two boxes as one shape. */
static body two_boxes(rng *r)
{
    const double h[3] = {1, 0.5, 2};
    body a = body_box(h), b = body_box(h);
    body_move(&b, (const double[]){1 + 0.5 * rng_below(r, 4), 1, 0});
    body both = body_join(&a, &b);
    body_free(NULL, &a);
    body_free(NULL, &b);
    return both;
}

/* Triangles, most of them slivers. */
static body shape_distance_test_slivers(rng *r)
{
    body b = body_soup(r, 1 + rng_below(r, 12));
    const double thin = fabs(power_of_ten(r, 2, 9));
    const uint32_t axis = rng_below(r, 3);
    for (size_t v = 0; v < b.vertices; v++)
        b.x[3 * v + axis] *= thin;
    return b;
}

static body shape_distance_test_any_body(rng *r)
{
    const double h[3] = {1, 0.7, 0.4};
    switch (rng_below(r, 6)) {
    case 0:
        return body_sheet(r, 1 + rng_below(r, 5));
    case 1:
        return body_soup(r, 1 + rng_below(r, 20));
    case 2:
        return two_boxes(r);
    case 3:
        return shape_distance_test_slivers(r);
    case 4:
        return body_box(h);
    default:
        return body_ball(3, h);
    }
}

/* Surfaces, few of them closed: anywhere, and in degenerate positions. */
static void test_shape_distance_surfaces(void)
{
    rng r = {17};
    worst w[2] = {{0}};
    const uint64_t cases = test_long_cases(1600);
    for (uint64_t c = 0; c < cases; c++) {
        body a = shape_distance_test_any_body(&r), b = shape_distance_test_any_body(&r);
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        const pose_map pa = c % 2 ? regular_map(&r) : random_map(&r, 1);
        const pose_map pb = c % 2 ? regular_map(&r) : random_map(&r, 2);
        check_shape_distance("surfaces", &a, &pa, &b, &pb, &(shape_pair){0}, &w[c % 2]);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print_shape_distance("surfaces", &w[0]);
    print_shape_distance("degenerate surfaces", &w[1]);
}

/* ---- scales */

/* Everything times a power of two: the same bits, scaled; at the ends of the range of float64,
 * where small matrix elements vanish, the same within the error. */
static void check_scaled(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                         int power, const shape_nearest *want)
{
    const double s = ldexp(1, power);
    body big[2] = {body_copy(a), body_copy(b)};
    pose_map put[2] = {*pa, *pb};
    for (int side = 0; side < 2; side++) {
        body_scale(&big[side], s);
        for (int k = 0; k < 3; k++)
            put[side].t[k] *= s;
        CU_ASSERT(!body_make(&store, &big[side]));
    }
    shape_nearest n;
    shape_distance(big[0].s, &put[0], big[1].s, &put[1], &(shape_pair){0}, &n);
    EXPECT(abs(power) < 950 ? n.distance == want->distance * s
                            : fabs(n.distance / s - want->distance) <= want->error,
           "times 2^%d: %.17g, not %.17g", power, n.distance / s, want->distance);
    EXPECT(shape_is_convex(big[0].s) == shape_is_convex(a->s), "times 2^%d: convex?", power);
    body_free(&store, &big[0]);
    body_free(&store, &big[1]);
}

static void test_scales(void)
{
    static const int power[] = {-1000, -900, -300, 5, 300, 900, 1000};
    rng r = {19};
    const uint64_t cases = test_cases(100);
    for (uint64_t c = 0; c < cases; c++) {
        body a = rng_below(&r, 2) ? regular_body(&r) : shape_distance_test_any_body(&r),
             b = regular_body(&r);
        const pose_map pa = regular_map(&r), pb = random_map(&r, 4);
        shape_nearest n;
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        shape_distance(a.s, &pa, b.s, &pb, &(shape_pair){0}, &n);
        for (size_t i = 0; i < sizeof power / sizeof *power; i++)
            check_scaled(&a, &pa, &b, &pb, power[i], &n);
        body_free(&store, &a);
        body_free(&store, &b);
    }
}

/* One body far larger than the other, both far from the origin of the frame. */
static void test_shape_distance_sizes(void)
{
    rng r = {23};
    worst w = {0};
    const uint64_t cases = test_cases(500);
    for (uint64_t c = 0; c < cases; c++) {
        body a = regular_body(&r), b = regular_body(&r);
        pose_map pa = random_map(&r, 0), pb = random_map(&r, 2.5);
        const double small = fabs(power_of_ten(&r, 0, 12)), far = rng_below(&r, 2) ? 1e12 : 0;
        body_scale(&b, small);
        for (int k = 0; k < 3; k++) {
            pa.t[k] += far;
            pb.t[k] += far;
        }
        CU_ASSERT(!body_make(&store, &a) && !body_make(&store, &b));
        check_shape_distance("sizes", &a, &pa, &b, &pb, &(shape_pair){0}, &w);
        body_free(&store, &a);
        body_free(&store, &b);
    }
    print_shape_distance("sizes", &w);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"hulls", test_hulls},
                                 {"degenerate", test_shape_distance_degenerate},
                                 {"lost", test_shape_distance_lost},
                                 {"thin", test_thin},
                                 {"surfaces", test_shape_distance_surfaces},
                                 {"scales", test_scales},
                                 {"sizes", test_shape_distance_sizes},
                                 {0}};
    return test_main(argc, argv, "shape_distance", tests);
}
