/* Pairs within a distance: on all devices, with all methods and in all forms the rows are those of
 * the oracle: pairs of primitives, pairs of features, and nearest primitives of objects. */
#include "expect.h"
#include "near_scenes.h"
#include "oracle.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the truth */

static nearest_claim near_claim(const near_row *r)
{
    nearest_claim c = {
        .kind = (int)r->kind, .feature = {r->feature[0], r->feature[1]}, .distance = r->distance};
    memcpy(c.weight, r->weight, sizeof c.weight);
    memcpy(c.point, r->point, sizeof c.point);
    memcpy(c.normal, r->normal, sizeof c.normal);
    return c;
}

static const char *near_row_fault(const near_scene *s, oracle *o, int rows, const truth_row *want,
                                  const near_row *got)
{
    const nearest_claim nearest = near_claim(got);
    const truth_claim claim = {.kind = (int)got->kind,
                               .point = got->point,
                               .nearest = &nearest,
                               .features = rows == IMP_ROWS_FEATURES};
    return want->a != got->a || want->b != got->b || want->kind != got->kind ||
                   want->feature_a != got->feature[0] || want->feature_b != got->feature[1] ||
                   want->distance != got->distance
               ? "another pair, kind, feature or distance"
               : truth_points_fault(o, &s->frame, want->a, want->b, &claim);
}

static void near_compare(const near_scene *s, uint64_t seed, int rows, const near_list *got)
{
    mem m = {0};
    truth want = {0};
    oracle *o = oracle_open();
    const imp_def def = near_scene_def(s, seed, rows);
    CU_ASSERT_EQUAL_FATAL(truth_find(&m, &s->frame, &def, NULL, 2, &want), 0);
    EXPECT(want.count == got->count, "seed %llu, rows %d: %zu pairs, not %zu",
           (unsigned long long)seed, rows, got->count, want.count);
    for (size_t i = 0; i < want.count && i < got->count; i++) {
        const char *fault = near_row_fault(s, o, rows, &want.row[i], &got->row[i]);
        EXPECT(!fault, "seed %llu, rows %d, pair %u %u: %s", (unsigned long long)seed, rows,
               got->row[i].a, got->row[i].b, fault);
    }
    truth_free(&m, &want);
    oracle_close(o);
    mem_close(&m);
}

/* ---- all ways */

static void near_run(imp *p, const near_scene *s, near_list *out)
{
    out->count = 0;
    EXPECT(!imp_detect(p, &s->frame, 1, near_sink, out, NULL), "%s", imp_error_text());
}

static void near_scene_test(const way *ways, size_t n, uint64_t seed, int rows)
{
    static near_scene s;
    near_list want = {0}, got = {0};
    near_scene_make(&s, seed);
    for (size_t i = 0; i < n; i++) {
        imp_def def = near_scene_def(&s, seed, rows);
        def.broad = i && seed % 2 ? broad_names[seed % 5] : NULL;
        def.mem_limit = seed % 9 == 4 ? 4 << 20 : 0;
        def.verify = seed % 8 == 6 ? 16 : 0;
        imp *p = way_pipeline(&ways[i], &def);
        near_run(p, &s, i ? &got : &want);
        EXPECT(!i || near_lists_equal(&want, &got), "%s, seed %llu, rows %d: other rows",
               ways[i].name, (unsigned long long)seed, rows);
        imp_destroy(p);
    }
    near_compare(&s, seed, rows, &want);
    free(want.row);
    free(got.row);
}

static void near_test_all(int rows)
{
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (uint64_t seed = 1; seed <= test_cases(60); seed++)
        near_scene_test(ways, seed % 4 ? 1 : n, seed, rows);
    /* vertices without an edge but in primitives that are left out */
    near_scene_test(ways, 1, 201, rows);
    near_scene_test(ways, 1, 245, rows);
}

static void test_distance_rows_prims(void)
{
    near_test_all(IMP_ROWS_PRIMITIVES);
}

static void test_distance_rows_features(void)
{
    near_test_all(IMP_ROWS_FEATURES);
}

static void test_distance_rows_objects(void)
{
    near_test_all(IMP_ROWS_OBJECTS);
}

/* Frames of two meshes, all in one call or each in a call of its own. */
#define FRAMES 6

static void near_frames_run(const way *w, near_scene *s, int rows, size_t at_once, near_list *out)
{
    imp_frame frame[FRAMES];
    imp_def def = {.rows = rows, .distance = rows == IMP_ROWS_OBJECTS ? 0 : 0.2};
    imp *p = way_pipeline(w, &def);
    for (size_t f = 0; f < FRAMES; f++)
        frame[f] = s[f < FRAMES / 2 ? 0 : f].frame;
    for (size_t f = 0; f < FRAMES / 2; f++)
        frame[f].point = s[f].point;
    out->count = 0;
    for (size_t f = 0; f < FRAMES; f += at_once)
        EXPECT(!imp_detect(p, frame + f, at_once, near_sink, out, NULL), "%s", imp_error_text());
    imp_destroy(p);
}

static void test_distance_rows_frames(void)
{
    static near_scene s[FRAMES];
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (size_t f = 0; f < FRAMES; f++)
        near_scene_make(&s[f], 10 * f);
    for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
        near_list want = {0}, got = {0};
        near_frames_run(&ways[0], s, rows, 1, &want);
        EXPECT(want.count >= FRAMES, "rows %d: %zu are few", rows, want.count);
        for (size_t i = 0; i < n; i++)
            for (size_t at_once = 2; at_once <= FRAMES; at_once *= 3) {
                near_frames_run(&ways[i], s, rows, at_once, &got);
                EXPECT(near_lists_equal(&want, &got), "%s, rows %d, %zu at once: other rows",
                       ways[i].name, rows, at_once);
            }
        free(want.row);
        free(got.row);
    }
}

/* Pairs of a distance of 0 are the contacts. */
static void test_distance_rows_zero(void)
{
    static near_scene s;
    for (uint64_t seed = 100; seed < 110; seed++) {
        contact_list contacts = {0}, touching = {0};
        imp *p = NULL, *q = NULL;
        near_scene_make(&s, seed);
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .on_bad = IMP_BAD_SKIP}, &p),
                              0);
        CU_ASSERT_EQUAL_FATAL(
            imp_create(
                &(imp_def){.device = "cpu", .rows = IMP_ROWS_PRIMITIVES, .on_bad = IMP_BAD_SKIP},
                &q),
            0);
        CU_ASSERT_EQUAL(imp_detect(p, &s.frame, 1, contact_list_sink, &contacts, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(q, &s.frame, 1, contact_list_sink, &touching, NULL), 0);
        EXPECT(contacts.count == touching.count, "seed %llu: %zu, not %zu",
               (unsigned long long)seed, touching.count, contacts.count);
        for (size_t i = 0; i < contacts.count && i < touching.count; i++) {
            const struct contact_row *x = &contacts.row[i], *y = &touching.row[i];
            EXPECT(x->a == y->a && x->b == y->b && x->kind == y->kind &&
                       !memcmp(x->point, y->point, sizeof x->point),
                   "seed %llu, contact %zu: another one", (unsigned long long)seed, i);
        }
        contact_list_free(&contacts);
        contact_list_free(&touching);
        imp_destroy(p);
        imp_destroy(q);
    }
}

static void test_distance_rows_wrong(void)
{
    const imp_def wrong[] = {{.rows = IMP_ROWS_PRIMITIVES, .distance = -1},
                             {.rows = IMP_ROWS_PRIMITIVES, .distance = NAN},
                             {.rows = IMP_ROWS_FEATURES, .distance = INFINITY},
                             {.distance = 1},
                             {.rows = 4},
                             {.rows = IMP_ROWS_OBJECTS, .distance = 1},
                             {.rows = IMP_ROWS_OBJECTS, .pairs = IMP_PAIRS_SELF},
                             {.rows = IMP_ROWS_OBJECTS, .stage = IMP_STAGE_CANDIDATES},
                             {.rows = -1},
                             {.rows = IMP_ROWS_FEATURES, .continuous = 1},
                             {.rows = IMP_ROWS_PRIMITIVES, .adjacent = IMP_ADJACENT_TEST}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        imp *p = NULL;
        EXPECT(imp_create(&wrong[i], &p) == IMP_ERR_ARGUMENT, "definition %zu is accepted", i);
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"prims", test_distance_rows_prims},
                                 {"features", test_distance_rows_features},
                                 {"objects", test_distance_rows_objects},
                                 {"frames", test_distance_rows_frames},
                                 {"zero", test_distance_rows_zero},
                                 {"wrong", test_distance_rows_wrong},
                                 {0}};
    return test_main(argc, argv, "distance_rows", tests);
}
