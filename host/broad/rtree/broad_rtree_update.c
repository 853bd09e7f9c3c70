/* Incremental update of the packed R-tree (kernels/rtree_moved.cl). */
#include "broad_rtree.h"
#include "error.h"
#include "persistent_ids.h"
#include "prim.h"

#include <string.h>

#define LEAVES_OF_STRIP 8

/* Marks all nodes as unchanged. */
static int clear_changed(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    size_t nodes = t->lay.level0[t->lay.levels + 1];
    uint32_t *none = NULL;
    TRY(mem_alloc(in->c->mem, nodes * sizeof *none, &none));
    memset(none, 0, nodes * sizeof *none);
    TRY(buffer_put(in->c->dev, &t->update.changed, none, nodes));
out:
    mem_free(in->c->mem, none);
    return err;
}

/* Finds the position of each primitive. No leaf is marked yet. Runs for the first incremental frame
 * of a tree: full passes do not need it. */
static int rtree_find_positions(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t leaves = rtree_position_count(t) / RTREE_WIDTH;
    t->update.positioned = 0;
    TRY(buffer_fit(d, &t->update.position_of, in->view->prims));
    TRY(buffer_fit(d, &t->update.mark, rtree_position_count(t)));
    TRY(buffer_fit(d, &t->update.leaf_mark, leaves));
    /* The value for primitives in no leaf. */
    TRY(RUN(d, rtree_nowhere, in->view->prims, &t->update.position_of));
    TRY(RUN(d, rtree_position_of, t->lay.rank0[1], &t->leaves.id, &t->update.position_of));
    TRY(RUN(d, rtree_unmark, leaves, 1u, &t->update.mark, &t->update.leaf_mark));
    TRY(clear_changed(t, in));
    t->update.positioned = 1;
out:
    return err;
}

/* Lists the marked leaves. */
static int list_leaves(rtree *t, device *d)
{
    int err = IMP_OK;
    uint32_t first[2];
    const uint32_t start[2] = {0, rtree_position_count(t) / RTREE_WIDTH};
    TRY(segments_cut(d, &t->update.cut, start, 1));
    TRY(compact(d, &t->update.cut, &t->update.leaf_mark, 1, &t->update.leaf, &t->update.dirty0,
                first));
    t->update.marked = first[1];
out:
    return err;
}

/* Removes the marks of the last incremental frame first. */
static int rtree_mark_dirty(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    if (!t->update.positioned)
        TRY(rtree_find_positions(t, in));
    TRY(RUN(d, rtree_unmark, rtree_position_count(t) / RTREE_WIDTH, 0u, &t->update.mark,
            &t->update.leaf_mark));
    TRY(RUN(d, rtree_mark, t->update.dirty->count, &t->update.dirty->prim, &t->update.position_of,
            &t->update.mark));
    TRY(RUN(d, rtree_mark_leaves, t->update.dirty->count, &t->update.dirty->prim,
            &t->update.position_of, &t->update.mark, &t->update.leaf_mark));
out:
    return err;
}

static int rtree_dirty_pairs_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_dirty_count, n, q->at, &t->update.leaf, &t->update.mark,
               SCENE_OF(in, q->range), RTREE_OF(t), &t->queries.count);
}

/* Only emitted by strip. */
static const query_calls rtree_dirty_calls = {rtree_dirty_pairs_count, NULL, NULL};

static int rtree_dirty_pairs_strips(void *state, const broad_input *in, const strips *k, uint32_t n,
                                    uint32_t capacity, pairs *out)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_dirty_strips, n, k->at, &t->update.leaf, &t->update.mark,
               SCENE_OF(in, k->range), RTREE_OF(t), CHUNKS_OF(&k->list), capacity, &k->offset,
               &t->update.strips.count, &out->a, &out->b);
}

/* Counts the pairs by leaf. */
static int rtree_count_dirty(rtree *t, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const broad_range all = {0, UINT32_MAX};
    TRY(queries_begin(&t->queries, in, all, &t->update.dirty0, t->update.marked, &rtree_dirty_calls,
                      t, info));
    if (t->queries.total >= UINT32_MAX) /* a leaf may have more pairs than it could count */
        TRY(pairs_few(UINT64_MAX));
out:
    return err;
}

/* Short strips: few leaves may be marked, and all threads should get some. */
static int rtree_update_strips(rtree *t, const broad_input *in)
{
    const broad_range all = {0, UINT32_MAX};
    const uint32_t start[2] = {0, t->update.marked};
    strips_begin(&t->update.strips, all);
    return strips_make(&t->update.strips, in, start, 1, LEAVES_OF_STRIP);
}

/* Refills the corners and objects of the leaves' primitives. They only change where primitives
 * enter or leave. */
static int refill(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    const prim_set *s = &in->bounds->broad;
    TRY(RUN(in->c->dev, rtree_refill, t->update.marked, &t->update.leaf, &t->leaves.id,
            &t->update.mark, corners_needed(broad_rules(in)), &s->corner, rtree_objects(in),
            &s->object, &t->leaves.corner, &t->leaves.object, &t->leaves.leaf_object));
out:
    return err;
}

/* Updates the levels above the first where leaves below have changed, from below, so that each
 * level sees its children's new bounds. */
static int renew_levels(rtree *t, device *d)
{
    int err = IMP_OK;
    const uint32_t *at = t->lay.level0;
    for (uint32_t l = 2; l <= t->lay.levels; l++) {
        uint32_t below = at[l] - at[l - 1];
        TRY(RUN(d, rtree_renew, below, below, at[l - 2], at[l - 1], at[l], &t->leaves.node,
                &t->update.changed));
    }
out:
    return err;
}

/* Updates the bounds in marked leaves. *written counts changed entries, as in the other methods. */
static int refit(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    TRY(buffer_fit(d, &t->update.others, t->update.marked));
    TRY(RUN(d, rtree_refit, t->update.marked, rtree_position_count(t) / RTREE_WIDTH,
            &t->update.leaf, &t->leaves.id, &t->update.mark, &in->bounds->broad.box,
            &t->leaves.node, &t->update.others, &t->update.changed));
    TRY(scan_counts(d, &t->update.cut.scan, &t->update.others, t->update.marked,
                    &t->update.cut.offset, written));
    /* otherwise leaves have the same primitives as before */
    if (in->view->ids && in->view->ids->changes.count)
        TRY(refill(t, in));
out:
    return err;
}

/* Rebuilds the whole tree if no position is free behind its leaves. The marks are lost with the old
 * order, so they are set again. */
static int build_again(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    TRY(rtree_build(t, in));
    TRY(rtree_mark_dirty(t, in));
    *written = in->view->prims - persistent_ids_absent(in->view->ids);
out:
    return err;
}

/* Finds the old pairs of the dirty primitives, by the previous frame's tree and bounds. count is
 * NULL if that number is known from the last frame; the host needs the list of leaves in any
 * case. */
static int rtree_update_leave(void *state, const broad_input *in, const dirty_set *dirty,
                              uint64_t *count)
{
    int err = IMP_OK;
    rtree *t = state;
    imp_frame_info info = {0};
    t->update.dirty = dirty;
    TRY(rtree_mark_dirty(t, in));
    TRY(list_leaves(t, in->c->dev));
    if (!count)
        goto out;
    TRY(rtree_count_dirty(t, in, &info));
    *count = info.candidates;
out:
    return err;
}

/* Entering primitives first, while leaves have their old bounds: these decide which leaf can hold a
 * primitive. */
static int rtree_update_enter(void *state, const broad_input *in, imp_frame_info *info,
                              uint64_t *written)
{
    int err = IMP_OK, came = 0, full = 0;
    rtree *t = state;
    (void)info; /* strips count their pairs as they find them */
    if (in->view->ids && in->view->ids->changes.count)
        TRY(rtree_come(t, in, &came, &full));
    if (full)
        TRY(build_again(t, in, written));
    else
        TRY(refit(t, in, written));
    if (came && !full) {
        TRY(rtree_delta_sort(t, in));
        *written += t->delta.count;
    }
    if (!full)
        TRY(renew_levels(t, in->c->dev));
    if (came)
        /* marked leaves of the delta are not in the list yet */
        TRY(list_leaves(t, in->c->dev));
    TRY(rtree_update_strips(t, in));
out:
    return err;
}

static int rtree_update_next(void *state, const broad_input *in, uint64_t most,
                             imp_frame_info *info, candidates *out)
{
    rtree *t = state;
    return strips_next(&t->update.strips, in, most, info, rtree_dirty_pairs_strips, t, &out->of);
}

static int rtree_update_done(const void *state)
{
    const rtree *t = state;
    return strips_done(&t->update.strips);
}

const broad_incremental rtree_incremental = {NULL, rtree_update_leave, rtree_update_enter,
                                             rtree_update_next, rtree_update_done};

void rtree_update_free(rtree *t, const context *c)
{
    device *d = c->dev;
    buffer *mine[] = {&t->update.position_of.raw, &t->update.mark.raw,   &t->update.leaf_mark.raw,
                      &t->update.leaf.raw,        &t->update.dirty0.raw, &t->update.others.raw,
                      &t->update.changed.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
    segments_free(d, &t->update.cut);
    strips_free(&t->update.strips, c);
    rtree_delta_free(t, d);
}

/* ---- Primitives that enter a cached R-tree without a position of their own
 * (kernels/rtree_moved.cl): a delta after its leaves, sorted again whenever one enters. */

/* The first position of the delta. */
static uint32_t delta_base(const rtree *t)
{
    return rtree_position_count(t) - RTREE_WIDTH * t->delta.spare;
}

/* Usually none entered, and the next steps are skipped. */
static int any_came(rtree *t, const broad_input *in, uint32_t n, int *came)
{
    int err = IMP_OK;
    uint8_t *come = NULL;
    TRY(mem_alloc(in->c->mem, n, &come));
    TRY(buffer_read(in->c->dev, &t->delta.come, 0, come, n));
    for (uint32_t i = 0; i < n; i++)
        *came |= come[i];
out:
    mem_free(in->c->mem, come);
    return err;
}

int rtree_come(rtree *t, const broad_input *in, int *came, int *full)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    const persistent_ids *r = in->view->ids;
    const buffer_f32 *box = &in->bounds->broad.box;
    uint32_t n = r->changes.count, all = t->delta.count + n, first[2];
    const uint32_t start[2] = {0, all};
    TRY(buffer_put(d, &t->delta.stable, r->changes.stable, n));
    TRY(buffer_fit(d, &t->delta.member, all));
    TRY(buffer_fit(d, &t->delta.stay, all));
    TRY(buffer_fit(d, &t->delta.come, n));
    TRY(RUN(d, rtree_come, n, &t->delta.stable, delta_base(t),
            rtree_position_count(t) / RTREE_WIDTH, box, &t->leaves.node, t->delta.count,
            &t->update.position_of, &t->update.mark, &t->delta.member, &t->delta.stay,
            &t->delta.come));
    TRY(any_came(t, in, n, came));
    if (!*came)
        goto out;
    /* Members that left are dropped; the others and the new ones become the new list. */
    TRY(RUN(d, rtree_stay, t->delta.count, delta_base(t), &t->leaves.id, box,
            &t->update.position_of, &t->delta.member, &t->delta.stay));
    /* one segment: an incremental view has one frame */
    TRY(segments_cut(d, &t->update.cut, start, 1));
    TRY(compact(d, &t->update.cut, &t->delta.stay, 1, &t->delta.index, &t->delta.index0, first));
    t->delta.count = first[1];
    *full = t->delta.count > RTREE_WIDTH * t->delta.spare;
out:
    return err;
}

int rtree_delta_sort(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = t->delta.count, leaves = rtree_position_count(t) / RTREE_WIDTH;
    uint32_t used = (n + RTREE_WIDTH - 1) / RTREE_WIDTH;
    /* Leaves that were in use and are empty now are written as well, or their old members would be
     * found. */
    uint32_t write = used > t->delta.used ? used : t->delta.used;
    t->delta.used = used;
    TRY(buffer_fit(d, &t->keys.key, n));
    TRY(buffer_fit(d, &t->keys.value, n));
    TRY(RUN(d, rtree_member_keys, (n + 3) / 4, n, &t->delta.index, &t->delta.member,
            &in->bounds->broad.box, t->keys.digits, &t->keys.key, &t->keys.value));
    TRY(sort_by_key(d, &t->sort, &t->keys.key, &t->keys.value, n, 3 * t->keys.digits));
    TRY(RUN(d, rtree_member_leaves, write, leaves - t->delta.spare, leaves, n, &t->keys.value,
            &t->update.dirty->flag,
            RTREE_PRIMS_OF(in, corners_needed(broad_rules(in)), rtree_objects(in)), &t->leaves.node,
            &t->leaves.id, &t->leaves.corner, &t->leaves.object, &t->leaves.leaf_object,
            &t->update.position_of, &t->update.mark, &t->update.leaf_mark, &t->update.changed));
out:
    return err;
}

void rtree_delta_free(rtree *t, device *d)
{
    buffer *mine[] = {&t->delta.stable.raw, &t->delta.member.raw, &t->delta.index.raw,
                      &t->delta.index0.raw, &t->delta.stay.raw,   &t->delta.come.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
}
