/* See feature_scenes.h. */
#include "feature_scenes.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

/* ---- scenes and answers */

void feature_scene_free(feature_scene *s)
{
    void *all[] = {s->at[0], s->at[1], s->corner, s->owned, s->a, s->b, s->prim};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *s = (feature_scene){0};
}

void feature_answer_free(feature_answer *r)
{
    free(r->row[0]);
    free(r->row[1]);
    *r = (feature_answer){0};
}

feature_scene feature_scene_make(uint32_t corners, uint32_t verts, uint32_t prims, uint32_t most)
{
    feature_scene s = {.corners = corners, .verts = verts, .prims = prims, .pairs = most};
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
    return memcmp(p, q, sizeof(feature_row));
}

static int read_rows(device *d, const feature_pairs *p, feature_row **out, size_t *n)
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

/* The stage's data for a way's devices. */
typedef struct stage {
    mem mem;
    context c;
    block_view v;
    bounds o;
    buffer_u32 owned, prim;
    candidates found;
    ranks by;
    feature_tests s;
    double scale[2], centre[3];
} stage;

static int stage_load(stage *t, const feature_scene *s)
{
    device *d = t->c.dev64;
    int err = buffer_put(d, &t->o.x, s->at[0], 3 * (size_t)s->verts);
    err = err ? err : buffer_put(d, &t->o.x_to, s->at[1], 3 * (size_t)s->verts);
    err = err ? err : buffer_put(d, &t->o.on64.corner, s->corner, (size_t)s->corners * s->prims);
    err = err ? err : buffer_put(d, &t->owned, s->owned, s->prims);
    err = err ? err : buffer_put(d, &t->o.on64.prim0, t->v.prim0, 2);
    /* only the host has pairs of ranks */
    uint32_t *prims[2] = {NULL};
    for (int side = 0; s->prim && d->groups && side < 2; side++) {
        const uint32_t *rank = side ? s->b : s->a;
        prims[side] = malloc((s->pairs + !s->pairs) * sizeof **prims);
        for (uint32_t i = 0; i < s->pairs; i++)
            prims[side][i] = s->prim[rank[i]];
    }
    err = err ? err : buffer_put(t->c.dev, &t->found.of.a, prims[0] ? prims[0] : s->a, s->pairs);
    err = err ? err : buffer_put(t->c.dev, &t->found.of.b, prims[1] ? prims[1] : s->b, s->pairs);
    t->found.of.count = s->pairs;
    if (s->prim && !d->groups && !err) {
        err = buffer_put(d, &t->prim, s->prim, s->prims);
        t->by.prim = &t->prim;
        t->found.ranks = &t->by;
    }
    free(prims[0]);
    free(prims[1]);
    return err;
}

static int stage_run(stage *t, const feature_scene *s, feature_answer *out)
{
    imp_frame_info info = {0};
    pairs *from = NULL;
    int err = stage_load(t, s);
    if (s->limit)
        t->mem.limit = t->mem.now + s->limit;
    err = err ? err : feature_tests_begin(&t->c, &t->v, &t->o, &t->s);
    err = err ? err : feature_tests_candidates(&t->c, &t->found, &t->s, &from);
    err = err ? err
              : feature_tests_collect(&t->c, &t->v, &t->o, &t->owned, from, 0, from->count, &t->s,
                                      &info);
    err = err ? err : feature_tests_selves(&t->c, &t->v, 0, s->prims, &t->s, &from);
    err = err ? err
              : feature_tests_collect(&t->c, &t->v, &t->o, &t->owned, from, 0, from->count, &t->s,
                                      &info);
    out->counts[0] = info.candidates_vf;
    out->counts[1] = info.candidates_ee;
    err = err ? err : read_rows(t->c.dev64, &t->s.meet, &out->row[0], &out->n[0]);
    return err ? err : read_rows(t->c.dev64, &t->s.undecided, &out->row[1], &out->n[1]);
}

static void stage_free(stage *t)
{
    feature_tests_free(&t->c, &t->s);
    buffer_free(t->c.dev64, &t->o.x);
    buffer_free(t->c.dev64, &t->o.x_to);
    buffer_free(t->c.dev64, &t->o.on64.corner);
    buffer_free(t->c.dev64, &t->o.on64.prim0);
    buffer_free(t->c.dev64, &t->owned);
    buffer_free(t->c.dev64, &t->prim);
    pairs_free(t->c.dev, &t->found.of);
    if (t->c.dev != t->c.dev64)
        device_close(t->c.dev64);
    device_close(t->c.dev);
}

void features_ask(const way *w, const feature_scene *s, feature_answer *out)
{
    static atomic_int cancel;
    const way host = way_host();
    stage *t = calloc(1, sizeof *t);
    *out = (feature_answer){0};
    CU_ASSERT_FATAL(t != NULL);
    t->mem = (mem){.limit = mem_machine()};
    device *d = way_open(w, &t->mem, &cancel);
    CU_ASSERT_FATAL(d != NULL);
    t->c = (context){
        .mem = &t->mem, .dev = d, .dev64 = d->fp64 ? d : way_open(&host, &t->mem, &cancel)};
    t->c.opt.separation = s->separation;
    t->scale[0] = t->scale[1] = 1;
    t->o.normalisation = (normalisation){.scale = t->scale, .centre = t->centre};
    t->v = (block_view){.corners = s->corners,
                        .verts = s->verts,
                        .prims = s->prims,
                        .frames = 1,
                        .prim0 = (uint32_t[]){0, s->prims},
                        .vert0 = (uint32_t[]){0, s->verts}};
    int err = stage_run(t, s, out);
    if (err)
        way_failed(w, NULL, "features", imp_error_text());
    stage_free(t);
    CU_ASSERT_EQUAL(t->mem.now, 0);
    free(t);
}

int feature_answers_equal(const feature_answer *x, const feature_answer *y)
{
    int same = !memcmp(x->counts, y->counts, sizeof x->counts);
    for (int i = 0; i < 2 && same; i++)
        same = x->n[i] == y->n[i] && !memcmp(x->row[i], y->row[i], x->n[i] * sizeof(feature_row));
    return same;
}

void feature_answer_sort(feature_answer *r)
{
    for (int i = 0; i < 2; i++)
        qsort(r->row[i], r->n[i], sizeof(feature_row), row_order);
}

void features_ask_all(const feature_scene *s, feature_answer *out)
{
    way all[WAYS_MOST];
    size_t n = ways_find(all);
    features_ask(&all[0], s, out);
    feature_answer_sort(out);
    for (size_t w = 1; w < n; w++) {
        feature_answer other;
        features_ask(&all[w], s, &other);
        feature_answer_sort(&other);
        if (!feature_answers_equal(out, &other))
            way_failed(&all[w], NULL, "features", "other pairs than those of the host");
        feature_answer_free(&other);
    }
}

/* ---- features and their vertices */

static const uint32_t edge_ends[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint32_t tet_faces[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
static const uint32_t triangle[3] = {0, 1, 2};

/* The vertices of feature i of primitive p: a corner, a face or an edge. Returns their number. */
static uint32_t feature_vertices(const feature_scene *s, uint32_t p, int face, int edge, uint32_t i,
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

int feature_vertices_both(const feature_scene *s, feature_row r, uint32_t out[4])
{
    uint32_t kind = FEATURE_KIND(r.code), p[3], q[3];
    uint32_t n = feature_vertices(s, r.a, kind == FEATURE_FACE_CORNER, kind == FEATURE_EDGES,
                                  FEATURE_I(r.code), p);
    uint32_t m = feature_vertices(s, r.b, kind == FEATURE_CORNER_FACE, kind == FEATURE_EDGES,
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

void feature_motion(const feature_scene *s, const uint32_t vertex[4], exact_motion *m)
{
    for (uint32_t i = 0; i < 24; i++)
        m->at[i / 12][i / 3 % 4].x[i % 3] = s->at[i / 12][3 * (size_t)vertex[i / 3 % 4] + i % 3];
}

static int feature_listed(const feature_answer *r, int of, feature_row x)
{
    return r->n[of] && bsearch(&x, r->row[of], r->n[of], sizeof x, row_order) != NULL;
}

void feature_expect(const feature_answer *got, feature_row r, int is, const char *word,
                    uint64_t seen[2])
{
    const int says[2] = {feature_listed(got, 0, r), feature_listed(got, 1, r)};
    seen[0] += says[0] != 0;
    seen[1] += says[1] != 0;
    EXPECT(says[1] || says[0] == is, "%u, %u, code %x: says %s, exact %d", r.a, r.b, r.code,
           says[0] ? word : "apart", is);
    EXPECT(!(says[0] && says[1]), "%u, %u, code %x: twice", r.a, r.b, r.code);
}

static void see_pair(const feature_scene *s, uint32_t a, uint32_t b,
                     void (*see)(void *user, feature_row r), void *user)
{
    const uint32_t p = s->owned[a], q = s->owned[b];
    for (uint32_t i = 0; i < 6; i++)
        for (uint32_t j = 0; j < 6; j++) {
            uint32_t code = i << 4 | j;
            if (i < 4 && j < 4 && p & REP_CORNER(i) && q & REP_FACE(j))
                see(user, (feature_row){a, b, FEATURE_CORNER_FACE << 8 | code});
            if (i < 4 && j < 4 && a != b && p & REP_FACE(i) && q & REP_CORNER(j))
                see(user, (feature_row){a, b, FEATURE_FACE_CORNER << 8 | code});
            if (p & REP_EDGE(i) && q & REP_EDGE(j) && (a != b || i < j))
                see(user, (feature_row){a, b, FEATURE_EDGES << 8 | code});
        }
}

void features_each(const feature_scene *s, void (*see)(void *user, feature_row r), void *user)
{
    for (uint32_t i = 0; i < s->pairs; i++) {
        uint32_t a = s->a[i], b = s->b[i];
        see_pair(s, s->prim ? s->prim[a] : a, s->prim ? s->prim[b] : b, see, user);
    }
    for (uint32_t p = 0; p < s->prims && s->corners == 4; p++)
        see_pair(s, p, p, see, user);
}

/* ---- two features */

void feature_put(feature_scene *s, uint32_t i, enum exact_ccd_kind kind, const exact_motion *m,
                 rng *r)
{
    const uint32_t n = s->corners, other = rng_below(r, 2);
    const uint32_t from = 2 * n * i, p = 2 * i + other, q = 2 * i + !other;
    const int edges = kind == EXACT_EDGE_EDGE;
    uint32_t face = n == 3 ? 0 : rng_below(r, 4), point = rng_below(r, n);
    uint32_t e[2] = {rng_below(r, n == 3 ? 3 : 6), rng_below(r, n == 3 ? 3 : 6)}, first[3], last[3];
    for (uint32_t k = 0; k < 2 * n; k++)
        s->corner[from + k] = from + k;
    for (uint32_t k = 0; k < 6 * n; k++)
        s->at[0][3 * from + k] = s->at[1][3 * from + k] = m->at[0][0].x[k % 3];
    s->owned[p] = edges ? REP_EDGE(e[0]) : REP_FACE(face);
    s->owned[q] = edges ? REP_EDGE(e[1]) : REP_CORNER(point);
    feature_vertices(s, p, 1, edges, edges ? e[0] : face, first);
    feature_vertices(s, q, 0, edges, edges ? e[1] : point, last);
    for (int k = 0; k < 4; k++) {
        uint32_t v = edges ? (k < 2 ? first[k] : last[k - 2]) : k < 3 ? first[k] : last[0];
        for (int t = 0; t < 2; t++)
            memcpy(s->at[t] + 3 * (size_t)v, m->at[t][k].x, sizeof m->at[t][k].x);
    }
    s->a[i] = 2 * i;
    s->b[i] = 2 * i + 1;
}

/* ---- random meshes */

/* Returns whether no earlier primitive, or earlier feature of this one, has the same vertices. */
static int feature_new(const feature_scene *s, uint32_t p, int face, int edge, uint32_t i)
{
    uint32_t mine[3], its[3], n = feature_vertices(s, p, face, edge, i, mine);
    const uint32_t all = edge                      ? (s->corners == 3 ? 3 : 6)
                         : face && s->corners == 3 ? 1
                                                   : s->corners;
    for (uint32_t q = 0; q <= p; q++)
        for (uint32_t j = 0; j < all && (q < p || j < i); j++) {
            uint32_t same = 0;
            feature_vertices(s, q, face, edge, j, its);
            for (uint32_t k = 0; k < n * n; k++)
                same += mine[k / n] == its[k % n];
            if (same == n)
                return 0;
        }
    return 1;
}

/* Makes each feature a representative feature of the first primitive that has it. Triangles among
 * tetrahedra have edges 0, 1, 2 and face 3. */
static void own_features(feature_scene *s)
{
    for (uint32_t p = 0; p < s->prims; p++) {
        const uint32_t *c = s->corner + (size_t)s->corners * p;
        const int flat = s->corners == 3 || c[2] == c[3];
        for (uint32_t i = 0; i < (flat ? 3 : 4); i++)
            s->owned[p] |= feature_new(s, p, 0, 0, i) ? REP_CORNER(i) : 0;
        for (uint32_t i = 0; i < (flat ? 3 : 6); i++)
            s->owned[p] |= feature_new(s, p, 0, 1, i) ? REP_EDGE(i) : 0;
        for (uint32_t i = flat && s->corners == 4 ? 3 : 0; i < (s->corners == 3 ? 1 : 4); i++)
            s->owned[p] |= feature_new(s, p, 1, 0, i) ? REP_FACE(i) : 0;
    }
}

static double random_place(rng *r, uint32_t grid)
{
    return grid ? rng_below(r, grid) * 0.0625 : 2 * rng_unit(r) - 1;
}

feature_scene feature_scene_random(rng *r, uint32_t corners, uint32_t prims, uint32_t grid)
{
    feature_scene s = feature_scene_make(corners, prims, prims, prims * (prims - 1) / 2);
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
