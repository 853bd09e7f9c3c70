/* Frames of different meshes whose primitives have ids (imp_mesh.id): moved, removed, added and
 * replaced primitives are distinguished from unchanged ones, and contacts, candidates and counts
 * are those of a pipeline that computes each frame from scratch, on all devices. */
#include "expect.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES 14
#define START 200 /* primitives of the first frame */
#define PRIMS 900 /* most primitives of a frame */
#define VERTS 260
#define VERTS_MOST 640

/* A frame with its own mesh. */
typedef struct state {
    imp_mesh mesh;
    imp_frame frame;
    uint32_t corner[4 * PRIMS];
    uint8_t corner_count[PRIMS];
    int32_t object[PRIMS];
    int64_t id[PRIMS];
    double point[3 * VERTS_MOST];
    float single[3 * VERTS_MOST];
    int alone;        /* tetrahedra only */
    uint32_t changed; /* primitives that differ from the previous frame; PRIMS: any number */
} state;

typedef struct series {
    state at[FRAMES];
    int64_t ids; /* ids used so far */
} series;

static void persistent_ids_test_random_primitive(state *s, uint32_t i, uint32_t near, rng *r)
{
    uint32_t corners = (uint32_t)s->mesh.corners;
    for (uint32_t k = 0; k < corners; k++)
        s->corner[corners * i + k] = near + rng_below(r, 6);
    s->corner_count[i] =
        corners == 4 && !s->alone ? (uint8_t)(3 + rng_below(r, 2)) : (uint8_t)corners;
    s->object[i] = (int32_t)rng_below(r, 3) - 1;
}

static void persistent_ids_test_random_points(state *s, uint32_t first, rng *r)
{
    for (uint32_t i = 3 * first; i < 3 * s->mesh.vertices; i++)
        s->point[i] = 0.02 * (i / 3 % VERTS) * (i % 3 == 0) + 0.4 * rng_unit(r);
}

static void persistent_ids_test_add(series *q, state *s, uint32_t near, rng *r)
{
    uint32_t i = s->mesh.primitives;
    if (i == PRIMS)
        return;
    persistent_ids_test_random_primitive(s, i, near, r);
    s->id[i] = 1000 - 7 * q->ids++;
    s->mesh.primitives++;
    s->changed++;
}

static void move_primitive(state *s, uint32_t to, uint32_t from)
{
    size_t n = (size_t)s->mesh.corners;
    memmove(s->corner + n * to, s->corner + n * from, n * sizeof *s->corner);
    s->corner_count[to] = s->corner_count[from];
    s->object[to] = s->object[from];
    s->id[to] = s->id[from];
}

/* Removes primitive i; the others stay in order. */
static void persistent_ids_test_remove(state *s, uint32_t i)
{
    for (uint32_t k = i + 1; k < s->mesh.primitives; k++)
        move_primitive(s, k - 1, k);
    s->mesh.primitives--;
    s->changed++;
}

/* Inserts among the others, not only after them. */
static void insert(series *q, state *s, uint32_t i, rng *r)
{
    persistent_ids_test_add(q, s, rng_below(r, VERTS - 6), r);
    uint32_t last = s->mesh.primitives - 1;
    if (last >= PRIMS - 1)
        return;
    move_primitive(s, last + 1, last);
    for (uint32_t k = last; k > i; k--)
        move_primitive(s, k, k - 1);
    move_primitive(s, i, last + 1);
}

static void persistent_ids_test_shuffle(state *s, rng *r)
{
    for (uint32_t k = s->mesh.primitives - 1; k && s->mesh.primitives < PRIMS; k--) {
        uint32_t other = rng_below(r, k + 1), spare = s->mesh.primitives;
        move_primitive(s, spare, k);
        move_primitive(s, k, other);
        move_primitive(s, other, spare);
    }
    s->changed = PRIMS;
}

/* One way in which a frame may differ from the previous one. */
enum change {
    DO_NOTHING,
    DO_POINTS,
    DO_CUT,
    DO_BURN,
    DO_INSERT,
    DO_ALTER,
    DO_VERTICES,
    DO_MANY,
    DO_EMPTY,
    DO_SHUFFLE,
    DO_SINGLE,
    CHANGES
};

static void persistent_ids_test_change(series *q, state *s, enum change how, rng *r)
{
    uint32_t n = 1 + rng_below(r, 6);
    for (uint32_t i = 0; i < n && s->mesh.primitives; i++) {
        uint32_t one = rng_below(r, s->mesh.primitives), v = rng_below(r, s->mesh.vertices);
        uint32_t near = s->corner[(uint32_t)s->mesh.corners * one];
        near = near < VERTS - 6 ? near : VERTS - 6;
        if (how == DO_POINTS) {
            s->point[3 * v] += 0.1 * (rng_unit(r) - 0.5);
            s->changed = PRIMS;
        } else if (how == DO_CUT) { /* replaces one by several */
            persistent_ids_test_remove(s, one);
            for (int k = 0; k < 3; k++)
                persistent_ids_test_add(q, s, near, r);
        } else if (how == DO_BURN)
            persistent_ids_test_remove(s, rng_below(r, 2) ? one : s->mesh.primitives - 1);
        else if (how == DO_INSERT)
            insert(q, s, one, r);
        else if (how == DO_ALTER) {
            persistent_ids_test_random_primitive(s, one, near, r);
            s->changed++;
        }
    }
    uint32_t verts = s->mesh.vertices;
    if (how == DO_VERTICES && verts + n <= VERTS_MOST) {
        s->mesh.vertices += n;
        persistent_ids_test_random_points(s, verts, r);
        if (rng_below(r, 2)) /* the frame is larger until its primitive is removed */
            s->point[3 * verts] = 40;
        persistent_ids_test_add(q, s, s->mesh.vertices - 6, r);
    }
    for (uint32_t i = 0; how == DO_MANY && i < 120; i++)
        persistent_ids_test_add(q, s, rng_below(r, VERTS - 6), r);
    while (how == DO_EMPTY && s->mesh.primitives)
        persistent_ids_test_remove(s, s->mesh.primitives - 1);
    if (how == DO_SHUFFLE && s->mesh.primitives)
        persistent_ids_test_shuffle(s, r);
    if (how == DO_SINGLE) {
        for (uint32_t i = 0; i < 3 * s->mesh.vertices; i++)
            s->single[i] = (float)s->point[i];
        s->changed = PRIMS;
    }
}

/* Makes the pointers of a copy point to its own arrays. */
static void bind_state(state *s, int f, int single)
{
    s->mesh.corner = s->corner;
    s->mesh.object = s->object;
    s->mesh.corner_count = s->mesh.corners == 4 && !s->alone ? s->corner_count : NULL;
    s->mesh.id = s->id;
    s->frame = (imp_frame){&s->mesh, single ? (const void *)s->single : s->point,
                           single ? IMP_FLOAT32 : IMP_FLOAT64, (uint64_t)f};
}

static void persistent_ids_test_series_make(series *q, int corners, uint64_t seed)
{
    rng r = {seed};
    memset(q, 0, sizeof *q);
    state *s = q->at;
    s->mesh = (imp_mesh){.vertices = VERTS, .corners = corners};
    s->alone = seed % 2 != 0;
    persistent_ids_test_random_points(s, 0, &r);
    while (s->mesh.primitives < START)
        persistent_ids_test_add(q, s, rng_below(&r, VERTS - 6), &r);
    bind_state(s, 0, 0);
    for (int f = 1; f < FRAMES; f++) {
        q->at[f] = q->at[f - 1];
        q->at[f].changed = q->at[f - 1].frame.type == IMP_FLOAT32 ? PRIMS : 0;
        enum change how = (enum change)rng_below(&r, CHANGES);
        persistent_ids_test_change(q, &q->at[f], how, &r);
        bind_state(&q->at[f], f, how == DO_SINGLE);
    }
}

/* Returns whether a primitive has a vertex far out. */
static int reaches_far(const state *s)
{
    for (uint32_t i = 0; i < s->mesh.primitives; i++)
        for (uint32_t n = (uint32_t)s->mesh.corners, k = 0; k < s->corner_count[i]; k++)
            if (s->point[3 * s->corner[n * i + k]] > 30)
                return 1;
    return 0;
}

/* ---- comparison with frames computed from scratch */

/* Returns whether all entries of a frame were written. Hashes have several entries for a primitive,
 * brute force has no table, and the others leave out primitives without possible partners. */
static int wrote_all(const imp *p, const imp_frame_info *i, uint32_t prims)
{
    const char *name = imp_broad_name(p);
    if (!strcmp(name, "brute"))
        return !i->entries_written;
    if (!i->contacts && i->entries_written < prims)
        return 1;
    return !strcmp(name, "hash") || !strcmp(name, "tiles") ? i->entries_written >= prims
                                                           : i->entries_written == prims;
}

static void persistent_ids_test_compare(const series *q, const way *w, imp *anew, imp *kept,
                                        uint64_t seed, uint64_t *saved)
{
    uint64_t came = 0; /* since all was written */
    for (int f = 0; f < FRAMES; f++) {
        contact_list want = {0}, got = {0};
        imp_frame_info a, b;
        EXPECT(!imp_detect(anew, &q->at[f].frame, 1, contact_list_sink, &want, &a), "%s",
               imp_error_text());
        EXPECT(!imp_detect(kept, &q->at[f].frame, 1, contact_list_sink, &got, &b), "%s",
               imp_error_text());
        EXPECT(a.candidates == b.candidates && a.contacts == b.contacts &&
                   a.undecided == b.undecided && a.bad == b.bad,
               "%s, seed %llu, frame %d: %llu %llu %llu kept, not %llu %llu %llu", w->name,
               (unsigned long long)seed, f, (unsigned long long)b.candidates,
               (unsigned long long)b.contacts, (unsigned long long)b.undecided,
               (unsigned long long)a.candidates, (unsigned long long)a.contacts,
               (unsigned long long)a.undecided);
        EXPECT(contact_list_equal(&want, &got), "%s, seed %llu, frame %d: other contacts", w->name,
               (unsigned long long)seed, f);
        uint32_t prims = q->at[f].mesh.primitives;
        EXPECT(wrote_all(anew, &a, prims), "%llu touched of %u",
               (unsigned long long)a.entries_written, prims);
        if (f && reaches_far(&q->at[f]) != reaches_far(&q->at[f - 1]))
            EXPECT(wrote_all(kept, &b, prims), "%s, seed %llu, frame %d: kept in another unit",
                   w->name, (unsigned long long)seed, f);
        if (f && b.entries_written < prims)
            *saved += prims - b.entries_written;
        if (b.entries_written < prims && strcmp(imp_broad_name(kept), "hash"))
            EXPECT(b.entries_written <= 2 * q->at[f].changed + came || q->at[f].changed >= PRIMS,
                   "%s, seed %llu, frame %d: %llu written for %u", w->name,
                   (unsigned long long)seed, f, (unsigned long long)b.entries_written,
                   q->at[f].changed);
        came = b.entries_written < prims ? came + q->at[f].changed : 0;
        contact_list_free(&want);
        contact_list_free(&got);
    }
}

static imp_def persistent_ids_test_def(uint64_t seed)
{
    static const int dops[] = {6, 14, 18, 26};
    const int near = seed % 4 == 2;
    return (imp_def){.dop_k = dops[seed / 8 % 4],
                     .rows = near ? IMP_ROWS_PRIMITIVES : IMP_ROWS_CONTACTS,
                     .distance = near ? 0.01 * (double)(seed % 3) : 0,
                     .broad = seed % 4 == 1 ? "hash" : NULL,
                     .stage = seed % 5 == 0 ? IMP_STAGE_CANDIDATES : IMP_STAGE_CONTACTS,
                     .adjacent = seed % 2 ? IMP_ADJACENT_TEST : IMP_ADJACENT_SKIP,
                     .pairs = (int)(seed / 4 % 3),
                     .solids = seed % 7 == 0,
                     .end_features = !near && seed % 5 != 0,
                     .ids = 1};
}

static void test_persistent_ids_series(void)
{
    static series q;
    way ways[WAYS_MOST];
    size_t n = ways_few(ways);
    uint64_t saved = 0, count = test_cases(80);
    for (size_t i = 0; i < n; i++)
        for (uint64_t seed = 1; seed <= (i ? count / 8 + 1 : count); seed++) {
            imp_def def = persistent_ids_test_def(seed), to_keep = def;
            to_keep.update = seed % 6 ? IMP_UPDATE_KEEP : IMP_UPDATE_AUTO;
            to_keep.block = 1;
            imp *anew = way_pipeline(&ways[i], &def), *kept = way_pipeline(&ways[i], &to_keep);
            persistent_ids_test_series_make(&q, seed % 3 == 2 ? 4 : 3, seed);
            persistent_ids_test_compare(&q, &ways[i], anew, kept, seed, &saved);
            imp_destroy(anew);
            imp_destroy(kept);
        }
    EXPECT(saved > 1000, "only %llu primitives were not written again", (unsigned long long)saved);
}

/* ---- positions of added primitives */

#define ROW 40000 /* triangles side by side that share no vertex: enough for all threads */
#define EVERY 125 /* one in this many is split, frame after frame */
#define SPLITS 4
#define ROW_MOST (ROW + (SPLITS + 1) * (ROW / EVERY + 1))

typedef struct row {
    imp_mesh mesh;
    uint32_t corner[3 * ROW_MOST];
    int64_t id[ROW_MOST];
} row;

static void row_add(row *w, uint32_t a, uint32_t b, uint32_t c, int64_t id)
{
    uint32_t i = w->mesh.primitives++;
    memcpy(w->corner + 3 * (size_t)i, (uint32_t[]){a, b, c}, 3 * sizeof *w->corner);
    w->id[i] = id;
}

/* Splits one triangle in EVERY, with a new vertex between the halves: these have new ids. One with
 * new vertices is inserted before them all. */
static void row_split(row *to, const row *from, int64_t ids, double *point)
{
    uint32_t v = from->mesh.vertices;
    to->mesh = (imp_mesh){.corner = to->corner, .id = to->id};
    row_add(to, v, v + 1, v + 2, -ids);
    for (uint32_t i = 0; i < 9; i++, v += i % 3 == 0)
        point[3 * v + i % 3] = i % 3 ? 0 : v % ROW;
    for (uint32_t i = 0; i < from->mesh.primitives; i++) {
        const uint32_t *c = from->corner + 3 * (size_t)i;
        if (i % EVERY != EVERY - 1) {
            row_add(to, c[0], c[1], c[2], from->id[i]);
            continue;
        }
        memcpy(point + 3 * (size_t)v, point + 3 * (size_t)c[0], 3 * sizeof *point);
        row_add(to, v, c[1], c[2], ids + 2 * i);
        row_add(to, c[0], v++, c[2], ids + 2 * i + 1);
    }
    to->mesh.vertices = v;
}

/* The first half of each takes its position, and unchanged primitives keep theirs. */
static void row_check(const persistent_ids *r, const row *now, const row *then,
                      const uint32_t *place)
{
    uint32_t wrong = 0, moved = 0, at = 1;
    for (uint32_t i = 0; i < then->mesh.primitives; i++) {
        int split = i % EVERY == EVERY - 1;
        uint32_t is = persistent_ids_find(r, now->id[at]).n;
        wrong += split && is != place[i];
        moved += !split && is != place[i];
        at += split ? 2 : 1;
    }
    EXPECT(!wrong, "%u first parts are elsewhere", wrong);
    EXPECT(!moved, "%u who stayed are elsewhere", moved);
    EXPECT(persistent_ids_vacant(r) == persistent_ids_absent(r), "%u vacant, but %u are free",
           persistent_ids_vacant(r), persistent_ids_absent(r));
}

static void test_persistent_ids_near(void)
{
    static row rows[2];
    static double point[3 * (3 * ROW + ROW_MOST)];
    static uint32_t place[ROW_MOST];
    const imp_def def = {
        .device = "cpu", .threads = 2, .ids = 1, .block = 1, .update = IMP_UPDATE_KEEP};
    imp *p;
    CU_ASSERT_EQUAL_FATAL(imp_create(&def, &p), 0);
    for (uint32_t i = 0; i < sizeof point / sizeof *point; i++)
        point[i] = i % 3 ? (i % 7) / 8.0 : i / 9;
    rows[0].mesh = (imp_mesh){.vertices = 3 * ROW, .corner = rows[0].corner, .id = rows[0].id};
    for (uint32_t i = 0; i < ROW; i++)
        row_add(rows, 3 * i, 3 * i + 1, 3 * i + 2, i);
    for (int f = 0; f <= SPLITS; f++) {
        row *now = &rows[f % 2], *then = &rows[(f + 1) % 2];
        const imp_frame frame = {&now->mesh, point, IMP_FLOAT64, (uint64_t)f};
        if (f)
            row_split(now, then, INT64_C(1000000) * f, point);
        EXPECT(!imp_detect(p, &frame, 1, NULL, NULL, NULL), "%s", imp_error_text());
        EXPECT(p->workspace.ids.used && p->workspace.ids.reassigned == !f, "frame %d: dealt anew",
               f);
        if (f)
            row_check(&p->workspace.ids, now, then, place);
        for (uint32_t i = 0; i < now->mesh.primitives; i++)
            place[i] = persistent_ids_find(&p->workspace.ids, now->id[i]).n;
    }
    imp_destroy(p);
}

/* Under any memory limit the results are the same, or there is an error. */
static void test_persistent_ids_memory(void)
{
    static series q;
    uint64_t saved = 0;
    persistent_ids_test_series_make(&q, 4, 2);
    for (uint64_t limit = 1 << 20; limit < 24 << 20; limit += limit / (TEST_SLOW ? 2 : 8)) {
        imp *anew, *kept;
        imp_def def = {.device = "cpu", .threads = 1, .ids = 1, .mem_limit = limit}, to_keep = def;
        to_keep.update = IMP_UPDATE_KEEP;
        if (imp_create(&def, &anew))
            continue;
        const way w = {.name = "limit"};
        CU_ASSERT_EQUAL_FATAL(imp_create(&to_keep, &kept), 0);
        if (!imp_detect(anew, &q.at[0].frame, 1, NULL, NULL, NULL))
            persistent_ids_test_compare(&q, &w, anew, kept, limit, &saved);
        imp_destroy(anew);
        imp_destroy(kept);
    }
    EXPECT(saved > 0, "nothing was kept");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"series", test_persistent_ids_series},
                                 {"memory", test_persistent_ids_memory},
                                 {"near", test_persistent_ids_near},
                                 {0}};
    return test_main(argc, argv, "persistent_ids", tests);
}
