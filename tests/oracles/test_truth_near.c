/* Rows of features and of objects: the truth of constructed scenes is the one by hand, and that of
 * random scenes the one of all pairs; the oracle judges claims about features that touch. */
#include "expect.h"
#include "near_scenes.h"
#include "truth.h"

#include <math.h>
#include <string.h>

/* ---- scenes by hand */

#define HAND_PRIMS 6
#define HAND_VERTS 12
#define HAND_ROWS 8

typedef struct hand_scene {
    const char *what;
    int corners;
    uint32_t prims;
    uint32_t corner[HAND_PRIMS][4];
    uint8_t corner_count[HAND_PRIMS]; /* 0: `corners` */
    int32_t object[HAND_PRIMS];
    double point[HAND_VERTS][3];
    imp_def def;
    size_t rows;
    truth_row row[HAND_ROWS]; /* a, b, kind, toi, features, distance */
} hand_scene;

#define VF IMP_KIND_VERTEX_FACE
#define EE IMP_KIND_EDGE_EDGE
#define VE IMP_KIND_VERTEX_EDGE
#define VV IMP_KIND_VERTEX_VERTEX

#define PLATES                                                                                     \
    {                                                                                              \
        {0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {9, 9, 9},               \
        {                                                                                          \
            9, 9, 8                                                                                \
        }                                                                                          \
    }
#define TETS                                                                                       \
    {                                                                                              \
        {0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 3},                                                \
        {                                                                                          \
            0, 0, -5                                                                               \
        }                                                                                          \
    }
#define RODS                                                                                       \
    {                                                                                              \
        {0, 0, 0}, {4, 0, 0}, {1, -1, 1}, {1, 1, 1}, {3, 0, 1}, {3, 0, 2},                         \
        {                                                                                          \
            2, 5, 0                                                                                \
        }                                                                                          \
    }

static const hand_scene hand_features[] = {
    {"plates: vertices over a face",
     3,
     2,
     {{0, 1, 2}, {3, 4, 5}},
     {0},
     {0},
     PLATES,
     {.distance = 2},
     3,
     {{0, 1, VF, 0, -1, 3, 2}, {0, 1, VF, 0, -1, 4, 2}, {0, 1, VF, 0, -1, 5, 2}}},
    {"the same, a little nearer",
     3,
     2,
     {{0, 1, 2}, {3, 4, 5}},
     {0},
     {0},
     PLATES,
     {.distance = 0x1.fffffffffffffp0},
     0,
     {{0}}},
    {"the owner is the first primitive; of two faces in its object one counts",
     3,
     4,
     {{3, 4, 3}, {0, 1, 2}, {2, 1, 0}, {3, 4, 5}},
     {0},
     {7, 7, 7, 7},
     PLATES,
     {.distance = 2},
     3,
     {{0, 1, VF, 0, 3, -1, 2}, {0, 1, VF, 0, 4, -1, 2}, {1, 3, VF, 0, -1, 5, 2}}},
    {"each object has features of its own",
     3,
     3,
     {{0, 1, 2}, {3, 4, 5}, {5, 5, 3}},
     {0},
     {1, 1, 2},
     PLATES,
     {.distance = 2, .pairs = IMP_PAIRS_BETWEEN},
     2,
     {{0, 2, VF, 0, -1, 3, 2}, {0, 2, VF, 0, -1, 5, 2}}},
    {"primitives with a vertex that is not finite own nothing",
     3,
     3,
     {{3, 4, 6}, {0, 1, 2}, {3, 4, 5}},
     {0},
     {0},
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {9, NAN, 9}},
     {.distance = 2},
     3,
     {{1, 2, VF, 0, -1, 3, 2}, {1, 2, VF, 0, -1, 4, 2}, {1, 2, VF, 0, -1, 5, 2}}},
    {"edges cross; vertices without an edge, edges without a face",
     2,
     4,
     {{0, 1}, {2, 3}, {4, 4}, {5, 5}},
     {0},
     {0},
     RODS,
     {.distance = 1},
     3,
     {{0, 1, EE, 0, 0, 0, 1}, {0, 2, VE, 0, 0, 4, 1}, {2, 3, VV, 0, 4, 5, 1}}},
    {"with a face at the edge and an edge at a vertex",
     3,
     6,
     {{4, 4, 4}, {0, 1, 1}, {2, 3, 3}, {5, 5, 5}, {1, 0, 6}, {2, 3, 2}},
     {0},
     {0},
     RODS,
     {.distance = 1},
     4,
     {{0, 3, VV, 0, 4, 5, 1},
      {0, 4, VF, 0, 4, -1, 1},
      {1, 2, EE, 0, 0, 0, 1},
      {2, 4, VF, 0, 3, -1, 1}}},
    {"tetrahedra with a common face",
     4,
     2,
     {{0, 1, 2, 3}, {0, 1, 2, 4}},
     {0},
     {0},
     TETS,
     {.distance = 3},
     4,
     {{0, 1, VF, 0, 3, -3, 3},
      {0, 1, VF, 0, 3, -1, 3},
      {0, 1, EE, 0, 4, 3, 2.4},
      {0, 1, EE, 0, 5, 3, 2.4}}},
    {"a triangle within a tetrahedron of its object, and in another object",
     4,
     3,
     {{0, 0, 0, 1}, {0, 1, 2, 3}, {0, 1, 2, 3}},
     {3, 4, 4},
     {0, 0, 1},
     TETS,
     {.distance = 1e300, .pairs = IMP_PAIRS_SELF},
     0,
     {{0}}},
    {"features that touch",
     3,
     2,
     {{0, 1, 2}, {3, 4, 5}},
     {0},
     {0},
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 0, 0}, {2, 0, 5}, {1, -2, 5}},
     {.distance = 0},
     3,
     {{0, 1, VF, 0, -1, 3, 0}, {0, 1, EE, 0, 0, 0, 0}, {0, 1, EE, 0, 0, 2, 0}}},
    {"a listed pair of objects",
     3,
     3,
     {{0, 1, 2}, {3, 3, 3}, {4, 4, 4}},
     {0},
     {1, 2, 3},
     PLATES,
     {.distance = 2, .object_pair = (const int32_t[][2]){{3, 1}}, .object_pairs = 1},
     1,
     {{0, 2, VF, 0, -1, 4, 2}}},
};

#define ROOT_2 0x1.6a09e667f3bccp0
#define LESS_1 (1 - 0x1p-53)

static const hand_scene hand_objects[] = {
    {"three objects",
     3,
     3,
     {{0, 1, 2}, {3, 4, 5}, {6, 7, 7}},
     {0},
     {4, -1, 9},
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {2, 1, 2}, {1, 2, 2}, {2, 1, 9}, {2, 1, 5}},
     {0},
     3,
     {{0, 1, VF, 0, -1, 3, 2}, {0, 2, VF, 0, -1, 7, 5}, {1, 2, VF, 0, -1, 7, 3}}},
    {"distances that are rounded to the same number",
     1,
     3,
     {{0}, {1}, {2}},
     {0},
     {0, 1, 1},
     {{0, 0, 0}, {1, 1, 0}, {1, LESS_1, 0}},
     {0},
     1,
     {{0, 2, VV, 0, 0, 2, ROOT_2}}},
    {"of equal distances the first primitives",
     1,
     6,
     {{0}, {1}, {2}, {3}, {4}, {5}},
     {0},
     {1, 0, 0, 1, 1, 0},
     {{5, 0, 0}, {1, 1, 0}, {0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 0, 1}},
     {0},
     1,
     {{1, 3, VV, 0, 1, 3, ROOT_2}}},
    {"primitives with a common vertex do not count",
     3,
     4,
     {{0, 1, 2}, {2, 3, 4}, {0, 3, 3}, {5, 5, 5}},
     {0},
     {0, 1, 1, 1},
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}, {2, 1, 2}, {1, 1, 9}},
     {0},
     1,
     {{0, 3, VF, 0, -1, 5, 9}}},
    {"no others", 3, 3, {{0, 1, 2}, {2, 3, 4}, {0, 3, 3}}, {0}, {0, 1, 1}, PLATES, {0}, 0, {{0}}},
    {"vertices that are not finite",
     1,
     4,
     {{0}, {1}, {2}, {3}},
     {0},
     {0, 1, 1, 1},
     {{0, 0, 0}, {NAN, 0, 0}, {3, 4, 0}, {-INFINITY, 0, 0}},
     {0},
     1,
     {{0, 2, VV, 0, 0, 2, 5}}},
    {"all but a listed pair",
     1,
     3,
     {{0}, {1}, {2}},
     {0},
     {1, 2, 3},
     {{0, 0, 0}, {1, 0, 0}, {3, 4, 0}},
     {.object_pair = (const int32_t[][2]){{2, 1}, {3, 2}},
      .object_pairs = 2,
      .object_pairs_exclude = 1},
     1,
     {{0, 2, VV, 0, 0, 2, 5}}},
    {"of pairs that touch the first",
     3,
     4,
     {{3, 3, 3}, {0, 1, 2}, {4, 4, 4}, {5, 5, 5}},
     {0},
     {1, 0, 1, 1},
     {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0x1p-1074}, {1, 2, 0}, {1, 1, 0}},
     {0},
     1,
     {{1, 2, IMP_KIND_POINT, 0, -1, -1, 0}}},
};

static void hand_scene_rows(const hand_scene *h, int rows, mem *m, truth *out)
{
    uint32_t corner[4 * HAND_PRIMS];
    uint8_t count[HAND_PRIMS];
    for (uint32_t i = 0; i < h->prims; i++) {
        memcpy(corner + (uint32_t)h->corners * i, h->corner[i], 4 * (size_t)h->corners);
        count[i] = h->corner_count[i] ? h->corner_count[i] : (uint8_t)h->corners;
    }
    const imp_mesh mesh = {HAND_VERTS, h->prims,   corner,
                           h->object,  h->corners, h->corners == 4 ? count : NULL};
    const imp_frame frame = {.mesh = &mesh, .point = h->point};
    imp_def def = h->def;
    def.rows = rows;
    CU_ASSERT_FATAL(!truth_find(m, &frame, &def, NULL, 1, out));
}

static void hand_scene_test(const hand_scene *h, int rows)
{
    mem m = {0};
    truth got;
    hand_scene_rows(h, rows, &m, &got);
    EXPECT(got.count == h->rows, "%s: %zu rows", h->what, got.count);
    for (size_t i = 0; i < got.count; i++) {
        const truth_row *x = &got.row[i], *y = &h->row[i < HAND_ROWS ? i : 0];
        EXPECT(x->a == y->a && x->b == y->b && x->kind == y->kind && x->feature_a == y->feature_a &&
                   x->feature_b == y->feature_b && x->distance == y->distance,
               "%s: row %zu is %u %u, kind %d, features %lld %lld, distance %a", h->what, i, x->a,
               x->b, x->kind, (long long)x->feature_a, (long long)x->feature_b, x->distance);
    }
    truth_free(&m, &got);
}

static void test_features_by_hand(void)
{
    for (size_t i = 0; i < sizeof hand_features / sizeof *hand_features; i++)
        hand_scene_test(&hand_features[i], IMP_ROWS_FEATURES);
}

static void test_objects_by_hand(void)
{
    for (size_t i = 0; i < sizeof hand_objects / sizeof *hand_objects; i++)
        hand_scene_test(&hand_objects[i], IMP_ROWS_OBJECTS);
}

/* ---- samples */

static int sample_has(const near_scene *s, int rows, const uint8_t *wanted, const truth_row *t)
{
    int has = 0;
    for (uint32_t i = 0; i < NEAR_PRIMS; i++)
        has |= wanted[i] && (rows == IMP_ROWS_OBJECTS ? s->object[i] == s->object[t->a] ||
                                                            s->object[i] == s->object[t->b]
                                                      : i == t->a || i == t->b);
    return has;
}

/* The rows of a sample are those of all that have a primitive, or an object, in it. */
static void test_truth_samples(void)
{
    static near_scene s;
    static const uint8_t wanted[NEAR_PRIMS] = {[3] = 1, [17] = 1};
    for (uint64_t seed = 1; seed < 8; seed++)
        for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
            mem m = {0};
            truth all, some;
            size_t n = 0;
            near_scene_make(&s, seed);
            const imp_def def = near_scene_def(&s, seed, rows);
            CU_ASSERT_FATAL(!truth_find(&m, &s.frame, &def, NULL, 2, &all) &&
                            !truth_find(&m, &s.frame, &def, wanted, 2, &some));
            for (size_t i = 0; i < all.count; i++)
                if (sample_has(&s, rows, wanted, &all.row[i])) {
                    EXPECT(n < some.count && !memcmp(&some.row[n], &all.row[i], sizeof *all.row),
                           "seed %llu, rows %d: row %zu", (unsigned long long)seed, rows, i);
                    n++;
                }
            EXPECT(n == some.count, "seed %llu, rows %d: %zu rows, not %zu",
                   (unsigned long long)seed, rows, some.count, n);
            truth_free(&m, &all);
            truth_free(&m, &some);
        }
}

/* ---- objects: all pairs of primitives */

#define BODY 50 /* primitives of each of two bodies */

typedef struct near_bodies {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[2 * BODY][3];
    int32_t object[2 * BODY];
    double point[6 * BODY][3];
} near_bodies;

/* Triangles about an arc; the bodies have some vertices in common. */
static void near_bodies_make(rng *r, uint32_t grid, near_bodies *s)
{
    for (uint32_t i = 0; i < 6 * BODY; i++) {
        const double around = i / 3 * 0.1, out = i / 3 % 2 ? 3 : 4;
        const double at[3] = {out * cos(around), out * sin(around), i / 3 * 0.05};
        for (int k = 0; k < 3; k++)
            s->point[i][k] = grid ? rint(at[k] * grid) / grid + rng_below(r, 3) / (double)grid
                                  : at[k] + 0.3 * rng_unit(r);
    }
    for (uint32_t i = 0; i < 2 * BODY; i++) {
        s->object[i] = (int32_t)(i % 2);
        for (uint32_t k = 0; k < 3; k++)
            s->corner[i][k] = rng_below(r, 30) ? 3 * i + k : 3 * (i ^ 1) + k;
    }
    s->mesh = (imp_mesh){6 * BODY, 2 * BODY, s->corner[0], s->object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point};
}

static void near_bodies_nearest(const near_bodies *s, uint32_t best[2])
{
    oracle_distance least, next;
    int any = 0;
    oracle_distance_init(&least);
    oracle_distance_init(&next);
    for (uint32_t a = 0; a < 2 * BODY; a++)
        for (uint32_t b = a + 1; b < 2 * BODY; b++) {
            const solid_case c = truth_solids(&s->frame, a, b);
            if (s->object[a] == s->object[b] || truth_prims_share_vertex(&s->mesh, a, b))
                continue;
            CU_ASSERT_FATAL(oracle_distance_find(&c, INFINITY, &next));
            if (any && oracle_distance_compare(&next, &least) >= 0)
                continue;
            const oracle_distance was = least;
            least = next;
            next = was;
            any = 1;
            best[0] = a;
            best[1] = b;
        }
    oracle_distance_clear(&least);
    oracle_distance_clear(&next);
}

static void test_objects_all_pairs(void)
{
    static const uint32_t grids[] = {0, 2, 8};
    static near_bodies s;
    for (uint64_t seed = 0; seed < test_cases(6); seed++) {
        rng r = {seed};
        mem m = {0};
        truth got;
        uint32_t want[2] = {0};
        const imp_def def = {.rows = IMP_ROWS_OBJECTS};
        near_bodies_make(&r, grids[seed % 3], &s);
        near_bodies_nearest(&s, want);
        CU_ASSERT_FATAL(!truth_find(&m, &s.frame, &def, NULL, 1, &got));
        EXPECT(got.count == 1 && got.row->a == want[0] && got.row->b == want[1],
               "seed %llu: not %u %u", (unsigned long long)seed, want[0], want[1]);
        truth_free(&m, &got);
    }
}

/* ---- exact distances */

static void test_distances_compare(void)
{
    static const struct {
        double x, y, z; /* of a point; the other one is at 0 */
    } ascending[] = {{0, 0, 0},        {0, 0, 0x1p-1074}, {0x1p-1074, 0, 0x1p-1074}, {0, 1, 0},
                     {1, LESS_1, 0},   {1, 1, 0},         {1, 1, 0x1p-1074},         {3, 4, 0},
                     {0, 5, 0x1p-500}, {0, 0, 0x1p1023},  {0x1p1023, 0, 0x1p-1074}};
    const size_t n = sizeof ascending / sizeof *ascending;
    oracle_distance d[2];
    oracle_distance_init(&d[0]);
    oracle_distance_init(&d[1]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const size_t at[2] = {i, j};
            for (int k = 0; k < 2; k++) {
                const solid_case c = {
                    {1, 1},
                    {{{0}}, {{ascending[at[k]].x, ascending[at[k]].y, ascending[at[k]].z}}}};
                CU_ASSERT_FATAL(oracle_distance_find(&c, INFINITY, &d[k]));
                EXPECT(oracle_distance_is_zero(&d[k]) == !at[k], "%zu: zero", at[k]);
            }
            const int order = oracle_distance_compare(&d[0], &d[1]);
            EXPECT((order > 0) - (order < 0) == (i > j) - (i < j), "%zu, %zu: %d", i, j, order);
        }
    const solid_case five = {{1, 1}, {{{0}}, {{3, 4, 0}}}};
    EXPECT(!oracle_distance_find(&five, 4.5, &d[0]) && oracle_distance_find(&five, 5, &d[0]) &&
               oracle_distance_rounded(&d[0]) == 5,
           "a pair beyond a distance");
    oracle_distance_clear(&d[0]);
    oracle_distance_clear(&d[1]);
}

/* ---- a claim about features that touch */

/* A vertex on a face; two edges that overlap: their first common point along the first one. */
static void test_touching_features(void)
{
    static const struct {
        nearest_case is;
        nearest_claim right;
    } cases[] = {{{{{3, 1}, {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 2, 0}}}}, {{0, 1, 2}, {3}}},
                  {VF, {-1, 3}, 0, {{0.25, 0.25, 0.5}, {1}}, {1, 2, 0, 1, 2, 0}, {0}}},
                 {{{{2, 2}, {{{0, 0, 0}, {4, 0, 0}}, {{5, 0, 0}, {1, 0, 0}}}}, {{0, 1}, {2, 3}}},
                  {EE, {0, 0}, 0, {{0.75, 0.25}, {0, 1}}, {1, 0, 0, 1, 0, 0}, {0}}},
                 {{{{1, 2}, {{{1, 0, 0}}, {{5, 0, 0}, {1, 0, 0}}}}, {{0}, {2, 3}}},
                  {VE, {0, 0}, 0, {{1}, {0, 1}}, {1, 0, 0, 1, 0, 0}, {0}}},
                 {{{{1, 1}, {{{1, 0, 0}}, {{1, 0, 0}}}}, {{0}, {2}}},
                  {VV, {0, 2}, 0, {{1}, {1}}, {1, 0, 0, 1, 0, 0}, {0}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int wrong = -1; wrong < 19; wrong++) {
            nearest_claim c = cases[i].right;
            double *const number = wrong < 8    ? &c.weight[0][0] + (wrong < 0 ? 0 : wrong)
                                   : wrong < 14 ? &c.point[wrong - 8]
                                   : wrong < 17 ? &c.normal[wrong - 14]
                                                : &c.distance;
            *number += wrong < 0 ? 0 : wrong == 17 ? 0x1p-1074 : *number > 0 ? -0x1p-40 : 0x1p-40;
            if (wrong == 18)
                c.distance = -0.0;
            const char *fault = oracle_features_fault(&cases[i].is, &c);
            EXPECT(!fault == (wrong < 0), "case %zu, %d: %s", i, wrong, fault);
            EXPECT(oracle_features_distance(&cases[i].is) == 0, "case %zu: distance", i);
        }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"features", test_features_by_hand},
                                 {"objects", test_objects_by_hand},
                                 {"samples", test_truth_samples},
                                 {"all_pairs", test_objects_all_pairs},
                                 {"compare", test_distances_compare},
                                 {"touching", test_touching_features},
                                 {0}};
    return test_main(argc, argv, "truth_near", tests);
}
