/* Welding against its rule. */
#include "mesh_text.h"
#include "testlib.h"
#include "weld.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_weld(double tolerance, const char *content, const char *want)
{
    file_shape o;
    CU_ASSERT_FATAL(!mesh_read(content, &o));
    CU_ASSERT(!weld(tolerance, &o, NULL));
    mesh_check_text(content, mesh_show(&o), want);
    CU_ASSERT(mesh_is_sound(&o));
    file_shape_free(&o);
}

static const struct {
    double tolerance;
    const char *text, *want;
} welds[] = {
    {0, "", "|"},
    {1, "", "|"},
    {0, V3 V3 "f 4 5 6\nf 1 5 3", P3 "0 1 2 ;0 1 2 ;"},
    {0, "v 0 0 0\nv -0 0 -0\nv 0 1e-300 0", "0 0 0;0 1e-300 0;|"},
    {0, "v -0 0 0\nv 0 -0 0", "-0 0 0;|"},
    {0, "v nan 0 0\nv nan 0 0\nv 0 0 nan\nv inf 1 1\nv inf 1 1\nv -inf 1 1",
     "nan 0 0;nan 0 0;0 0 nan;inf 1 1;-inf 1 1;|"},
    {1, "v nan 0 0\nv 0 0 0\nv nan 0 0\nv inf 1 1\nv inf 1.5 1\nv inf 3 1\nf 1 2 5",
     "nan 0 0;0 0 0;nan 0 0;inf 1 1;inf 3 1;|0 1 3 ;"},
    {0, "v 9 9 9\nv 1 0 0\nv 9 9 9\nv 2 0 0\nf 3 4 2", "9 9 9;1 0 0;2 0 0;|0 2 1 ;"},
    /* a chain does not shrink to a point */
    {1, "v 0 0 0\nv 0.75 0 0\nv 1.5 0 0\nv 2.25 0 0\nf 1 2 3\nf 2 3 4",
     "0 0 0;1.5 0 0;|0 0 1 ;0 1 1 ;"},
    {1, "v 0 0 0\nv 1.5 0 0\nv 0.75 0 0\nf 1 2 3", "0 0 0;1.5 0 0;|0 1 0 ;"}, /* the first */
    {1, "v 0 0 0\nv 1.9 0 0\nv 1 0 0\nf 1 2 3", "0 0 0;1.8999999999999999 0 0;|0 1 0 ;"},
    {5, "v 0 0 0\nv 3 4 0\nv -4 0 3\nv 0 5 0\nv 0 5.00000001 0\nv -3 -4 1",
     "0 0 0;0 5.0000000099999999 0;-3 -4 1;|"},
    /* borders of cells, both sides of zero */
    {0.5, "v 4 0 0\nv 3.75 0 0\nv -4 -8 2\nv -4.25 -8.25 1.75", "4 0 0;-4 -8 2;|"},
    {0.25, "v -0.125 0 0\nv 0.125 0 0\nv -0.25 0 0\nv 0.25 0 0", "-0.125 0 0;0.25 0 0;|"},
    /* cells beyond the whole numbers of double, and beyond double */
    {1e-10, "v 1e300 1 1\nv 1e300 1 1\nv -1e300 1 1\nv 1e299 1 1",
     "1.0000000000000001e+300 1 1;-1.0000000000000001e+300 1 1;1.0000000000000001e+299 1 1;|"},
    {5e-324, "v 1 1 1\nv 1 1 1\nv 1e300 1 1\nv 0 0 0\nv 5e-324 0 0\nv 1e-323 0 0",
     "1 1 1;1.0000000000000001e+300 1 1;0 0 0;9.8813129168249309e-324 0 0;|"},
    {1,
     "v 4503599627370496 0 0\nv 4503599627370497 0 0\nv 9007199254740992 0 0\nv 9007199254740994 0 "
     "0\nv 9007199254740991 0 0",
     "4503599627370496 0 0;9007199254740992 0 0;9007199254740994 0 0;|"},
    {1e308, "v 1e308 0 0\nv -1e308 0 0\nv 0 0 0\nv inf 0 0\nv 1 2 3",
     "1e+308 0 0;-1e+308 0 0;inf 0 0;|"},
    {1.7976931348623157e308, "v -1.7e308 0 0\nv 1.7e308 0 0\nv -1 1 0",
     "-1.6999999999999999e+308 0 0;1.6999999999999999e+308 0 0;|"},
};

static void test_weld(void)
{
    for (size_t i = 0; i < sizeof welds / sizeof *welds; i++)
        check_weld(welds[i].tolerance, welds[i].text, welds[i].want);
    file_shape none = {0};
    static const double wrong[] = {-1, -5e-324, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CU_ASSERT_EQUAL(weld(wrong[i], &none, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT(!weld(1, &none, NULL));
}

/* The rule itself, on whole numbers: map[i] becomes the new number of vertex i. */
static uint32_t weld_by_rule(const int64_t (*x)[3], uint32_t n, int64_t tolerance, uint32_t *map)
{
    uint32_t kept = 0;
    uint32_t *of = malloc(n * sizeof *of);
    CU_ASSERT_PTR_NOT_NULL_FATAL(of);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t k = 0;
        for (; k < kept; k++) {
            int64_t sum = 0;
            for (int i = 0; i < 3; i++)
                sum += (x[v][i] - x[of[k]][i]) * (x[v][i] - x[of[k]][i]);
            if (sum <= tolerance * tolerance)
                break;
        }
        map[v] = k;
        if (k == kept)
            of[kept++] = v;
    }
    free(of);
    return kept;
}

#define CLOUD 300

static void check_cloud(rng *r)
{
    static const int64_t offset[] = {0, -50, -((int64_t)1 << 40), ((int64_t)1 << 52) - 40};
    int64_t x[CLOUD][3], tolerance = rng_below(r, 12), at = offset[rng_below(r, 4)];
    uint32_t spread = 10 + rng_below(r, 60), map[CLOUD], triangle[CLOUD];
    double unit = ldexp(1, (int)rng_below(r, 1900) - 1060);
    double *point = malloc(sizeof(double[CLOUD][3]));
    CU_ASSERT_PTR_NOT_NULL_FATAL(point);
    unit = (double)at * unit > 1e290 || unit < 1e-290 ? 1 : unit;
    for (uint32_t i = 0; i < CLOUD * 3; i++) {
        x[i / 3][i % 3] = at + rng_below(r, spread);
        point[i] = (double)x[i / 3][i % 3] * unit;
        triangle[i / 3] = i / 3;
    }
    file_shape o = {.vertices = CLOUD,
                    .corners = 3,
                    .primitives = CLOUD / 3,
                    .point = point,
                    .corner = triangle};
    uint32_t kept = weld_by_rule((const int64_t(*)[3])x, CLOUD, tolerance, map);
    CU_ASSERT(!weld((double)tolerance * unit, &o, NULL));
    CU_ASSERT_EQUAL(o.vertices, kept);
    CU_ASSERT(!memcmp(triangle, map, sizeof map));
    for (uint32_t i = 0, k = 0; i < CLOUD; i++)
        if (map[i] == k) {
            CU_ASSERT(o.point[3 * k] == (double)x[i][0] * unit);
            k++;
        }
    free(o.point);
}

static void test_weld_random(void)
{
    rng r = {3};
    for (uint64_t i = 0; i < test_count(300); i++)
        check_cloud(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"weld", test_weld}, {"weld_random", test_weld_random}, {0}};
    return test_main(argc, argv, "weld", tests);
}
