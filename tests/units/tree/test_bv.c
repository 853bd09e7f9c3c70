/* Bounding volumes contain their points, and their tests never deny an overlap. */
#include "bv.h"
#include "bv_worst.h"
#include "expect.h"
#include "testlib.h"

#include <stdlib.h>
#include <string.h>

#define POINTS_MOST 24

/* ---- point sets */

typedef struct cloud {
    double x[3 * POINTS_MOST];
    bv_points points;
    bv_moments moments;
    bv_sphere sphere;
    bv_obb obb;
} cloud;

enum shape { ANYWHERE, FLAT, LINE, SPOT, TRIANGLE, NEEDLE, TINY, SHAPES };
static const char *const shape_name[] = {"anywhere", "flat",   "line", "spot",
                                         "triangle", "needle", "tiny"};

static double bv_test_within(rng *r, double size)
{
    return (2 * rng_unit(r) - 1) * size;
}

static void bv_test_direction(rng *r, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = rng_below(r, 4) ? bv_test_within(r, 1) : 0;
}

/* Points a + s u + t v + w, with the terms that the shape has. */
static void cloud_make(cloud *c, enum shape shape, rng *r)
{
    double at[3], u[3], v[3], size = shape == TINY ? 1e-14 : 0.5;
    size_t n = shape == TRIANGLE ? 3 : 1 + rng_below(r, POINTS_MOST);
    for (int k = 0; k < 3; k++)
        at[k] = bv_test_within(r, 1);
    bv_test_direction(r, u);
    bv_test_direction(r, v);
    for (size_t i = 0; i < n; i++) {
        double s = bv_test_within(r, size), t = bv_test_within(r, size);
        for (int k = 0; k < 3; k++) {
            double x = at[k];
            if (shape != SPOT)
                x += s * u[k];
            if (shape == FLAT || shape == TRIANGLE)
                x += t * v[k];
            if (shape == ANYWHERE || shape == TINY)
                x += bv_test_within(r, size);
            if (shape == NEEDLE)
                x += bv_test_within(r, 1e-7);
            c->x[3 * i + (size_t)k] = x;
        }
    }
    c->points = (bv_points){c->x, NULL, n};
    c->moments = (bv_moments){0};
    bv_moments_add(&c->moments, &c->points);
    bv_sphere_fit(&c->points, &c->sphere);
    bv_obb_fit(&c->points, &c->moments, &c->obb);
}

/* ---- containment, in long double */

static int sphere_has(const bv_sphere *s, const double *x)
{
    long double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += ((long double)x[k] - s->c[k]) * ((long double)x[k] - s->c[k]);
    return sum <= (long double)s->r * s->r;
}

static long double det(const long double *a, const long double *b, const long double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Coordinates of x along the box's actual axes, by Cramer's rule: at most the half lengths. */
static int obb_has(const bv_obb *o, const double *x)
{
    long double axis[3][3], d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = (long double)x[k] - o->c[k];
        for (int i = 0; i < 3; i++)
            axis[i][k] = o->axis[i][k];
    }
    long double all = det(axis[0], axis[1], axis[2]);
    for (int i = 0; i < 3; i++) {
        long double t = det(i == 0 ? d : axis[0], i == 1 ? d : axis[1], i == 2 ? d : axis[2]) / all;
        if (!(fabsl(t) <= o->half[i]))
            return 0;
    }
    return 1;
}

static void test_contain(void)
{
    rng r = {1};
    for (int shape = 0; shape < SHAPES; shape++)
        for (uint64_t i = 0; i < test_cases(2000); i++) {
            cloud c;
            int good = 1;
            cloud_make(&c, (enum shape)shape, &r);
            for (size_t p = 0; p < c.points.count; p++)
                good &= sphere_has(&c.sphere, c.x + 3 * p) && obb_has(&c.obb, c.x + 3 * p);
            EXPECT(good, "%s: a point is outside", shape_name[shape]);
        }
}

/* Containment is not due to large volumes: the box of a flat set is flat, and that of a slanted rod
 * is as thin as the rod. */
static void test_bv_tight(void)
{
    rng r = {2};
    for (uint64_t i = 0; i < test_cases(1000); i++) {
        cloud c;
        cloud_make(&c, FLAT, &r);
        double least = fmin(c.obb.half[0], fmin(c.obb.half[1], c.obb.half[2]));
        EXPECT(least < 1e-7, "a flat set has a box %g thick", least);
        cloud_make(&c, NEEDLE, &r);
        double most = fmax(c.obb.half[0], fmax(c.obb.half[1], c.obb.half[2]));
        double sum = c.obb.half[0] + c.obb.half[1] + c.obb.half[2];
        EXPECT(sum - most < 1e-5, "a needle has a box %g thick", sum - most);
        EXPECT(c.sphere.r < 1.01 * sum + 1e-6, "a needle of %g has a sphere of %g", sum,
               c.sphere.r);
    }
}

/* ---- overlap */

/* The volumes have a common point: no test may call them apart. */
static int all_overlap(const cloud *a, const cloud *b)
{
    uint64_t axes = 0;
    return bv_spheres_overlap(&a->sphere, &b->sphere) && bv_obbs_overlap(&a->obb, &b->obb, &axes) &&
           bv_obbs_overlap(&b->obb, &a->obb, &axes) &&
           bv_sphere_obb_overlap(&a->sphere, &b->obb, &axes) &&
           bv_sphere_obb_overlap(&b->sphere, &a->obb, &axes);
}

/* A point of b is moved onto a point of a. */
static void test_touch(void)
{
    rng r = {3};
    for (int i = 0; i < SHAPES; i++)
        for (int j = 0; j < SHAPES; j++)
            for (uint64_t n = 0; n < test_cases(400); n++) {
                cloud a, b;
                cloud_make(&a, (enum shape)i, &r);
                cloud_make(&b, (enum shape)j, &r);
                const double *p = a.x + 3 * rng_below(&r, (uint32_t)a.points.count);
                double *q = b.x + 3 * rng_below(&r, (uint32_t)b.points.count);
                double shift[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
                for (size_t k = 0; k < 3 * b.points.count; k++)
                    b.x[k] += shift[k % 3];
                memcpy(q, p, 3 * sizeof *q);
                b.moments = (bv_moments){0};
                bv_moments_add(&b.moments, &b.points);
                bv_sphere_fit(&b.points, &b.sphere);
                bv_obb_fit(&b.points, &b.moments, &b.obb);
                EXPECT(all_overlap(&a, &b), "%s, %s: denied", shape_name[i], shape_name[j]);
            }
}

/* Boxes that are apart along one of their own axes, or only along the cross product of two edges,
 * are found to be apart; the test of a sphere uses the box's axes only. */
static void test_bv_apart(void)
{
    uint64_t axes = 0;
    bv_obb a = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, {1, 0.01, 0.01}}, b = a;
    b.c[2] = 0.03;
    CU_ASSERT(!bv_obbs_overlap(&a, &b, &axes));
    CU_ASSERT_EQUAL(axes, 3);
    b.c[2] = 0.02; /* they touch */
    CU_ASSERT(bv_obbs_overlap(&a, &b, &axes));
    /* two crossed rods, one above the other, each rotated about itself by 45 degrees */
    const double h = sqrt(0.5);
    bv_obb x = {{{1, 0, 0}, {0, h, h}, {0, -h, h}}, {0, 0, 0}, {1, 0.1, 0.1}};
    bv_obb y = {{{0, 1, 0}, {h, 0, h}, {-h, 0, h}}, {0, 0, 0}, {1, 0.1, 0.1}};
    y.c[2] = 0.3; /* each extends 0.1414 up and down */
    axes = 0;
    CU_ASSERT(!bv_obbs_overlap(&x, &y, &axes));
    CU_ASSERT(axes > 6);
    y.c[2] = 0.28;
    CU_ASSERT(bv_obbs_overlap(&x, &y, &axes));
    bv_sphere s = {{0, 0, 0.3}, 0.1};
    CU_ASSERT(!bv_sphere_obb_overlap(&s, &a, &axes));
    s.r = 0.29;
    CU_ASSERT(bv_sphere_obb_overlap(&s, &a, &axes));
    bv_sphere t = {{0, 0, 1}, 0.41};
    CU_ASSERT(bv_spheres_overlap(&s, &t));
    t.r = 0.4;
    CU_ASSERT(!bv_spheres_overlap(&s, &t));
}

/* Volumes with a sampled common point overlap; many volumes without one are found to be apart. */
static void test_sampled(void)
{
    rng r = {5};
    int apart = 0;
    for (uint64_t n = 0; n < test_cases(4000); n++) {
        cloud a, b;
        uint64_t axes = 0;
        int common = 0;
        cloud_make(&a, rng_below(&r, SHAPES), &r);
        cloud_make(&b, rng_below(&r, SHAPES), &r);
        for (int i = 0; i < 50 && !common; i++) {
            double x[3];
            memcpy(x, a.obb.c, sizeof x);
            for (int k = 0; k < 3; k++) {
                double t = bv_test_within(&r, a.obb.half[k] * (1 - 1e-9));
                for (int j = 0; j < 3; j++)
                    x[j] += t * a.obb.axis[k][j];
            }
            common = obb_has(&a.obb, x) && obb_has(&b.obb, x);
        }
        int overlap = bv_obbs_overlap(&a.obb, &b.obb, &axes);
        EXPECT(overlap || !common, "two boxes with a common point are said to be apart");
        apart += !overlap;
    }
    CU_ASSERT(apart > 10);
}

/* The margin exceeds the need of any boxes, but not by far: some pairs with a common point need a
 * sixteenth of it. */
static void test_margin(void)
{
    rng r = {8};
    double most = 0;
    uint64_t tried = 0;
    for (uint64_t n = 0; n < test_cases(4000); n++) {
        bv_obb a, b;
        uint64_t axes = 0;
        if (!bv_worst(&r, &a, &b))
            continue;
        tried++;
        const double needs = bv_needed(&a, &b);
        most = needs > most ? needs : most;
        EXPECT(needs <= BV_MARGIN, "boxes with a common point need a margin of %g", needs);
        EXPECT(bv_obbs_overlap(&a, &b, &axes), "boxes with a common point are said to be apart");
    }
    printf("\n    needed: 1/%.3g of the margin ", BV_MARGIN / most);
    CU_ASSERT(most >= BV_MARGIN / 16);
    CU_ASSERT(tried > test_cases(4000) * 9 / 10);
}

/* No points: the volume overlaps nothing. */
static void test_bv_empty(void)
{
    const bv_points none = {NULL, NULL, 0};
    const bv_moments nothing = {0};
    uint64_t axes = 0;
    rng r = {7};
    cloud a;
    bv_sphere s;
    bv_obb o;
    float dop[BV_DOP_WORDS(10)], other[BV_DOP_WORDS(10)];
    cloud_make(&a, ANYWHERE, &r);
    bv_sphere_fit(&none, &s);
    bv_obb_fit(&none, &nothing, &o);
    CU_ASSERT(!bv_spheres_overlap(&s, &a.sphere) && !bv_spheres_overlap(&a.sphere, &s));
    CU_ASSERT(!bv_obbs_overlap(&o, &a.obb, &axes) && !bv_obbs_overlap(&a.obb, &o, &axes));
    CU_ASSERT(!bv_sphere_obb_overlap(&s, &a.obb, &axes) &&
              !bv_sphere_obb_overlap(&a.sphere, &o, &axes));
    bv_dop_none(dop, 10);
    bv_dop_none(other, 10);
    CU_ASSERT(!bv_dops_overlap(dop, other, 10));
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"contain", test_contain}, {"tight", test_bv_tight},
                                 {"touch", test_touch},     {"apart", test_bv_apart},
                                 {"sampled", test_sampled}, {"margin", test_margin},
                                 {"empty", test_bv_empty},  {0}};
    return test_main(argc, argv, "bv", tests);
}
