/* The output of `run`: stdout and stderr, JSON, the layout of the result; and `info` and `check` of
 * the result. */
#define _GNU_SOURCE
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "program.h"
#include "run_rows.h"
#include "testlib.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- printed text */

static void test_run_streams(void)
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

/* -v tells for each block how it was computed, and why. */
static void test_run_passes(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "-v", "--update", "rebuild");
    EXPECT(r.code == 0 && strstr(r.err, "\nimpinge: frames 0 to 8: full, update is rebuild\n"),
           "-v --update rebuild: %s", r.err);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-v", "--update", "keep");
    EXPECT(r.code == 0 &&
               strstr(r.err, "\nimpinge: frame 0: full, no frame before it was kept\n") &&
               strstr(r.err, "\nimpinge: frame 1: incremental, ") && strstr(r.err, " of 40 kept\n"),
           "-v --update keep: %s", r.err);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-v", "--continuous", "--frames", "2:5");
    EXPECT(r.code == 0 && strstr(r.err, "\nimpinge: steps from frames 2 to 3: continuous, "),
           "-v --continuous: %s", r.err);
    ran_free(&r);
}

/* The next run's stderr is a terminal; returns the text that it shows. */
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
static const char *const stage[] = {"load",  "bound", "broad",  "order", "narrow",
                                    "exact", "save",  "events", "total"};

static void check_run_json(const char *text, const char *in)
{
    char name[40], quoted[600];
    EXPECT(json_valid(text), "not JSON: %.500s", text);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double x = json_number(text, counts[i]);
        EXPECT(x >= 0 && x == floor(x), "%s is %g", counts[i], x);
    }
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        snprintf(name, sizeof name, "seconds.%s", stage[i]);
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

/* Number of rows of each kind. */
static void check_json_kinds(const char *text, const char *result)
{
    static const char *const kinds[] = {"candidate", "point",     "segment",
                                        "area",      "duplicate", "solids"};
    rows r = read_rows(result);
    for (int k = 0; k < 6; k++) {
        char name[40];
        size_t n = 0;
        for (size_t i = 0; i < r.count; i++)
            n += r.kind[i] == k;
        snprintf(name, sizeof name, "kinds.%s", kinds[k]);
        EXPECT(json_number(text, name) == (double)n, "%s is not %zu", name, n);
    }
    free_rows(&r);
}

/* Rows of each pair of objects; there is one entry for each pair. */
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

static void test_run_json(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf"), *file = at("run.json");
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--json");
    EXPECT(ran_well(&r), "^ --json");
    check_run_json(r.out, in);
    check_json_sums(r.out, out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--json");
    check_run_json(r.out, in);
    ran_free(&r);
    char option[600];
    snprintf(option, sizeof option, "--json=%s", file);
    r = RAN("run", in, "-o", out, CPU, "--force", option);
    EXPECT(ran_well(&r) && strstr(r.out, "contacts"), "^ %s: %s", option, r.out);
    char *text = file_text(file, NULL);
    check_run_json(text, in);
    free(text);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--json", "--progress", "always", "-v");
    check_run_json(r.out, in);
    ran_free(&r);
}

/* Sums cover the whole result, including the half that was there before. */
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
    static const char *const times[] = {"load",  "bound", "broad",  "order", "narrow",
                                        "exact", "save",  "events", "total", "detect"};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
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

/* ---- the result file */

/* Every run above checks the layout; here are special cases. */
static void test_run_layout(void)
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

/* The same input and options give the same bytes of data on any device and with any method. */
static void test_same_data(void)
{
    static const char *const ways[][3] = {
        {"--block", "1", NULL},     {"--block", "2", NULL},        {"--broad", "brute", NULL},
        {"--broad", "hash", NULL},  {"--broad", "tiles", NULL},    {"--cell", "9", NULL},
        {"--cell", "3e-310", NULL}, {"--mem-limit", "100M", NULL}, {"--threads", "2", NULL}};
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

static void test_run_info(void)
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

/* Removes row `row` from the arrays and from all counts, so that the file stays consistent. */
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

static void test_run_check(void)
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

/* The last bit of a point, of a checksum; another frame. */
static void test_check_more(void)
{
    const char *in = make_batch(), *out = at("out.vtkhdf");
    run_with(in, NULL);
    double x = h5_peek(out, "VTKHDF/Points", 3);
    h5_poke(out, "VTKHDF/Points", 3, nextafter(x, 1e9));
    check_found(in, "a last bit", "frame 0", "the points are not the ends");
    run_with(in, NULL);
    h5_poke(out, "impinge/checksum", 0, 1);
    check_found(in, "a checksum", "frame 0", "checksum");
    run_with(in, NULL);
    h5_poke(out, "impinge/input_frame", 0, 1000);
    check_found(in, "a frame that is not there", "input_frame: row 0 is 1000", NULL);
    run_with(in, NULL);
    copy_file(in, at("moved.vtkhdf"));
    h5_poke(at("moved.vtkhdf"), "VTKHDF/Points", 9 * 5, 0.0625);
    ran r = RAN("check", out, "--input", at("moved.vtkhdf"));
    EXPECT(r.code <= 1 && strstr(r.err, "is not the file"), "exit %d: %s", r.code, r.err);
    ran_free(&r);
}

/* Candidates of trees with tight volumes are a subset of the box overlaps, but none in contact may
 * be missing. */
static void check_trees(const char *in)
{
    const char *out = at("out.vtkhdf");
    run_with(in, NULL);
    rows meet = read_rows(out);
    ran r = RAN("run", in, "-o", out, CPU, "--force", "-q", "--stage", "candidates", "--volume",
                "obb", "--leaf", "1");
    EXPECT(ran_well(&r), "^ candidates of oriented boxes");
    ran_free(&r);
    r = RAN("check", out, "--input", in);
    EXPECT(ran_well(&r) && strstr(r.out, "more do not meet"), "^ check: %s", r.out);
    ran_free(&r);
    rows all = read_rows(out);
    size_t i = 0;
    while (i < all.count &&
           (all.frame[i] != meet.frame[0] || all.a[i] != meet.a[0] || all.b[i] != meet.b[0]))
        i++;
    EXPECT(i < all.count && all.count > meet.count, "row %zu of %zu", i, (size_t)all.count);
    drop_row(out, all.frame[i], i);
    check_found(in, "a candidate that meets is dropped", "is missing", NULL);
    free_rows(&meet);
    free_rows(&all);
}

/* check accepts the results of trees of any form, though these report fewer candidates. */
static void check_tree_forms(const char *in)
{
    static const char *const volumes[] = {"dop", "sphere", "obb", "hybrid"},
                             *const builds[] = {"top-down", "bottom-up"},
                             *const descents[] = {"environment-first", "simultaneous"},
                             *const stages[] = {"candidates", "contacts"};
    for (int i = 0; i < 32; i++) {
        ran r = RAN("run", in, "-o", at("form.vtkhdf"), CPU, "--force", "-q", "--volume",
                    volumes[i % 4], "--build", builds[i / 4 % 2], "--descent", descents[i / 8 % 2],
                    "--stage", stages[i / 16], "--leaf", "1");
        EXPECT(ran_well(&r), "^ trees %d", i);
        ran_free(&r);
        r = RAN("check", at("form.vtkhdf"), "--input", in);
        EXPECT(ran_well(&r), "^ check of trees %d", i);
        ran_free(&r);
    }
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
    check_trees(in);
    check_tree_forms(in);
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
    static const test tests[] = {
        {"streams", test_run_streams},
        {"passes", test_run_passes},
        {"terminal", test_terminal},
        {"json", test_run_json},
        {"json_resumed", test_json_resumed},
        {"json_names", test_json_names},
        {"other_json", test_other_json},
        {"fail_on_collision", test_fail_on_collision},
        {"layout", test_run_layout},
        {"same_data", test_same_data},
        {"info", test_run_info},
        {"check", test_run_check},
        {"check_more", test_check_more},
        {"check_options", test_check_options},
        {0},
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "run", tests);
}
