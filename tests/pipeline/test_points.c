/* Points as callers store them: of either type, in one array or with each frame elsewhere. Results
 * are those of float64 in one array on one thread, on all devices; and cached points of one frame
 * are not mistaken for those of another. */
#include "expect.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 6
#define TYPES 5
#define PLACES 4

/* Memory layout of the frames: contiguous, in reverse order, each apart from the others, in pairs.
 */
enum place { TOGETHER, BACKWARDS, APART, PAIRS };

static const char *const place_names[PLACES] = {"together", "backwards", "apart", "two by two"};

/* '4': float32, '8': float64 */
static const char *const types[TYPES] = {"444444", "888888", "448888", "484848", "844484"};

typedef struct shots {
    imp_mesh mesh;
    uint32_t *corner;
    double *point[FRAMES]; /* representable in float32 */
} shots;

static void *points_zeros(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p)
        abort();
    return p;
}

/* Triangles that are in contact in each frame and in each step; `spare` vertices belong to none. */
static void shots_make(shots *s, uint32_t triangles, uint32_t spare, uint64_t seed)
{
    rng r = {seed};
    *s = (shots){.mesh = {.vertices = 3 * triangles + spare, .primitives = triangles}};
    const size_t n = (size_t)3 * s->mesh.vertices;
    s->corner = points_zeros((size_t)3 * triangles, sizeof *s->corner);
    s->mesh.corner = s->corner;
    for (uint32_t i = 0; i < 3 * triangles; i++)
        s->corner[i] = i;
    for (int f = 0; f < FRAMES; f++) {
        s->point[f] = points_zeros(n, sizeof(double));
        for (size_t i = 0; i < n; i++)
            s->point[f][i] =
                (double)(float)(4 * rng_unit(&r) + (i % 3 ? 0 : 0.1 * (double)(i / 9 % 40)));
    }
}

static void shots_free(shots *s)
{
    free(s->corner);
    for (int f = 0; f < FRAMES; f++)
        free(s->point[f]);
}

/* ---- in memory */

typedef struct stored {
    imp_frame frame[FRAMES];
    unsigned char *memory;
} stored;

/* Writes a frame's points in its type; returns their size in bytes. */
static size_t points_write_frame(const shots *s, int f, char type, unsigned char *to)
{
    const size_t n = (size_t)3 * s->mesh.vertices;
    if (type == '8')
        memcpy(to, s->point[f], n * sizeof(double));
    for (size_t i = 0; i < n && type == '4'; i++) {
        const float x = (float)s->point[f][i];
        memcpy(to + i * sizeof x, &x, sizeof x);
    }
    return n * (type == '8' ? sizeof(double) : sizeof(float));
}

/* Bytes left free before the next frame. */
static size_t points_gap(enum place place, int i)
{
    return place == APART || (place == PAIRS && i % 2) ? 8 * (size_t)(1 + i) : 0;
}

static void store(const shots *s, const char *type, enum place place, stored *out)
{
    size_t at = 0;
    out->memory = points_zeros(FRAMES * (3 * (size_t)s->mesh.vertices + 8), sizeof(double));
    for (int i = 0; i < FRAMES; i++) {
        const int f = place == BACKWARDS ? FRAMES - 1 - i : i; /* types are indexed by frame */
        out->frame[f] = (imp_frame){.mesh = &s->mesh,
                                    .point = out->memory + at,
                                    .type = type[f] == '4' ? IMP_FLOAT32 : IMP_FLOAT64,
                                    .number = (uint64_t)f};
        at += points_write_frame(s, f, type[f], out->memory + at);
        at += at % 8 + points_gap(place, i); /* float64 is aligned to its size */
    }
}

/* ---- the same result */

static void points_find_rows(imp *p, const stored *in, contact_list *out, imp_frame_info *info)
{
    *out = (contact_list){0};
    EXPECT(!imp_detect(p, in->frame, FRAMES, contact_list_sink, out, info), "%s", imp_error_text());
}

static int points_same_counts(const imp_frame_info *a, const imp_frame_info *b)
{
    for (int f = 0; f < FRAMES; f++)
        if (a[f].candidates != b[f].candidates || a[f].contacts != b[f].contacts ||
            a[f].undecided != b[f].undecided || a[f].candidates_vf != b[f].candidates_vf ||
            a[f].candidates_ee != b[f].candidates_ee)
            return 0;
    return 1;
}

/* Runs all layouts in turn on one pipeline; memory of the last call's points is reused. */
static void check_points_way(const way *w, const imp_def *def, const shots *s,
                             const contact_list *want, const imp_frame_info *counts)
{
    imp *p = way_pipeline(w, def);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    for (int k = 0; k < TYPES * PLACES; k++) {
        stored in;
        contact_list got;
        imp_frame_info info[FRAMES] = {{0}};
        store(s, types[k % TYPES], (enum place)(k / TYPES), &in);
        points_find_rows(p, &in, &got, info);
        EXPECT(contact_list_equal(&got, want) && points_same_counts(info, counts),
               "%s, block %u, continuous %d, update %d, limit %llu, %s, %s: %zu rows, not %zu",
               w->name, def->block, def->continuous, def->update,
               (unsigned long long)def->mem_limit, types[k % TYPES], place_names[k / TYPES],
               got.count, want->count);
        contact_list_free(&got);
        free(in.memory);
    }
    imp_destroy(p);
}

static void check_points_all(imp_def def, const shots *s)
{
    way list[WAYS_MOST];
    const size_t n = ways_few(list);
    stored in;
    contact_list want;
    imp_frame_info counts[FRAMES] = {{0}};
    imp_def whole = def;
    whole.mem_limit = 0;
    imp *p = way_pipeline(list, &whole);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p);
    store(s, "888888", TOGETHER, &in);
    points_find_rows(p, &in, &want, counts);
    CU_ASSERT(want.count > FRAMES);
    imp_destroy(p);
    free(in.memory);
    for (size_t i = 0; i < n; i++)
        check_points_way(&list[i], &def, s, &want, counts);
    contact_list_free(&want);
}

static void test_points_same(void)
{
    shots s;
    shots_make(&s, 40, 0, 1);
    check_points_all((imp_def){0}, &s);
    check_points_all((imp_def){.block = 2}, &s);
    check_points_all((imp_def){.update = IMP_UPDATE_KEEP}, &s);
    for (uint32_t block = 0; block < 3; block++)
        check_points_all((imp_def){.block = block, .continuous = 1}, &s);
    shots_free(&s);
}

/* The points of the frames alone exceed the pipeline's memory. */
static void test_points_limit(void)
{
    shots s;
    shots_make(&s, 40, 40000, 2);
    for (int continuous = 0; continuous < 2; continuous++)
        check_points_all((imp_def){.continuous = continuous, .mem_limit = 12 << 20}, &s);
    shots_free(&s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"same", test_points_same}, {"limit", test_points_limit}, {0}};
    return test_main(argc, argv, "points", tests);
}
