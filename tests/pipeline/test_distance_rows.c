/* Pairs within a distance: on all devices, with all methods and in all forms the rows are those of
 * the oracle, for pairs of primitives and for pairs of features. */
#include "expect.h"
#include "oracle.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 48
#define VERTS 56
#define OBJECTS 3

/* ---- rows */

typedef struct near_row {
    uint32_t a, b;
    int64_t kind, feature[2];
    double point[6], distance, weight[2][4], normal[3];
} near_row;

typedef struct near_list {
    size_t count, capacity;
    near_row *row;
} near_list;

static near_row *near_list_add(near_list *l)
{
    if (l->count == l->capacity) {
        l->capacity = 2 * l->capacity + 64;
        l->row = realloc(l->row, l->capacity * sizeof *l->row);
    }
    memset(&l->row[l->count], 0, sizeof *l->row);
    return &l->row[l->count++];
}

static int near_sink(void *user, const imp_contacts *c)
{
    for (size_t i = 0; i < c->count; i++) {
        near_row *r = near_list_add(user);
        r->a = c->a[i];
        r->b = c->b[i];
        r->kind = c->kind[i];
        r->feature[0] = c->feature_a[i];
        r->feature[1] = c->feature_b[i];
        r->distance = c->distance[i];
        memcpy(r->point, c->points + 6 * i, sizeof r->point);
        memcpy(r->weight[0], c->barycentric_a + 4 * i, sizeof r->weight[0]);
        memcpy(r->weight[1], c->barycentric_b + 4 * i, sizeof r->weight[1]);
        memcpy(r->normal, c->normal + 3 * i, sizeof r->normal);
    }
    return 0;
}

static int near_lists_equal(const near_list *x, const near_list *y)
{
    return x->count == y->count &&
           (!x->count || !memcmp(x->row, y->row, x->count * sizeof *x->row));
}

/* ---- scenes */

typedef struct near_scene {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS];
    double point[3 * VERTS];
    double distance;
} near_scene;

/* Primitives on neighbouring vertices: some have a vertex twice or thrice, and so no face. */
static void near_scene_mesh(near_scene *s, int corners, rng *r)
{
    for (uint32_t i = 0; i < PRIMS; i++) {
        const uint32_t near = rng_below(r, VERTS - 6);
        for (int k = 0; k < corners; k++)
            s->corner[(uint32_t)corners * i + (uint32_t)k] = near + rng_below(r, 6);
        if (rng_below(r, 8) == 0)
            for (int k = 1; k < corners; k++)
                s->corner[(uint32_t)corners * i + (uint32_t)k] = s->corner[(uint32_t)corners * i];
        s->corner_count[i] = (uint8_t)(3 + rng_below(r, 2));
        s->object[i] = (int32_t)rng_below(r, OBJECTS);
    }
    s->mesh = (imp_mesh){VERTS,     PRIMS,   s->corner,
                         s->object, corners, corners == 4 ? s->corner_count : NULL};
}

/* Coordinates with few bits, so that many distances are equal, or with many; flat or not; small,
 * large or far from the origin. */
static void near_scene_make(near_scene *s, uint64_t seed)
{
    rng r = {seed};
    static const double scales[] = {1, 0x1p-300, 0x1p200, 1.1, 1};
    const double scale = scales[seed % 5], far = seed % 5 == 4 ? 1000 : 0;
    const int coarse = seed % 3 == 0, flat = seed % 4 == 1;
    near_scene_mesh(s, seed % 7 == 3 ? 4 : seed % 7 == 5 ? 2 : 3, &r);
    for (uint32_t i = 0; i < 3 * VERTS; i++) {
        const double x = coarse ? rng_below(&r, 9) / 8.0 : rng_unit(&r);
        s->point[i] =
            (far + (i % 3 == 0) * (i / 3) * 0.0625 + x * (flat && i % 3 == 2 ? 1e-9 : 1)) * scale;
    }
    s->distance = (seed % 6 == 0 ? 0 : seed % 2 ? 0.125 : 0.3) * scale;
    s->frame = (imp_frame){&s->mesh, s->point, IMP_FLOAT64, seed};
}

/* ---- the truth for pairs of primitives */

static imp_def near_scene_def(const near_scene *s, uint64_t seed, int rows)
{
    const int objects = rows == IMP_ROWS_OBJECTS;
    return (imp_def){.rows = rows,
                     .distance = objects ? 0 : s->distance,
                     .pairs = objects ? IMP_PAIRS_ALL : (int)(seed / 2 % 3)};
}

static nearest_claim near_claim(const near_row *r)
{
    nearest_claim c = {
        .kind = (int)r->kind, .feature = {r->feature[0], r->feature[1]}, .distance = r->distance};
    memcpy(c.weight, r->weight, sizeof c.weight);
    memcpy(c.point, r->point, sizeof c.point);
    memcpy(c.normal, r->normal, sizeof c.normal);
    return c;
}

static const char *near_row_fault(const near_scene *s, oracle *o, const truth_row *want,
                                  const near_row *got)
{
    const nearest_claim nearest = near_claim(got);
    const truth_claim claim = {.kind = (int)got->kind, .point = got->point, .nearest = &nearest};
    return want->a != got->a || want->b != got->b || want->kind != got->kind ||
                   want->feature_a != got->feature[0] || want->feature_b != got->feature[1] ||
                   want->distance != got->distance
               ? "another pair, kind, feature or distance"
               : truth_points_fault(o, &s->frame, want->a, want->b, &claim);
}

static void near_compare_prims(const near_scene *s, uint64_t seed, const near_list *got)
{
    mem m = {0};
    truth want = {0};
    oracle *o = oracle_open();
    const imp_def def = near_scene_def(s, seed, IMP_ROWS_PRIMITIVES);
    CU_ASSERT_EQUAL_FATAL(truth_find(&m, &s->frame, &def, NULL, 2, &want), 0);
    EXPECT(want.count == got->count, "seed %llu: %zu pairs, not %zu", (unsigned long long)seed,
           got->count, want.count);
    for (size_t i = 0; i < want.count && i < got->count; i++) {
        const char *fault = near_row_fault(s, o, &want.row[i], &got->row[i]);
        EXPECT(!fault, "seed %llu, pair %u %u: %s", (unsigned long long)seed, got->row[i].a,
               got->row[i].b, fault);
    }
    truth_free(&m, &want);
    oracle_close(o);
    mem_close(&m);
}

/* ---- the truth for pairs of features: all of them */

typedef struct near_feature {
    int32_t object;
    uint32_t owner;
    int vertices;
    uint32_t vertex[3]; /* as in the owner */
    int64_t value;
    int lone; /* a vertex without an edge, or an edge without a face */
} near_feature;

typedef struct near_features {
    size_t count;
    near_feature list[14 * PRIMS];
} near_features;

static uint32_t near_corners(const near_scene *s, uint32_t i, const uint32_t **v)
{
    const uint32_t corners = (uint32_t)s->mesh.corners;
    *v = s->corner + (size_t)corners * i;
    return s->mesh.corner_count ? s->mesh.corner_count[i] : corners;
}

static int near_has(const uint32_t *v, uint32_t n, uint32_t x)
{
    for (uint32_t k = 0; k < n; k++)
        if (v[k] == x)
            return 1;
    return 0;
}

static int near_same_vertices(const near_feature *f, const near_feature *g)
{
    for (int k = 0; k < f->vertices; k++)
        if (f->vertices != g->vertices || !near_has(g->vertex, (uint32_t)g->vertices, f->vertex[k]))
            return 0;
    return 1;
}

/* Adds a feature unless it has a vertex twice or is there; of the owner's own the least value
 * counts. */
static void near_add_feature(near_features *all, near_feature f)
{
    for (int k = 0; k < f.vertices; k++)
        if (near_has(f.vertex, (uint32_t)k, f.vertex[k]))
            return;
    for (size_t i = 0; i < all->count; i++) {
        near_feature *g = &all->list[i];
        if (g->object != f.object || !near_same_vertices(&f, g))
            continue;
        if (g->owner == f.owner && f.value < g->value)
            *g = f;
        return;
    }
    all->list[all->count++] = f;
}

static void near_add_prim(const near_scene *s, uint32_t i, near_features *all)
{
    static const uint8_t edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const uint8_t face[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    const uint32_t *v, n = near_corners(s, i, &v);
    const int32_t object = s->object[i];
    for (uint32_t k = 0; k < n; k++)
        near_add_feature(all, (near_feature){object, i, 1, {v[k]}, v[k], 0});
    if (n == 2)
        near_add_feature(all, (near_feature){object, i, 2, {v[0], v[1]}, 0, 0});
    for (int64_t k = 0; n > 2 && k < (n == 4 ? 6 : 3); k++)
        near_add_feature(all, (near_feature){object, i, 2, {v[edge[k][0]], v[edge[k][1]]}, k, 0});
    if (n == 3)
        near_add_feature(all, (near_feature){object, i, 3, {v[0], v[1], v[2]}, -1, 0});
    for (int64_t k = 0; n == 4 && k < 4; k++)
        near_add_feature(
            all,
            (near_feature){object, i, 3, {v[face[k][0]], v[face[k][1]], v[face[k][2]]}, -1 - k, 0});
}

/* A vertex without an edge, an edge without a face. */
static void near_find_lone(near_features *all)
{
    for (size_t i = 0; i < all->count; i++) {
        near_feature *f = &all->list[i];
        f->lone = f->vertices < 3;
        for (size_t j = 0; j < all->count && f->lone; j++) {
            const near_feature *g = &all->list[j];
            int within = g->object == f->object && g->vertices > f->vertices;
            for (int k = 0; k < f->vertices; k++)
                within &= near_has(g->vertex, (uint32_t)g->vertices, f->vertex[k]);
            f->lone = !within;
        }
    }
}

static int near_kind(const near_feature *f, const near_feature *g)
{
    const int n = f->vertices + g->vertices;
    if (n == 4)
        return f->vertices == 2 ? IMP_KIND_EDGE_EDGE : IMP_KIND_VERTEX_FACE;
    if (n > 4 || !f->lone || !g->lone)
        return 0;
    return n == 3 ? IMP_KIND_VERTEX_EDGE : IMP_KIND_VERTEX_VERTEX;
}

/* Returns whether they share a vertex, or a primitive of their object has both. */
static int near_joined(const near_scene *s, const near_feature *f, const near_feature *g)
{
    for (int k = 0; k < f->vertices; k++)
        if (near_has(g->vertex, (uint32_t)g->vertices, f->vertex[k]))
            return 1;
    for (uint32_t i = 0; i < PRIMS && f->object == g->object; i++) {
        const uint32_t *v, n = near_corners(s, i, &v);
        int both = s->object[i] == f->object && n == 4;
        for (int k = 0; k < f->vertices; k++)
            both &= near_has(v, n, f->vertex[k]);
        for (int k = 0; k < g->vertices; k++)
            both &= near_has(v, n, g->vertex[k]);
        if (both)
            return 1;
    }
    return 0;
}

static nearest_case near_feature_case(const near_scene *s, const near_feature *f,
                                      const near_feature *g)
{
    nearest_case c = {.of.corners = {f->vertices, g->vertices}};
    const near_feature *const of[2] = {f, g};
    for (int n = 0; n < 2; n++)
        for (int k = 0; k < of[n]->vertices; k++) {
            c.vertex[n][k] = of[n]->vertex[k];
            memcpy(c.of.x[n][k], s->point + 3 * of[n]->vertex[k], sizeof c.of.x[n][k]);
        }
    return c;
}

/* The weights of the feature's own vertices, which stand at their first corners. Returns 0 if
 * another corner has one. */
static int near_feature_weights(const near_scene *s, const near_feature *f, const double from[4],
                                double to[4])
{
    const uint32_t *v, n = near_corners(s, f->owner, &v);
    int good = 1;
    memset(to, 0, 4 * sizeof *to);
    for (uint32_t k = 0; k < 4; k++) {
        int of = -1;
        for (int i = 0; i < f->vertices && k < n && !near_has(v, k, v[k]); i++)
            of = f->vertex[i] == v[k] ? i : of;
        good &= of >= 0 || from[k] == 0;
        if (of >= 0)
            to[of] = from[k];
    }
    return good;
}

static const char *near_feature_fault(const near_scene *s, const near_feature *f,
                                      const near_feature *g, const near_row *row)
{
    const near_feature *const of[2] = {f, g};
    const nearest_case c = near_feature_case(s, f, g);
    nearest_claim claim = near_claim(row);
    if (oracle_prims_within(&c.of, 0))
        return row->distance == 0 && row->normal[0] == 0 && row->normal[1] == 0 &&
                       row->normal[2] == 0
                   ? NULL
                   : "features that touch have a distance";
    for (int n = 0; n < 2; n++) {
        if (!near_feature_weights(s, of[n], row->weight[n], claim.weight[n]))
            return "a weight of a corner outside the feature";
        claim.feature[n] = of[n]->vertices == 1 ? of[n]->value : of[n]->vertices == 2 ? 0 : -1;
    }
    return oracle_nearest_fault(&c, &claim);
}

static int near_rows_order(const void *p, const void *q)
{
    const near_row *x = p, *y = q;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (x->feature[k] != y->feature[k])
            return x->feature[k] < y->feature[k] ? -1 : 1;
    return 0;
}

/* Finds the row of two features, and checks it. */
static void near_expect_features(const near_scene *s, uint64_t seed, const near_feature *f,
                                 const near_feature *g, const near_list *got)
{
    const near_row key = {
        .a = f->owner, .b = g->owner, .kind = near_kind(f, g), .feature = {f->value, g->value}};
    const near_row *row =
        got->count ? bsearch(&key, got->row, got->count, sizeof key, near_rows_order) : NULL;
    const char *fault = row ? near_feature_fault(s, f, g, row) : "is missing";
    EXPECT(!fault, "seed %llu, pair %u %u, kind %lld, features %lld %lld: %s",
           (unsigned long long)seed, key.a, key.b, (long long)key.kind, (long long)f->value,
           (long long)g->value, fault);
}

static void near_compare_features(const near_scene *s, uint64_t seed, const near_list *got)
{
    static near_features all;
    size_t want = 0;
    const imp_def def = near_scene_def(s, seed, IMP_ROWS_FEATURES);
    all.count = 0;
    for (uint32_t i = 0; i < PRIMS; i++)
        near_add_prim(s, i, &all);
    near_find_lone(&all);
    for (size_t i = 0; i < all.count; i++)
        for (size_t j = i + 1; j < all.count; j++) {
            const int turn = all.list[i].owner > all.list[j].owner;
            const near_feature *f = &all.list[turn ? j : i], *g = &all.list[turn ? i : j];
            const int same = f->object == g->object;
            if (!near_kind(f, g) || f->owner == g->owner || near_joined(s, f, g) ||
                (def.pairs == IMP_PAIRS_SELF && !same) || (def.pairs == IMP_PAIRS_BETWEEN && same))
                continue;
            const nearest_case c = near_feature_case(s, f, g);
            if (!oracle_prims_within(&c.of, s->distance))
                continue;
            want++;
            near_expect_features(s, seed, f, g, got);
        }
    EXPECT(want == got->count, "seed %llu: %zu pairs of features, not %zu",
           (unsigned long long)seed, got->count, want);
}

/* ---- the truth for pairs of objects: the nearest of all pairs of their primitives */

static nearest_case near_prims_case(const near_scene *s, uint32_t a, uint32_t b)
{
    nearest_case c = {0};
    const uint32_t prim[2] = {a, b};
    for (int n = 0; n < 2; n++) {
        const uint32_t *v;
        c.of.corners[n] = (int)near_corners(s, prim[n], &v);
        for (int k = 0; k < c.of.corners[n]; k++) {
            c.vertex[n][k] = v[k];
            memcpy(c.of.x[n][k], s->point + 3 * v[k], sizeof c.of.x[n][k]);
        }
    }
    return c;
}

/* Sets *a and *b to the first pair of two objects with the least distance, rounded down. Returns 0
 * if all pairs share a vertex. */
static int near_objects_find(const near_scene *s, int32_t x, int32_t y, uint32_t *a, uint32_t *b,
                             double *distance)
{
    *distance = INFINITY;
    for (uint32_t i = 0; i < PRIMS; i++)
        for (uint32_t j = i + 1; j < PRIMS; j++) {
            if (!((s->object[i] == x && s->object[j] == y) ||
                  (s->object[i] == y && s->object[j] == x)) ||
                truth_prims_share_vertex(&s->mesh, i, j))
                continue;
            nearest_answer at = {.distance = 0};
            const nearest_case c = near_prims_case(s, i, j);
            if (oracle_nearest(&c, &at) && !(at.distance < *distance))
                continue;
            if (at.distance < *distance) {
                *distance = at.distance;
                *a = i;
                *b = j;
            }
        }
    return *distance < INFINITY;
}

static const near_row *near_row_of(const near_list *l, const near_scene *s, int32_t x, int32_t y)
{
    for (size_t i = 0; i < l->count; i++) {
        const int32_t p = s->object[l->row[i].a], q = s->object[l->row[i].b];
        if ((p == x && q == y) || (p == y && q == x))
            return &l->row[i];
    }
    return NULL;
}

static void near_compare_objects(const near_scene *s, uint64_t seed, const near_list *got)
{
    size_t want = 0;
    /* Others round coordinates, so that different distances may be equal when they are rounded. */
    const int first = seed % 5 < 3;
    for (int32_t x = 0; x < OBJECTS; x++)
        for (int32_t y = x + 1; y < OBJECTS; y++) {
            uint32_t a = 0, b = 0;
            double distance;
            if (!near_objects_find(s, x, y, &a, &b, &distance))
                continue;
            const near_row *r = near_row_of(got, s, x, y);
            want++;
            EXPECT(r && r->distance == distance && (!first || (r->a == a && r->b == b)),
                   "seed %llu, objects %d %d: another distance than %g of %u %u",
                   (unsigned long long)seed, x, y, distance, a, b);
            if (!r || r->distance == 0)
                continue;
            const nearest_case c = near_prims_case(s, r->a, r->b);
            const nearest_claim claim = near_claim(r);
            const char *fault = oracle_nearest_fault(&c, &claim);
            EXPECT(!fault, "seed %llu, objects %d %d: %s", (unsigned long long)seed, x, y, fault);
        }
    EXPECT(got->count == want, "seed %llu: %zu pairs of objects, not %zu", (unsigned long long)seed,
           got->count, want);
}

/* ---- all ways */

static void near_run(imp *p, const near_scene *s, near_list *out)
{
    out->count = 0;
    EXPECT(!imp_detect(p, &s->frame, 1, near_sink, out, NULL), "%s", imp_error_text());
}

static void near_scene_test(const way *ways, size_t n, uint64_t seed, int rows)
{
    static near_scene s;
    near_list want = {0}, got = {0};
    near_scene_make(&s, seed);
    for (size_t i = 0; i < n; i++) {
        imp_def def = near_scene_def(&s, seed, rows);
        def.broad = i && seed % 2 ? broad_names[seed % 5] : NULL;
        def.mem_limit = seed % 9 == 4 ? 4 << 20 : 0;
        def.verify = seed % 8 == 6 ? 16 : 0;
        imp *p = way_pipeline(&ways[i], &def);
        near_run(p, &s, i ? &got : &want);
        EXPECT(!i || near_lists_equal(&want, &got), "%s, seed %llu, rows %d: other rows",
               ways[i].name, (unsigned long long)seed, rows);
        imp_destroy(p);
    }
    (rows == IMP_ROWS_PRIMITIVES ? near_compare_prims
     : rows == IMP_ROWS_FEATURES ? near_compare_features
                                 : near_compare_objects)(&s, seed, &want);
    free(want.row);
    free(got.row);
}

static void near_test_all(int rows)
{
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (uint64_t seed = 1; seed <= test_cases(60); seed++)
        near_scene_test(ways, seed % 4 ? 1 : n, seed, rows);
}

static void test_distance_rows_prims(void)
{
    near_test_all(IMP_ROWS_PRIMITIVES);
}

static void test_distance_rows_features(void)
{
    near_test_all(IMP_ROWS_FEATURES);
}

static void test_distance_rows_objects(void)
{
    near_test_all(IMP_ROWS_OBJECTS);
}

/* Frames of two meshes, all in one call or each in a call of its own. */
#define FRAMES 6

static void near_frames_run(const way *w, near_scene *s, int rows, size_t at_once, near_list *out)
{
    imp_frame frame[FRAMES];
    imp_def def = {.rows = rows, .distance = rows == IMP_ROWS_OBJECTS ? 0 : 0.2};
    imp *p = way_pipeline(w, &def);
    for (size_t f = 0; f < FRAMES; f++)
        frame[f] = s[f < FRAMES / 2 ? 0 : f].frame;
    for (size_t f = 0; f < FRAMES / 2; f++)
        frame[f].point = s[f].point;
    out->count = 0;
    for (size_t f = 0; f < FRAMES; f += at_once)
        EXPECT(!imp_detect(p, frame + f, at_once, near_sink, out, NULL), "%s", imp_error_text());
    imp_destroy(p);
}

static void test_distance_rows_frames(void)
{
    static near_scene s[FRAMES];
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (size_t f = 0; f < FRAMES; f++)
        near_scene_make(&s[f], 10 * f);
    for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
        near_list want = {0}, got = {0};
        near_frames_run(&ways[0], s, rows, 1, &want);
        EXPECT(want.count >= FRAMES, "rows %d: %zu are few", rows, want.count);
        for (size_t i = 0; i < n; i++)
            for (size_t at_once = 2; at_once <= FRAMES; at_once *= 3) {
                near_frames_run(&ways[i], s, rows, at_once, &got);
                EXPECT(near_lists_equal(&want, &got), "%s, rows %d, %zu at once: other rows",
                       ways[i].name, rows, at_once);
            }
        free(want.row);
        free(got.row);
    }
}

/* Pairs of a distance of 0 are the contacts. */
static void test_distance_rows_zero(void)
{
    static near_scene s;
    for (uint64_t seed = 100; seed < 110; seed++) {
        contact_list contacts = {0}, touching = {0};
        imp *p = NULL, *q = NULL;
        near_scene_make(&s, seed);
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu"}, &p), 0);
        CU_ASSERT_EQUAL_FATAL(
            imp_create(&(imp_def){.device = "cpu", .rows = IMP_ROWS_PRIMITIVES}, &q), 0);
        CU_ASSERT_EQUAL(imp_detect(p, &s.frame, 1, contact_list_sink, &contacts, NULL), 0);
        CU_ASSERT_EQUAL(imp_detect(q, &s.frame, 1, contact_list_sink, &touching, NULL), 0);
        EXPECT(contacts.count == touching.count, "seed %llu: %zu, not %zu",
               (unsigned long long)seed, touching.count, contacts.count);
        for (size_t i = 0; i < contacts.count && i < touching.count; i++) {
            const struct contact_row *x = &contacts.row[i], *y = &touching.row[i];
            EXPECT(x->a == y->a && x->b == y->b && x->kind == y->kind &&
                       !memcmp(x->point, y->point, sizeof x->point),
                   "seed %llu, contact %zu: another one", (unsigned long long)seed, i);
        }
        contact_list_free(&contacts);
        contact_list_free(&touching);
        imp_destroy(p);
        imp_destroy(q);
    }
}

static void test_distance_rows_wrong(void)
{
    const imp_def wrong[] = {{.rows = IMP_ROWS_PRIMITIVES, .distance = -1},
                             {.rows = IMP_ROWS_PRIMITIVES, .distance = NAN},
                             {.rows = IMP_ROWS_FEATURES, .distance = INFINITY},
                             {.distance = 1},
                             {.rows = 4},
                             {.rows = IMP_ROWS_OBJECTS, .distance = 1},
                             {.rows = IMP_ROWS_OBJECTS, .pairs = IMP_PAIRS_SELF},
                             {.rows = IMP_ROWS_OBJECTS, .stage = IMP_STAGE_CANDIDATES},
                             {.rows = -1},
                             {.rows = IMP_ROWS_FEATURES, .continuous = 1},
                             {.rows = IMP_ROWS_PRIMITIVES, .adjacent = IMP_ADJACENT_TEST}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        imp *p = NULL;
        EXPECT(imp_create(&wrong[i], &p) == IMP_ERR_ARGUMENT, "definition %zu is accepted", i);
        imp_destroy(p);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"prims", test_distance_rows_prims},
                                 {"features", test_distance_rows_features},
                                 {"objects", test_distance_rows_objects},
                                 {"frames", test_distance_rows_frames},
                                 {"zero", test_distance_rows_zero},
                                 {"wrong", test_distance_rows_wrong},
                                 {0}};
    return test_main(argc, argv, "distance_rows", tests);
}
