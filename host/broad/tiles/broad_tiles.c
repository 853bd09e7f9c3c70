/* Broad phase by tiles, with one tile size for each size class (kernels/tiles.cl). */
#include "broad_tiles.h"

#include "broad.h"
#include "error.h"
#include "hash.h"
#include "mem.h"
#include "prim.h"

#include <string.h>

#define VISITORS_PLENTY 8                        /* for each other entry, if memory is plentiful */
#define SIZES ((size_t)TILES_PARTS * TILES_BINS) /* histogram bins per frame */

/* ---- classes */

/* Histogram of primitive sizes of each frame: *sizes, [SIZES * frames]. */
static int tiles_frame_sizes(tiles *t, const broad_input *in, uint32_t **sizes)
{
    int err = IMP_OK;
    const context *c = in->c;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    tile_ranks *k = &t->ranks;
    TRY(buffer_put(c->dev, &k->bipartite, in->bounds->normalisation.bipartite, v->frames));
    /* borrowed for the bins; keys are written later */
    TRY(buffer_fit(c->dev, &k->key, v->prims));
    TRY(RUN(c->dev, size_bins, v->prims, &s->box, v->frames, &s->prim0, &k->bipartite, &s->object,
            TILES_OCTAVES, TILES_BINS, &k->key));
    TRY(segments_cut(c->dev, &t->segments, v->prim0, v->frames));
    TRY(histogram(c->dev, &t->segments, &k->key, (uint32_t)SIZES, &k->histogram));
    TRY(mem_alloc(c->mem, SIZES * v->frames * sizeof **sizes, sizes));
    TRY(buffer_read(c->dev, &k->histogram, 0, *sizes, SIZES * v->frames));
out:
    return err;
}

/* A box of the class spans less than a tile: only rounding makes it cover three along an axis. */
static void record_put(size_records *r, const size_class *c, uint32_t bits, uint64_t *buckets)
{
    const float inv = (float)(1 / (double)c->most);
    uint32_t *word = r->word + (size_t)TILES_WORDS * r->count++;
    memcpy(&word[0], &c->most, sizeof c->most);
    memcpy(&word[1], &inv, sizeof inv);
    word[2] = (uint32_t)*buckets;
    word[3] = (1u << bits) - 1;
    word[4] = c->part;
    *buckets += UINT64_C(1) << bits;
}

/* Appends the classes of a frame and their buckets; *prims becomes the number of its primitives
 * with entries. */
static int tiles_frame_records(const broad_input *in, const uint32_t *histogram, uint32_t f,
                               size_records *r, uint64_t *buckets, uint32_t *prims)
{
    size_class c[TILE_CLASSES_MOST];
    uint32_t n = tile_classes(histogram + f * SIZES, in->bounds->normalisation.bipartite[f], c);
    int err = size_records_room(in->c->mem, r, n);
    *prims = 0;
    for (uint32_t i = 0; i < n; i++)
        *prims += c[i].prims;
    for (uint32_t i = 0; i < n && !err; i++)
        record_put(r, &c[i], tile_bits(c[i].prims, *prims, in->view->prims), buckets);
    return err;
}

/* Classes and tables of all frames, and the ranks of their primitives. */
static int make_classes(tile_ranks *k, const broad_input *in, const uint32_t *histogram)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t frames = in->view->frames, *class0 = NULL, prims;
    size_records r = {.words = TILES_WORDS};
    uint64_t buckets = 0;
    TRY(mem_alloc(c->mem, (frames + (size_t)1) * sizeof *class0, &class0));
    class0[0] = k->rank0[0] = 0;
    k->several = 0;
    for (uint32_t f = 0; f < frames; f++) {
        TRY(tiles_frame_records(in, histogram, f, &r, &buckets, &prims));
        class0[f + 1] = r.count;
        k->several |= class0[f + 1] - class0[f] > 1;
        k->rank0[f + 1] = k->rank0[f] + prims;
    }
    if (buckets > UINT32_MAX - 1)
        FAIL(IMP_ERR_MEMORY, "broad phase tiles: %llu buckets are too many for one block",
             (unsigned long long)buckets);
    k->buckets = (uint32_t)buckets;
    TRY(buffer_put(c->dev, &k->class0, class0, frames + (size_t)1));
    TRY(buffer_put(c->dev, &k->record, r.word, (size_t)TILES_WORDS * r.count));
    TRY(buffer_put(c->dev, &k->rank0_buf, k->rank0, frames + (size_t)1));
out:
    mem_free(c->mem, class0);
    mem_free(c->mem, r.word);
    return err;
}

/* ---- the table */

/* Sorts primitives by the bucket of their first tile. Primitives that overlap nothing are last and
 * have no rank. */
static int tiles_sort_prims(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    const block_view *v = in->view;
    const prim_set *s = &in->bounds->broad;
    tile_ranks *k = &t->ranks;
    TRY(buffer_fit(in->c->dev, &k->id, v->prims));
    TRY(RUN(in->c->dev, tiles_keys, v->prims, &s->box, v->frames, &s->prim0, &k->bipartite,
            &s->object, &k->class0, &k->record, k->buckets, &k->key, &k->id));
    TRY(sort_by_key(in->c->dev, &t->sort, &k->key, &k->id, v->prims,
                    bits_for((uint64_t)k->buckets + 1)));
out:
    return err;
}

/* Gathers the data that searches read, in the order of ranks. */
static int tiles_gather_bounds(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    tile_ranks *k = &t->ranks;
    tile_entries *e = &t->entries;
    uint32_t frames = in->view->frames, n = k->rank0[frames];
    TRY(buffer_fit(d, &k->sorted, (size_t)BOX_BOUNDS * n));
    TRY(buffer_fit(d, &k->own, n));
    TRY(buffer_fit(d, &e->count, n));
    TRY(RUN(d, tiles_gather, n, frames, &k->rank0_buf, &k->key, &k->id, &in->bounds->broad.box,
            &k->class0, &k->record, &k->sorted, &k->own, &e->count));
    TRY(scan_counts(d, &t->scan, &e->count, n, &e->offset, &e->own));
out:
    return err;
}

#define RANKS_OF(k, in)                                                                            \
    (in)->view->frames, &(k)->rank0_buf, &(k)->sorted, &(k)->own, &(k)->class0, &(k)->record

/* Counts visitors before they are inserted: too many cost more than searches do. */
static int tiles_count_visitors(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    tile_entries *e = &t->entries;
    uint32_t n = t->ranks.rank0[in->view->frames];
    TRY(RUN(d, tiles_visits, n, RANKS_OF(&t->ranks, in), &e->count));
    TRY(scan_counts(d, &t->scan, &e->count, n, &e->visitor, &e->visitors));
out:
    return err;
}

/* Returns whether visitors are worthwhile: entries take less time than the searches that they
 * replace, and memory is plentiful. An entry is two numbers, and two more while it is sorted. */
static int visitors_pay(const tile_entries *e, const context *c)
{
    uint64_t bytes = e->visitors * 4 * sizeof(uint32_t);
    return e->visitors && (e->visitors / VISITORS_MOST <= e->own ||
                           (e->visitors / VISITORS_PLENTY <= e->own &&
                            bytes <= mem_left(c->mem) / BUDGET_VISITORS_SHARE));
}

/* Chains tell the tiles of a bucket apart by stamps (hash.h), so they need entries with one. */
static int tiles_list_searchers(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    tile_entries *e = &t->entries;
    e->rank_bits = bits_for(t->ranks.rank0[in->view->frames]);
    e->bucket_bits = bits_for(t->ranks.buckets);
    e->visitors = 0;
    uint32_t bits = e->rank_bits + e->bucket_bits + ENTRY_CELL_BITS + TILES_VISIT_BITS;
    t->by_strip = !in->c->dev->groups && bits <= ENTRY_BITS;
    /* No stamp: each number has a whole word. */
    if (!t->by_strip)
        e->rank_bits = e->bucket_bits = 32;
    if (t->by_strip && t->ranks.several)
        TRY(tiles_count_visitors(t, in));
    t->visits = visitors_pay(e, in->c);
    e->visitors = t->visits ? e->visitors : 0;
    t->looks = !t->by_strip || (t->ranks.several && !t->visits);
out:
    return err;
}

static int tiles_insert(tiles *t, const broad_input *in, uint32_t above, uint64_t entry0,
                        const buffer_u64 *offset)
{
    tile_entries *e = &t->entries;
    return RUN(in->c->dev, tiles_enter, t->ranks.rank0[in->view->frames], RANKS_OF(&t->ranks, in),
               above, entry0, offset, e->rank_bits, e->bucket_bits, &e->key, &e->value);
}

/* Makes the entries in the order of ranks; the sort is stable, so each bucket keeps that order. */
static int enter_all(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    tile_entries *e = &t->entries;
    uint64_t all = e->own + e->visitors;
    TRY(buffer_fit(d, &e->key, all));
    TRY(buffer_fit(d, &e->value, all));
    TRY(tiles_insert(t, in, 0, 0, &e->offset));
    if (t->visits)
        TRY(tiles_insert(t, in, 1, e->own, &e->visitor));
    TRY(sort_by_key(d, &t->sort, &e->key, &e->value, all, e->bucket_bits));
    if (t->looks)
        TRY(entries_starts(d, &e->key, all, t->ranks.buckets, e->bucket_bits, &e->start));
out:
    return err;
}

static entry_counts tiles_counts(const tiles *t)
{
    return (entry_counts){&t->ranks.rank0_buf, &t->entries.offset,
                          t->visits ? &t->entries.visitor : NULL};
}

/* Kept from block to block: most blocks have the same number of frames. */
static int fit_frames(tile_ranks *k, const broad_input *in)
{
    int err = IMP_OK;
    size_t bytes = (in->view->frames + (size_t)1) * sizeof *k->rank0;
    if (k->rank0_bytes >= bytes)
        return IMP_OK;
    mem_free(in->c->mem, k->rank0);
    k->rank0_bytes = 0;
    TRY(mem_alloc(in->c->mem, bytes, &k->rank0));
    k->rank0_bytes = bytes;
out:
    return err;
}

/* Sizes first: they decide the classes, and the classes decide the tiles. */
static int tiles_rank_sizes(tiles *t, const broad_input *in)
{
    int err = IMP_OK;
    uint32_t *histogram = NULL;
    TRY(fit_frames(&t->ranks, in));
    TRY(tiles_frame_sizes(t, in, &histogram));
    TRY(make_classes(&t->ranks, in, histogram));
    TRY(tiles_sort_prims(t, in));
out:
    mem_free(in->c->mem, histogram);
    return err;
}

static int tiles_build(void *state, const broad_input *in)
{
    int err = IMP_OK;
    tiles *t = state;
    tile_entries *e = &t->entries;
    TRY(tiles_rank_sizes(t, in));
    TRY(tiles_gather_bounds(t, in));
    TRY(tiles_list_searchers(t, in));
    TRY(enter_all(t, in));
    if (t->by_strip) {
        const entry_counts n = tiles_counts(t);
        TRY(entries_strips(in, &t->scan, &n, &e->entry0, &e->group0, &t->strips));
    }
out:
    return err;
}

/* ---- pairs */

/* Mask of the rank in an entry's value. */
static uint32_t rank_mask(const tiles *t)
{
    return (uint32_t)((UINT64_C(1) << t->entries.rank_bits) - 1);
}

#define TABLE_OF(t, in)                                                                            \
    &(t)->ranks.sorted, &(t)->ranks.id, &(t)->ranks.record, &(t)->entries.start,                   \
        &(t)->entries.value, rank_mask(t), &(t)->ranks.class0, &(t)->ranks.own,                    \
        (uint32_t)(t)->by_strip, (in)->view->frames, &(t)->ranks.rank0_buf

static int tiles_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    tiles *t = state;
    return RUN(in->c->dev, tiles_count, n, q->at, SCENE_OF(in, q->range), TABLE_OF(t, in),
               &t->queries.count);
}

static int tiles_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const tiles *t = state;
    return RUN(in->c->dev, tiles_emit, n, q->at, SCENE_OF(in, q->range), TABLE_OF(t, in),
               &q->offset, q->base, &out->a, &out->b);
}

static int tiles_search(void *state, const broad_input *in, queries *q, uint32_t n, pairs *out)
{
    const tiles *t = state;
    return RUN_GROUP(in->c->dev, tiles_search_group, search_items(n), SEARCH_GROUP, n,
                     SCENE_OF(in, q->range), TABLE_OF(t, in), SEARCH_OF(q, out));
}

static const query_calls tiles_calls = {tiles_count, tiles_emit, tiles_search};

static int tiles_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                        uint32_t capacity, pairs *out)
{
    tiles *t = state;
    const tile_entries *e = &t->entries;
    return RUN(in->c->dev, tiles_strips, n, k->at, SCENE_OF(in, k->range), &t->ranks.id,
               &t->ranks.sorted, &t->ranks.own, &t->ranks.class0, &t->ranks.record, &e->key,
               &e->value, e->rank_bits, e->bucket_bits, &e->entry0, &e->group0,
               FRAME_CHUNKS_OF(&k->list), capacity, &k->offset, &t->strips.count, &out->a, &out->b);
}

/* Both strategies may be in use: strips for pairs of one class, then queries for those of two. */
static int tiles_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    tiles *t = state;
    const tile_ranks *k = &t->ranks;
    if (t->by_strip)
        strips_begin(&t->strips, range);
    if (!t->looks)
        return IMP_OK;
    return queries_begin(&t->queries, in, range, &k->rank0_buf, k->rank0[in->view->frames],
                         &tiles_calls, t, info);
}

static int chains_done(const tiles *t)
{
    return !t->by_strip || strips_done(&t->strips);
}

static int tiles_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                      candidates *out)
{
    tiles *t = state;
    return chains_done(t) ? queries_next(&t->queries, in, most, &tiles_calls, t, info, out)
                          : strips_next(&t->strips, in, most, info, tiles_strips, t, &out->of);
}

static int tiles_done(const void *state)
{
    const tiles *t = state;
    return chains_done(t) && (!t->looks || queries_done(&t->queries));
}

static int tiles_wrote(void *state, const broad_input *in, imp_frame_info *info)
{
    tiles *t = state;
    const entry_counts n = tiles_counts(t);
    return entries_wrote(in, &t->scan, &n, t->entries.own + t->entries.visitors, info);
}

static void tiles_free(void *state, const context *c)
{
    tiles *t = state;
    tile_ranks *k = &t->ranks;
    tile_entries *e = &t->entries;
    buffer *all[] = {&k->class0.raw,    &k->record.raw, &k->rank0_buf.raw, &k->bipartite.raw,
                     &k->histogram.raw, &k->key.raw,    &k->id.raw,        &k->sorted.raw,
                     &k->own.raw,       &e->count.raw,  &e->offset.raw,    &e->visitor.raw,
                     &e->key.raw,       &e->value.raw,  &e->start.raw,     &e->entry0.raw,
                     &e->group0.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(c->dev, all[i]);
    segments_free(c->dev, &t->segments);
    scanner_free(c->dev, &t->scan);
    sorter_free(c->dev, &t->sort);
    queries_free(&t->queries, c->dev);
    strips_free(&t->strips, c);
    mem_free(c->mem, k->rank0);
}

const broad_method broad_tiles = {.name = "tiles",
                                  .size = sizeof(tiles),
                                  .build = tiles_build,
                                  .begin = tiles_begin,
                                  .next = tiles_next,
                                  .done = tiles_done,
                                  .free = tiles_free,
                                  .wrote = tiles_wrote};

/* ---- The paper uses tiles of the size of the smallest cube. Here they have the size of the
 * largest cube of a class: a box covers 8 of them, not 27. With the smallest, finding the pairs of
 * four scenes took 1.3 to 3.4 times as long on a CPU. */

_Static_assert(2 * BOUND_REACH < 1 << (TILES_BINS / 4 - TILES_OCTAVES),
               "no cube is as large as bins");

/* Cubes of size zero are added to the smallest class; if no cube has a size, there are about as
 * many tiles as primitives. */
static uint32_t sizeless(uint32_t prims, uint32_t part, uint32_t n, size_class *out)
{
    float most = 1;
    if (n && prims)
        out[n - 1].prims += prims;
    if (n || !prims)
        return n;
    for (uint32_t left = prims; left > 1; left /= 8)
        most /= 2;
    out[0] = (size_class){.prims = prims, .part = part, .most = most};
    return 1;
}

/* From the smallest size up: a class begins with the smallest size not yet in one. */
static uint32_t part_classes(const uint32_t *histogram, uint32_t part, size_class *out)
{
    size_class up[SIZE_CLASSES_MOST];
    uint32_t n = 0;
    for (uint32_t bin = 1, first = 0; bin < TILES_BINS; bin++) {
        if (!histogram[bin])
            continue;
        if (!n || bin - first >= TILES_CLASS) {
            up[n++] = (size_class){.part = part};
            first = bin;
        }
        up[n - 1].prims += histogram[bin];
        up[n - 1].most = size_bin_end(TILES_OCTAVES, bin);
    }
    for (uint32_t i = 0; i < n; i++)
        out[i] = up[n - 1 - i];
    return sizeless(histogram[0], part, n, out);
}

uint32_t tile_classes(const uint32_t *histogram, uint32_t bipartite, size_class *out)
{
    return size_classes(histogram, TILES_BINS, bipartite, part_classes, out);
}

/* log2 of the least power of two that is >= n */
static uint32_t bits_up(uint64_t n)
{
    uint32_t bits = 0;
    while (bits < 31 && UINT64_C(1) << bits < n)
        bits++;
    return bits;
}

/* Two to four buckets per primitive. All other primitives of the frame may search a small class and
 * should find most of its buckets empty: it has at least LOOKED_LEAST, or 1 / LOOKED_SHARE of the
 * frame's primitives if that is less. */
#define LOOKED_LEAST 1024
#define LOOKED_SHARE 32
#define BLOCK_PLENTY                                                                               \
    (1u << 28) /* number of primitives; with more of them, bucket numbers would not fit 32 bits */

uint32_t tile_bits(uint32_t prims, uint32_t all, uint32_t view_prims)
{
    uint64_t least = all / LOOKED_SHARE < LOOKED_LEAST ? all / LOOKED_SHARE : LOOKED_LEAST;
    uint64_t want = view_prims < BLOCK_PLENTY ? 2 * (uint64_t)prims : prims / 2;
    return bits_up(want > least ? want : least);
}
