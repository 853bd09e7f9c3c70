/* Pairs of features between two instants (feature.h): of touches whose instant is known, of random
 * meshes, and of real ones. Which pairs there are is counted by plain loops; what is apart or meets
 * is so by exact arithmetic; all devices have the same lists. */
#include "expect.h"
#include "feature.h"
#include "moving_cases.h"
#include "store.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scenes, and lists of pairs of features */

typedef struct scene {
    uint32_t corners, verts, prims, pairs;
    double *at[2];           /* [3 * verts] */
    uint32_t *corner;        /* [corners * prims] */
    uint32_t *owned, *a, *b; /* [prims], [pairs] */
    uint32_t *prim;          /* candidates are of ranks of these prims; NULL: of prims */
    uint64_t limit;          /* of memory beside the scene; 0: none */
} scene;

typedef struct row {
    uint32_t a, b, code;
} row;

typedef struct answer {
    row *row[2]; /* that meet, that are undecided */
    size_t n[2];
    uint64_t counts[2];
} answer;

static void scene_free(scene *s)
{
    void *all[] = {s->at[0], s->at[1], s->corner, s->owned, s->a, s->b, s->prim};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *s = (scene){0};
}

static void answer_free(answer *r)
{
    free(r->row[0]);
    free(r->row[1]);
    *r = (answer){0};
}

static scene scene_make(uint32_t corners, uint32_t verts, uint32_t prims, uint32_t most)
{
    scene s = {.corners = corners, .verts = verts, .prims = prims, .pairs = most};
    s.at[0] = calloc(3 * (size_t)verts, sizeof(double));
    s.at[1] = calloc(3 * (size_t)verts, sizeof(double));
    s.corner = calloc((size_t)corners * prims, sizeof *s.corner);
    s.owned = calloc(prims, sizeof *s.owned);
    s.a = calloc(most + 1, sizeof *s.a);
    s.b = calloc(most + 1, sizeof *s.b);
    CU_ASSERT_FATAL(s.at[0] && s.at[1] && s.corner && s.owned && s.a && s.b);
    return s;
}

/* ---- the stage */

static int row_order(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(row));
}

static int read_rows(device *d, const feature_pairs *p, row **out, size_t *n)
{
    *n = (size_t)p->count;
    *out = malloc((*n + 1) * sizeof **out);
    uint32_t *word = malloc((*n + 1) * sizeof *word);
    const buffer_u32 *from[] = {&p->a, &p->b, &p->code};
    int err = *out && word ? IMP_OK : IMP_ERR_MEMORY;
    for (int c = 0; c < 3 && !err && *n; c++) {
        err = buffer_read(d, from[c], 0, word, *n);
        for (size_t i = 0; i < *n; i++)
            (c == 0 ? &(*out)[i].a : c == 1 ? &(*out)[i].b : &(*out)[i].code)[0] = word[i];
    }
    free(word);
    return err;
}

/* What the devices of a way need. */
typedef struct stage {
    mem mem;
    context c;
    view v;
    bounds o;
    buffer_u32 owned, prim;
    candidates found;
    ranks by;
    features s;
} stage;

static int stage_load(stage *t, const scene *s)
{
    device *d = t->c.dev64;
    int err = buffer_put(d, &t->o.x, s->at[0], 3 * (size_t)s->verts);
    err = err ? err : buffer_put(d, &t->o.x_to, s->at[1], 3 * (size_t)s->verts);
    err = err ? err : buffer_put(d, &t->o.on64.corner, s->corner, (size_t)s->corners * s->prims);
    err = err ? err : buffer_put(d, &t->owned, s->owned, s->prims);
    err = err ? err : buffer_put(t->c.dev, &t->found.of.a, s->a, s->pairs);
    err = err ? err : buffer_put(t->c.dev, &t->found.of.b, s->b, s->pairs);
    t->found.of.count = s->pairs;
    if (s->prim && !err) {
        err = buffer_put(d, &t->prim, s->prim, s->prims);
        t->by.prim = &t->prim;
        t->found.ranks = &t->by;
    }
    return err;
}

static int stage_run(stage *t, const scene *s, answer *out)
{
    int err = stage_load(t, s);
    if (s->limit)
        t->mem.limit = t->mem.now + s->limit;
    err = err ? err : features_begin(&t->c, &t->v, &t->o, &t->s);
    err =
        err ? err : features_collect(&t->c, &t->v, &t->o, &t->owned, &t->found, &t->s, out->counts);
    err = err ? err
              : features_collect_selves(&t->c, &t->v, &t->o, &t->owned, 0, s->prims, &t->s,
                                        out->counts);
    err = err ? err : read_rows(t->c.dev64, &t->s.meet, &out->row[0], &out->n[0]);
    return err ? err : read_rows(t->c.dev64, &t->s.undecided, &out->row[1], &out->n[1]);
}

static void stage_free(stage *t)
{
    features_free(&t->c, &t->s);
    buffer_free(t->c.dev64, &t->o.x);
    buffer_free(t->c.dev64, &t->o.x_to);
    buffer_free(t->c.dev64, &t->o.on64.corner);
    buffer_free(t->c.dev64, &t->owned);
    buffer_free(t->c.dev64, &t->prim);
    pairs_free(t->c.dev, &t->found.of);
    if (t->c.dev != t->c.dev64)
        device_close(t->c.dev64);
    device_close(t->c.dev);
}

/* A device without float64 finds candidates only; the host does the rest. */
static void ask(const way *w, const scene *s, answer *out)
{
    static atomic_int cancel;
    const way host = way_host();
    stage *t = calloc(1, sizeof *t);
    *out = (answer){0};
    CU_ASSERT_FATAL(t != NULL);
    t->mem = (mem){.limit = mem_machine()};
    device *d = way_open(w, &t->mem, &cancel);
    CU_ASSERT_FATAL(d != NULL);
    t->c = (context){
        .mem = &t->mem, .dev = d, .dev64 = d->fp64 ? d : way_open(&host, &t->mem, &cancel)};
    t->v = (view){.corners = s->corners, .verts = s->verts, .prims = s->prims, .frames = 1};
    int err = stage_run(t, s, out);
    if (err)
        way_failed(w, NULL, "features", imp_error_text());
    stage_free(t);
    CU_ASSERT_EQUAL(t->mem.now, 0);
    free(t);
}

static int answers_equal(const answer *x, const answer *y)
{
    int same = !memcmp(x->counts, y->counts, sizeof x->counts);
    for (int i = 0; i < 2 && same; i++)
        same = x->n[i] == y->n[i] && !memcmp(x->row[i], y->row[i], x->n[i] * sizeof(row));
    return same;
}

static void answer_sort(answer *r)
{
    for (int i = 0; i < 2; i++)
        qsort(r->row[i], r->n[i], sizeof(row), row_order);
}

/* The answer of way 0, sorted: the order depends on the pieces that candidates are cut into. All
 * others must be the same to the last byte. */
static void ask_all(const scene *s, answer *out)
{
    way all[WAYS_MOST];
    size_t n = ways_find(all);
    ask(&all[0], s, out);
    answer_sort(out);
    for (size_t w = 1; w < n; w++) {
        answer other;
        ask(&all[w], s, &other);
        answer_sort(&other);
        if (!answers_equal(out, &other))
            way_failed(&all[w], NULL, "features", "other pairs than those of the host");
        answer_free(&other);
    }
}

/* ---- the truth */

static const uint32_t edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint32_t tet_faces[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
static const uint32_t triangle[3] = {0, 1, 2};

/* The vertices of feature i of primitive p: of a corner, a face or an edge. Returns how many. */
static uint32_t vertices_of(const scene *s, uint32_t p, int face, int edge, uint32_t i,
                            uint32_t out[3])
{
    const uint32_t *c = s->corner + (size_t)s->corners * p;
    const uint32_t *local = edge              ? edge_ends[i]
                            : !face           ? &i
                            : s->corners == 3 ? triangle
                                              : tet_faces[i];
    uint32_t n = edge ? 2 : face ? 3 : 1;
    for (uint32_t k = 0; k < n; k++)
        out[k] = c[local[k]];
    return n;
}

/* Vertices of both features, the face or the first edge before the other; returns 0 if they share
 * one. */
static int vertices_both(const scene *s, row r, uint32_t out[4])
{
    uint32_t kind = FEATURE_KIND(r.code), p[3], q[3];
    uint32_t n = vertices_of(s, r.a, kind == FEATURE_FACE_CORNER, kind == FEATURE_EDGES,
                             FEATURE_I(r.code), p);
    uint32_t m = vertices_of(s, r.b, kind == FEATURE_CORNER_FACE, kind == FEATURE_EDGES,
                             FEATURE_J(r.code), q);
    int swap = kind == FEATURE_CORNER_FACE;
    memcpy(out, swap ? q : p, (swap ? m : n) * sizeof *out);
    memcpy(out + (swap ? m : n), swap ? p : q, (swap ? n : m) * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++)
            if (p[i] == q[j])
                return 0;
    return 1;
}

static void motion_of(const scene *s, const uint32_t vertex[4], exact_motion *m)
{
    for (uint32_t i = 0; i < 24; i++)
        m->at[i / 12][i / 3 % 4].x[i % 3] = s->at[i / 12][3 * (size_t)vertex[i / 3 % 4] + i % 3];
}

/* Do closed boxes of the first n and of the other vertices overlap, over both instants? */
static int boxes_overlap(const exact_motion *m, int n)
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

static int listed(const answer *r, int of, row x)
{
    return r->n[of] && bsearch(&x, r->row[of], r->n[of], sizeof x, row_order) != NULL;
}

/* What was found of all that is looked at, and what was seen of the answer. */
typedef struct sums {
    uint64_t counts[2], meet, seen[2];
} sums;

/* One pair of owned features. */
static void check_row(const scene *s, const answer *got, row r, sums *sum)
{
    uint32_t vertex[4];
    exact_motion m;
    double share;
    int edges = FEATURE_KIND(r.code) == FEATURE_EDGES;
    if (!vertices_both(s, r, vertex))
        return;
    motion_of(s, vertex, &m);
    if (!boxes_overlap(&m, edges ? 2 : 3))
        return;
    sum->counts[edges]++;
    int meet = exact_moving(edges ? EXACT_EDGE_EDGE : EXACT_VERTEX_FACE, &m, &share);
    int says[2] = {listed(got, 0, r), listed(got, 1, r)};
    sum->meet += meet != 0;
    sum->seen[0] += says[0] != 0;
    sum->seen[1] += says[1] != 0;
    EXPECT(says[1] || says[0] == meet, "%u, %u, code %x: says %s, exact %d", r.a, r.b, r.code,
           says[0] ? "meet" : "apart", meet);
    EXPECT(!(says[0] && says[1]), "%u, %u, code %x: twice", r.a, r.b, r.code);
}

static void check_pair(const scene *s, const answer *got, uint32_t a, uint32_t b, sums *sum)
{
    const uint32_t p = s->owned[a], q = s->owned[b];
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 6; j++) {
            uint32_t code = i << 4 | j;
            if (i < 4 && j < 4 && p & OWNED_CORNER(i) && q & OWNED_FACE(j))
                check_row(s, got, (row){a, b, FEATURE_CORNER_FACE << 8 | code}, sum);
            if (i < 4 && j < 4 && a != b && p & OWNED_FACE(i) && q & OWNED_CORNER(j))
                check_row(s, got, (row){a, b, FEATURE_FACE_CORNER << 8 | code}, sum);
            if (p & OWNED_EDGE(i) && q & OWNED_EDGE(j) && (a != b || i < j))
                check_row(s, got, (row){a, b, FEATURE_EDGES << 8 | code}, sum);
        }
}

/* Every pair of owned features of the candidates, and of each primitive with itself. */
static sums check_scene(const scene *s, const answer *got)
{
    sums sum = {0};
    for (uint32_t i = 0; i < s->pairs; i++) {
        uint32_t a = s->a[i], b = s->b[i];
        check_pair(s, got, s->prim ? s->prim[a] : a, s->prim ? s->prim[b] : b, &sum);
    }
    for (uint32_t p = 0; p < s->prims && s->corners == 4; p++)
        check_pair(s, got, p, p, &sum);
    EXPECT(!memcmp(sum.counts, got->counts, sizeof sum.counts),
           "%llu and %llu pairs of features, not %llu and %llu", (unsigned long long)got->counts[0],
           (unsigned long long)got->counts[1], (unsigned long long)sum.counts[0],
           (unsigned long long)sum.counts[1]);
    EXPECT(sum.seen[0] == got->n[0] && sum.seen[1] == got->n[1],
           "%zu meet and %zu undecided, of which %llu and %llu are pairs of features", got->n[0],
           got->n[1], (unsigned long long)sum.seen[0], (unsigned long long)sum.seen[1]);
    return sum;
}

static void print_sums(const char *what, const answer *got, const sums *sum)
{
    uint64_t all = sum->counts[0] + sum->counts[1];
    printf("\n    %-22s %8llu pairs, %6llu meet, %5.2f %% undecided ", what,
           (unsigned long long)all, (unsigned long long)sum->meet,
           all ? 100.0 * (double)got->n[1] / (double)all : 0);
}

/* ---- touches at known instants */

/* A case as candidate i: its features have random numbers within two primitives, whose other
 * corners are anywhere. */
static void put_case(scene *s, uint32_t i, const moving_case *c, rng *r)
{
    const uint32_t n = s->corners, other = rng_below(r, 2);
    const uint32_t from = 2 * n * i, p = 2 * i + other, q = 2 * i + !other;
    const int edges = c->kind == EXACT_EDGE_EDGE;
    uint32_t face = n == 3 ? 0 : rng_below(r, 4), point = rng_below(r, n);
    uint32_t e[2] = {rng_below(r, n == 3 ? 3 : 6), rng_below(r, n == 3 ? 3 : 6)}, first[3], last[3];
    for (uint32_t k = 0; k < 2 * n; k++)
        s->corner[from + k] = from + k;
    for (uint32_t k = 0; k < 6 * n; k++)
        s->at[0][3 * from + k] = s->at[1][3 * from + k] = c->m.at[0][0].x[k % 3];
    s->owned[p] = edges ? OWNED_EDGE(e[0]) : OWNED_FACE(face);
    s->owned[q] = edges ? OWNED_EDGE(e[1]) : OWNED_CORNER(point);
    vertices_of(s, p, 1, edges, edges ? e[0] : face, first);
    vertices_of(s, q, 0, edges, edges ? e[1] : point, last);
    for (int k = 0; k < 4; k++) {
        uint32_t v = edges ? (k < 2 ? first[k] : last[k - 2]) : k < 3 ? first[k] : last[0];
        for (int t = 0; t < 2; t++)
            memcpy(s->at[t] + 3 * (size_t)v, c->m.at[t][k].x, sizeof c->m.at[t][k].x);
    }
    s->a[i] = 2 * i;
    s->b[i] = 2 * i + 1;
}

/* Shears a case of integers so that products of its coordinates are rounded but nothing else
 * changes: what was a volume or an area of 0 still is, and most others are small beside their
 * error. */
static void shear(moving_case *c, rng *r)
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

static void scale(moving_case *c, int by)
{
    for (int i = 0; i < 24; i++) {
        double *x = &c->m.at[i / 12][i / 3 % 4].x[i % 3];
        *x = ldexp(*x, by);
    }
}

static void try_touches(int class, uint32_t corners, uint32_t cases)
{
    scene s = scene_make(corners, 2 * corners * cases, 2 * cases, cases);
    answer got;
    uint64_t meet = 0;
    for (uint32_t i = 0; i < cases; i++) {
        rng r = {i + ((uint64_t) class << 32) + corners};
        moving_case c;
        moving_case_make(class, &r, 0, &c);
        if (i % 4)
            shear(&c, &r);
        scale(&c, i % 16 ? (int)rng_below(&r, 81) - 90 : -(int)rng_below(&r, 1074));
        put_case(&s, i, &c, &r);
        meet += c.meet != 0;
    }
    ask_all(&s, &got);
    sums sum = check_scene(&s, &got);
    EXPECT(sum.meet == meet, "%llu meet, not %llu", (unsigned long long)sum.meet,
           (unsigned long long)meet);
    print_sums(moving_class_names[class], &got, &sum);
    answer_free(&got);
    scene_free(&s);
}

/* The line from a to b, and a vertex that goes along an axis through one of its points, or ends
 * there: seen along that axis an area is 0 all the time, but for rounding. */
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

/* Two edges on two sides of a plane across an axis, with an end of each in it. These ends are one
 * point at the start. */
static void beside(rng *r, moving_case *c)
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
    scene s = scene_make(corners, 2 * corners * cases, 2 * cases, cases);
    answer got;
    rng r = {corners};
    for (uint32_t i = 0; i < cases; i++) {
        moving_case c;
        make(&r, &c);
        scale(&c, -50);
        put_case(&s, i, &c, &r);
    }
    ask_all(&s, &got);
    sums sum = check_scene(&s, &got);
    CU_ASSERT(sum.meet > cases / 2);
    print_sums(name, &got, &sum);
    answer_free(&got);
    scene_free(&s);
}

/* Where only bounds on errors keep a wrong verdict away. */
static void test_rounding(void)
{
    for (uint32_t corners = 3; corners <= 4; corners++) {
        try_rounding("along an axis", along_axis, corners);
        try_rounding("beside", beside, corners);
    }
}

static void test_touches(void)
{
    for (int class = 0; moving_class_names[class]; class ++)
        for (uint32_t corners = 3; corners <= 4; corners++)
            try_touches(class, corners, (uint32_t)test_cases(1000));
}

/* ---- random meshes */

/* Has an earlier primitive, or an earlier feature of this one, the same vertices? */
static int feature_new(const scene *s, uint32_t p, int face, int edge, uint32_t i)
{
    uint32_t mine[3], its[3], n = vertices_of(s, p, face, edge, i, mine);
    const uint32_t all = edge                      ? (s->corners == 3 ? 3 : 6)
                         : face && s->corners == 3 ? 1
                                                   : s->corners;
    for (uint32_t q = 0; q <= p; q++)
        for (uint32_t j = 0; j < all && (q < p || j < i); j++) {
            uint32_t same = 0;
            vertices_of(s, q, face, edge, j, its);
            for (uint32_t k = 0; k < n * n; k++)
                same += mine[k / n] == its[k % n];
            if (same == n)
                return 0;
        }
    return 1;
}

/* Each feature belongs to the first primitive that has it. Triangles among tetrahedra have edges
 * 0, 1, 2 and face 3. */
static void own_features(scene *s)
{
    for (uint32_t p = 0; p < s->prims; p++) {
        const uint32_t *c = s->corner + (size_t)s->corners * p;
        const int flat = s->corners == 3 || c[2] == c[3];
        for (uint32_t i = 0; i < (flat ? 3 : 4); i++)
            s->owned[p] |= feature_new(s, p, 0, 0, i) ? OWNED_CORNER(i) : 0;
        for (uint32_t i = 0; i < (flat ? 3 : 6); i++)
            s->owned[p] |= feature_new(s, p, 0, 1, i) ? OWNED_EDGE(i) : 0;
        for (uint32_t i = flat && s->corners == 4 ? 3 : 0; i < (s->corners == 3 ? 1 : 4); i++)
            s->owned[p] |= feature_new(s, p, 1, 0, i) ? OWNED_FACE(i) : 0;
    }
}

static double random_place(rng *r, uint32_t grid)
{
    return grid ? rng_below(r, grid) * 0.0625 : 2 * rng_unit(r) - 1;
}

/* All pairs of primitives are candidates. grid: coordinates are multiples of 1/16; 0: any. */
static scene random_scene(rng *r, uint32_t corners, uint32_t prims, uint32_t grid)
{
    scene s = scene_make(corners, prims, prims, prims * (prims - 1) / 2);
    for (uint32_t i = 0; i < 3 * s.verts; i++) {
        s.at[0][i] = random_place(r, grid);
        s.at[1][i] = rng_below(r, 4) ? random_place(r, grid) : s.at[0][i];
    }
    for (uint32_t p = 0; p < prims; p++) {
        uint32_t *c = s.corner + (size_t)corners * p, flat = corners == 4 && !rng_below(r, 4);
        for (uint32_t k = 0; k < corners; k++)
            do
                c[k] = rng_below(r, s.verts);
            while ((k > 0 && c[k] == c[0]) || (k > 1 && c[k] == c[1]) || (k > 2 && c[k] == c[2]));
        if (flat)
            c[3] = c[2];
    }
    for (uint32_t b = 1, i = 0; b < prims; b++)
        for (uint32_t a = 0; a < b; a++, i++) {
            s.a[i] = a;
            s.b[i] = b;
        }
    own_features(&s);
    return s;
}

static void test_meshes(void)
{
    static const uint32_t grids[] = {3, 6, 17, 0};
    for (uint32_t n = 0; n < 8; n++) {
        rng r = {n};
        scene s = random_scene(&r, 3 + n / 4, 40, grids[n % 4]);
        answer got;
        char name[40];
        ask_all(&s, &got);
        sums sum = check_scene(&s, &got);
        snprintf(name, sizeof name, "%s, %u", s.corners == 3 ? "triangles" : "tetrahedra",
                 (unsigned)grids[n % 4]);
        print_sums(name, &got, &sum);
        answer_free(&got);
        scene_free(&s);
    }
}

/* Little memory: several pieces. Pairs of ranks: the same pairs of prims. */
static void test_pieces(void)
{
    rng r = {77};
    answer want, got;
    const way host = way_host();
    for (uint32_t corners = 3; corners <= 4; corners++) {
        scene s = random_scene(&r, corners, 60, 0);
        ask(&host, &s, &want);
        answer_sort(&want);
        s.limit = (uint64_t)(want.n[0] + want.n[1]) * 24 + (96 << 10);
        s.prim = malloc(s.prims * sizeof *s.prim);
        for (uint32_t i = 0; i < s.prims; i++)
            s.prim[i] = s.prims - 1 - i;
        for (uint32_t i = 0; i < s.pairs; i++) {
            s.a[i] = s.prims - 1 - s.a[i];
            s.b[i] = s.prims - 1 - s.b[i];
        }
        ask_all(&s, &got);
        CU_ASSERT(answers_equal(&want, &got));
        CU_ASSERT(want.n[0] > 100);
        answer_free(&want);
        answer_free(&got);
        scene_free(&s);
    }
}

/* ---- real meshes */

static const struct real {
    const char *name;
    uint64_t counts[2], meet;
    double undecided; /* at most, per cent */
} reals[] = {{"cloth-funnel", {7319, 33770}, 134, 0.5},
             {"rod-twist", {448270, 2041334}, 4944, 0.01}};

static int real_scene(const char *name, scene *s)
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
        *s = scene_make(3, mesh->vertices, mesh->primitives, 1u << 22);
        memcpy(s->corner, mesh->corner, 3 * (size_t)s->prims * sizeof *s->corner);
        for (uint32_t i = 0; i < 6 * s->verts; i++) /* a power of two that takes all into [-1, 1] */
            s->at[i / (3 * s->verts)][i % (3 * s->verts)] =
                0.25 * ((const double *)block.frame[i / (3 * s->verts)].point)[i % (3 * s->verts)];
    }
    batch_block_free(&block);
    batch_close(b);
    return err;
}

/* An edge, or a corner, and where it is. */
typedef struct place {
    uint32_t low, high, prim, number;
} place;

static int place_order(const void *p, const void *q)
{
    return memcmp(p, q, sizeof(place));
}

static void own_real(scene *s)
{
    place *e = malloc(6 * (size_t)s->prims * sizeof *e);
    for (uint32_t i = 0; i < 3 * s->prims; i++) {
        uint32_t p = i / 3, k = i % 3, v = s->corner[i], w = s->corner[3 * p + (k + 1) % 3];
        e[2 * i] = (place){v, v, p, k};
        e[2 * i + 1] = (place){v < w ? v : w, v < w ? w : v, p, k};
        s->owned[p] = OWNED_FACE(0);
    }
    /* numbers are compared as bytes, so only equal ones come together: in order of prims as well,
     * after a turn of their bytes */
    for (uint32_t i = 0; i < 6 * s->prims; i++)
        e[i].prim = __builtin_bswap32(e[i].prim);
    qsort(e, 6 * (size_t)s->prims, sizeof *e, place_order);
    for (uint32_t i = 0; i < 6 * s->prims; i++)
        if (!i || memcmp(&e[i], &e[i - 1], 2 * sizeof(uint32_t)) != 0)
            s->owned[__builtin_bswap32(e[i].prim)] |=
                e[i].low == e[i].high ? OWNED_CORNER(e[i].number) : OWNED_EDGE(e[i].number);
    free(e);
}

/* A primitive's box over both instants. */
typedef struct swept_box {
    double lo[3], hi[3];
    uint32_t prim;
} swept_box;

static int box_order(const void *p, const void *q)
{
    const swept_box *x = p, *y = q;
    return (x->lo[0] > y->lo[0]) - (x->lo[0] < y->lo[0]);
}

static swept_box *real_boxes(const scene *s)
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

/* All pairs of triangles whose boxes overlap, neighbours too. */
static void real_candidates(scene *s)
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

/* How many of the undecided meet. */
static uint64_t decide_rest(const scene *s, const answer *got)
{
    uint64_t meet = 0;
    for (size_t i = 0; i < got->n[1]; i++) {
        uint32_t vertex[4];
        exact_motion m;
        double share;
        vertices_both(s, got->row[1][i], vertex);
        motion_of(s, vertex, &m);
        meet += exact_moving(FEATURE_KIND(got->row[1][i].code) == FEATURE_EDGES ? EXACT_EDGE_EDGE
                                                                                : EXACT_VERTEX_FACE,
                             &m, &share) != 0;
    }
    return meet;
}

static void try_real(const struct real *q)
{
    scene s;
    answer got;
    int err = real_scene(q->name, &s);
    EXPECT(!err, "%s", imp_error_text());
    if (err)
        return;
    own_real(&s);
    real_candidates(&s);
    ask_all(&s, &got);
    sums sum = {.counts = {got.counts[0], got.counts[1]}, .meet = got.n[0] + decide_rest(&s, &got)};
    if (test_count(1) > 1 || s.prims < 20000)
        sum = check_scene(&s, &got);
    print_sums(q->name, &got, &sum);
    EXPECT(!memcmp(got.counts, q->counts, sizeof q->counts) && sum.meet == q->meet,
           "%s: %llu and %llu pairs, %llu meet", q->name, (unsigned long long)got.counts[0],
           (unsigned long long)got.counts[1], (unsigned long long)sum.meet);
    CU_ASSERT(100.0 * (double)got.n[1] <= q->undecided * (double)(q->counts[0] + q->counts[1]));
    answer_free(&got);
    scene_free(&s);
}

static void test_real(void)
{
    if (!test_data())
        SKIP("shared/data is not here");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        try_real(&reals[i]);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"touches", test_touches}, {"rounding", test_rounding},
                                 {"meshes", test_meshes},   {"pieces", test_pieces},
                                 {"real", test_real},       {0}};
    return test_main(argc, argv, "features", tests);
}
