/* Incremental update of the spatial hash: writes only the entries of cells that a primitive left or
 * entered (kernels/hash_moved.cl). */
#include "broad_hash.h"

#include "error.h"
#include "hash.h"

#define WHERE_WORDS 4         /* hash_moved.cl */
#define MANY 4                /* if more than one entry in 4 changes, a full sort is cheaper */
#define PERSISTENT_IDS_MOST 3 /* times the entries: a larger pool is rebuilt */
#define PERSISTENT_IDS_MORE                                                                        \
    1024                  /* initial free slots after the chains, plus a quarter of the entries */
#define DIRTY_OF_STRIP 64 /* dirty primitives in one strip */

/* ---- the pool */

static uint64_t persistent_ids_of(const hash *h)
{
    return h->update.chained ? h->update.slots : h->entries + h->visitors;
}

/* Chains of the sorted entries, built on first use: a frame without an incremental successor does
 * not need them. */
static int chains_make(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    hash_update *m = &h->update;
    uint32_t n = h->buckets;
    TRY(hash_table_starts(h, d));
    TRY(buffer_fit(d, &m->first, n));
    TRY(buffer_fit(d, &m->room, n));
    TRY(buffer_fit(d, &m->live, n));
    TRY(RUN(d, hash_chains_take, n, &h->index.start, &m->first, &m->room, &m->live));
    TRY(buffer_read(d, &h->cells.levels, 0, &m->levels, 1));
    m->slots = (uint32_t)(h->entries + h->visitors);
    m->chained = 1;
out:
    return err;
}

/* Makes space for `need` more slots after the chains. Chains stay in place; a chain that outgrows
 * its space moves behind the others. */
static int grow_pool(hash *h, device *d, uint64_t need)
{
    int err = IMP_OK;
    uint64_t have = h->update.slots, all = have + need;
    if (BUFFER_BYTES(&h->value, all) <= h->value.raw.bytes)
        return IMP_OK;
    all += have / 4 + PERSISTENT_IDS_MORE;
    TRY(buffer_grow(d, &h->key, have, all));
    TRY(buffer_grow(d, &h->value, have, all));
out:
    return err;
}

/* ---- search */

#define CHAINED_OF(h)                                                                              \
    &(h)->update.first, &(h)->update.room, &(h)->key, &(h)->value, (h)->prim_bits,                 \
        (h)->bucket_bits, (h)->buckets, (h)->update.levels, &(h)->cells.level,                     \
        &(h)->update.dirty->flag, &(h)->cells.inv

static int hash_dirty_pairs_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    hash *h = state;
    return RUN(in->c->dev, hash_dirty_count, n, q->at, &h->update.dirty->prim,
               SCENE_OF(in, q->range), CHAINED_OF(h), &h->update.queries.count);
}

/* Only emitted by strip. */
static const query_calls hash_dirty_calls = {hash_dirty_pairs_count, NULL, NULL};

static int hash_dirty_pairs_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                                   uint32_t capacity, pairs *out)
{
    hash *h = state;
    return RUN(in->c->dev, hash_dirty_strips, n, k->at, &h->update.dirty->prim,
               SCENE_OF(in, k->range), CHAINED_OF(h), CHUNKS_OF(&k->list), capacity, &k->offset,
               &h->update.strips.count, &out->a, &out->b);
}

/* All pairs in one range: an incremental pass has no others. */
static int hash_dirty_queries(hash *h, const broad_input *in, imp_frame_info *info)
{
    const broad_range all = {0, UINT32_MAX};
    const dirty_set *m = h->update.dirty;
    return queries_begin(&h->update.queries, in, all, &m->all, m->count, &hash_dirty_calls, h,
                         info);
}

static int hash_update_strips(hash *h, const broad_input *in)
{
    const broad_range all = {0, UINT32_MAX};
    const uint32_t start[2] = {0, h->update.dirty->count};
    strips_begin(&h->update.strips, all);
    return strips_make(&h->update.strips, in, start, 1, DIRTY_OF_STRIP);
}

/* ---- from one frame to the next */

/* Finds the old pairs of dirty primitives and stores their old cells: the bounds that give these
 * are overwritten next. */
static int hash_update_leave(void *state, const broad_input *in, const dirty_set *dirty,
                             uint64_t *count)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    hash *h = state;
    imp_frame_info info = {0};
    h->update.dirty = dirty;
    if (!h->update.chained)
        TRY(chains_make(h, in));
    TRY(buffer_fit(d, &h->update.where, (size_t)WHERE_WORDS * dirty->count));
    TRY(RUN(d, hash_where, dirty->count, &dirty->prim, &in->bounds->broad.box, &h->cells.inv,
            &h->update.where));
    if (!count)
        goto out;
    TRY(hash_dirty_queries(h, in, &info));
    *count = info.candidates;
out:
    return err;
}

/* Counts the entries that leave or enter, and the first change of each dirty primitive. */
static int hash_update_count(hash *h, const broad_input *in, uint64_t *changes)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    hash_update *m = &h->update;
    uint32_t n = m->dirty->count;
    TRY(buffer_fit(d, &m->count, n));
    TRY(RUN(d, hash_changes, n, &m->dirty->prim, &in->bounds->broad.box, &h->cells.inv, &m->where,
            m->levels, &m->count));
    TRY(scan_counts(d, &m->sort.scan, &m->count, n, &m->offset, changes));
out:
    return err;
}

/* Lists the changes sorted by bucket, so that one item makes all changes of a chain. */
static int list_changes(hash *h, const broad_input *in, uint32_t changes)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    hash_update *m = &h->update;
    buffer_u32 *lists[] = {&m->key, &m->order, &m->prim, &m->stamp, &m->need, &m->written};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        TRY(buffer_fit(d, lists[i], changes));
    TRY(RUN(d, hash_changes_list, m->dirty->count, &m->dirty->prim, &in->bounds->broad.box,
            &h->cells.inv, &m->where, m->levels, h->buckets, &m->offset, &h->cells.level, &m->key,
            &m->order, &m->prim, &m->stamp));
    TRY(sort_by_key(d, &m->sort, &m->key, &m->order, changes, bits_for(h->buckets)));
out:
    return err;
}

/* Applies the changes to chains. */
static int change_chains(hash *h, const broad_input *in, uint32_t changes, uint64_t *written)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    hash_update *m = &h->update;
    uint64_t need;
    TRY(RUN(d, hash_chains_need, changes, &m->key, &m->order, &m->stamp, &m->room, &m->live,
            &m->need));
    TRY(scan_counts(d, &m->sort.scan, &m->need, changes, &m->offset, &need));
    TRY(grow_pool(h, d, need));
    TRY(RUN(d, hash_chains_change, changes, &m->key, &m->order, &m->prim, &m->stamp, &m->need,
            &m->offset, m->slots, h->prim_bits, h->bucket_bits, &h->key, &h->value, &m->first,
            &m->room, &m->live, &m->written));
    m->slots += (uint32_t)need;
    TRY(scan_counts(d, &m->sort.scan, &m->written, changes, &m->offset, written));
out:
    return err;
}

/* On IMP_ERR_MEMORY the scheduler runs a full pass, which needs no cached table. */
static int hash_update_rebuild(hash *h, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    TRY(hash_table_make(h, in));
    if (!h->mode.updatable)
        FAIL(IMP_ERR_MEMORY, "broad phase hash: the table is too large to be kept");
    TRY(chains_make(h, in));
    *written = persistent_ids_of(h);
out:
    return err;
}

static int hash_update_read_changes(hash *h, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    uint64_t all = h->entries + h->visitors, changes;
    TRY(hash_update_count(h, in, &changes));
    if (!changes)
        goto out;
    if (changes > all / MANY || h->update.slots > PERSISTENT_IDS_MOST * all) {
        TRY(hash_update_rebuild(h, in, written));
        goto out;
    }
    TRY(list_changes(h, in, (uint32_t)changes));
    TRY(change_chains(h, in, (uint32_t)changes, written));
out:
    return err;
}

/* Updates the table to the new bounds before the search for pairs: a partner may have moved as
 * well. */
static int hash_update_enter(void *state, const broad_input *in, imp_frame_info *info,
                             uint64_t *written)
{
    int err = IMP_OK;
    hash *h = state;
    (void)info; /* strips count their pairs as they find them */
    *written = 0;
    TRY(hash_update_read_changes(h, in, written));
    TRY(hash_update_strips(h, in));
out:
    return err;
}

static int hash_update_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                            candidates *out)
{
    hash *h = state;
    return strips_next(&h->update.strips, in, most, info, hash_dirty_pairs_strips, h, &out->of);
}

static int hash_update_done(const void *state)
{
    const hash *h = state;
    return strips_done(&h->update.strips);
}

static int hash_able(const void *state)
{
    return ((const hash *)state)->mode.updatable;
}

const broad_incremental hash_incremental = {hash_able, hash_update_leave, hash_update_enter,
                                            hash_update_next, hash_update_done};

void hash_update_free(hash_update *m, const context *c)
{
    buffer *mine[] = {&m->first.raw, &m->room.raw,  &m->live.raw,    &m->where.raw,
                      &m->count.raw, &m->order.raw, &m->prim.raw,    &m->stamp.raw,
                      &m->key.raw,   &m->need.raw,  &m->written.raw, &m->offset.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev, mine[i]);
    sorter_free(c->dev, &m->sort);
    queries_free(&m->queries, c->dev);
    strips_free(&m->strips, c);
    m->chained = 0;
}
