/* A model (impinge.h): after any sequence of moves, removals and splits it gives the results of a
 * pipeline that recomputes everything, and of brute force; a refused call leaves it unchanged. */
#include "expect.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 400
#define VERTS 1200
#define LONG 1000 /* steps */
#define SEEDS 8   /* least number of sequences in the soak */

/* The expected contents of the model, kept by other means. */
typedef struct twin {
    int corners;
    uint32_t prims, verts;
    int64_t id[PRIMS], next;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS];
    double point[3 * VERTS];
} twin;

static imp_mesh twin_mesh(const twin *t, uint32_t first, uint32_t count)
{
    return (imp_mesh){.vertices = t->verts,
                      .primitives = count,
                      .corner = t->corner + (size_t)t->corners * first,
                      .object = t->object + first,
                      .corners = t->corners,
                      .corner_count = t->corners == 4 ? t->corner_count + first : NULL,
                      .id = t->id + first};
}

static void model_test_random_primitive(twin *t, uint32_t i, rng *r)
{
    uint32_t near = rng_below(r, t->verts - 6);
    for (int k = 0; k < t->corners; k++)
        t->corner[(uint32_t)t->corners * i + (uint32_t)k] = near + rng_below(r, 6);
    t->corner_count[i] = t->corners == 4 ? (uint8_t)(3 + rng_below(r, 2)) : (uint8_t)t->corners;
    t->object[i] = (int32_t)rng_below(r, 3) - 1;
    t->id[i] = (t->next = (t->next * 1103515245 + 12345) % 2147483648) - 1000;
}

static void twin_drop(twin *t, uint32_t i)
{
    uint32_t last = --t->prims;
    size_t n = (size_t)t->corners;
    memmove(t->corner + n * i, t->corner + n * last, n * sizeof *t->corner);
    t->corner_count[i] = t->corner_count[last];
    t->object[i] = t->object[last];
    t->id[i] = t->id[last];
}

static void model_test_add_vertices(twin *t, imp_model *m, uint32_t count, rng *r)
{
    uint32_t first;
    if (t->verts + count > VERTS)
        return;
    for (uint32_t i = 3 * t->verts; i < 3 * (t->verts + count); i++)
        t->point[i] = 0.02 * (i / 3 % 200) * (i % 3 == 0) + 0.4 * rng_unit(r);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, t->point + 3 * t->verts, count, &first), 0);
    CU_ASSERT_EQUAL(first, t->verts);
    t->verts += count;
}

/* Replaces `count` random primitives by `by` others. */
static void model_test_exchange(twin *t, imp_model *m, uint32_t count, uint32_t by, rng *r)
{
    int64_t gone[8];
    count = count < t->prims ? count : t->prims;
    if (t->prims - count + by > PRIMS)
        by = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t one = rng_below(r, t->prims);
        gone[i] = t->id[one];
        twin_drop(t, one);
    }
    for (uint32_t i = 0; i < by; i++)
        model_test_random_primitive(t, t->prims + i, r);
    if (by && count && rng_below(r, 4) == 0)
        t->id[t->prims] = gone[0]; /* reuses an id for another primitive */
    imp_mesh come = twin_mesh(t, t->prims, by);
    int err = !by      ? imp_model_remove(m, gone, count)
              : !count ? imp_model_add(m, &come)
                       : imp_model_replace(m, gone, count, &come);
    EXPECT(!err, "%s", imp_error_text());
    t->prims += by;
}

static void model_test_move(twin *t, imp_model *m, rng *r)
{
    uint32_t vertex[4];
    double point[12];
    for (uint32_t i = 0; i < 4; i++) {
        vertex[i] = rng_below(r, t->verts);
        for (uint32_t k = 0; k < 3; k++) {
            double *x = &t->point[3 * vertex[i] + k];
            *x += 0.05 * (rng_unit(r) - 0.5);
            point[3 * i + k] = *x;
        }
        for (uint32_t j = 0; j < i; j++) /* the last one of repeated vertices counts */
            if (vertex[j] == vertex[i])
                memcpy(point + 3 * j, point + 3 * i, sizeof(double[3]));
    }
    CU_ASSERT_EQUAL(imp_model_move(m, vertex, point, 4), 0);
    if (rng_below(r, 10) == 0)
        CU_ASSERT_EQUAL(imp_model_move(m, NULL, t->point, t->verts), 0);
}

/* ---- the results of a query, by ids */

typedef struct named {
    int64_t a, b;
    int kind;
    double point[6];
} named;

typedef struct answer {
    size_t count, room;
    named *row;
    const int64_t *id; /* ids by index, for a and b */
} answer;

static int answer_sink(void *user, const imp_contacts *c)
{
    answer *out = user;
    if (out->count + c->count > out->room) {
        out->room = 2 * (out->count + c->count);
        out->row = realloc(out->row, out->room * sizeof *out->row);
    }
    for (size_t i = 0; i < c->count; i++) {
        int64_t a = out->id[c->a[i]], b = out->id[c->b[i]];
        named *n = &out->row[out->count++];
        *n = (named){a < b ? a : b, a < b ? b : a, c->kind[i], {0}};
        memcpy(n->point, c->points + 6 * i, sizeof n->point);
    }
    return 0;
}

static int named_compare(const void *p, const void *q)
{
    const named *x = p, *y = q;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : x->b != y->b ? (x->b < y->b ? -1 : 1) : 0;
}

/* Points of triangles depend on the order of the two in their last bits. */
static int named_near(const named *x, const named *y)
{
    int near = x->a == y->a && x->b == y->b && x->kind == y->kind;
    for (int k = 0; k < 6; k++)
        near = near && fabs(x->point[k] - y->point[k]) < 1e-6;
    return near;
}

/* Runs the twin's frame on a pipeline. */
static void ask_twin(imp *p, const twin *t, answer *out, imp_frame_info *info)
{
    imp_mesh mesh = twin_mesh(t, 0, t->prims);
    imp_frame frame = {&mesh, t->point, IMP_FLOAT64, 0};
    out->count = 0;
    out->id = t->id;
    CU_ASSERT_EQUAL(imp_detect(p, &frame, 1, answer_sink, out, info), 0);
    qsort(out->row, out->count, sizeof *out->row, named_compare);
}

static void ask_model(imp_model *m, answer *out, imp_frame_info *info)
{
    out->count = 0;
    out->id = imp_model_mesh(m)->id;
    EXPECT(!imp_model_query(m, answer_sink, out, info), "%s", imp_error_text());
    qsort(out->row, out->count, sizeof *out->row, named_compare);
}

/* Compares model, pipelines and twin; returns the number of contacts. */
static size_t model_test_compare(imp_model *m, imp *const other[2], const twin *t, const char *what,
                                 uint64_t step)
{
    answer got = {0}, want = {0};
    imp_frame_info info = {0}, wanted = {0};
    ask_model(m, &got, &info);
    for (int k = 0; k < 2; k++) {
        ask_twin(other[k], t, &want, &wanted);
        EXPECT(got.count == want.count && info.candidates == wanted.candidates,
               "%s, step %llu: %zu contacts, not %zu", what, (unsigned long long)step, got.count,
               want.count);
        for (size_t i = 0; i < got.count && i < want.count; i++)
            if (!named_near(&got.row[i], &want.row[i])) {
                EXPECT(0, "%s, step %llu: pair %lld %lld, not %lld %lld", what,
                       (unsigned long long)step, (long long)got.row[i].a, (long long)got.row[i].b,
                       (long long)want.row[i].a, (long long)want.row[i].b);
                break;
            }
    }
    size_t count = got.count;
    free(got.row);
    free(want.row);
    return count;
}

/* ---- random sequences */

static void model_test_step(twin *t, imp_model *m, rng *r)
{
    switch (rng_below(r, 6)) {
    case 0:
        model_test_exchange(t, m, 1 + rng_below(r, 3), 0, r);
        break;
    case 1:
        model_test_exchange(t, m, 1, 1 + rng_below(r, 4), r);
        break;
    case 2:
        model_test_exchange(t, m, 0, 1 + rng_below(r, 5), r);
        break;
    case 3:
        model_test_add_vertices(t, m, 1 + rng_below(r, 4), r);
        break;
    default:
        model_test_move(t, m, r);
    }
}

static imp_def model_test_def(uint64_t seed)
{
    return (imp_def){.dop_k = seed % 2 ? 6 : 18,
                     .broad = seed % 4 == 1 ? "hash" : NULL,
                     .stage = seed % 5 == 0 ? IMP_STAGE_CANDIDATES : IMP_STAGE_CONTACTS,
                     .adjacent = seed % 2 ? IMP_ADJACENT_TEST : IMP_ADJACENT_SKIP,
                     .end_features = seed % 5 != 0,
                     .pairs = (int)(seed / 2 % 3)};
}

static size_t model_test_run_sequence(const way *w, uint64_t seed, uint64_t steps, uint64_t *kept)
{
    static twin t;
    rng r = {seed};
    imp_def def = model_test_def(seed), brute = def;
    imp_model *m;
    def.device = w->device;
    def.threads = w->threads;
    def.broad = seed % 4 == 3 ? broad_names[seed / 4 % BROAD_METHODS] : def.broad;
    imp *other[2];
    other[0] = way_pipeline(w, &def);
    def.update = seed % 6 == 5 ? IMP_UPDATE_AUTO : IMP_UPDATE_KEEP;
    brute.broad = "brute";
    brute.device = "cpu";
    CU_ASSERT_EQUAL_FATAL(imp_create(&brute, &other[1]), 0);
    memset(&t, 0, sizeof t);
    t.corners = seed % 3 ? 3 : 4;
    t.next = 1;
    CU_ASSERT_EQUAL_FATAL(imp_model_create(&def, t.corners, &m), 0);
    model_test_add_vertices(&t, m, 200, &r);
    for (int i = 0; i < 30; i++)
        model_test_exchange(&t, m, 0, 5, &r);
    size_t contacts = 0;
    char what[250];
    snprintf(what, sizeof what, "%.200s, seed %llu", w->name, (unsigned long long)seed);
    for (uint64_t i = 0; i < steps; i++) {
        model_test_step(&t, m, &r);
        if (rng_below(&r, 5) == 0 || i + 1 == steps)
            contacts += model_test_compare(m, other, &t, what, i);
    }
    imp_profile sums;
    imp_profile_get(imp_model_pipeline(m), &sums);
    *kept += sums.entries_written < sums.primitives ? sums.primitives - sums.entries_written : 0;
    imp_model_destroy(m);
    imp_destroy(other[0]);
    imp_destroy(other[1]);
    return contacts;
}

/* Whether the device can be selected by name: models have no forced forms. */
static int model_test_is_named(const way *w)
{
    return !w->no_fp64 && !w->units && !w->isa;
}

/* The size of a test: more and longer sequences in the soak. */
typedef struct plan {
    uint64_t seeds, steps, first_steps; /* the first sequence may be longer */
} plan;

static plan plan_of(const way *w)
{
    const uint64_t soak = test_count(1), seeds = w->opencl ? (soak + 4) / 5 : soak;
    if (soak > 1)
        return (plan){seeds > SEEDS ? seeds : SEEDS, LONG, LONG};
    if (TEST_SLOW)
        return (plan){w->opencl ? 2 : 6, 40, w->opencl ? 40 : LONG};
    return (plan){w->opencl ? 6 : 18, 120, w->opencl ? 120 : LONG};
}

/* All sequences on one device. Returns the number of contacts. */
static size_t run_way(const way *w)
{
    const plan p = plan_of(w);
    size_t contacts = 0;
    uint64_t kept = 0;
    for (uint64_t seed = 1; seed <= p.seeds; seed++) {
        size_t found = model_test_run_sequence(w, seed, seed == 1 ? p.first_steps : p.steps, &kept);
        EXPECT(found, "%s, seed %llu: no contacts", w->name, (unsigned long long)seed);
        contacts += found;
    }
    EXPECT(kept > 100 || !way_keeps(w), "%s: only %llu not written again", w->name,
           (unsigned long long)kept);
    printf("\n    %s: %llu sequences of %llu steps, %zu contacts ", w->name,
           (unsigned long long)p.seeds, (unsigned long long)p.steps, contacts);
    return contacts;
}

/* On the host or on all OpenCL devices: all forms in the soak, else one of the host. */
static void run_sequences(int opencl)
{
    way ways[WAYS_MOST];
    const size_t n = test_count(1) > 1 ? ways_find(ways) : ways_few(ways);
    size_t contacts = 0, devices = 0;
    for (size_t i = 0; i < n; i++) {
        if (!model_test_is_named(&ways[i]) || ways[i].opencl != opencl)
            continue;
        devices++;
        contacts += run_way(&ways[i]);
    }
    if (!devices && opencl)
        SKIP("no OpenCL device");
    EXPECT(devices && contacts > 1000, "%zu devices, %zu contacts", devices, contacts);
}

static void test_sequences(void)
{
    run_sequences(0);
}

static void test_sequences_opencl(void)
{
    run_sequences(1);
}

/* ---- refused */

static const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};

static void model_test_expect_refused(int err, const char *what)
{
    EXPECT(err == IMP_ERR_ARGUMENT && strstr(imp_error_text(), what), "%d: %s", err,
           imp_error_text());
}

static void test_model_refused(void)
{
    imp_model *m;
    uint32_t first;
    const double bad[] = {0, NAN, 0};
    const int64_t id[] = {7, 8, 9}, twice[] = {7, 7}, none[] = {7, 5};
    const uint32_t corner[] = {0, 1, 2, 0, 1, 3, 2, 3, 4}, beyond[] = {0, 1, 5}, far = 5;
    imp_mesh what = {.primitives = 3, .corner = corner, .id = id}, wrong = what;
    model_test_expect_refused(imp_model_create(&(imp_def){0}, 5, &m), "5 corners");
    model_test_expect_refused(imp_model_create(NULL, 3, NULL), "out is NULL");
    CU_ASSERT_EQUAL_FATAL(imp_model_create(NULL, 3, &m), 0);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, cube, 5, NULL), 0);
    imp_model_destroy(m);
    CU_ASSERT_EQUAL_FATAL(
        imp_model_create(&(imp_def){.device = "cpu", .update = IMP_UPDATE_KEEP}, 3, &m), 0);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, cube, 5, &first), 0);
    model_test_expect_refused(imp_model_add_vertices(m, bad, 1, &first), "finite");
    CU_ASSERT_EQUAL(imp_model_add(m, &what), 0);
    model_test_expect_refused(imp_model_add(m, &what), "already");
    model_test_expect_refused(imp_model_add(m, NULL), "is NULL");
    wrong.primitives = UINT32_C(1) << 31;
    model_test_expect_refused(imp_model_add(m, &wrong), "2147483648 primitives");
    model_test_expect_refused(imp_model_move(m, &far, cube, 1), "no vertex 5");
    model_test_expect_refused(imp_model_move(m, NULL, bad, 1), "finite");
    model_test_expect_refused(imp_model_remove(m, none, 2), "no primitive 5");
    model_test_expect_refused(imp_model_remove(m, twice, 2), "no primitive 7");
    wrong.corner = beyond;
    wrong.primitives = 1;
    wrong.id = none + 1;
    model_test_expect_refused(imp_model_add(m, &wrong), "vertex 5");
    model_test_expect_refused(imp_model_replace(m, id, 1, &wrong), "vertex 5");
    wrong.corner = corner;
    wrong.id = id + 1;
    model_test_expect_refused(imp_model_replace(m, id, 1, &wrong), "already");
    wrong.primitives = 2;
    wrong.id = twice;
    model_test_expect_refused(imp_model_replace(m, id, 1, &wrong), "both named 7");
    wrong.corners = 4;
    model_test_expect_refused(imp_model_add(m, &wrong), "4 corners");
    for (int i = 0; i < 3; i++)
        CU_ASSERT(imp_model_position(m, id[i]) >= 0 &&
                  imp_model_mesh(m)->id[imp_model_position(m, id[i])] == id[i]);
    CU_ASSERT_EQUAL(imp_model_position(m, 5), -1);
    wrong = what;
    wrong.primitives = 1;
    CU_ASSERT_EQUAL(imp_model_replace(m, id, 1, &wrong), 0); /* by a primitive with the same id */
    CU_ASSERT_EQUAL(imp_model_remove(m, id, 3), 0);
    model_test_expect_refused(imp_model_remove(m, id, 1), "no primitive 7");
    imp_frame_info info;
    CU_ASSERT(!imp_model_query(m, NULL, NULL, &info) && !info.candidates && !info.entries_written);
    imp_model_destroy(m);
    imp_model_destroy(NULL);
}

/* ---- primitives that replace others with shared vertices take their positions, which are close */

static void test_model_near(void)
{
    enum { N = 20 };
    imp_model *m;
    uint32_t first, corner[3 * N], next[3 * N];
    int64_t id[N], other[N], place[N];
    double point[9 * N] = {0};
    for (uint32_t i = 0; i < N; i++) {
        id[i] = i;
        for (uint32_t k = 0; k < 3; k++)
            corner[3 * i + k] = 3 * i + k;
    }
    const imp_mesh some = {.primitives = N, .corner = corner, .id = id},
                   by = {.primitives = N, .corner = next, .id = other};
    CU_ASSERT_EQUAL_FATAL(imp_model_create(&(imp_def){.device = "cpu"}, 3, &m), 0);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, point, 3 * N, &first), 0);
    CU_ASSERT_EQUAL(imp_model_add(m, &some), 0);
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, point, N, &first), 0);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t one = 7 * i % N; /* in another order */
        other[i] = 100 + one;
        next[3 * i] = first + one;
        next[3 * i + 1] = 3 * one + 2;
        next[3 * i + 2] = 3 * one;
        place[one] = imp_model_position(m, one);
    }
    CU_ASSERT_EQUAL(imp_model_replace(m, id, N, &by), 0);
    for (uint32_t i = 0; i < N; i++)
        CU_ASSERT_EQUAL(imp_model_position(m, 100 + i), place[i]);
    imp_model_destroy(m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"sequences", test_sequences},
                                 {"sequences_opencl", test_sequences_opencl},
                                 {"refused", test_model_refused},
                                 {"near", test_model_near},
                                 {0}};
    return test_main(argc, argv, "model", tests);
}
