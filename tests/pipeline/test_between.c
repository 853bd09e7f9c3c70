/* Contacts between frames: the same rows by every device and method, those that other code finds,
 * and whatever must follow from what is the same motion. */
#include "expect.h"
#include "made.h"
#include "truth.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scenes: a mesh and some frames of it */

typedef struct look {
    const char *name;
    uint32_t primitives;
    int corners, shared; /* shared: primitives have vertices in common */
    int grid;    /* coordinates are small integers: much is coplanar, collinear or touches */
    double step; /* how far vertices go, in sizes of a primitive */
} look;

static const look looks[] = {
    {"loose triangles", 60, 3, 0, 0, 1},
    {"a sheet of triangles", 60, 3, 1, 0, 1},
    {"triangles of a grid", 50, 3, 0, 1, 1},
    {"a sheet on a grid", 50, 3, 1, 1, 1},
    {"far", 40, 3, 1, 0, 30},
    {"tetrahedra", 24, 4, 0, 0, 1},
    {"tetrahedra of a grid", 20, 4, 1, 1, 1},
    {"mixed", 24, -4, 1, 1, 1},
};
#define LOOKS (sizeof looks / sizeof *looks)
#define FRAMES 3

typedef struct course {
    const look *of;
    imp_mesh mesh;
    uint32_t *corner;
    uint8_t *own;
    int32_t *object;
    double *point[FRAMES];
    imp_frame frame[FRAMES];
} course;

static double coordinate(const look *l, rng *r, double size)
{
    return l->grid ? (double)rng_below(r, (uint32_t)size + 1) : size * rng_unit(r);
}

static void course_free(course *c)
{
    free(c->corner);
    free(c->own);
    free(c->object);
    for (int f = 0; f < FRAMES; f++)
        free(c->point[f]);
}

static void *zeros(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

static void course_points(course *c, rng *r)
{
    const look *l = c->of;
    const uint32_t n = c->mesh.vertices;
    const double extent = l->grid ? 4 : 5;
    for (uint32_t i = 0; i < 3 * n; i++) {
        c->point[0][i] = coordinate(l, r, extent);
        for (int f = 1; f < FRAMES; f++)
            c->point[f][i] =
                c->point[f - 1][i] + (rng_below(r, 4) ? l->step * (coordinate(l, r, 2) - 1) : 0);
    }
    /* near each other: a primitive's vertices about its first one */
    for (uint32_t i = 0; i < c->mesh.primitives && !l->shared; i++)
        for (uint32_t k = 1; k < (uint32_t)c->mesh.corners; k++)
            for (int f = 0; f < FRAMES; f++)
                for (int d = 0; d < 3; d++) {
                    const double *at = c->point[f] + 3 * c->corner[(uint32_t)c->mesh.corners * i];
                    double *x = c->point[f] + 3 * c->corner[(uint32_t)c->mesh.corners * i + k] + d;
                    *x = at[d] + (l->grid ? fmod(*x, 3) : *x / 3);
                }
}

static void course_make(course *c, const look *l, uint64_t seed)
{
    rng r = {seed};
    const uint32_t n = l->primitives, corners = (uint32_t)abs(l->corners);
    const uint32_t vertices = l->shared ? n : corners * n;
    *c = (course){.of = l};
    c->corner = zeros((size_t)corners * n, sizeof *c->corner);
    c->object = zeros(n, sizeof *c->object);
    c->own = zeros(n, 1);
    for (uint32_t i = 0; i < corners * n; i++)
        c->corner[i] = l->shared ? rng_below(&r, vertices) : i;
    for (uint32_t i = 0; i < n; i++) {
        c->object[i] = (int32_t)rng_below(&r, 3);
        c->own[i] = (uint8_t)(3 + rng_below(&r, 2));
    }
    c->mesh = (imp_mesh){.vertices = vertices,
                         .primitives = n,
                         .corner = c->corner,
                         .object = c->object,
                         .corners = (int)corners,
                         .own = l->corners < 0 ? c->own : NULL};
    for (int f = 0; f < FRAMES; f++) {
        c->point[f] = zeros(3 * (size_t)vertices, sizeof(double));
        c->frame[f] = (imp_frame){.mesh = &c->mesh, .point = c->point[f], .number = (uint64_t)f};
    }
    course_points(c, &r);
}

/* ---- rows */

static void rows_of(imp *p, const course *c, contact_list *out)
{
    imp_frame_info info[FRAMES] = {{0}};
    size_t contacts = 0;
    *out = (contact_list){0};
    EXPECT(!imp_detect(p, c->frame, FRAMES, contact_list_sink, out, info), "%s: %s", c->of->name,
           imp_error_text());
    for (int f = 0; f < FRAMES; f++)
        contacts += info[f].contacts;
    EXPECT(contacts == out->count, "%s: %zu contacts counted, %zu rows", c->of->name, contacts,
           out->count);
}

static void way_rows(const way *w, const imp_def *def, const course *c, contact_list *out)
{
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    rows_of(p, c, out);
    imp_destroy(p);
}

static imp_def step_def(int adjacent)
{
    return (imp_def){.continuous = 1, .adjacent = adjacent};
}

/* ---- every device and method */

static void test_ways(void)
{
    for (size_t l = 0; l < LOOKS; l++) {
        course c;
        pipes all;
        contact_list first = {0}, rows;
        const imp_def def = step_def((int)l % 2);
        course_make(&c, &looks[l], l + 1);
        pipes_open(&all, &def, 0);
        for (size_t i = 0; i < all.count; i++) {
            rows_of(all.list[i].p, &c, &rows);
            if (!i) {
                first = rows;
                continue;
            }
            if (!contact_list_equal(&rows, &first))
                way_failed(all.list[i].way, all.list[i].method, looks[l].name, "other rows");
            contact_list_free(&rows);
        }
        EXPECT(first.count > 5, "%s: %zu rows", looks[l].name, first.count);
        pipes_close(&all);
        contact_list_free(&first);
        course_free(&c);
    }
}

/* ---- other code */

static const char *row_fault(const struct contact_row *got, const truth_row *want)
{
    if (got->a != want->a || got->b != want->b)
        return "another pair";
    if (got->share != want->share)
        return "another share";
    if (got->kind != want->kind)
        return "another kind";
    return got->feature[0] != want->feature_a || got->feature[1] != want->feature_b
               ? "other features"
               : NULL;
}

static void check_truth(const course *c, const imp_def *def, const contact_list *rows,
                        uint64_t seed)
{
    mem m = {0};
    size_t at = 0;
    for (uint64_t f = 0; f + 1 < FRAMES; f++) {
        truth want;
        const size_t first = at;
        CU_ASSERT_EQUAL_FATAL(
            truth_step_find(&m, c->frame + f, c->frame + f + 1, def, NULL, 2, &want), 0);
        while (at < rows->count && rows->row[at].frame == f)
            at++;
        EXPECT(at - first == want.count, "%s, seed %llu, step %llu: %zu rows, not %zu", c->of->name,
               (unsigned long long)seed, (unsigned long long)f, at - first, want.count);
        for (size_t i = 0; i < want.count && first + i < at; i++) {
            const char *what = row_fault(&rows->row[first + i], &want.row[i]);
            EXPECT(!what, "%s, seed %llu, step %llu, pair %u %u: %s", c->of->name,
                   (unsigned long long)seed, (unsigned long long)f, want.row[i].a, want.row[i].b,
                   what);
        }
        truth_free(&m, &want);
    }
}

static void test_truth(void)
{
    const way w = way_host();
    const uint64_t count = test_cases(20);
    for (uint64_t i = 0; i < count; i++)
        for (size_t l = 0; l < LOOKS; l++) {
            course c;
            contact_list rows;
            imp_def def = step_def((int)(i % 2));
            def.pairs = (int)(i / 2 % 3);
            course_make(&c, &looks[l], 100 * i + l);
            way_rows(&w, &def, &c, &rows);
            check_truth(&c, &def, &rows, 100 * i + l);
            contact_list_free(&rows);
            course_free(&c);
        }
}

/* ---- frames and steps */

static int has_pair(const contact_list *l, uint64_t frame, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->row[i].frame == frame && l->row[i].a == a && l->row[i].b == b)
            return 1;
    return 0;
}

/* What meets in a frame meets in the step before and in the step after; that of the step's first
 * frame has the same points. */
static void test_frames(void)
{
    const way w = way_host();
    for (size_t l = 0; l < LOOKS; l++) {
        course c;
        contact_list rows, still;
        imp_def def = step_def((int)l % 2);
        course_make(&c, &looks[l], l + 50);
        way_rows(&w, &def, &c, &rows);
        def.continuous = 0;
        way_rows(&w, &def, &c, &still);
        size_t at = 0;
        for (size_t i = 0; i < still.count; i++) {
            const struct contact_row *r = &still.row[i];
            EXPECT(!r->frame || has_pair(&rows, r->frame - 1, r->a, r->b),
                   "%s: %u %u meet in frame %llu, not before", looks[l].name, r->a, r->b,
                   (unsigned long long)r->frame);
            if (r->frame == FRAMES - 1)
                continue;
            while (at < rows.count &&
                   (rows.row[at].frame < r->frame || rows.row[at].kind < IMP_KIND_AT_START))
                at++;
            EXPECT(at < rows.count && rows.row[at].a == r->a && rows.row[at].b == r->b &&
                       rows.row[at].kind == r->kind + IMP_KIND_AT_START &&
                       !memcmp(rows.row[at].point, r->point, sizeof r->point),
                   "%s: %u %u meet in frame %llu, not at the start of the step", looks[l].name,
                   r->a, r->b, (unsigned long long)r->frame);
            at++;
        }
        contact_list_free(&rows);
        contact_list_free(&still);
        course_free(&c);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {
        {"ways", test_ways}, {"truth", test_truth}, {"frames", test_frames}, {0}};
    return test_main(argc, argv, "between", tests);
}
