/* Incremental frames (imp_def.update): contacts, candidates and counts are those of a pipeline that
 * recomputes each frame, for any changes, on all devices; and cached entries of unmoved primitives
 * are not written again. */
#include "expect.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 240
#define VERTS 200
#define FRAMES 12

/* A sequence: loose patches of primitives on neighbouring vertices. */
typedef struct series {
    imp_mesh mesh;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS];
    double point[FRAMES][3 * VERTS];
    imp_frame frame[FRAMES];
    uint32_t moved[FRAMES]; /* moved vertices since the previous frame */
} series;

static void series_mesh(series *s, int corners, rng *r)
{
    for (uint32_t i = 0; i < PRIMS; i++) {
        uint32_t near = rng_below(r, VERTS - 6);
        for (int k = 0; k < corners; k++)
            s->corner[(uint32_t)corners * i + (uint32_t)k] = near + rng_below(r, 6);
        s->corner_count[i] = (uint8_t)(3 + rng_below(r, 2));
        s->object[i] = (int32_t)rng_below(r, 3) - 1;
    }
    s->mesh = (imp_mesh){VERTS,     PRIMS,   s->corner,
                         s->object, corners, corners == 4 ? s->corner_count : NULL};
}

/* The change from one frame to the next. */
enum change { SAME, ONE, SOME, MOST, FAR_OUT, NOT_FINITE, ZERO_SIGN, CHANGES };

static void change_points(double *x, enum change how, rng *r, uint32_t *moved)
{
    uint32_t n = how == ONE ? 1 : how == SOME ? 8 : how == MOST ? VERTS : 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = rng_below(r, VERTS);
        for (uint32_t k = 0; k < 3; k++)
            x[3 * v + k] += 0.1 * (rng_unit(r) - 0.5);
    }
    if (how == FAR_OUT)
        x[3 * rng_below(r, VERTS)] = rng_below(r, 2) ? 40 : 0.5;
    if (how == NOT_FINITE)
        x[3 * rng_below(r, VERTS)] = NAN;
    if (how == ZERO_SIGN)
        x[3 * rng_below(r, VERTS) + 1] = rng_below(r, 2) ? 0.0 : -0.0;
    *moved = how == SAME ? 0 : how == ONE || how == SOME ? n : VERTS;
}

static void incremental_series_make(series *s, int corners, uint64_t seed)
{
    rng r = {seed};
    series_mesh(s, corners, &r);
    for (uint32_t i = 0; i < 3 * VERTS; i++)
        s->point[0][i] = 0.03 * (i / 3) * (i % 3 == 0) + 0.4 * rng_unit(&r);
    for (int f = 0; f < FRAMES; f++) {
        if (f) {
            memcpy(s->point[f], s->point[f - 1], sizeof s->point[f]);
            change_points(s->point[f], (enum change)rng_below(&r, CHANGES), &r, &s->moved[f]);
        }
        s->frame[f] = (imp_frame){&s->mesh, s->point[f], IMP_FLOAT64, (uint64_t)f};
    }
}

/* ---- against frames that are fully recomputed */

typedef struct seen {
    contact_list list[FRAMES];
    imp_frame_info info[FRAMES];
} seen;

static void seen_free(seen *s)
{
    for (int f = 0; f < FRAMES; f++)
        contact_list_free(&s->list[f]);
}

/* Runs frame after frame, with `at_once` frames in a call. */
static void incremental_inspect(imp *p, const series *s, int at_once, seen *out)
{
    memset(out, 0, sizeof *out);
    for (int f = 0; f < FRAMES; f += at_once) {
        contact_list all = {0};
        EXPECT(
            !imp_detect(p, s->frame + f, (size_t)at_once, contact_list_sink, &all, out->info + f),
            "%s", imp_error_text());
        out->list[f] = all;
    }
}

static int info_equal(const imp_frame_info *a, const imp_frame_info *b)
{
    return a->candidates == b->candidates && a->contacts == b->contacts &&
           a->undecided == b->undecided && a->bad == b->bad;
}

/* The info of a frame tells its pass, and how much was cached. */
static void check_incremental_pass(const imp_frame_info *b, uint32_t moved, const way *w,
                                   uint64_t seed, int f)
{
    const int full = *b->reason != 0;
    EXPECT(!strcmp(b->pass, full ? "full" : "incremental"), "%s, seed %llu, frame %d: %s, '%s'",
           w->name, (unsigned long long)seed, f, b->pass, b->reason);
    EXPECT(full ? !b->kept
                : b->kept <= PRIMS && (moved || b->kept == PRIMS) &&
                      (!b->entries_written || b->kept < PRIMS),
           "%s, seed %llu, frame %d: %u kept, %llu written", w->name, (unsigned long long)seed, f,
           b->kept, (unsigned long long)b->entries_written);
    EXPECT(f || full, "%s, seed %llu: the first frame is incremental", w->name,
           (unsigned long long)seed);
}

static void incremental_compare(const series *s, const seen *want, const seen *got, const way *w,
                                const imp_def *def, uint64_t seed)
{
    for (int f = 0; f < FRAMES; f++) {
        const imp_frame_info *a = &want->info[f], *b = &got->info[f];
        EXPECT(info_equal(a, b),
               "%s, seed %llu, frame %d: %llu %llu %llu %u kept, not %llu %llu %llu %u", w->name,
               (unsigned long long)seed, f, (unsigned long long)b->candidates,
               (unsigned long long)b->contacts, (unsigned long long)b->undecided, b->bad,
               (unsigned long long)a->candidates, (unsigned long long)a->contacts,
               (unsigned long long)a->undecided, a->bad);
        EXPECT(contact_list_equal(&want->list[f], &got->list[f]),
               "%s, seed %llu, frame %d: other contacts (stage %d)", w->name,
               (unsigned long long)seed, f, def->stage);
        check_incremental_pass(b, s->moved[f], w, seed, f);
        /* trees of objects are refitted, and their frames full */
        if (!way_keeps(w) || (def->broad && !strcmp(def->broad, "tree")))
            continue;
        if (f && !s->moved[f] && !a->bad && !got->info[f - 1].bad)
            EXPECT(!b->entries_written,
                   "%s, seed %llu, frame %d: %llu written though nothing moved", w->name,
                   (unsigned long long)seed, f, (unsigned long long)b->entries_written);
        if (f && s->moved[f] == 1 && !a->bad && !got->info[f - 1].bad)
            EXPECT(b->entries_written < PRIMS / 2,
                   "%s, seed %llu, frame %d: %llu written for one vertex", w->name,
                   (unsigned long long)seed, f, (unsigned long long)b->entries_written);
    }
}

/* One series on one device: cached against recomputed. Returns the number of contacts. */
static uint64_t run_series(const way *w, const imp_def *def, int corners, uint64_t seed)
{
    static series s;
    static seen want, got;
    imp_def kept = *def;
    kept.update = IMP_UPDATE_KEEP;
    imp *anew = way_pipeline(w, def), *p = way_pipeline(w, &kept);
    uint64_t contacts = 0;
    incremental_series_make(&s, corners, seed);
    int at_once = seed % 3 ? 1 : FRAMES;
    incremental_inspect(anew, &s, at_once, &want);
    incremental_inspect(p, &s, at_once, &got);
    incremental_compare(&s, &want, &got, w, def, seed);
    for (int f = 0; f < FRAMES; f++)
        contacts += want.info[f].contacts;
    seen_free(&want);
    seen_free(&got);
    imp_destroy(anew);
    imp_destroy(p);
    return contacts;
}

/* The options for a seed. */
static imp_def incremental_def(uint64_t seed)
{
    static const int dops[] = {6, 14, 18, 26};
    const int near = seed % 4 == 2;
    return (imp_def){.dop_k = dops[seed / 8 % 4],
                     .rows = near ? IMP_ROWS_PRIMITIVES : IMP_ROWS_CONTACTS,
                     .distance = near ? 0.01 * (double)(seed % 3) : 0,
                     .broad = seed % 3 == 1   ? "hash"
                              : seed % 6 == 5 ? "tree"
                                              : NULL,
                     .stage = seed % 5 == 0 ? IMP_STAGE_CANDIDATES : IMP_STAGE_CONTACTS,
                     .adjacent = seed % 2 ? IMP_ADJACENT_TEST : IMP_ADJACENT_SKIP,
                     .pairs = (int)(seed / 4 % 3),
                     .solids = seed % 7 == 0,
                     .end_features = !near && seed % 5 != 0,
                     .on_bad = IMP_BAD_SKIP};
}

/* One form of the host, and those of OpenCL devices; without float64 there is only one. */
static int tells(const way *w)
{
    return w->threads == 1 || (w->opencl && (w->units || !w->no_fp64));
}

static void test_incremental_series(void)
{
    way ways[WAYS_MOST];
    size_t n = ways_find(ways);
    uint64_t contacts = 0, count = test_cases(60);
    for (size_t i = 0; i < n; i++)
        for (uint64_t seed = 1; tells(&ways[i]) && seed <= (i ? count / 6 + 1 : count); seed++) {
            imp_def def = incremental_def(seed);
            contacts += run_series(&ways[i], &def, seed % 3 == 2 ? 4 : 3, seed);
        }
    EXPECT(contacts > 0, "there is nothing to compare");
}

/* ---- more vertices than a chunk, and more primitives than a work-group */

#define MANY_VERTS 2500
#define MANY_PRIMS 1700
#define MANY_FRAMES 5

typedef struct many {
    imp_mesh mesh;
    uint32_t corner[3 * MANY_PRIMS];
    double point[MANY_FRAMES][3 * MANY_VERTS];
    imp_frame frame[MANY_FRAMES];
} many;

/* Primitives on neighbouring vertices; one in fifty has a random vertex. In each frame only
 * vertices of a range move, or none; a range may span the boundary of two chunks. */
static void many_make(many *s)
{
    static const uint32_t range[MANY_FRAMES][2] = {
        {0, 0}, {1020, 1030}, {1500, 1600}, {0, 0}, {0, MANY_VERTS / 5}};
    rng r = {4};
    for (uint32_t i = 0; i < 3 * MANY_PRIMS; i++)
        s->corner[i] = i % 150 ? (MANY_VERTS - 9) * (i / 3) / MANY_PRIMS + rng_below(&r, 9)
                               : rng_below(&r, MANY_VERTS);
    for (uint32_t i = 0; i < 3 * MANY_VERTS; i++)
        s->point[0][i] = 0.01 * (i / 3) * (i % 3 == 0) + 0.4 * rng_unit(&r);
    s->mesh = (imp_mesh){MANY_VERTS, MANY_PRIMS, s->corner, NULL, 3, NULL};
    for (int f = 0; f < MANY_FRAMES; f++) {
        if (f)
            memcpy(s->point[f], s->point[f - 1], sizeof s->point[f]);
        for (uint32_t i = 3 * range[f][0]; i < 3 * range[f][1]; i++)
            s->point[f][i] += 0.05 * (rng_unit(&r) - 0.5);
        s->frame[f] = (imp_frame){&s->mesh, s->point[f], IMP_FLOAT64, (uint64_t)f};
    }
}

static void many_run(const way *w, const many *s)
{
    contact_list want = {0}, got = {0};
    imp_frame_info a[MANY_FRAMES], b[MANY_FRAMES];
    imp_def def = {.broad = "rtree"};
    imp *anew = way_pipeline(w, &def);
    def.update = IMP_UPDATE_KEEP;
    imp *p = way_pipeline(w, &def);
    EXPECT(!imp_detect(anew, s->frame, MANY_FRAMES, contact_list_sink, &want, a) &&
               !imp_detect(p, s->frame, MANY_FRAMES, contact_list_sink, &got, b),
           "%s", imp_error_text());
    for (int f = 0; f < MANY_FRAMES; f++)
        EXPECT(info_equal(&a[f], &b[f]) &&
                   (!f || !way_keeps(w) || b[f].entries_written < MANY_PRIMS / 2),
               "%s, frame %d of many: %llu %llu kept, not %llu %llu, %llu written", w->name, f,
               (unsigned long long)b[f].candidates, (unsigned long long)b[f].contacts,
               (unsigned long long)a[f].candidates, (unsigned long long)a[f].contacts,
               (unsigned long long)b[f].entries_written);
    EXPECT(want.count && contact_list_equal(&want, &got), "%s: other contacts of many", w->name);
    contact_list_free(&want);
    contact_list_free(&got);
    imp_destroy(anew);
    imp_destroy(p);
}

static void test_incremental_many(void)
{
    static many s;
    way ways[WAYS_MOST];
    size_t n = ways_find(ways);
    many_make(&s);
    for (size_t i = 0; i < n; i++)
        if (tells(&ways[i]))
            many_run(&ways[i], &s);
}

/* Another mesh, and imp_forget: the frame is fully recomputed. */
static void test_incremental_forget(void)
{
    static series s, t;
    imp *p;
    imp_frame_info info[3];
    incremental_series_make(&s, 3, 1);
    incremental_series_make(&t, 3, 2);
    CU_ASSERT_EQUAL_FATAL(
        imp_create(&(imp_def){.device = "cpu", .update = IMP_UPDATE_KEEP, .on_bad = IMP_BAD_SKIP},
                   &p),
        0);
    const imp_frame frame[] = {s.frame[0], s.frame[0], t.frame[0]};
    CU_ASSERT_EQUAL(imp_detect(p, frame, 3, NULL, NULL, info), 0);
    CU_ASSERT(info[0].entries_written == PRIMS && info[1].entries_written == 0 &&
              info[2].entries_written == PRIMS);
    CU_ASSERT_EQUAL(imp_detect(p, frame + 2, 1, NULL, NULL, info), 0);
    CU_ASSERT_EQUAL(info[0].entries_written, 0);
    imp_forget(p);
    CU_ASSERT_EQUAL(imp_detect(p, frame + 2, 1, NULL, NULL, info), 0);
    CU_ASSERT_EQUAL(info[0].entries_written, PRIMS);
    imp_destroy(p);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"series", test_incremental_series},
                                 {"many", test_incremental_many},
                                 {"forget", test_incremental_forget},
                                 {0}};
    return test_main(argc, argv, "incremental", tests);
}
