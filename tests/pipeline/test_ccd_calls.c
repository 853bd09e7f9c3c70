/* Contacts of steps in other calls: backwards, with other types, in pieces, with cached data from
 * frame to frame; and the calls that imp_def.continuous does not change. */
#include "course.h"
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int updates[] = {IMP_UPDATE_REBUILD, IMP_UPDATE_AUTO, IMP_UPDATE_KEEP};

/* ---- backwards */

static int ccd_calls_find(const contact_list *l, const struct contact_row *r)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == COURSE_STEPS - 1 - r->frame && l->row[i].a == r->a &&
            l->row[i].b == r->b)
            return (int)i;
    return -1;
}

/* Backwards the same pairs are in contact. The first contact is then the last one of the forward
 * step, so the two tois add up to at most 1. */
static void check_back(imp *p, const look *l, uint64_t seed)
{
    course c;
    contact_list there, back;
    course_make(&c, l, seed);
    course_rows(p, &c, &there, NULL);
    for (int f = 0; f < COURSE_FRAMES; f++)
        c.frame[f].point = c.point[COURSE_STEPS - f];
    course_rows(p, &c, &back, NULL);
    EXPECT(there.count == back.count, "%s: %zu rows, backwards %zu", l->name, there.count,
           back.count);
    for (size_t i = 0; i < there.count; i++) {
        const int k = ccd_calls_find(&back, &there.row[i]);
        EXPECT(k >= 0 && there.row[i].toi + back.row[k].toi <= 1,
               "%s, seed %llu, step %llu: %u %u meet, and not backwards", l->name,
               (unsigned long long)seed, (unsigned long long)there.row[i].frame, there.row[i].a,
               there.row[i].b);
    }
    contact_list_free(&there);
    contact_list_free(&back);
    course_free(&c);
}

static void test_back(void)
{
    const way w = way_host();
    const uint64_t count = test_cases(4);
    imp *p = way_pipeline(&w, &(imp_def){.continuous = 1});
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = looks_from(1); l < LOOKS; l += looks_step())
            if (looks[l].form != LOOK_FAN)
                check_back(p, &looks[l], 1000 * i + l);
    imp_destroy(p);
}

/* ---- types and calls */

static void ccd_calls_same_rows(const contact_list *got, const contact_list *want, const look *l,
                                const char *how)
{
    EXPECT(contact_list_equal(got, want), "%s, %s: other rows, %zu and %zu", l->name, how,
           got->count, want->count);
}

/* float32 points give the result of float64 points with the same values, in any frame of a step. */
static void check_single(imp *p, course *c)
{
    contact_list want, got;
    float *x[COURSE_FRAMES];
    const size_t n = (size_t)3 * c->mesh.vertices;
    for (int f = 0; f < COURSE_FRAMES; f++) {
        x[f] = malloc((n + 1) * sizeof *x[f]);
        CU_ASSERT_PTR_NOT_NULL_FATAL(x[f]);
        for (size_t i = 0; i < n; i++)
            c->point[f][i] = (double)(x[f][i] = (float)c->point[f][i]);
    }
    course_rows(p, c, &want, NULL);
    for (int which = 1; which < 1 << COURSE_FRAMES; which++) {
        for (int f = 0; f < COURSE_FRAMES; f++) {
            c->frame[f].type = which >> f & 1 ? IMP_FLOAT32 : IMP_FLOAT64;
            c->frame[f].point = which >> f & 1 ? (void *)x[f] : (void *)c->point[f];
        }
        course_rows(p, c, &got, NULL);
        ccd_calls_same_rows(&got, &want, c->of, "float32");
        contact_list_free(&got);
    }
    contact_list_free(&want);
    for (int f = 0; f < COURSE_FRAMES; f++)
        free(x[f]);
}

/* All steps in one call, and each in its own call. */
static void check_calls(imp *p, const course *c, const contact_list *want)
{
    contact_list got = {0};
    for (int f = 0; f < COURSE_STEPS; f++) {
        const size_t first = got.count;
        imp_frame_info info;
        CU_ASSERT_EQUAL(imp_detect(p, c->frame + f, 2, contact_list_sink, &got, &info), 0);
        CU_ASSERT_EQUAL(info.contacts, got.count - first);
        for (size_t i = first; i < got.count; i++) {
            CU_ASSERT_EQUAL(got.row[i].frame, 0);
            got.row[i].frame = (uint64_t)f;
        }
    }
    ccd_calls_same_rows(&got, want, c->of, "one step in a call");
    contact_list_free(&got);
}

static void test_ccd_calls_all(void)
{
    const way w = way_host();
    imp *p = way_pipeline(&w, &(imp_def){.continuous = 1, .adjacent = 1, .block = 2});
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (size_t l = looks_from(2); l < LOOKS; l += looks_step()) {
        course c;
        contact_list want;
        course_make(&c, &looks[l], 7 + l);
        course_rows(p, &c, &want, NULL);
        CU_ASSERT_EQUAL(imp_detect(p, c.frame, COURSE_FRAMES, NULL, NULL, NULL), 0);
        check_calls(p, &c, &want);
        check_single(p, &c);
        contact_list_free(&want);
        course_free(&c);
    }
    imp_destroy(p);
}

/* ---- other points at the same address */

/* Reverses the order of the frames' points. */
static void ccd_calls_turn_round(course *c)
{
    const size_t n = (size_t)3 * c->mesh.vertices;
    for (int f = 0; f < COURSE_FRAMES / 2; f++)
        for (size_t i = 0; i < n; i++) {
            double *a = &c->point[f][i], *b = &c->point[COURSE_STEPS - f][i], was = *a;
            *a = *b;
            *b = was;
        }
}

/* Cached points of the last call are not used for this one. */
static void check_in_place(const way *w, const imp_def *def, course *c)
{
    const way host = way_host();
    imp *p = way_pipeline(w, def), *other = way_pipeline(&host, def);
    CU_ASSERT_FATAL(p && other);
    for (int turn = 0; turn < 3; turn++) {
        contact_list got, want;
        course_rows(p, c, &got, NULL);
        course_rows(other, c, &want, NULL);
        ccd_calls_same_rows(&got, &want, c->of, w->name);
        contact_list_free(&got);
        contact_list_free(&want);
        ccd_calls_turn_round(c);
    }
    imp_destroy(p);
    imp_destroy(other);
}

static void test_ccd_calls_in_place(void)
{
    way list[WAYS_MOST];
    const size_t n = ways_few(list);
    for (size_t i = 0; i < n; i++)
        for (int block = 1; block <= 2; block++)
            for (int continuous = 0; continuous < 2; continuous++) {
                course c;
                course_make(&c, &looks[1], 70);
                check_in_place(&list[i],
                               &(imp_def){.continuous = continuous, .block = (uint32_t)block}, &c);
                course_free(&c);
            }
}

/* ---- few frames, and empty ones */

static int no_rows(void *user, const imp_contacts *rows)
{
    (void)user;
    (void)rows;
    return 9;
}

static void check_ccd_calls_empty(imp *p, const imp_mesh *mesh)
{
    static const double point[9] = {0};
    imp_frame_info info[3];
    imp_frame frame[3];
    memset(info, 1, sizeof info);
    for (uint64_t f = 0; f < 3; f++)
        frame[f] = (imp_frame){.mesh = mesh, .point = point, .number = f};
    CU_ASSERT_EQUAL(imp_detect(p, frame, 3, no_rows, NULL, info), 0);
    for (int f = 0; f < 2; f++)
        CU_ASSERT(!info[f].candidates && !info[f].contacts && !info[f].candidates_vf &&
                  !info[f].candidates_ee && !info[f].undecided && !info[f].bad);
    CU_ASSERT_EQUAL(info[2].candidates, UINT64_C(0x0101010101010101)); /* untouched: not a step */
}

/* A step needs two frames. */
static void check_ccd_calls_one(imp *p, course *c, const contact_list *want)
{
    imp_frame_info info;
    contact_list got = {0};
    memset(&info, 1, sizeof info);
    CU_ASSERT_EQUAL(imp_detect(p, NULL, 0, no_rows, NULL, NULL), 0);
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, 0, no_rows, NULL, &info), 0);
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, 1, no_rows, NULL, &info), 0);
    CU_ASSERT_EQUAL(info.contacts, UINT64_C(0x0101010101010101));
    CU_ASSERT_EQUAL(imp_detect(p, c->frame, COURSE_FRAMES, contact_list_sink, &got, NULL), 0);
    CU_ASSERT(contact_list_equal(&got, want));
    contact_list_free(&got);
}

/* Steps need one mesh, to follow vertices. The error precedes any row. */
static void check_other_mesh(imp *p, const course *c)
{
    imp_frame frame[COURSE_FRAMES];
    const imp_mesh mesh = c->mesh;
    memcpy(frame, c->frame, sizeof frame);
    frame[COURSE_FRAMES - 1].mesh = &mesh;
    CU_ASSERT_EQUAL(imp_detect(p, frame, COURSE_FRAMES, no_rows, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT(strstr(imp_error_text(), "frame 2:") && strstr(imp_error_text(), "frame 1:"));
}

static void test_ccd_calls_few(void)
{
    static const uint32_t corner[3] = {0, 1, 2};
    const way w = way_host();
    for (int k = 0; k < 6; k++) {
        const imp_def def = {.continuous = 1, .stage = k / 3, .update = updates[k % 3]};
        course c;
        contact_list want;
        imp *p = way_pipeline(&w, &def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        course_make(&c, &looks[k], 40);
        course_rows(p, &c, &want, NULL);
        for (int corners = 1; corners <= 4; corners++) {
            check_ccd_calls_empty(p, &(imp_mesh){.corners = corners});
            check_ccd_calls_empty(p, &(imp_mesh){.corners = corners, .vertices = 3});
            if (corners < 4) /* a tetrahedron's own features are tested against each other */
                check_ccd_calls_empty(
                    p, &(imp_mesh){
                           .corners = corners, .vertices = 3, .primitives = 1, .corner = corner});
            check_ccd_calls_one(p, &c, &want);
        }
        check_other_mesh(p, &c);
        contact_list_free(&want);
        course_free(&c);
        imp_destroy(p);
    }
}

/* ---- caching from frame to frame */

static void ccd_calls_same_info(const imp_frame_info *x, const imp_frame_info *y, const char *name)
{
    for (int f = 0; f < COURSE_STEPS; f++)
        EXPECT(x[f].candidates == y[f].candidates && x[f].candidates_vf == y[f].candidates_vf &&
                   x[f].candidates_ee == y[f].candidates_ee && x[f].contacts == y[f].contacts &&
                   x[f].undecided == y[f].undecided && x[f].bad == y[f].bad,
               "%s, step %d: other counts", name, f);
}

/* Twice on one pipeline: the cache of the last frame is used for the first one. */
static void check_update(const course *c, const imp_def *def, const contact_list *want,
                         const imp_frame_info *counts)
{
    const way w = way_host();
    imp *p = way_pipeline(&w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int again = 0; again < 2; again++) {
        contact_list got;
        imp_frame_info info[COURSE_FRAMES] = {{0}};
        course_rows(p, c, &got, info);
        ccd_calls_same_rows(&got, want, c->of, def->broad);
        ccd_calls_same_info(info, counts, c->of->name);
        contact_list_free(&got);
        check_calls(p, c, want);
    }
    imp_destroy(p);
}

static void check_updates(course *c)
{
    const way w = way_host();
    contact_list want;
    imp_frame_info info[COURSE_FRAMES] = {{0}};
    int64_t *id = malloc((c->mesh.primitives + (size_t)1) * sizeof *id);
    imp *p = way_pipeline(&w, &(imp_def){.continuous = 1, .adjacent = 1});
    CU_ASSERT_FATAL(id && p);
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        id[i] = 1000 - 3 * (int64_t)i;
    c->mesh.id = id;
    course_rows(p, c, &want, info);
    for (size_t u = 0; u < sizeof updates / sizeof *updates; u++)
        for (int k = 0; k < 4; k++)
            check_update(c,
                         &(imp_def){.continuous = 1,
                                    .adjacent = 1,
                                    .update = updates[u],
                                    .ids = k / 2,
                                    .broad = k % 2 ? "hash" : "rtree"},
                         &want, info);
    imp_destroy(p);
    contact_list_free(&want);
    free(id);
}

static void test_updates(void)
{
    for (size_t l = looks_from(0); l < LOOKS; l += TEST_SLOW ? LOOKS : looks_step()) {
        course c;
        course_make(&c, &looks[l], 70 + l);
        check_updates(&c);
        course_free(&c);
    }
}

/* The mesh changes at the same address. With REBUILD it may do so at any time, otherwise the caller
 * calls imp_forget. */
static void test_ccd_calls_forget(void)
{
    const way w = way_host();
    for (size_t u = 0; u < sizeof updates / sizeof *updates; u++) {
        const imp_def def = {.continuous = 1, .update = updates[u]};
        course c, other;
        contact_list got;
        imp *p = way_pipeline(&w, &def);
        CU_ASSERT_PTR_NOT_NULL_FATAL(p);
        course_make(&c, &looks[1], 1);
        course_make(&other, &looks[1], 2);
        course_rows(p, &c, &got, NULL);
        contact_list_free(&got);
        memcpy(c.corner, other.corner, 3 * c.mesh.primitives * sizeof *c.corner);
        if (updates[u] != IMP_UPDATE_REBUILD)
            imp_forget(p);
        course_rows(p, &c, &got, NULL);
        course_truth(&c, &def, &got);
        contact_list_free(&got);
        course_free(&c);
        course_free(&other);
        imp_destroy(p);
    }
}

/* ---- calls without steps */

/* The results of the pipeline's other calls, as one number. */
static uint64_t other_calls(const course *c, int continuous)
{
    const imp_def def = {.volume = IMP_VOLUME_SPHERE, .continuous = continuous, .device = "cpu"};
    uint64_t sum = 0;
    imp *p;
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    for (int f = 0; f < COURSE_STEPS; f++) {
        int yes = -1;
        CU_ASSERT_EQUAL(imp_touches(p, c->frame + f, &yes), 0);
        sum = 2 * sum + (uint64_t)yes;
    }
    imp_destroy(p);
    return sum;
}

/* Rows of a model have no toi. */
static int plain_rows(void *user, const imp_contacts *rows)
{
    CU_ASSERT(!rows->toi && !rows->feature_a && !rows->feature_b);
    return contact_list_sink(user, rows);
}

static void model_rows(const course *c, int continuous, contact_list *out)
{
    const imp_def def = {.continuous = continuous, .device = "cpu"};
    imp_model *m;
    imp_frame_info info;
    int64_t id[100];
    imp_mesh mesh = c->mesh;
    CU_ASSERT_FATAL(c->mesh.primitives <= 100 && !imp_model_create(&def, c->mesh.corners, &m));
    for (uint32_t i = 0; i < c->mesh.primitives; i++)
        id[i] = i;
    mesh.id = id;
    CU_ASSERT_EQUAL(imp_model_add_vertices(m, c->point[0], c->mesh.vertices, NULL), 0);
    CU_ASSERT_EQUAL(imp_model_add(m, &mesh), 0);
    CU_ASSERT_EQUAL(imp_model_query(m, plain_rows, out, &info), 0);
    imp_model_destroy(m);
}

static void test_ccd_calls_others(void)
{
    for (size_t l = looks_from(1); l < LOOKS; l += looks_step()) {
        course c;
        contact_list plain = {0}, got = {0};
        course_make(&c, &looks[l], 30 + l);
        EXPECT(other_calls(&c, 1) == other_calls(&c, 0), "%s: other answers", looks[l].name);
        model_rows(&c, 0, &plain);
        model_rows(&c, 1, &got);
        ccd_calls_same_rows(&got, &plain, c.of, "model");
        contact_list_free(&plain);
        contact_list_free(&got);
        course_free(&c);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"back", test_back},
                                 {"calls", test_ccd_calls_all},
                                 {"in_place", test_ccd_calls_in_place},
                                 {"few", test_ccd_calls_few},
                                 {"updates", test_updates},
                                 {"forget", test_ccd_calls_forget},
                                 {"others", test_ccd_calls_others},
                                 {0}};
    return test_main(argc, argv, "ccd_calls", tests);
}
