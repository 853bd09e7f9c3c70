/* Contacts are the same bits in any floating-point environment that the caller has set or that
 * OpenMP's threads have got from other code: all rounding modes, flushed denormals, traps. The
 * caller, its sink and its log keep their environment during the call and after it, also after an
 * error. */
#include "expect.h"
#include "impinge_weld.h"
#include "internal.h"
#include "made.h"
#include "modes.h"
#include "oracle.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4

/* ---- scenes */

/* Triangles of all sizes for which determinants of float64 underflow, or which are denormals. */
static void modes_tiny(made *m, double size, int single)
{
    rng r = {11};
    *m = (made){.name = "tiny"};
    for (int f = 0; f < 2; f++) {
        made_part *p = f ? made_again(m, m->part) : made_add(m, 150);
        for (uint32_t i = 0; i < 150; i++)
            made_triangle(p, i, (const double[3]){0, 0, 0}, 1, &r);
        for (size_t i = 0; i < (size_t)3 * p->mesh.vertices; i++)
            p->point[i] = size * floor(64 * p->point[i]);
        if (single)
            made_single(m);
    }
}

typedef struct case_of {
    const char *name;
    imp_def def;
    int (*open)(made *m);
} case_of;

static int open_soup(made *m)
{
    return made_procedural("soup", 600, 1, 1, m);
}

/* Tetrahedra on few vertices. */
static int open_knot(made *m)
{
    rng r = {5};
    *m = (made){.name = "knot"};
    made_part *p = made_mesh(m, 60, 160);
    p->mesh.corners = IMP_TETRAHEDRA;
    p->mesh.primitives = 120;
    for (int i = 0; i < 480; i++)
        p->triangle[i] = rng_below(&r, 60);
    for (int i = 0; i < 180; i++)
        p->point[i] = rng_unit(&r);
    return 1;
}

static int open_sheets(made *m)
{
    return made_procedural("sheets", 600, 2, 1, m);
}

#define BLADES 8
#define QUARTER 0x1.6a09e667f3bcdp-1 /* cosine and sine of an eighth of a turn */

/* Body 0, a triangle, rotates about the z axis by 90 degrees, through the others, which stand like
 * the blades of a fan. */
static int open_fan(made *m)
{
    static const double own[2][9] = {{1, 0, 0, 1, 0, 1, 2, 0, 0.5}, {0, 1, 0, 0, 1, 1, 0, 2, 0.5}};
    *m = (made){.name = "fan"};
    for (int f = 0; f < 2; f++) {
        made_part *p = f ? made_again(m, m->part) : made_add(m, 1 + BLADES);
        for (int i = 0; i < BLADES; i++) {
            const double x = 9 - i, y = 1 + i,
                         blade[9] = {0.01 * x, 0.01 * y, -1,      0.3 * x, 0.3 * y,
                                     -1,       0.1 * x,  0.1 * y, 9};
            memcpy(p->point + 9 * (i + 1), blade, sizeof blade);
        }
        memcpy(p->point, own[f], sizeof own[f]);
        p->pose = calloc(1, sizeof *p->pose);
        p->pose->rotation[0] = f ? QUARTER : 1;
        p->pose->rotation[3] = f ? QUARTER : 0;
        m->frame[f].pose = p->pose;
        if (f)
            continue;
        p->body = calloc(1, sizeof *p->body);
        p->rest = calloc((size_t)3 * p->mesh.vertices, sizeof *p->rest);
        memcpy(p->rest, own[0], sizeof own[0]);
        for (int i = 1; i <= BLADES; i++)
            p->object[i] = i;
        p->object[0] = 0;
        p->mesh.bodies = 1;
        p->mesh.body = p->body;
        p->mesh.rest = p->rest;
    }
    return 1;
}

static int open_underflow(made *m)
{
    modes_tiny(m, 0x1p-1010, 0);
    return 1;
}

static int open_denormal(made *m)
{
    modes_tiny(m, 0x1p-1074, 0);
    return 1;
}

static int open_single(made *m)
{
    modes_tiny(m, 0x1p-149, 1);
    return 1;
}

#define CASES 11
static const case_of cases[CASES] = {
    {"soup", {.adjacent = IMP_ADJACENT_TEST}, open_soup},
    {"soup by trees", {.broad = "tree", .volume = IMP_VOLUME_OBB}, open_soup},
    {"tetrahedra", {.solids = 1, .adjacent = IMP_ADJACENT_TEST}, open_knot},
    {"steps", {.continuous = 1}, open_sheets},
    {"steps with a separation", {.continuous = 1, .min_separation = 1e-3}, open_sheets},
    {"a body that turns", {.continuous = 1, .broad = "hash"}, open_fan},
    {"underflow", {.verify = 100}, open_underflow},
    {"underflow of steps", {.continuous = 1, .verify = 100}, open_underflow},
    {"denormals", {.verify = 100}, open_denormal},
    {"denormals of steps", {.continuous = 1}, open_denormal},
    {"float32 denormals", {.dop_k = 26}, open_single},
};

/* ---- a call in a mode */

typedef struct caller {
    const mode *m;
    contact_list list;
    int wrong; /* calls of the sink in another mode */
} caller;

static int modes_sink(void *user, const imp_contacts *c)
{
    caller *w = user;
    w->wrong += !mode_is(w->m);
    return contact_list_sink(&w->list, c);
}

/* Sets the mode that other code has left in the threads of the library's parallel regions. */
static void set_threads(const mode *m)
{
#pragma omp parallel num_threads(THREADS)
    mode_set(m);
}

static int threads_are(const mode *m)
{
    int same = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : same)
    same += mode_is(m);
    return same == THREADS;
}

/* A pipeline from imp_create to imp_destroy. */
static void modes_detect(const way *w, const case_of *c, const made *scene, const mode *m,
                         contact_list *out)
{
    imp_def def = c->def;
    caller of = {.m = m};
    imp *p = NULL;
    def.threads = THREADS;
    def.on_bad = scene->bad ? IMP_BAD_SKIP : IMP_BAD_ERROR;
    set_threads(m);
    int err = way_create(w, &def, &p);
    const int kept = mode_is(m);
    err = err ? err : imp_detect(p, scene->frame, scene->frames, modes_sink, &of, NULL);
    const int same = mode_is(m) && threads_are(m);
    imp_destroy(p);
    set_threads(modes);
    EXPECT(!err, "%s, %s, %s: %s", w->name, c->name, m->name, imp_error_text());
    EXPECT(kept, "%s, %s, %s: imp_create changes it", w->name, c->name, m->name);
    EXPECT(same, "%s, %s, %s: imp_detect changes it", w->name, c->name, m->name);
    EXPECT(!of.wrong, "%s, %s, %s: %d sinks in another one", w->name, c->name, m->name, of.wrong);
    *out = of.list;
}

/* The two points are ordered, also after coordinates among denormals were rounded. */
static void check_modes_form(const case_of *c, const contact_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct contact_row *r = &l->row[i];
        const char *fault = contact_form_fault(r->kind & ~IMP_KIND_AT_START, r->point);
        EXPECT(!fault, "%s: %u %u: %s", c->name, r->a, r->b, fault);
    }
}

static void test_modes_contacts(void)
{
    way all[WAYS_MOST];
    const size_t ways = ways_few(all);
    for (int i = 0; i < CASES; i++) {
        made scene;
        contact_list want, got;
        CU_ASSERT_FATAL(cases[i].open(&scene));
        modes_detect(&all[0], &cases[i], &scene, modes, &want);
        EXPECT(want.count > 5, "%s: %zu contacts", cases[i].name, want.count);
        check_modes_form(&cases[i], &want);
        for (size_t k = 0; k < ways; k++)
            for (const mode *m = modes; m->name; m++) {
                /* the first device in all modes, each slower one in one of them */
                if (k && (m - modes) % (ptrdiff_t)ways != (ptrdiff_t)k % (ptrdiff_t)ways)
                    continue;
                if (TEST_SLOW && (m - modes + i) % 8) /* some of the modes for each case */
                    continue;
                modes_detect(&all[k], &cases[i], &scene, m, &got);
                EXPECT(contact_list_equal(&want, &got), "%s, %s, %s: %zu other contacts than %zu",
                       all[k].name, cases[i].name, m->name, got.count, want.count);
                contact_list_free(&got);
            }
        contact_list_free(&want);
        made_free(&scene);
    }
}

/* ---- errors */

static int modes_refuse(void *user, const imp_contacts *c)
{
    (void)user;
    (void)c;
    return 7;
}

static void hear(void *user, const char *line)
{
    caller *w = user;
    (void)line;
    w->list.count++;
    w->wrong += !mode_is(w->m);
}

static void test_modes_errors(void)
{
    made scene;
    CU_ASSERT_FATAL(open_soup(&scene));
    for (const mode *m = modes; m->name; m++) {
        imp *p = NULL;
        int yes, same, code[5];
        double bad[9] = {0};
        uint32_t corner[3] = {0, 1, 2};
        const imp_mesh mesh = {3, 1, corner};
        const imp_frame frame = {&mesh, bad, IMP_FLOAT64, 0};
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
        bad[4] = NAN;
        mode_set(m);
        code[0] = imp_create(&(imp_def){.device = "no such device"}, &(imp *){NULL});
        same = mode_is(m);
        code[1] = imp_detect(p, scene.frame, 1, modes_refuse, NULL, NULL);
        same += mode_is(m);
        code[2] = imp_detect(p, &frame, 1, NULL, NULL, NULL);
        same += mode_is(m);
        code[3] = imp_touches(p, &(imp_frame){0}, &yes);
        same += mode_is(m);
        code[4] = imp_touches(p, scene.frame, &yes);
        same += mode_is(m);
        mode_set(modes);
        imp_destroy(p);
        EXPECT(same == 5, "%s: %d of 5 calls left it as it was", m->name, same);
        EXPECT(code[0] == IMP_ERR_DEVICE && code[1] == 7 && code[2] == IMP_ERR_INPUT &&
                   code[3] == IMP_ERR_ARGUMENT && code[4] == 0,
               "%s: codes %d %d %d %d %d", m->name, code[0], code[1], code[2], code[3], code[4]);
    }
    made_free(&scene);
}

/* A log is a callback like a sink. */
static void test_log(void)
{
    for (const mode *m = modes; m->name; m++) {
        caller of = {.m = m};
        imp *p = NULL;
        int lost;
        mode_set(m);
        int err = imp_create(&(imp_def){.device = "cpu", .log = hear, .log_user = &of}, &p);
        err = err ? err : imp_replace_device(p, 0, 2, &lost); /* writes to the log */
        const int same = mode_is(m);
        imp_destroy(p);
        mode_set(modes);
        EXPECT(!err && same && of.list.count == 1 && !of.wrong, "%s: %d %d, %zu lines, %d wrong",
               m->name, err, same, of.list.count, of.wrong);
    }
}

/* ---- models */

static void test_modes_model(void)
{
    rng r = {3};
    double point[9 * 60];
    uint32_t corner[3 * 60];
    int64_t id[60];
    contact_list want = {0};
    for (uint32_t i = 0; i < 180; i++) {
        corner[i] = i;
        id[i / 3] = i / 3;
        for (int k = 0; k < 3; k++)
            point[3 * i + (uint32_t)k] = 0x1p-1074 * (double)rng_below(&r, 100);
    }
    const imp_mesh mesh = {.primitives = 60, .corner = corner, .id = id, .corners = 3};
    for (const mode *m = modes; m->name; m++) {
        imp_model *model = NULL;
        caller of = {.m = m};
        mode_set(m);
        int err = imp_model_create(&(imp_def){.device = "cpu"}, 3, &model);
        err = err ? err : imp_model_add_vertices(model, point, 180, NULL);
        err = err ? err : imp_model_add(model, &mesh);
        err = err ? err : imp_model_query(model, modes_sink, &of, NULL);
        const int same = mode_is(m);
        imp_model_destroy(model);
        mode_set(modes);
        EXPECT(!err && same && !of.wrong, "%s: %d %d %d", m->name, err, same, of.wrong);
        if (m == modes)
            want = of.list;
        EXPECT(want.count > 5 && contact_list_equal(&want, &of.list), "%s: other contacts",
               m->name);
        if (m != modes)
            contact_list_free(&of.list);
    }
    contact_list_free(&want);
}

/* Two triangles that share an edge, and two whose edges differ by a denormal. */
static void test_weld(void)
{
    static const double point[] = {0, 0, 0, 1, 0, 0, 0,         1, 0, /* */ 1, 0, 0,
                                   0, 0, 0, 0, 0, 1, 0x1p-1072, 5, 0, 1,       5, 0,
                                   0, 6, 0, 1, 5, 0, 0x1p-1071, 5, 0, 0,       5, 1};
    static const uint32_t corner[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static const uint32_t want[2][12] = {{0, 1, 2, 1, 0, 5, 6, 7, 8, 9, 10, 11},
                                         {0, 1, 2, 1, 0, 5, 6, 7, 8, 7, 6, 11}};
    const imp_mesh mesh = {12, 4, corner, NULL, 3};
    const imp_frame frame = {&mesh, point, IMP_FLOAT64};
    for (const mode *m = modes; m->name; m++)
        for (int far = 0; far < 2; far++) {
            const double tolerance = far ? 0x1p-1072 : 0;
            uint32_t map[12];
            int holds = 0, unwelded = 0;
            double part = 0;
            mode_set(m);
            int err = imp_weld(&frame, 1, tolerance, map, NULL);
            err = err ? err : imp_weld_holds(&frame, tolerance, map, &holds);
            err = err ? err : imp_is_unwelded(&frame, &unwelded, &part);
            const int same = mode_is(m);
            mode_set(modes);
            EXPECT(!err && same && holds && !memcmp(map, want[far], sizeof map),
                   "%s, tolerance %g: %d %d %d", m->name, tolerance, err, same, holds);
        }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"contacts", test_modes_contacts}, {"errors", test_modes_errors}, {"log", test_log},
        {"model", test_modes_model},       {"weld", test_weld},           {0}};
    return test_main(argc, argv, "modes", tests);
}
