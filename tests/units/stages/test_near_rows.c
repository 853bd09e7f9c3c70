/* Rows of feature pairs that are measured many at a time: the same bytes as by exact arithmetic of
 * one pair, with every instruction set of this processor. */
#include "device.h"
#include "expect.h"
#include "float_env.h"
#include "near_rows.h"
#include "nearest_cases.h"

#include <string.h>

/* A case as a frame: vertices 0 to 3 are those of a, 4 to 7 those of b. */
typedef struct near_scene {
    uint32_t corner[8];
    uint8_t corner_count[2];
    double point[8][3], thickness[2];
    imp_mesh mesh;
    imp_frame frame;
    exact_numbered prim[2];
} near_scene;

static void near_scene_make(const nearest_case *c, uint64_t i, near_scene *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < 2; s++) {
        exact_numbered *p = &out->prim[s];
        p->of.corners = c->of.corners[s];
        for (int v = 0; v < p->of.corners; v++) {
            int first = 0;
            while (c->vertex[s][first] != c->vertex[s][v])
                first++;
            p->vertex[v] = out->corner[4 * s + v] = (uint32_t)(4 * s + first);
            memcpy(p->of.v[v].x, c->of.x[s][v], sizeof p->of.v[v].x);
            memcpy(out->point[4 * s + v], c->of.x[s][v], sizeof out->point[0]);
        }
        out->corner_count[s] = (uint8_t)p->of.corners;
        out->thickness[s] = i % 3 ? 1e300 : ldexp(1, (int)(i % 40) - 20);
    }
    out->mesh = (imp_mesh){.vertices = 8,
                           .primitives = 2,
                           .corners = 4,
                           .corner = out->corner,
                           .corner_count = out->corner_count,
                           .thickness = out->thickness};
    out->frame = (imp_frame){.mesh = &out->mesh, .point = out->point};
}

/* An end of an edge beside another edge, along which a coordinate hardly changes: its product
 * underflows, and with and without fused products the last bits of the normal would differ. */
static void near_case_tiny(rng *r, nearest_case *out)
{
    const double t = ldexp(1 + rng_unit(r), -1018), at = 0.2 + 0.5 * rng_unit(r);
    const double x[2][3][3] = {{{at, 0, 0.7}, {at, 0.1, 5}, {0, 0, 9}},
                               {{0, 0, 0}, {1, t, 0.4}, {0.25, 0, -9}}};
    *out = (nearest_case){{{3, 3}, {{{0}}}}, {{0, 1, 2}, {3, 4, 5}}};
    for (int s = 0; s < 2; s++)
        memcpy(out->of.x[s], x[s], sizeof x[s]);
}

/* A random feature with n vertices. Returns 0 if the primitive has none there. */
static int near_scene_feature(const exact_numbered *p, int n, rng *r, exact_feature *out)
{
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    static const int face[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}};
    const int tet = p->of.corners == 4;
    const int k = (int)rng_below(r, n == 1 ? (tet ? 4 : 3) : n == 2 ? (tet ? 6 : 3) : tet ? 4 : 1);
    const int *at = face[tet && n == 3 ? k : 3];
    const uint32_t *v = p->vertex;
    *out = (exact_feature){n, k};
    return n == 1   ? 1
           : n == 2 ? v[edge[k][0]] != v[edge[k][1]]
                    : v[at[0]] != v[at[1]] && v[at[1]] != v[at[2]] && v[at[2]] != v[at[0]];
}

/* Adds a pair of features, and makes its row by exact arithmetic. */
static void near_scene_add(const context *c, const near_scene *s, exact_feature i, exact_feature j,
                           size_t row, near_rows *to, column_rows *want)
{
    const int edges = i.vertices == 2 && j.vertices == 2;
    const exact_numbered *p = &s->prim[0], *q = &s->prim[1];
    near_pair *pair = near_rows_next(to, edges);
    exact_pair of;
    exact_nearest near = {0};
    const exact_limit limit = contact_limit(c, &s->frame, 0, 1);
    exact_pair_of(p, i, q, j, &of);
    exact_pair_nearest(&p->of, &q->of, &of, c->opt.thickness ? &limit : NULL, &near);
    near_rows_put(c, want, row, (uint32_t)row, 1, &near);
    *pair = (near_pair){&s->frame, (uint32_t)row, 1, {0, 1}, {0}, {0}};
    near_pair_set(pair, 0, i);
    near_pair_set(pair, 1, j);
    near_rows_add(to, row, edges, p, q);
}

/* Features by their numbers of vertices: a row has each of these. */
static const int near_kinds[5][2] = {{1, 3}, {3, 1}, {2, 2}, {1, 2}, {1, 1}};

/* Adds random pairs of each kind, unless the scene has none. */
static void near_scene_add_all(const context *c, const near_scene *s, rng *r, size_t *rows,
                               near_rows *to, column_rows *want)
{
    for (int k = 0; k < 10; k++) {
        exact_feature i, j;
        if (near_scene_feature(&s->prim[0], near_kinds[k % 5][0], r, &i) &&
            near_scene_feature(&s->prim[1], near_kinds[k % 5][1], r, &j))
            near_scene_add(c, s, i, j, (*rows)++, to, want);
    }
}

static void near_scene_expect(const column_rows *got, const column_rows *want, size_t rows,
                              const char *what)
{
    for (int k = 0; k < got->table->count; k++) {
        const size_t bytes = column_bytes(&got->table->column[k]);
        size_t same = 0;
        if (!got->value[k])
            continue;
        while (same < rows &&
               !memcmp(got->value[k] + same * bytes, want->value[k] + same * bytes, bytes))
            same++;
        EXPECT(same == rows, "%s: %s of row %zu differs", what, got->table->column[k].name, same);
    }
}

/* Adds pairs of all scenes, which last until the rows are made. */
static size_t near_scenes_add(const context *c, near_scene *s, near_rows *to, column_rows *want)
{
    rng r = {23};
    size_t rows = 0;
    nearest_case of;
    double distance;
    for (uint64_t i = 0; i < test_cases(40); i++, s++) {
        near_case_tiny(&r, &of);
        near_scene_make(&of, i, s);
        near_scene_add(c, s, (exact_feature){2, 0}, (exact_feature){2, 0}, rows++, to, want);
    }
    for (int class = 0; nearest_class_names[class]; class ++)
        for (uint64_t i = 0; i < test_cases(40); i++, s++) {
            nearest_case_make(class, i, &of, &distance);
            near_scene_make(&of, i, s);
            near_scene_add_all(c, s, &r, &rows, to, want);
        }
    return rows;
}

static void near_rows_test(const context *c, const char *what)
{
    size_t scenes = 1;
    column_rows got = {0}, want = {0};
    near_rows *to = NULL;
    near_scene *scene = NULL;
    while (nearest_class_names[scenes - 1])
        scenes++;
    scenes *= test_cases(40);
    const size_t most = 10 * scenes;
    const column_set set = columns_when(
        &contact_table, &(imp_def){.rows = IMP_ROWS_FEATURES, .thickness = c->opt.thickness});
    if (columns_open(c->mem, &contact_table, set, most, &got) ||
        columns_open(c->mem, &contact_table, set, most, &want) ||
        mem_alloc(c->mem, scenes * sizeof *scene, &scene) || near_rows_open(c, &got, &to)) {
        CU_FAIL("no memory");
        return;
    }
    columns_zero(&got, 0);
    columns_zero(&want, 0);
    const size_t rows = near_scenes_add(c, scene, to, &want);
    near_rows_close(to);
    EXPECT(rows * 4 > most, "%zu rows", rows);
    near_scene_expect(&got, &want, rows, what);
    mem_free(c->mem, scene);
    columns_close(&got);
    columns_close(&want);
}

static void near_rows_test_isa(int isa, int thickness)
{
    mem memory = {0};
    atomic_int cancel = 0;
    device *d;
    const device_def def = {
        .name = "cpu", .threads = 1, .mem = &memory, .cancel = &cancel, .isa = isa};
    const int err = device_open(&def, &d);
    CU_ASSERT_FATAL(!err);
    context c = {.mem = &memory, .dev = d, .dev64 = d, .cancel = &cancel, .threads = 1};
    c.opt.thickness = thickness;
    EACH_IN_FLOAT_ENV
    near_rows_test(&c, d->info.version);
    device_close(d);
}

static void test_near_rows_isa(void)
{
    for (int isa = IMP_ISA_BASE; isa <= IMP_ISA_V4; isa++)
        for (int thickness = 0; thickness < 2 && device_cpu_has(isa); thickness++)
            near_rows_test_isa(isa, thickness);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"isa", test_near_rows_isa}, {0}};
    return test_main(argc, argv, "near_rows", tests);
}
