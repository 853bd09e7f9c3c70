/* Pairs within a distance: on all devices, with all methods and in all forms the rows are those of
 * the oracle: pairs of primitives, pairs of features, and nearest primitives of objects. */
#include "expect.h"
#include "made.h"
#include "near_scenes.h"
#include "oracle.h"
#include "truth.h"
#include "ways.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the truth */

/* Some rings are greater than any number of edges. */
static imp_def near_ring_def(const near_scene *s, uint64_t seed, int rows)
{
    imp_def def = near_scene_def(s, seed, rows);
    def.ring = seed % 7 == 6 ? UINT32_MAX : def.ring;
    return def;
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

static const char *near_row_fault(const near_scene *s, oracle *o, int rows, const truth_row *want,
                                  const near_row *got)
{
    const nearest_claim nearest = near_claim(got);
    const truth_claim claim = {.kind = (int)got->kind,
                               .point = got->point,
                               .nearest = &nearest,
                               .features = rows % NEAR_THICK == IMP_ROWS_FEATURES};
    return want->a != got->a || want->b != got->b || want->kind != got->kind ||
                   want->feature_a != got->feature[0] || want->feature_b != got->feature[1] ||
                   want->distance != got->distance || want->penetration != got->penetration ||
                   want->relative != got->relative
               ? "another pair, kind, feature, distance or penetration"
               : truth_points_fault(o, &s->frame, want->a, want->b, &claim);
}

static void near_compare(const near_scene *s, uint64_t seed, int rows, const near_list *got)
{
    mem m = {0};
    truth want = {0};
    oracle *o = oracle_open();
    const imp_def def = near_ring_def(s, seed, rows);
    CU_ASSERT_EQUAL_FATAL(truth_find(&m, &s->frame, &def, NULL, 2, &want), 0);
    EXPECT(want.count == got->count, "seed %llu, rows %d: %zu pairs, not %zu",
           (unsigned long long)seed, rows, got->count, want.count);
    for (size_t i = 0; i < want.count && i < got->count; i++) {
        const char *fault = near_row_fault(s, o, rows, &want.row[i], &got->row[i]);
        EXPECT(!fault, "seed %llu, rows %d, pair %u %u: %s", (unsigned long long)seed, rows,
               got->row[i].a, got->row[i].b, fault);
    }
    truth_free(&m, &want);
    oracle_close(o);
    mem_close(&m);
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
        imp_def def = near_ring_def(&s, seed, rows);
        def.broad = i && seed % 2 ? broad_names[seed % 5] : NULL;
        def.mem_limit = seed % 9 == 4 ? 4 << 20 : 0;
        def.verify = seed % 8 == 6 ? 16 : 0;
        imp *p = way_pipeline(&ways[i], &def);
        near_run(p, &s, i ? &got : &want);
        EXPECT(!i || near_lists_equal(&want, &got), "%s, seed %llu, rows %d: other rows",
               ways[i].name, (unsigned long long)seed, rows);
        imp_destroy(p);
    }
    near_compare(&s, seed, rows, &want);
    free(want.row);
    free(got.row);
}

static void near_test_all(int rows)
{
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    for (uint64_t seed = 1; seed <= test_cases(60); seed++)
        near_scene_test(ways, seed % 4 ? 1 : n, seed, rows);
    /* vertices without an edge but in primitives that are left out */
    near_scene_test(ways, 1, 201, rows);
    near_scene_test(ways, 1, 245, rows);
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

static void test_distance_rows_thick(void)
{
    near_test_all(NEAR_THICK | IMP_ROWS_PRIMITIVES);
}

static void test_distance_rows_thick_features(void)
{
    near_test_all(NEAR_THICK | IMP_ROWS_FEATURES);
}

/* One thickness of all gives the rows of that distance, but for the columns of thicknesses. */
static void test_distance_rows_equal_thickness(void)
{
    static near_scene s;
    for (uint64_t seed = 300; seed < 300 + test_cases(12); seed++) {
        near_list want = {0}, got = {0};
        const int rows = seed % 2 ? IMP_ROWS_PRIMITIVES : IMP_ROWS_FEATURES;
        near_scene_make(&s, seed);
        for (uint32_t i = 0; i < NEAR_PRIMS; i++)
            s.thickness[i] = s.distance;
        for (int thick = 0; thick < 2; thick++) {
            imp_def def = near_scene_def(&s, seed, rows + (thick ? NEAR_THICK : 0));
            imp *p = NULL;
            CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
            near_run(p, &s, thick ? &got : &want);
            imp_destroy(p);
        }
        for (size_t i = 0; i < got.count && i < want.count; i++) {
            EXPECT(got.row[i].penetration <= s.distance && got.row[i].relative <= 1,
                   "seed %llu, row %zu", (unsigned long long)seed, i);
            got.row[i].penetration = got.row[i].relative = 0;
            if (got.row[i].kind == IMP_KIND_CROSSED)
                got.row[i].kind = want.row[i].kind;
        }
        EXPECT(near_lists_equal(&want, &got), "seed %llu: other rows", (unsigned long long)seed);
        free(want.row);
        free(got.row);
    }
}

/* Frames of two meshes, all in one call or each in a call of its own. */
#define FRAMES 6

static void near_frames_run(const way *w, near_scene *s, int rows, size_t at_once, near_list *out)
{
    imp_frame frame[FRAMES];
    imp_def def = {.rows = rows % NEAR_THICK,
                   .thickness = rows >= NEAR_THICK,
                   .distance = rows >= IMP_ROWS_OBJECTS ? 0 : 0.2};
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
    for (int k = 0; k < 5; k++) {
        const int rows = k < 3 ? IMP_ROWS_PRIMITIVES + k : NEAR_THICK + IMP_ROWS_PRIMITIVES + k - 3;
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

/* More rows than a piece has, of pairs that touch and of others. */
#define MANY 300

static void test_distance_rows_pieces(void)
{
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    const imp_def def = {.rows = IMP_ROWS_PRIMITIVES, .distance = 4};
    near_list want = {0}, got = {0};
    rng r = {1};
    made m = {.name = "many"};
    made_part *part = made_add(&m, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        made_triangle(part, i, (const double[3]){0, 0, 0}, 1, &r);
    for (size_t i = 0; i < n; i++) {
        imp *p = way_pipeline(&ways[i], &def);
        near_list *out = i ? &got : &want;
        out->count = 0;
        EXPECT(!imp_detect(p, m.frame, m.frames, near_sink, out, NULL), "%s", imp_error_text());
        EXPECT(near_lists_equal(&want, out), "%s: other rows", ways[i].name);
        imp_destroy(p);
    }
    EXPECT(want.count == MANY * (MANY - 1) / 2, "%zu rows", want.count);
    free(want.row);
    free(got.row);
    made_free(&m);
}

/* ---- imp_def.ring: a flat grid of squares, each of two triangles, all within the distance. The
 * number of edges between two vertices is known. */

#define GRID 6 /* squares along each side */
#define GRID_VERTS ((GRID + 1) * (GRID + 1))
#define GRID_PRIMS (2 * GRID * GRID)
#define GRID_EDGES (3 * GRID * GRID + 2 * GRID)

typedef struct near_grid {
    double point[3 * GRID_VERTS];
    uint32_t corner[3 * GRID_PRIMS], edge[2 * GRID_EDGES];
    int32_t object[GRID_PRIMS];
    imp_mesh mesh;
    imp_frame frame;
} near_grid;

static uint32_t near_grid_vertex(uint32_t i, uint32_t j)
{
    return (GRID + 1) * i + j;
}

/* Diagonals lead from (i, j) to (i + 1, j + 1). Objects, if there are any, are both halves. */
static void near_grid_make(near_grid *g)
{
    uint32_t *t = g->corner, *e = g->edge;
    for (uint32_t i = 0; i <= GRID; i++)
        for (uint32_t j = 0; j <= GRID; j++) {
            const uint32_t p = near_grid_vertex(i, j), q = p + 1, r = near_grid_vertex(i + 1, j);
            const uint32_t two[6] = {p, q, r + 1, p, r + 1, r};
            const uint32_t edge[3][2] = {{p, q}, {p, r}, {p, r + 1}};
            const int in[3] = {j < GRID, i < GRID, i < GRID && j < GRID};
            memcpy(g->point + 3 * p, (double[]){i, j, 0}, 3 * sizeof(double));
            for (int k = 0; k < 3; k++)
                if (in[k]) {
                    memcpy(e, edge[k], sizeof edge[k]);
                    e += 2;
                }
            if (!in[2])
                continue;
            memcpy(t, two, sizeof two);
            for (int k = 0; k < 2; k++, t += 3)
                g->object[(t - g->corner) / 3] = i < GRID / 2;
        }
    g->mesh = (imp_mesh){GRID_VERTS, GRID_PRIMS, g->corner};
    g->frame = (imp_frame){.mesh = &g->mesh, .point = g->point};
}

/* The least number of edges between n and m vertices. */
static uint32_t near_grid_steps(const uint32_t *v, uint32_t n, const uint32_t *w, uint32_t m)
{
    int least = INT_MAX;
    for (uint32_t k = 0; k < n * m; k++) {
        const int p = (int)v[k / m], q = (int)w[k % m], i = q / (GRID + 1) - p / (GRID + 1),
                  j = q % (GRID + 1) - p % (GRID + 1), x = abs(i), y = abs(j);
        const int steps = i * j < 0 ? x + y : x > y ? x : y;
        least = steps < least ? steps : least;
    }
    return (uint32_t)least;
}

/* Counts the pairs of these features, of n and m vertices, that are beyond the ring. */
static size_t near_grid_beyond(uint32_t ring, const uint32_t *v, size_t vs, uint32_t n,
                               const uint32_t *w, size_t ws, uint32_t m)
{
    size_t count = 0;
    for (size_t i = 0; i < vs; i++)
        for (size_t j = v == w ? i + 1 : 0; j < ws; j++)
            count += near_grid_steps(v + n * i, n, w + m * j, m) > ring;
    return count;
}

static size_t near_grid_count(const near_grid *g, uint32_t ring, int rows)
{
    uint32_t vertex[GRID_VERTS];
    for (uint32_t i = 0; i < GRID_VERTS; i++)
        vertex[i] = i;
    if (rows == IMP_ROWS_PRIMITIVES)
        return near_grid_beyond(ring, g->corner, GRID_PRIMS, 3, g->corner, GRID_PRIMS, 3);
    return near_grid_beyond(ring, vertex, GRID_VERTS, 1, g->corner, GRID_PRIMS, 3) +
           near_grid_beyond(ring, g->edge, GRID_EDGES, 2, g->edge, GRID_EDGES, 2);
}

static void near_grid_run(const way *w, const near_grid *g, const imp_def *def, near_list *out)
{
    imp *p = way_pipeline(w, def);
    imp_frame_info info;
    out->count = 0;
    EXPECT(!imp_detect(p, &g->frame, 1, near_sink, out, &info), "%s", imp_error_text());
    EXPECT(info.contacts == out->count, "%s: %llu rows are counted, not %zu", w->name,
           (unsigned long long)info.contacts, out->count);
    imp_destroy(p);
}

static int near_grid_nearer(const near_row *x, const near_row *y)
{
    return x->distance != y->distance ? x->distance < y->distance
           : x->a != y->a             ? x->a < y->a
                                      : x->b < y->b;
}

/* The one row of two objects is the nearest of all between them that are beyond the ring. */
static void near_grid_objects(const way *w, near_grid *g, uint32_t ring)
{
    near_list all = {0}, one = {0};
    const near_row *best = NULL;
    imp_def def = {
        .rows = IMP_ROWS_PRIMITIVES, .distance = 100, .ring = ring, .pairs = IMP_PAIRS_BETWEEN};
    g->mesh.object = g->object;
    near_grid_run(w, g, &def, &all);
    for (size_t i = 0; i < all.count; i++)
        best = !best || near_grid_nearer(&all.row[i], best) ? &all.row[i] : best;
    def = (imp_def){.rows = IMP_ROWS_OBJECTS, .ring = ring};
    near_grid_run(w, g, &def, &one);
    EXPECT(one.count == (best != NULL) && (!best || !memcmp(best, one.row, sizeof *best)),
           "%s, ring %u: %zu rows of objects", w->name, ring, one.count);
    g->mesh.object = NULL;
    free(all.row);
    free(one.row);
}

static void test_distance_rows_ring(void)
{
    static near_grid g;
    static const uint32_t ring[] = {0, 1, 2, 3, GRID - 1, 2 * GRID - 2, 2 * GRID, UINT32_MAX};
    way ways[WAYS_MOST];
    const size_t n = ways_few(ways);
    near_list got = {0};
    near_grid_make(&g);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof ring / sizeof *ring; k++) {
            for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_FEATURES; rows++) {
                const imp_def def = {.rows = rows, .distance = 100, .ring = ring[k]};
                near_grid_run(&ways[i], &g, &def, &got);
                EXPECT(got.count == near_grid_count(&g, ring[k], rows),
                       "%s, ring %u, rows %d: %zu rows", ways[i].name, ring[k], rows, got.count);
            }
            near_grid_objects(&ways[i], &g, ring[k]);
        }
    CU_ASSERT(near_grid_count(&g, 0, IMP_ROWS_PRIMITIVES) == 2215);
    CU_ASSERT(near_grid_count(&g, 1, IMP_ROWS_PRIMITIVES) == 1697);
    CU_ASSERT(near_grid_count(&g, 2, IMP_ROWS_PRIMITIVES) == 1138);
    CU_ASSERT(near_grid_count(&g, 3, IMP_ROWS_PRIMITIVES) == 646);
    CU_ASSERT(near_grid_count(&g, 2, IMP_ROWS_FEATURES) == 6055);
    free(got.row);
}

/* A mesh may change between two calls: every fifth triangle remains, at the same pointer. */
static void test_distance_rows_changed(void)
{
    for (int rows = IMP_ROWS_PRIMITIVES; rows <= IMP_ROWS_OBJECTS; rows++) {
        static near_grid g;
        near_list got[2] = {{0}};
        imp *p[2];
        const imp_def def = {
            .device = "cpu", .rows = rows, .distance = rows == IMP_ROWS_OBJECTS ? 0 : 9, .ring = 4};
        near_grid_make(&g);
        g.mesh.object = g.object;
        for (int k = 0; k < 2; k++)
            CU_ASSERT_FATAL(!imp_create(&def, &p[k]));
        CU_ASSERT(!imp_detect(p[0], &g.frame, 1, NULL, NULL, NULL));
        for (uint32_t i = 0; i < GRID_PRIMS; i += 5) {
            memmove(g.corner + 3 * (i / 5), g.corner + 3 * i, 3 * sizeof *g.corner);
            g.object[i / 5] = (int32_t)(i / 5 % 2);
        }
        g.mesh.primitives = (GRID_PRIMS + 4) / 5;
        for (int k = 0; k < 2; k++) {
            CU_ASSERT(!imp_detect(p[k], &g.frame, 1, near_sink, &got[k], NULL));
            imp_destroy(p[k]);
        }
        EXPECT(got[0].count && near_lists_equal(&got[0], &got[1]), "rows %d: other rows", rows);
        free(got[0].row);
        free(got[1].row);
    }
}

/* Triangles enter and leave, while those that are kept are the same: edges of others count. */
static void test_distance_rows_ids(void)
{
    static near_grid g[2];
    static int64_t id[GRID_PRIMS];
    near_list got[2] = {{0}};
    imp_frame frame[5];
    for (int k = 0; k < 2; k++) {
        near_grid_make(&g[k]);
        g[k].mesh.id = id;
    }
    /* The second mesh has all but a row of triangles, the last ones. */
    g[1].mesh.primitives -= 2 * GRID;
    for (int64_t i = 0; i < GRID_PRIMS; i++)
        id[i] = i < GRID_PRIMS / 2 - GRID   ? i
                : i < GRID_PRIMS - 2 * GRID ? i + 2 * GRID
                                            : i - GRID_PRIMS / 2 + GRID;
    memmove(g[1].corner + 3 * (GRID_PRIMS / 2 - GRID), g[1].corner + 3 * (GRID_PRIMS / 2 + GRID),
            3 * (GRID_PRIMS / 2 - GRID) * sizeof *g[1].corner);
    for (size_t f = 0; f < 5; f++)
        frame[f] = g[f % 2].frame;
    for (int k = 0; k < 2; k++) {
        imp *p = NULL;
        const imp_def def = {.device = "cpu",
                             .rows = IMP_ROWS_PRIMITIVES,
                             .distance = 3,
                             .ring = 2,
                             .ids = 1,
                             .block = 1,
                             .update = k ? IMP_UPDATE_KEEP : IMP_UPDATE_REBUILD};
        CU_ASSERT_FATAL(!imp_create(&def, &p));
        CU_ASSERT(!imp_detect(p, frame, 5, near_sink, &got[k], NULL));
        imp_destroy(p);
    }
    EXPECT(got[0].count && near_lists_equal(&got[0], &got[1]), "%zu rows, not %zu", got[1].count,
           got[0].count);
    free(got[0].row);
    free(got[1].row);
}

/* The same in a model, whose mesh stays where it is: a row of squares leaves, and enters again. */
static void test_distance_rows_model(void)
{
    static near_grid g;
    static int64_t id[GRID_PRIMS];
    const uint32_t first = 2 * GRID * (GRID / 2), some = 2 * GRID;
    imp_model *m[2];
    near_grid_make(&g);
    for (int64_t i = 0; i < GRID_PRIMS; i++)
        id[i] = i;
    for (int k = 0; k < 2; k++) {
        const imp_def def = {.device = "cpu",
                             .rows = IMP_ROWS_PRIMITIVES,
                             .distance = 3,
                             .ring = 2,
                             .update = k ? IMP_UPDATE_KEEP : IMP_UPDATE_REBUILD};
        CU_ASSERT_FATAL(!imp_model_create(&def, IMP_TRIANGLES, &m[k]));
        CU_ASSERT(!imp_model_add_vertices(m[k], g.point, GRID_VERTS, NULL));
    }
    for (int turn = 0; turn < 5; turn++) {
        near_list got[2] = {{0}};
        const uint32_t from = turn ? first : 0;
        const imp_mesh mesh = {
            .corner = g.corner + 3 * from, .id = id + from, .primitives = turn ? some : GRID_PRIMS};
        for (int k = 0; k < 2; k++) {
            CU_ASSERT(!(turn % 2 ? imp_model_remove(m[k], id + first, some)
                                 : imp_model_add(m[k], &mesh)));
            CU_ASSERT(!imp_model_query(m[k], near_sink, &got[k], NULL));
        }
        EXPECT(got[0].count && near_lists_equal(&got[0], &got[1]), "turn %d: %zu rows, not %zu",
               turn, got[1].count, got[0].count);
        free(got[0].row);
        free(got[1].row);
    }
    for (int k = 0; k < 2; k++)
        imp_model_destroy(m[k]);
}

#define ARC 80 /* squares of a strip around a circle, whose ends are near each other */

/* Two objects that are joined far from where they are near: edges lead through primitives that
 * have no partner. */
static void test_distance_rows_arc(void)
{
    static double point[6 * (ARC + 1)];
    static uint32_t corner[6 * ARC];
    static int32_t object[2 * ARC];
    const imp_mesh mesh = {2 * (ARC + 1), 2 * ARC, corner, object};
    const imp_frame frame = {.mesh = &mesh, .point = point};
    for (uint32_t i = 0; i <= ARC; i++)
        for (uint32_t k = 0; k < 2; k++) {
            const double angle = 0.02 + 6.24 * i / ARC;
            double *x = point + 3 * (2 * i + k);
            x[0] = 10 * cos(angle);
            x[1] = 10 * sin(angle);
            x[2] = k;
        }
    for (uint32_t i = 0; i < 2 * ARC; i++) {
        for (uint32_t k = 0; k < 3; k++)
            corner[3 * i + k] = i + k;
        object[i] = i >= ARC;
    }
    for (uint32_t ring = 0; ring < 3; ring++) {
        near_list got = {0};
        imp *p = NULL;
        const imp_def def = {.device = "cpu",
                             .rows = IMP_ROWS_PRIMITIVES,
                             .distance = 1,
                             .pairs = IMP_PAIRS_BETWEEN,
                             .ring = (const uint32_t[]){0, 2 * ARC / 3, 2 * ARC}[ring]};
        CU_ASSERT_FATAL(!imp_create(&def, &p));
        CU_ASSERT(!imp_detect(p, &frame, 1, near_sink, &got, NULL));
        EXPECT((got.count > 0) == (ring < 2), "ring %u: %zu rows", def.ring, got.count);
        imp_destroy(p);
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
        CU_ASSERT_EQUAL_FATAL(imp_create(&(imp_def){.device = "cpu", .on_bad = IMP_BAD_SKIP}, &p),
                              0);
        CU_ASSERT_EQUAL_FATAL(
            imp_create(
                &(imp_def){.device = "cpu", .rows = IMP_ROWS_PRIMITIVES, .on_bad = IMP_BAD_SKIP},
                &q),
            0);
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
    const imp_def wrong[] = {
        {.rows = IMP_ROWS_PRIMITIVES, .distance = -1},
        {.rows = IMP_ROWS_PRIMITIVES, .distance = NAN},
        {.rows = IMP_ROWS_FEATURES, .distance = INFINITY},
        {.distance = 1},
        {.rows = IMP_ROWS_INSIDE + 1},
        {.rows = IMP_ROWS_OBJECTS, .distance = 1},
        {.rows = IMP_ROWS_OBJECTS, .pairs = IMP_PAIRS_SELF},
        {.rows = IMP_ROWS_OBJECTS, .stage = IMP_STAGE_CANDIDATES},
        {.rows = -1},
        {.ring = 1},
        {.continuous = 1, .ring = 1},
        {.rows = IMP_ROWS_PRIMITIVES, .ring = 1, .stage = IMP_STAGE_CANDIDATES},
        {.rows = IMP_ROWS_FEATURES, .continuous = 1},
        {.rows = IMP_ROWS_PRIMITIVES, .adjacent = IMP_ADJACENT_TEST},
        {.thickness = 1},
        {.thickness = 1, .rows = IMP_ROWS_OBJECTS},
        {.thickness = 1, .rows = IMP_ROWS_PRIMITIVES, .distance = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        imp *p = NULL;
        EXPECT(imp_create(&wrong[i], &p) == IMP_ERR_ARGUMENT, "definition %zu is accepted", i);
        imp_destroy(p);
    }
}

/* A value that is no thickness, and no values, are errors. A model has no thicknesses. */
static void test_distance_rows_wrong_thickness(void)
{
    static near_scene s;
    static const double wrong[] = {-1, -0x1p-1074, NAN, INFINITY};
    imp *p = NULL;
    imp_model *m = NULL;
    near_list rows = {0};
    const imp_def def = {.rows = IMP_ROWS_PRIMITIVES, .thickness = 1};
    near_scene_make(&s, 1);
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s.thickness[7] = wrong[i];
        EXPECT(imp_detect(p, &s.frame, 1, near_sink, &rows, NULL) == IMP_ERR_ARGUMENT &&
                   strstr(imp_error_text(), "thickness of triangle 7"),
               "%g: %s", wrong[i], imp_error_text());
    }
    s.mesh.thickness = NULL;
    EXPECT(imp_detect(p, &s.frame, 1, near_sink, &rows, NULL) == IMP_ERR_ARGUMENT &&
               strstr(imp_error_text(), "thickness is NULL"),
           "NULL: %s", imp_error_text());
    EXPECT(imp_model_create(&def, 3, &m) == IMP_ERR_ARGUMENT, "a model");
    imp_model_destroy(m);
    imp_destroy(p);
    free(rows.row);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"prims", test_distance_rows_prims},
                                 {"features", test_distance_rows_features},
                                 {"objects", test_distance_rows_objects},
                                 {"thick", test_distance_rows_thick},
                                 {"thick_features", test_distance_rows_thick_features},
                                 {"equal_thickness", test_distance_rows_equal_thickness},
                                 {"frames", test_distance_rows_frames},
                                 {"pieces", test_distance_rows_pieces},
                                 {"ring", test_distance_rows_ring},
                                 {"ids", test_distance_rows_ids},
                                 {"model", test_distance_rows_model},
                                 {"arc", test_distance_rows_arc},
                                 {"changed", test_distance_rows_changed},
                                 {"zero", test_distance_rows_zero},
                                 {"wrong", test_distance_rows_wrong},
                                 {"wrong_thickness", test_distance_rows_wrong_thickness},
                                 {0}};
    return test_main(argc, argv, "distance_rows", tests);
}
