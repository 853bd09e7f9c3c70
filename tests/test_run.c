/* What `run` says and writes: stdout and stderr, JSON, selections of frames and pairs, the layout
 * of the result, its copy as text; and what `info` and `check` make of it. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "program.h"
#include "testlib.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU "--device", "cpu", "--threads", "1"

/* ---- a batch and its result */

#define FRAMES 9
#define TRIANGLES 40

/* Three objects that touch each other and themselves; frames 3 and 8 have no contacts. */
static const char *make_batch(void)
{
    make m = {.cells = {{.name = "ObjectId"}, {.name = "Part"}}};
    make_moving(&m, FRAMES, TRIANGLES, 7);
    for (int64_t i = 0; i < TRIANGLES; i++) {
        make_add(&m.cells[0].value, 5 - i / 2 % 3 * 7); /* 5, -2, -9 */
        make_add(&m.cells[1].value, i / 10);
    }
    for (int k = 0; k < 2; k++) /* apart from each other */
        for (size_t v = 0; v < 3 * TRIANGLES; v++)
            m.points.value[3 * (3 * TRIANGLES * (size_t)(k ? 8 : 3) + v)] +=
                100.0 * (double)(v / 3);
    const char *path = make_write(&m, "batch.vtkhdf");
    make_free(&m);
    return path;
}

/* All rows of a result. */
typedef struct rows {
    size_t frames, count;
    int64_t *input_frame, *contacts; /* [frames] */
    int64_t *a, *b, *oa, *ob, *kind; /* [count] */
    double *point;
    size_t *frame; /* [count] its number in the result */
} rows;

static rows read_rows(const char *path)
{
    rows r = {0};
    size_t n;
    r.input_frame = h5_ints(path, "impinge/input_frame", &r.frames);
    r.contacts = h5_ints(path, "impinge/contacts", &n);
    r.a = h5_ints(path, "VTKHDF/CellData/PrimitiveA", &r.count);
    r.b = h5_ints(path, "VTKHDF/CellData/PrimitiveB", &n);
    r.oa = h5_ints(path, "VTKHDF/CellData/ObjectA", &n);
    r.ob = h5_ints(path, "VTKHDF/CellData/ObjectB", &n);
    r.kind = h5_ints(path, "VTKHDF/CellData/Kind", &n);
    r.point = h5_reals(path, "VTKHDF/Points", &n);
    r.frame = calloc(r.count + 1, sizeof *r.frame);
    CU_ASSERT_FATAL(r.frame != NULL);
    for (size_t f = 0, i = 0; f < r.frames; f++)
        for (int64_t k = 0; k < r.contacts[f] && i < r.count; k++)
            r.frame[i++] = f;
    return r;
}

static void free_rows(rows *r)
{
    void *all[] = {r->input_frame, r->contacts, r->a,     r->b,    r->oa,
                   r->ob,          r->kind,     r->point, r->frame};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* Runs with some more options; the result is at("out.vtkhdf"). */
static void run_with(const char *in, const char *const *more)
{
    const char *line[24] = {"run", in, "-o", at("out.vtkhdf"), "--force", "-q", CPU};
    int n = 10;
    char about[300] = "";
    for (int i = 0; more && more[i]; i++) {
        line[n++] = more[i];
        strcat(strcat(about, " "), more[i]);
    }
    ran r = program_run(line);
    EXPECT(ran_well(&r) && !*r.out, "^%s", about);
    ran_free(&r);
    const char *what = h5_sound(at("out.vtkhdf"));
    EXPECT(!what, "%s: %s", about, what);
}

#define RUN_WITH(in, ...) run_with(in, (const char *const[]){__VA_ARGS__, NULL})

/* ---- what is printed */

static void test_streams(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU);
    EXPECT(ran_well(&r), "^ plain");
    EXPECT(strstr(r.out, in) && strstr(r.out, out) && strstr(r.out, "9 frames") &&
               strstr(r.out, "360 triangles") && strstr(r.out, " contacts"),
           "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q");
    EXPECT(ran_well(&r) && !*r.out, "^ -q: %s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-v");
    EXPECT(r.code == 0 && strstr(r.err, "cpu") && strstr(r.err, "seconds") && strstr(r.out, out),
           "-v: %s", r.err);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--progress", "always", "--block", "1");
    EXPECT(r.code == 0 && strstr(r.err, "frame 9/9") && strstr(r.err, "frames/s") &&
               !strchr(r.err, '\033') && !strchr(r.err, '\r'),
           "--progress always: %s", r.err);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--progress", "always", "-q");
    EXPECT(ran_well(&r) && !*r.out, "^ -q is stronger");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-v", "-q");
    EXPECT(ran_well(&r) && !*r.out, "^ -q is stronger than -v");
    ran_free(&r);
}

/* stderr of the next run is a terminal; what it shows. */
static char *run_on_terminal(const char *in, const char *no_color, const char *progress)
{
    static char shown[20000];
    int screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    CU_ASSERT_FATAL(screen >= 0 && !grantpt(screen) && !unlockpt(screen));
    char *name = ptsname(screen);
    int keep = open(name, O_RDWR | O_NOCTTY);
    program_set(
        &(program_how){.std_err = name, .variable = {{"NO_COLOR", no_color}, {"TERM", "xterm"}}});
    ran r = RAN("run", in, "-o", at("out.vtkhdf"), CPU, "--force", "--block", "1", "--progress",
                progress);
    program_plain();
    EXPECT(r.code == 0, "on a terminal: exit %d", r.code);
    ran_free(&r);
    ssize_t n = read(screen, shown, sizeof shown - 1);
    shown[n > 0 ? n : 0] = 0;
    close(keep);
    close(screen);
    return shown;
}

static void test_terminal(void)
{
    const char *in = make_batch();
    const char *shown = run_on_terminal(in, NULL, "auto");
    EXPECT(strstr(shown, "frame 9/9") && strstr(shown, "frames/s") && strstr(shown, "left") &&
               strstr(shown, "\033[32m"),
           "the bar: '%s'", shown);
    shown = run_on_terminal(in, "1", "auto");
    EXPECT(strstr(shown, "frame 9/9") && !strstr(shown, "\033[32m"), "NO_COLOR: '%s'", shown);
    shown = run_on_terminal(in, NULL, "never");
    EXPECT(!*shown, "--progress never: '%s'", shown);
}

/* ---- JSON */

static const char *const counts[] = {"frames",         "primitives",     "objects",   "candidates",
                                     "contacts",       "candidates_max", "undecided", "schema",
                                     "bad_primitives", "peak_bytes",     "peak_rss"};
static const char *const rooms[] = {"load", "bound", "broad", "order", "narrow", "save", "total"};

static void check_json(const char *text, const char *in)
{
    char name[40], quoted[600];
    EXPECT(json_valid(text), "not JSON: %.500s", text);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double x = json_number(text, counts[i]);
        EXPECT(x >= 0 && x == floor(x), "%s is %g", counts[i], x);
    }
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        snprintf(name, sizeof name, "seconds.%s", rooms[i]);
        EXPECT(json_number(text, name) >= 0, "%s: %s", name, json_at(text, name));
    }
    snprintf(quoted, sizeof quoted, "\"%s\"", in);
    const char *const texts[][2] = {
        {"impinge", "\"" IMP_VERSION "\""}, {"input", quoted}, {"device", "\"cpu\""}};
    for (int i = 0; i < 3; i++) {
        const char *have = json_at(text, texts[i][0]);
        EXPECT(have && !strcmp(have, texts[i][1]), "%s is %s, not %s", texts[i][0], have,
               texts[i][1]);
    }
    EXPECT(json_at(text, "broad") && json_at(text, "broad")[0] == '"', "broad");
    EXPECT(json_number(text, "schema") == 1, "schema");
    EXPECT(json_number(text, "frames") == FRAMES, "frames");
    EXPECT(json_number(text, "primitives") == FRAMES * TRIANGLES, "primitives");
    EXPECT(json_number(text, "objects") == 3, "objects");
}

/* Rows of each kind. */
static void check_json_kinds(const char *text, const char *result)
{
    static const char *const kinds[] = {"candidate", "point", "segment", "area", "duplicate"};
    rows r = read_rows(result);
    for (int k = 0; k < 5; k++) {
        char name[40];
        size_t n = 0;
        for (size_t i = 0; i < r.count; i++)
            n += r.kind[i] == k;
        snprintf(name, sizeof name, "kinds.%s", kinds[k]);
        EXPECT(json_number(text, name) == (double)n, "%s is not %zu", name, n);
    }
    free_rows(&r);
}

/* Rows of each pair of objects, as many entries as there are pairs. */
static void check_json_pairs(const char *text, const char *result)
{
    static const int64_t ids[] = {-9, -2, 5};
    rows r = read_rows(result);
    int next = 0;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++) {
            char name[40];
            size_t n = 0;
            for (size_t i = 0; i < r.count; i++)
                n += (r.oa[i] == ids[a] && r.ob[i] == ids[b]) ||
                     (r.oa[i] == ids[b] && r.ob[i] == ids[a] && a != b);
            if (!n)
                continue;
            const double want[] = {(double)ids[a], (double)ids[b], (double)n};
            static const char *const key[] = {"a", "b", "contacts"};
            for (int k = 0; k < 3; k++) {
                snprintf(name, sizeof name, "object_pairs.%d.%s", next, key[k]);
                EXPECT(json_number(text, name) == want[k], "%s is not %g", name, want[k]);
            }
            next++;
        }
    char end[40];
    snprintf(end, sizeof end, "object_pairs.%d", next);
    EXPECT(next > 2 && !json_at(text, end), "%d pairs of objects, and more in JSON", next);
    free_rows(&r);
}

/* The same sums as in the tables of the result. */
static void check_json_sums(const char *text, const char *result)
{
    static const char *const names[] = {"candidates", "contacts", "undecided", "bad_primitives"};
    char table[60];
    double most = 0, with = 0;
    for (int i = 0; i < 4; i++) {
        size_t n;
        double sum = 0;
        snprintf(table, sizeof table, "impinge/%s", names[i]);
        double *x = h5_reals(result, table, &n);
        for (size_t f = 0; f < n; f++) {
            sum += x[f];
            most = i == 0 && x[f] > most ? x[f] : most;
            with += i == 1 && x[f] > 0;
        }
        EXPECT(json_number(text, names[i]) == sum, "%s is %s, not %g", names[i],
               json_at(text, names[i]), sum);
        free(x);
    }
    EXPECT(json_number(text, "candidates_max") == most, "candidates_max is not %g", most);
    EXPECT(json_number(text, "contact_frames") == with, "contact_frames is not %g", with);
    check_json_kinds(text, result);
    check_json_pairs(text, result);
}

static void test_json(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf"), *file = at("run.json");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--json");
    EXPECT(ran_well(&r), "^ --json");
    check_json(r.out, in);
    check_json_sums(r.out, out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--json");
    check_json(r.out, in);
    ran_free(&r);
    char option[600];
    snprintf(option, sizeof option, "--json=%s", file);
    r = RAN("run", in, "-o", out, CPU, "--force", option);
    EXPECT(ran_well(&r) && strstr(r.out, "contacts"), "^ %s: %s", option, r.out);
    char *text = file_text(file, NULL);
    check_json(text, in);
    free(text);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--json", "--progress", "always", "-v");
    check_json(r.out, in);
    ran_free(&r);
}

/* Sums are those of the whole result, also if half of it was there before. */
static void test_json_resumed(void)
{
    const char *in = make_batch(), *out = at("resumed.vtkhdf");
    program_set(
        &(program_how){.program = IMP_FRAGILE,
                       .variable = {{"IMPINGE_FRAGILE", "kill:200"}, {"IMPINGE_HASTY", "1"}}});
    ran r = RAN("run", in, "-o", out, CPU, "--block", "1");
    program_plain();
    EXPECT(exists_part(out), "it was not killed");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--resume", "--json");
    EXPECT(ran_well(&r), "^ --resume");
    check_json_sums(r.out, out);
    EXPECT(json_number(r.out, "frames") == FRAMES, "frames");
    ran_free(&r);
    unlink(out);
}

/* Names that must be quoted. */
static void test_json_names(void)
{
    static const char *const names[] = {
        "a\"b\\c.vtkhdf",        "tab\tline\nend.vtkhdf", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac.vtkhdf",
        "latin \xe9\xff.vtkhdf", "%s%n.vtkhdf",           " .vtkhdf"};
    const char *in = make_batch();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        copy_file(in, at(names[i]));
        ran r = RAN("run", at(names[i]), "-o", at("out.vtkhdf"), CPU, "--force", "--json");
        EXPECT(ran_well(&r) && json_valid(r.out), "^ %s: %.300s", names[i], r.out);
        ran_free(&r);
        r = RAN("info", at("out.vtkhdf"), "--json");
        EXPECT(ran_well(&r) && json_valid(r.out), "^ info: %s: %.300s", names[i], r.out);
        ran_free(&r);
        r = RAN("run", at(names[i]), "-o", at("out.vtkhdf"), "--frames", ":2", CPU, "--force", "-q",
                "--objects", "array:none");
        EXPECT(ran_failed(&r, 3, "none", NULL), "^ %s", names[i]);
        ran_free(&r);
    }
}

static void test_other_json(void)
{
    const char *in = make_batch();
    ran r = RAN("bench", in, CPU, "--reps", "2", "--json");
    EXPECT(ran_well(&r) && json_valid(r.out), "^ bench: %.400s", r.out);
    static const char *const times[] = {"load",   "bound", "broad", "order",
                                        "narrow", "save",  "total", "detect"};
    for (size_t i = 0; i < 8; i++)
        for (int k = 0; k < 2; k++) {
            char name[60];
            snprintf(name, sizeof name, "seconds.%s.%s", times[i], k ? "median" : "min");
            EXPECT(json_number(r.out, name) >= 0, "bench: %s", name);
        }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        EXPECT(json_number(r.out, counts[i]) >= 0, "bench: %s", counts[i]);
    ran_free(&r);
    r = RAN("devices", "--json", "--no-test");
    EXPECT(ran_well(&r) && json_valid(r.out) && json_at(r.out, "devices.0.name"), "^ devices: %s",
           r.out);
    ran_free(&r);
    r = RAN("devices", "--json");
    const char *self_test = json_at(r.out, "devices.0.self_test");
    EXPECT(self_test && !strcmp(self_test, "\"passed\""), "devices: %s", r.out);
    ran_free(&r);
}

/* Counting the objects of so many triangles takes memory of its own, which the limit must allow. */
static void test_bench_objects(void)
{
    const char *in = at("spheres.vtkhdf");
    ran r = RAN("generate", "spheres", "-n", "400000", "-o", in, "-q");
    EXPECT(ran_well(&r), "^ generate");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--pairs", "between", "-q");
    EXPECT(ran_well(&r), "^ bench of many objects");
    ran_free(&r);
    unlink(in);
}

/* The repetition that comes at once, and one for each line until stdin ends. */
static void test_bench_paced(void)
{
    const char *in = make_batch();
    double seconds = -1;
    long long pairs = -1;
    int end = 0;
    ran r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && sscanf(r.out, "%lf %lld\n%n", &seconds, &pairs, &end) == 2 &&
               seconds > 0 && pairs >= 0 && !r.out[end],
           "^ --paced: %s", r.out);
    ran_free(&r);
    write_text(at("lines"), "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    program_set(&(program_how){.std_in = at("lines")});
    r = RAN("bench", in, CPU, "--paced");
    EXPECT(ran_well(&r) && count_lines(r.out) == 21, "^ --paced, 20 lines: %s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--paced", "--reps", "3");
    EXPECT(ran_well(&r) && count_lines(r.out) == 4, "^ --paced --reps 3: %s", r.out);
    ran_free(&r);
    program_plain();
    r = RAN("bench", in, CPU, "--paced", "--json");
    EXPECT(ran_failed(&r, 2, "--paced", "--json"), "^ both");
    ran_free(&r);
}

/* ---- selections of frames, as Python has them */

/* slice(a, b, c).indices(n), after PySlice_AdjustIndices; `has` tells which of the three are given
 */
static size_t python_slice(const int64_t v[3], const int has[3], int64_t n, int64_t *out)
{
    int64_t step = has[2] ? v[2] : 1, low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    int64_t bound[2] = {step < 0 ? high : low, step < 0 ? low : high};
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        if (has[i]) {
            int64_t x = v[i] < 0 ? v[i] + n : v[i];
            bound[i] = x < low ? low : x > high ? high : x;
        }
    for (int64_t f = bound[0]; step > 0 ? f < bound[1] : f > bound[1]; f += step)
        out[count++] = f;
    return count;
}

static void check_slice(const char *in, const char *text, const int64_t *want, size_t n)
{
    size_t have;
    const char *out = at("slice.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--frames", text);
    if (!n)
        EXPECT(ran_failed(&r, 2, "--frames", "0 to 8"), "^ --frames %s", text);
    else
        EXPECT(ran_well(&r), "^ --frames %s", text);
    if (r.code == 0) {
        int64_t *frame = h5_ints(out, "impinge/input_frame", &have);
        double *time = h5_reals(out, "VTKHDF/Steps/Values", &have);
        EXPECT(have == n, "--frames %s: %zu frames, not %zu", text, have, n);
        for (size_t i = 0; i < n && i < have; i++)
            EXPECT(frame[i] == want[i] && time[i] == 0.5 * (double)want[i],
                   "--frames %s: frame %zu is %lld at %g, not %lld", text, i, (long long)frame[i],
                   time[i], (long long)want[i]);
        free(frame);
        free(time);
    }
    ran_free(&r);
}

static void slice_text(const int64_t v[3], const int has[3], char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < 3; i++) {
        if (i < 2 || has[2])
            n += (size_t)snprintf(out + n, size - n, "%s", i ? ":" : "");
        if (has[i])
            n += (size_t)snprintf(out + n, size - n, "%lld", (long long)v[i]);
    }
}

static void test_slices(void)
{
    static const struct {
        int64_t v[3];
        int has[3];
    } list[] = {
        {{0}, {0, 0, 0}},
        {{0, 3}, {0, 1, 0}},
        {{-3}, {1, 0, 0}},
        {{2, 7, 2}, {1, 1, 1}},
        {{0, 0, -1}, {0, 0, 1}},
        {{7, 2, -2}, {1, 1, 1}},
        {{-2, -8, -3}, {1, 1, 1}},
        {{5, 5}, {1, 1, 0}},
        {{8, 2}, {1, 1, 0}},
        {{100}, {1, 0, 0}},
        {{-100, 100}, {1, 1, 0}},
        {{0, 0, 100}, {0, 0, 1}},
        {{100, -100, -100}, {1, 1, 1}},
        {{3, 4}, {1, 1, 0}},
        {{-1000000000000, 1000000000000, 7}, {1, 1, 1}},
        {{0, 0, INT64_MAX}, {0, 0, 1}},
        {{0, 0, INT64_MIN + 1}, {0, 0, 1}},
    };
    const char *in = make_batch();
    int64_t want[FRAMES];
    char text[100];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        slice_text(list[i].v, list[i].has, text, sizeof text);
        int64_t v[3] = {list[i].v[0], list[i].v[1], list[i].v[2]};
        if (v[2] > 1000 || v[2] < -1000) /* the same, without an overflow in the reference */
            v[2] = v[2] > 0 ? 1000 : -1000;
        check_slice(in, text, want, python_slice(v, list[i].has, FRAMES, want));
    }
}

static void test_random_slices(void)
{
    const char *in = make_batch();
    rng r = {31};
    for (uint64_t k = 0; k < test_count(25); k++) {
        int64_t v[3], want[FRAMES];
        int has[3];
        char text[100];
        for (int i = 0; i < 3; i++) {
            v[i] = (int64_t)rng_below(&r, 29) - 14;
            has[i] = rng_below(&r, 4) > 0;
        }
        v[2] = v[2] ? v[2] : 1;
        slice_text(v, has, text, sizeof text);
        check_slice(in, text, want, python_slice(v, has, FRAMES, want));
    }
}

/* A frame has the same rows in whatever order it is asked for. */
static void test_slice_rows(void)
{
    const char *in = make_batch();
    RUN_WITH(in, "--frames", ":");
    rows all = read_rows(at("out.vtkhdf"));
    RUN_WITH(in, "--frames", "::-2", "--block", "2");
    rows some = read_rows(at("out.vtkhdf"));
    EXPECT(some.count > 10, "%zu rows", some.count);
    for (size_t i = 0; i < some.count; i++) {
        size_t k = 0;
        int64_t f = some.input_frame[some.frame[i]];
        while (k < all.count && (all.input_frame[all.frame[k]] != f || all.a[k] != some.a[i] ||
                                 all.b[k] != some.b[i]))
            k++;
        EXPECT(k < all.count && !memcmp(all.point + 6 * k, some.point + 6 * i, 48) &&
                   all.kind[k] == some.kind[i],
               "frame %lld: pair %lld %lld", (long long)f, (long long)some.a[i],
               (long long)some.b[i]);
    }
    free_rows(&all);
    free_rows(&some);
}

/* ---- exit code 10 */

static void test_fail_on_collision(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--fail-on-collision");
    EXPECT(r.code == 10 && !*r.err && strstr(r.out, "contacts"), "exit %d: %s", r.code, r.err);
    EXPECT(!h5_sound(out), "%s", h5_sound(out));
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--fail-on-collision", "--frames", "3:4");
    EXPECT(ran_well(&r), "^ a frame without contacts");
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--fail-on-collision", "--json");
    EXPECT(r.code == 10 && json_valid(r.out), "exit %d: %s", r.code, r.out);
    ran_free(&r);
}

/* ---- collide.txt */

static void check_line(char *line, const rows *r, size_t i)
{
    char *end = line;
    const int64_t want[3] = {r->input_frame[r->frame[i]], r->a[i], r->b[i]};
    for (int k = 0; k < 3; k++)
        EXPECT(strtoll(end, &end, 10) == want[k], "row %zu: %s", i, line);
    for (int k = 0; k < 6; k++) {
        double x = strtod(end, &end);
        EXPECT(!memcmp(&x, &r->point[6 * i + (size_t)k], sizeof x), "row %zu: %s", i, line);
    }
    const int64_t last[] = {r->kind[i], r->oa[i], r->ob[i]};
    for (int k = 0; k < 3; k++)
        EXPECT(strtoll(end, &end, 10) == last[k], "row %zu: %s", i, line);
    EXPECT(!*end, "row %zu: more in it: %s", i, line);
}

static void test_collide_txt(void)
{
    const char *in = make_batch(), *file = at("collide.txt");
    unlink(file);
    RUN_WITH(in, "--collide-txt", file, "--frames", "::-1");
    rows r = read_rows(at("out.vtkhdf"));
    char *text = file_text(file, NULL), *rest = text, *line = strsep(&rest, "\n");
    EXPECT(line[0] == '#' && strstr(line, "frame a b x0 y0 z0 x1 y1 z1 kind object_a object_b"),
           "%s", line);
    size_t n = 0;
    for (; rest && *rest; n++) {
        line = strsep(&rest, "\n");
        if (n < r.count)
            check_line(line, &r, n);
    }
    EXPECT(n == r.count && n > 50, "%zu lines, %zu rows", n, r.count);
    EXPECT(!exists_part(file), "collide.txt.part is there");
    free(text);
    free_rows(&r);
}

/* ---- pairs of objects */

/* The rows of `all` that a rule keeps must be those of at("out.vtkhdf"). */
typedef int keep(int64_t a, int64_t b);

static void check_kept(const rows *all, keep *rule, const char *about)
{
    rows some = read_rows(at("out.vtkhdf"));
    size_t n = 0, wrong = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!rule(all->oa[i], all->ob[i]))
            continue;
        wrong += n >= some.count || some.frame[n] != all->frame[i] || some.a[n] != all->a[i] ||
                 some.b[n] != all->b[i] || some.oa[n] != all->oa[i] || some.ob[n] != all->ob[i] ||
                 memcmp(some.point + 6 * n, all->point + 6 * i, 48);
        n++;
    }
    EXPECT(n == some.count && !wrong, "%s: %zu rows, not %zu; %zu differ", about, some.count, n,
           wrong);
    free_rows(&some);
}

static int keep_all(int64_t a, int64_t b)
{
    (void)a;
    (void)b;
    return 1;
}

static int keep_self(int64_t a, int64_t b)
{
    return a == b;
}

static int keep_between(int64_t a, int64_t b)
{
    return a != b;
}

static int is_pair(int64_t a, int64_t b, int64_t x, int64_t y)
{
    return (a == x && b == y) || (a == y && b == x);
}

static int keep_listed(int64_t a, int64_t b)
{
    return is_pair(a, b, 5, -2) || is_pair(a, b, -9, -9);
}

static int keep_others(int64_t a, int64_t b)
{
    return !keep_listed(a, b);
}

static int keep_one(int64_t a, int64_t b)
{
    return is_pair(a, b, 5, -2);
}

static void test_pairs(void)
{
    const char *in = make_batch();
    static const struct {
        const char *word;
        keep *rule;
    } list[] = {{"all", keep_all}, {"self", keep_self}, {"between", keep_between}};
    RUN_WITH(in, "--pairs", "all");
    rows all = read_rows(at("out.vtkhdf"));
    size_t objects[2] = {0, 0};
    for (size_t i = 0; i < all.count; i++) {
        objects[all.oa[i] != all.ob[i]]++;
        EXPECT(all.oa[i] == 5 - all.a[i] / 2 % 3 * 7 && all.ob[i] == 5 - all.b[i] / 2 % 3 * 7,
               "row %zu: objects %lld, %lld", i, (long long)all.oa[i], (long long)all.ob[i]);
    }
    EXPECT(objects[0] > 5 && objects[1] > 5, "%zu and %zu rows", objects[0], objects[1]);
    for (int i = 0; i < 3; i++) {
        RUN_WITH(in, "--pairs", list[i].word);
        check_kept(&all, list[i].rule, list[i].word);
    }
    free_rows(&all);
}

static void test_object_pairs(void)
{
    static const struct {
        const char *text;
        keep *rule;
        int minus; /* the name of the file begins with one */
    } list[] = {
        {"5 -2\n-9 -9\n", keep_listed, 0},
        {"# all\n\n  -2\t5 # and\n-9,-9\r\n-2 5\n", keep_listed, 0},
        {"5 -2\n-9 -9", keep_others, 1},
        {"- 5 -2\n- -9 -9\n", keep_others, 0},
        {"5 -2\n-9 -9\n- -9 -9\n", keep_one, 0},
        {"", keep_all, 1},
    };
    const char *in = make_batch(), *file = at("pairs.txt");
    char minus[600];
    snprintf(minus, sizeof minus, "-%s", file);
    run_with(in, NULL);
    rows all = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        write_text(file, list[i].text);
        RUN_WITH(in, "--object-pairs", list[i].minus ? minus : file);
        check_kept(&all, list[i].rule, list[i].text);
        ran r = RAN("check", at("out.vtkhdf"), "--input", in, "-q");
        EXPECT(ran_well(&r), "^ check with pairs %s", list[i].text);
        ran_free(&r);
    }
    free_rows(&all);
}

static void test_objects(void)
{
    const char *in = make_batch();
    RUN_WITH(in, "--objects", "array:Part");
    rows r = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < r.count; i++)
        EXPECT(r.oa[i] == r.a[i] / 10 && r.ob[i] == r.b[i] / 10, "row %zu: objects %lld %lld", i,
               (long long)r.oa[i], (long long)r.ob[i]);
    free_rows(&r);
    RUN_WITH(in, "--objects", "connected");
    r = read_rows(at("out.vtkhdf"));
    for (size_t i = 0; i < r.count; i++) /* no two triangles share a vertex */
        EXPECT(r.oa[i] == r.a[i] && r.ob[i] == r.b[i], "row %zu: objects %lld %lld", i,
               (long long)r.oa[i], (long long)r.ob[i]);
    free_rows(&r);
}

/* ---- the result file */

/* Soundness is checked by every run above; here are the shapes that are special. */
static void test_layout(void)
{
    static const char *const names[] = {"version", "command", "options",
                                        "device",  "input",   "input_hash"};
    const char *in = make_batch(), *out = at("out.vtkhdf");
    RUN_WITH(in, "--stage", "candidates");
    RUN_WITH(in, "--frames", "3:4");
    RUN_WITH(in, "--adjacent", "test", "--dop", "26", "--broad", "brute");
    hid_t file = H5Fopen(out, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        EXPECT(H5Aexists_by_name(file, "impinge", names[i], H5P_DEFAULT) > 0, "no /impinge %s",
               names[i]);
    EXPECT(H5Lexists(file, "impinge/seconds", H5P_DEFAULT) > 0, "no /impinge/seconds");
    H5Fclose(file);

    make m = {.no_steps = 1};
    make_moving(&m, 1, TRIANGLES, 7);
    run_with(make_write(&m, "single.vtkhdf"), NULL);
    EXPECT(h5_peek(out, "VTKHDF/Steps/Values", 0) == 0, "a time without steps");
    make_free(&m);
}

/* The same input and options: the same bytes of data, whatever computes them. */
static void test_same_data(void)
{
    static const char *const ways[][3] = {{"--block", "1", NULL},     {"--block", "2", NULL},
                                          {"--broad", "brute", NULL}, {"--broad", "hash", NULL},
                                          {"--cell", "9", NULL},      {"--mem-limit", "100M", NULL},
                                          {"--threads", "2", NULL}};
    const char *in = make_batch(), *first = at("first.vtkhdf");
    run_with(in, NULL);
    copy_file(at("out.vtkhdf"), first);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run_with(in, ways[i]);
        const char *what = h5_same(first, at("out.vtkhdf"), "VTKHDF");
        EXPECT(!what, "%s %s: %s", ways[i][0], ways[i][1], what);
    }
}

/* ---- info */

static void test_info(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    ran r = RAN("info", in);
    EXPECT(ran_well(&r) && strstr(r.out, "a batch") && strstr(r.out, "frames     9") &&
               strstr(r.out, "vertices   120") && strstr(r.out, "triangles  40, 360 in all"),
           "^ %s", r.out);
    ran_free(&r);
    r = RAN("info", in, "--json");
    EXPECT(json_valid(r.out) && json_number(r.out, "frames") == FRAMES &&
               json_number(r.out, "triangles") == TRIANGLES &&
               json_number(r.out, "last_time") == 4 && !strcmp(json_at(r.out, "kind"), "\"batch\""),
           "%s", r.out);
    ran_free(&r);
    run_with(in, NULL);
    r = RAN("info", out);
    EXPECT(ran_well(&r) && strstr(r.out, "a result") && strstr(r.out, "7 of them with contacts") &&
               !strstr(r.out, "not complete"),
           "^ %s", r.out);
    ran_free(&r);
    r = RAN("info", out, "--json");
    EXPECT(json_valid(r.out) && json_number(r.out, "frames") == FRAMES &&
               json_number(r.out, "frames_with_contacts") == 7 &&
               !strcmp(json_at(r.out, "complete"), "true") &&
               !strcmp(json_at(r.out, "kind"), "\"result\""),
           "%s", r.out);
    ran_free(&r);
}

/* ---- check */

static void check_found(const char *in, const char *about, const char *word, const char *word2)
{
    ran r = RAN("check", at("out.vtkhdf"), "--input", in);
    EXPECT(ran_failed(&r, 1, word, word2), "^ check: %s", about);
    EXPECT(!*r.out, "check: %s: %s", about, r.out);
    ran_free(&r);
}

/* Takes row `row` out of the arrays and what counts them, so that the file stays sound. */
static void drop_row(const char *path, size_t frame, size_t row)
{
    static const char *const arrays[] = {"PrimitiveA", "PrimitiveB", "ObjectA", "ObjectB", "Kind"};
    char name[80];
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (int a = 0; a < 6; a++) {
        size_t n, width = a < 5 ? 1 : 6;
        snprintf(name, sizeof name, "VTKHDF/%s%s", a < 5 ? "CellData/" : "Points",
                 a < 5 ? arrays[a] : "");
        double *x = h5_reals(path, name, &n);
        memmove(x + width * row, x + width * (row + 1), (n - width * (row + 1)) * sizeof *x);
        hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
        const hsize_t dims[2] = {a < 5 ? n - 1 : n / 3 - 2, 3};
        CU_ASSERT(H5Dset_extent(id, dims) >= 0);
        CU_ASSERT(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
        H5Dclose(id);
        free(x);
    }
    H5Fclose(file);
    static const struct {
        const char *name;
        int rows;
    } counted[] = {{"impinge/contacts", 1},
                   {"VTKHDF/Lines/NumberOfCells", 1},
                   {"VTKHDF/NumberOfPoints", 2},
                   {"VTKHDF/Lines/NumberOfConnectivityIds", 2}};
    for (int k = 0; k < 4; k++)
        h5_poke(path, counted[k].name, frame,
                h5_peek(path, counted[k].name, frame) - counted[k].rows);
}

static void test_check(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    char pair[60], frame[40];
    run_with(in, NULL);
    ran r = RAN("check", out, "--input", in);
    EXPECT(ran_well(&r) && strstr(r.out, "9 frames"), "^ check: %s", r.out);
    ran_free(&r);
    rows all = read_rows(out);
    const size_t rows_to_change[] = {0, all.count / 2, all.count - 1};
    for (int k = 0; k < 3; k++) {
        size_t i = rows_to_change[k];
        snprintf(frame, sizeof frame, "frame %lld: ", (long long)all.input_frame[all.frame[i]]);
        snprintf(pair, sizeof pair, "pair %lld %lld ", (long long)all.a[i], (long long)all.b[i]);
        run_with(in, NULL);
        drop_row(out, all.frame[i], i);
        check_found(in, "a dropped row", frame, pair);
        run_with(in, NULL);
        h5_poke(out, "VTKHDF/CellData/Kind", i, all.kind[i] == 2 ? 1 : 2);
        check_found(in, "another kind", frame, pair);
        run_with(in, NULL);
        h5_poke(out, "VTKHDF/CellData/ObjectA", i, 77);
        check_found(in, "another object", frame, pair);
        run_with(in, NULL);
        h5_poke(out, "VTKHDF/Points", 6 * i + 4, all.point[6 * i + 4] + 0.01);
        check_found(in, "another point", frame, pair);
        run_with(in, NULL);
        h5_poke(out, "VTKHDF/CellData/PrimitiveB", i, 1000);
        check_found(in, "a primitive that is none", frame, "1000");
    }
    free_rows(&all);
}

/* What geometry does not tell: the last bit of a point, a frame that is another. */
static void test_check_more(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    run_with(in, NULL);
    double x = h5_peek(out, "VTKHDF/Points", 3);
    h5_poke(out, "VTKHDF/Points", 3, nextafter(x, 1e9));
    check_found(in, "a last bit", "frame 0", "checksum");
    run_with(in, NULL);
    h5_poke(out, "impinge/input_frame", 0, 1000);
    check_found(in, "a frame that is not there", "frame 1000", NULL);
    run_with(in, NULL);
    copy_file(in, at("moved.vtkhdf"));
    h5_poke(at("moved.vtkhdf"), "VTKHDF/Points", 9 * 5, 0.0625);
    ran r = RAN("check", out, "--input", at("moved.vtkhdf"));
    EXPECT(r.code <= 1 && strstr(r.err, "is not the file"), "exit %d: %s", r.code, r.err);
    ran_free(&r);
}

static void test_check_options(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    static const char *const ways[][3] = {
        {"--stage", "candidates", NULL}, {"--adjacent", "test", NULL},
        {"--pairs", "self", NULL},       {"--dop", "18", NULL},
        {"--frames", "::-3", NULL},      {"--objects", "array:Part", NULL}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run_with(in, ways[i]);
        ran r = RAN("check", out, "--input", in, "-q");
        EXPECT(ran_well(&r) && !*r.out, "^ check of %s %s", ways[i][0], ways[i][1]);
        ran_free(&r);
    }
    run_with(in, NULL);
    static const char *const more[][2] = {
        {"--frames", "2:5"}, {"--sample", "7"}, {"--threads", "1"}, {"--sample", "1000"}};
    for (size_t i = 0; i < 4; i++) {
        ran r = RAN("check", out, "--input", in, more[i][0], more[i][1]);
        EXPECT(ran_well(&r), "^ check %s", more[i][0]);
        ran_free(&r);
    }
    ran r = RAN("check", in, "--input", in);
    EXPECT(ran_failed(&r, 3, in, "not a result"), "^ check of a batch");
    ran_free(&r);
    r = RAN("check", out, "--input", at("none.vtkhdf"));
    EXPECT(ran_failed(&r, 3, "none.vtkhdf", NULL), "^ check without its input");
    ran_free(&r);
    r = RAN("run", out, "-o", at("again.vtkhdf"), CPU);
    EXPECT(ran_failed(&r, 3, out, "a result of impinge"), "^ a result is no batch");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"streams", test_streams},
                                 {"terminal", test_terminal},
                                 {"json", test_json},
                                 {"json_resumed", test_json_resumed},
                                 {"json_names", test_json_names},
                                 {"other_json", test_other_json},
                                 {"bench_objects", test_bench_objects},
                                 {"bench_paced", test_bench_paced},
                                 {"slices", test_slices},
                                 {"random_slices", test_random_slices},
                                 {"slice_rows", test_slice_rows},
                                 {"fail_on_collision", test_fail_on_collision},
                                 {"collide_txt", test_collide_txt},
                                 {"pairs", test_pairs},
                                 {"object_pairs", test_object_pairs},
                                 {"objects", test_objects},
                                 {"layout", test_layout},
                                 {"same_data", test_same_data},
                                 {"info", test_info},
                                 {"check", test_check},
                                 {"check_more", test_check_more},
                                 {"check_options", test_check_options},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "run", tests);
}
