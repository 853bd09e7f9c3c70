/* See broad.h: the list of methods, the choice for a block, and the methods' states. */
#include "broad.h"

#include "error.h"
#include "hash.h"
#include "prim.h"

#include <string.h>

#define X(name) extern const broad_method broad_##name;
#include "broad.def"
#undef X

static const broad_method *const methods[BROAD_METHODS] = {
#define X(name) &broad_##name,
#include "broad.def"
#undef X
};

int broad_find(const char *name, const broad_method **out)
{
    *out = NULL;
    if (!name || !strcmp(name, "auto"))
        return 1;
    for (size_t i = 0; i < BROAD_METHODS && !*out; i++)
        if (!strcmp(name, methods[i]->name))
            *out = methods[i];
    return *out != NULL;
}

/* Before the first block, no method has been chosen. */
const char *broad_name(const broad *b)
{
    const broad_method *m = b->method ? b->method : b->requested;
    return m ? m->name : "auto";
}

int broad_at(const broad *b, size_t index, const char **name, uint64_t *blocks)
{
    if (index >= BROAD_METHODS)
        return 0;
    *name = methods[index]->name;
    *blocks = b->blocks[index];
    return 1;
}

static size_t broad_number(const broad_method *m)
{
    size_t i = 0;
    while (i + 1 < BROAD_METHODS && methods[i] != m)
        i++;
    return i;
}

/* A block with fewer candidate pairs than this is tested in less time than a driver takes for the
 * grid's launches: measured 0.5 ms on PoCL against 0.3 ms for 200 primitives. */
#define PAIRS_FEW 32768

/* The best method for a block. On devices: sorted grids, since all their searches take the same
 * steps. On the host: the packed R-tree, which searches for a leaf at a time and is fastest at any
 * size; or trees that are not rebuilt, where they are known to be faster. For very few primitives
 * on a device with a driver: all pairs, since a launch costs more than they do. An incremental
 * frame needs a method with broad_incremental. bench/README.md has the figures. */
static const broad_method *broad_best(const broad_input *in, int dense)
{
    const block_view *v = in->view;
    uint64_t tests = 0;
    for (uint32_t f = 0; f < v->frames; f++) {
        uint64_t n = v->prim0[f + 1] - v->prim0[f];
        tests += n * n / 2;
    }
    if (in->c->dev->queued && tests < PAIRS_FEW && !in->cached)
        return &broad_brute;
    if (dense && !in->cached && !in->c->dev->queued)
        return &broad_tree;
    return in->c->dev->groups ? &broad_grid : &broad_rtree;
}

void broad_choose(broad *b, const broad_input *in, int dense)
{
    b->method = b->requested ? b->requested : broad_best(in, dense);
}

/* The state of the chosen method. */
static void *broad_state(const broad *b)
{
    return b->state[broad_number(b->method)];
}

/* In a view with tetrahedra, triangles have a fourth corner, so another rule decides which pairs
 * share corners. */
uint32_t broad_rules(const broad_input *in)
{
    uint32_t rules = in->c->opt.rules;
    if (in->view->corners == IMP_TRIANGLES || !(rules & RULE_SKIP_ADJACENT))
        return rules;
    return (rules & ~RULE_SKIP_ADJACENT) | RULE_SKIP_TETRAHEDRA;
}

int broad_build(broad *b, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const size_t which = broad_number(b->method);
    void **state = &b->state[which];
    /* Most pipelines use one or two methods, so a state is made when it is first needed. */
    if (!*state) {
        TRY(mem_alloc(in->c->mem, b->method->size, state));
        memset(*state, 0, b->method->size);
    }
    TRY(b->method->build(*state, in));
    if (b->method->wrote && info)
        TRY(b->method->wrote(*state, in, info));
    b->blocks[which]++;
out:
    return err;
}

int broad_begin(broad *b, const broad_input *in, uint32_t first, uint32_t last,
                imp_frame_info *info)
{
    /* prim.h reads this end as unlimited */
    broad_range range = {first, last == in->view->prims ? UINT32_MAX : last};
    return b->method->begin(broad_state(b), in, range, info);
}

int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out)
{
    /* A method that returns ranks sets the first; one that counts later sets the second. */
    out->ranks = NULL;
    out->deferred = NULL;
    const int err = b->method->next(broad_state(b), in, most, info, out);
    candidates_share(in->c, out);
    return err;
}

int broad_done(const broad *b)
{
    return b->method->done(broad_state(b));
}

const broad_incremental *broad_incremental_of(const broad *b, void **state)
{
    *state = b->method ? broad_state(b) : NULL;
    const broad_incremental *how = b->method ? b->method->incremental : NULL;
    return how && *state && (!how->able || how->able(*state)) ? how : NULL;
}

void broad_free(broad *b, const context *c)
{
    for (size_t i = 0; i < BROAD_METHODS; i++) {
        if (!b->state[i])
            continue;
        methods[i]->free(b->state[i], c);
        mem_free(c->mem, b->state[i]);
        b->state[i] = NULL;
    }
}

int entries_first(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t *entry0)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t ends = in->view->frames + 1;
    uint64_t *visitor0 = NULL;
    TRY(scan_gather(c->dev, scan, n->offset, n->item0, ends, entry0));
    if (!n->visitor)
        goto out;
    TRY(mem_alloc(c->mem, ends * sizeof *visitor0, &visitor0));
    TRY(scan_gather(c->dev, scan, n->visitor, n->item0, ends, visitor0));
    for (uint32_t f = 0; f < ends; f++)
        entry0[f] += visitor0[f];
out:
    mem_free(c->mem, visitor0);
    return err;
}

int entries_wrote(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t all,
                  imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t frames = in->view->frames;
    uint64_t *entry0 = NULL;
    /* For one frame the total is known without a read from the device. */
    info->entries_written += frames == 1 ? all : 0;
    if (frames == 1)
        goto out;
    TRY(mem_alloc(in->c->mem, (frames + (size_t)1) * sizeof *entry0, &entry0));
    TRY(entries_first(in, scan, n, entry0));
    for (uint32_t f = 0; f < frames; f++)
        info[f].entries_written += entry0[f + 1] - entry0[f];
out:
    mem_free(in->c->mem, entry0);
    return err;
}

/* Entries are counted in groups, so that counts fit 32 bits. */
int entries_strips(const broad_input *in, scanner *scan, const entry_counts *n, buffer_u64 *entry0,
                   buffer_u32 *group0, strips *out)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t ends = in->view->frames + 1, *group = NULL;
    uint64_t *entry = NULL, groups = 0;
    TRY(mem_alloc(c->mem, ends * sizeof *group, &group));
    TRY(mem_alloc(c->mem, ends * sizeof *entry, &entry));
    TRY(entries_first(in, scan, n, entry));
    for (uint32_t f = 0; f < ends; f++) {
        groups += f ? (entry[f] - entry[f - 1] + HASH_GROUP - 1) / HASH_GROUP : 0;
        group[f] = (uint32_t)groups;
    }
    if (groups > UINT32_MAX)
        FAIL(IMP_ERR_MEMORY, "broad phase: %llu entries are too many for one block",
             (unsigned long long)entry[ends - 1]);
    TRY(buffer_put(c->dev, entry0, entry, ends));
    TRY(buffer_put(c->dev, group0, group, ends));
    TRY(strips_make(out, in, group, 1, STRIP));
out:
    mem_free(c->mem, group);
    mem_free(c->mem, entry);
    return err;
}

/* A launch counts its items in 32 bits; there may be more entries. */
int entries_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                   uint32_t bits, buffer_u64 *start)
{
    int err = IMP_OK;
    const uint64_t most = UINT64_C(1) << 31;
    TRY(buffer_fit(d, start, (size_t)buckets + 1));
    for (uint64_t e = 0; e <= entries; e += most) {
        uint64_t n = entries + 1 - e < most ? entries + 1 - e : most;
        TRY(RUN(d, hash_starts, n, entries, e, buckets, bits, key, start));
    }
out:
    return err;
}

/* Candidates of each frame: differences of the offsets at which frames begin. */
static int queries_count_frames(queries *q, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    uint32_t n = in->view->frames + 1;
    uint64_t *at = NULL;
    TRY(mem_alloc(in->c->mem, n * sizeof *at, &at));
    TRY(scan_gather(in->c->dev, &q->scan, &q->offset, q->start, n, at));
    for (uint32_t i = 0; i + 1 < n; i++)
        info[i].candidates += at[i + 1] - at[i];
out:
    mem_free(in->c->mem, at);
    return err;
}

/* The prefix sums also give the counts of frames, so kernels need not add them up by frame. */
static int queries_count(queries *q, const broad_input *in, const query_calls *calls, void *state,
                         imp_frame_info *info)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    TRY(buffer_fit(d, &q->count, q->end));
    TRY(calls->count(state, in, q, q->end));
    TRY(scan_counts(d, &q->scan, &q->count, q->end, &q->offset, &q->total));
    TRY(queries_count_frames(q, in, info));
    q->counted = 1;
out:
    return err;
}

int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info)
{
    q->range = range;
    q->start = start;
    q->at = 0;
    q->base = 0;
    q->end = count;
    q->counted = q->many = 0;
    /* A search mixes frames, but feature pairs are counted by frame (feature_tests.c). */
    const int may_mix = in->view->frames == 1 || !in->c->opt.continuous;
    return in->c->dev->groups && calls->search && may_mix
               ? IMP_OK
               : queries_count(q, in, calls, state, info);
}

/* ---- all queries at once */

static uint64_t sum_at(const uint32_t *sums, size_t i)
{
    return (uint64_t)sums[2 * i + 1] << 32 | sums[2 * i];
}

/* See candidates.deferred. */
static uint64_t queries_resolve_count(void *user, const uint32_t *sums)
{
    queries *q = user;
    q->found = sum_at(sums, 0);
    q->queried = q->end;
    q->many = q->found > q->most;
    if (q->found > q->room)
        return 0;
    q->at = q->end;
    for (uint32_t f = 0; f < q->frames; f++)
        q->info[f].candidates += sum_at(sums, q->frames > 1 ? f + 1 : 0);
    return q->found;
}

/* Expected number of pairs: as many per query as the last search found, and an eighth more. */
#define EXPECTED 8 /* per query, before the first search */

static uint64_t queries_expected(const queries *q)
{
    if (!q->queried)
        return (uint64_t)EXPECTED * q->end;
    const double each = (double)q->found / q->queried;
    return (uint64_t)(each * 1.125 * q->end) + 1;
}

/* Searches for the pairs of all queries; if there are more than expected, searches again. */
static int search_all(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                      void *state, imp_frame_info *info, candidates *out)
{
    int err = IMP_OK;
    const uint64_t expected = queries_expected(q);
    uint32_t *sums = NULL;
    q->info = info;
    q->frames = in->view->frames;
    q->most = most;
    q->room = expected < most ? expected : most;
    q->deferred.words = 2 * ((size_t)q->frames + 1);
    q->deferred.resolve = queries_resolve_count;
    q->deferred.user = q;
    TRY(mem_alloc(in->c->mem, q->deferred.words * sizeof *sums, &sums));
    memset(sums, 0, q->deferred.words * sizeof *sums);
    TRY(pairs_few(q->room));
    TRY(pairs_fit(in->c->dev, &out->of, q->room));
    TRY(buffer_put(in->c->dev, &q->deferred.sums, sums, q->deferred.words));
    TRY(calls->search(state, in, q, q->end, &out->of));
    out->deferred = &q->deferred;
out:
    mem_free(in->c->mem, sums);
    return err;
}

/* ---- piece by piece */

static int emit_some(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                     void *state, pairs *out)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t end = q->end;
    uint64_t upto = q->total;
    /* At least one query, even if it has more than `most` pairs: it cannot be divided. */
    if (q->total - q->base > most)
        TRY(scan_find(d, &q->scan, &q->offset, q->end, q->at, q->base + most, &end, &upto));
    /* Checked before memory is allocated: kernels could not number the pairs, however large the
     * buffer. */
    TRY(pairs_few(upto - q->base));
    TRY(pairs_fit(d, out, upto - q->base));
    TRY(calls->emit(state, in, q, end - q->at, out));
    q->at = end;
    q->base = upto;
out:
    return err;
}

int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, imp_frame_info *info, candidates *out)
{
    int err = IMP_OK;
    if (!q->counted && !q->many && calls->search)
        return search_all(q, in, most, calls, state, info, out);
    if (!q->counted)
        TRY(queries_count(q, in, calls, state, info));
    TRY(emit_some(q, in, most, calls, state, &out->of));
out:
    return err;
}

int queries_done(const queries *q)
{
    return q->at == q->end;
}

void queries_free(queries *q, device *d)
{
    buffer_free(d, &q->count);
    buffer_free(d, &q->offset);
    buffer_free(d, &q->deferred.sums);
    scanner_free(d, &q->scan);
}

float size_bin_end(uint32_t octaves, uint32_t bin)
{
    uint32_t bits = (((127u - octaves) << 2) + bin + 1) << 21;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int size_records_room(mem *m, size_records *r, uint32_t more)
{
    if (r->count + more <= r->capacity)
        return IMP_OK;
    uint32_t capacity = 2 * (r->count + more);
    size_t size = r->words * sizeof *r->word;
    int err = mem_grow(m, r->count * size, capacity * size, &r->word);
    if (!err)
        r->capacity = capacity;
    return err;
}

uint32_t size_classes(const uint32_t *histogram, uint32_t bins, uint32_t bipartite,
                      size_divide *divide, size_class *out)
{
    size_class a[SIZE_CLASSES_MOST], b[SIZE_CLASSES_MOST];
    uint32_t na = divide(histogram, bipartite ? 1 : 0, a), i = 0, j = 0;
    uint32_t nb = bipartite ? divide(histogram + bins, 2, b) : 0;
    while (i < na || j < nb)
        if (j == nb || (i < na && a[i].most >= b[j].most))
            out[i + j] = a[i], i++;
        else
            out[i + j] = b[j], j++;
    return na + nb;
}

#define STRIP_ROOM 1024 /* initial capacity of a strip's region, in pairs */
#define STRIP_ROOM_MOST 65536

/* A region keeps the size that earlier blocks needed: frames of a motion differ little. */
int strips_make(strips *t, const broad_input *in, const uint32_t *start, uint32_t parts,
                uint32_t length)
{
    t->parts = parts;
    if (!t->capacity)
        t->capacity = STRIP_ROOM;
    return chunks_make(in->c->mem, in->c->dev, &t->list, start, parts * in->view->frames, length);
}

void strips_begin(strips *t, broad_range range)
{
    t->range = range;
    t->at = 0;
    t->pairs = 0;
}

/* A piece of strips: the number of pairs of each, and their destinations. */
typedef struct strip_piece {
    uint32_t strips, fit; /* strips that ran, and those whose pairs fit */
    uint32_t *count;      /* [strips] */
    uint64_t *offset;     /* [strips + 1] */
    uint32_t most;        /* greatest number of pairs of one strip */
} strip_piece;

static int piece_run(strips *t, const broad_input *in, uint64_t most, strip_find *find, void *state,
                     strip_piece *p)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t all = t->list.count;
    /* Based on the average pairs per strip in the last piece, if greater than a region's
     * capacity. */
    uint64_t n = most / (t->capacity > t->pairs ? t->capacity : t->pairs) + 1;
    p->strips = all - t->at < n ? all - t->at : (uint32_t)n;
    /* the same size for a last, short piece: buffers of constant size are not reallocated */
    TRY(pairs_fit(d, &t->regions, (all < n ? all : n) * t->capacity));
    TRY(buffer_fit(d, &t->count, p->strips));
    TRY(buffer_fit(d, &t->offset, p->strips + 1));
    TRY(mem_alloc(in->c->mem, p->strips * sizeof *p->count, &p->count));
    TRY(mem_alloc(in->c->mem, (p->strips + 1) * sizeof *p->offset, &p->offset));
    TRY(find(state, in, t, p->strips, t->capacity, &t->regions));
    TRY(buffer_read(d, &t->count, 0, p->count, p->strips));
out:
    return err;
}

/* Prefix sum of the counts, as far as the pairs fit; at least one strip. */
static void piece_sum(const strips *t, uint64_t most, strip_piece *p, imp_frame_info *info)
{
    uint64_t sum = 0;
    while (p->fit < p->strips && (p->fit == 0 || sum + p->count[p->fit] <= most)) {
        uint32_t n = p->count[p->fit];
        info[t->list.frame[t->at + p->fit] / t->parts].candidates += n;
        p->most = n > p->most ? n : p->most;
        p->offset[p->fit++] = sum;
        sum += n;
    }
    p->offset[p->fit] = sum;
}

/* Enlarges the regions if a strip's pairs did not fit: to a quarter more than those pairs, or to
 * the limit set by the memory of all regions if that suffices. */
static void regions_widen(strips *t, const strip_piece *p)
{
    if (!p->strips || p->most <= t->capacity || t->capacity >= STRIP_ROOM_MOST)
        return;
    size_t room = t->regions.a.raw.capacity / BUFFER_BYTES(&t->regions.a, p->strips);
    uint64_t wide = p->most + (uint64_t)p->most / 4;
    wide = room >= p->most && room < wide ? room : wide;
    t->capacity = wide < STRIP_ROOM_MOST ? (uint32_t)wide : STRIP_ROOM_MOST;
}

int strips_next(strips *t, const broad_input *in, uint64_t most, imp_frame_info *info,
                strip_find *find, void *state, pairs *out)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    strip_piece p = {0};
    TRY(piece_run(t, in, most, find, state, &p));
    for (uint32_t i = 0; i < p.strips; i++)
        /* Kernels count the pairs of a strip in 32 bits. */
        TRY(pairs_few(p.count[i]));
    piece_sum(t, most, &p, info);
    TRY(buffer_write(d, &t->offset, 0, p.offset, p.fit + 1));
    TRY(pairs_fit(d, out, p.offset[p.fit]));
    /* A region that was too small has only some of its pairs: all strips of the piece search again
     * and write to the final positions. */
    if (p.most <= t->capacity)
        TRY(RUN(d, strips_pack, p.fit, t->capacity, &t->count, &t->offset, &t->regions.a,
                &t->regions.b, &out->a, &out->b));
    else
        TRY(find(state, in, t, p.fit, 0, out));
    t->at += p.fit;
    t->pairs = (uint32_t)(p.offset[p.fit] / p.fit);
    regions_widen(t, &p);
out:
    mem_free(in->c->mem, p.count);
    mem_free(in->c->mem, p.offset);
    return err;
}

int strips_done(const strips *t)
{
    return t->at == t->list.count;
}

void strips_free(strips *t, const context *c)
{
    buffer_free(c->dev, &t->count);
    buffer_free(c->dev, &t->offset);
    pairs_free(c->dev, &t->regions);
    chunks_free(c->mem, c->dev, &t->list);
}

/* ---- Broad phase by testing all pairs: query i belongs to primitive i. */

typedef struct brute {
    queries queries;
} brute;

/* Nothing to build: query i tests each primitive after i in its frame. */
static int brute_build(void *state, const broad_input *in)
{
    (void)state;
    (void)in;
    return IMP_OK;
}

/* One search in two forms: the first counts pairs, the second writes them to their positions. */
static int brute_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    brute *s = state;
    return RUN(in->c->dev, brute_count, n, q->at, SCENE_OF(in, q->range), in->view->frames,
               &in->bounds->broad.prim0, &s->queries.count);
}

static int brute_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    (void)state;
    return RUN(in->c->dev, brute_emit, n, q->at, SCENE_OF(in, q->range), in->view->frames,
               &in->bounds->broad.prim0, &q->offset, q->base, &out->a, &out->b);
}

static const query_calls brute_calls = {brute_count, brute_emit};

static int brute_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    brute *s = state;
    /* One query for each primitive, so that frames begin at prim0. */
    return queries_begin(&s->queries, in, range, &in->bounds->broad.prim0, in->view->prims,
                         &brute_calls, s, info);
}

static int brute_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                      candidates *out)
{
    brute *s = state;
    return queries_next(&s->queries, in, most, &brute_calls, s, info, out);
}

static int brute_done(const void *state)
{
    const brute *s = state;
    return queries_done(&s->queries);
}

static void brute_free(void *state, const context *c)
{
    brute *s = state;
    queries_free(&s->queries, c->dev);
}

/* No table, so nothing is cached and no entry is written. */
const broad_method broad_brute = {"brute",    sizeof(brute), brute_build, brute_begin,
                                  brute_next, brute_done,    brute_free};
