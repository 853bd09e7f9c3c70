/* Nearest primitives of large objects, which all threads search together: they are the first of the
 * rows of primitives within that distance, which another method finds. */
#include "expect.h"
#include "near_scenes.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHEET 96 /* squares of a side */
#define SHEET_VERTS ((SHEET + 1) * (SHEET + 1))
#define SHEET_PRIMS (2 * SHEET * SHEET)

/* Two sheets, an object each, or with `joined` one component of the mesh. */
typedef struct clearance_scene {
    imp_mesh mesh;
    imp_frame frame;
    double point[6 * SHEET_VERTS];
    uint32_t corner[6 * SHEET_PRIMS];
    int32_t object[2 * SHEET_PRIMS];
} clearance_scene;

enum { CURVED, ROUGH, PLATES, CROSSING, JOINED, SHEETS };

static double sheet_height(int form, int sheet, double x, double y, rng *r)
{
    const double bend = x * x + y * y;
    return form == CURVED   ? (sheet ? 0.2 - 0.4 * bend : -0.3 * bend + 0.1 * sin(9 * x))
           : form == ROUGH  ? 0.3 * sheet + 0.05 * rng_unit(r)
           : form == PLATES ? 0.25 * sheet
           : form == JOINED ? 0.5 * sheet - 0.2 * (2 * sheet - 1) * bend
                            : (sheet ? 0.4 * x + 0.01 * y : 0.1 * y);
}

static void clearance_scene_make(clearance_scene *s, int form)
{
    rng r = {7};
    uint32_t *c = s->corner;
    for (int sheet = 0; sheet < 2; sheet++)
        for (uint32_t i = 0; i < SHEET_VERTS; i++) {
            double *p = s->point + 3 * ((uint32_t)sheet * SHEET_VERTS + i);
            p[0] = (i % (SHEET + 1)) / (double)SHEET - 0.5;
            p[1] = (i / (SHEET + 1)) / (double)SHEET - 0.5;
            /* plates are beside each other along a seam, so that few pairs are equally near */
            p[0] += form == PLATES && sheet ? 1 : 0;
            p[2] = sheet_height(form, sheet, p[0], p[1], &r);
        }
    for (uint32_t i = 0; i < 2 * SHEET_PRIMS; i++, c += 3) {
        const uint32_t square = i % SHEET_PRIMS / 2;
        const uint32_t v =
            i / SHEET_PRIMS * SHEET_VERTS + square / SHEET * (SHEET + 1) + square % SHEET;
        const uint32_t even[3] = {v, v + 1, v + SHEET + 2},
                       odd[3] = {v, v + SHEET + 2, v + SHEET + 1};
        memcpy(c, i % 2 ? odd : even, sizeof even);
        s->object[i] = (int32_t)(i / SHEET_PRIMS);
    }
    if (form == JOINED) /* a triangle from one sheet to the other */
        s->corner[5] = SHEET_VERTS + SHEET;
    s->mesh = (imp_mesh){2 * SHEET_VERTS, 2 * SHEET_PRIMS, s->corner, s->object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point, .type = IMP_FLOAT64};
}

static void clearance_run(const way *w, const clearance_scene *s, imp_def *def, near_list *out,
                          uint64_t *checked)
{
    imp_frame_info info;
    imp *p = way_pipeline(w, def);
    out->count = 0;
    EXPECT(!imp_detect(p, &s->frame, 1, near_sink, out, &info), "%s", imp_error_text());
    *checked = info.candidates;
    imp_destroy(p);
}

/* The first of the least distances of rows of primitives. */
static const near_row *clearance_first(const near_list *l)
{
    const near_row *first = l->row;
    for (size_t i = 1; i < l->count; i++)
        if (l->row[i].distance < first->distance)
            first = &l->row[i];
    return first;
}

static void clearance_test(const way *ways, size_t n, int form, uint32_t ring)
{
    static clearance_scene s;
    near_list want = {0}, got = {0};
    uint64_t checked = 0, first = 0;
    clearance_scene_make(&s, form);
    imp_def def = {.rows = IMP_ROWS_OBJECTS, .ring = ring};
    for (size_t i = 0; i < n; i++) {
        clearance_run(&ways[i], &s, &def, &got, &checked);
        EXPECT(got.count == 1, "%s, sheets %d, ring %u: %zu rows", ways[i].name, form, ring,
               got.count);
        if (got.count != 1)
            break;
        if (!i) {
            imp_def within = {.rows = IMP_ROWS_PRIMITIVES,
                              .distance = nextafter(got.row[0].distance, INFINITY),
                              .pairs = IMP_PAIRS_BETWEEN,
                              .ring = ring};
            uint64_t any;
            clearance_run(&ways[0], &s, &within, &want, &any);
            first = checked;
        }
        EXPECT(want.count && !memcmp(clearance_first(&want), &got.row[0], sizeof got.row[0]),
               "%s, sheets %d, ring %u: pair %u %u at %a of %zu", ways[i].name, form, ring,
               got.row[0].a, got.row[0].b, got.row[0].distance, want.count);
        EXPECT(checked == first, "%s, sheets %d: %llu candidates, not %llu", ways[i].name, form,
               (unsigned long long)checked, (unsigned long long)first);
    }
    free(want.row);
    free(got.row);
}

static void test_clearance_sheets(void)
{
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (int form = 0; form < SHEETS; form++)
        clearance_test(ways, n, form, 0);
    clearance_test(ways, n, JOINED, 3);
}

/* ---- many objects */

#define MANY 400 /* objects; more pairs than are found at a time */
#define MANY_PRIMS (2 * MANY)

/* Triangles, of which each object has one to three, anywhere in the mesh or one after the other;
 * some share vertices. */
typedef struct many_scene {
    imp_mesh mesh;
    imp_frame frame;
    double point[3 * (MANY_PRIMS + 2)];
    uint32_t corner[3 * MANY_PRIMS];
    int32_t object[MANY_PRIMS];
} many_scene;

static void many_scene_make(many_scene *s, int mixed)
{
    rng r = {31};
    for (size_t i = 0; i < 3 * (MANY_PRIMS + 2); i++)
        s->point[i] = rng_unit(&r);
    for (uint32_t i = 0; i < MANY_PRIMS; i++) {
        for (uint32_t k = 0; k < 3; k++)
            s->corner[3 * i + k] = i + k;
        s->object[i] = (int32_t)(mixed      ? rng_below(&r, MANY)
                                 : i < MANY ? i
                                            : MANY - 1 - (i - MANY) / 2);
    }
    s->mesh = (imp_mesh){MANY_PRIMS + 2, MANY_PRIMS, s->corner, s->object};
    s->frame = (imp_frame){.mesh = &s->mesh, .point = s->point, .type = IMP_FLOAT64};
}

/* Keeps the first of the least distances of each two objects, of rows of primitives in order. */
static void many_keep_least(const many_scene *s, near_list *l)
{
    static size_t best[MANY][MANY]; /* a row's number plus 1 */
    size_t kept = 0;
    memset(best, 0, sizeof best);
    for (size_t i = 0; i < l->count; i++) {
        const int32_t a = s->object[l->row[i].a], b = s->object[l->row[i].b];
        size_t *at = &best[a < b ? a : b][a < b ? b : a];
        if (!*at || l->row[i].distance < l->row[*at - 1].distance)
            *at = i + 1;
    }
    for (size_t i = 0; i < l->count; i++) {
        const int32_t a = s->object[l->row[i].a], b = s->object[l->row[i].b];
        if (best[a < b ? a : b][a < b ? b : a] == i + 1)
            l->row[kept++] = l->row[i];
    }
    l->count = kept;
}

static void many_test(const way *w, int mixed, int list)
{
    static many_scene s;
    static const int32_t some[][2] = {{3, 9}, {399, 3}, {7, 1000}, {9, 250}, {12, 13}};
    near_list want = {0}, got = {0};
    const size_t listed = list ? sizeof some / sizeof *some : 0;
    imp_def def = {.rows = IMP_ROWS_PRIMITIVES,
                   .distance = 9,
                   .pairs = IMP_PAIRS_BETWEEN,
                   .object_pair = list ? some : NULL,
                   .object_pairs = listed,
                   .object_pairs_exclude = list == 2};
    many_scene_make(&s, mixed);
    for (int objects = 0; objects < 2; objects++) {
        imp *p = way_pipeline(w, &def);
        EXPECT(!imp_detect(p, &s.frame, 1, near_sink, objects ? &got : &want, NULL), "%s",
               imp_error_text());
        imp_destroy(p);
        def.rows = IMP_ROWS_OBJECTS;
        def.distance = 0;
    }
    many_keep_least(&s, &want);
    EXPECT(want.count > (list == 1 ? 2 : 60000) && near_lists_equal(&want, &got),
           "%s, mixed %d, list %d: %zu rows, not %zu, or others", w->name, mixed, list, got.count,
           want.count);
    free(want.row);
    free(got.row);
}

static void test_clearance_many(void)
{
    const way w = way_host();
    for (int mixed = 0; mixed < 2; mixed++)
        for (int list = 0; list < 3; list++)
            if (!TEST_SLOW || mixed == (list == 1))
                many_test(&w, mixed, list);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"sheets", test_clearance_sheets}, {"many", test_clearance_many}, {0}};
    return test_main(argc, argv, "clearance", tests);
}
