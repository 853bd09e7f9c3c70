/* run and bench --distance: rows of a table made by hand; with 0 the pairs of a run without it; the
 * rows within a distance are those of a greater one that are as near; every division of the work
 * gives the same result; results with another distance are not mixed; sums agree with the rows.
 * Other tests show that distances are right. */
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

#define APART 12 /* triangles of the next two batches */

/* A row of triangles along x, of three objects, whose boxes are apart; random in each frame. */
static const char *distances_apart(void)
{
    make m = {.cells = {{.name = "ObjectId"}}};
    rng r = {11};
    int64_t id[3 * APART];
    for (int64_t i = 0; i < 3 * APART; i++)
        id[i] = i;
    make_part(&m, 3 * APART, APART, id);
    for (int64_t i = 0; i < APART; i++)
        make_add(&m.cells[0].value, i % 3);
    for (size_t f = 0; f < FRAMES; f++) {
        make_step(&m, (double)f, 0, 1, (int64_t)m.points.count / 3, 0, 0);
        for (size_t v = 0; v < 3 * APART; v++)
            make_points(
                &m, 1,
                (double[]){1.0625 * (double)(v / 3) + rng_unit(&r), rng_unit(&r), rng_unit(&r)});
    }
    const char *path = make_write(&m, "apart.vtkhdf");
    make_free(&m);
    return path;
}

/* A row of equal triangles along x, each 0.5 from the next. */
static const char *distances_row(void)
{
    make m = {0};
    int64_t id[3 * APART];
    for (int64_t i = 0; i < 3 * APART; i++)
        id[i] = i;
    make_part(&m, 3 * APART, APART, id);
    make_step_next(&m, 0, 1);
    for (int i = 0; i < APART; i++)
        make_points(&m, 3, (double[]){i, 0, 0, i + 0.5, 0, 0, i + 0.25, 0.5, 0});
    const char *path = make_write(&m, "row.vtkhdf");
    make_free(&m);
    return path;
}

/* ---- a table by hand */

/* Two triangles and their row; numbers of corners, of which equal ones are one vertex. */
typedef struct case_by_hand {
    const char *about;
    double corner[2][3][3];
    int same[2][3]; /* the corner whose vertex this one has */
    double distance;
    int kind;
    int64_t feature[2]; /* a vertex: the number of its corner */
    int vertex[2];      /* the feature is a vertex */
    double point[2][3], weight[2][4], normal[3];
} case_by_hand;

#define THREE                                                                                      \
    {                                                                                              \
        0, 1, 2                                                                                    \
    }

static const case_by_hand by_hand[] = {
    {"a vertex above a face",
     {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0.25}, {1, 1, 3}, {2, 1, 3}}},
     {THREE, THREE},
     0.25,
     6,
     {-1, 0},
     {0, 1},
     {{1, 1, 0}, {1, 1, 0.25}},
     {{0.5, 0.25, 0.25, 0}, {1, 0, 0, 0}},
     {0, 0, 1}},
    {"a vertex below a face",
     {{{1, 1, 3}, {1, 1, 0.5}, {2, 1, 3}}, {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}},
     {THREE, THREE},
     0.5,
     6,
     {1, -1},
     {1, 0},
     {{1, 1, 0.5}, {1, 1, 0}},
     {{0, 1, 0, 0}, {0.5, 0.25, 0.25, 0}},
     {0, 0, -1}},
    {"two edges that cross",
     {{{0, 0, 0}, {4, 0, 0}, {2, 0, -4}}, {{2, 0, 4}, {2, -2, 0.5}, {2, 2, 0.5}}},
     {THREE, THREE},
     0.5,
     7,
     {0, 1},
     {0, 0},
     {{2, 0, 0}, {2, 0, 0.5}},
     {{0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0}},
     {0, 0, 1}},
    {"two vertices, 3, 4 and 5",
     {{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}}, {{3, 4, 0}, {4, 4, 0}, {4, 5, 0}}},
     {THREE, THREE},
     5,
     6,
     {-1, 0},
     {0, 1},
     {{0, 0, 0}, {3, 4, 0}},
     {{1, 0, 0, 0}, {1, 0, 0, 0}},
     {0.6, 0.8, 0}},
    {"parallel edges",
     {{{0, 0, 0}, {4, 0, 0}, {2, -1, 0}}, {{1, 1, 0}, {3, 1, 0}, {2, 2, 0}}},
     {THREE, THREE},
     1,
     6,
     {-1, 0},
     {0, 1},
     {{1, 0, 0}, {1, 1, 0}},
     {{0.75, 0.25, 0, 0}, {1, 0, 0, 0}},
     {0, 1, 0}},
    {"an edge and a vertex",
     {{{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}, {{1, 2, 0}, {1, 2, 0}, {1, 2, 0}}},
     {{0, 1, 1}, {0, 0, 0}},
     2,
     8,
     {0, 0},
     {0, 1},
     {{1, 0, 0}, {1, 2, 0}},
     {{0.75, 0.25, 0, 0}, {1, 0, 0, 0}},
     {0, 1, 0}},
    {"a vertex and an edge",
     {{{1, 2, 0}, {1, 2, 0}, {1, 2, 0}}, {{0, 0, 0}, {4, 0, 0}, {4, 0, 0}}},
     {{0, 0, 0}, {0, 1, 1}},
     2,
     8,
     {0, 0},
     {1, 0},
     {{1, 2, 0}, {1, 0, 0}},
     {{1, 0, 0, 0}, {0.75, 0.25, 0, 0}},
     {0, -1, 0}},
    {"two vertices",
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 0, 3}, {0, 0, 3}, {0, 0, 3}}},
     {{0, 0, 0}, {0, 0, 0}},
     3,
     9,
     {0, 0},
     {1, 1},
     {{0, 0, 0}, {0, 0, 3}},
     {{1, 0, 0, 0}, {1, 0, 0, 0}},
     {0, 0, 1}},
    {"a point in common",
     {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}}, {{1, 1, 0}, {1, 1, 3}, {2, 1, 3}}},
     {THREE, THREE},
     0,
     1,
     {-1, -1},
     {0, 0},
     {{1, 1, 0}, {1, 1, 0}},
     {{0}, {0}},
     {0}},
};
#define BY_HAND (sizeof by_hand / sizeof *by_hand)

/* Pairs one after the other, 1024 apart in x; every corner has a vertex of its own in Points. */
static const char *distances_by_hand(void)
{
    make m = {0};
    int64_t id[BY_HAND * 6];
    for (size_t i = 0; i < BY_HAND; i++)
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 3; k++)
                id[6 * i + (size_t)(3 * p + k)] = (int64_t)(6 * i) + 3 * p + by_hand[i].same[p][k];
    make_part(&m, BY_HAND * 6, BY_HAND * 2, id);
    make_step_next(&m, 0, 1);
    for (size_t i = 0; i < BY_HAND; i++)
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 3; k++) {
                const double *x = by_hand[i].corner[p][k];
                make_points(&m, 1, (double[]){x[0] + 1024 * (double)i, x[1], x[2]});
            }
    const char *path = make_write(&m, "hand.vtkhdf");
    make_free(&m);
    return path;
}

static int distances_alike(const double *x, const double *y, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= by))
            return 0;
    return 1;
}

/* Row i against case k. Numbers are exact here, but for the normal. */
static void check_distances_case(const near_rows *n, size_t i, size_t k)
{
    const case_by_hand *c = &by_hand[k];
    EXPECT(n->r.a[i] == (int64_t)(2 * k) && n->r.b[i] == n->r.a[i] + 1, "%s: row %zu is of %lld",
           c->about, i, (long long)n->r.a[i]);
    EXPECT(n->r.distance[i] == c->distance && n->r.kind[i] == c->kind, "%s: %.17g, kind %lld",
           c->about, n->r.distance[i], (long long)n->r.kind[i]);
    for (int p = 0; p < 2; p++) {
        const double want[3] = {c->point[p][0] + 1024 * (double)k, c->point[p][1], c->point[p][2]};
        const int64_t feature = c->feature[p] + (c->vertex[p] ? (int64_t)(6 * k) + 3 * p : 0);
        EXPECT(n->feature[p][i] == feature, "%s: feature %lld, not %lld", c->about,
               (long long)n->feature[p][i], (long long)feature);
        EXPECT(distances_alike(n->r.point + 6 * i + 3 * p, want, 3, 0), "%s: point %d", c->about,
               p);
        EXPECT(distances_alike(n->weight[p] + 4 * i, c->weight[p], 4, 0x1p-48), "%s: weights %d",
               c->about, p);
    }
    EXPECT(distances_alike(n->normal + 3 * i, c->normal, 3, 0x1p-48), "%s: normal", c->about);
}

/* The whole table; then by distances that leave out the pair at distance 5, or do not. */
static void test_by_hand(void)
{
    const char *in = distances_by_hand();
    RUN_WITH(in, "--distance", "5");
    near_rows n = distances_read(OUT);
    EXPECT(n.r.count == BY_HAND, "%zu rows", n.r.count);
    for (size_t i = 0; i < n.r.count && i < BY_HAND; i++)
        check_distances_case(&n, i, i);
    distances_free(&n);
    RUN_WITH(in, "--distance", "4.9999999999999991");
    n = distances_read(OUT);
    EXPECT(n.r.count == BY_HAND - 1, "%zu rows nearer than 5", n.r.count);
    distances_free(&n);
    RUN_WITH(in, "--distance", "5", "--space", "4");
    const char *cut = at("cut.vtkhdf");
    copy_file(OUT, cut);
    RUN_WITH(in, "--distance", "5");
    const char *what = h5_same(OUT, cut, "VTKHDF");
    EXPECT(!what, "in slabs: %s", what);
}

/* ---- other runs */

static void check_distances_columns(const char *x, const char *y, const char *about)
{
    static const char *const names[] = {"VTKHDF/CellData/PrimitiveA", "VTKHDF/CellData/PrimitiveB",
                                        "VTKHDF/CellData/Kind",       "VTKHDF/Points",
                                        "VTKHDF/CellData/Depth",      "impinge/points",
                                        "impinge/point_offsets",      "impinge/contacts"};
    hid_t file = H5Fopen(x, H5F_ACC_RDONLY, H5P_DEFAULT);
    const int depth = H5Lexists(file, "VTKHDF/CellData/Depth", H5P_DEFAULT) > 0;
    H5Fclose(file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = 0, m = 0;
        if (i > 3 && i < 7 && !depth)
            continue;
        double *p = h5_reals(x, names[i], &n), *q = h5_reals(y, names[i], &m);
        EXPECT(n == m && !memcmp(p, q, n * sizeof *p), "%s: %s differs", about, names[i]);
        free(p);
        free(q);
    }
}

/* Distance 0 gives the rows of a run without the option. */
static void test_distances_touching(void)
{
    for (int solids = 0; solids < 2; solids++) {
        const char *in = distances_moving(solids);
        RUN_WITH(in, "--pairs", "all");
        copy_file(OUT, WHOLE);
        RUN_WITH(in, "--distance", "0");
        rows r = read_rows(OUT);
        EXPECT(r.count > 20 && r.distance, "%zu rows", r.count);
        free_rows(&r);
        check_distances_columns(WHOLE, OUT, solids ? "solids" : "triangles");
    }
}

/* The rows of each distance are those of the next one that are as near, and all others are not. */
static void test_nested(void)
{
    static const char *const most[] = {"1e300", "0.5", "0.25", "0.0625", "0"};
    for (int solids = 0; solids < 2; solids++) {
        const char *in = distances_moving(solids);
        near_rows wide = {{0}};
        for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
            size_t at_row = 0;
            RUN_WITH(in, "--distance", most[k]);
            near_rows n = distances_read(OUT);
            for (size_t i = 0; k && i < wide.r.count; i++)
                if (wide.r.distance[i] <= strtod(most[k], NULL)) {
                    EXPECT(at_row < n.r.count && distances_same_row(&wide, i, &n, at_row),
                           "%s: row %zu", most[k], at_row);
                    at_row++;
                }
            EXPECT(!k || (at_row == n.r.count && at_row < wide.r.count && at_row), "%s: %zu rows",
                   most[k], n.r.count);
            if (k)
                distances_free(&wide);
            else
                EXPECT(n.r.count == FRAMES * TRIANGLES * (TRIANGLES - 1) / 2, "%zu rows in all",
                       n.r.count);
            wide = n;
        }
        distances_free(&wide);
    }
}

/* ---- divisions of the work */

/* Blocks, methods, memory, incremental frames, slabs, shards. */
static void test_divided(void)
{
    static const char *const ways[][4] = {{"--block", "1"},
                                          {"--block", "4", "--mem-limit", "30M"},
                                          {"--broad", "grid"},
                                          {"--broad", "hash", "--update", "keep"},
                                          {"--broad", "tree", "--dop", "18"},
                                          {"--update", "keep"},
                                          {"--space", "3"},
                                          {"--space", "7", "--block", "2"}};
    for (int solids = 0; solids < 2; solids++) {
        const char *in = distances_moving(solids);
        RUN_WITH(in, "--distance", "0.25");
        copy_file(OUT, WHOLE);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            RUN_WITH(in, "--distance", "0.25", ways[i][0], ways[i][1], ways[i][2], ways[i][3]);
            check_distances_same(ways[i][1]);
        }
        check_distances_merge(in, "--distance=0.25", NULL, NULL);
        check_distances_merge(in, "--distance=0.25", "--space=3", NULL);
        ran c = RAN("check", WHOLE, "--input", in, "-q");
        EXPECT(ran_well(&c), "^ check");
        ran_free(&c);
        RUN_WITH(in, "--distance", "0.25", "--frames", "::-2");
        rows r = read_rows(OUT);
        EXPECT(r.frames == (FRAMES + 1) / 2 && r.input_frame[0] == FRAMES - 1, "a slice");
        free_rows(&r);
    }
}

/* Undecided pairs are counted once, also where two slabs know both features. */
static void check_undecided_same(const char *about)
{
    size_t n = 0, m = 0;
    int64_t *x = h5_ints(WHOLE, "impinge/undecided", &n);
    int64_t *y = h5_ints(OUT, "impinge/undecided", &m);
    EXPECT(n == 1 && m == 1 && x[0] > 0 && x[0] == y[0], "%s slabs: other undecided pairs", about);
    free(x);
    free(y);
}

/* The next but one along the axis that slabs divide, at exactly the distance: a border is where a
 * triangle begins, beyond the end of the one before it. */
static void check_within_gaps(const char *kind, size_t count, size_t nearer)
{
    static const char *const slabs[] = {"2", "3", "5", "12"};
    const char *in = distances_row();
    RUN_WITH(in, "--distance", "1.5", "--rows", kind);
    rows r = read_rows(OUT);
    EXPECT(r.count == count, "%zu rows of %s", r.count, kind);
    free_rows(&r);
    copy_file(OUT, WHOLE);
    for (size_t i = 0; i < sizeof slabs / sizeof *slabs; i++) {
        RUN_WITH(in, "--distance", "1.5", "--rows", kind, "--space", slabs[i]);
        check_distances_same(slabs[i]);
        check_undecided_same(slabs[i]);
    }
    RUN_WITH(in, "--distance", "1.4999999999999998", "--rows", kind, "--space", "3");
    r = read_rows(OUT);
    EXPECT(r.count == nearer, "%zu rows of %s that are nearer", r.count, kind);
    free_rows(&r);
}

static void test_within_gaps(void)
{
    check_within_gaps("primitives", 2 * APART - 3, APART - 1);
    /* of neighbours 6 vertices with a face and 9 pairs of edges; of the next but one 2 and 4 */
    check_within_gaps("features", 15 * (APART - 1) + 6 * (APART - 2), 15 * (APART - 1));
}

/* ---- other distances, and damage */

static void check_distances_refused(const char *in, const char *was, const char *is,
                                    const char *word)
{
    const char *more = at("other.vtkhdf");
    unlink(more);
    ran r = RAN("run", in, "-o", more, "-q", CPU, was ? "--distance" : NULL, was);
    EXPECT(ran_well(&r), "^ %s", word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", is ? "--distance" : NULL, is);
    EXPECT(ran_failed(&r, 2, "cannot be resumed: it was made with other options", word), "^ %s",
           word);
    ran_free(&r);
    r = RAN("run", in, "-o", more, "-q", CPU, "--resume", was ? "--distance" : NULL, was);
    EXPECT(ran_well(&r), "^ again, %s", word);
    ran_free(&r);
}

/* Results with other distances are neither continued nor joined. */
static void test_other_distance(void)
{
    const char *in = distances_moving(0), *shard[2] = {at("s0.vtkhdf"), at("s1.vtkhdf")};
    check_distances_refused(in, "0.5", "0.25", "--distance was 0.5, is 0.25");
    check_distances_refused(in, "0", "0.25", "--distance was 0, is 0.25");
    check_distances_refused(in, NULL, "0", "--distance was not given, is 0");
    check_distances_refused(in, "0.25", NULL, "--distance was 0.25, is not given");
    for (int i = 0; i < 2; i++) {
        ran r = RAN("run", in, "-o", shard[i], "-q", CPU, "--shard", i ? "1/2" : "0/2",
                    "--distance", i ? "0.25" : "0.5");
        EXPECT(ran_well(&r), "^ shard %d", i);
        ran_free(&r);
    }
    ran r = RAN("merge", at("join.vtkhdf"), shard[0], shard[1]);
    EXPECT(ran_failed(&r, 3, shard[1], "other options"), "^ merge");
    ran_free(&r);
}

/* A run that was killed continues to the result of one that was not. */
static void test_distances_continued(void)
{
    sample_job j = sample_job_small("distances");
    for (int i = 0; i < 7; i++)
        if (!j.option[i]) {
            j.option[i] = "--distance";
            j.option[i + 1] = "0.25";
            break;
        }
    ran r =
        RAN("run", j.in, "-o", j.whole, "--force", "-q", CPU, "--block", "1", "--distance", "0.25");
    EXPECT(ran_well(&r), "^ without interruption");
    ran_free(&r);
    job_kill_half(&j);
    EXPECT(sample_job_check_part(&j, "half", 0) > 0, "nothing was committed");
    job_go_on(&j, "half", 0);
}

/* The distances must be there, and only where the options say so. */
static void test_distances_damaged(void)
{
    const char *in = distances_moving(0), *out = OUT;
    RUN_WITH(in, "--distance", "0.25");
    h5_remove(out, "VTKHDF/CellData/Normal");
    ran r = RAN("info", out);
    EXPECT(ran_failed(&r, 3, "Normal", "missing, although there is Distance"), "^ no normals");
    ran_free(&r);
    h5_remove(out, "VTKHDF/CellData/Distance");
    h5_remove(out, "VTKHDF/CellData/BarycentricA");
    h5_remove(out, "VTKHDF/CellData/BarycentricB");
    r = RAN("info", out);
    EXPECT(ran_failed(&r, 3, "/VTKHDF/CellData/Distance", "missing"), "^ no distances");
    ran_free(&r);
    RUN_WITH(in, "--distance", "0.25");
    h5_attribute_text(out, "impinge", "options",
                      "pairs=all adjacent=skip stage=contacts on-bad=error dop=6 frames=0+9*1 "
                      "objects=id");
    r = RAN("info", out);
    EXPECT(ran_failed(&r, 3, "Distance", "rows are contacts"), "^ distances of contacts");
    ran_free(&r);
}

/* ---- sums */

static double distances_least(const rows *r, int64_t *frame)
{
    double least = INFINITY;
    for (size_t i = 0; i < r->count; i++)
        if (r->distance[i] < least) {
            least = r->distance[i];
            *frame = r->input_frame[r->frame[i]];
        }
    return least;
}

/* The least distance of each pair of objects in a document. */
static void check_distances_pairs(const char *text, const rows *r)
{
    for (int k = 0; k < 3; k++) {
        char name[60];
        double least = INFINITY;
        snprintf(name, sizeof name, "object_pairs.%d.a", k);
        const double a = json_number(text, name);
        snprintf(name, sizeof name, "object_pairs.%d.b", k);
        const double b = json_number(text, name);
        for (size_t i = 0; i < r->count; i++)
            if (fmin((double)r->oa[i], (double)r->ob[i]) == a &&
                fmax((double)r->oa[i], (double)r->ob[i]) == b)
                least = fmin(least, r->distance[i]);
        snprintf(name, sizeof name, "object_pairs.%d.least_distance", k);
        EXPECT(json_number(text, name) == least, "objects %g, %g: %g", a, b, least);
    }
}

/* Each frame of info --frames. */
static void check_distances_frames(const char *text, const rows *r)
{
    for (size_t k = 0; k < r->frames; k++) {
        char name[60];
        double least = INFINITY;
        for (size_t i = 0; i < r->count; i++)
            if (r->frame[i] == k)
                least = fmin(least, r->distance[i]);
        snprintf(name, sizeof name, "frame_table.%zu.least_distance", k);
        const double said = json_number(text, name);
        EXPECT(isinf(least) ? isnan(said) : said == least, "frame %zu: %g, not %g", k, said, least);
    }
}

/* The summary as text and as JSON, of a run, of one that is complete already, of slabs; info. */
static void test_distances_sums(void)
{
    static const char *const more[][2] = {{"--force"}, {"--resume"}, {"--force", "--space=3"}};
    const char *in = distances_apart(), *out = OUT;
    char want[100];
    int64_t frame = -1;
    RUN_WITH(in, "--distance", "0.625", "--pairs", "between");
    rows r = read_rows(out);
    const double least = distances_least(&r, &frame);
    EXPECT(least > 0 && frame > 0 && r.count > 20, "%g in frame %lld", least, (long long)frame);
    for (size_t i = 0; i < 3; i++) {
        ran run = RAN("run", in, "-o", out, CPU, "--distance", "0.625", "--pairs", "between",
                      "--json", more[i][0], more[i][1]);
        EXPECT(run.code == 0 && json_valid(run.out), "^ %s", more[i][0]);
        EXPECT(json_number(run.out, "contacts") == (double)r.count &&
                   json_number(run.out, "least_distance") == least &&
                   json_number(run.out, "least_distance_frame") == (double)frame,
               "%s: %g, not %g", more[i][0], json_number(run.out, "least_distance"), least);
        EXPECT(json_at(run.out, "kinds.vertex-vertex") != NULL, "kinds");
        check_distances_pairs(run.out, &r);
        ran_free(&run);
    }
    ran run =
        RAN("run", in, "-o", out, CPU, "--distance", "0.625", "--pairs", "between", "--force");
    snprintf(want, sizeof want, "%zu pairs within 0.625 in ", r.count);
    EXPECT(strstr(run.out, want), "%s", run.out);
    snprintf(want, sizeof want, "\nleast distance %.9g in frame %lld\n", least, (long long)frame);
    EXPECT(strstr(run.out, want), "%s", run.out);
    ran_free(&run);
    run = RAN("info", out, "--json", "--frames", ":");
    EXPECT(run.code == 0 && json_number(run.out, "distance") == 0.625, "^ info");
    check_distances_pairs(run.out, &r);
    check_distances_frames(run.out, &r);
    ran_free(&run);
    run = RAN("info", out, "--frames", ":");
    EXPECT(strstr(run.out, " pairs within 0.625 among ") && strstr(run.out, "least distance"), "%s",
           run.out);
    ran_free(&run);
    free_rows(&r);
}

/* A pair at a distance counts for --fail-on-collision; bench finds as many. */
static void test_distances_codes(void)
{
    const char *in = distances_by_hand(), *out = OUT;
    ran r = RAN("run", in, "-o", out, "--force", "-q", CPU, "--frames", ":", "--distance", "0.25",
                "--fail-on-collision");
    EXPECT(r.code == 10, "exit %d", r.code);
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--distance", "5", "--json");
    EXPECT(r.code == 0 && json_number(r.out, "contacts") == (double)BY_HAND, "^ bench");
    ran_free(&r);
    r = RAN("bench", in, CPU, "--reps", "1", "--distance", "5");
    EXPECT(strstr(r.out, "9 pairs, "), "%s", r.out);
    ran_free(&r);
}

/* ---- candidates */

/* As many as a run that decides them has; more for a greater distance; without the columns. */
static void test_distances_candidates(void)
{
    const char *in = distances_moving(0), *out = OUT;
    static const char *const most[] = {"0", "0.0625", "0.5", "1e300"};
    size_t before = 0;
    for (size_t k = 0; k < sizeof most / sizeof *most; k++) {
        size_t n = 0, all = 0;
        RUN_WITH(in, "--distance", most[k]);
        int64_t *want = h5_ints(out, "impinge/candidates", &n);
        RUN_WITH(in, "--distance", most[k], "--stage", "candidates");
        int64_t *have = h5_ints(out, "impinge/contacts", &n);
        EXPECT(n == FRAMES && !memcmp(want, have, n * sizeof *want), "%s: candidates", most[k]);
        for (size_t i = 0; i < n; i++)
            all += (size_t)have[i];
        EXPECT(all > before, "%s: %zu candidates, %zu before", most[k], all, before);
        before = all;
        rows r = read_rows(out);
        EXPECT(!r.distance && r.count == all, "%s: %zu rows", most[k], r.count);
        free_rows(&r);
        free(want);
        free(have);
    }
}

/* ---- --rows */

static void test_rows_divided(void)
{
    for (int solids = 0; solids < 2; solids++)
        check_rows_divided(distances_moving(solids), "--rows=features", "--distance=0.25", NULL);
    check_rows_divided(distances_apart(), "--rows=objects", NULL, NULL);
}

static void test_rows_wrong(void)
{
    const char *in = distances_apart(), *out = at("none.vtkhdf");
    static const char *const wrong[][3] = {
        {"--rows=features", "-q", "--rows features: only with --distance"},
        {"--rows=objects", "--distance=1", "--rows objects: not with --distance"},
        {"--rows=objects", "--pairs=self", "--rows objects: not with --pairs self"},
        {"--rows=objects", "--stage=candidates", "--rows objects: not with --stage candidates"},
        {"--rows=objects", "--continuous", "--rows objects: not with --continuous"},
        {"--rows=objects", "--adjacent=test", "--rows objects: not with --adjacent test"},
        {"--rows=objects", "--space=2", "--rows objects: not with --space"},
        {"--rows=corners", "-q", "corners"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ran r = RAN("run", in, "-o", out, CPU, wrong[i][0], wrong[i][1]);
        EXPECT(ran_failed(&r, 2, wrong[i][2], NULL), "^ %s %s", wrong[i][0], wrong[i][1]);
        ran_free(&r);
    }
    EXPECT(access(out, F_OK), "a result is there");
    check_distances_refused(in, NULL, "0.5", "--distance was not given, is 0.5");
}

/* Triangles that are all joined, so that no pair of these objects has a row. */
static const char *distances_many(int64_t objects)
{
    static const int64_t corner[3] = {0, 1, 2};
    make m = {.cells = {{.name = "ObjectId"}}};
    int64_t *id = calloc((size_t)objects, 3 * sizeof *id);
    for (int64_t i = 0; i < objects; i++) {
        memcpy(id + 3 * i, corner, sizeof corner);
        make_add(&m.cells[0].value, i);
    }
    make_part(&m, 3, objects, id);
    make_step(&m, 0, 0, 1, 0, 0, 0);
    make_points(&m, 3, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    const char *path = make_write(&m, "many.vtkhdf");
    make_free(&m);
    free(id);
    return path;
}

/* The number of rows is said before the run, unless pairs are selected. */
static void test_rows_many(void)
{
    const char *list = at("pairs.txt");
    write_text(list, "1 2\n");
    for (int k = 0; k < 3; k++) {
        ran r = RAN("bench", distances_many(k == 1 ? 1414 : 1415), CPU, "--reps=1",
                    "--rows=objects", k == 2 ? "--object-pairs" : "-q", k == 2 ? list : "-q");
        EXPECT(r.code == 0 && !strstr(r.err, "1,415 objects have a row for each two of them, "
                                             "1,000,405 in a frame; --object-pairs") == (k > 0),
               "^ %d", k);
        ran_free(&r);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"by_hand", test_by_hand},
                                 {"touching", test_distances_touching},
                                 {"nested", test_nested},
                                 {"divided", test_divided},
                                 {"gaps", test_within_gaps},
                                 {"other_distance", test_other_distance},
                                 {"continued", test_distances_continued},
                                 {"damaged", test_distances_damaged},
                                 {"sums", test_distances_sums},
                                 {"codes", test_distances_codes},
                                 {"candidates", test_distances_candidates},
                                 {"rows", test_rows_divided},
                                 {"rows_wrong", test_rows_wrong},
                                 {"rows_many", test_rows_many},
                                 {0}};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return test_main(argc, argv, "within", tests);
}
