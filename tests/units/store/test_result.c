/* Results of steps (host/store/result/result_writer.c, result_reader.c): rows with tois and
 * features, made up by this test, are read back unchanged, in their order, with their times;
 * results are truncated and resumed; and a result without steps has none of these columns. */
#include "exports.h"
#include "columns.h"
#include "error.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program.h"
#include "store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- made-up rows */

#define STEPS 5
#define PRIMITIVES 3000

static const size_t step_rows[STEPS] = {3, 0, 9000, 1, 4200}; /* also more than one write */
static const double value[STEPS + 1] = {0.1, 0.7, 0.7, -3, 1e-300, 2.5};

typedef struct made_rows {
    imp_contacts c;
    uint32_t *a, *b;
    uint8_t *kind;
    double *point, *toi;
    int64_t *feature_a, *feature_b;
} made_rows;

/* Ties in toi, and pairs that descend from one toi to the next, an order that only steps have. */
static made_rows result_files_make_rows(size_t step)
{
    const size_t n = step_rows[step];
    rng r = {step + 1};
    made_rows m = {.a = calloc(n + 1, sizeof *m.a),
                   .b = calloc(n + 1, sizeof *m.b),
                   .kind = calloc(n + 1, 1),
                   .point = calloc(6 * n + 1, sizeof *m.point),
                   .toi = calloc(n + 1, sizeof *m.toi),
                   .feature_a = calloc(n + 1, sizeof *m.feature_a),
                   .feature_b = calloc(n + 1, sizeof *m.feature_b)};
    CU_ASSERT_FATAL(m.a && m.b && m.kind && m.point && m.toi && m.feature_a && m.feature_b);
    for (size_t i = 0; i < n; i++) {
        const size_t group = i / 100, groups = (n + 99) / 100;
        m.toi[i] = groups > 1 ? (double)group / (double)(groups - 1) : 0.25;
        m.a[i] = (uint32_t)(10 * (groups - group) + i % 100 / 25);
        m.b[i] = m.a[i] + 10 + (uint32_t)(i % 25);
        m.kind[i] = m.toi[i] == 0 ? IMP_KIND_AT_START + IMP_KIND_SEGMENT
                                  : (uint8_t)(IMP_KIND_VERTEX_FACE + i % 2);
        m.feature_a[i] = m.toi[i] == 0 ? -1 : (int64_t)rng_below(&r, 7) - 4;
        m.feature_b[i] = m.toi[i] == 0 ? -1 : (int64_t)rng_below(&r, 4000000000u);
        for (size_t k = 0; k < 6; k++)
            m.point[6 * i + k] = rng_unit(&r) + (k > 2 ? 2 : 0);
    }
    m.c = (imp_contacts){.count = n,
                         .a = m.a,
                         .b = m.b,
                         .kind = m.kind,
                         .points = m.point,
                         .toi = m.toi,
                         .feature_a = m.feature_a,
                         .feature_b = m.feature_b};
    return m;
}

static void free_rows_made(made_rows *m)
{
    free(m->a);
    free(m->b);
    free(m->kind);
    free(m->point);
    free(m->toi);
    free(m->feature_a);
    free(m->feature_b);
}

static int64_t ids[PRIMITIVES];
static int32_t objects[PRIMITIVES];
static const imp_mesh mesh = {.primitives = PRIMITIVES, .object = objects, .id = ids};

static void make_mesh(void)
{
    for (int i = 0; i < PRIMITIVES; i++) {
        ids[i] = INT64_MIN + 7 * i;
        objects[i] = i % 5 - 2;
    }
}

static result_step result_files_step(size_t k)
{
    return (result_step){&mesh, 40 - 3 * k, value[k], value[k + 1]};
}

static imp_frame_info result_files_info(size_t k)
{
    return (imp_frame_info){
        .candidates = 10 * k + 1, .candidates_vf = 100 + k, .candidates_ee = 7 * k};
}

static const imp_def with = {.continuous = 1, .ids = 1};

static result_provenance provenance(const imp_def *def, const char *options)
{
    return (result_provenance){
        .command = "impinge", .options = options, .device = "cpu", .input = "none", .def = def};
}

#define OPTIONS "dop=6 frames=40+6*-3 continuous=1 objects=id"

/* Steps [from, to) in one block. Their contacts are added in two calls each, as from two ranges. */
static void result_files_add_block(result *r, size_t from, size_t to)
{
    result_step of[STEPS];
    imp_frame_info info[STEPS];
    for (size_t k = from; k < to; k++) {
        made_rows m = result_files_make_rows(k);
        imp_contacts c = m.c;
        of[k - from] = result_files_step(k);
        info[k - from] = result_files_info(k);
        c.frame = k - from;
        c.count = m.c.count / 3;
        CU_ASSERT_EQUAL_FATAL(result_add(r, &c, &of[k - from]), 0);
        columns_skip(&contact_table, &c, c.count);
        c.count = m.c.count - m.c.count / 3;
        CU_ASSERT_EQUAL_FATAL(result_add(r, &c, &of[k - from]), 0);
        free_rows_made(&m);
    }
    CU_ASSERT_EQUAL_FATAL(result_end_block(r, to - from, of, info), 0);
}

/* ---- times */

/* Without the clamp: rounding moves some times past the end. */
static double result_files_plain(double v, double w, double toi)
{
    return v + toi * (w - v);
}

static void test_time(void)
{
    static const double known[][4] = {/* v, w, toi, time */
                                      {0, 1, 0.25, 0.25},
                                      {3, 1, 0.25, 2.5},
                                      {0.1, 0.7, 0, 0.1},
                                      {-7, -7, 0.3, -7},
                                      {-1.5e308, 1.5e308, 0.5, 0},
                                      {-1.5e308, 1.5e308, 0, -1.5e308},
                                      {1.5e308, -1.5e308, 1, -1.5e308}};
    size_t clamped = 0;
    rng r = {3};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const result_step of = {.time = known[i][0], .next = known[i][1]};
        EXPECT(result_time(&of, known[i][2]) == known[i][3], "case %zu: %.17g", i,
               result_time(&of, known[i][2]));
    }
    for (int i = 0; i < 100000; i++) {
        const result_step of = {.time = rng_unit(&r) - 0.5, .next = rng_unit(&r) * 1e3 - 0.5};
        const double toi = i % 3 ? 1 : rng_unit(&r), t = result_time(&of, toi);
        const double low = fmin(of.time, of.next), high = fmax(of.time, of.next);
        const double free_one = result_files_plain(of.time, of.next, toi);
        EXPECT(t >= low && t <= high, "%.17g is not between %.17g and %.17g", t, of.time, of.next);
        EXPECT(t == fmin(fmax(free_one, low), high), "%.17g is not %.17g", t, free_one);
        clamped += t != free_one;
    }
    EXPECT(clamped > 0, "no time is past the end");
}

/* ---- written and read */

static void check_result_files_values(const result_rows *rows, const made_rows *m, size_t k)
{
    size_t wrong = 0;
    const result_step of = result_files_step(k);
    for (size_t i = 0; i < m->c.count; i++) {
        const double time =
            fmin(fmax(result_files_plain(of.time, of.next, m->toi[i]), fmin(of.time, of.next)),
                 fmax(of.time, of.next));
        wrong += rows->a[i] != m->a[i] || rows->b[i] != m->b[i] || rows->kind[i] != m->kind[i] ||
                 rows->toi[i] != m->toi[i] || rows->time[i] != time ||
                 rows->feature_a[i] != m->feature_a[i] || rows->feature_b[i] != m->feature_b[i] ||
                 rows->object_a[i] != objects[m->a[i]] || rows->id_b[i] != ids[m->b[i]] ||
                 memcmp(rows->points + 6 * i, m->point + 6 * i, 6 * sizeof(double)) != 0;
    }
    EXPECT(!wrong, "step %zu: %zu rows are others", k, wrong);
}

/* The part of a step that info and --resume read. */
static void check_result_files_step(result_reader *r, size_t k)
{
    const result_info *info = result_get_info(r);
    const result_step of = result_files_step(k);
    const imp_frame_info counts = result_files_info(k);
    made_rows m = result_files_make_rows(k);
    result_rows rows;
    double toi[1], time[1];
    CU_ASSERT(info->of.time[k] == of.time && info->of.input_frame[k] == (int64_t)of.number);
    CU_ASSERT(info->of.candidates_vf[k] == (int64_t)counts.candidates_vf &&
              info->of.candidates_ee[k] == (int64_t)counts.candidates_ee);
    CU_ASSERT_EQUAL_FATAL(result_read(r, k, &rows), 0);
    CU_ASSERT_EQUAL_FATAL(rows.count, m.c.count);
    CU_ASSERT(result_checksum(&rows) == info->of.checksum[k]);
    check_result_files_values(&rows, &m, k);
    if (m.c.count) {
        const uint64_t last = m.c.count - 1;
        const double wanted = rows.time[last];
        CU_ASSERT_EQUAL(result_read_times(r, k, last, 1, toi, time), 0);
        CU_ASSERT(toi[0] == m.toi[last] && time[0] == wanted);
    }
    free_rows_made(&m);
}

static void check_result_files_result(const char *path)
{
    mem memory = {0};
    result_reader *r = NULL;
    CU_ASSERT_EQUAL_FATAL(result_open(&memory, path, &r), 0);
    const result_info *info = result_get_info(r);
    EXPECT(info->complete && info->continuous && info->times && info->frames == STEPS, "%llu steps",
           (unsigned long long)info->frames);
    for (size_t k = 0; k < STEPS; k++)
        check_result_files_step(r, k);
    EXPECT(!result_check_layout(r), "%s", imp_error_text());
    result_close(r);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    const char *what = h5_sound(path);
    EXPECT(!what, "%s", what);
}

static const char *result_files_write_result(const char *name, size_t middle)
{
    mem memory = {0};
    result *r = NULL;
    const char *path = at(name);
    const result_provenance o = provenance(&with, OPTIONS);
    make_mesh();
    CU_ASSERT_EQUAL_FATAL(result_create(&memory, path, 1, &o, &r), 0);
    result_files_add_block(r, 0, middle);
    result_files_add_block(r, middle, STEPS);
    CU_ASSERT_EQUAL(result_finish(r), 0);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    return path;
}

static void test_result_files_rows(void)
{
    const char *first = result_files_write_result("first.vtkhdf", 2);
    check_result_files_result(first);
    for (size_t middle = 1; middle < STEPS; middle++) {
        const char *what =
            h5_same(first, result_files_write_result("other.vtkhdf", middle), "VTKHDF");
        EXPECT(!what, "blocks of %zu and %zu: %s", middle, STEPS - middle, what);
    }
}

/* By plain HDF5, under the names of format.md. */
static void test_result_files_names(void)
{
    const char *path = result_files_write_result("plain.vtkhdf", 1);
    made_rows m = result_files_make_rows(2);
    size_t n, wrong = 0;
    double *toi = h5_reals(path, "VTKHDF/CellData/Share", &n);
    int64_t *a = h5_ints(path, "VTKHDF/CellData/FeatureA", &n);
    int64_t *b = h5_ints(path, "VTKHDF/CellData/FeatureB", &n);
    double *time = h5_reals(path, "VTKHDF/CellData/Time", &n);
    CU_ASSERT_EQUAL_FATAL(n, 3 + 9000 + 1 + 4200);
    for (size_t i = 0; i < m.c.count; i++)
        wrong += toi[3 + i] != m.toi[i] || a[3 + i] != m.feature_a[i] || b[3 + i] != m.feature_b[i];
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(time[0] == 0.1 + 0.25 * (0.7 - 0.1) && time[3] == 0.7);
    CU_ASSERT(h5_peek(path, "VTKHDF/Steps/CellDataOffsets/Time", 3) == 9003);
    CU_ASSERT(h5_peek(path, "impinge/frames_done", 0) == STEPS);
    free(toi);
    free(time);
    free(a);
    free(b);
    free_rows_made(&m);
}

/* ---- resuming */

static int resume(const char *path, const imp_def *def, const char *options, result **r,
                  uint64_t *done)
{
    static mem memory;
    const result_provenance o = provenance(def, options);
    return result_resume(&memory, path, 0, &o, r, done);
}

/* The third step is not committed, though the file has many of its rows. */
static void test_result_files_resume(void)
{
    mem memory = {0};
    result *r = NULL;
    uint64_t done;
    const char *whole = result_files_write_result("whole.vtkhdf", 2), *path = at("part.vtkhdf");
    const result_provenance o = provenance(&with, OPTIONS);
    made_rows m = result_files_make_rows(2);
    CU_ASSERT_EQUAL_FATAL(result_create(&memory, path, 1, &o, &r), 0);
    result_files_add_block(r, 0, 2);
    CU_ASSERT_EQUAL(result_commit(r), 0);
    const result_step of = result_files_step(2);
    for (int i = 0; i < 20; i++) {
        m.c.frame = 0;
        CU_ASSERT_EQUAL_FATAL(result_add(r, &m.c, &of), 0);
    }
    free_rows_made(&m);
    result_leave(r);
    int err = resume(path, &with, "dop=6 frames=40+6*-3 objects=id", &r, &done);
    EXPECT(err == IMP_ERR_INPUT && strstr(imp_error_text(), "--continuous was given, is not given"),
           "%s", imp_error_text());
    CU_ASSERT_EQUAL_FATAL(resume(path, &with, OPTIONS, &r, &done), 0);
    CU_ASSERT_EQUAL_FATAL(done, 2);
    result_files_add_block(r, 2, STEPS);
    CU_ASSERT_EQUAL(result_finish(r), 0);
    check_result_files_result(path);
    const char *what = h5_same(whole, path, "VTKHDF");
    EXPECT(!what, "%s", what);
    const imp_def def = with;
    const result_provenance same = provenance(&def, OPTIONS);
    CU_ASSERT_EQUAL(result_is_done(&memory, path, &same), 1);
}

/* One toi changed by an ulp, or one feature by one: its step is damaged. */
static void test_damage(void)
{
    mem memory = {0};
    const result_provenance o = provenance(&with, OPTIONS);
    static const char *const arrays[] = {"Share", "Time", "FeatureA", "FeatureB"};
    for (int i = 0; i < 4; i++) {
        char name[60];
        const char *path = result_files_write_result("damaged.vtkhdf", 2);
        snprintf(name, sizeof name, "VTKHDF/CellData/%s", arrays[i]);
        const double x = h5_peek(path, name, 5000);
        h5_poke(path, name, 5000, i < 2 ? nextafter(x, 2) : x + 1);
        int err = result_is_done(&memory, path, &o);
        EXPECT(err == IMP_ERR_EXISTS && strstr(imp_error_text(), "step from frame 34 is damaged"),
               "%s: %s", name, imp_error_text());
        EXPECT(h5_sound(path) != NULL, "%s", name);
    }
}

/* ---- other kinds of results */

static int result_files_has_dataset(const char *path, const char *name)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int there = H5Lexists(file, name, H5P_DEFAULT) > 0;
    H5Fclose(file);
    return there;
}

/* No column and no table of steps. */
static void check_without(const imp_def *def, const char *options, int continuous)
{
    mem memory = {0};
    result *r = NULL;
    result_reader *reader = NULL;
    const char *path = at("without.vtkhdf");
    const result_provenance o = provenance(def, options);
    const result_step of = result_files_step(0);
    const imp_frame_info info = result_files_info(0);
    made_rows m = result_files_make_rows(0);
    make_mesh();
    m.c.toi = NULL;
    m.c.feature_a = m.c.feature_b = NULL;
    m.c.crossing = m.c.kind; /* any bytes */
    CU_ASSERT_EQUAL_FATAL(result_create(&memory, path, 1, &o, &r), 0);
    CU_ASSERT_EQUAL_FATAL(result_add(r, &m.c, &of), 0);
    CU_ASSERT_EQUAL_FATAL(result_end_block(r, 1, &of, &info), 0);
    CU_ASSERT_EQUAL(result_finish(r), 0);
    CU_ASSERT(!result_files_has_dataset(path, "VTKHDF/CellData/Share") &&
              !result_files_has_dataset(path, "VTKHDF/CellData/Time") &&
              !result_files_has_dataset(path, "VTKHDF/CellData/FeatureA") &&
              !result_files_has_dataset(path, "impinge/candidates_vf"));
    CU_ASSERT_EQUAL_FATAL(result_open(&memory, path, &reader), 0);
    const result_info *i = result_get_info(reader);
    EXPECT(i->complete && i->continuous == continuous && !i->times && !i->of.candidates_vf,
           "options %s", options);
    result_close(reader);
    free_rows_made(&m);
}

static void test_without(void)
{
    const imp_def candidates = {.continuous = 1, .stage = IMP_STAGE_CANDIDATES}, plain_one = {0};
    check_without(&plain_one, "dop=6 frames=40+1*-3 objects=id", 0);
    check_without(&candidates, "stage=candidates dop=6 frames=40+2*-3 continuous=1 objects=id", 1);
    /* the name of an array may look like an option */
    check_without(&plain_one, "dop=6 frames=40+1*1 objects=array:x continuous=1", 0);
}

/* One selected frame, or none: no step, and the result is complete. */
static void test_no_step(void)
{
    static const char *const options[] = {"dop=6 frames=4+1*1 continuous=1 objects=id",
                                          "dop=6 frames=0+0*1 continuous=1 objects=id"};
    for (int i = 0; i < 2; i++) {
        mem memory = {0};
        result *r = NULL;
        const char *path = at("empty.vtkhdf");
        const result_provenance o = provenance(&with, options[i]);
        CU_ASSERT_EQUAL_FATAL(result_create(&memory, path, 1, &o, &r), 0);
        CU_ASSERT_EQUAL(result_finish(r), 0);
        CU_ASSERT_EQUAL(result_is_done(&memory, path, &o), 1);
        const char *what = h5_sound(path);
        EXPECT(!what, "%s: %s", options[i], what);
    }
}

/* ---- as text */

static char *write_text_of(const char *path)
{
    mem memory = {0};
    outputs o = {0};
    text_output to = {0};
    result_reader *r = NULL;
    const char *file = at("steps.txt");
    CU_ASSERT_EQUAL_FATAL(outputs_text(&o, "--collide-txt", file, 1, &to), 0);
    CU_ASSERT_EQUAL_FATAL(result_open(&memory, path, &r), 0);
    CU_ASSERT_EQUAL(collide_txt_write(r, &to), 0);
    result_close(r);
    text_output_free(&to);
    outputs_free(&o);
    return file_text(file, NULL);
}

/* The time is the last column, after the ids. */
static void test_text(void)
{
    char *text = write_text_of(result_files_write_result("text.vtkhdf", 3)), *line = text,
         wanted[400];
    static const char title[] =
        "# frame a b x0 y0 z0 x1 y1 z1 kind object_a object_b id_a id_b t\n";
    EXPECT(!strncmp(text, title, sizeof title - 1), "%.100s", text);
    size_t lines = count_lines(text), row = 0, wrong = 0;
    EXPECT(lines == 1 + 3 + 9000 + 1 + 4200, "%zu lines", lines);
    for (size_t k = 0; k < STEPS; k++) {
        made_rows m = result_files_make_rows(k);
        const result_step of = result_files_step(k);
        for (size_t i = 0; i < m.c.count; i++, row++) {
            const double *p = m.point + 6 * i;
            line = strchr(line, '\n') + 1;
            int n =
                snprintf(wanted, sizeof wanted,
                         "%d %u %u %.17g %.17g %.17g %.17g %.17g %.17g %d %d %d %lld %lld %.17g\n",
                         (int)of.number, m.a[i], m.b[i], p[0], p[1], p[2], p[3], p[4], p[5],
                         m.kind[i], objects[m.a[i]], objects[m.b[i]], (long long)ids[m.a[i]],
                         (long long)ids[m.b[i]], result_time(&of, m.toi[i]));
            wrong += strncmp(line, wanted, (size_t)n) != 0;
        }
        free_rows_made(&m);
    }
    EXPECT(!wrong, "%zu lines are others", wrong);
    free(text);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"time", test_time},
                                 {"rows", test_result_files_rows},
                                 {"names", test_result_files_names},
                                 {"resume", test_result_files_resume},
                                 {"damage", test_damage},
                                 {"without", test_without},
                                 {"no_step", test_no_step},
                                 {"text", test_text},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "result", tests);
}
