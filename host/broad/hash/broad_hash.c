/* Broad phase by the prime-coefficient spatial hash (kernels/README.md, hash.cl). Cell size is the
 * mean edge of a frame's primitives unless given; the table of a frame with n primitives has 3n
 * buckets. Primitives too large for such cells go to coarser levels.
 *
 * On GPUs each entry is tested against the later ones of its bucket (hash_search.cl), and
 * primitives search coarser levels. On CPUs pairs are found along the chains of the table, by strip
 * (hash_team.cl), including pairs of two levels unless that needs too many entries. */
#include "broad_hash.h"

#include "cell.h"
#include "broad.h"
#include "error.h"
#include "hash.h"
#include "prim.h"
#include "parallel.h"

#include <math.h>
#include <string.h>

#define CELL_FINEST 0x1p24f /* cells per unit, 2^25 along a frame without inflation (cell.h) */
#define CELL_COARSEST 0.25f /* such a frame has at most 8 cells */
#define SEARCHED_MOST (UINT32_MAX / 2) /* entries that are items of a launch */
#define CACHED_MOST (UINT32_MAX / 8)   /* entries of a cached table, since chains grow */

_Static_assert((int32_t)CELL_FINEST <= CELL_BIAS / BOUND_REACH, "no cell is beyond the bias");

/* Sum over all edges of a frame: total length in scaled units, and their number. */
typedef struct edges {
    double sum;
    uint64_t count;
} edges;

/* Adds the edges of each frame. Runs on the device if it has float64, since the points are
 * there. */
static int edge_sums(const broad_input *in, edges *out)
{
    int err = IMP_OK;
    const context *c = in->c;
    const chunks *k = &in->bounds->prims;
    buffer_f64 sum_buf = {0};
    buffer_u32 count_buf = {0};
    double *sum = NULL;
    uint32_t *count = NULL;
    TRY(buffer_fit(c->dev64, &sum_buf, k->count));
    TRY(buffer_fit(c->dev64, &count_buf, k->count));
    TRY(mem_alloc(c->mem, k->count * sizeof *sum, &sum));
    TRY(mem_alloc(c->mem, k->count * sizeof *count, &count));
    TRY(RUN_CHUNKS(c->dev64, bound_edges, k->count, CHUNKS_OF(k), in->view->corners,
                   &in->bounds->on64.corner, &in->bounds->x, &sum_buf, &count_buf));
    const readout both[] = {READOUT(&sum_buf, 0, sum, k->count),
                            READOUT(&count_buf, 0, count, k->count)};
    TRY(device_read_all(c->dev64, both, 2));
    for (uint32_t i = 0; i < k->count; i++) {
        out[k->frame[i]].sum += sum[i];
        out[k->frame[i]].count += count[i];
    }
out:
    mem_free(c->mem, sum);
    mem_free(c->mem, count);
    buffer_free(c->dev64, &sum_buf);
    buffer_free(c->dev64, &count_buf);
    return err;
}

/* Cells per unit for a frame with these edges. If all edges have length zero, the frame is divided
 * into about one cell for each primitive. A given cell size is in the caller's unit, the mean edge
 * in the frame's. */
static float frame_inv(const broad_input *in, size_t f, const edges *all)
{
    const block_view *v = in->view;
    const normalisation *u = &in->bounds->normalisation;
    uint32_t n = v->prim0[f + 1] - v->prim0[f] - u->bad[f];
    double cell = in->c->opt.cell, edge = cell * u->scale[2 * f] * u->scale[2 * f + 1];
    if (cell == 0 && all->count)
        edge = all->sum / (double)all->count;
    if (cell == 0 && !(edge > 0))
        edge = 2 / cbrt((double)n + 1);
    double inv = 1 / edge;
    return inv > CELL_FINEST ? CELL_FINEST : inv > CELL_COARSEST ? (float)inv : CELL_COARSEST;
}

static int cell_sizes(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    mem *m = in->c->mem;
    uint32_t frames = in->view->frames;
    edges *all = NULL;
    float *inv = NULL;
    TRY(mem_alloc(m, frames * sizeof *all, &all));
    TRY(mem_alloc(m, frames * sizeof *inv, &inv));
    memset(all, 0, frames * sizeof *all);
    if (in->c->opt.cell == 0)
        TRY(edge_sums(in, all));
    for (uint32_t f = 0; f < frames; f++)
        inv[f] = frame_inv(in, f, &all[f]);
    TRY(buffer_put(in->c->dev, &h->cells.inv, inv, frames));
out:
    mem_free(m, all);
    mem_free(m, inv);
    return err;
}

/* Buckets of all frames, 3n each; fewer if their numbers would not fit 32 bits. Fewer buckets only
 * mean longer chains. */
static int table_layout(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    const block_view *v = in->view;
    uint32_t *bucket0 = NULL;
    uint64_t at = 0, most = UINT32_MAX - 1;
    TRY(mem_alloc(in->c->mem, (v->frames + 1) * sizeof *bucket0, &bucket0));
    for (uint32_t f = 0; f < v->frames; f++) {
        uint64_t n = v->prim0[f + 1] - v->prim0[f];
        bucket0[f] = (uint32_t)at;
        at += 3 * (uint64_t)v->prims <= most ? 3 * n : n;
    }
    bucket0[v->frames] = h->buckets = (uint32_t)at;
    TRY(buffer_put(in->c->dev, &h->bucket0, bucket0, v->frames + 1));
out:
    mem_free(in->c->mem, bucket0);
    return err;
}

/* Reads the number of all entries and whether a frame has several levels: with one level, no
 * primitive has to search another. One wait for both. */
static int hash_read_counts(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t frames = in->view->frames, *levels = NULL;
    TRY(mem_alloc(c->mem, frames * sizeof *levels, &levels));
    const readout both[] = {READOUT(&h->cells.offset, in->view->prims, &h->entries, 1),
                            READOUT(&h->cells.levels, 0, levels, frames)};
    TRY(device_read_all(c->dev, both, 2));
    h->mode.several = 0;
    for (uint32_t f = 0; f < frames; f++)
        h->mode.several |= (levels[f] & (levels[f] - 1)) != 0;
out:
    mem_free(c->mem, levels);
    return err;
}

/* Computes the number of cells of each primitive, its level, and the levels of each frame. */
static int table_cover(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    TRY(buffer_fit(d, &h->cells.count, v->prims));
    TRY(buffer_fit(d, &h->cells.level, v->prims));
    TRY(RUN(d, hash_cover, v->prims, &s->box, v->frames, &s->prim0, &h->cells.inv, &h->cells.count,
            &h->cells.level));
    TRY(segments_cut(d, &h->segments, v->prim0, v->frames));
    TRY(reduce_sets(d, &h->segments, &h->cells.level, &h->cells.levels));
    TRY(scan_counts(d, &h->scan, &h->cells.count, v->prims, &h->cells.offset, NULL));
    TRY(hash_read_counts(h, in));
out:
    return err;
}

/* Counts the entries that primitives would have as visitors of coarser levels, before they are
 * inserted: too many of them cost more than searches do. */
static int hash_count_visitors(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    TRY(buffer_fit(d, &h->cells.visit_count, v->prims));
    TRY(RUN(d, hash_visits, v->prims, &s->box, v->frames, &s->prim0, &h->cells.inv, &h->cells.level,
            &h->cells.levels, &h->cells.visit_count));
    TRY(scan_counts(d, &h->scan, &h->cells.visit_count, v->prims, &h->cells.visit_offset,
                    &h->visitors));
out:
    return err;
}

/* Returns whether the entries suffice to find the pairs of a dirty primitive. */
static int hash_can_update(const hash *h, uint32_t bits)
{
    return bits + ENTRY_VISIT_BITS <= ENTRY_BITS && (h->mode.visits || !h->mode.several) &&
           h->entries + h->visitors < CACHED_MOST;
}

/* Lists the primitives that search for pairs, and where. A number above all primitives marks an
 * empty slot. */
static int hash_list_searchers(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    const int groups = in->c->dev->groups;
    h->prim_bits = bits_for((uint64_t)in->view->prims + 1);
    h->bucket_bits = bits_for(h->buckets);
    h->visitors = 0;
    uint32_t bits = h->prim_bits + h->bucket_bits + ENTRY_CELL_BITS;
    /* Strips tell the cells of a bucket apart by stamps (hash.h), so they need entries with one. */
    h->mode.by_strip = !groups && bits <= ENTRY_BITS;
    /* No stamp: each number has a whole word. */
    if (bits > ENTRY_BITS)
        h->prim_bits = h->bucket_bits = 32;
    if (h->mode.several && h->mode.by_strip && bits + ENTRY_VISIT_BITS <= ENTRY_BITS)
        TRY(hash_count_visitors(h, in));
    h->mode.visits = h->visitors && h->visitors / VISITORS_MOST <= h->entries;
    h->visitors = h->mode.visits ? h->visitors : 0;
    /* Strips find pairs of one level, and of visitors; without visitors, a search has to find pairs
     * of two levels. */
    h->mode.looks = !h->mode.by_strip || (h->mode.several && !h->mode.visits);
    h->mode.above = (uint32_t)h->mode.by_strip;
    h->mode.by_entry =
        groups && bits <= ENTRY_BITS && h->prim_bits < 32 && h->entries <= SEARCHED_MOST;
    h->mode.updatable = in->cached && hash_can_update(h, bits);
out:
    return err;
}

static int hash_insert(hash *h, const broad_input *in, uint32_t above, uint64_t entry0,
                       const buffer_u64 *offset)
{
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    return RUN(in->c->dev, hash_enter, v->prims, &s->box, v->frames, &s->prim0, &h->cells.inv,
               &h->cells.level, &h->cells.levels, &h->bucket0, above, entry0, offset, h->prim_bits,
               h->bucket_bits, &h->key, &h->value);
}

/* Visitors follow all other entries; the sort puts those of a bucket together. */
static int table_enter(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint64_t all = h->entries + h->visitors;
    TRY(buffer_fit(d, &h->key, all));
    TRY(buffer_fit(d, &h->value, all));
    TRY(hash_insert(h, in, 0, 0, &h->cells.offset));
    if (h->mode.visits)
        TRY(hash_insert(h, in, 1, h->entries, &h->cells.visit_offset));
    TRY(sort_by_key(d, &h->sort, &h->key, &h->value, all, h->bucket_bits));
out:
    return err;
}

int hash_table_starts(hash *h, device *d)
{
    int err = IMP_OK;
    if (h->index.started)
        return IMP_OK;
    TRY(entries_starts(d, &h->key, h->entries + h->visitors, h->buckets, h->bucket_bits,
                       &h->index.start));
    h->index.started = 1;
out:
    return err;
}

static int make_rough(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    const prim_set *s = &in->bounds->broad;
    TRY(buffer_fit(in->c->dev, &h->index.rough, h->entries));
    TRY(RUN(in->c->dev, hash_rough, h->entries, &s->box, in->view->frames, &s->prim0, &h->cells.inv,
            &h->cells.level, &h->key, &h->value, h->prim_bits, h->bucket_bits, &h->index.rough));
out:
    return err;
}

static entry_counts hash_counts(const hash *h, const broad_input *in)
{
    return (entry_counts){&in->bounds->broad.prim0, &h->cells.offset,
                          h->mode.visits ? &h->cells.visit_offset : NULL};
}

static int make_strips(hash *h, const broad_input *in)
{
    const entry_counts n = hash_counts(h, in);
    return entries_strips(in, &h->scan, &n, &h->entry0, &h->group0, &h->strips);
}

/* The order of steps is fixed: the counts of buckets and entries decide whether an entry has a
 * stamp, and that decides which entries are made. */
int hash_table_make(hash *h, const broad_input *in)
{
    int err = IMP_OK;
    h->update.chained = h->index.started = 0;
    TRY(cell_sizes(h, in));
    TRY(table_layout(h, in));
    TRY(table_cover(h, in));
    TRY(hash_list_searchers(h, in));
    TRY(table_enter(h, in));
out:
    return err;
}

static int hash_build(void *state, const broad_input *in)
{
    int err = IMP_OK;
    hash *h = state;
    TRY(hash_table_make(h, in));
    if (h->mode.by_entry)
        TRY(make_rough(h, in));
    if (h->mode.by_strip)
        TRY(make_strips(h, in));
out:
    return err;
}

/* Mask of the primitive in an entry's value. */
static uint32_t prim_mask(const hash *h)
{
    return (uint32_t)((UINT64_C(1) << h->prim_bits) - 1);
}

#define TABLE_OF(h, in)                                                                            \
    (in)->view->frames, &(in)->bounds->broad.prim0, &(h)->index.start, &(h)->value, prim_mask(h),  \
        &(h)->cells.level, &(h)->bucket0, &(h)->cells.inv, &(h)->cells.levels

static int hash_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    int err = IMP_OK;
    hash *h = state;
    TRY(hash_table_starts(h, in->c->dev));
    TRY(RUN(in->c->dev, hash_count, n, q->at, SCENE_OF(in, q->range), TABLE_OF(h, in),
            h->mode.above, &h->queries.count));
out:
    return err;
}

static int hash_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const hash *h = state;
    return RUN(in->c->dev, hash_emit, n, q->at, SCENE_OF(in, q->range), TABLE_OF(h, in),
               h->mode.above, &q->offset, q->base, &out->a, &out->b);
}

/* Pairs of one level by entry; then primitives search for those of two levels, if any. All go to
 * one list. */
static int hash_search(void *state, const broad_input *in, queries *q, uint32_t n, pairs *out)
{
    int err = IMP_OK;
    hash *h = state;
    device *d = in->c->dev;
    const uint32_t entries = (uint32_t)h->entries, above = (uint32_t)h->mode.by_entry;
    if (h->mode.by_entry)
        TRY(RUN_GROUP(d, hash_entries_group, search_items(entries), SEARCH_GROUP, entries,
                      SCENE_OF(in, q->range), in->view->frames, &in->bounds->broad.prim0, &h->key,
                      &h->value, &h->index.rough, &h->cells.level, &h->cells.inv, h->prim_bits,
                      h->bucket_bits, SEARCH_OF(q, out)));
    if (h->mode.by_entry && !h->mode.several)
        goto out;
    TRY(hash_table_starts(h, d));
    TRY(RUN_GROUP(d, hash_search_group, search_items(n), SEARCH_GROUP, n, SCENE_OF(in, q->range),
                  TABLE_OF(h, in), above, SEARCH_OF(q, out)));
out:
    return err;
}

static const query_calls hash_calls = {hash_count, hash_emit, hash_search};

static int hash_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                       uint32_t capacity, pairs *out)
{
    hash *h = state;
    return RUN(in->c->dev, hash_strips, n, k->at, SCENE_OF(in, k->range), &h->cells.level,
               &h->cells.inv, &h->cells.levels, &h->key, &h->value, h->prim_bits, h->bucket_bits,
               &h->entry0, &h->group0, FRAME_CHUNKS_OF(&k->list), capacity, &k->offset,
               &h->strips.count, &out->a, &out->b);
}

/* Both strategies may be in use: strips for pairs of one level, then queries for the coarser
 * levels. */
static int hash_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    hash *h = state;
    if (h->mode.by_strip)
        strips_begin(&h->strips, range);
    if (!h->mode.looks)
        return IMP_OK;
    return queries_begin(&h->queries, in, range, &in->bounds->broad.prim0, in->view->prims,
                         &hash_calls, h, info);
}

static int hash_strips_done(const hash *h)
{
    return !h->mode.by_strip || strips_done(&h->strips);
}

static int hash_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                     candidates *out)
{
    hash *h = state;
    if (!hash_strips_done(h))
        return strips_next(&h->strips, in, most, info, hash_strips, h, &out->of);
    return queries_next(&h->queries, in, most, &hash_calls, h, info, out);
}

static int hash_done(const void *state)
{
    const hash *h = state;
    return hash_strips_done(h) && (!h->mode.looks || queries_done(&h->queries));
}

static int hash_wrote(void *state, const broad_input *in, imp_frame_info *info)
{
    hash *h = state;
    const entry_counts n = hash_counts(h, in);
    return entries_wrote(in, &h->scan, &n, h->entries + h->visitors, info);
}

static void hash_free(void *state, const context *c)
{
    hash *h = state;
    buffer *all[] = {&h->cells.inv.raw,
                     &h->bucket0.raw,
                     &h->cells.level.raw,
                     &h->cells.levels.raw,
                     &h->cells.count.raw,
                     &h->cells.offset.raw,
                     &h->cells.visit_count.raw,
                     &h->cells.visit_offset.raw,
                     &h->key.raw,
                     &h->value.raw,
                     &h->entry0.raw,
                     &h->group0.raw,
                     &h->index.start.raw,
                     &h->index.rough.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(c->dev, all[i]);
    scanner_free(c->dev, &h->scan);
    sorter_free(c->dev, &h->sort);
    segments_free(c->dev, &h->segments);
    queries_free(&h->queries, c->dev);
    hash_update_free(&h->update, c);
    strips_free(&h->strips, c);
}

const broad_method broad_hash = {.name = "hash",
                                 .size = sizeof(hash),
                                 .build = hash_build,
                                 .begin = hash_begin,
                                 .next = hash_next,
                                 .done = hash_done,
                                 .free = hash_free,
                                 .incremental = &hash_incremental,
                                 .wrote = hash_wrote};
