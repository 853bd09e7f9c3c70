/* Moving features: the oracle's answers agree with published ones (ccd-queries), and with known
 * ones of constructed cases. Its times are rounded down, and its fast filter never contradicts it.
 * A step's contacts agree with those of instants within it. */
#include "expect.h"
#include "oracle_ccd.h"
#include "testlib.h"
#include "truth.h"

#include <dirent.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int oracle_ccd_distance(int vertex_face, const oracle_ccd_points *at)
{
    const int cut = vertex_face ? 3 : 2, count[2] = {cut, 4 - cut};
    oracle_ccd_points other;
    for (int i = 0; i < 8; i++) {
        const int from = i % 4 < 4 - cut ? i % 4 + cut : 3;
        memcpy(other.at[i / 4][i % 4], at->at[i / 4][from], sizeof other.at[0][0]);
    }
    return oracle_ccd_apart(count, at, &other, 0);
}

/* ---- published answers */

/* Four points at the start, then at the end; each coordinate is a numerator and a denominator, a
 * power of two. A vertex precedes its face. 0: end of the file. */
static int oracle_ccd_test_read_query(FILE *f, int vertex_face, oracle_ccd_points *at, int *meet)
{
    for (int i = 0; i < 8; i++) {
        const int place = vertex_face ? (i % 4 + 3) % 4 : i % 4;
        char line[1024], *next = line;
        if (!fgets(line, sizeof line, f))
            return 0;
        for (int k = 0; k < 3; k++) {
            const double up = strtod(next, &next), down = strtod(next + 1, &next);
            at->at[i / 4][place][k] = up / down;
            next++;
        }
        *meet = atoi(next);
    }
    return 1;
}

static void ask_file(const char *path, int vertex_face, size_t counts[2])
{
    FILE *f = fopen(path, "r");
    CU_ASSERT_FATAL(f != NULL);
    oracle_ccd_points at;
    int meet;
    for (int n = 0; oracle_ccd_test_read_query(f, vertex_face, &at, &meet); n++) {
        double toi;
        const int found = oracle_ccd_first(vertex_face, &at, &toi);
        EXPECT(found == meet, "%s: query %d: %d, not %d", path, n, found, meet);
        counts[meet]++;
    }
    fclose(f);
}

static void test_oracle_ccd_queries(void)
{
    if (!test_data())
        SKIP("shared/data is not here");
    char folder[4096], path[8192];
    size_t counts[2] = {0};
    snprintf(folder, sizeof folder, "%s/ccd-queries", test_data());
    DIR *d = opendir(folder);
    CU_ASSERT_FATAL(d != NULL);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        if (!strstr(e->d_name, ".csv"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        ask_file(path, strstr(e->d_name, "vertex-face") != NULL, counts);
    }
    closedir(d);
    EXPECT(counts[0] == 1976 && counts[1] == 348, "%zu apart, %zu meet", counts[0], counts[1]);
}

/* ---- known answers */

/* A case; most lie in a plane or on an axis, and are mapped before they are tested. */
typedef struct known {
    struct known_answer {
        const char *what;
        int vertex_face;
        int up, down; /* first contact at up / down; down 0: no contact */
        int once;     /* and at no other instant */
    } is;
    int at[2][4][3];
} known;

static const known cases[] = {
    {{"inside", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, -6}}}},
    {{"on an edge", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {0, 2, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {0, 2, -6}}}},
    {{"on the far edge", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {2, 4, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {2, 4, -6}}}},
    {{"at a corner", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {6, 0, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {6, 0, -6}}}},
    {{"beside", 1, 0, 0, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {7, 0, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {7, 0, -6}}}},
    {{"beside an edge", 1, 0, 0, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {4, 3, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {4, 3, -6}}}},
    {{"at a float64", 1, 3, 8, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, -5}}}},
    {{"not yet", 1, 0, 0, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 1}}}},
    {{"at the end", 1, 1, 1, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 3}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 0}}}},
    {{"at the start", 1, 0, 1, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 3}}}},
    {{"all the time", 1, 0, 1, 0},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {1, 2, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {2, 1, 0}}}},
    {{"in its plane", 1, 1, 3, 0},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {-3, 1, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {6, 1, 0}}}},
    {{"in its plane to a corner", 1, 1, 1, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {-3, 0, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {0, 0, 0}}}},
    {{"at a float64 in its plane", 1, 3, 8, 0},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {-3, 1, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {5, 1, 0}}}},
    {{"past it in its plane", 1, 0, 0, 1},
     {{{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {-3, 7, 0}}, {{0, 0, 0}, {6, 0, 0}, {0, 6, 0}, {6, 7, 0}}}},
    {{"a face that is a point", 1, 1, 3, 1},
     {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {-3, 0, 0}}, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {6, 0, 0}}}},
    {{"a face that is an edge", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {3, 0, 0}, {5, 2, 0}}, {{0, 0, 0}, {6, 0, 0}, {3, 0, 0}, {5, -4, 0}}}},
    {{"along a face that is an edge", 1, 1, 3, 0},
     {{{0, 0, 0}, {3, 0, 0}, {6, 0, 0}, {9, 0, 0}}, {{0, 0, 0}, {3, 0, 0}, {6, 0, 0}, {0, 0, 0}}}},
    {{"beside a face that is an edge", 1, 0, 0, 1},
     {{{0, 0, 0}, {6, 0, 0}, {3, 0, 0}, {7, 2, 0}}, {{0, 0, 0}, {6, 0, 0}, {3, 0, 0}, {7, -4, 0}}}},
    /* corner 2 passes through edge 0-1, on which the vertex lies all the time */
    {{"a face that collapses", 1, 0, 1, 0},
     {{{0, 0, 0}, {6, 0, 0}, {3, 2, 0}, {5, 0, 0}}, {{0, 0, 0}, {6, 0, 0}, {3, -4, 0}, {5, 0, 0}}}},
    {{"a face that collapses beyond its plane", 1, 1, 3, 1},
     {{{0, 0, 0}, {6, 0, 0}, {3, 2, 1}, {5, 0, -1}},
      {{0, 0, 0}, {6, 0, 0}, {3, -4, -2}, {5, 0, 2}}}},
    {{"edges cross", 0, 1, 3, 1},
     {{{-2, 0, 0}, {4, 0, 0}, {1, -3, 3}, {1, 1, 3}},
      {{-2, 0, 0}, {4, 0, 0}, {1, -3, -6}, {1, 1, -6}}}},
    {{"an end on an edge", 0, 1, 3, 1},
     {{{-2, 0, 0}, {4, 0, 0}, {1, 0, 3}, {1, 5, 3}},
      {{-2, 0, 0}, {4, 0, 0}, {1, 0, -6}, {1, 5, -6}}}},
    {{"two ends", 0, 1, 3, 1},
     {{{-2, 0, 0}, {1, 0, 0}, {1, 0, 3}, {1, 5, 3}},
      {{-2, 0, 0}, {1, 0, 0}, {1, 0, -6}, {1, 5, -6}}}},
    {{"edges pass", 0, 0, 0, 1},
     {{{-2, 0, 0}, {0, 0, 0}, {1, 0, 3}, {1, 5, 3}},
      {{-2, 0, 0}, {0, 0, 0}, {1, 0, -6}, {1, 5, -6}}}},
    {{"parallel edges", 0, 1, 3, 1},
     {{{0, 0, 0}, {4, 0, 0}, {3, 0, 2}, {7, 0, 2}},
      {{0, 0, 0}, {4, 0, 0}, {3, 0, -4}, {7, 0, -4}}}},
    {{"parallel edges that pass", 0, 0, 0, 1},
     {{{0, 0, 0}, {2, 0, 0}, {3, 0, 2}, {7, 0, 2}},
      {{0, 0, 0}, {2, 0, 0}, {3, 0, -4}, {7, 0, -4}}}},
    {{"along one line", 0, 1, 3, 0},
     {{{0, 0, 0}, {6, 0, 0}, {-5, 0, 0}, {-3, 0, 0}},
      {{0, 0, 0}, {6, 0, 0}, {4, 0, 0}, {6, 0, 0}}}},
    {{"in one plane", 0, 1, 3, 0},
     {{{0, 0, 0}, {0, 6, 0}, {-3, 1, 0}, {-5, 2, 0}},
      {{0, 0, 0}, {0, 6, 0}, {6, 1, 0}, {4, 2, 0}}}},
    {{"in one plane, an end to an end", 0, 1, 3, 0},
     {{{0, 0, 0}, {0, 6, 0}, {-3, 0, 0}, {-5, -2, 0}},
      {{0, 0, 0}, {0, 6, 0}, {6, 0, 0}, {4, -2, 0}}}},
    {{"an edge that is a point", 0, 1, 3, 1},
     {{{0, 0, 0}, {0, 6, 0}, {-3, 1, 0}, {-3, 1, 0}},
      {{0, 0, 0}, {0, 6, 0}, {6, 1, 0}, {6, 1, 0}}}},
    {{"two points", 0, 1, 3, 1},
     {{{0, 0, 0}, {0, 0, 0}, {-3, 0, 0}, {-3, 0, 0}},
      {{0, 0, 0}, {0, 0, 0}, {6, 0, 0}, {6, 0, 0}}}},
    {{"two points that pass", 0, 0, 0, 1},
     {{{0, 0, 0}, {0, 0, 0}, {-3, 1, 0}, {-3, 1, 0}},
      {{0, 0, 0}, {0, 0, 0}, {6, 1, 0}, {6, 1, 0}}}},
};

/* up / down, rounded down */
static double oracle_ccd_test_rounded_down(int up, int down)
{
    mpq_t q, r;
    mpq_init(q);
    mpq_init(r);
    mpq_set_si(q, up, (unsigned long)down);
    mpq_canonicalize(q);
    double x = mpq_get_d(q); /* truncated: correct for numbers that are not negative */
    mpq_set_d(r, x);
    CU_ASSERT(mpq_cmp(r, q) <= 0);
    mpq_clear(q);
    mpq_clear(r);
    return x;
}

/* Contact is invariant under any linear map and common motion: turns one case into a hundred. */
static void map_case(const known *c, rng *r, double unit, oracle_ccd_points *at)
{
    int map[3][3], shift[2][3];
    for (int i = 0; i < 9; i++)
        map[i / 3][i % 3] = (int)rng_below(r, 9) - 4;
    const int det = map[0][0] * (map[1][1] * map[2][2] - map[1][2] * map[2][1]) -
                    map[0][1] * (map[1][0] * map[2][2] - map[1][2] * map[2][0]) +
                    map[0][2] * (map[1][0] * map[2][1] - map[1][1] * map[2][0]);
    for (int i = 0; i < 6; i++)
        shift[i / 3][i % 3] = (int)rng_below(r, 200001) - 100000;
    for (int i = 0; i < 24; i++) {
        const int e = i / 12, v = i / 3 % 4, k = i % 3;
        int x = shift[e][k] + (det ? 0 : c->at[e][v][k]);
        for (int j = 0; j < 3 && det; j++)
            x += map[k][j] * c->at[e][v][j];
        at->at[e][v][k] = unit * x;
    }
}

/* Other orders of corners, of edges, and of the ends of edges. */
static void permute(int vertex_face, rng *r, oracle_ccd_points *at)
{
    int order[4] = {0, 1, 2, 3};
    const oracle_ccd_points was = *at;
    if (vertex_face) {
        const int first = (int)rng_below(r, 3), turn = 1 + (int)rng_below(r, 2);
        for (int i = 0; i < 3; i++)
            order[i] = (first + turn * i) % 3;
    } else {
        const int swap = (int)rng_below(r, 8);
        for (int i = 0; i < 4; i++)
            order[i] = (i ^ (i < 2 ? swap & 1 : swap >> 1 & 1)) ^ (swap & 4 ? 2 : 0);
    }
    for (int i = 0; i < 8; i++)
        memcpy(at->at[i / 4][i % 4], was.at[i / 4][order[i % 4]], sizeof was.at[0][0]);
}

static void expect_known(const known *c, const oracle_ccd_points *at, int back)
{
    double toi = -1;
    const double want =
        c->is.down
            ? oracle_ccd_test_rounded_down(back ? c->is.down - c->is.up : c->is.up, c->is.down)
            : -1;
    const int found = oracle_ccd_first(c->is.vertex_face, at, &toi);
    EXPECT(found == (c->is.down != 0) && toi == want, "%s: %d at %.17g, not at %.17g", c->is.what,
           found, toi, want);
    EXPECT(!found || !oracle_ccd_distance(c->is.vertex_face, at), "%s: is called apart",
           c->is.what);
}

static void test_oracle_ccd_known(void)
{
    static const int powers[] = {0, -40, 40, 900, -1000, 3};
    rng r = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t n = 0; n < test_cases(200); n++) {
            oracle_ccd_points at, reversed;
            map_case(&cases[i], &r, ldexp(1, powers[n % 6]), &at);
            permute(cases[i].is.vertex_face, &r, &at);
            expect_known(&cases[i], &at, 0);
            memcpy(reversed.at[0], at.at[1], sizeof at.at[1]);
            memcpy(reversed.at[1], at.at[0], sizeof at.at[0]);
            if (cases[i].is.once)
                expect_known(&cases[i], &reversed, 1);
        }
}

/* ---- times */

/* (1 - t) a + t b */
static void oracle_ccd_lerp(mpq_t out, double a, double b, const mpq_t t)
{
    mpq_t x, y;
    mpq_init(x);
    mpq_init(y);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_sub(y, y, x);
    mpq_mul(y, y, t);
    mpq_add(out, x, y);
    mpq_clear(x);
    mpq_clear(y);
}

/* The sign of the volume of the four points at that time. */
static int oracle_ccd_test_volume_sign(const oracle_ccd_points *at, double toi)
{
    mpq_t t, x[4][3], sum, term;
    mpq_init(t);
    mpq_init(sum);
    mpq_init(term);
    mpq_set_d(t, toi);
    for (int i = 0; i < 12; i++) {
        mpq_init(x[i / 3][i % 3]);
        oracle_ccd_lerp(x[i / 3][i % 3], at->at[0][i / 3][i % 3], at->at[1][i / 3][i % 3], t);
    }
    for (int i = 0; i < 9; i++)
        mpq_sub(x[1 + i / 3][i % 3], x[1 + i / 3][i % 3], x[0][i % 3]);
    for (int i = 0; i < 6; i++) {
        const int k = i % 3, odd = i >= 3;
        mpq_mul(term, x[1][k], x[2][(k + 1 + odd) % 3]);
        mpq_mul(term, term, x[3][(k + 2 - odd) % 3]);
        (odd ? mpq_sub : mpq_add)(sum, sum, term);
    }
    const int sign = mpq_sgn(sum);
    for (int i = 0; i < 12; i++)
        mpq_clear(x[i / 3][i % 3]);
    mpq_clear(t);
    mpq_clear(sum);
    mpq_clear(term);
    return sign;
}

/* In general position the volume changes its sign at that time, or just above it. */
static void test_oracle_ccd_times(void)
{
    rng r = {2};
    size_t meet = 0, quick = 0;
    const uint64_t n = test_cases(4000);
    for (uint64_t i = 0; i < n; i++) {
        oracle_ccd_points at;
        double toi;
        for (int k = 0; k < 24; k++)
            at.at[k / 12][k / 3 % 4][k % 3] = rng_unit(&r) - 0.5;
        const int vertex_face = (int)(i % 2), found = oracle_ccd_first(vertex_face, &at, &toi);
        const int is_apart = oracle_ccd_distance(vertex_face, &at);
        EXPECT(!found || !is_apart, "case %d: meets, and is called apart", (int)i);
        quick += (size_t)is_apart;
        meet += (size_t)found;
        if (!found)
            continue;
        const int low = oracle_ccd_test_volume_sign(&at, toi),
                  high = oracle_ccd_test_volume_sign(&at, nextafter(toi, 2));
        EXPECT(toi >= 0 && toi <= 1 && low * high <= 0 && high, "case %d: signs %d, %d at %.17g",
               (int)i, low, high, toi);
    }
    EXPECT(meet * 20 > n, "only %zu meet", meet);
    EXPECT(quick + meet >= n - n / 50, "of %d only %zu are called apart", (int)(n - meet), quick);
}

/* ---- steps */

#define TRIANGLES 24
#define INSTANTS 16

/* Corners on a grid whose unit puts all instants k / 16 on a grid, too. */
typedef struct soup {
    imp_mesh mesh;
    uint32_t corner[4 * TRIANGLES];
    int32_t object[TRIANGLES];
    double point[INSTANTS + 1][12 * TRIANGLES];
} soup;

static void soup_make(soup *s, rng *r, int corner_count, int size)
{
    const uint32_t count = (uint32_t)corner_count * TRIANGLES;
    s->mesh = (imp_mesh){.vertices = count,
                         .primitives = TRIANGLES,
                         .corner = s->corner,
                         .object = s->object,
                         .corners = corner_count};
    for (uint32_t i = 0; i < count; i++)
        s->corner[i] = i;
    for (uint32_t i = 0; i < TRIANGLES; i++)
        s->object[i] = (int32_t)(i % 3);
    for (uint32_t i = 0; i < 3 * count; i++) {
        const int from = (int)rng_below(r, (uint32_t)size), to = (int)rng_below(r, (uint32_t)size);
        for (int t = 0; t <= INSTANTS; t++)
            s->point[t][i] = (INSTANTS - t) * from + t * to;
    }
}

static imp_frame soup_frame(const soup *s, int t)
{
    return (imp_frame){.mesh = &s->mesh, .point = s->point[t]};
}

static const truth_row *oracle_ccd_test_find_row(const truth *t, const truth_row *pair)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->row[i].a == pair->a && t->row[i].b == pair->b)
            return &t->row[i];
    return NULL;
}

/* A pair in contact at an instant has a row that is no later; a row of this instant is in contact.
 */
static void compare_instant(const truth *step, const truth *at, int t)
{
    const double toi = (double)t / INSTANTS;
    for (size_t i = 0; i < at->count; i++) {
        const truth_row *row = oracle_ccd_test_find_row(step, &at->row[i]);
        EXPECT(row && row->toi <= toi, "%u %u: meet at %g, and in the step %s", at->row[i].a,
               at->row[i].b, toi, row ? "later" : "never");
        if (!t && row)
            EXPECT(row->kind == at->row[i].kind + IMP_KIND_AT_START && row->feature_a == -1 &&
                       row->feature_b == -1,
                   "kind %d, features %d %d", row->kind, (int)row->feature_a, (int)row->feature_b);
    }
    for (size_t i = 0; i < step->count; i++)
        EXPECT(step->row[i].toi != toi || oracle_ccd_test_find_row(at, &step->row[i]),
               "%u %u: do not meet at %g, when they first should", step->row[i].a, step->row[i].b,
               toi);
}

static void expect_order(const truth *t)
{
    for (size_t i = 1; i < t->count; i++) {
        const truth_row *x = &t->row[i - 1], *y = &t->row[i];
        const int less = x->toi != y->toi ? x->toi < y->toi
                         : x->a != y->a   ? x->a < y->a
                                          : x->b < y->b;
        EXPECT(less, "rows %d and %d are out of order", (int)i - 1, (int)i);
    }
}

static void step_agrees(int corner_count, int size, uint64_t seed, size_t counts[3])
{
    mem memory = {0};
    imp_def def = {.continuous = 1, .dop_k = 6, .pairs = IMP_PAIRS_BETWEEN};
    soup *s = calloc(1, sizeof *s);
    rng r = {seed};
    soup_make(s, &r, corner_count, size);
    const imp_frame from = soup_frame(s, 0), to = soup_frame(s, INSTANTS);
    truth step;
    CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&memory, &from, &to, &def, NULL, 2, &step), 0);
    expect_order(&step);
    for (int t = 0; t <= INSTANTS; t++) {
        truth at;
        const imp_frame f = soup_frame(s, t);
        CU_ASSERT_EQUAL_FATAL(truth_find(&memory, &f, &def, NULL, 2, &at), 0);
        compare_instant(&step, &at, t);
        truth_free(&memory, &at);
    }
    for (size_t i = 0; i < step.count; i++)
        counts[step.row[i].kind & IMP_KIND_AT_START ? 0 : step.row[i].kind - 5]++;
    truth_free(&memory, &step);
    free(s);
}

static void test_oracle_ccd_steps(void)
{
    size_t counts[3] = {0};
    for (uint64_t i = 0; i < test_cases(16); i++)
        step_agrees(i % 4 ? 3 : 4, i % 2 ? 4 : 12, i, counts);
    EXPECT(counts[0] && counts[1] && counts[2], "%zu at the start, %zu faces, %zu edges", counts[0],
           counts[1], counts[2]);
}

/* ---- rows */

/* Two triangles; the second one moves along z. */
typedef struct couple {
    imp_mesh mesh;
    uint32_t corner[6];
    double point[2][18];
    imp_frame f[2];
} couple;

static void couple_open(couple *c, const double second[9], double way)
{
    static const double first[9] = {0, 0, 0, 6, 0, 0, 0, 6, 0};
    *c = (couple){.corner = {0, 1, 2, 3, 4, 5}};
    c->mesh = (imp_mesh){.vertices = 6, .primitives = 2, .corner = c->corner};
    for (int e = 0; e < 2; e++) {
        memcpy(c->point[e], first, sizeof first);
        memcpy(c->point[e] + 9, second, sizeof first);
        for (int k = 11; k < 18 && e; k += 3)
            c->point[e][k] += way;
        c->f[e] = (imp_frame){.mesh = &c->mesh, .point = c->point[e]};
    }
}

static truth_row couple_row(const couple *c)
{
    static const truth_row none;
    mem memory = {0};
    const imp_def def = {.continuous = 1, .dop_k = 6};
    truth t;
    CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&memory, &c->f[0], &c->f[1], &def, NULL, 1, &t), 0);
    CU_ASSERT_EQUAL(t.count, 1);
    const truth_row row = t.count ? t.row[0] : none;
    truth_free(&memory, &t);
    return row;
}

/* Ties: of features in contact at the same time, the one of the least kind, then of the least
 * indices. */
static void test_ties(void)
{
    static const struct {
        double second[9];
        int kind, feature_a, feature_b;
    } ties[] = {/* vertex 4 lands on vertex 1: each is on the other's face and edges */
                {{6, 2, 9, 6, 0, 3, 8, 0, 9}, IMP_KIND_VERTEX_FACE, -1, 4},
                /* vertices 4 and 5 on the face */
                {{1, 2, 9, 2, 1, 3, 1, 1, 3}, IMP_KIND_VERTEX_FACE, -1, 4},
                /* edge 2 of the second through vertex 1 and across edge 2 */
                {{9, -1, 3, 9, 9, 9, -3, 3, 3}, IMP_KIND_VERTEX_FACE, 1, -1},
                /* edge 1 of the second across edges 0 and 2 */
                {{1, 1, 9, 2, -1, 3, -1, 2, 3}, IMP_KIND_EDGE_EDGE, 0, 1}};
    for (size_t i = 0; i < sizeof ties / sizeof *ties; i++) {
        couple c;
        couple_open(&c, ties[i].second, -9);
        const truth_row row = couple_row(&c);
        EXPECT(row.kind == ties[i].kind && row.feature_a == ties[i].feature_a &&
                   row.feature_b == ties[i].feature_b &&
                   row.toi == oracle_ccd_test_rounded_down(1, 3),
               "tie %d: kind %d, features %d %d at %.17g", (int)i, row.kind, (int)row.feature_a,
               (int)row.feature_b, row.toi);
    }
}

/* Collinear edges have more than one common point; any of them is accepted. */
static void test_oracle_ccd_points(void)
{
    static const struct {
        double point[6];
        const char *fault;
    } claims[] = {{{4, 0, 0, 4, 0, 0}, NULL},
                  {{6, 0, 0, 6, 0, 0}, NULL},
                  {{5, 0, 0, 5, 0, 1e-12}, NULL},
                  {{4, 0, 0, 6, 0, 0}, "two other points are nearer"},
                  {{3, 0, 0, 3, 0, 0}, "a point is not on its feature"},
                  {{7, 0, 0, 7, 0, 0}, "a point is not on its feature"},
                  {{5, 0, 0, 5, 0, 1e-4}, "a point is not on its feature"},
                  {{5, 1e-4, 0, 5, 1e-4, 0}, "a point is not on its feature"},
                  {{5, 0, 1e-12, 5, 0, 0}, "the points are not in lexicographic order"}};
    static const double second[9] = {4, 0, 3, 8, 0, 3, 6, -5, 9};
    couple c;
    oracle *o = oracle_open();
    couple_open(&c, second, -9);
    truth_row row = couple_row(&c);
    row.kind = IMP_KIND_EDGE_EDGE; /* its kind if its vertices did not touch */
    row.feature_a = row.feature_b = 0;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const truth_claim said = {.kind = row.kind, .point = claims[i].point};
        const char *fault = truth_ccd_points_fault(o, &c.f[0], &c.f[1], &row, &said);
        EXPECT(claims[i].fault ? fault && !strcmp(fault, claims[i].fault) : !fault, "claim %d: %s",
               (int)i, fault ? fault : "good");
    }
    oracle_close(o);
}

/* Features at distance 3: a vertex over a face, and edges that cross over each other. */
static void test_near_points(void)
{
    static const struct {
        int edges;
        double point[6];
        const char *fault;
    } claims[] = {{0, {1, 1, 0, 1, 1, 3}, NULL},
                  {0, {1, 1 - 1e-6, 0, 1, 1, 3}, NULL}, /* no farther, except by rounding */
                  {0, {1, 0.5, 0, 1, 1, 3}, "two other points are nearer"},
                  {0, {1, 1, 1e-4, 1, 1, 3}, "a point is not on its feature"},
                  {0, {1, 1, 0, 1, 1, 3.1}, "a point is not on its feature"},
                  {0, {1, 1, 0, 1, 1, 0}, "a point is not on its feature"},
                  {0, {1, 1, 3, 1, 1, 0}, "the points are not in lexicographic order"},
                  {1, {2, 0, 0, 2, 0, 3}, NULL},
                  {1, {2, 0, 0, 2, 0.5, 3}, "two other points are nearer"},
                  {1, {2.5, 0, 0, 2.5, 0, 3}, "a point is not on its feature"}};
    static const double second[2][9] = {{1, 1, 6, 2, 0, 9, 0, 2, 9}, {2, -1, 6, 2, 1, 6, 2, 0, 9}};
    oracle *o = oracle_open();
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        couple c;
        couple_open(&c, second[claims[i].edges], -9);
        const truth_row row = {0, 1, 6, 1. / 3, -1, 3}, other = {0, 1, 7, 1. / 3, 0, 0};
        const truth_claim said = {.kind = claims[i].edges ? 7 : 6, .point = claims[i].point};
        const char *fault =
            truth_ccd_points_fault(o, &c.f[0], &c.f[1], claims[i].edges ? &other : &row, &said);
        EXPECT(claims[i].fault ? fault && !strcmp(fault, claims[i].fault) : !fault, "claim %d: %s",
               (int)i, fault ? fault : "good");
    }
    oracle_close(o);
}

/* The row of such a couple has the nearest features, of the least kind, at that time; with a
 * distance just below theirs there is no row. */
static void test_near_rows(void)
{
    static const double second[9] = {1, 1, 6, 2, 0, 9, 0, 2, 9};
    mem memory = {0};
    couple c;
    truth t;
    couple_open(&c, second, -4);
    for (int near = 0; near < 2; near++) {
        const imp_def def = {
            .continuous = 1, .dop_k = 6, .min_separation = near ? 2 : nextafter(2, 0)};
        CU_ASSERT_EQUAL_FATAL(truth_ccd_find(&memory, &c.f[0], &c.f[1], &def, NULL, 1, &t), 0);
        EXPECT(t.count == (size_t)near, "%d rows", (int)t.count);
        if (t.count)
            EXPECT(t.row[0].toi == 1 && t.row[0].kind == IMP_KIND_VERTEX_FACE &&
                       t.row[0].feature_a == -1 && t.row[0].feature_b == 3,
                   "kind %d, features %d %d at %.17g", t.row[0].kind, (int)t.row[0].feature_a,
                   (int)t.row[0].feature_b, t.row[0].toi);
        truth_free(&memory, &t);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"queries", test_oracle_ccd_queries},
                                 {"known", test_oracle_ccd_known},
                                 {"times", test_oracle_ccd_times},
                                 {"steps", test_oracle_ccd_steps},
                                 {"ties", test_ties},
                                 {"points", test_oracle_ccd_points},
                                 {"near_points", test_near_points},
                                 {"near_rows", test_near_rows},
                                 {0}};
    return test_main(argc, argv, "truth_ccd", tests);
}
