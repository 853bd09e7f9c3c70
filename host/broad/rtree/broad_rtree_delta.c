/* Primitives that come to where they have no slot in a packed R-tree that is kept
 * (kernels/rtree_moved.cl): a delta behind its leaves, sorted anew whenever somebody comes. */
#include "broad_rtree.h"

#include "error.h"
#include "slots.h"

/* The first of its slots. */
static uint32_t delta_base(const rtree *t)
{
    return rtree_slots(t) - RTREE_WIDTH * t->spare;
}

static int any_came(rtree *t, const broad_input *in, uint32_t n, int *came)
{
    int err = IMP_OK;
    uint8_t *come = NULL;
    TRY(mem_alloc(in->c->mem, n, &come));
    TRY(buffer_read(in->c->dev, &t->come, 0, come, n));
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
    const slots *r = in->view->slots;
    const buffer_f32 *box = &in->bounds->broad.box;
    uint32_t n = r->changes.count, all = t->members + n, first[2];
    const uint32_t start[2] = {0, all};
    TRY(buffer_put(d, &t->place, r->changes.slot, n));
    TRY(buffer_fit(d, &t->member, all));
    TRY(buffer_fit(d, &t->stay, all));
    TRY(buffer_fit(d, &t->come, n));
    TRY(RUN(d, rtree_come, n, &t->place, delta_base(t), rtree_slots(t) / RTREE_WIDTH, box, &t->node,
            t->members, &t->slot_of, &t->mark, &t->member, &t->stay, &t->come));
    TRY(any_came(t, in, n, came));
    if (!*came)
        goto out;
    TRY(RUN(d, rtree_stay, t->members, delta_base(t), &t->id, box, &t->slot_of, &t->member,
            &t->stay));
    TRY(segments_cut(d, &t->cut, start, 1));
    TRY(compact(d, &t->cut, &t->stay, 1, &t->index, &t->index0, first));
    t->members = first[1];
    *full = t->members > RTREE_WIDTH * t->spare;
out:
    return err;
}

int rtree_settle(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t n = t->members, leaves = rtree_slots(t) / RTREE_WIDTH;
    uint32_t used = (n + RTREE_WIDTH - 1) / RTREE_WIDTH;
    uint32_t write = used > t->delta ? used : t->delta;
    t->delta = used;
    TRY(buffer_fit(d, &t->key, n));
    TRY(buffer_fit(d, &t->value, n));
    TRY(RUN(d, rtree_member_keys, (n + 3) / 4, n, &t->index, &t->member, &in->bounds->broad.box,
            t->digits, &t->key, &t->value));
    TRY(sort_by_key(d, &t->sort, &t->key, &t->value, n, 3 * t->digits));
    TRY(RUN(d, rtree_member_leaves, write, leaves - t->spare, leaves, n, &t->value, &t->moved->is,
            RTREE_PRIMS_OF(in, corners_asked(broad_rules(in)), rtree_objects(in)), &t->node, &t->id,
            &t->corner, &t->object, &t->leaf_object, &t->slot_of, &t->mark, &t->leaf_mark,
            &t->changed));
out:
    return err;
}

void rtree_delta_free(rtree *t, device *d)
{
    buffer *mine[] = {&t->place.raw,  &t->member.raw, &t->index.raw,
                      &t->index0.raw, &t->stay.raw,   &t->come.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
}
