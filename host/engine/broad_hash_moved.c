/* See broad_hash_moved.h. */
#include "broad_hash_moved.h"

#include "error.h"

#define BUCKETS 3     /* for each primitive that is entered, as in broad_hash.c */
#define STALE_MOST 8  /* one in so many: then all are entered anew, which is cheaper */
#define WHERE_WORDS 4 /* hash_moved.cl */
#define KEY_BITS 32   /* a key is a bucket and no more */

/* ---- tables */

/* Of those that are stale, or of the others; on their own levels, or above them. */
static int make_table(hash_moved *h, const broad_input *in, uint32_t stale, uint32_t above)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = in->block->prims;
    const buffer_f32 *box = &in->bounds->broad.box;
    hash_table *t = &h->table[2 * stale + above];
    uint64_t of = BUCKETS * (stale ? h->stales : n);
    t->buckets = (uint32_t)(of < UINT32_MAX ? of : n);
    t->entries = 0;
    if (!t->buckets || (above && !(h->levels & (h->levels - 1))))
        goto out;
    TRY(buffer_fit(d, &h->count, n));
    TRY(RUN(d, hash_kept_cover, n, box, h->inv, &h->level, &h->stale, stale, above, h->levels,
            &h->count));
    TRY(scan_counts(d, &h->sort.scan, &h->count, n, &h->offset, &t->entries));
    TRY(buffer_fit(d, &t->key, t->entries));
    TRY(buffer_fit(d, &t->value, t->entries));
    TRY(RUN(d, hash_kept_enter, n, box, h->inv, &h->level, &h->stale, stale, above, h->levels,
            &h->offset, t->buckets, &t->key, &t->value));
    TRY(sort_by_key(d, &h->sort, &t->key, &t->value, t->entries, bits_for(t->buckets)));
    TRY(hash_table_starts(d, &t->key, t->entries, t->buckets, KEY_BITS, &t->start));
out:
    return err;
}

static int make_tables(hash_moved *h, const broad_input *in, uint32_t stale)
{
    int err = IMP_OK;
    TRY(make_table(h, in, stale, 0));
    TRY(make_table(h, in, stale, 1));
out:
    return err;
}

static int read_levels(hash_moved *h, const broad_input *in, uint32_t *levels)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const uint32_t start[2] = {0, in->block->prims};
    TRY(segments_cut(d, &h->cut, start, 1));
    TRY(reduce_sets(d, &h->cut, &h->level, &h->set));
    TRY(buffer_read(d, &h->set, 0, levels, 1));
out:
    return err;
}

/* All by the bounds that are there. */
static int make_all(hash_moved *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = in->block->prims;
    h->ready = 0;
    h->stales = 0;
    TRY(buffer_fit(d, &h->level, n));
    TRY(buffer_fit(d, &h->stale, n));
    TRY(RUN(d, hash_levels, n, &in->bounds->broad.box, h->inv, &h->level, &h->stale));
    TRY(read_levels(h, in, &h->levels));
    TRY(make_tables(h, in, 0));
    TRY(make_tables(h, in, 1));
    h->ready = 1;
out:
    return err;
}

/* ---- looking */

#define KEPT_OF(h, t, i)                                                                           \
    &(t)->start, &(t)->value, &(h)->level, &(h)->stale, &(h)->moved->is, (uint32_t)(i) / 2,        \
        (uint32_t)(i) % 2, (h)->levels, (t)->buckets, (h)->inv

static int kept_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    hash_moved *h = state;
    const hash_table *t = &h->table[h->pass];
    return RUN(in->c->dev, hash_kept_count, n, q->at, &h->moved->prim, SCENE_OF(in, q->range),
               KEPT_OF(h, t, h->pass), &h->queries[h->pass].count);
}

static int kept_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const hash_moved *h = state;
    const hash_table *t = &h->table[h->pass];
    return RUN(in->c->dev, hash_kept_emit, n, q->at, &h->moved->prim, SCENE_OF(in, q->range),
               KEPT_OF(h, t, h->pass), &q->offset, q->base, &out->a, &out->b);
}

static const query_calls kept_calls = {kept_count, kept_emit};

/* To the next table with something in it. */
static void next_pass(hash_moved *h)
{
    while (h->pass < HASH_TABLES &&
           (!h->table[h->pass].entries || !h->moved->count || queries_done(&h->queries[h->pass])))
        h->pass++;
}

/* Counts pairs in all tables, and begins with the first. */
static int begin(hash_moved *h, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const broad_range all = {0, UINT32_MAX};
    for (h->pass = 0; h->pass < HASH_TABLES; h->pass++)
        if (h->table[h->pass].entries && h->moved->count)
            TRY(queries_begin(&h->queries[h->pass], in, all, &h->moved->all, h->moved->count,
                              &kept_calls, h, info));
    h->pass = 0;
    next_pass(h);
out:
    return err;
}

/* ---- from a frame to the next */

static int list_moved(hash_moved *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    TRY(buffer_fit(d, &h->where, (size_t)WHERE_WORDS * h->moved->count));
    TRY(buffer_fit(d, &h->changed, h->moved->count));
    TRY(buffer_fit(d, &h->fresh, h->moved->count));
    TRY(RUN(d, hash_where, h->moved->count, &h->moved->prim, &in->bounds->broad.box, h->inv,
            &h->where));
out:
    return err;
}

int hash_moved_leave(hash_moved *h, const broad_input *in, const buffer_f32 *inv,
                     const movers *moved, uint64_t *count)
{
    int err = IMP_OK;
    imp_frame_info info = {0};
    h->inv = inv;
    h->moved = moved;
    if (!h->ready)
        TRY(make_all(h, in));
    TRY(list_moved(h, in));
    if (!count)
        goto out;
    TRY(begin(h, in, &info));
    *count = info.candidates;
out:
    return err;
}

/* Those that have other cells now are stale where they were. */
static int take_changes(hash_moved *h, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t levels;
    uint64_t fresh;
    TRY(RUN(d, hash_changing, h->moved->count, &h->moved->prim, &in->bounds->broad.box, h->inv,
            &h->where, &h->level, &h->stale, &h->changed, &h->fresh));
    TRY(scan_counts(d, &h->sort.scan, &h->changed, h->moved->count, &h->offset, written));
    TRY(scan_counts(d, &h->sort.scan, &h->fresh, h->moved->count, &h->offset, &fresh));
    h->stales += fresh;
    TRY(read_levels(h, in, &levels));
    if ((levels & ~h->levels) || h->stales > in->block->prims / STALE_MOST) {
        TRY(make_all(h, in));
        *written = in->block->prims;
        goto out;
    }
    if (*written)
        TRY(make_tables(h, in, 1));
out:
    return err;
}

int hash_moved_enter(hash_moved *h, const broad_input *in, imp_frame_info *info, uint64_t *written)
{
    int err = IMP_OK;
    *written = 0;
    h->ready = 0;
    if (h->moved->count)
        TRY(take_changes(h, in, written));
    TRY(begin(h, in, info));
    h->ready = 1;
out:
    return err;
}

int hash_moved_next(hash_moved *h, const broad_input *in, uint64_t most, pairs *out)
{
    int err = queries_next(&h->queries[h->pass], in, most, &kept_calls, h, out);
    if (!err)
        next_pass(h);
    return err;
}

int hash_moved_done(const hash_moved *h)
{
    return h->pass == HASH_TABLES;
}

void hash_moved_free(hash_moved *h, device *d)
{
    buffer *mine[] = {&h->level.raw, &h->stale.raw, &h->where.raw, &h->changed.raw,
                      &h->fresh.raw, &h->count.raw, &h->set.raw,   &h->offset.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
    for (int i = 0; i < HASH_TABLES; i++) {
        buffer_free(d, &h->table[i].key);
        buffer_free(d, &h->table[i].value);
        buffer_free(d, &h->table[i].start);
        queries_free(&h->queries[i], d);
    }
    segments_free(d, &h->cut);
    sorter_free(d, &h->sort);
    h->ready = 0;
}
