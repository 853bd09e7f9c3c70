/* The table of the spatial hash that is cached from frame to frame: after any sequence of motions
 * it has the entries that the frame's bounds require, as counted by plain code, and only changes
 * are written: nothing if all primitives that moved stay in their cells. */
#include "broad_hash.h"
#include "expect.h"
#include "ways.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRIMS 200
#define VERTS (3 * PRIMS)
#define LEVELS 28
#define STEPS 40

/* ---- the expected table */

typedef struct entry {
    uint32_t bucket, prim, stamp;
} entry;

typedef struct table {
    entry *at;
    size_t count, room;
} table;

static void table_add(table *t, entry e)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 1024;
        t->at = realloc(t->at, t->room * sizeof *t->at);
    }
    t->at[t->count++] = e;
}

static int entry_order(const void *p, const void *q)
{
    const entry *x = p, *y = q;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    if (x->prim != y->prim)
        return x->prim < y->prim ? -1 : 1;
    return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

static void table_sort(table *t)
{
    if (t->count)
        qsort(t->at, t->count, sizeof *t->at, entry_order);
}

static int table_equal(const table *x, const table *y)
{
    return x->count == y->count && (!x->count || !memcmp(x->at, y->at, x->count * sizeof *x->at));
}

/* Number of entries of x that are not in y. */
static size_t table_without(const table *x, const table *y)
{
    size_t n = 0;
    for (size_t i = 0; i < x->count; i++)
        n += !y->count || !bsearch(&x->at[i], y->at, y->count, sizeof *y->at, entry_order);
    return n;
}

static int64_t hash_test_floor_divide(int64_t i, int64_t by)
{
    return i / by - (i % by < 0);
}

/* The cells of a box on a level; returns the greatest number along an axis. */
static int64_t hash_test_cells(const float *box, float inv, int level, int64_t lo[3], int64_t hi[3])
{
    int64_t most = 0;
    for (int k = 0; k < 3; k++) {
        lo[k] = hash_test_floor_divide((int64_t)floor((double)(float)((double)box[k] * inv)),
                                       INT64_C(1) << level);
        hi[k] = hash_test_floor_divide((int64_t)floor((double)(float)((double)box[k + 3] * inv)),
                                       INT64_C(1) << level);
        most = hi[k] - lo[k] + 1 > most ? hi[k] - lo[k] + 1 : most;
    }
    return most;
}

/* The remainder of a sum, from the remainders of its terms. */
static uint32_t hash_test_bucket(const int64_t c[3], uint32_t buckets)
{
    static const int64_t prime[3] = {2000689, 8000981, 5123693};
    int64_t n = buckets, h = 0;
    for (int k = 0; k < 3; k++)
        h = (h + prime[k] * ((c[k] % n + n) % n)) % n;
    return (uint32_t)h;
}

static void hash_test_add_cells(table *t, uint32_t prim, const int64_t lo[3], const int64_t hi[3],
                                uint32_t visit, uint32_t buckets)
{
    for (int64_t x = lo[0]; x <= hi[0]; x++)
        for (int64_t y = lo[1]; y <= hi[1]; y++)
            for (int64_t z = lo[2]; z <= hi[2]; z++) {
                const int64_t c[3] = {x, y, z};
                uint32_t place =
                    (uint32_t)(x & 3) | (uint32_t)(y & 3) << 2 | (uint32_t)(z & 3) << 4;
                table_add(t, (entry){hash_test_bucket(c, buckets), prim, place | visit << 6});
            }
}

/* The entries of the current boxes: on each one's own level, and as visitors on those above. */
static void table_wanted(const float *box, float inv, uint32_t levels, uint32_t buckets, table *t)
{
    int64_t lo[3], hi[3];
    for (uint32_t i = 0; i < PRIMS; i++) {
        const float *b = box + 6 * (size_t)i;
        int own = 0;
        if (!(b[0] <= b[3]))
            continue;
        while (hash_test_cells(b, inv, own, lo, hi) > 4)
            own++;
        for (int l = own; l < LEVELS; l++)
            if (levels >> l & 1) {
                hash_test_cells(b, inv, l, lo, hi);
                hash_test_add_cells(t, i, lo, hi, l == own ? 0 : (uint32_t)l + 1, buckets);
            }
    }
    table_sort(t);
}

/* ---- the actual table */

static entry entry_of(const hash *h, uint32_t bucket, uint32_t key, uint32_t value)
{
    uint64_t word = (uint64_t)key >> h->bucket_bits << 32 | value;
    if ((key & ((UINT64_C(1) << h->bucket_bits) - 1)) != bucket)
        EXPECT(0, "an entry of bucket %u in %u", key, bucket);
    return (entry){bucket, (uint32_t)(word & ((UINT64_C(1) << h->prim_bits) - 1)),
                   (uint32_t)(word >> h->prim_bits)};
}

static uint32_t *numbers(device *d, const buffer_u32 *from, size_t n)
{
    uint32_t *to = malloc((n + 1) * sizeof *to);
    CU_ASSERT_EQUAL_FATAL(buffer_read(d, from, 0, to, n), 0);
    return to;
}

/* Disjoint chains of slots, each with the number of entries that it claims. */
static void read_chains(device *d, const hash *h, table *t)
{
    const hash_update *m = &h->update;
    uint32_t *first = numbers(d, &m->first, h->buckets), *room = numbers(d, &m->room, h->buckets);
    uint32_t *live = numbers(d, &m->live, h->buckets);
    uint32_t *key = numbers(d, &h->key, m->slots), *value = numbers(d, &h->value, m->slots);
    uint8_t *taken = calloc(m->slots + (size_t)1, 1);
    for (uint32_t b = 0; b < h->buckets; b++) {
        uint32_t count = 0;
        if (first[b] + room[b] > m->slots)
            EXPECT(0, "chain %u ends at %u of %u", b, first[b] + room[b], m->slots);
        for (uint32_t e = first[b]; e < first[b] + room[b] && e < m->slots; e++) {
            if (taken[e]++)
                EXPECT(0, "slot %u is of two chains", e);
            if (value[e] == UINT32_MAX)
                continue;
            table_add(t, entry_of(h, b, key[e], value[e]));
            count++;
        }
        if (count != live[b])
            EXPECT(0, "chain %u has %u entries, not %u", b, count, live[b]);
    }
    void *all[] = {first, room, live, key, value, taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    table_sort(t);
}

/* The table as it was sorted. */
static void read_sorted(device *d, const hash *h, table *t)
{
    size_t n = h->entries + h->visitors;
    uint32_t *key = numbers(d, &h->key, n), *value = numbers(d, &h->value, n);
    for (size_t e = 0; e < n; e++)
        table_add(t, entry_of(h, (uint32_t)(key[e] & ((UINT64_C(1) << h->bucket_bits) - 1)), key[e],
                              value[e]));
    free(key);
    free(value);
    table_sort(t);
}

/* ---- sequences */

typedef struct scene {
    imp_mesh mesh;
    uint32_t corner[VERTS];
    double point[3 * VERTS];
    imp_frame frame;
} scene;

/* Triangles at random positions, most of them small; the last two fix the frame's unit and centre.
 */
static void hash_test_scene_make(scene *s, rng *r)
{
    for (uint32_t i = 0; i < VERTS; i++) {
        uint32_t prim = i / 3;
        double size = prim % 20 == 0 ? 0.5 : prim % 7 == 0 ? 0.12 : 0.03;
        s->corner[i] = i;
        for (uint32_t k = 0; k < 3; k++) {
            if (i % 3 == 0)
                s->point[3 * i + k] = 1.6 * rng_unit(r) - 0.8;
            else
                s->point[3 * i + k] = s->point[3 * (i - i % 3) + k] + size * (rng_unit(r) - 0.5);
        }
    }
    for (uint32_t i = VERTS - 6; i < VERTS; i++)
        for (uint32_t k = 0; k < 3; k++)
            s->point[3 * i + k] = i < VERTS - 3 ? -1.5 : 1.5;
    s->mesh = (imp_mesh){.vertices = VERTS, .primitives = PRIMS, .corner = s->corner};
    s->frame = (imp_frame){&s->mesh, s->point, IMP_FLOAT64, 0};
}

/* Extent of a step: mostly within cells; some to other cells; all to others; one of a size that
 * none had. */
enum step { STILL, WITHIN, SOME, MANY, HUGE_ONE, STEP_KINDS };

static void scene_step(scene *s, enum step how, rng *r)
{
    uint32_t n = how == STILL ? 0 : how == MANY ? PRIMS - 2 : how == HUGE_ONE ? 1 : 8;
    double far = how == WITHIN ? 1e-7 : 0.1;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t prim = how == MANY ? j : rng_below(r, PRIMS - 2);
        double by[3] = {far * (rng_unit(r) - 0.5), far * (rng_unit(r) - 0.5),
                        far * (rng_unit(r) - 0.5)};
        for (uint32_t v = 3 * prim; v < 3 * prim + 3; v++)
            for (uint32_t k = 0; k < 3; k++) {
                double *x = &s->point[3 * v + k];
                *x = fmin(fmax(*x + by[k], -1), 1);
                if (how == HUGE_ONE)
                    *x = v == 3 * prim ? -0.9 : 0.9;
            }
    }
}

/* Statistics of all sequences. */
typedef struct tally {
    uint64_t within, changed, moved_chains, made_again, contacts;
} tally;

/* Compares the table of an incremental frame to that of the previous frame, and the entries written
 * in between. */
static void check_hash_written(const hash *h, const table *before, const table *now,
                               uint32_t chained, uint64_t entries_written, int moved, tally *seen)
{
    size_t goes = table_without(before, now), comes = table_without(now, before);
    if (!goes && !comes) {
        EXPECT(!entries_written, "%llu written, no primitive has left its cells",
               (unsigned long long)entries_written);
        seen->within += (uint64_t)moved;
    } else if (h->update.slots < chained || entries_written >= now->count) {
        EXPECT(entries_written == now->count, "%llu written of %zu",
               (unsigned long long)entries_written, now->count);
        seen->made_again++;
    } else {
        uint64_t room = h->update.slots - chained;
        EXPECT(entries_written >= comes && entries_written <= goes + comes + room,
               "%llu written, %zu went and %zu came, chains moved to %llu slots",
               (unsigned long long)entries_written, goes, comes, (unsigned long long)room);
        seen->changed++;
        seen->moved_chains += room > 0;
    }
}

static void hash_test_run_sequence(const way *w, uint64_t seed, tally *seen)
{
    static scene s;
    rng r = {seed};
    imp_def def = {.broad = "hash",
                   .cell = seed % 2 ? 0.1 : 0,
                   .pairs = (int)(seed / 2 % 2),
                   .update = IMP_UPDATE_REBUILD};
    imp *anew = way_pipeline(w, &def);
    def.update = IMP_UPDATE_KEEP;
    imp *kept = way_pipeline(w, &def);
    device *d = kept->context.dev;
    table before = {0};
    uint32_t chained = 0;
    hash_test_scene_make(&s, &r);
    for (int step = 0; step < STEPS; step++) {
        enum step how = (enum step)rng_below(&r, step % 8 == 7 ? STEP_KINDS : MANY);
        imp_frame_info a, b;
        contact_list want = {0}, got = {0};
        table now = {0}, wanted = {0};
        float box[6 * PRIMS], inv;
        uint32_t levels;
        if (step)
            scene_step(&s, how, &r);
        s.frame.number = (uint64_t)step;
        EXPECT(!imp_detect(anew, &s.frame, 1, contact_list_sink, &want, &a), "%s",
               imp_error_text());
        EXPECT(!imp_detect(kept, &s.frame, 1, contact_list_sink, &got, &b), "%s", imp_error_text());
        EXPECT(contact_list_equal(&want, &got) && a.candidates == b.candidates,
               "%s, seed %llu, step %d: other contacts", w->name, (unsigned long long)seed, step);
        const hash *h = kept->workspace.broad.state[BROAD_hash];
        CU_ASSERT_FATAL(h && h->mode.updatable);
        CU_ASSERT_EQUAL_FATAL(
            buffer_read(d, &kept->workspace.bounds.broad.box, 0, box, (size_t)6 * PRIMS), 0);
        CU_ASSERT_EQUAL_FATAL(buffer_read(d, &h->cells.inv, 0, &inv, 1), 0);
        CU_ASSERT_EQUAL_FATAL(buffer_read(d, &h->cells.levels, 0, &levels, 1), 0);
        if (h->update.chained)
            read_chains(d, h, &now);
        else
            read_sorted(d, h, &now);
        table_wanted(box, inv, levels, h->buckets, &wanted);
        EXPECT(table_equal(&wanted, &now), "%s, seed %llu, step %d: %zu entries, not %zu", w->name,
               (unsigned long long)seed, step, now.count, wanted.count);
        if (step)
            check_hash_written(h, &before, &now, chained, b.entries_written, how != STILL, seen);
        else
            EXPECT(b.entries_written == now.count, "%llu written at first",
                   (unsigned long long)b.entries_written);
        chained = h->update.chained ? h->update.slots : (uint32_t)now.count;
        seen->contacts += want.count;
        contact_list_free(&want);
        contact_list_free(&got);
        free(wanted.at);
        free(before.at);
        before = now;
    }
    free(before.at);
    imp_destroy(anew);
    imp_destroy(kept);
}

static void test_hash_kept(void)
{
    way ways[WAYS_MOST];
    size_t n = ways_few(ways);
    uint64_t count = test_cases(8);
    for (size_t i = 0; i < n; i++) {
        tally seen = {0};
        if (!way_keeps(&ways[i]))
            continue;
        for (uint64_t seed = 1; seed <= count; seed++)
            hash_test_run_sequence(&ways[i], seed, &seen);
        EXPECT(seen.within && seen.changed && seen.moved_chains && seen.made_again && seen.contacts,
               "%s: not all happened: %llu %llu %llu %llu %llu", ways[i].name,
               (unsigned long long)seen.within, (unsigned long long)seen.changed,
               (unsigned long long)seen.moved_chains, (unsigned long long)seen.made_again,
               (unsigned long long)seen.contacts);
    }
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"kept", test_hash_kept}, {0}};
    return test_main(argc, argv, "hash", tests);
}
