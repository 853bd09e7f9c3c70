/* The report of `impinge info` on batches and results, compared with the lists that they were made
 * from. */
#include "expect.h"
#include "h5_make.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define P "VTKHDF/Polygons/"

/* The JSON of `info`; "" if it fails. Valid until the next call. */
static const char *told(const char *path, const char *frames)
{
    static ran r;
    const char *arguments[] = {"info", path, "--json", frames ? "--frames" : NULL, frames, NULL};
    ran_free(&r);
    r = program_run(arguments);
    EXPECT(ran_well(&r), "^ info %s", path);
    EXPECT(r.code || json_valid(r.out), "not JSON: %.300s", r.out);
    return r.code ? "" : r.out;
}

static void check_number(const char *json, const char *key, double want)
{
    double got = json_number(json, key);
    EXPECT(got == want || (isnan(got) && isnan(want)), "%s is %.17g, not %.17g", key, got, want);
}

static void check_info_text(const char *json, const char *key, const char *want)
{
    char quoted[200];
    const char *got = json_at(json, key);
    snprintf(quoted, sizeof quoted, "\"%s\"", want);
    EXPECT(got && !strncmp(got, quoted, strlen(quoted)), "%s is %.40s, not %s", key,
           got ? got : "missing", quoted);
}

static void check_info_refused(const char *path, const char *about, int code, const char *word,
                               const char *frames)
{
    const char *arguments[] = {"info", path, frames ? "--frames" : NULL, frames, NULL};
    ran r = program_run(arguments);
    EXPECT(ran_failed(&r, code, word, NULL), "^ %s", about);
    ran_free(&r);
}

/* `run` refuses a batch that `info` describes. */
static void check_not_run(const char *path, const char *word)
{
    ran r = RAN("run", path, "-o", at("out.vtkhdf"), "--device", "cpu");
    EXPECT(ran_failed(&r, 3, word, NULL), "^ run");
    ran_free(&r);
}

/* ---- cells */

/* A batch of 12 ids; the number of cells and their sizes and types vary. */
static const char *cells_batch(int unstructured, int64_t cells, const int64_t *offsets,
                               const int64_t *type)
{
    make m = {.unstructured = unstructured};
    make_moving(&m, 3, 4, 1);
    const char *path = make_write(&m, "cells.vtkhdf"), *in = unstructured ? "VTKHDF/" : P;
    char name[100];
    make_free(&m);
    snprintf(name, sizeof name, "%sOffsets", in);
    h5_replace_ints(path, name, (size_t)cells + 1, offsets);
    snprintf(name, sizeof name, "%sNumberOfCells", in);
    h5_replace_ints(path, name, 1, &cells);
    if (type)
        h5_replace_ints(path, "VTKHDF/Types", (size_t)cells, type);
    return path;
}

static void check_cell(const char *json, int i, int type, const char *name, double most, double all)
{
    char key[60];
    snprintf(key, sizeof key, "cells.%d.type", i);
    check_number(json, key, type);
    snprintf(key, sizeof key, "cells.%d.name", i);
    check_info_text(json, key, name);
    snprintf(key, sizeof key, "cells.%d.most", i);
    check_number(json, key, most);
    snprintf(key, sizeof key, "cells.%d.all_frames", i);
    check_number(json, key, all);
    snprintf(key, sizeof key, "cells.%d.read", i);
    const char *read = json_at(json, key);
    EXPECT(read && !strncmp(read, type == 5 || type == 10 ? "true" : "false", 4), "%s is wrong",
           key);
}

static void test_info_tetrahedra(void)
{
    const char *path = cells_batch(1, 5, (const int64_t[]){0, 3, 7, 11, 11, 12},
                                   (const int64_t[]){5, 10, 9, 7, 1});
    const char *json = told(path, NULL);
    check_cell(json, 0, 1, "vertex cell", 1, 3);
    check_cell(json, 1, 5, "triangle", 1, 3);
    check_cell(json, 2, 7, "polygon", 1, 3);
    check_cell(json, 3, 9, "quad", 1, 3);
    check_cell(json, 4, 10, "tetrahedron", 1, 3);
    check_number(json, "triangles", 1);
    check_number(json, "triangles_all_frames", 3);
    check_number(json, "tetrahedra", 1);
    check_number(json, "tetrahedra_all_frames", 3);
    check_not_run(path, "Types");
    path = cells_batch(1, 3, (const int64_t[]){0, 4, 8, 12}, (const int64_t[]){10, 10, 10});
    json = told(path, NULL);
    check_cell(json, 0, 10, "tetrahedron", 3, 9);
    check_number(json, "triangles", 0);
    check_number(json, "tetrahedra", 3);
    const char *word = json_at(json, "readable");
    EXPECT(word && !strncmp(word, "true", 4), "readable");
    ran r = RAN("info", path);
    EXPECT(ran_well(&r) && strstr(r.out, "\ntetrahedra 3, 9 in all") &&
               !strstr(r.out, "not read") && !strstr(r.out, "\ntriangles "),
           "%s", r.out);
    ran_free(&r);
    path = cells_batch(1, 3, (const int64_t[]){0, 4, 8, 12}, (const int64_t[]){10, 24, 10});
    check_not_run(path, "cell 1 of frame 0 has type 24");
    r = RAN("info", path);
    EXPECT(ran_well(&r) && strstr(r.out, "reads triangles and tetrahedra only"), "%s", r.out);
    ran_free(&r);
    path = cells_batch(1, 2, (const int64_t[]){0, 6, 12}, (const int64_t[]){22, 200});
    json = told(path, NULL);
    check_cell(json, 0, 22, "quadratic triangle", 1, 3);
    check_cell(json, 1, 200, "cell of VTK type 200", 1, 3);
}

static void test_info_polygons(void)
{
    const char *path = cells_batch(0, 3, (const int64_t[]){0, 3, 7, 12}, NULL);
    const char *json = told(path, NULL);
    check_cell(json, 0, 5, "triangle", 1, 3);
    check_cell(json, 1, 7, "polygon", 1, 3);
    check_cell(json, 2, 9, "quad", 1, 3);
    check_not_run(path, "4 vertices");
    path = cells_batch(0, 3, (const int64_t[]){0, 4, 8, 12}, NULL);
    h5_poke(path, "VTKHDF/Lines/NumberOfCells", 0, 2);
    h5_poke(path, "VTKHDF/Strips/NumberOfCells", 0, 7);
    json = told(path, NULL);
    check_cell(json, 0, 3, "line", 2, 6);
    check_cell(json, 1, 6, "triangle strip", 7, 21);
    check_cell(json, 2, 9, "quad", 3, 9);
    check_not_run(path, "/VTKHDF/Lines");
}

static void test_info_damaged(void)
{
    check_info_refused(cells_batch(0, 3, (const int64_t[]){0, 5, 3, 12}, NULL),
                       "offsets that descend", 3, P "Offsets", NULL);
    check_info_refused(cells_batch(0, 3, (const int64_t[]){0, 3, 7, 11}, NULL),
                       "offsets that end early", 3, P "Offsets", NULL);
    check_info_refused(
        cells_batch(1, 3, (const int64_t[]){0, 3, 7, 12}, (const int64_t[]){5, 10, 10}),
        "a tetrahedron of 5", 3, "Offsets: cell 2", NULL);
    check_info_refused(
        cells_batch(1, 3, (const int64_t[]){0, 3, 7, 12}, (const int64_t[]){5, 10, 300}),
        "a strange type", 3, "type", NULL);
}

/* ---- boxes and frames */

static const char *info_test_moving(make *m, size_t frames, const char *name)
{
    *m = (make){.cells = {{.name = "ObjectId"}}};
    rng r = {11};
    int64_t ids[60];
    for (int64_t i = 0; i < 60; i++)
        ids[i] = i;
    for (size_t f = 0; f < frames; f++) {
        int64_t triangles = (int64_t)(f * 7 % 5) + 10; /* 10 .. 14 */
        make_part(m, 3 * triangles, triangles, ids);
        make_step_next(m, 0.5 * (double)f, 1);
        make_random_points(m, 3 * (size_t)triangles, &r);
        for (int64_t i = 0; i < triangles; i++)
            make_add(&m->cells[0].value, i % 3 - 1);
    }
    return make_write(m, name);
}

static void check_info_box(const char *json, const char *key, const double *point, size_t vertices)
{
    char at_key[120];
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < vertices; i++) {
            if (!isfinite(point[3 * i + (size_t)k]))
                continue;
            low = fmin(low, point[3 * i + (size_t)k]);
            high = fmax(high, point[3 * i + (size_t)k]);
        }
        snprintf(at_key, sizeof at_key, "%s.0.%d", key, k);
        check_number(json, at_key, low);
        snprintf(at_key, sizeof at_key, "%s.1.%d", key, k);
        check_number(json, at_key, high);
    }
}

static void check_info_row(const make *m, const char *json, size_t row, size_t frame)
{
    char key[120];
    make_frame want;
    make_expect(m, frame, &want);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"frame", (double)frame},
                   {"time", want.time},
                   {"vertices", want.vertices},
                   {"primitives", want.primitives},
                   {"objects", 3}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(key, sizeof key, "frame_table.%zu.%s", row, numbers[i].name);
        check_number(json, key, numbers[i].value);
    }
    snprintf(key, sizeof key, "frame_table.%zu.box", row);
    check_info_box(json, key, want.point, want.vertices);
    make_frame_free(&want);
}

static void test_info_frames(void)
{
    make m;
    const char *path = info_test_moving(&m, 9, "frames.vtkhdf"), *json = told(path, NULL);
    check_info_box(json, "box", m.points.value, m.points.count / 3);
    check_number(json, "frames_seen", 9);
    EXPECT(!json_at(json, "frame_table"), "a table unasked");
    json = told(path, ":");
    for (size_t f = 0; f < 9; f++)
        check_info_row(&m, json, f, f);
    EXPECT(!json_at(json, "frame_table.9"), "more rows than frames");
    json = told(path, "1::3");
    for (size_t f = 0; f < 3; f++)
        check_info_row(&m, json, f, 1 + 3 * f);
    EXPECT(!json_at(json, "frame_table.3"), "more rows than frames");
    check_number(json, "frames_seen", 3);
    check_number(json, "triangles_all_frames", NAN); /* no frame but the first was read */
    json = told(path, "::-4");
    for (size_t f = 0; f < 3; f++)
        check_info_row(&m, json, f, 8 - 4 * f);
    check_info_refused(path, "no frame", 2, "--frames", "9:");
    check_info_refused(path, "no slice", 2, "--frames", "x");
    ran r = RAN("info", path, "--frames", "2:4");
    EXPECT(ran_well(&r) && strstr(r.out, "primitives") && strstr(r.out, "2 of 9 frames"), "%s",
           r.out);
    ran_free(&r);
    make_free(&m);
}

static void test_info_bad_points(void)
{
    make m;
    info_test_moving(&m, 2, "bad.vtkhdf");
    m.points.value[4] = NAN;
    m.points.value[3 * 20 + 2] = INFINITY;
    const char *path = make_write(&m, "bad.vtkhdf"), *json = told(path, NULL);
    m.points.value[3] = m.points.value[5] = m.points.value[3 * 20] = m.points.value[3 * 20 + 1] =
        NAN;
    check_info_box(json, "box", m.points.value, m.points.count / 3);
    check_number(json, "bad_vertices", 2);
    make_free(&m);
}

/* Frames that all share the same rows of Points: much to read in a small file. */
static void test_info_large(void)
{
    make m = {0};
    make_moving(&m, 1, 12000, 1);
    for (int f = 1; f < 1500; f++)
        make_step(&m, f, 0, 1, 0, 0, 0);
    const char *path = make_write(&m, "large.vtkhdf"), *json = told(path, NULL);
    check_number(json, "frames", 1500);
    check_number(json, "frames_seen", 2);
    check_number(json, "triangles", 12000);
    check_number(json, "triangles_all_frames", 1500 * 12000.0); /* the same in all frames */
    check_info_box(json, "box", m.points.value, 36000);
    ran r = RAN("info", path);
    EXPECT(strstr(r.out, "the first and the last frame"), "%s", r.out);
    ran_free(&r);
    check_number(told(path, "5:8"), "frames_seen", 3);
    make_free(&m);
}

/* ---- objects */

#define OBJECTS 20000

static void test_info_objects(void)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    make_moving(&m, 1, OBJECTS + 30, 1);
    for (int64_t i = 0; i < OBJECTS; i++)
        make_add(&m.cells[0].value, (i * 7919 + 3) % OBJECTS - 5);
    for (int64_t i = 0; i < 30; i++)
        make_add(&m.cells[0].value, i < 20 ? 77 : 500);
    const char *path = make_write(&m, "objects.vtkhdf"), *json = told(path, NULL);
    make_free(&m);
    check_number(json, "objects_most", OBJECTS);
    check_number(json, "objects.0.id", -5);
    check_number(json, "objects.82.id", 77);
    check_number(json, "objects.82.primitives", 21);
    check_number(json, "objects.505.primitives", 11);
    check_number(json, "objects.506.primitives", 1);
    check_number(json, "objects.19999.id", OBJECTS - 6);
    EXPECT(!json_at(json, "objects.20000"), "more objects than there are");
    ran r = RAN("info", path);
    EXPECT(ran_well(&r) && count_lines(r.out) < 40 && strstr(r.out, "77: 21\n") &&
               strstr(r.out, "500: 11\n") && strstr(r.out, "19,990 more"),
           "%s", r.out);
    EXPECT(strstr(r.out, "77: 21\n") < strstr(r.out, "500: 11\n"), "not by size: %s", r.out);
    ran_free(&r);
}

/* Objects -1 and 1 have names, and the frames name their source files. */
static const char *info_test_named_batch(make *m)
{
    const char *path = info_test_moving(m, 2, "named.vtkhdf");
    h5_texts(path, "impinge/object_names", 2, "clothball\0", 5);
    h5_texts(path, "impinge/frame_sources", 2, "a_1.obja_2.obj", 7);
    h5_replace_ints(path, "impinge/object_ids", 2, (const int64_t[]){-1, 1});
    return path;
}

static void test_info_names(void)
{
    make m;
    const char *path = info_test_named_batch(&m), *json = told(path, ":"), *out = at("named.out");
    check_info_text(json, "objects.0.name", "cloth");
    EXPECT(!json_at(json, "objects.1.name"), "object 0 has no name");
    check_info_text(json, "objects.2.name", "ball");
    check_info_text(json, "frame_table.1.source", "a_2.obj");
    ran r = RAN("info", path, "--frames", ":");
    EXPECT(strstr(r.out, "-1 (cloth): ") && strstr(r.out, "a_1.obj"), "%s", r.out);
    ran_free(&r);
    r = RAN("run", path, "-o", out, "--device", "cpu");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    json = told(out, NULL);
    check_info_text(json, "object_pairs.0.name_a", "cloth");
    r = RAN("info", out);
    EXPECT(strstr(r.out, "between -1 (cloth) and 1 (ball): "), "%s", r.out);
    ran_free(&r);
    make_free(&m);
}

/* ---- results */

typedef struct result_lists {
    size_t frames, rows;
    int64_t *contacts, *kind, *a, *b;
} result_lists;

static result_lists lists_of(const char *path)
{
    result_lists l;
    l.contacts = h5_ints(path, "impinge/contacts", &l.frames);
    l.kind = h5_ints(path, "VTKHDF/CellData/Kind", &l.rows);
    l.a = h5_ints(path, "VTKHDF/CellData/ObjectA", &l.rows);
    l.b = h5_ints(path, "VTKHDF/CellData/ObjectB", &l.rows);
    return l;
}

static void lists_free(result_lists *l)
{
    free(l->contacts);
    free(l->kind);
    free(l->a);
    free(l->b);
}

static double count_kind(const result_lists *l, size_t first, size_t rows, int kind)
{
    double n = 0;
    for (size_t i = first; i < first + rows; i++)
        n += l->kind[i] == kind;
    return n;
}

static void check_info_kinds(const char *json, const char *where, const result_lists *l,
                             size_t first, size_t rows)
{
    static const char *const kinds[] = {"candidate", "point",     "segment",
                                        "area",      "duplicate", "solids"};
    char key[120];
    for (int k = 0; k < 6; k++) {
        snprintf(key, sizeof key, "%skinds.%s", where, kinds[k]);
        check_number(json, key, count_kind(l, first, rows, k));
    }
}

static void check_info_pairs(const char *json, const result_lists *l)
{
    char key[120];
    int next = 0;
    for (int64_t a = -1; a < 2; a++)
        for (int64_t b = a; b < 2; b++) {
            double n = 0;
            for (size_t i = 0; i < l->rows; i++)
                n += (l->a[i] == a && l->b[i] == b) || (l->a[i] == b && l->b[i] == a);
            if (n == 0)
                continue;
            snprintf(key, sizeof key, "object_pairs.%d.a", next);
            check_number(json, key, (double)a);
            snprintf(key, sizeof key, "object_pairs.%d.b", next);
            check_number(json, key, (double)b);
            snprintf(key, sizeof key, "object_pairs.%d.contacts", next++);
            check_number(json, key, n);
        }
    CU_ASSERT(next > 3);
}

static void check_info_result(const char *out, const result_lists *l)
{
    char where[80];
    size_t most = 0, first = 0;
    const char *json = told(out, ":");
    for (size_t f = 0; f < l->frames; f++)
        most = l->contacts[f] > l->contacts[most] ? f : most;
    check_number(json, "contacts", (double)l->rows);
    check_number(json, "contacts_most", (double)l->contacts[most]);
    check_number(json, "contacts_most_frame", (double)most);
    check_info_kinds(json, "", l, 0, l->rows);
    check_info_pairs(json, l);
    for (size_t f = 0; f < l->frames; f++) {
        snprintf(where, sizeof where, "frame_table.%zu.", f);
        check_info_kinds(json, where, l, first, (size_t)l->contacts[f]);
        snprintf(where, sizeof where, "frame_table.%zu.contacts", f);
        check_number(json, where, (double)l->contacts[f]);
        snprintf(where, sizeof where, "frame_table.%zu.input_frame", f);
        check_number(json, where, (double)(7 - 2 * (int)f));
        snprintf(where, sizeof where, "frame_table.%zu.time", f);
        check_number(json, where, 0.5 * (7 - 2 * (int)f));
        first += (size_t)l->contacts[f];
    }
}

static void test_info_result(void)
{
    make m;
    const char *path = info_test_moving(&m, 9, "result.vtkhdf"), *out = at("result.out");
    ran r =
        RAN("run", path, "-o", out, "--device", "cpu", "--frames", "7::-2", "--adjacent", "test");
    EXPECT(ran_well(&r), "^ run");
    ran_free(&r);
    result_lists l = lists_of(out);
    CU_ASSERT(l.frames == 4 && l.rows > 20);
    check_info_result(out, &l);
    check_info_kinds(told(out, "1:2"), "", &l, (size_t)l.contacts[0], (size_t)l.contacts[1]);
    r = RAN("info", out, "--frames", ":2");
    EXPECT(ran_well(&r) && strstr(r.out, "segment") && strstr(r.out, "2 of 4 frames"), "%s", r.out);
    ran_free(&r);
    check_info_refused(out, "no frame", 2, "--frames", "4:");
    h5_poke(out, "VTKHDF/CellData/Kind", 3, 10);
    check_info_refused(out, "a kind that there is not", 3, "Kind", NULL);
    lists_free(&l);
    make_free(&m);
}

/* ---- warnings */

static void check_warning(const char *path, const char *about, const char *word)
{
    ran r = RAN("info", path);
    const char *line = strstr(r.out, "warning    ");
    EXPECT(ran_well(&r) && (word ? line && strstr(line, word) : !line), "%s: %s", about, r.out);
    ran_free(&r);
    const char *json = told(path, NULL), *first = json_at(json, "warnings.0");
    EXPECT(word ? first && strstr(first, word) : !first, "%s: %.60s", about, first ? first : "-");
}

static void test_warnings(void)
{
    make m = {0};
    make_moving(&m, 5, 4, 1);
    const char *path = make_write(&m, "odd.vtkhdf");
    check_warning(path, "nothing odd", NULL);
    h5_attribute_ints(path, "VTKHDF/Steps", "NSteps", 1, (const int64_t[]){3});
    check_warning(path, "steps beyond", "has 5 steps, but NSteps is 3");
    path = make_write(&m, "odd.vtkhdf");
    h5_attribute_ints(path, "VTKHDF/Steps", "NSteps", 1, (const int64_t[]){0});
    check_warning(path, "no steps", "NSteps is 0");
    path = make_write(&m, "odd.vtkhdf");
    h5_poke(path, "VTKHDF/Steps/NumberOfParts", 2, 0);
    check_warning(path, "an empty frame", "frames without a primitive: 1");
    for (size_t f = 0; f < 5; f++)
        h5_poke(path, "VTKHDF/Steps/NumberOfParts", f, 0);
    check_warning(path, "parts in no frame", "Connectivity has 12 ids");
    path = make_write(&m, "odd.vtkhdf");
    h5_rename(path, "VTKHDF/CellData", "VTKHDF/PointData");
    h5_replace_ints(path, "VTKHDF/PointData/ObjectId", 3, (const int64_t[]){1, 2, 3});
    check_warning(path, "objects of points", "PointData/ObjectId");
    make_free(&m);
}

/* All oddities of a batch in one file: none hides another one. */
static void test_all_warnings(void)
{
    static const char *const words[] = {"PointData/ObjectId is not read",
                                        "CellData/SourceId",
                                        "GlobalPointIds: parts",
                                        "no names are used",
                                        "but NSteps is 2",
                                        "ids, but frames use only"};
    static const int64_t ids[] = {0, 1, 2};
    const double corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    make m = {0};
    for (int f = 0; f < 3; f++) {
        for (int part = 0; part < 2; part++)
            make_part(&m, 3, 1, ids);
        make_step_next(&m, f, 2);
        for (int part = 0; part < 2; part++)
            make_points(&m, 3, corners);
    }
    const char *path = make_write(&m, "all_odd.vtkhdf");
    h5_attribute_ints(path, "VTKHDF/Steps", "NSteps", 1, (const int64_t[]){2});
    h5_texts(path, "VTKHDF/PointData/Label", 1, "", 1); /* makes the groups */
    h5_texts(path, "VTKHDF/CellData/Label", 1, "", 1);
    h5_replace_ints(path, "VTKHDF/PointData/ObjectId", 3, ids);
    h5_replace_ints(path, "VTKHDF/PointData/GlobalPointIds", 3, ids);
    h5_replace(path, "VTKHDF/CellData/SourceId", H5T_NATIVE_DOUBLE, 1, (const hsize_t[]){9},
               (const double[9]){0});
    h5_texts(path, "impinge/frame_sources", 1, "abc", 4);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ran r = RAN("info", path);
        EXPECT(ran_well(&r) && strstr(r.out, words[i]), "no '%s': %s", words[i], r.out);
        ran_free(&r);
    }
    make_free(&m);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"all_warnings", test_all_warnings}, {"tetrahedra", test_info_tetrahedra},
        {"polygons", test_info_polygons},    {"damaged", test_info_damaged},
        {"frames", test_info_frames},        {"bad_points", test_info_bad_points},
        {"large", test_info_large},          {"objects", test_info_objects},
        {"names", test_info_names},          {"result", test_info_result},
        {"warnings", test_warnings},         {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "info", tests);
}
