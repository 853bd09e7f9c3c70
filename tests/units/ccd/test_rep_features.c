/* The primitives that contain a feature, and the one for which it is representative, against lists
 * of all features of all primitives; including primitives that repeat a vertex, and meshes of which
 * some are left out. */
#include "course.h"
#include "expect.h"
#include "feature_tests.h"
#include "rep_features.h"
#include "block_view.h"

#include <stdlib.h>
#include <string.h>

/* ---- the reference: vertices as a sorted set without duplicates */

typedef struct vertex_set {
    uint32_t n, v[4];
} vertex_set;

/* A feature of one primitive, of a kind: vertex, edge, face; with its number in contacts. */
typedef struct held {
    uint32_t prim;
    int kind;
    int64_t number;
    vertex_set of;
} held;

#define HELD_MOST 2000

typedef struct all {
    size_t count;
    held list[HELD_MOST];
} all;

static vertex_set set_of(const uint32_t *v, uint32_t n)
{
    vertex_set s = {0};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < s.n && s.v[k] < v[i])
            k++;
        if (k < s.n && s.v[k] == v[i])
            continue;
        memmove(s.v + k + 1, s.v + k, (s.n - k) * sizeof *s.v);
        s.v[k] = v[i];
        s.n++;
    }
    return s;
}

static int same_set(const vertex_set *x, const vertex_set *y)
{
    return x->n == y->n && !memcmp(x->v, y->v, x->n * sizeof *x->v);
}

/* A feature that the primitive already has keeps the lower number. */
static void rep_features_test_add_feature(all *a, uint32_t prim, int kind, int64_t number,
                                          const uint32_t *v, uint32_t n)
{
    const held h = {prim, kind, number, set_of(v, n)};
    if (kind == 2 && h.of.n < 2) /* an edge needs two ends */
        return;
    for (size_t i = 0; i < a->count; i++) {
        held *x = &a->list[i];
        if (x->prim != prim || x->kind != kind || !same_set(&x->of, &h.of))
            continue;
        x->number = number < x->number ? number : x->number;
        return;
    }
    CU_ASSERT_FATAL(a->count < HELD_MOST);
    a->list[a->count++] = h;
}

/* By the definition in rep_features.h. */
static void hold_all(const imp_mesh *m, const uint8_t *left, all *a)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int faces[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    a->count = 0;
    for (uint32_t i = 0; i < m->primitives; i++) {
        uint32_t v[4];
        const int solid = mesh_corners_of(m, i) == 4;
        for (uint32_t k = 0; k < 4; k++)
            v[k] = mesh_vertex(m, i, k);
        for (int k = 0; k < 4 && !(left && left[i]); k++)
            rep_features_test_add_feature(a, i, 1, v[k], v + k, 1);
        for (int k = 0; k < (solid ? 6 : 3) && !(left && left[i]); k++)
            rep_features_test_add_feature(a, i, 2, k, (uint32_t[]){v[edges[k][0]], v[edges[k][1]]},
                                          2);
        for (int k = 0; k < (solid ? 4 : 1) && !(left && left[i]); k++)
            rep_features_test_add_feature(
                a, i, 3, -1 - k,
                solid ? (uint32_t[]){v[faces[k][0]], v[faces[k][1]], v[faces[k][2]]} : v, 3);
    }
}

static int rep_features_test_object(const imp_mesh *m, uint32_t i)
{
    return m->object ? m->object[i] : 0;
}

/* ---- representative features */

/* The lowest primitive of the object that has the feature. */
static uint32_t owner_of(const imp_mesh *m, const all *a, const held *h)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].kind == h->kind && same_set(&a->list[i].of, &h->of) &&
            rep_features_test_object(m, a->list[i].prim) == rep_features_test_object(m, h->prim))
            return a->list[i].prim;
    return UINT32_MAX;
}

static int is_of(const feature *f, const held *h)
{
    const vertex_set s = set_of(f->vertex, (uint32_t)f->vertices);
    return f->vertices == h->kind && same_set(&s, &h->of);
}

/* Number of the primitive's bits that are set for this feature. */
static int rep_features_test_bits(const rep_features *t, const held *h)
{
    int n = 0;
    const uint32_t owned = t->bits[h->prim];
    for (uint32_t k = 0; k < 6; k++) {
        const feature corner = rep_features_corner(t, h->prim, k < t->corners ? k : 0),
                      edge = rep_features_edge(t, h->prim, k),
                      face = rep_features_face(t, h->prim, k < 4 ? k : 0);
        n += k < t->corners && (owned & REP_CORNER(k)) && is_of(&corner, h);
        n += (owned & REP_EDGE(k)) && is_of(&edge, h);
        n += k < 4 && (owned & REP_FACE(k)) && is_of(&face, h);
    }
    return n;
}

/* Every feature is representative in one primitive of an object, and no primitive has any other
 * bit; but among triangles each has the bit of its face. */
static void check_owners(const rep_features *t, const all *a, const char *name)
{
    const imp_mesh *m = t->mesh;
    uint32_t bits = 0, expected = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        bits += (uint32_t)__builtin_popcount(t->bits[i]);
    for (size_t i = 0; i < a->count; i++) {
        const held *h = &a->list[i];
        const int want = owner_of(m, a, h) == h->prim || (h->kind == 3 && t->corners < 4);
        expected += (uint32_t)want;
        EXPECT(rep_features_test_bits(t, h) == want,
               "%s: primitive %u, feature %d %lld: %d bits, not %d", name, h->prim, h->kind,
               (long long)h->number, rep_features_test_bits(t, h), want);
    }
    EXPECT(bits == expected, "%s: %u bits, not %u", name, bits, expected);
}

/* ---- primitives that have a feature */

/* The vertices of a primitive; if fewer than four, the last one is repeated. */
static int has_vertices(const imp_mesh *m, const feature_holder *x)
{
    int same = 1;
    for (uint32_t k = 0; k < 4; k++)
        same &= x->vertex[k] == mesh_vertex(m, x->prim, k);
    return same;
}

static void check_having(const rep_features *t, const all *a, const held *h, const char *name)
{
    feature f = {.vertices = h->kind};
    feature_holder got[HELD_MOST];
    size_t n = 0;
    /* in any order; if there are fewer vertices one of them is repeated */
    for (int k = 0; k < h->kind; k++)
        f.vertex[k] = h->of.v[((uint32_t)k + h->prim) % h->of.n];
    CU_ASSERT_FATAL(rep_features_most(t, &f) <= HELD_MOST);
    const size_t count = rep_features_holders(t, h->prim, &f, got);
    CU_ASSERT_FATAL(count <= rep_features_most(t, &f));
    for (size_t i = 0; i < a->count; i++) {
        const held *x = &a->list[i];
        if (x->kind != h->kind || !same_set(&x->of, &h->of) ||
            rep_features_test_object(t->mesh, x->prim) !=
                rep_features_test_object(t->mesh, h->prim))
            continue;
        EXPECT(n < count && got[n].prim == x->prim && got[n].number == x->number &&
                   has_vertices(t->mesh, &got[n]),
               "%s: feature %d %lld of %u, number %zu", name, h->kind, (long long)h->number,
               h->prim, n);
        n++;
    }
    EXPECT(n == count, "%s: %zu have it, not %zu", name, count, n);
}

/* All features of one primitive and no other, in any order; if it repeats a vertex some appear
 * twice. */
static void check_features(const rep_features *t, const all *a, uint32_t prim, const char *name)
{
    feature f[REP_FEATURES_MOST];
    int known[REP_FEATURES_MOST] = {0};
    const int n = rep_features_of_prim(t, prim, f);
    CU_ASSERT_FATAL(n <= REP_FEATURES_MOST);
    for (size_t i = 0; i < a->count; i++) {
        int found = 0;
        if (a->list[i].prim != prim)
            continue;
        for (int k = 0; k < n; k++)
            if (is_of(&f[k], &a->list[i]))
                found = known[k] = 1;
        EXPECT(found, "%s: primitive %u has not feature %d %lld", name, prim, a->list[i].kind,
               (long long)a->list[i].number);
    }
    for (int k = 0; k < n; k++)
        EXPECT(known[k], "%s: primitive %u has another feature %d", name, prim, k);
}

/* ---- meshes */

static uint32_t view_corner_count(const imp_mesh *m)
{
    return mesh_corners(m) < 3 ? 3 : mesh_corners(m);
}

static void check_rep_features_mesh(const imp_mesh *m, const char *name, rng *r)
{
    static all a;
    mem memory = {0};
    rep_features t;
    uint8_t left[100];
    CU_ASSERT_FATAL(m->primitives <= sizeof left);
    CU_ASSERT_EQUAL_FATAL(rep_features_open(&memory, m, view_corner_count(m), 0, 2, &t), 0);
    for (uint32_t i = 0; i < m->primitives; i++)
        left[i] = rng_below(r, 4) == 0;
    for (int k = 0; k < 3; k++) { /* none, some, then none again */
        const uint8_t *out = k == 1 ? left : NULL;
        if (k)
            rep_features_assign(&t, out, 2);
        hold_all(m, out, &a);
        check_owners(&t, &a, name);
        for (size_t i = 0; i < a.count; i++)
            check_having(&t, &a, &a.list[i], name);
        for (uint32_t i = 0; i < m->primitives; i++)
            if (!(out && out[i]))
                check_features(&t, &a, i, name);
    }
    rep_features_close(&memory, &t);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
}

static void test_looks(void)
{
    rng r = {2};
    const uint64_t count = test_cases(1);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = 0; l < LOOKS; l++) {
            course c;
            course_make(&c, &looks[l], 50 * i + l);
            check_rep_features_mesh(&c.mesh, looks[l].name, &r);
            c.mesh.object = NULL;
            check_rep_features_mesh(&c.mesh, looks[l].name, &r);
            course_free(&c);
        }
}

/* Few vertices: most primitives repeat one, and share edges and faces. */
static void test_rep_features_repeats(void)
{
    rng r = {3};
    const uint64_t count = test_cases(6);
    for (uint64_t i = 0; i < count; i++)
        for (int corners = 1; corners <= 5; corners++) { /* 5: triangles and tetrahedra */
            uint32_t corner[4 * 24];
            int32_t object[24];
            uint8_t corner_count[24];
            imp_mesh m = {.vertices = 5,
                          .primitives = 24,
                          .corner = corner,
                          .object = object,
                          .corners = corners < 5 ? corners : 4,
                          .corner_count = corners < 5 ? NULL : corner_count};
            for (int k = 0; k < 4 * 24; k++)
                corner[k] = rng_below(&r, m.vertices);
            for (int k = 0; k < 24; k++) {
                object[k] = (int32_t)rng_below(&r, 2);
                corner_count[k] = (uint8_t)(3 + rng_below(&r, 2));
            }
            check_rep_features_mesh(&m, "few vertices", &r);
        }
}

/* A mesh without primitives, and without vertices. */
static void test_rep_features_empty(void)
{
    mem memory = {0};
    rep_features t;
    const imp_mesh none = {.corners = 3}, some = {.vertices = 3};
    CU_ASSERT_EQUAL(rep_features_open(&memory, &none, 3, 0, 2, &t), 0);
    rep_features_close(&memory, &t);
    CU_ASSERT_EQUAL(rep_features_open(&memory, &some, 3, 0, 2, &t), 0);
    rep_features_close(&memory, &t);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
    memory.limit = 100;
    const imp_mesh many = {.vertices = 1000, .corners = 3};
    CU_ASSERT_EQUAL(rep_features_open(&memory, &many, 3, 0, 2, &t), IMP_ERR_MEMORY);
    CU_ASSERT_EQUAL(atomic_load(&memory.now), 0);
}

/* Another mesh with the same primitives is recognised, also at another address; one with any
 * difference is not. */
static void test_rep_features_again(void)
{
    enum { N = 3 };
    mem memory = {0};
    rep_features t;
    uint32_t corner[4 * N] = {0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 4, 5}, other[4 * N];
    int32_t object[N] = {0, 1, 1}, objects[N] = {0, 1, 0};
    uint8_t corner_count[N] = {4, 3, 4}, corner_counts[N] = {4, 3, 3};
    const imp_mesh m = {6, N, corner, .object = object, .corners = 4, .corner_count = corner_count};
    memcpy(other, corner, sizeof other);
    CU_ASSERT_EQUAL_FATAL(rep_features_open(&memory, &m, 4, 0, 1, &t), 0);
    imp_mesh x = m;
    x.corner = other;
    CU_ASSERT(rep_features_again(&t, &x, 4, 0, 3) && t.mesh == &x);
    CU_ASSERT(!rep_features_again(&t, &x, 3, 0, 3));
    other[4 * N - 1] = 3;
    CU_ASSERT(!rep_features_again(&t, &x, 4, 0, 3));
    const imp_mesh more[] = {
        {7, N, corner, object, 4, corner_count}, {6, N - 1, corner, object, 4, corner_count},
        {6, N, corner, object, 3, NULL},         {6, N, corner, objects, 4, corner_count},
        {6, N, corner, NULL, 4, corner_count},   {6, N, corner, object, 4, corner_counts},
        {6, N, corner, object, 4, NULL}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        EXPECT(!rep_features_again(&t, &more[i], 4, 0, 3) && t.mesh == &x, "mesh %zu", i);
    rep_features_close(&memory, &t);
    CU_ASSERT(!rep_features_again(&t, &m, 4, 0, 3));
}

/* A mesh that threads compare in ranges: a difference in any of them is detected. */
static void test_again_large(void)
{
    enum { N = 30000 };
    mem memory = {0};
    rep_features t;
    static uint32_t corner[3 * N];
    const imp_mesh m = {N, N, corner};
    for (uint32_t i = 0; i < 3 * N; i++)
        corner[i] = i % N;
    CU_ASSERT_EQUAL_FATAL(rep_features_open(&memory, &m, 3, 0, 2, &t), 0);
    for (uint32_t i = 0; i < 3 * N; i += 3 * N / 17) {
        CU_ASSERT(rep_features_again(&t, &m, 3, 0, 3));
        corner[i]++;
        EXPECT(!rep_features_again(&t, &m, 3, 0, 3), "corner %u", i);
        corner[i]--;
    }
    corner[3 * N - 1]++;
    CU_ASSERT(!rep_features_again(&t, &m, 3, 0, 3));
    rep_features_close(&memory, &t);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"looks", test_looks},
                                 {"repeats", test_rep_features_repeats},
                                 {"empty", test_rep_features_empty},
                                 {"again", test_rep_features_again},
                                 {"again_large", test_again_large},
                                 {0}};
    return test_main(argc, argv, "rep_features", tests);
}
