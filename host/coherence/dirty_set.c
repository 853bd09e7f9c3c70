/* See dirty_set.h. */
#include "dirty_set.h"

#include "error.h"
#include "moved.h"

#include <string.h>

static uint32_t groups_of(const block_view *v)
{
    return v->prims / DIRTY_GROUP + (v->prims % DIRTY_GROUP != 0);
}

/* Marks groups with primitives that differ from those of the frame before. Without stable ids all
 * frames of a mesh have the same primitives. */
static int dirty_set_mark_changed(const context *c, const block_view *v, dirty_set *m)
{
    int err = IMP_OK;
    const persistent_ids *r = v->ids;
    uint8_t *other = NULL;
    TRY(mem_alloc(c->mem, groups_of(v), &other));
    memset(other, 0, groups_of(v));
    for (uint32_t i = 0; r && i < r->changes.count; i++)
        other[r->changes.stable[i] / DIRTY_GROUP] = 1;
    TRY(buffer_put(c->dev64, &m->other, other, groups_of(v)));
out:
    mem_free(c->mem, other);
    return err;
}

/* The vertex that is nowhere has the last number: it is left out, since a span with it would reach
 * over all vertices. */
static int dirty_set_group_spans(const context *c, const block_view *v, const bounds *o,
                                 uint32_t all, dirty_set *m)
{
    uint32_t nowhere = v->ids ? v->verts - 1 : UINT32_MAX;
    return RUN(c->dev64, dirty_spans, groups_of(v), v->prims, v->corners, &o->on64.corner, nowhere,
               all, &m->other, &m->span);
}

/* Clears all flags: in the first frame nothing moved, and there is no list yet. */
static int dirty_set_clear(const context *c, const block_view *v, dirty_set *m)
{
    int err = IMP_OK;
    uint32_t *none = NULL;
    m->count = 0;
    m->same = 0;
    TRY(mem_alloc(c->mem, groups_of(v) * sizeof *none, &none));
    memset(none, 0, groups_of(v) * sizeof *none);
    mem_free(c->mem, m->host_flag);
    m->host_flag = NULL;
    TRY(mem_alloc(c->mem, v->prims, &m->host_flag));
    memset(m->host_flag, 0, v->prims);
    TRY(buffer_put(c->dev64, &m->grouped, none, groups_of(v)));
    TRY(buffer_put(c->dev64, &m->flag, m->host_flag, v->prims));
out:
    mem_free(c->mem, none);
    return err;
}

int dirty_set_first(const context *c, const block_view *v, const bounds *o, dirty_set *m)
{
    int err = IMP_OK;
    TRY(dirty_set_clear(c, v, m));
    TRY(dirty_set_mark_changed(c, v, m));
    TRY(buffer_fit(c->dev64, &m->span, (size_t)2 * groups_of(v)));
    TRY(dirty_set_group_spans(c, v, o, 1, m));
out:
    return err;
}

/* Sets the flags of dirty primitives, and their number in each group. */
static int dirty_set_find_flags(const context *c, const block_view *v, const bounds *o,
                                const buffer_u8 *moved_any, const buffer_u8 *moved_point,
                                device_ids *copy, dirty_set *m)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(RUN(d, dirty_prims, groups_of(v), v->prims, v->corners, &o->on64.corner, &m->span,
            BOUND_CHUNK, moved_any, moved_point, &m->flag, &m->grouped));
    if (!v->ids || !v->ids->changes.count)
        goto out;
    /* A stable id with another primitive is dirty even if no vertex moved; its group is counted
     * again. */
    TRY(persistent_ids_mark(c, v->ids, copy, &m->flag));
    TRY(dirty_set_mark_changed(c, v, m));
    TRY(RUN(d, dirty_recount, groups_of(v), v->prims, &m->other, &m->flag, &m->grouped));
out:
    return err;
}

/* Sets the host's list and flags. */
static void dirty_set_read_list(uint32_t *list, uint32_t count, dirty_set *m)
{
    const uint32_t before = m->count;
    /* If the list is the same, its old pairs are known from the last frame (incremental_pass.c). */
    m->same = count == before && (!before || !memcmp(list, m->list, before * sizeof *list));
    /* Clears flags by the old list: the cost grows with the dirty primitives, not with all
     * primitives. */
    for (uint32_t i = 0; i < before; i++)
        m->host_flag[m->list[i]] = 0;
    for (uint32_t i = 0; i < count; i++)
        m->host_flag[list[i]] = 1;
    m->list = list;
    m->count = count;
}

#define MORE                                                                                       \
    256 /* dirty primitives beyond nine eighths of those of the frame before that are expected at  \
           most */

int dirty_set_find(const context *c, const block_view *v, const bounds *o,
                   const buffer_u8 *moved_any, const buffer_u8 *moved_point, device_ids *copy,
                   dirty_set *m, readout out[2])
{
    int err = IMP_OK;
    device *d = c->dev64;
    const uint64_t expected = (uint64_t)m->count + m->count / 8 + MORE;
    dirty_readout *r = &m->read;
    TRY(dirty_set_find_flags(c, v, o, moved_any, moved_point, copy, m));
    TRY(scan_counts(d, &m->scan, &m->grouped, groups_of(v), &m->offset, NULL));
    /* Room for all primitives, so that the number is read together with the list. */
    TRY(buffer_fit(d, &m->prim, v->prims));
    TRY(RUN(d, dirty_list, groups_of(v), v->prims, &m->flag, &m->offset, &m->prim));
    r->room = expected < v->prims ? (uint32_t)expected : v->prims;
    mem_free(c->mem, r->list);
    r->list = NULL;
    TRY(mem_alloc(c->mem, r->room * sizeof *r->list, &r->list));
    out[0] = (readout)READOUT(&m->offset, groups_of(v), &r->count, 1);
    out[1] = (readout)READOUT(&m->prim, 0, r->list, r->room);
out:
    return err;
}

int dirty_set_read(const context *c, dirty_set *m)
{
    int err = IMP_OK;
    device *d = c->dev64;
    dirty_readout *r = &m->read;
    const uint32_t count = (uint32_t)r->count, range[2] = {0, count};
    uint32_t *before = m->list;
    if (count > r->room) {
        mem_free(c->mem, r->list);
        r->list = NULL;
        TRY(mem_alloc(c->mem, count * sizeof *r->list, &r->list));
        TRY(buffer_read(d, &m->prim, 0, r->list, count));
    }
    /* For queries_begin, which expects starts of frames: the list is one frame. */
    TRY(buffer_put(d, &m->all, range, 2));
    dirty_set_read_list(r->list, count, m);
    mem_free(c->mem, before);
    r->list = NULL;
out:
    return err;
}

int dirty_set_update_spans(const context *c, const block_view *v, const bounds *o, dirty_set *m)
{
    return v->ids && v->ids->changes.count ? dirty_set_group_spans(c, v, o, 0, m) : IMP_OK;
}

void dirty_set_free(const context *c, dirty_set *m)
{
    buffer *mine[] = {&m->flag.raw,    &m->prim.raw,   &m->all.raw,  &m->span.raw,
                      &m->grouped.raw, &m->offset.raw, &m->other.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
    scanner_free(c->dev64, &m->scan);
    mem_free(c->mem, m->host_flag);
    mem_free(c->mem, m->list);
    mem_free(c->mem, m->read.list);
    *m = (dirty_set){0};
}
