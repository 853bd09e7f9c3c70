/* Rows of pairs within a distance, as a result has them: `check` accepts those of a pipeline, and
 * finds each changed column, each missing or additional row, and wrong orders. */
#include "check.h"
#include "expect.h"
#include "near_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 2000

/* The rows of a frame in the types of a file. */
typedef struct file_rows {
    uint64_t count;
    int64_t a[ROWS_MOST], b[ROWS_MOST], feature_a[ROWS_MOST], feature_b[ROWS_MOST];
    int32_t object_a[ROWS_MOST], object_b[ROWS_MOST];
    uint8_t kind[ROWS_MOST];
    double points[6 * ROWS_MOST], distance[ROWS_MOST], normal[3 * ROWS_MOST];
    double barycentric_a[4 * ROWS_MOST], barycentric_b[4 * ROWS_MOST];
} file_rows;

static near_scene scene;
static file_rows given, wrong;

static void file_rows_set(file_rows *f, uint64_t i, const near_row *r)
{
    f->a[i] = r->a;
    f->b[i] = r->b;
    f->kind[i] = (uint8_t)r->kind;
    f->feature_a[i] = r->feature[0];
    f->feature_b[i] = r->feature[1];
    f->object_a[i] = scene.object[r->a];
    f->object_b[i] = scene.object[r->b];
    f->distance[i] = r->distance;
    memcpy(f->points + 6 * i, r->point, sizeof r->point);
    memcpy(f->normal + 3 * i, r->normal, sizeof r->normal);
    memcpy(f->barycentric_a + 4 * i, r->weight[0], sizeof r->weight[0]);
    memcpy(f->barycentric_b + 4 * i, r->weight[1], sizeof r->weight[1]);
}

static void file_rows_copy(file_rows *to, uint64_t i, const file_rows *from, uint64_t j)
{
    near_row r = {.a = (uint32_t)from->a[j],
                  .b = (uint32_t)from->b[j],
                  .kind = from->kind[j],
                  .feature = {from->feature_a[j], from->feature_b[j]},
                  .distance = from->distance[j]};
    memcpy(r.point, from->points + 6 * j, sizeof r.point);
    memcpy(r.normal, from->normal + 3 * j, sizeof r.normal);
    memcpy(r.weight[0], from->barycentric_a + 4 * j, sizeof r.weight[0]);
    memcpy(r.weight[1], from->barycentric_b + 4 * j, sizeof r.weight[1]);
    file_rows_set(to, i, &r);
}

static void file_rows_of_scene(uint64_t seed, int rows)
{
    near_list l = {0};
    imp *p = NULL;
    near_scene_make(&scene, seed);
    imp_def def = near_scene_def(&scene, seed, rows);
    def.device = "cpu";
    CU_ASSERT_FATAL(!imp_create(&def, &p));
    CU_ASSERT_FATAL(!imp_detect(p, &scene.frame, 1, near_sink, &l, NULL));
    CU_ASSERT_FATAL(l.count > 0 && l.count < ROWS_MOST);
    given.count = l.count;
    for (uint64_t i = 0; i < l.count; i++)
        file_rows_set(&given, i, &l.row[i]);
    imp_destroy(p);
    free(l.row);
}

/* ---- the check */

typedef struct row_check {
    job job;
    truth truth;
    const uint8_t *wanted;
} row_check;

static void row_check_open(row_check *c, uint64_t seed, int rows, const uint8_t *wanted)
{
    *c = (row_check){.wanted = wanted};
    c->job.def = near_scene_def(&scene, seed, rows);
    c->job.def.threads = 2;
    CU_ASSERT_FATAL(!truth_find(&c->job.mem.read, &scene.frame, &c->job.def, wanted, 2, &c->truth));
}

static void row_check_close(row_check *c)
{
    truth_free(&c->job.mem.read, &c->truth);
}

/* Returns NULL if these rows are right, else the error's text. */
static const char *row_check_fault(row_check *c, const file_rows *f)
{
    const result_rows rows = {.count = f->count,
                              .a = f->a,
                              .b = f->b,
                              .object_a = f->object_a,
                              .object_b = f->object_b,
                              .kind = f->kind,
                              .points = f->points,
                              .feature_a = f->feature_a,
                              .feature_b = f->feature_b,
                              .distance = f->distance,
                              .barycentric_a = f->barycentric_a,
                              .barycentric_b = f->barycentric_b,
                              .normal = f->normal};
    check_rows of = {.job = &c->job,
                     .path = "rows",
                     .at = &scene.frame,
                     .wanted = c->wanted,
                     .rows = &rows,
                     .truth = &c->truth};
    const int err = check_rows_compare(&of);
    EXPECT(!err || err == IMP_ERR_DIFFERS, "%d: %s", err, imp_error_text());
    EXPECT(err || c->wanted || of.pairs == f->count, "%llu of %llu rows were compared",
           (unsigned long long)of.pairs, (unsigned long long)f->count);
    return err ? imp_error_text() : NULL;
}

static void row_check_refuses(row_check *c, const char *what, uint64_t i, const char *how)
{
    const char *fault = row_check_fault(c, &wrong);
    EXPECT(fault && (!how || strstr(fault, how)), "row %llu, %s: %s", (unsigned long long)i, what,
           fault ? fault : "accepted");
}

/* ---- changes */

/* Changes number k of row i by little, points of contacts by more than their bounds; returns 0 past
 * the last. */
static int file_rows_change(file_rows *f, uint64_t i, int k)
{
    int64_t *const whole[] = {&f->a[i], &f->b[i], &f->feature_a[i], &f->feature_b[i]};
    if (k < 8) {
        *whole[k / 2] += k % 2 ? 1 : -1;
        return 1;
    }
    double *const number[] = {f->points + 6 * i, f->barycentric_a + 4 * i, f->barycentric_b + 4 * i,
                              f->normal + 3 * i};
    static const int count[] = {6, 4, 4, 3};
    k -= 8;
    for (int n = 0; n < 4; k -= count[n++])
        if (k < count[n]) {
            number[n][k] += fmax(0x1p-30, fabs(number[n][k]) * 0x1p-30);
            if (!n && f->kind[i] < IMP_KIND_VERTEX_FACE)
                number[n][k] += 1e3 * fabs(scene.point[0]);
            return 1;
        }
    if (k == 0)
        f->distance[i] = nextafter(f->distance[i], INFINITY);
    if (k == 1)
        f->kind[i]++;
    if (k == 2)
        f->kind[i]--;
    if (k == 3)
        f->object_a[i]++;
    if (k == 4)
        f->object_b[i]--;
    return k < 5;
}

static void check_changed_rows(row_check *c, rng *r)
{
    const uint64_t i = rng_below(r, (uint32_t)given.count);
    for (int k = 0;; k++) {
        char what[40];
        wrong = given;
        if (!file_rows_change(&wrong, i, k))
            break;
        snprintf(what, sizeof what, "change %d", k);
        row_check_refuses(c, what, i, NULL);
    }
}

/* Row i is left out, there twice, or after the next one. */
static void check_moved_rows(row_check *c, uint64_t i)
{
    wrong = given;
    wrong.count = given.count - 1;
    for (uint64_t j = i; j < wrong.count; j++)
        file_rows_copy(&wrong, j, &given, j + 1);
    row_check_refuses(c, "left out", i,
                      c->job.def.rows == IMP_ROWS_FEATURES ? "lacks features" : "is missing");
    wrong.count = given.count + 1;
    for (uint64_t j = i; j < wrong.count; j++)
        file_rows_copy(&wrong, j, &given, j ? j - 1 : 0);
    row_check_refuses(c, "there twice", i, "is there twice");
    if (i + 1 == given.count)
        return;
    wrong = given;
    file_rows_copy(&wrong, i, &given, i + 1);
    file_rows_copy(&wrong, i + 1, &given, i);
    row_check_refuses(c, "after the next one", i, "is out of order");
}

static void check_rows_of(int rows)
{
    /* tetrahedra, edges, pairs that touch, few bits, vertices that are not finite */
    static const uint64_t seeds[] = {3, 5, 6, 8, 14};
    for (size_t k = 0; k < test_cases(5); k++) {
        const uint64_t seed = k < 5 ? seeds[k] : 100 + k;
        rng r = {seed};
        row_check c;
        file_rows_of_scene(seed, rows);
        row_check_open(&c, seed, rows, NULL);
        const char *fault = row_check_fault(&c, &given);
        EXPECT(!fault, "seed %llu, rows %d: %s", (unsigned long long)seed, rows, fault);
        check_changed_rows(&c, &r);
        for (int n = 0; n < 2; n++)
            check_moved_rows(&c, rng_below(&r, (uint32_t)given.count));
        row_check_close(&c);
    }
}

static void test_check_primitives(void)
{
    check_rows_of(IMP_ROWS_PRIMITIVES);
}

static void test_check_features(void)
{
    check_rows_of(IMP_ROWS_FEATURES);
}

static void test_check_objects(void)
{
    check_rows_of(IMP_ROWS_OBJECTS);
}

/* ---- the words for a wrong row */

/* A pair of primitives has other features than those of the row; a pair that is too far; a pair of
 * objects with a nearer one. */
static void test_check_words(void)
{
    static const char *const words[] = {"", "is farther apart", "has other features",
                                        "is not the nearest"};
    for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
        row_check c;
        file_rows_of_scene(2, rows);
        row_check_open(&c, 2, rows, NULL);
        wrong = given;
        wrong.a[0] = rows == IMP_ROWS_FEATURES ? wrong.a[0] : 0;
        wrong.b[0] = rows == IMP_ROWS_FEATURES ? wrong.b[0] : 1;
        wrong.feature_a[0] -= rows == IMP_ROWS_FEATURES ? 5 : 0;
        row_check_refuses(&c, "another pair", 0, words[rows]);
        row_check_close(&c);
    }
}

/* ---- samples */

/* Rows without a primitive of the sample are not compared; those of a sampled object are. */
static void test_check_sample(void)
{
    for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
        uint8_t wanted[NEAR_PRIMS] = {[5] = 1, [30] = 1};
        uint64_t within = 0, seen = 0;
        row_check c;
        file_rows_of_scene(2, rows);
        if (rows == IMP_ROWS_OBJECTS) {
            wanted[30] = 0;
            CU_ASSERT_FATAL(!check_sample_objects(&(mem){0}, &scene.mesh, wanted));
            for (uint32_t i = 0; i < NEAR_PRIMS; i++)
                EXPECT(wanted[i] == (scene.object[i] == scene.object[5]), "primitive %u", i);
        }
        row_check_open(&c, 2, rows, wanted);
        EXPECT(!row_check_fault(&c, &given), "rows %d: %s", rows, imp_error_text());
        for (uint64_t i = 0; i < given.count; i += rows == IMP_ROWS_FEATURES ? 7 : 1) {
            const int in = wanted[given.a[i]] || wanted[given.b[i]];
            wrong = given;
            wrong.distance[i] = -1;
            EXPECT(!row_check_fault(&c, &wrong) == !in, "rows %d: row %llu", rows,
                   (unsigned long long)i);
            within += (uint64_t)in;
            seen++;
        }
        EXPECT(within > 0 && within < seen, "rows %d: %llu of %llu", rows,
               (unsigned long long)within, (unsigned long long)seen);
        row_check_close(&c);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"primitives", test_check_primitives}, {"features", test_check_features},
        {"objects", test_check_objects},       {"words", test_check_words},
        {"sample", test_check_sample},         {0}};
    return test_main(argc, argv, "check_rows", tests);
}
