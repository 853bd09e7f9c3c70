/* The distance and the nearest features of two primitives: exact arithmetic and the oracle of
 * `check`, which share no method, agree. */
#include "exact.h"
#include "expect.h"
#include "nearest_cases.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Cases of a class by their answers. */
typedef struct nearest_tally {
    size_t touching, kind[4], exact, thick[2], crossed[2];
} nearest_tally;

static exact_numbered nearest_test_prim(const nearest_case *c, int s)
{
    exact_numbered p = {.of.corners = c->of.corners[s]};
    for (int v = 0; v < c->of.corners[s]; v++)
        memcpy(p.of.v[v].x, c->of.x[s][v], sizeof p.of.v[v].x);
    memcpy(p.vertex, c->vertex[s], sizeof p.vertex);
    return p;
}

static void nearest_test_print(const nearest_case *c)
{
    for (int s = 0; s < 2; s++)
        for (int v = 0; v < c->of.corners[s]; v++)
            printf("\n      %c %u: %a %a %a", s ? 'b' : 'a', c->vertex[s][v], c->of.x[s][v][0],
                   c->of.x[s][v][1], c->of.x[s][v][2]);
}

/* Returns whether both agree whether the pair is within the distance; *out: the answer. */
static int nearest_test_within(const nearest_case *c, double distance, int *out)
{
    const exact_numbered a = nearest_test_prim(c, 0), b = nearest_test_prim(c, 1);
    *out = oracle_prims_within(&c->of, distance);
    const exact_limit limit = exact_limit_of(distance);
    return exact_prims_within(&a.of, &b.of, &limit) == *out;
}

/* The distance and both float64 beside it. */
static int nearest_test_bracket(const nearest_case *c, double distance, nearest_tally *tally)
{
    int below = 0, at, above = 1, good;
    good = nearest_test_within(c, distance, &at);
    if (distance > 0)
        good &= nearest_test_within(c, nextafter(distance, 0), &below);
    if (distance < DBL_MAX)
        good &= nearest_test_within(c, nextafter(distance, INFINITY), &above);
    tally->exact += (size_t)at;
    return good && !below && (above || distance == DBL_MAX);
}

/* ---- thicknesses */

/* Two thicknesses whose contact distance is about the distance: the sum is rounded, or has an end
 * moved by one float64 up or down. */
static void nearest_test_thickness(double distance, uint64_t i, double out[2])
{
    rng r = {i};
    const double part = rng_below(&r, 4) ? rng_unit(&r) : 0;
    out[0] = 2 * part * distance;
    out[1] = 2 * distance - out[0];
    if (i % 3 == 1)
        out[i / 3 % 2] = nextafter(out[i / 3 % 2], INFINITY);
    if (i % 3 == 2)
        out[i / 3 % 2] = fmax(nextafter(out[i / 3 % 2], 0), 0);
    if (i % 7 == 3)
        out[0] *= 1 + rng_unit(&r);
    for (int k = 0; k < 2; k++)
        out[k] = fmin(out[k], DBL_MAX);
}

/* The verdict and the depths against those of the oracle. */
static const char *nearest_test_thick(const nearest_case *c, double distance, uint64_t i,
                                      nearest_tally *tally)
{
    const exact_numbered a = nearest_test_prim(c, 0), b = nearest_test_prim(c, 1);
    exact_limit limit;
    exact_nearest got = {0};
    double depth, relative;
    nearest_test_thickness(distance, i, limit.of);
    const int within = oracle_within_thickness(&c->of, limit.of);
    if (exact_prims_within(&a.of, &b.of, &limit) != within)
        return "within its thickness";
    tally->thick[within]++;
    if (oracle_depth(&c->of, limit.of, &depth, &relative) != within)
        return "the oracle contradicts itself";
    if (!within)
        return NULL;
    exact_prims_nearest(&a, &b, &limit, &got);
    return got.depth.depth != depth         ? "its depth"
           : got.depth.relative != relative ? "relative"
                                            : NULL;
}

static const char *nearest_test_crosses(const nearest_case *c, nearest_tally *tally)
{
    if (c->of.corners[0] != 3 || c->of.corners[1] != 3)
        return NULL;
    const exact_numbered a = nearest_test_prim(c, 0), b = nearest_test_prim(c, 1);
    const int crosses = oracle_triangles_cross(&c->of);
    tally->crossed[crosses]++;
    return exact_triangles_cross(a.of.v, b.of.v) != crosses ? "crossing" : NULL;
}

/* The depth of pairs that touch, and triangles that cross. */
static const char *nearest_test_touch(const nearest_case *c, double distance, uint64_t i,
                                      nearest_tally *tally)
{
    exact_limit limit;
    double depth, relative;
    nearest_test_thickness(distance, i, limit.of);
    const exact_depth got = exact_limit_depth(&limit);
    if (!oracle_depth(&c->of, limit.of, &depth, &relative) || got.depth != depth ||
        got.relative != relative)
        return "the depth of a pair that touches";
    return nearest_test_crosses(c, tally);
}

static const char *nearest_test_fault(const nearest_case *c)
{
    const exact_numbered a = nearest_test_prim(c, 0), b = nearest_test_prim(c, 1);
    exact_nearest got;
    exact_rounded quick;
    exact_prims_nearest(&a, &b, NULL, &got);
    if (exact_prims_rounded(&a, &b, &quick) && quick.distance != got.distance)
        return "another distance in double-double numbers";
    nearest_claim claim = {
        .kind = got.kind, .feature = {got.feature[0], got.feature[1]}, .distance = got.distance};
    memcpy(claim.weight, got.weight, sizeof claim.weight);
    memcpy(claim.point, got.point, sizeof claim.point);
    memcpy(claim.normal, got.normal, sizeof claim.normal);
    return oracle_nearest_fault(c, &claim);
}

static void nearest_test_pair(int class, uint64_t i, nearest_tally *tally)
{
    nearest_case c;
    nearest_answer want;
    double distance;
    int within;
    nearest_case_make(class, i, &c, &distance);
    const char *fault = nearest_test_within(&c, distance, &within) ? NULL : "within its distance";
    if (!fault && !nearest_test_within(&c, 0, &within))
        fault = "touching";
    tally->touching += (size_t)within;
    if (!fault && !within) {
        const int apart = oracle_nearest(&c, &want);
        fault = !apart                                            ? "the oracle contradicts itself"
                : !nearest_test_bracket(&c, want.distance, tally) ? "within its distance"
                                                                  : nearest_test_fault(&c);
        for (uint64_t k = 0; k < 3 && !fault; k++)
            fault = nearest_test_thick(&c, want.distance, 3 * i + k, tally);
        tally->kind[apart ? want.kind - IMP_KIND_VERTEX_FACE : 0]++;
    }
    if (!fault && within)
        fault = nearest_test_touch(&c, distance, i, tally);
    EXPECT(!fault, "%s %llu: %s", nearest_class_names[class], (unsigned long long)i, fault);
    if (fault && expect_failed <= EXPECT_MOST)
        nearest_test_print(&c);
}

static void test_nearest_classes(void)
{
    nearest_tally all = {0};
    size_t cases = 0;
    for (int class = 0; nearest_class_names[class]; class ++)
        for (uint64_t i = 0; i < test_long_cases(200); i++, cases++)
            nearest_test_pair(class, i, &all);
    for (int kind = 0; kind < 4; kind++)
        EXPECT(cases < 1000 || all.kind[kind] * 1000 > cases, "%zu of kind %d", all.kind[kind],
               IMP_KIND_VERTEX_FACE + kind);
    for (int k = 0; k < 2; k++)
        EXPECT(cases < 1000 || all.thick[k] * 5 > cases, "%zu within thicknesses: %d", all.thick[k],
               k);
    EXPECT(cases < 1000 || (all.touching * 20 > cases && all.exact * 20 > cases),
           "%zu touch, %zu distances are float64", all.touching, all.exact);
}

/* Triangles on a coarse grid, most of which touch in vertices, edges and planes. */
static void test_nearest_crossing(void)
{
    nearest_tally all = {0};
    rng r = {17};
    for (uint64_t i = 0; i < test_long_cases(4000); i++) {
        nearest_case c = {{{3, 3}, {{{0}}}}, {{0, 1, 2}, {3, 4, 5}}};
        const uint32_t most = 3 + (uint32_t)(i % 4);
        for (int k = 0; k < 18; k++)
            c.of.x[k / 9][k / 3 % 3][k % 3] = ldexp(rng_below(&r, most), i % 5 ? 0 : -600);
        const char *fault = nearest_test_crosses(&c, &all);
        EXPECT(!fault, "%llu: %s", (unsigned long long)i, fault);
    }
    for (int k = 0; k < 2; k++)
        EXPECT(all.crossed[k] > 20, "%zu cross: %d", all.crossed[k], k);
}

/* ---- the order of two distances in double-double numbers */

/* Makes two pairs of triangles. Mostly both have one vertex or edge that is the nearest; sometimes
 * their distances differ by less than a rounding. */
static void nearest_test_two(uint64_t i, rng *r, exact_numbered out[2][2])
{
    const double coarse = i % 3 ? 0x1p-3 : 0x1p-52;
    double point[7][3], x;
    for (int v = 0; v < 7; v++)
        for (int k = 0; k < 3; k++) {
            x = floor(rng_unit(r) / coarse) * coarse;
            point[v][k] = v / 3 == 1 ? x + 0.3 : -x;
        }
    for (int v = 3; v < 6 && i % 2 == 0; v++)
        point[v][1] = point[v][0];
    for (int n = 0; n < 2; n++)
        for (int s = 0; s < 2; s++) {
            out[n][s] = (exact_numbered){.of.corners = 3};
            for (int k = 0; k < 3; k++) {
                const int v = s ? 3 + k : k;
                out[n][s].vertex[k] = (uint32_t)v;
                memcpy(out[n][s].of.v[k].x, point[v], sizeof point[v]);
            }
        }
    /* The second pair has another vertex; or its first triangle is mirrored at a plane that has the
     * other one, and so as near or nearly so. */
    for (int k = 0; k < 3 && i % 2; k++)
        out[1][0].of.v[2].x[k] = point[6][k];
    out[1][0].vertex[2] = i % 2 ? 6 : 2;
    for (int v = 0; v < 3 && i % 2 == 0; v++) {
        out[1][0].vertex[v] = (uint32_t)(7 + v);
        for (int k = 0; k < 3; k++)
            out[1][0].of.v[v].x[k] = point[v][k == 2 ? 2 : 1 - k];
        if (i % 4)
            out[1][0].of.v[v].x[0] = nextafter(out[1][0].of.v[v].x[0], -2);
    }
}

static void test_nearest_order(void)
{
    rng r = {23};
    size_t equal = 0, doubt = 0, open = 0;
    const uint64_t cases = test_cases(4000);
    for (uint64_t i = 0; i < cases; i++) {
        exact_numbered pair[2][2];
        exact_rounded quick[2];
        nearest_test_two(i, &r, pair);
        if (!exact_prims_rounded(&pair[0][0], &pair[0][1], &quick[0]) ||
            !exact_prims_rounded(&pair[1][0], &pair[1][1], &quick[1])) {
            open++;
            continue;
        }
        const exact_prim p[2] = {pair[0][0].of, pair[0][1].of},
                         q[2] = {pair[1][0].of, pair[1][1].of};
        const int order = exact_rounded_compare(&quick[0], &quick[1]),
                  want = exact_distances_compare(p, q);
        equal += order == 0;
        doubt += order == 2;
        EXPECT(order == 2 || order == want, "%llu: order %d, not %d", (unsigned long long)i, order,
               want);
    }
    EXPECT(cases < 1000 || (equal * 10 > cases && doubt * 50 > cases && open * 2 < cases),
           "%zu equal, %zu in doubt, %zu without an answer", equal, doubt, open);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"classes", test_nearest_classes},
                                 {"crossing", test_nearest_crossing},
                                 {"order", test_nearest_order},
                                 {0}};
    return test_main(argc, argv, "nearest", tests);
}
