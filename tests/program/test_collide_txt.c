/* collide.txt against the result that it is exported from: every line matches its row, and every
 * number in it reads back to the last bit. */
#define _GNU_SOURCE
#include "exports.h"
#include "expect.h"
#include "h5_make.h"
#include "h5_same.h"
#include "program_job.h"
#include "run_rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- lines */

/* Optional columns of a result; NULL if absent. */
typedef struct more_rows {
    int64_t *id_a, *id_b, *offset;
    double *point;
    size_t points;
} more_rows;

static more_rows collide_txt_test_read_more(const char *path)
{
    more_rows m = {0};
    size_t n;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int names = H5Lexists(file, "VTKHDF/CellData/PrimitiveIdA", H5P_DEFAULT) > 0;
    int points = H5Lexists(file, "impinge/points", H5P_DEFAULT) > 0;
    H5Fclose(file);
    if (names) {
        m.id_a = h5_ints(path, "VTKHDF/CellData/PrimitiveIdA", &n);
        m.id_b = h5_ints(path, "VTKHDF/CellData/PrimitiveIdB", &n);
    }
    if (points) {
        m.offset = h5_ints(path, "impinge/point_offsets", &n);
        m.point = h5_reals(path, "impinge/points", &m.points);
        m.points /= 3;
    }
    return m;
}

static void free_more(more_rows *m)
{
    free(m->id_a);
    free(m->id_b);
    free(m->offset);
    free(m->point);
}

/* Moves *at past numbers, each preceded by one blank except at the start of a line. Returns 0 if a
 * number differs. */
static int takes_whole(char **at, int64_t want)
{
    char *begin = *at + (**at == ' ');
    return *begin != ' ' && strtoll(begin, at, 10) == want && *at > begin;
}

static int takes_reals(char **at, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *begin = *at + (**at == ' ');
        double x = strtod(begin, at);
        if (*begin == ' ' || *at == begin || memcmp(&x, &want[i], sizeof x) != 0)
            return 0;
    }
    return 1;
}

static int line_is_row(char *at, const rows *r, const more_rows *m, size_t i)
{
    if (!takes_whole(&at, r->input_frame[r->frame[i]]) || !takes_whole(&at, r->a[i]) ||
        !takes_whole(&at, r->b[i]) || !takes_reals(&at, r->point + 6 * i, 6) ||
        !takes_whole(&at, r->kind[i]) || !takes_whole(&at, r->oa[i]) || !takes_whole(&at, r->ob[i]))
        return 0;
    if (m->id_a && (!takes_whole(&at, m->id_a[i]) || !takes_whole(&at, m->id_b[i])))
        return 0;
    if (r->sa && (!takes_whole(&at, r->sa[i]) || !takes_whole(&at, r->sb[i])))
        return 0;
    if (r->time && !takes_reals(&at, r->time + i, 1))
        return 0;
    if (r->distance && !takes_reals(&at, r->distance + i, 1))
        return 0;
    if (m->offset) {
        size_t first = (size_t)m->offset[i], end = (size_t)m->offset[i + 1];
        if (!takes_whole(&at, (int64_t)(end - first)) ||
            !takes_reals(&at, m->point + 3 * first, 3 * (end - first)))
            return 0;
    }
    return !*at;
}

static void check_titles(const char *line, const rows *r, const more_rows *m)
{
    char want[200];
    snprintf(want, sizeof want, "# frame a b x0 y0 z0 x1 y1 z1 kind object_a object_b%s%s%s%s%s",
             m->id_a ? " id_a id_b" : "", r->sa ? " source_a source_b" : "", r->time ? " t" : "",
             r->distance ? " distance" : "", m->offset ? " points x y z ..." : "");
    EXPECT(!strcmp(line, want), "'%s', not '%s'", line, want);
}

/* The whole text against the whole result, which has at least so many rows and points. */
static void check_collide_txt_text(const char *about, const char *out, const char *path,
                                   size_t least_rows, size_t least_points)
{
    rows r = read_rows(out);
    more_rows m = collide_txt_test_read_more(out);
    char *text = file_text(path, NULL), *rest = text;
    size_t n = 0;
    check_titles(strsep(&rest, "\n"), &r, &m);
    for (; rest && *rest; n++) {
        char *line = strsep(&rest, "\n");
        EXPECT(n < r.count && line_is_row(line, &r, &m, n), "%s: row %zu is not: %.200s", about, n,
               line);
    }
    EXPECT(n == r.count && n >= least_rows, "%s: %zu lines, %zu rows", about, n, r.count);
    EXPECT(m.points >= least_points, "%s: only %zu points", about, m.points);
    EXPECT(!exists_part(path), "%s: collide.txt.part is there", about);
    free(text);
    free_more(&m);
    free_rows(&r);
}

/* ---- runs */

static void test_collide_txt_triangles(void)
{
    const char *in = make_batch(), *file = at("collide.txt");
    RUN_WITH(in, "--collide-txt", file, "--frames", "::-1");
    check_collide_txt_text("triangles", at("out.vtkhdf"), file, 50, 0);
}

static const char *collide_txt_test_scene(const char *name, const char *primitives, const char *set,
                                          const char *frames)
{
    const char *in = at("scene.vtkhdf");
    ran r = RAN("generate", name, "-n", primitives, "--set", set, "--frames", frames, "-o", in,
                "--force", "-q");
    EXPECT(ran_well(&r), "^ generate %s", name);
    ran_free(&r);
    return in;
}

/* All frames in one block, and in several; backwards; with pairs that share vertices; by trees. */
static void check_collide_txt_ways(const char *in, size_t least_rows, size_t least_points)
{
    static const char *const ways[][3] = {
        {NULL}, {"--block", "1"}, {"--block", "3"}, {"--frames", "::-2"}, {"--broad", "tree"}};
    const char *out = at("out.vtkhdf"), *file = at("collide.txt");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        RUN_WITH(in, "--collide-txt", file, ways[i][0], ways[i][1]);
        check_collide_txt_text(ways[i][0] ? ways[i][1] : "plain", out, file, least_rows,
                               least_points);
    }
    RUN_WITH(in, "--collide-txt", file, "--adjacent", "test", "--block", "2");
    check_collide_txt_text("adjacent", out, file, least_rows, least_points);
    RUN_WITH(in, "--collide-txt", file, "--stage", "candidates", "--frames", ":2");
    check_collide_txt_text("candidates", out, file, least_rows, 0);
}

/* Primitive ids, and a mesh whose topology changes. */
static void test_collide_txt_scalpel(void)
{
    check_collide_txt_ways(collide_txt_test_scene("scalpel", "1200", "begin=60", "5"), 40, 150);
}

static void test_fold(void)
{
    check_collide_txt_ways(collide_txt_test_scene("tissue-fold", "1500", "begin=44", "5"), 300,
                           1000);
}

#define CELLS 90

/* Triangles, alone and among tetrahedra, with and without ids. */
static void test_collide_txt_kinds(void)
{
    for (int kind = 0; kind < 4; kind++) {
        make m = {.unstructured = kind & 1};
        if (m.unstructured)
            make_moving_mixed(&m, 5, CELLS, 3);
        else
            make_moving(&m, 5, CELLS, 3);
        for (int64_t i = 0; kind & 2 && i < CELLS; i++)
            make_add(&m.cells[0].value, INT64_MIN + 1000 * i);
        m.cells[0].name = kind & 2 ? "PrimitiveId" : NULL;
        const char *in = make_write(&m, "kinds.vtkhdf");
        check_collide_txt_ways(in, 20, m.unstructured ? 60 : 0);
        RUN_WITH(in, "--collide-txt", at("collide.txt"), "--continuous", "--block", "2");
        check_collide_txt_text("continuous", at("out.vtkhdf"), at("collide.txt"), 20, 0);
        RUN_WITH(in, "--collide-txt", at("collide.txt"), "--distance", "0.25", "--block", "2");
        check_collide_txt_text("distances", at("out.vtkhdf"), at("collide.txt"), 100,
                               m.unstructured ? 60 : 0);
        make_free(&m);
    }
}

/* After a kill in the middle, the text also has the contacts found before it. */
static void test_collide_txt_resume(void)
{
    const char *in = collide_txt_test_scene("tissue-fold", "1000", "begin=36", "12"),
               *file = at("collide.txt");
    sample_job j = {"points",        in, at("job.out"), at("job.out.part"), at("job.whole"),
                    {"--block", "1"}};
    ran r = sample_job_run(&j, j.whole, NULL);
    EXPECT(ran_well(&r), "^ without interruption");
    ran_free(&r);
    job_kill_half(&j);
    unlink(file);
    r = RAN("run", in, "-o", j.out, CPU, "--block", "1", "-q", "--resume", "--collide-txt", file);
    EXPECT(ran_well(&r), "^ going on");
    ran_free(&r);
    job_check_whole(&j, "resume", 0);
    check_collide_txt_text("resumed", j.out, file, 200, 1000);
    char *first = file_text(file, NULL);
    write_text(file, "cut sho");
    r = RAN("run", in, "-o", j.out, CPU, "-q", "--resume", "--collide-txt", file, "--force");
    EXPECT(ran_well(&r), "^ once more");
    ran_free(&r);
    char *second = file_text(file, NULL);
    EXPECT(!strcmp(first, second), "another text");
    free(first);
    free(second);
}

/* ---- memory */

#define ROOM ((uint64_t)1 << 20)

/* A frame whose contacts and points both exceed the memory limit. */
static void test_collide_txt_memory(void)
{
    const char *in = collide_txt_test_scene("tissue-fold", "20000", "begin=40", "2"),
               *out = at("out.vtkhdf");
    const char *file = at("pieces.txt");
    RUN_WITH(in, "--frames", ":1", "--adjacent", "test");
    rows r = read_rows(out);
    more_rows m = collide_txt_test_read_more(out);
    EXPECT(r.count * 64 > ROOM && 24 * m.points > 2 * ROOM, "only %zu rows, %zu points", r.count,
           m.points);
    free_more(&m);
    free_rows(&r);
    outputs o = {0};
    text_output text = {0};
    mem memory = {.limit = ROOM};
    result_reader *reader = NULL;
    CU_ASSERT_EQUAL_FATAL(outputs_text(&o, "--collide-txt", file, 1, &text), 0);
    CU_ASSERT_EQUAL_FATAL(result_open(&memory, out, &reader), 0);
    int err = collide_txt_write(reader, &text);
    EXPECT(!err, "%s", imp_error_text());
    result_close(reader);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    text_output_free(&text);
    outputs_free(&o);
    if (!err)
        check_collide_txt_text("in pieces", out, file, 1, 1);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"triangles", test_collide_txt_triangles},
                                 {"scalpel", test_collide_txt_scalpel},
                                 {"fold", test_fold},
                                 {"kinds", test_collide_txt_kinds},
                                 {"resume", test_collide_txt_resume},
                                 {"memory", test_collide_txt_memory},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "collide_txt", tests);
}
