/* Broad phase by a packed R-tree (kernels/rtree.cl). */
#include "broad_rtree.h"

#include "mem.h"
#include "error.h"
#include "prim.h"
#include "persistent_ids.h"
#include "rtree.h"

#include <string.h>

#define KEY_BITS 32u
#define DIGITS_MOST 10u /* digits of a position on the curve, three bits each */
#define CROWD_TILE 4096u
#define DELTA 16  /* one spare leaf per 16, for primitives that enter later */
#define CROWDED 8 /* more than one in 8 is in a crowded cell: the order is too coarse */

/* ---- the order */

/* Returns whether all primitives of one-part frames have bounds that may overlap others. Then no
 * counting is needed. */
static int all_enter(const rtree *t, const broad_input *in)
{
    const normalisation *u = &in->bounds->normalisation;
    if (in->bounds->culled || t->lay.parts > 1 ||
        (in->view->ids && persistent_ids_absent(in->view->ids)))
        return 0;
    for (uint32_t f = 0; f < in->view->frames; f++)
        if (u->bad[f])
            return 0;
    return 1;
}

static uint32_t rtree_parts(const broad_input *in)
{
    for (uint32_t f = 0; f < in->view->frames; f++)
        if (in->bounds->normalisation.bipartite[f])
            return 2;
    return 1;
}

/* The part with more primitives of each frame becomes the first one, which searches in the second:
 * the tree is then small, and the many queries are shared by all threads. */
static int larger_first(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    uint32_t frames = in->view->frames, *bipartite = NULL;
    TRY(mem_alloc(in->c->mem, frames * sizeof *bipartite, &bipartite));
    for (uint32_t f = 0; f < frames; f++) {
        uint32_t *n = &t->lay.rank0[2 * (size_t)f + 1], first = n[0];
        const int swap = n[0] < n[1];
        bipartite[f] = t->lay.swapped =
            swap ? RTREE_SWAPPED : in->bounds->normalisation.bipartite[f];
        n[0] = swap ? n[1] : n[0];
        n[1] = swap ? first : n[1];
    }
    TRY(buffer_put(in->c->dev, &t->lay.bipartite, bipartite, frames));
out:
    mem_free(in->c->mem, bipartite);
    return err;
}

/* The first destinations of a chunk's primitives, by parts. */
static int rtree_sum_parts(rtree *t, const broad_input *in, const uint32_t *count)
{
    int err = IMP_OK;
    const uint32_t n = in->bounds->broad_prims.count, swap = t->lay.swapped == RTREE_SWAPPED;
    uint32_t sum[2] = {0, 0};
    TRY(mem_alloc(in->c->mem, (size_t)2 * n * sizeof *t->lay.part0, &t->lay.part0));
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < 2; p++) {
            t->lay.part0[2 * i + p] = sum[p];
            sum[p] += count[2 * i + (p ^ swap)];
        }
out:
    return err;
}

/* Counts the entering primitives of each chunk: fills entry0, and puts the count of segment s in
 * rank0[s + 1]; the caller sums these. */
static int count_entering(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    const context *c = in->c;
    const chunks *k = &in->bounds->broad_prims;
    uint32_t *count = NULL, sum = 0;
    TRY(mem_alloc(c->mem, (size_t)2 * k->count * sizeof *count, &count));
    TRY(mem_alloc(c->mem, k->count * sizeof *t->lay.entry0, &t->lay.entry0));
    TRY(buffer_fit(c->dev, &t->keys.count, (size_t)2 * k->count));
    TRY(RUN(c->dev, rtree_entering, k->count, UNSORTED_OF(in, &t->lay.bipartite), &t->keys.count));
    TRY(buffer_read(c->dev, &t->keys.count, 0, count, (size_t)2 * k->count));
    for (uint32_t i = 0; i < k->count; i++) {
        t->lay.entry0[i] = sum;
        for (uint32_t p = 0; p < 2; p++) {
            uint32_t n = count[(size_t)2 * i + p];
            /* A frame with one part has one segment. */
            t->lay.rank0[t->lay.parts * k->frame[i] + p % t->lay.parts + 1] += n;
            sum += n;
        }
    }
    TRY(buffer_put(c->dev, &t->lay.entry0_buf, t->lay.entry0, k->count));
    if (t->lay.parts == 2 && !t->as_given)
        TRY(larger_first(t, in));
    if (t->lay.parts == 2 && !t->as_given && in->view->frames == 1)
        TRY(rtree_sum_parts(t, in, count));
out:
    mem_free(c->mem, count);
    return err;
}

/* Ranks, leaves and positions of each segment. Segments begin with whole leaves, so a leaf never
 * has primitives of two segments. */
static int rtree_lay_out(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    const context *c = in->c;
    const uint32_t *prim0 = in->view->prim0;
    uint32_t n = t->lay.segments + 1;
    uint64_t sum = 0;
    /* Counts first; the loop below turns them into sums. */
    memset(t->lay.rank0, 0, n * sizeof *t->lay.rank0);
    if (!all_enter(t, in))
        TRY(count_entering(t, in));
    else
        for (uint32_t f = 0; f < in->view->frames; f++)
            t->lay.rank0[f + 1] = prim0[f + 1] - prim0[f];
    t->lay.leaf0[0] = t->lay.position0[0] = t->delta.spare = 0;
    for (uint32_t s = 0; s + 1 < n; s++) {
        t->lay.leaf0[s + 1] =
            t->lay.leaf0[s] + (t->lay.rank0[s + 1] + RTREE_WIDTH - 1) / RTREE_WIDTH;
        /* Spare leaves hold primitives that enter before the next rebuild. */
        if (in->cached && in->view->ids)
            t->lay.leaf0[s + 1] += t->delta.spare = t->lay.leaf0[s + 1] / DELTA + 1;
        t->lay.position0[s + 1] = RTREE_WIDTH * t->lay.leaf0[s + 1];
        t->lay.rank0[s + 1] += t->lay.rank0[s];
        sum += (uint64_t)RTREE_WIDTH * (t->lay.leaf0[s + 1] - t->lay.leaf0[s]);
    }
    /* Positions are numbered in 32 bits. */
    if (sum > UINT32_MAX)
        FAIL(IMP_ERR_MEMORY, "broad phase rtree: %llu places are too many for one block",
             (unsigned long long)sum);
    TRY(buffer_put(c->dev, &t->lay.rank0_buf, t->lay.rank0, n));
    TRY(buffer_put(c->dev, &t->lay.leaf0_buf, t->lay.leaf0, n));
out:
    return err;
}

/* Digits of a key: cells about as large as the primitives of a surface with that many of them,
 * within a factor of two, as far as the key has bits for it. */
static uint32_t key_digits(const rtree *t, const block_view *v)
{
    uint32_t most = 1, room = (KEY_BITS - bits_for(t->lay.segments)) / 3, digits;
    for (uint32_t f = 0; f < v->frames; f++)
        if (v->prim0[f + 1] - v->prim0[f] > most)
            most = v->prim0[f + 1] - v->prim0[f];
    digits = (bits_for(most) + 1) / 2 + 1;
    digits = digits < DIGITS_MOST ? digits : DIGITS_MOST;
    return digits < room ? digits : room;
}

/* The segment is in the highest bits, so one sort suffices for all. */
static int rtree_sort_prims(rtree *t, const broad_input *in, uint32_t n)
{
    uint32_t bits = 3 * t->keys.digits + bits_for(t->lay.segments);
    return sort_by_key(in->c->dev, &t->sort, &t->keys.key, &t->keys.value, n, bits);
}

/* Decides whether too many primitives share their cell with too many others. Only the number
 * matters, so the tiles' counts are added here. */
static int find_crowded(rtree *t, const broad_input *in, uint32_t n, int *crowded)
{
    int err = IMP_OK;
    const context *c = in->c;
    uint32_t parts = (n + CROWD_TILE - 1) / CROWD_TILE, *count = NULL;
    uint64_t sum = 0;
    TRY(mem_alloc(c->mem, parts * sizeof *count, &count));
    TRY(buffer_fit(c->dev, &t->keys.count, parts));
    TRY(RUN(c->dev, rtree_crowd, parts, &t->keys.key, n, CROWD_TILE, &t->keys.count));
    TRY(buffer_read(c->dev, &t->keys.count, 0, count, parts));
    for (uint32_t i = 0; i < parts; i++)
        sum += count[i];
    *crowded = sum > n / CROWDED;
out:
    mem_free(c->mem, count);
    return err;
}

/* Sorts again by finer positions: where primitives fill a small part of a frame, the first digits
 * do not separate them. Finer digits first, since the sort by the coarse ones is stable. */
static int sort_finer(rtree *t, const broad_input *in, uint32_t n)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const prim_set *s = &in->bounds->broad;
    uint32_t left = RTREE_BITS - t->keys.digits, more = left < DIGITS_MOST ? left : DIGITS_MOST;
    uint32_t items = n / 4 + (n % 4 != 0); /* four entries each */
    TRY(buffer_fit(d, &t->keys.coarse, in->view->prims));
    TRY(RUN(d, rtree_fine, items, n, &t->keys.value, &s->box, t->keys.digits, more, &t->keys.key,
            &t->keys.coarse));
    TRY(sort_by_key(d, &t->sort, &t->keys.key, &t->keys.value, n, 3 * more));
    TRY(RUN(d, rtree_again, n, &t->keys.value, &t->keys.coarse, &t->keys.key));
    TRY(rtree_sort_prims(t, in, n));
out:
    return err;
}

static int sort_entered(rtree *t, const broad_input *in, uint32_t n)
{
    int err = IMP_OK, crowded = 0;
    TRY(rtree_sort_prims(t, in, n));
    TRY(find_crowded(t, in, n, &crowded));
    if (crowded)
        TRY(sort_finer(t, in, n));
out:
    return err;
}

#define STEPS 32 /* primitives of a chunk */

/* Decides whether the first part's primitives are near each other in the order of their numbers, as
 * those of a mesh mostly are: sixteen of them then search together as they are. */
static int in_order(rtree *t, const broad_input *in, int *yes)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const chunks *k = &in->bounds->broad_prims;
    const prim_set *s = &in->bounds->broad;
    float *sum = NULL;
    double steps = 0, extents = 0;
    TRY(mem_alloc(in->c->mem, (size_t)2 * k->count * sizeof *sum, &sum));
    TRY(buffer_fit(d, &t->keys.sum, (size_t)2 * k->count));
    TRY(RUN(d, rtree_steps, k->count, CHUNKS_OF(k), t->lay.swapped, &s->object, &s->box, STEPS,
            &t->keys.sum));
    TRY(buffer_read(d, &t->keys.sum, 0, sum, (size_t)2 * k->count));
    for (size_t i = 0; i < k->count; i++) {
        steps += (double)sum[2 * i];
        extents += (double)sum[2 * i + 1];
    }
    *yes = steps <= extents;
out:
    mem_free(in->c->mem, sum);
    return err;
}

/* Sorts the second part alone. */
static int order_second(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const chunks *k = &in->bounds->broad_prims;
    const prim_set *s = &in->bounds->broad;
    const uint32_t *rank0 = t->lay.rank0, n = rank0[2] - rank0[1];
    TRY(buffer_put(d, &t->keys.part0, t->lay.part0, (size_t)2 * k->count));
    TRY(buffer_fit(d, &t->keys.order, rank0[2]));
    TRY(RUN(d, rtree_keys_second, k->count, CHUNKS_OF(k), t->lay.swapped, &s->object, &s->box,
            &t->keys.part0, t->keys.digits, &t->keys.order, &t->keys.key, &t->keys.value));
    TRY(sort_entered(t, in, n));
    TRY(buffer_copy(d, &t->keys.value, 0, &t->keys.order, rank0[1], n));
out:
    return err;
}

static int order_prims(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = t->lay.rank0[t->lay.segments], all = !t->lay.entry0;
    TRY(buffer_fit(d, &t->keys.key, n));
    TRY(buffer_fit(d, &t->keys.value, n));
    t->keys.digits = key_digits(t, in->view);
    t->keys.halved = 0;
    if (t->by_strip && t->lay.part0)
        TRY(in_order(t, in, &t->keys.halved));
    if (t->keys.halved) {
        TRY(order_second(t, in));
        goto out;
    }
    TRY(RUN(d, rtree_keys, in->bounds->broad_prims.count, UNSORTED_OF(in, &t->lay.bipartite), all,
            &t->lay.entry0_buf, t->lay.parts, t->keys.digits, &t->keys.key, &t->keys.value));
    TRY(sort_entered(t, in, n));
out:
    return err;
}

/* ---- nodes */

/* First nodes of each level, from the leaves to the one root. Returns the number of nodes. */
static uint32_t lay_levels(rtree *t)
{
    uint32_t nodes = t->lay.leaf0[t->lay.segments], sum = nodes;
    t->lay.level0[0] = 0;
    t->lay.levels = 0;
    do {
        t->lay.level0[++t->lay.levels] = sum;
        nodes = (nodes + RTREE_WIDTH - 1) / RTREE_WIDTH;
        sum += nodes;
    } while (nodes > 1);
    t->lay.level0[t->lay.levels + 1] = sum;
    return sum;
}

/* Builds all levels above the first, each from the one below it. */
static int rtree_make_levels(rtree *t, device *d)
{
    int err = IMP_OK;
    for (uint32_t l = 2; l <= t->lay.levels; l++)
        TRY(RUN(d, rtree_nodes, (uint64_t)RTREE_WIDTH * (t->lay.level0[l + 1] - t->lay.level0[l]),
                t->lay.level0[l] - t->lay.level0[l - 1], t->lay.level0[l - 1], t->lay.level0[l],
                &t->leaves.node));
out:
    return err;
}

/* Whether the narrow phase runs on the same device, and on triangles: it can use a copy of them.
 * Where pairs that share vertices are candidates for another reason than contacts of a frame, the
 * pairs do not go there. */
static int rtree_copies(const rtree *t, const broad_input *in)
{
    const context *c = in->c;
    const options *o = &c->opt;
    const int frame = o->rows == IMP_ROWS_CONTACTS && !o->continuous;
    return t->by_strip && c->dev == c->dev64 && o->stage == IMP_STAGE_CONTACTS &&
           in->view->corners == IMP_TRIANGLES && (frame || o->rules & RULE_SKIP_ADJACENT);
}

static int make_nodes(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const prim_set *s = &in->bounds->broad;
    uint32_t corners = rtree_copies(t, in) ? IMP_TRIANGLES : corners_needed(broad_rules(in));
    uint32_t objects = rtree_objects(in);
    uint32_t entries = rtree_position_count(t), leaves = entries / RTREE_WIDTH,
             nodes = lay_levels(t);
    TRY(buffer_put(d, &t->lay.level0_buf, t->lay.level0, t->lay.levels + 1));
    TRY(buffer_fit(d, &t->leaves.node, (size_t)RTREE_NODE * nodes));
    TRY(buffer_fit(d, &t->leaves.id, entries));
    TRY(buffer_fit(d, &t->leaves.corner, (size_t)corners * entries));
    TRY(buffer_fit(d, &t->leaves.object, objects ? entries : 0));
    TRY(buffer_fit(d, &t->leaves.leaf_object, objects ? (size_t)2 * leaves : 0));
    TRY(RUN(d, rtree_leaves, (uint64_t)RTREE_WIDTH * (t->lay.level0[2] - t->lay.level0[1]), leaves,
            t->lay.segments, &t->lay.rank0_buf, &t->lay.leaf0_buf,
            t->keys.halved ? &t->keys.order : &t->keys.value, &s->box, corners, &s->corner, objects,
            &s->object, &t->leaves.node, &t->leaves.id, &t->leaves.corner, &t->leaves.object,
            &t->leaves.leaf_object));
    TRY(rtree_make_levels(t, d));
out:
    return err;
}

/* Copies the triangles in sorted order for the narrow phase, if memory is plentiful. The vertices
 * of the copy are numbered in 32 bits. */
static int copy_triangles(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    const context *c = in->c;
    const uint32_t n = rtree_position_count(t), words = triangle_words(c->opt.rules);
    size_t bytes = BUFFER_BYTES(&t->leaves.triangle, words * (size_t)n);
    t->leaves.by_rank =
        rtree_copies(t, in) &&
        bytes <= (mem_left(c->mem) + t->leaves.triangle.raw.capacity) / BUDGET_COPY_SHARE &&
        n <= UINT32_MAX / (words / 3) && (!c->dev->largest || bytes <= c->dev->largest);
    if (!t->leaves.by_rank)
        goto out;
    TRY(buffer_fit(c->dev, &t->leaves.triangle, words * (size_t)n));
    TRY(RUN(c->dev, rtree_copy, n, &t->leaves.corner, &in->bounds->x, words, &t->leaves.triangle));
out:
    return err;
}

/* ---- the method */

static void rtree_free_arrays(rtree *t, mem *m)
{
    uint32_t **all[] = {&t->lay.rank0, &t->lay.leaf0, &t->lay.position0, &t->lay.entry0,
                        &t->lay.part0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mem_free(m, *all[i]);
        *all[i] = NULL;
    }
}

/* First positions of frames, for counting queries by frame. */
static int put_frames(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    uint32_t frames = in->view->frames, *position = NULL;
    TRY(mem_alloc(in->c->mem, (frames + 1) * sizeof *position, &position));
    for (uint32_t f = 0; f <= frames; f++)
        position[f] = t->lay.position0[(size_t)t->lay.parts * f];
    TRY(buffer_put(in->c->dev, &t->lay.frame0, position, frames + 1));
out:
    mem_free(in->c->mem, position);
    return err;
}

int rtree_build(void *state, const broad_input *in)
{
    int err = IMP_OK;
    rtree *t = state;
    mem *m = in->c->mem;
    t->by_strip = !in->c->dev->groups;
    t->lay.parts = rtree_parts(in);
    t->lay.segments = t->lay.parts * in->view->frames;
    /* The order is new: positions of the last tree mean nothing in it. */
    t->update.positioned = 0;
    t->delta.used = t->delta.count = 0;
    /* The number of segments may have changed. */
    rtree_free_arrays(t, m);
    TRY(mem_alloc(m, (t->lay.segments + 1) * sizeof *t->lay.rank0, &t->lay.rank0));
    TRY(mem_alloc(m, (t->lay.segments + 1) * sizeof *t->lay.leaf0, &t->lay.leaf0));
    TRY(mem_alloc(m, (t->lay.segments + 1) * sizeof *t->lay.position0, &t->lay.position0));
    TRY(buffer_put(in->c->dev, &t->lay.bipartite, in->bounds->normalisation.bipartite,
                   in->view->frames));
    TRY(rtree_lay_out(t, in));
    TRY(order_prims(t, in));
    TRY(make_nodes(t, in));
    TRY(copy_triangles(t, in));
    TRY(t->by_strip ? strips_make(&t->strips, in, t->lay.position0, t->lay.parts, STRIP)
                    : put_frames(t, in));
out:
    return err;
}

static int rtree_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_count, n, q->at, SCENE_OF(in, q->range), RTREE_OF(t),
               t->lay.segments, &t->queries.count);
}

static int rtree_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const rtree *t = state;
    return RUN(in->c->dev, rtree_emit, n, q->at, SCENE_OF(in, q->range), RTREE_OF(t),
               t->lay.segments, &q->offset, q->base, &out->a, &out->b);
}

static const query_calls rtree_calls = {rtree_count, rtree_emit};

static int rtree_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                        uint32_t capacity, pairs *out)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_strips, n, k->at, SCENE_OF(in, k->range), RTREE_OF(t),
               FRAME_CHUNKS_OF(&k->list), t->leaves.by_rank, capacity, &k->offset, &t->strips.count,
               &out->a, &out->b);
}

/* On CPUs an item does a whole strip, on GPUs one query (broad.h). */
static int rtree_begin(void *state, const broad_input *in, broad_range range, imp_frame_info *info)
{
    rtree *t = state;
    if (!t->by_strip)
        return queries_begin(&t->queries, in, range, &t->lay.frame0, rtree_position_count(t),
                             &rtree_calls, t, info);
    strips_begin(&t->strips, range);
    return IMP_OK;
}

static int rtree_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                      candidates *out)
{
    rtree *t = state;
    if (!t->by_strip)
        return queries_next(&t->queries, in, most, &rtree_calls, t, info, out);
    t->leaves.ranked = (ranks){&t->leaves.id, &t->leaves.triangle};
    out->ranks = t->leaves.by_rank ? &t->leaves.ranked : NULL;
    return strips_next(&t->strips, in, most, info, rtree_strips, t, &out->of);
}

static int rtree_done(const void *state)
{
    const rtree *t = state;
    return t->by_strip ? strips_done(&t->strips) : queries_done(&t->queries);
}

/* Counts primitives, not positions, which may be free. */
static int rtree_wrote(void *state, const broad_input *in, imp_frame_info *info)
{
    const rtree *t = state;
    for (uint32_t f = 0; f < in->view->frames; f++)
        info[f].entries_written +=
            t->lay.rank0[(size_t)t->lay.parts * (f + 1)] - t->lay.rank0[(size_t)t->lay.parts * f];
    return IMP_OK;
}

static void rtree_free(void *state, const context *c)
{
    rtree *t = state;
    buffer *all[] = {&t->lay.bipartite.raw,  &t->lay.entry0_buf.raw, &t->lay.rank0_buf.raw,
                     &t->lay.leaf0_buf.raw,  &t->lay.level0_buf.raw, &t->lay.frame0.raw,
                     &t->keys.count.raw,     &t->keys.key.raw,       &t->keys.value.raw,
                     &t->keys.coarse.raw,    &t->keys.order.raw,     &t->keys.part0.raw,
                     &t->keys.sum.raw,       &t->leaves.node.raw,    &t->leaves.id.raw,
                     &t->leaves.corner.raw,  &t->leaves.object.raw,  &t->leaves.leaf_object.raw,
                     &t->leaves.triangle.raw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bytes_free(c->dev, all[i]);
    sorter_free(c->dev, &t->sort);
    queries_free(&t->queries, c->dev);
    rtree_update_free(t, c);
    strips_free(&t->strips, c);
    rtree_free_arrays(t, c->mem);
}

const broad_method broad_rtree = {.name = "rtree",
                                  .size = sizeof(rtree),
                                  .build = rtree_build,
                                  .begin = rtree_begin,
                                  .next = rtree_next,
                                  .done = rtree_done,
                                  .free = rtree_free,
                                  .incremental = &rtree_incremental,
                                  .wrote = rtree_wrote};
