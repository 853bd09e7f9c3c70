/* Feature pairs in a step (feature_tests.h): with touches at known instants, in random meshes and
 * in real ones. Plain loops count the pairs; exact arithmetic confirms the verdicts; all devices
 * have the same lists. */
#include "expect.h"
#include "feature_scenes.h"
#include "ccd_cases.h"
#include "store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the truth */

/* Whether the boxes of the first n and of the other vertices overlap, each box over both frames. */
static int features_boxes_overlap(const exact_motion *m, int n)
{
    for (int k = 0; k < 3; k++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 8; i++) {
            double x = m->at[i / 4][i % 4].x[k];
            int of = i % 4 >= n;
            lo[of] = fmin(lo[of], x);
            hi[of] = fmax(hi[of], x);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0])
            return 0;
    }
    return 1;
}

/* Counts of the tested pairs and of those in contact, and of the rows of the answer that were
 * found. */
typedef struct sums {
    uint64_t counts[2], meet, seen[2];
} sums;

typedef struct checking {
    const feature_scene *s;
    const feature_answer *got;
    sums sum;
} checking;

/* Checks one pair of representative features. */
static void check_features_row(void *user, feature_row r)
{
    checking *c = user;
    const feature_scene *s = c->s;
    const feature_answer *got = c->got;
    sums *sum = &c->sum;
    uint32_t vertex[4];
    exact_motion m;
    double toi;
    int edges = FEATURE_KIND(r.code) == FEATURE_EDGES;
    if (!feature_vertices_both(s, r, vertex))
        return;
    feature_motion(s, vertex, &m);
    if (!features_boxes_overlap(&m, edges ? 2 : 3))
        return;
    sum->counts[edges]++;
    int meet = exact_ccd_first(edges ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m, &toi);
    sum->meet += meet != 0;
    feature_expect(got, r, meet, "meet", sum->seen);
}

/* Every pair of representative features of the candidates, and of each primitive with itself. */
static sums check_features_scene(const feature_scene *s, const feature_answer *got)
{
    checking c = {s, got, {{0}, 0, {0}}};
    features_each(s, check_features_row, &c);
    const sums *sum = &c.sum;
    EXPECT(!memcmp(sum->counts, got->counts, sizeof sum->counts),
           "%llu and %llu pairs of features, not %llu and %llu", (unsigned long long)got->counts[0],
           (unsigned long long)got->counts[1], (unsigned long long)sum->counts[0],
           (unsigned long long)sum->counts[1]);
    EXPECT(sum->seen[0] == got->n[0] && sum->seen[1] == got->n[1],
           "%zu meet and %zu undecided, of which %llu and %llu are pairs of features", got->n[0],
           got->n[1], (unsigned long long)sum->seen[0], (unsigned long long)sum->seen[1]);
    return c.sum;
}

static void print_sums(const char *what, const feature_answer *got, const sums *sum)
{
    uint64_t all = sum->counts[0] + sum->counts[1];
    printf("\n    %-22s %8llu pairs, %6llu meet, %5.2f %% undecided ", what,
           (unsigned long long)all, (unsigned long long)sum->meet,
           all ? 100.0 * (double)got->n[1] / (double)all : 0);
}

/* ---- touches at known instants */

/* Shears a case of integers so that products of its coordinates are rounded but nothing else
 * changes: a zero volume or area stays zero, and most others are small compared with their error.
 */
static void features_shear(moving_case *c, rng *r)
{
    exact_motion m = c->m;
    for (int step = 0; step < 4; step++) {
        uint32_t k = rng_below(r, 3), from = (k + 1 + rng_below(r, 2)) % 3;
        double by = 1 + rng_below(r, 2000), most = 0;
        for (int i = 0; i < 8; i++) {
            double *x = m.at[i / 4][i % 4].x;
            x[k] += by * x[from];
            most = fmax(most, fabs(x[k]));
        }
        if (most > 0x1p52)
            return;
        c->m = m;
    }
}

static void features_scale(moving_case *c, int by)
{
    for (int i = 0; i < 24; i++) {
        double *x = &c->m.at[i / 12][i / 3 % 4].x[i % 3];
        *x = ldexp(*x, by);
    }
}

static void features_try_touches(int class, uint32_t corners, uint32_t cases)
{
    feature_scene s = feature_scene_make(corners, 2 * corners * cases, 2 * cases, cases);
    feature_answer got;
    uint64_t meet = 0;
    for (uint32_t i = 0; i < cases; i++) {
        rng r = {i + ((uint64_t) class << 32) + corners};
        moving_case c;
        moving_case_make(class, &r, 0, &c);
        if (i % 4)
            features_shear(&c, &r);
        features_scale(&c, i % 16 ? (int)rng_below(&r, 81) - 90 : -(int)rng_below(&r, 1074));
        feature_put(&s, i, c.kind, &c.m, &r);
        meet += c.meet != 0;
    }
    features_ask_all(&s, &got);
    sums sum = check_features_scene(&s, &got);
    EXPECT(sum.meet == meet, "%llu meet, not %llu", (unsigned long long)sum.meet,
           (unsigned long long)meet);
    print_sums(moving_class_names[class], &got, &sum);
    feature_answer_free(&got);
    feature_scene_free(&s);
}

/* The line from a to b, and a vertex that moves along an axis through one of its points: seen along
 * that axis an area is zero all the time, except for rounding. */
static void along_axis(rng *r, moving_case *c)
{
    uint32_t k = rng_below(r, 3), i = (k + 1) % 3, j = (k + 2) % 3, u = rng_below(r, 5);
    c->kind = rng_below(r, 2) ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE;
    double x[4][3], by[2] = {rng_below(r, 1 << 20), rng_below(r, 1 << 20)};
    for (uint32_t n = 0; n < 12; n++)
        x[n / 3][n % 3] = 4.0 * (rng_below(r, 64) - 31.0);
    int v = c->kind == EXACT_EDGE_EDGE ? 2 : 3;
    for (int n = 0; n < 3; n++)
        x[v][n] = x[0][n] + u * (x[1][n] - x[0][n]) / 4;
    for (int n = 0; n < 4; n++) {
        x[n][i] += by[0] * x[n][j];
        x[n][j] += by[1] * x[n][i];
    }
    for (int n = 0; n < 24; n++)
        c->m.at[n / 12][n / 3 % 4].x[n % 3] = x[n / 3 % 4][n % 3];
    c->m.at[0][v].x[k] -= 1 + rng_below(r, 5000);
    c->m.at[1][v].x[k] += 1 + rng_below(r, 5000);
}

/* Two edges on either side of a plane normal to an axis, each with an end in it. At the start these
 * ends coincide. */
static void features_edge_sides(rng *r, moving_case *c)
{
    uint32_t k = rng_below(r, 3);
    c->kind = EXACT_EDGE_EDGE;
    for (int n = 0; n < 24; n++)
        c->m.at[n / 12][n / 3 % 4].x[n % 3] = ldexp(rng_unit(r), -(int)rng_below(r, 4));
    for (int t = 0; t < 2; t++) {
        exact_point *p = c->m.at[t];
        p[0].x[k] = p[1].x[k] - rng_unit(r);
        p[3].x[k] = p[1].x[k];
        p[2].x[k] = p[1].x[k] + rng_unit(r);
    }
    c->m.at[0][3] = c->m.at[0][1];
}

static void try_rounding(const char *name, void (*make)(rng *r, moving_case *c), uint32_t corners)
{
    const uint32_t cases = (uint32_t)test_cases(4000);
    feature_scene s = feature_scene_make(corners, 2 * corners * cases, 2 * cases, cases);
    feature_answer got;
    rng r = {corners};
    for (uint32_t i = 0; i < cases; i++) {
        moving_case c;
        make(&r, &c);
        features_scale(&c, -50);
        feature_put(&s, i, c.kind, &c.m, &r);
    }
    features_ask_all(&s, &got);
    sums sum = check_features_scene(&s, &got);
    CU_ASSERT(sum.meet > cases / 2);
    print_sums(name, &got, &sum);
    feature_answer_free(&got);
    feature_scene_free(&s);
}

/* Cases where only error bounds prevent a wrong verdict. */
static void test_features_rounding(void)
{
    for (uint32_t corners = 3; corners <= 4; corners++) {
        try_rounding("along an axis", along_axis, corners);
        try_rounding("beside", features_edge_sides, corners);
    }
}

static void test_features_touches(void)
{
    for (int class = 0; moving_class_names[class]; class ++)
        for (uint32_t corners = 3; corners <= 4; corners++)
            features_try_touches(class, corners, (uint32_t)test_cases(1000));
}

/* ---- random meshes */

static void test_features_meshes(void)
{
    static const uint32_t grids[] = {3, 6, 17, 0};
    for (uint32_t n = 0; n < 8; n++) {
        rng r = {n};
        feature_scene s = feature_scene_random(&r, 3 + n / 4, 40, grids[n % 4]);
        feature_answer got;
        char name[40];
        features_ask_all(&s, &got);
        sums sum = check_features_scene(&s, &got);
        snprintf(name, sizeof name, "%s, %u", s.corners == 3 ? "triangles" : "tetrahedra",
                 (unsigned)grids[n % 4]);
        print_sums(name, &got, &sum);
        feature_answer_free(&got);
        feature_scene_free(&s);
    }
}

/* Little memory: several pieces. Pairs of ranks: the same pairs of primitives. */
static void test_features_pieces(void)
{
    rng r = {77};
    feature_answer want, got;
    const way host = way_host();
    for (uint32_t corners = 3; corners <= 4; corners++) {
        feature_scene s = feature_scene_random(&r, corners, 60, 0);
        features_ask(&host, &s, &want);
        feature_answer_sort(&want);
        s.limit = (uint64_t)(want.n[0] + want.n[1]) * 24 + (96 << 10);
        s.prim = malloc(s.prims * sizeof *s.prim);
        for (uint32_t i = 0; i < s.prims; i++)
            s.prim[i] = s.prims - 1 - i;
        for (uint32_t i = 0; i < s.pairs; i++) {
            s.a[i] = s.prims - 1 - s.a[i];
            s.b[i] = s.prims - 1 - s.b[i];
        }
        features_ask_all(&s, &got);
        CU_ASSERT(feature_answers_equal(&want, &got));
        CU_ASSERT(want.n[0] > 100);
        feature_answer_free(&want);
        feature_answer_free(&got);
        feature_scene_free(&s);
    }
}

/* ---- real meshes */

static const struct real {
    const char *name;
    uint64_t counts[2], meet;
    double undecided; /* at most, per cent */
} reals[] = {{"cloth-funnel", {7319, 33770}, 134, 0.5},
             {"rod-twist", {448270, 2041334}, 4944, 0.01}};

static int real_scene(const char *name, feature_scene *s)
{
    char path[1000];
    mem m = {0};
    batch *b = NULL;
    batch_block block = {0};
    snprintf(path, sizeof path, "%s/%s.vtkhdf", test_data(), name);
    int err = batch_open(&m, path, BATCH_OBJECT_ID, "", &b);
    err = err ? err : batch_read(b, 0, 1, 2, &block);
    if (!err) {
        const imp_mesh *mesh = block.frame[0].mesh;
        *s = feature_scene_make(3, mesh->vertices, mesh->primitives, 1u << 22);
        memcpy(s->corner, mesh->corner, 3 * (size_t)s->prims * sizeof *s->corner);
        for (uint32_t i = 0; i < 6 * s->verts; i++) /* a power of two that scales to [-1, 1] */
            s->at[i / (3 * s->verts)][i % (3 * s->verts)] =
                0.25 * ((const double *)block.frame[i / (3 * s->verts)].point)[i % (3 * s->verts)];
    }
    batch_block_free(&block);
    batch_close(b);
    return err;
}

/* An edge or a corner, and its primitive. */
typedef struct place {
    uint32_t low, high, prim, number;
} place;

static int place_order(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(place));
}

static void own_real(feature_scene *s)
{
    place *e = malloc(6 * (size_t)s->prims * sizeof *e);
    for (uint32_t i = 0; i < 3 * s->prims; i++) {
        uint32_t p = i / 3, k = i % 3, v = s->corner[i], w = s->corner[3 * p + (k + 1) % 3];
        e[2 * i] = (place){v, v, p, k};
        e[2 * i + 1] = (place){v < w ? v : w, v < w ? w : v, p, k};
        s->owned[p] = REP_FACE(0);
    }
    /* memcmp orders by bytes: with swapped bytes, equal edges are also in order of primitives */
    for (uint32_t i = 0; i < 6 * s->prims; i++)
        e[i].prim = __builtin_bswap32(e[i].prim);
    qsort(e, 6 * (size_t)s->prims, sizeof *e, place_order);
    for (uint32_t i = 0; i < 6 * s->prims; i++)
        if (!i || memcmp(&e[i], &e[i - 1], 2 * sizeof(uint32_t)) != 0)
            s->owned[__builtin_bswap32(e[i].prim)] |=
                e[i].low == e[i].high ? REP_CORNER(e[i].number) : REP_EDGE(e[i].number);
    free(e);
}

/* A primitive's box over both frames. */
typedef struct swept_box {
    double lo[3], hi[3];
    uint32_t prim;
} swept_box;

static int box_order(const void *p, const void *q)
{
    const swept_box *x = p, *y = q;
    return (x->lo[0] > y->lo[0]) - (x->lo[0] < y->lo[0]);
}

static swept_box *real_boxes(const feature_scene *s)
{
    swept_box *box = malloc(s->prims * sizeof *box);
    for (uint32_t p = 0; p < s->prims; p++) {
        box[p] = (swept_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, p};
        for (uint32_t i = 0; i < 18; i++) {
            double x = s->at[i / 9][3 * (size_t)s->corner[3 * p + i / 3 % 3] + i % 3];
            box[p].lo[i % 3] = fmin(box[p].lo[i % 3], x);
            box[p].hi[i % 3] = fmax(box[p].hi[i % 3], x);
        }
    }
    qsort(box, s->prims, sizeof *box, box_order);
    return box;
}

/* All pairs of triangles whose swept boxes overlap, including neighbours. */
static void real_candidates(feature_scene *s)
{
    swept_box *box = real_boxes(s);
    s->pairs = 0;
    for (uint32_t i = 0; i < s->prims; i++)
        for (uint32_t j = i + 1; j < s->prims && box[j].lo[0] <= box[i].hi[0]; j++) {
            if (box[i].lo[1] > box[j].hi[1] || box[j].lo[1] > box[i].hi[1] ||
                box[i].lo[2] > box[j].hi[2] || box[j].lo[2] > box[i].hi[2])
                continue;
            uint32_t a = box[i].prim, b = box[j].prim;
            s->a[s->pairs] = a < b ? a : b;
            s->b[s->pairs++] = a < b ? b : a;
        }
    free(box);
}

/* The number of undecided pairs that are in contact. */
static uint64_t decide_rest(const feature_scene *s, const feature_answer *got)
{
    uint64_t meet = 0;
    for (size_t i = 0; i < got->n[1]; i++) {
        uint32_t vertex[4];
        exact_motion m;
        double toi;
        feature_vertices_both(s, got->row[1][i], vertex);
        feature_motion(s, vertex, &m);
        meet +=
            exact_ccd_first(FEATURE_KIND(got->row[1][i].code) == FEATURE_EDGES ? EXACT_EDGE_EDGE
                                                                               : EXACT_VERTEX_FACE,
                            &m, &toi) != 0;
    }
    return meet;
}

static void try_real(const struct real *q)
{
    feature_scene s;
    feature_answer got;
    int err = real_scene(q->name, &s);
    EXPECT(!err, "%s", imp_error_text());
    if (err)
        return;
    own_real(&s);
    real_candidates(&s);
    features_ask_all(&s, &got);
    sums sum = {.counts = {got.counts[0], got.counts[1]}, .meet = got.n[0] + decide_rest(&s, &got)};
    if (test_count(1) > 1 || s.prims < 20000)
        sum = check_features_scene(&s, &got);
    print_sums(q->name, &got, &sum);
    EXPECT(!memcmp(got.counts, q->counts, sizeof q->counts) && sum.meet == q->meet,
           "%s: %llu and %llu pairs, %llu meet", q->name, (unsigned long long)got.counts[0],
           (unsigned long long)got.counts[1], (unsigned long long)sum.meet);
    CU_ASSERT(100.0 * (double)got.n[1] <= q->undecided * (double)(q->counts[0] + q->counts[1]));
    feature_answer_free(&got);
    feature_scene_free(&s);
}

static void test_features_real(void)
{
    if (!test_data())
        SKIP("shared/data is not here");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        try_real(&reals[i]);
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"touches", test_features_touches}, {"rounding", test_features_rounding},
        {"meshes", test_features_meshes},   {"pieces", test_features_pieces},
        {"real", test_features_real},       {0}};
    return test_main(argc, argv, "features", tests);
}
