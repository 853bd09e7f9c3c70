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
    size_t touching, kind[4], exact;
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
    return exact_prims_within(&a.of, &b.of, distance) == *out;
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

static const char *nearest_test_fault(const nearest_case *c)
{
    const exact_numbered a = nearest_test_prim(c, 0), b = nearest_test_prim(c, 1);
    exact_nearest got;
    exact_prims_nearest(&a, &b, &got);
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
        tally->kind[apart ? want.kind - IMP_KIND_VERTEX_FACE : 0]++;
    }
    EXPECT(!fault, "%s %llu: %s", nearest_class_names[class], (unsigned long long)i, fault);
    if (fault && expect_failed <= EXPECT_MOST)
        nearest_test_print(&c);
}

static void test_nearest_classes(void)
{
    nearest_tally all = {0};
    size_t cases = 0;
    for (int class = 0; nearest_class_names[class]; class ++)
        for (uint64_t i = 0; i < test_cases(250); i++, cases++)
            nearest_test_pair(class, i, &all);
    for (int kind = 0; kind < 4; kind++)
        EXPECT(cases < 1000 || all.kind[kind] * 1000 > cases, "%zu of kind %d", all.kind[kind],
               IMP_KIND_VERTEX_FACE + kind);
    EXPECT(cases < 1000 || (all.touching * 20 > cases && all.exact * 20 > cases),
           "%zu touch, %zu distances are float64", all.touching, all.exact);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"classes", test_nearest_classes}, {0}};
    return test_main(argc, argv, "nearest", tests);
}
