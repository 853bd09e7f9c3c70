/* run --thickness: tables of parts made by hand, of plates, a T-joint and a near tie; a garment on
 * a body with thicknesses of parts; all three forms of the option; every division of the work gives
 * the same result; results of other thicknesses are not mixed; sums agree with the rows; wrong
 * inputs. Other tests show that rows are right. */
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "json_read.h"
#include "near_files.h"
#include "program_job.h"
#include "run_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSV at("parts.csv")
#define TITLES "frame,part_a,part_b,pairs,crossed,deepest,least_distance,object_a,object_b\r\n"
#define ARRAY "VTKHDF/CellData/Thickness"

/* ---- scenes */

/* Two objects of two triangles each, without common vertices: a horizontal plate, and above it
 * another one or, standing on it, a vertical one. */
static const char *thickness_plates(const char *name, int vertical, size_t frames,
                                    const double *gap)
{
    static const double upright[4][3] = {{3, 0.5, 0}, {3, 1.5, 0}, {3, 1.5, 4}, {3, 0.5, 4}};
    static const double flat[4][3] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
    static const int64_t id[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    make m = {.cells = {{.name = "ObjectId"}}};
    make_part(&m, 8, 4, id);
    for (int64_t i = 0; i < 4; i++)
        make_add(&m.cells[0].value, i / 2);
    for (size_t f = 0; f < frames; f++) {
        make_step(&m, (double)f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        make_points(&m, 4, flat[0]);
        for (int v = 0; v < 4; v++) {
            const double *x = vertical ? upright[v] : flat[v];
            make_points(&m, 1, (double[]){x[0], x[1], x[2] + gap[f]});
        }
    }
    const char *path = at(name);
    copy_file(make_write(&m, name), path);
    make_free(&m);
    return path;
}

/* An array of n values: float32, or float64. */
static void thickness_array(const char *path, int single, size_t n, const double *value)
{
    h5_replace(path, ARRAY, single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, 1, &(hsize_t){n}, value);
}

/* Values from 0 to 0.5 for `n` primitives: some contact distances are rounded. */
static double *thickness_random(size_t n)
{
    rng r = {3};
    double *t = malloc(n * sizeof *t);
    for (size_t i = 0; i < n; i++)
        t[i] = rng_below(&r, 5) ? rng_unit(&r) / 2 : 0;
    return t;
}

/* ---- tables by hand */

static void check_thickness_table(const char *in, const char *thickness, const char *want)
{
    size_t size;
    RUN_WITH(in, "--thickness", thickness, "--csv", CSV);
    char *text = file_text(CSV, &size);
    EXPECT(!strncmp(text, TITLES, strlen(TITLES)) && !strcmp(text + strlen(TITLES), want),
           "%s: %s instead of %s", thickness, text, want);
    free(text);
    ran c = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check, %s", thickness);
    ran_free(&c);
}

/* Plates of 0.25 and 0.125, at gaps around their contact distance 0.1875: each triangle is near the
 * one above it and the one beside that. */
static void test_thickness_plates(void)
{
    static const double gap[] = {0.125, 0.1875, 0.18750000000000003, 0.0625, 0, -0.0625};
    const char *in = thickness_plates("plates.vtkhdf", 0, 6, gap), *list = at("plates.txt");
    write_text(list, "0 0.25\n# the upper one\n 1,\t0.125 # it\n");
    check_thickness_table(in, list,
                          "0,0,1,4,0,0.0625,0.125,0,1\r\n1,0,1,4,0,0,0.1875,0,1\r\n"
                          "3,0,1,4,0,0.125,0.0625,0,1\r\n4,0,1,4,0,0.1875,0,0,1\r\n"
                          "5,0,1,4,0,0.125,0.0625,0,1\r\n");
    thickness_array(in, 0, 4, (double[]){0.25, 0.25, 0.125, 0.125});
    check_thickness_table(in, "array:Thickness",
                          "0,0,1,4,0,0.0625,0.125,0,1\r\n1,0,1,4,0,0,0.1875,0,1\r\n"
                          "3,0,1,4,0,0.125,0.0625,0,1\r\n4,0,1,4,0,0.1875,0,0,1\r\n"
                          "5,0,1,4,0,0.125,0.0625,0,1\r\n");
    check_thickness_table(
        in, "0.125",
        "0,0,1,4,0,0,0.125,0,1\r\n3,0,1,4,0,0.0625,0.0625,0,1\r\n4,0,1,4,0,0.125,0,0,1\r\n"
        "5,0,1,4,0,0.0625,0.0625,0,1\r\n");
    check_thickness_table(in, "0", "4,0,1,4,0,0,0,0,1\r\n");
}

/* A plate that stands on another one: above its surface, at the contact distance, one float64
 * beyond, touching, and through it. */
static void test_thickness_joint(void)
{
    static const double gap[] = {0.125, 0.1875, 0.18750000000000003, 0, -1};
    const char *in = thickness_plates("joint.vtkhdf", 1, 5, gap), *list = at("joint.txt");
    write_text(list, "1 0.125\n0 0.25\n");
    check_thickness_table(in, list,
                          "0,0,1,2,0,0.0625,0.125,0,1\r\n1,0,1,2,0,0,0.1875,0,1\r\n"
                          "3,0,1,2,0,0.1875,0,0,1\r\n4,0,1,2,2,0.1875,0,0,1\r\n");
    RUN_WITH(in, "--thickness", list, "--frames", "4:5");
    rows r = read_rows(OUT);
    EXPECT(r.count == 2 && r.kind[0] == 10 && r.kind[1] == 10, "%zu rows", r.count);
    free_rows(&r);
    RUN_WITH(in, "--thickness", list, "--frames", "0:1");
    size_t n;
    double *relative = h5_reals(OUT, "VTKHDF/CellData/Relative", &n);
    EXPECT(n == 2 && relative[0] == 1.0 / 3, "%zu rows, %.17g", n, relative[0]);
    free(relative);
}

/* 0.1 + 0.2 is rounded up to a float64: the gap that is half of that is beyond the contact
 * distance, the one below it within. */
static void test_thickness_tie(void)
{
    static const double gap[] = {0.15000000000000002, 0.14999999999999999};
    const char *in = thickness_plates("tie.vtkhdf", 0, 2, gap), *list = at("tie.txt");
    write_text(list, "0 0.1\n1 0.2\n");
    check_thickness_table(in, list, "1,0,1,4,0,1.3877787807814457e-17,0.14999999999999999,0,1\r\n");
}

/* ---- a garment on a body */

/* The next field of a line, up to a comma or its end. */
static const char *thickness_field(const char **at_text, char out[64])
{
    const size_t n = strcspn(*at_text, ",\r");
    snprintf(out, 64, "%.*s", (int)n, *at_text);
    *at_text += n + ((*at_text)[n] == ',' ? 1 : 2);
    return out;
}

/* The table against the rows of the result: parts are named, self pairs too. */
static void check_thickness_sums(const rows *r, const char *csv)
{
    size_t n, size, lines = 0;
    char field[64];
    double *deep = h5_reals(OUT, "VTKHDF/CellData/Penetration", &n);
    char *text = file_text(csv, &size);
    uint64_t pairs = 0;
    for (const char *line = text + strlen(TITLES); *line; lines++) {
        uint64_t have[2] = {0};
        double deepest = 0, least = INFINITY;
        const int64_t frame = atoll(thickness_field(&line, field));
        const int a = !strcmp(thickness_field(&line, field), "ball"),
                  b = !strcmp(thickness_field(&line, field), "ball");
        for (size_t i = 0; i < r->count; i++)
            if (r->input_frame[r->frame[i]] == frame && r->oa[i] + r->ob[i] == a + b) {
                have[0]++;
                have[1] += r->kind[i] == 10;
                deepest = fmax(deepest, deep[i]);
                least = fmin(least, r->distance[i]);
            }
        pairs += have[0];
        EXPECT((uint64_t)atoll(thickness_field(&line, field)) == have[0] && have[0], "pairs");
        EXPECT((uint64_t)atoll(thickness_field(&line, field)) == have[1], "crossed");
        EXPECT(strtod(thickness_field(&line, field), NULL) == deepest, "deepest %s", field);
        EXPECT(strtod(thickness_field(&line, field), NULL) == least, "least %s", field);
        EXPECT(atoi(thickness_field(&line, field)) == a, "object_a %s", field);
        EXPECT(atoi(thickness_field(&line, field)) == b, "object_b %s", field);
    }
    EXPECT(pairs == r->count && lines > 3, "%zu lines of %zu rows", lines, r->count);
    free(text);
    free(deep);
}

static void test_thickness_garment(void)
{
    const char *in = at("garment.vtkhdf"), *list = at("garment.txt");
    ran g = RAN("generate", "cloth-ball", "-o", in, "-q", "-n", "500", "--frames", "6");
    EXPECT(ran_well(&g), "^ generate");
    ran_free(&g);
    write_text(list, "cloth 0.05\n\"ball\" 0.2\n");
    RUN_WITH(in, "--thickness", list, "--csv", CSV);
    rows r = read_rows(OUT);
    check_thickness_sums(&r, CSV);
    free_rows(&r);
    ran c = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check");
    ran_free(&c);
}

/* ---- divisions of the work */

static void check_thickness_same(const char *about)
{
    const char *what = h5_same(WHOLE, OUT, "VTKHDF");
    size_t n, m;
    int64_t *want = h5_ints(WHOLE, "impinge/candidates", &n),
            *have = h5_ints(OUT, "impinge/candidates", &m);
    EXPECT(!what, "%s: %s", about, what);
    EXPECT(!strcmp(about, "18") || (n == m && !memcmp(want, have, n * sizeof *want)),
           "%s: candidates", about);
    free(want);
    free(have);
}

static void check_thickness_merge(const char *in, const char *option, const char *rows_of,
                                  const char *more)
{
    const char *shard[3] = {at("shard0.vtkhdf"), at("shard1.vtkhdf"), at("shard2.vtkhdf")};
    for (int i = 0; i < 3; i++) {
        const char number[] = {(char)('0' + i), '/', '3', 0};
        ran r = RAN("run", in, "-o", shard[i], "--force", "-q", CPU, "--thickness", option,
                    "--shard", number, rows_of, more);
        EXPECT(ran_warned(&r), "^ shard %d", i);
        ran_free(&r);
    }
    ran r = RAN("merge", OUT, "--force", "-q", shard[2], shard[0], shard[1], "--copy");
    EXPECT(ran_well(&r), "^ merge");
    ran_free(&r);
    check_thickness_same(more ? more : "merge");
    EXPECT(!strcmp(h5_origin(WHOLE, "options"), h5_origin(OUT, "options")), "options");
    r = RAN("check", OUT, "--input", in, "-q");
    EXPECT(ran_well(&r), "^ check of a merge");
    ran_free(&r);
}

static void check_thickness_divided(const char *in, const char *option, const char *rows_of)
{
    static const char *const ways[][4] = {{"--block", "1"},
                                          {"--block", "4", "--mem-limit", "30M"},
                                          {"--broad", "grid"},
                                          {"--broad", "hash", "--update", "keep"},
                                          {"--dop", "18", "--broad", "tree"},
                                          {"--broad", "tiles", "--verify", "50"},
                                          {"--space", "3"},
                                          {"--space", "7", "--block", "2"}};
    RUN_WITH(in, "--thickness", option, rows_of);
    copy_file(OUT, WHOLE);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        RUN_WITH(in, "--thickness", option, rows_of, ways[i][0], ways[i][1], ways[i][2],
                 ways[i][3]);
        check_thickness_same(ways[i][1]);
    }
    check_thickness_merge(in, option, rows_of, NULL);
    check_thickness_merge(in, option, rows_of, "--space=3");
    ran c = RAN("check", WHOLE, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check");
    ran_free(&c);
    rows r = read_rows(WHOLE);
    EXPECT(r.count > 100, "%zu rows", r.count);
    free_rows(&r);
}

static void test_thickness_divided(void)
{
    double *t = thickness_random(TRIANGLES);
    for (int solids = 0; solids < 2; solids++) {
        const char *in = at(solids ? "s.vtkhdf" : "t.vtkhdf");
        copy_file(distances_moving(solids), in);
        thickness_array(in, solids, TRIANGLES, t);
        check_thickness_divided(in, "array:Thickness", "--rows=primitives");
        check_thickness_divided(in, "array:Thickness", "--rows=features");
    }
    const char *list = at("list.txt"), *in = make_batch();
    write_text(list, "-2 0.25\n5 0\n-9 1e-3\n");
    check_thickness_divided(in, list, "--rows=primitives");
    free(t);
}

/* An array whose rows differ from frame to frame, although the mesh is the same. */
static void test_thickness_frames(void)
{
    static const double gap[] = {0.5, 0.5, 0.5};
    const char *in = thickness_plates("frames.vtkhdf", 0, 3, gap);
    thickness_array(in, 0, 12,
                    (double[]){0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 0.75, 0.5, 0.5});
    h5_replace_ints(in, "VTKHDF/Steps/CellDataOffsets/Thickness", 3, (int64_t[]){0, 4, 8});
    check_thickness_table(in, "array:Thickness",
                          "1,0,1,4,0,0,0.5,0,1\r\n2,0,1,4,0,0.125,0.5,0,1\r\n");
    RUN_WITH(in, "--thickness", "array:Thickness");
    copy_file(OUT, WHOLE);
    check_thickness_merge(in, "array:Thickness", "--rows=primitives", NULL);
}

/* ---- other thicknesses, and damage */

static void check_thickness_refused(const char *in, const char *was, const char *is,
                                    const char *word)
{
    const char *more = at("other.vtkhdf");
    unlink(more);
    ran r = RAN("run", in, "-o", more, "-q", CPU, "--thickness", was);
    EXPECT(ran_well(&r), "^ %s", word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--thickness", is);
    EXPECT(ran_failed(&r, 2, "cannot be resumed: it was made with other options", word), "^ %s",
           word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", "--thickness", was);
    EXPECT(ran_well(&r), "^ again, %s", word);
    ran_free(&r);
}

static void test_thickness_other(void)
{
    static const double gap[] = {0.125, 0.25};
    const char *in = thickness_plates("other_in.vtkhdf", 0, 2, gap);
    const char *list = at("one.txt"), *other = at("two.txt"), *same = at("three.txt");
    write_text(list, "0 0.25\n1 0.5\n");
    write_text(other, "0 0.25\n1 0.125\n");
    write_text(same, "1, 0.5\n0, 0.25 # the same in another order\n");
    check_thickness_refused(in, "0.25", "0", "--thickness was 0.25, is 0");
    check_thickness_refused(in, list, "0.25", "--thickness was file:2:");
    check_thickness_refused(in, list, other, "--thickness was another list, is this one");
    ran r = RAN("run", in, "-o", at("other.vtkhdf"), "-q", CPU, "--resume", "--thickness", same);
    EXPECT(ran_well(&r), "^ the same list");
    ran_free(&r);
    unlink(list); /* the result has the list itself */
    r = RAN("check", at("other.vtkhdf"), "--input", in, "-q");
    EXPECT(ran_well(&r), "^ check without the list");
    ran_free(&r);
    h5_replace(at("other.vtkhdf"), "impinge/thickness", H5T_IEEE_F64LE, 1, &(hsize_t){2},
               (double[]){0.25, 0.5625});
    r = RAN("check", at("other.vtkhdf"), "--input", in, "-q");
    EXPECT(r.code == 1 && strstr(r.err, "not as a run writes them"), "another list: %s", r.err);
    ran_free(&r);
}

/* check finds each wrong value. */
static void check_thickness_damage(const char *in, const char *name, double by, const char *word)
{
    size_t n;
    char path[64];
    snprintf(path, sizeof path, "VTKHDF/CellData/%s", name);
    RUN_WITH(in, "--thickness", "0.25");
    double *x = h5_reals(OUT, path, &n);
    x[n / 2] = by > 1 ? by : nextafter(x[n / 2], by);
    h5_replace(OUT, path, by > 1 ? H5T_STD_U8LE : H5T_IEEE_F64LE, 1, &(hsize_t){n}, x);
    ran r = RAN("check", OUT, "--input", in, "-q");
    EXPECT(r.code && strstr(r.err, word), "%s: %s", name, r.err);
    ran_free(&r);
    free(x);
}

static void test_thickness_damaged(void)
{
    static const double gap[] = {0.125, -1};
    const char *in = thickness_plates("damaged.vtkhdf", 1, 2, gap), *out = OUT;
    check_thickness_damage(in, "Penetration", 0, "has another penetration");
    check_thickness_damage(in, "Penetration", 1, "has another penetration");
    check_thickness_damage(in, "Relative", 0, "has another relative penetration");
    check_thickness_damage(in, "Kind", 2, "has another kind");
    RUN_WITH(in, "--thickness", "0.25");
    h5_remove(out, "VTKHDF/CellData/Relative");
    ran r = RAN("info", out);
    EXPECT(ran_failed(&r, 3, "Penetration", "missing"), "^ no column");
    ran_free(&r);
    RUN_WITH(in, "--distance", "0.25");
    rows all = read_rows(out);
    EXPECT(all.kind[all.count - 1] == 2, "a kind of --thickness without it");
    free_rows(&all);
}

/* ---- sums */

static void test_thickness_sums(void)
{
    static const double gap[] = {0.125, 0.25, -1};
    const char *in = thickness_plates("sums.vtkhdf", 1, 3, gap), *out = OUT;
    ran r = RAN("run", in, "-o", out, CPU, "--force", "--thickness", "0.25", "--json", "--counts",
                at("counts.vtkhdf"));
    EXPECT(r.code == 0 && json_valid(r.out), "^ run");
    EXPECT(json_number(r.out, "contacts") == 6 && json_number(r.out, "kinds.crossed") == 2 &&
               json_number(r.out, "least_distance") == 0 &&
               json_number(r.out, "deepest_penetration") == 0.25 &&
               json_number(r.out, "object_pairs.0.deepest_penetration") == 0.25,
           "%s", r.out);
    ran_free(&r);
    size_t n;
    double *deepest = h5_reals(at("counts.vtkhdf"), "VTKHDF/CellData/DeepestPenetration", &n);
    static const double want[] = {0.125, 0, 0.125, 0.125, 0, 0, 0, 0, 0.25, 0, 0.25, 0.25};
    EXPECT(n == 12 && !memcmp(deepest, want, sizeof want), "deepest penetrations");
    free(deepest);
    r = RAN("info", out, "--frames", ":");
    EXPECT(strstr(r.out, "6 pairs within their thickness among ") &&
               strstr(r.out, "deepest penetration 0.25") && strstr(r.out, "crossed 2"),
           "%s", r.out);
    ran_free(&r);
    r = RAN("info", out, "--frames", ":", "--json");
    EXPECT(json_number(r.out, "frame_table.0.deepest_penetration") == 0.125 &&
               json_number(r.out, "kinds.crossed") == 2,
           "%s", r.out);
    ran_free(&r);
    r = RAN("run", in, "-o", out, CPU, "--force", "--distance", "0.25", "--json");
    EXPECT(!json_at(r.out, "kinds.crossed") && !json_at(r.out, "deepest_penetration"), "%s", r.out);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--thickness", "0.25", "--json");
    EXPECT(r.code == 0 && json_number(r.out, "contacts") == 6, "^ bench");
    ran_free(&r);
}

/* As many candidates as a run that decides them has. */
static void test_thickness_candidates(void)
{
    double *t = thickness_random(TRIANGLES);
    const char *in = distances_moving(0), *out = OUT;
    size_t n = 0;
    thickness_array(in, 0, TRIANGLES, t);
    RUN_WITH(in, "--thickness", "array:Thickness");
    int64_t *want = h5_ints(out, "impinge/candidates", &n);
    RUN_WITH(in, "--thickness", "array:Thickness", "--stage", "candidates");
    int64_t *have = h5_ints(out, "impinge/contacts", &n);
    EXPECT(n == FRAMES && !memcmp(want, have, n * sizeof *want), "candidates");
    ran c = RAN("check", out, "--input", in, "-q");
    EXPECT(ran_well(&c), "^ check");
    ran_free(&c);
    free(want);
    free(have);
    free(t);
}

/* ---- wrong inputs */

static void check_thickness_wrong(const char *in, const char *option, const char *more, int code,
                                  const char *word, const char *word2)
{
    ran r = RAN("run", in, "-o", at("none.vtkhdf"), CPU, "--thickness", option, more);
    EXPECT(ran_failed(&r, code, word, word2), "^ --thickness %s %s", option, more ? more : "");
    ran_free(&r);
}

static void test_thickness_wrong(void)
{
    static const double gap[] = {0.5};
    static const char *const options[][2] = {
        {"--distance=1", "--thickness: not with --distance"},
        {"--rows=objects", "--rows objects: not with --thickness"},
        {"--continuous", "--thickness: not with --continuous"},
        {"--adjacent=test", "--thickness: not with --adjacent test"}};
    static const char *const lines[][2] = {
        {"0 0.1\n", "has no thickness of object 1 of frame 0"},
        {"0 0.1\n1\n", "line 2: not an object and its thickness"},
        {"0 0.1\n1 thin\n", "line 2: not an object and its thickness"},
        {"0 0.1 0.2\n1 1\n", "line 1: not an object and its thickness"},
        {"0 -0.1\n1 1\n", "line 1: '-0.1' is not finite and at least 0"},
        {"0 1\n1 nan\n", "line 2: 'nan' is not finite and at least 0"},
        {"0 inf\n1 1\n", "line 1: 'inf' is not finite and at least 0"},
        {"0 1\n1 1\n0 2\n", "two thicknesses of object 0"},
        {"cloth 1\n", "line 1: 'cloth' is no number, and the objects have no names"},
        {"# nothing\n", "has no thickness of an object"}};
    const char *in = thickness_plates("wrong.vtkhdf", 0, 1, gap), *list = at("wrong.txt");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        check_thickness_wrong(in, "1", options[i][0], 2, options[i][1], NULL);
    check_thickness_wrong(in, "-1", NULL, 2, "--thickness: '-1' is not finite", NULL);
    check_thickness_wrong(in, "nan", NULL, 2, "--thickness: 'nan' is not finite", NULL);
    check_thickness_wrong(in, "inf", NULL, 2, "--thickness: 'inf' is not finite", NULL);
    check_thickness_wrong(in, "array:", NULL, 2, "names no array", NULL);
    char name[600] = "array:";
    memset(name + strlen(name), '=', 200);
    check_thickness_wrong(in, name, NULL, 2, "too long for a result", NULL);
    check_thickness_wrong(in, at("absent.txt"), NULL, 3, "absent.txt", NULL);
    check_thickness_wrong(in, "array:Thickness", NULL, 3, "/VTKHDF/CellData/Thickness", "missing");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        write_text(list, lines[i][0]);
        check_thickness_wrong(in, list, NULL, 3, "wrong.txt", lines[i][1]);
    }
    thickness_array(in, 0, 3, (double[]){1, 1, 1});
    check_thickness_wrong(in, "array:Thickness", NULL, 3, "Thickness", "3");
    static const double values[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        thickness_array(in, i == 1, 4, (double[]){1, 1, values[i], 1});
        check_thickness_wrong(in, "array:Thickness", NULL, 3, "Thickness: cell 2 of frame 0 has ",
                              "a thickness is finite and at least 0");
    }
    h5_replace_ints(in, ARRAY, 4, (int64_t[]){1, 1, 1, 1});
    check_thickness_wrong(in, "array:Thickness", NULL, 3, "Thickness", "floats");
    h5_replace(in, ARRAY, H5T_IEEE_F64LE, 2, (hsize_t[]){4, 2}, NULL);
    check_thickness_wrong(in, "array:Thickness", NULL, 3, "Thickness", "1 column");
    EXPECT(access(at("none.vtkhdf"), F_OK), "a result is there");
}

/* A line for an object that no frame has is a warning. */
static void test_thickness_unused(void)
{
    static const double gap[] = {0.5};
    const char *in = thickness_plates("unused.vtkhdf", 0, 1, gap), *list = at("unused.txt");
    write_text(list, "0 0.1\n1 0.1\n7 1\n-3 1\n");
    ran r = RAN("run", in, "-o", OUT, "--force", "-q", CPU, "--thickness", list);
    EXPECT(ran_warned(&r) && strstr(r.err, "no selected frame has the objects -3, 7"),
           "^ objects that are not there");
    ran_free(&r);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"plates", test_thickness_plates},
                                 {"joint", test_thickness_joint},
                                 {"tie", test_thickness_tie},
                                 {"garment", test_thickness_garment},
                                 {"divided", test_thickness_divided},
                                 {"frames", test_thickness_frames},
                                 {"other", test_thickness_other},
                                 {"damaged", test_thickness_damaged},
                                 {"sums", test_thickness_sums},
                                 {"candidates", test_thickness_candidates},
                                 {"wrong", test_thickness_wrong},
                                 {"unused", test_thickness_unused},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "thickness", tests);
}
