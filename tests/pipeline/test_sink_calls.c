/* What a sink may call while its pipeline computes: imp_cancel, which ends that run; functions that
 * compute with the same pipeline, or change the model, are refused and leave the run as it was. And
 * the error text after a success, listed objects that are not there, and times. */
#include "expect.h"
#include "made.h"
#include "ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 40

/* Two squares that cross, of two triangles each. */
static const double points[] = {0, 0, 0,  4, 0, 0,  4, 4, 0, 0, 4, 0,
                                1, 2, -1, 3, 2, -1, 3, 2, 1, 1, 2, 1};
static const uint32_t corners[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
static const int32_t objects[] = {0, 0, 1, 1};
static const int64_t ids[] = {10, 11, 12, 13};
static const imp_mesh mesh = {
    .vertices = 8, .primitives = 4, .corner = corners, .object = objects, .id = ids};
static imp_frame frame[FRAMES];

/* A tetrahedron as a closed surface, of object 0. */
static const double solid_points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t solid_corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const imp_mesh solid = {.vertices = 4, .primitives = 4, .corner = solid_corners};
static const imp_frame solid_frame = {.mesh = &solid, .point = solid_points, .number = 17};

static imp *open_one(const imp_def *def)
{
    imp *p = NULL;
    imp_def mine = *def;
    mine.device = "cpu";
    for (size_t i = 0; i < FRAMES; i++)
        frame[i] = (imp_frame){.mesh = &mesh, .point = points, .number = i};
    CU_ASSERT_EQUAL_FATAL(imp_create(&mine, &p), 0);
    return p;
}

/* A sink that calls `act` in its call number `at`. */
typedef struct acting {
    imp *p;
    imp_model *model;
    size_t calls, at, rows;
    void (*act)(struct acting *a);
} acting;

static int act_then(void *user, const imp_contacts *c)
{
    acting *a = user;
    a->rows += c->count;
    if (a->calls++ == a->at)
        a->act(a);
    return 0;
}

static int ignore(void *user, const imp_contacts *c)
{
    (void)user;
    (void)c;
    return 0;
}

/* ---- cancelling */

static void act_cancel(acting *a)
{
    imp_cancel(a->p);
}

/* The sink is not called again; also where it was the last call, the run is cancelled and not the
 * next one. */
static void cancels_within(const imp_def *def)
{
    imp *p = open_one(def);
    acting all = {.p = p, .at = SIZE_MAX};
    CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &all, NULL), 0);
    CU_ASSERT_FATAL(all.calls > 2);
    const size_t at[] = {0, 1, all.calls / 2, all.calls - 1};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        acting a = {.p = p, .at = at[i], .act = act_cancel};
        CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &a, NULL), IMP_ERR_CANCELLED);
        CU_ASSERT_EQUAL(a.calls, at[i] + 1);
        CU_ASSERT_STRING_EQUAL(imp_error_text(), "cancelled");
        a = (acting){.p = p, .at = SIZE_MAX};
        CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &a, NULL), 0);
        CU_ASSERT(a.calls == all.calls && a.rows == all.rows);
    }
    imp_destroy(p);
}

static void test_cancel(void)
{
    static const imp_def defs[] = {{.block = 0},
                                   {.block = 1},
                                   {.block = 3, .update = IMP_UPDATE_KEEP},
                                   {.rows = IMP_ROWS_PRIMITIVES, .distance = 0.1},
                                   {.rows = IMP_ROWS_FEATURES, .distance = 1},
                                   {.rows = IMP_ROWS_OBJECTS},
                                   {.inside = 1},
                                   {.continuous = 1},
                                   {.stage = IMP_STAGE_CANDIDATES}};
    for (size_t i = 0; i < sizeof defs / sizeof *defs; i++)
        cancels_within(&defs[i]);
}

/* A run that fails serves the request as well. */
static void test_cancel_failed(void)
{
    imp *p = open_one(&(imp_def){0});
    imp_solids *s = NULL;
    imp_cancel(p);
    CU_ASSERT_EQUAL(imp_detect(p, NULL, 1, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
    CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, NULL, NULL, NULL), 0);
    imp_cancel(p);
    CU_ASSERT_EQUAL(imp_solids_create(p, &solid_frame, &s), IMP_ERR_CANCELLED);
    CU_ASSERT_PTR_NULL(s);
    CU_ASSERT_EQUAL(imp_solids_create(p, &solid_frame, &s), 0);
    imp_solids_destroy(s);
    imp_destroy(p);
}

/* ---- calls of the own pipeline */

static imp_solids *nested_solids;

static void refused(int err)
{
    CU_ASSERT_EQUAL(err, IMP_ERR_ARGUMENT);
    CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "is called by its own sink"));
}

static void act_compute(acting *a)
{
    int yes = 7;
    imp_solids *s = NULL;
    uint8_t inside;
    refused(imp_detect(a->p, frame, 1, ignore, NULL, NULL));
    refused(imp_detect(a->p, frame, 1, NULL, NULL, NULL));
    refused(imp_touches(a->p, frame, &yes));
    refused(imp_solids_create(a->p, &solid_frame, &s));
    refused(
        imp_solids_points(nested_solids, 0, points, 1, &(imp_inside_points){.inside = &inside}));
    CU_ASSERT(yes == 7 && !s);
}

static void test_own_pipeline(void)
{
    for (uint32_t block = 0; block < 3; block++) {
        imp *p = open_one(&(imp_def){.block = block});
        CU_ASSERT_EQUAL_FATAL(imp_solids_create(p, &solid_frame, &nested_solids), 0);
        acting all = {.p = p, .at = SIZE_MAX}, a = {.p = p, .at = 2, .act = act_compute};
        CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &all, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &a, NULL), 0);
        CU_ASSERT(all.calls == FRAMES && a.calls == all.calls && a.rows == all.rows);
        imp_solids_destroy(nested_solids);
        imp_destroy(p);
    }
}

static void act_change(acting *a)
{
    uint32_t first = 7;
    refused(imp_model_query(a->model, ignore, NULL, NULL));
    refused(imp_model_add_vertices(a->model, points, 1, &first));
    refused(imp_model_move(a->model, NULL, points, 1));
    refused(imp_model_remove(a->model, ids, 1));
    refused(imp_detect(a->p, frame, 1, NULL, NULL, NULL));
    CU_ASSERT_EQUAL(first, 7);
}

static void test_own_model(void)
{
    acting a = {.act = act_change};
    CU_ASSERT_EQUAL_FATAL(imp_model_create(&(imp_def){.device = "cpu"}, IMP_TRIANGLES, &a.model),
                          0);
    a.p = imp_model_pipeline(a.model);
    CU_ASSERT_EQUAL(imp_model_add_vertices(a.model, points, 8, NULL), 0);
    CU_ASSERT_EQUAL(imp_model_add(a.model, &mesh), 0);
    CU_ASSERT_EQUAL(imp_model_query(a.model, act_then, &a, NULL), 0);
    const size_t rows = a.rows;
    CU_ASSERT(a.calls == 1 && rows > 0);
    a = (acting){.p = a.p, .model = a.model, .act = act_cancel};
    CU_ASSERT_EQUAL(imp_model_query(a.model, act_then, &a, NULL), IMP_ERR_CANCELLED);
    a = (acting){.p = a.p, .model = a.model, .at = SIZE_MAX};
    CU_ASSERT_EQUAL(imp_model_query(a.model, act_then, &a, NULL), 0);
    CU_ASSERT_EQUAL(a.rows, rows);
    CU_ASSERT_EQUAL(imp_model_remove(a.model, ids, 1), 0);
    imp_model_destroy(a.model);
}

/* ---- touches */

static void test_touches(void)
{
    static const struct {
        imp_def def;
        int err;
    } rows[] = {{{0}, 0},
                {{.rows = IMP_ROWS_PRIMITIVES, .distance = 0.1}, 0},
                {{.inside = 1}, 0},
                {{.rows = IMP_ROWS_OBJECTS}, IMP_ERR_ARGUMENT},
                {{.rows = IMP_ROWS_INSIDE}, IMP_ERR_ARGUMENT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        imp *p = open_one(&rows[i].def);
        int yes = 7;
        imp_set_error(0, "before");
        CU_ASSERT_EQUAL(imp_touches(p, frame, &yes), rows[i].err);
        CU_ASSERT_EQUAL(yes, rows[i].err ? 7 : 1);
        CU_ASSERT(rows[i].err ? strstr(imp_error_text(), "imp_touches: not with rows") != NULL
                              : !strcmp(imp_error_text(), "before"));
        imp_destroy(p);
    }
}

/* ---- error texts after success */

static void act_text(acting *a)
{
    (void)a;
    imp_set_error(0, "of the sink");
}

static void test_sink_text(void)
{
    imp *p = NULL;
    acting a = {.at = 1, .act = act_text};
    imp_set_error(0, "before");
    p = open_one(&(imp_def){.mem_limit = 100000});
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "before");
    CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, ignore, NULL, NULL), 0);
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "before");
    CU_ASSERT_EQUAL(imp_detect(p, frame, FRAMES, act_then, &a, NULL), 0);
    CU_ASSERT_STRING_EQUAL(imp_error_text(), "of the sink");
    imp_destroy(p);
}

/* ---- objects and times */

typedef struct lines {
    char text[400];
    int count;
} lines;

static void take_line(void *user, const char *line)
{
    lines *l = user;
    l->count++;
    snprintf(l->text, sizeof l->text, "%s", line);
}

static void test_listed(void)
{
    static const int32_t some[] = {7, 0, -3}, there[] = {1, 0};
    lines l = {{0}, 0};
    imp_solids *s = NULL;
    imp_def def = {.inside = 1,
                   .inside_object = some,
                   .inside_objects = 3,
                   .inside_open = IMP_INSIDE_OPEN_SKIP,
                   .log = take_line,
                   .log_user = &l};
    imp *p = open_one(&def);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL(imp_detect(p, frame, 2, ignore, NULL, NULL), 0);
    CU_ASSERT_EQUAL(l.count, 1);
    CU_ASSERT_STRING_EQUAL(l.text, "inside_object: there is no primitive of object -3, 7");
    CU_ASSERT_EQUAL(imp_solids_create(p, &solid_frame, &s), IMP_ERR_ARGUMENT);
    CU_ASSERT_STRING_EQUAL(imp_error_text(),
                           "frame 17: inside_object: there is no primitive of object -3");
    imp_destroy(p);
    def.inside_object = there;
    def.inside_objects = 2;
    l.count = 0;
    p = open_one(&def);
    CU_ASSERT_EQUAL(imp_detect(p, frame, 2, ignore, NULL, NULL), 0);
    CU_ASSERT_EQUAL(l.count, 0);
    imp_destroy(p);
}

static void test_frame_time(void)
{
    imp *p = open_one(&(imp_def){0});
    const double times[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        frame[1].time = times[i];
        CU_ASSERT_EQUAL(imp_detect(p, frame, 2, NULL, NULL, NULL), IMP_ERR_ARGUMENT);
        CU_ASSERT_PTR_NOT_NULL(strstr(imp_error_text(), "frame 1: its time is"));
    }
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"cancel", test_cancel},
        {"cancel_failed", test_cancel_failed},
        {"own_pipeline", test_own_pipeline},
        {"own_model", test_own_model},
        {"touches", test_touches},
        {"text", test_sink_text},
        {"listed", test_listed},
        {"time", test_frame_time},
        {0},
    };
    return test_main(argc, argv, "sink_calls", tests);
}
