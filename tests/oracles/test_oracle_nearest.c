/* Pairs within a distance: the oracle accepts known answers of constructed pairs and no others, and
 * the rows of a frame are those of all pairs of its primitives. */
#include "expect.h"
#include "oracle.h"
#include "testlib.h"
#include "truth.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- known answers */

/* Vertex numbers are 10 to 13 of A, 20 to 23 of B unless given. */
typedef struct known_pair {
    const char *what;
    nearest_case is;
    nearest_claim answer;
} known_pair;

#define UP 0x1p1023
#define LOW 0x1p-1074

static const known_pair known_pairs[] = {
    {"a vertex before an edge",
     {{{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, -3, 0}, {2, -1, 0}, {3, -3, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_FACE, {-1, 21}, 1, {{0.5, 0.5}, {0, 1}}, {2, 0, 0, 2, -1, 0}, {0, -1, 0}}},
    {"3, 4, 5",
     {{{3, 3}, {{{0, 0, 0}, {-4, 0, 0}, {0, -4, 0}}, {{9, 4, 0}, {3, 9, 0}, {3, 4, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_FACE, {-1, 22}, 5, {{1}, {0, 0, 1}}, {0, 0, 0, 3, 4, 0}, {0.6, 0.8, 0}}},
    {"plates",
     {{{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{0, 0, 2}, {4, 0, 2}, {0, 4, 2}}}},
      {{10, 11, 12}, {22, 21, 20}}},
     {IMP_KIND_VERTEX_FACE, {-1, 20}, 2, {{0, 0, 1}, {0, 0, 1}}, {0, 4, 0, 0, 4, 2}, {0, 0, 1}}},
    {"plates, with the vertex of A inside",
     {{{3, 3}, {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, {{0, 0, 2}, {8, 0, 2}, {0, 8, 2}}}},
      {{12, 11, 10}, {20, 21, 22}}},
     {IMP_KIND_VERTEX_FACE,
      {10, -1},
      2,
      {{0, 0, 1}, {0.625, 0.125, 0.25}},
      {1, 2, 0, 1, 2, 2},
      {0, 0, 1}}},
    {"edges cross",
     {{{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {2, 0, -4}}, {{2, -3, 3}, {2, 1, 3}, {2, -1, 9}}}}, {{0}}},
     {IMP_KIND_EDGE_EDGE, {0, 0}, 3, {{0.5, 0.5}, {0.25, 0.75}}, {2, 0, 0, 2, 0, 3}, {0, 0, 1}}},
    {"segments in parallel, from within A's",
     {{{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}, {{1, 0, 2}, {6, 0, 2}, {6, 0, 2}}}},
      {{10, 11, 11}, {20, 21, 21}}},
     {IMP_KIND_EDGE_EDGE, {0, 0}, 2, {{0.75, 0.25}, {1}}, {1, 0, 0, 1, 0, 2}, {0, 0, 1}}},
    {"the other direction",
     {{{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}, {{6, 0, 2}, {1, 0, 2}, {1, 0, 2}}}},
      {{10, 11, 11}, {20, 21, 21}}},
     {IMP_KIND_EDGE_EDGE, {0, 0}, 2, {{0.75, 0.25}, {0, 1}}, {1, 0, 0, 1, 0, 2}, {0, 0, 1}}},
    {"from within B's",
     {{{3, 2}, {{{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}, {{-1, 0, 2}, {3, 0, 2}}}},
      {{10, 11, 11}, {20, 21}}},
     {IMP_KIND_EDGE_EDGE, {0, 0}, 2, {{1}, {0.75, 0.25}}, {0, 0, 0, 0, 0, 2}, {0, 0, 1}}},
    {"an edge without length: its first end",
     {{{2, 2}, {{{1, 0, 0}, {1, 0, 0}}, {{0, 0, 3}, {4, 0, 3}}}}, {{0}}},
     {IMP_KIND_EDGE_EDGE, {0, 0}, 3, {{1}, {0.75, 0.25}}, {1, 0, 0, 1, 0, 3}, {0, 0, 1}}},
    {"a triangle whose first two corners are one vertex: edge 1, and the weight of corner 0",
     {{{3, 2}, {{{0, 0, 0}, {0, 0, 0}, {4, 0, 0}}, {{1, -1, 3}, {1, 1, 3}}}},
      {{10, 10, 11}, {20, 21}}},
     {IMP_KIND_EDGE_EDGE, {1, 0}, 3, {{0.75, 0, 0.25}, {0.5, 0.5}}, {1, 0, 0, 1, 0, 3}, {0, 0, 1}}},
    {"a point and a segment",
     {{{1, 2}, {{{1, 1, 1}}, {{0, 1, 0}, {4, 1, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_EDGE, {10, 0}, 1, {{1}, {0.75, 0.25}}, {1, 1, 1, 1, 1, 0}, {0, 0, -1}}},
    {"a segment and a point",
     {{{3, 3}, {{{0, 1, 0}, {4, 1, 0}, {4, 1, 0}}, {{9, 1, 0}, {9, 1, 0}, {9, 1, 0}}}},
      {{10, 11, 11}, {20, 20, 20}}},
     {IMP_KIND_VERTEX_EDGE, {0, 20}, 5, {{0, 1}, {1}}, {4, 1, 0, 9, 1, 0}, {1, 0, 0}}},
    {"points",
     {{{1, 3}, {{{1, 1, 1}}, {{2, 3, 3}, {2, 3, 3}, {2, 3, 3}}}}, {{10}, {20, 20, 20}}},
     {IMP_KIND_VERTEX_VERTEX,
      {10, 20},
      3,
      {{1}, {1}},
      {1, 1, 1, 2, 3, 3},
      {1 / 3.0, 2 / 3.0, 2 / 3.0}}},
    {"a point and a triangle",
     {{{1, 3}, {{{1, 1, 7}}, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_FACE, {10, -1}, 7, {{1}, {0.5, 0.25, 0.25}}, {1, 1, 7, 1, 1, 0}, {0, 0, -1}}},
    {"a tetrahedron's face 2",
     {{{1, 4}, {{{-2, 1, 1}}, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}}}}, {{0}}},
     {IMP_KIND_VERTEX_FACE,
      {10, -3},
      2,
      {{1}, {0.5, 0, 0.25, 0.25}},
      {-2, 1, 1, 0, 1, 1},
      {1, 0, 0}}},
    {"a tetrahedron with three vertices: the last of two equal faces has the least number",
     {{{1, 4}, {{{1, 1, 7}}, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 4, 0}}}},
      {{10}, {20, 21, 22, 22}}},
     {IMP_KIND_VERTEX_FACE, {10, -4}, 7, {{1}, {0.5, 0.25, 0.25}}, {1, 1, 7, 1, 1, 0}, {0, 0, -1}}},
    {"the root of 2",
     {{{1, 1}, {{{0, 0, 0}}, {{1, 1, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_VERTEX,
      {10, 20},
      0x1.6a09e667f3bccp0,
      {{1}, {1}},
      {0, 0, 0, 1, 1, 0},
      {0x1.6a09e667f3bcdp-1, 0x1.6a09e667f3bcdp-1, 0}}},
    {"farther than any float64",
     {{{1, 1}, {{{-UP, 0, 0}}, {{UP, 0, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_VERTEX, {10, 20}, DBL_MAX, {{1}, {1}}, {-UP, 0, 0, UP, 0, 0}, {1, 0, 0}}},
    {"nearer than any float64 but 0",
     {{{2, 1}, {{{0, 0, 0}, {LOW, 2 * LOW, 0}}, {{LOW, LOW, 0}}}}, {{0}}},
     {IMP_KIND_VERTEX_EDGE,
      {0, 20},
      0,
      {{0.4, 0.6}, {1}},
      {LOW, LOW, 0, LOW, LOW, 0},
      {0x1.c9f25c5bfedd9p-1, -0x1.c9f25c5bfedd9p-2, 0}}},
};

#define KNOWN_PAIRS (sizeof known_pairs / sizeof *known_pairs)

static nearest_case known_pair_case(const known_pair *k)
{
    static const uint32_t numbers[2][4] = {{10, 11, 12, 13}, {20, 21, 22, 23}};
    nearest_case c = k->is;
    if (!c.vertex[0][0])
        memcpy(c.vertex, numbers, sizeof numbers);
    return c;
}

static void test_known_pairs(void)
{
    for (size_t i = 0; i < KNOWN_PAIRS; i++) {
        const known_pair *k = &known_pairs[i];
        const nearest_case c = known_pair_case(k);
        const double distance = k->answer.distance;
        nearest_answer got = {0};
        const char *fault = oracle_nearest_fault(&c, &k->answer);
        const int apart = oracle_nearest(&c, &got);
        EXPECT(!fault, "%s: %s", k->what, fault);
        EXPECT(apart && got.kind == k->answer.kind && got.feature[0] == k->answer.feature[0] &&
                   got.feature[1] == k->answer.feature[1] && got.distance == distance,
               "%s: kind %d, features %lld %lld, distance %a", k->what, got.kind,
               (long long)got.feature[0], (long long)got.feature[1], got.distance);
        const int whole = distance == rint(distance) && distance > 0 && distance < DBL_MAX;
        EXPECT(oracle_prims_within(&c.of, distance) == whole, "%s: within", k->what);
        EXPECT(distance == DBL_MAX || oracle_prims_within(&c.of, nextafter(distance, INFINITY)),
               "%s: within a little more", k->what);
        EXPECT(!oracle_prims_within(&c.of, 0), "%s: touches", k->what);
    }
}

/* ---- wrong answers */

static double *claim_number(nearest_claim *c, int i)
{
    return i < 8 ? &c->weight[i / 4][i % 4] : i < 14 ? &c->point[i - 8] : &c->normal[i - 14];
}

static void refuse(const known_pair *k, const nearest_claim *wrong, const char *what, int i)
{
    const nearest_case c = known_pair_case(k);
    EXPECT(oracle_nearest_fault(&c, wrong), "%s: accepts another %s %d", k->what, what, i);
}

static void test_wrong_names(void)
{
    for (size_t i = 0; i < KNOWN_PAIRS; i++) {
        const known_pair *k = &known_pairs[i];
        for (int by = -1; by < 2; by += 2) {
            nearest_claim wrong = k->answer;
            wrong.kind += by;
            refuse(k, &wrong, "kind", by);
            for (int s = 0; s < 2; s++) {
                wrong = k->answer;
                wrong.feature[s] += by;
                refuse(k, &wrong, "feature", s);
            }
            wrong = k->answer;
            wrong.distance = nextafter(wrong.distance, by < 0 ? -INFINITY : INFINITY);
            refuse(k, &wrong, "distance", by);
        }
    }
}

/* Each number may be a little off, and no more. -0, NaN and infinity are always wrong. */
static void test_wrong_numbers(void)
{
    static const double never[] = {-0.0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < KNOWN_PAIRS; i++)
        for (int n = 0; n < 17; n++) {
            const known_pair *k = &known_pairs[i];
            nearest_claim wrong = k->answer;
            double *x = claim_number(&wrong, n);
            const double right = *x;
            for (int j = 0; j < 4; j++) {
                *x = never[j];
                refuse(k, &wrong, "number", n);
            }
            if (fabs(right) >= 0x1p-1000 && fabs(right) < 0x1p1000) {
                *x = right * (1 + 0x1p-40);
                refuse(k, &wrong, "number", n);
                *x = right * (1 - 0x1p-40);
                refuse(k, &wrong, "number", n);
            }
            *x = right + (right < 0.5 ? 0x1p-40 : -0x1p-40);
            if (n < 8 || n >= 14)
                refuse(k, &wrong, "number", n);
        }
}

/* Weights and points within the tolerance: 2^-48 of the extent. */
static void test_rounded_numbers(void)
{
    const known_pair *k = &known_pairs[4];
    const nearest_case c = known_pair_case(k);
    for (int n = 0; n < 17; n++) {
        nearest_claim claim = k->answer;
        double *x = claim_number(&claim, n);
        const double right = *x;
        if (n < 8 && right == 0)
            continue; /* a corner of no feature */
        *x = right + (right > 0.5 ? -0x1p-48 : 0x1p-48);
        if ((n < 8 || n >= 14) && right == 0)
            *x = 0x1p-48;
        const char *fault = oracle_nearest_fault(&c, &claim);
        const int constant = n == 8 + 1 || n == 8 + 3; /* no extent */
        EXPECT(!fault == !constant, "number %d: %s", n, fault);
    }
}

/* A face without area has several right answers. */
static void test_collinear_face(void)
{
    const nearest_case c = {
        {{1, 3}, {{{1, 0, 2}}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}}},
        {{1}, {2, 3, 4}},
    };
    static const double weights[][3] = {
        {0.75, 0, 0.25}, {0.5, 0.5, 0}, {0.625, 0.25, 0.125}, {0.5, 0.25, 0.25}, {0.5, 0.25, 0}};
    for (size_t i = 0; i < 5; i++) {
        nearest_claim claim = {.kind = IMP_KIND_VERTEX_FACE,
                               .feature = {1, -1},
                               .distance = 2,
                               .weight = {{1}},
                               .point = {1, 0, 2, 1, 0, 0},
                               .normal = {0, 0, -1}};
        memcpy(claim.weight[1], weights[i], sizeof weights[i]);
        const char *fault = oracle_nearest_fault(&c, &claim);
        EXPECT(!fault == (i < 3), "weights %zu: %s", i, fault ? fault : "accepted");
    }
}

/* ---- pairs that touch */

static void test_touching(void)
{
    static const solid_case touching[] = {
        {{1, 1}, {{{1, 2, 3}}, {{1, 2, 3}}}},
        {{2, 2}, {{{0, 0, 0}, {2, 2, 0}}, {{2, 0, 0}, {0, 2, 0}}}},
        {{3, 2}, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, -1}, {1, 1, 5}}}},
        {{3, 3}, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}}},
        {{4, 1}, {{{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {0, 0, 8}}, {{1, 1, 1}}}},
        {{4, 4},
         {{{0, 0, 0}, {0, 9, 0}, {9, 0, 0}, {0, 0, 9}},
          {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {1, 1, 2}}}},
    };
    for (size_t i = 0; i < sizeof touching / sizeof *touching; i++) {
        const nearest_case c = {touching[i], {{0, 1, 2, 3}, {4, 5, 6, 7}}};
        const nearest_claim claim = {.kind = IMP_KIND_VERTEX_FACE};
        nearest_answer answer;
        EXPECT(oracle_prims_within(&c.of, 0) && oracle_prims_within(&c.of, DBL_MAX), "%zu", i);
        EXPECT(!oracle_nearest(&c, &answer), "%zu", i);
        EXPECT(oracle_nearest_fault(&c, &claim), "%zu", i);
    }
}

/* ---- the rows of a frame */

#define SOUP_PRIMS 60
#define SOUP_VERTICES 120

typedef struct soup {
    double point[3 * SOUP_VERTICES];
    uint32_t corner[4 * SOUP_PRIMS];
    uint8_t corners[SOUP_PRIMS];
    imp_mesh mesh;
    imp_frame frame;
} soup;

/* Triangles and tetrahedra on a grid; some share vertices, some touch, some have a vertex twice. */
static void near_soup_make(rng *r, soup *s)
{
    for (uint32_t i = 0; i < SOUP_VERTICES; i++)
        for (uint32_t k = 0; k < 3; k++)
            s->point[3 * i + k] = rng_below(r, 3) + i / 4 * 5 % (5 + k);
    for (uint32_t i = 0; i < SOUP_PRIMS; i++) {
        const uint32_t base = rng_below(r, SOUP_VERTICES / 4) * 4;
        s->corners[i] = (uint8_t)(3 + rng_below(r, 2));
        for (uint32_t k = 0; k < 4; k++)
            s->corner[4 * i + k] = base + (rng_below(r, 8) ? k : rng_below(r, 4));
    }
    s->mesh = (imp_mesh){.vertices = SOUP_VERTICES,
                         .primitives = SOUP_PRIMS,
                         .corner = s->corner,
                         .corners = 4,
                         .corner_count = s->corners};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point};
}

static nearest_case near_soup_pair(const soup *s, uint32_t a, uint32_t b)
{
    const uint32_t of[2] = {a, b};
    nearest_case c = {{{0}, {{{0}}}}, {{0}}};
    for (int n = 0; n < 2; n++) {
        c.of.corners[n] = s->corners[of[n]];
        for (int k = 0; k < c.of.corners[n]; k++) {
            c.vertex[n][k] = s->corner[4 * of[n] + (uint32_t)k];
            memcpy(c.of.x[n][k], s->point + 3 * c.vertex[n][k], sizeof c.of.x[n][k]);
        }
    }
    return c;
}

static int near_soup_shares(const nearest_case *c)
{
    for (int i = 0; i < c->of.corners[0]; i++)
        for (int j = 0; j < c->of.corners[1]; j++)
            if (c->vertex[0][i] == c->vertex[1][j])
                return 1;
    return 0;
}

/* Compares the row of a pair, if it has one; returns whether it must have one. */
static int near_soup_compare(const soup *s, double distance, uint32_t a, uint32_t b,
                             const truth_row *row, size_t counts[2])
{
    const nearest_case c = near_soup_pair(s, a, b);
    nearest_answer want = {0, {-1, -1}, 0};
    if (near_soup_shares(&c) || !oracle_prims_within(&c.of, distance))
        return 0;
    const int apart = oracle_nearest(&c, &want);
    counts[apart]++;
    EXPECT(row && row->a == a && row->b == b, "pair %u %u", a, b);
    if (!row)
        return 1;
    EXPECT(apart ? row->kind == want.kind
                 : row->kind >= IMP_KIND_POINT && row->kind <= IMP_KIND_SOLIDS,
           "pair %u %u: kind %d", a, b, row->kind);
    EXPECT(row->feature_a == want.feature[0] && row->feature_b == want.feature[1] &&
               row->distance == want.distance,
           "pair %u %u: features %lld %lld, distance %a", a, b, (long long)row->feature_a,
           (long long)row->feature_b, row->distance);
    return 1;
}

static void test_rows_of_frame(void)
{
    static const double distances[] = {0, 0x1.fffffffffffffp0, 2, 1, 4.5};
    size_t counts[2] = {0};
    mem memory = {0};
    const uint64_t step = TEST_SLOW ? 7 : 1; /* to another distance, and to the other adjacency */
    for (uint64_t i = 0; i < 10; i += step) {
        const imp_def def = {.rows = IMP_ROWS_PRIMITIVES,
                             .distance = distances[i % 5],
                             .adjacent = i % 2 ? IMP_ADJACENT_TEST : IMP_ADJACENT_SKIP};
        rng r = {i};
        soup s;
        truth t;
        size_t row = 0;
        near_soup_make(&r, &s);
        CU_ASSERT_FATAL(!truth_find(&memory, &s.frame, &def, NULL, 2, &t));
        for (uint32_t a = 0; a < SOUP_PRIMS; a++)
            for (uint32_t b = a + 1; b < SOUP_PRIMS; b++)
                row += (size_t)near_soup_compare(&s, def.distance, a, b,
                                                 row < t.count ? &t.row[row] : NULL, counts);
        EXPECT(row == t.count, "%zu rows, not %zu", t.count, row);
        truth_free(&memory, &t);
    }
    EXPECT(counts[0] > 100 / step && counts[1] > 500 / step, "%zu touch, %zu are near", counts[0],
           counts[1]);
}

/* Bounds overlap if the gap of boxes is at most the distance. */
static void test_bounds_of_frame(void)
{
    static const double point[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5, 1, 0, 5, 0, 1, 5};
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5};
    const imp_mesh mesh = {.vertices = 6, .primitives = 2, .corner = corner};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    mem memory = {0};
    static const struct {
        double distance;
        uint64_t counts[2];
    } want[] = {{4.5, {0, 0}}, {0x1.3ffffffffffffp2, {0, 1}}, {5, {1, 1}}, {6, {1, 1}}};
    for (size_t i = 0; i < 4; i++) {
        const imp_def def = {.rows = IMP_ROWS_PRIMITIVES, .distance = want[i].distance};
        uint64_t counts[2];
        double margin, lost;
        CU_ASSERT_FATAL(!truth_bounds_count(&memory, &frame, NULL, &def, 1, counts));
        EXPECT(counts[0] == want[i].counts[0] && counts[1] == want[i].counts[1], "%g: %llu, %llu",
               want[i].distance, (unsigned long long)counts[0], (unsigned long long)counts[1]);
        truth_bounds_sizes(&frame, NULL, &def, &margin, &lost);
        EXPECT(margin > 0x1p-19 * def.distance, "%g: margin %g", want[i].distance, margin);
    }
}

/* ---- a claim about a row */

/* A pair that touches: the columns of nearest features are 0, and features -1. */
static void test_touching_claim(void)
{
    static const double point[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 0, 1, 1, 5, 2, 2, 5},
                        at[] = {1, 1, 0, 1, 1, 0};
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5};
    const imp_mesh mesh = {.vertices = 6, .primitives = 2, .corner = corner};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    oracle *o = oracle_open();
    CU_ASSERT_FATAL(o != NULL);
    for (int i = -1; i < 20; i++) {
        nearest_claim nearest = {.kind = IMP_KIND_POINT, .feature = {-1, -1}};
        const truth_claim claim = {.kind = IMP_KIND_POINT, .point = at, .nearest = &nearest};
        if (i >= 0 && i < 17 && (i < 8 || i >= 14))
            *claim_number(&nearest, i) = 0x1p-1074;
        if (i == 17)
            nearest.distance = -0.0;
        if (i > 17)
            nearest.feature[i - 18] = 0;
        const char *fault = truth_points_fault(o, &frame, 0, 1, &claim);
        EXPECT(!fault == (i < 0 || (i >= 8 && i < 14)), "%d: %s", i, fault);
    }
    oracle_close(o);
}

/* A pair that does not touch has no depth and no collision points. */
static void test_near_claim(void)
{
    static const double point[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 3, 1, 1, 5, 2, 2, 5};
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5};
    const imp_mesh mesh = {.vertices = 6, .primitives = 2, .corner = corner};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    const nearest_claim nearest = {.kind = IMP_KIND_VERTEX_FACE,
                                   .feature = {-1, 3},
                                   .distance = 3,
                                   .weight = {{0.5, 0.25, 0.25}, {1}},
                                   .point = {1, 1, 0, 1, 1, 3},
                                   .normal = {0, 0, 1}};
    oracle *o = oracle_open();
    CU_ASSERT_FATAL(o != NULL);
    for (int i = 0; i < 3; i++) {
        const truth_claim claim = {.kind = nearest.kind,
                                   .point = nearest.point,
                                   .deep = 1,
                                   .collisions = i == 1,
                                   .collision = nearest.point,
                                   .depth = i == 2 ? 0x1p-1074 : 0,
                                   .nearest = &nearest};
        const char *fault = truth_points_fault(o, &frame, 0, 1, &claim);
        EXPECT(!fault == !i, "%d: %s", i, fault);
    }
    oracle_close(o);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"known", test_known_pairs},
                                 {"names", test_wrong_names},
                                 {"numbers", test_wrong_numbers},
                                 {"rounded", test_rounded_numbers},
                                 {"collinear", test_collinear_face},
                                 {"touching", test_touching},
                                 {"rows", test_rows_of_frame},
                                 {"bounds", test_bounds_of_frame},
                                 {"touching_claim", test_touching_claim},
                                 {"near_claim", test_near_claim},
                                 {0}};
    return test_main(argc, argv, "oracle_nearest", tests);
}
