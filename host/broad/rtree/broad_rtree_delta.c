/* Primitives that enter a kept R-tree without a position of their own (kernels/rtree_moved.cl): a
 * delta behind its leaves, sorted again whenever one enters. */
#include "broad_rtree.h"

#include "error.h"
#include "slots.h"

/* The first of its positions. */
static uint32_t delta_base(const rtree *t)
{
    return rtree_position_count(t) - RTREE_WIDTH * t->delta.spare;
}

/* Mostly none came, and the steps after it are saved. */
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
    /* Members that left are dropped; the others and those that came become the new list. */
    TRY(RUN(d, rtree_stay, t->delta.count, delta_base(t), &t->leaves.id, box,
            &t->update.position_of, &t->delta.member, &t->delta.stay));
    /* One segment: a kept view has one frame. */
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
