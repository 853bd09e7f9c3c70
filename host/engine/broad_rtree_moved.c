/* The packed R-tree kept from frame to frame (kernels/rtree_moved.cl). */
#include "broad_rtree.h"

#include "error.h"
#include "prim.h"
#include "roster.h"

#define LEAVES_OF_TILE 8

/* Which slot each primitive has. No leaf has a mark yet. */
static int find_slots(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t leaves = rtree_slots(t) / RTREE_WIDTH;
    t->slotted = 0;
    TRY(buffer_fit(d, &t->slot_of, in->block->prims));
    TRY(buffer_fit(d, &t->mark, rtree_slots(t)));
    TRY(buffer_fit(d, &t->leaf_mark, leaves));
    TRY(RUN(d, rtree_nowhere, in->block->prims, &t->slot_of));
    TRY(RUN(d, rtree_slot_of, t->rank0[1], &t->id, &t->slot_of));
    TRY(RUN(d, rtree_unmark, leaves, 1u, &t->mark, &t->leaf_mark));
    t->slotted = 1;
out:
    return err;
}

/* The slots with a mark, or their leaves: who looks for pairs. */
static int list_marks(rtree *t, const broad_input *in, uint32_t *count)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t slots = rtree_slots(t), first[2];
    const uint32_t start[2] = {0, t->by_tile ? slots / RTREE_WIDTH : slots};
    TRY(segments_cut(d, &t->cut, start, 1));
    TRY(compact(d, &t->cut, t->by_tile ? &t->leaf_mark : &t->mark, 1, &t->which, &t->moved0,
                first));
    *count = first[1];
out:
    return err;
}

static int mark_moved(rtree *t, const broad_input *in)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    if (!t->slotted)
        TRY(find_slots(t, in));
    TRY(RUN(d, rtree_unmark, rtree_slots(t) / RTREE_WIDTH, 0u, &t->mark, &t->leaf_mark));
    TRY(RUN(d, rtree_mark, t->moved->count, &t->moved->prim, &t->slot_of, &t->mark));
    TRY(RUN(d, rtree_mark_leaves, t->moved->count, &t->moved->prim, &t->slot_of, &t->mark,
            &t->leaf_mark));
out:
    return err;
}

static int moved_count(void *state, const broad_input *in, const queries *q, uint32_t n)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_moved_count, n, q->at, &t->which, &t->mark, SCENE_OF(in, q->range),
               RTREE_OF(t), &t->queries.count);
}

static int moved_emit(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out)
{
    const rtree *t = state;
    return RUN(in->c->dev, rtree_moved_emit, n, q->at, &t->which, &t->mark, SCENE_OF(in, q->range),
               RTREE_OF(t), &q->offset, q->base, &out->a, &out->b);
}

static const query_calls moved_calls = {moved_count, moved_emit};

static int moved_tiles(void *state, const broad_input *in, const tiles *k, uint32_t n,
                       uint32_t capacity, pairs *out)
{
    rtree *t = state;
    return RUN(in->c->dev, rtree_moved_tiles, n, k->at, &t->which, &t->mark, SCENE_OF(in, k->range),
               RTREE_OF(t), CHUNKS_OF(&k->list), capacity, &k->offset, &t->moved_tiles.count,
               &out->a, &out->b);
}

static int moved_begin(rtree *t, const broad_input *in, uint32_t count, imp_frame_info *info)
{
    int err = IMP_OK;
    const broad_range all = {0, UINT32_MAX};
    TRY(queries_begin(&t->queries, in, all, &t->moved0, count, &moved_calls, t, info));
    if (t->queries.total >= UINT32_MAX) /* a leaf may have more than it could count */
        TRY(pairs_few(UINT64_MAX));
out:
    return err;
}

/* Few leaves a tile: those that moved may be few. */
static int tiles_of_moved(rtree *t, const broad_input *in, uint32_t count)
{
    const broad_range all = {0, UINT32_MAX};
    const uint32_t start[2] = {0, count};
    tiles_begin(&t->moved_tiles, all);
    return tiles_make(&t->moved_tiles, in, start, 1, LEAVES_OF_TILE);
}

/* What leaves have of primitives beside their bounds, where these come and go. */
static int refill(rtree *t, const broad_input *in)
{
    const prim_set *s = &in->bounds->broad;
    return RUN(in->c->dev, rtree_refill, rtree_slots(t) / RTREE_WIDTH, &t->id, &t->mark,
               &t->leaf_mark, corners_asked(broad_rules(in)), &s->corner, rtree_objects(in),
               &s->object, &t->corner, &t->object, &t->leaf_object);
}

/* New bounds in the leaves with a mark. */
static int refit(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t leaves = rtree_slots(t) / RTREE_WIDTH;
    TRY(buffer_fit(d, &t->changed, leaves));
    TRY(RUN(d, rtree_refit, leaves, leaves, &t->id, &t->mark, &t->leaf_mark, &in->bounds->broad.box,
            &t->node, &t->changed));
    if (in->block->roster && in->block->roster->changes)
        TRY(refill(t, in));
    TRY(scan_counts(d, &t->cut.scan, &t->changed, leaves, &t->cut.offset, written));
out:
    return err;
}

/* The whole tree anew, where there is no room left behind its leaves. */
static int build_again(rtree *t, const broad_input *in, uint64_t *written)
{
    int err = IMP_OK;
    TRY(rtree_build(t, in));
    TRY(mark_moved(t, in));
    *written = in->block->prims - roster_absent(in->block->roster);
out:
    return err;
}

/* Pairs of those that moved as they were: by the tree of the frame before and its bounds. */
static int rtree_leave(void *state, const broad_input *in, const movers *moved, uint64_t *count)
{
    int err = IMP_OK;
    rtree *t = state;
    imp_frame_info info = {0};
    uint32_t those;
    t->moved = moved;
    TRY(mark_moved(t, in));
    TRY(list_marks(t, in, &those));
    TRY(moved_begin(t, in, those, &info));
    *count = info.candidates;
out:
    return err;
}

static int rtree_enter(void *state, const broad_input *in, imp_frame_info *info, uint64_t *written)
{
    int err = IMP_OK, came = 0, full = 0;
    rtree *t = state;
    uint32_t count = t->queries.end; /* as rtree_leave has left it */
    if (in->block->roster && in->block->roster->changes)
        TRY(rtree_come(t, in, &came, &full));
    if (full)
        TRY(build_again(t, in, written));
    else
        TRY(refit(t, in, written));
    if (came && !full) {
        TRY(rtree_settle(t, in));
        *written += t->members;
    }
    if (!full)
        TRY(rtree_levels(t, in->c->dev));
    if (came)
        TRY(list_marks(t, in, &count));
    TRY(t->by_tile ? tiles_of_moved(t, in, count) : moved_begin(t, in, count, info));
out:
    return err;
}

static int rtree_moved_next(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                            pairs *out)
{
    rtree *t = state;
    return t->by_tile ? tiles_next(&t->moved_tiles, in, most, info, moved_tiles, t, out)
                      : queries_next(&t->queries, in, most, &moved_calls, t, out);
}

static int rtree_moved_done(const void *state)
{
    const rtree *t = state;
    return t->by_tile ? tiles_done(&t->moved_tiles) : queries_done(&t->queries);
}

const broad_keeping rtree_keeping = {rtree_leave, rtree_enter, rtree_moved_next, rtree_moved_done};

void rtree_keeping_free(rtree *t, const context *c)
{
    device *d = c->dev;
    buffer *mine[] = {&t->slot_of.raw, &t->mark.raw,   &t->leaf_mark.raw,
                      &t->which.raw,   &t->moved0.raw, &t->changed.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(d, mine[i]);
    segments_free(d, &t->cut);
    tiles_free(&t->moved_tiles, c);
    rtree_delta_free(t, d);
}
