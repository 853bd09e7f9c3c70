/* See movers.h. */
#include "movers.h"

#include "error.h"
#include "moved.h"
#include "segment.h"

#include <string.h>

static uint32_t groups_of(const view *v)
{
    return v->prims / MOVED_PRIMS + (v->prims % MOVED_PRIMS != 0);
}

/* A kernel that has both forms: an item for each group, or one for each primitive. */
#define RUN_PRIMS(d, kernel, v, ...)                                                               \
    ((d)->group_forms ? RUN_GROUP(d, kernel##_group, group_items(v), SEGMENT_GROUP, __VA_ARGS__)   \
                      : RUN(d, kernel, groups_of(v), __VA_ARGS__))

static uint64_t group_items(const view *v)
{
    return ((uint64_t)v->prims + SEGMENT_GROUP - 1) / SEGMENT_GROUP * SEGMENT_GROUP;
}

/* Marks groups with primitives that differ from those of the frame before. Without slots all frames
 * of a mesh have the same primitives. */
static int put_others(const context *c, const view *v, movers *m)
{
    int err = IMP_OK;
    const slots *r = v->slots;
    uint8_t *other = NULL;
    TRY(mem_alloc(c->mem, groups_of(v), &other));
    memset(other, 0, groups_of(v));
    for (uint32_t i = 0; r && i < r->changes.count; i++)
        other[r->changes.slot[i] / MOVED_PRIMS] = 1;
    TRY(buffer_put(c->dev64, &m->other, other, groups_of(v)));
out:
    mem_free(c->mem, other);
    return err;
}

/* The vertex that is nowhere has the last number: in a span it would make the span reach over all
 * vertices. */
static int take_spans(const context *c, const view *v, const bounds *o, uint32_t all, movers *m)
{
    uint32_t nowhere = v->slots ? v->verts - 1 : UINT32_MAX;
    return RUN(c->dev64, moved_spans, groups_of(v), v->prims, v->corners, &o->on64.corner, nowhere,
               all, &m->other, &m->span);
}

/* Clears all flags. In the first frame nothing moved, and no list is known. */
static int clear(const context *c, const view *v, movers *m)
{
    int err = IMP_OK;
    uint32_t *none = NULL;
    m->count = 0;
    m->same = 0;
    TRY(mem_alloc(c->mem, groups_of(v) * sizeof *none, &none));
    memset(none, 0, groups_of(v) * sizeof *none);
    mem_free(c->mem, m->host_is);
    m->host_is = NULL;
    TRY(mem_alloc(c->mem, v->prims, &m->host_is));
    memset(m->host_is, 0, v->prims);
    TRY(buffer_put(c->dev64, &m->grouped, none, groups_of(v)));
    TRY(buffer_put(c->dev64, &m->is, m->host_is, v->prims));
out:
    mem_free(c->mem, none);
    return err;
}

int movers_first(const context *c, const view *v, const bounds *o, movers *m)
{
    int err = IMP_OK;
    TRY(clear(c, v, m));
    TRY(put_others(c, v, m));
    TRY(buffer_fit(c->dev64, &m->span, (size_t)2 * groups_of(v)));
    TRY(take_spans(c, v, o, 1, m));
out:
    return err;
}

/* Flags of primitives, and their number in each group. */
static int find_flags(const context *c, const view *v, const bounds *o, const buffer_u8 *moved_any,
                      const buffer_u8 *moved_point, slots_copy *copy, movers *m)
{
    int err = IMP_OK;
    device *d = c->dev64;
    TRY(RUN_PRIMS(d, moved_prims, v, v->prims, v->corners, &o->on64.corner, &m->span, BOUND_CHUNK,
                  moved_any, moved_point, &m->is, &m->grouped));
    if (!v->slots || !v->slots->changes.count)
        goto out;
    /* A slot with another primitive has moved even if no vertex did; its group is counted again. */
    TRY(slots_mark(c, v->slots, copy, &m->is));
    TRY(put_others(c, v, m));
    TRY(RUN(d, moved_recount, groups_of(v), v->prims, &m->other, &m->is, &m->grouped));
out:
    return err;
}

/* The list on the host, and its flags. `before`: their number in the frame before. */
static int take_list(const context *c, uint32_t before, movers *m)
{
    int err = IMP_OK;
    uint32_t *list = NULL;
    TRY(mem_alloc(c->mem, m->count * sizeof *list, &list));
    TRY(buffer_read(c->dev64, &m->prim, 0, list, m->count));
    /* Then the pairs that they had are known from the last frame (pass_kept.c). */
    m->same = m->count == before && (!before || !memcmp(list, m->list, before * sizeof *list));
    /* By the old list: the cost grows with the movers, not with all primitives. */
    for (uint32_t i = 0; i < before; i++)
        m->host_is[m->list[i]] = 0;
    for (uint32_t i = 0; i < m->count; i++)
        m->host_is[list[i]] = 1;
    mem_free(c->mem, m->list);
    m->list = list;
    list = NULL;
out:
    mem_free(c->mem, list);
    return err;
}

int movers_find(const context *c, const view *v, const bounds *o, const buffer_u8 *moved_any,
                const buffer_u8 *moved_point, slots_copy *copy, movers *m)
{
    int err = IMP_OK;
    device *d = c->dev64;
    /* The list of the frame before is compared with the new one, and its flags are cleared. */
    uint32_t before = m->count, range[2] = {0, 0};
    uint64_t count;
    TRY(find_flags(c, v, o, moved_any, moved_point, copy, m));
    TRY(scan_counts(d, &m->scan, &m->grouped, groups_of(v), &m->offset, &count));
    range[1] = m->count = (uint32_t)count;
    TRY(buffer_fit(d, &m->prim, m->count));
    TRY(RUN_PRIMS(d, moved_list, v, v->prims, &m->is, &m->offset, &m->prim));
    /* For queries_begin, which takes starts of frames: the list is one frame. */
    TRY(buffer_put(d, &m->all, range, 2));
    TRY(take_list(c, before, m));
out:
    return err;
}

int movers_settle(const context *c, const view *v, const bounds *o, movers *m)
{
    return v->slots && v->slots->changes.count ? take_spans(c, v, o, 0, m) : IMP_OK;
}

void movers_free(const context *c, movers *m)
{
    buffer *mine[] = {&m->is.raw,      &m->prim.raw,   &m->all.raw,  &m->span.raw,
                      &m->grouped.raw, &m->offset.raw, &m->other.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
    scanner_free(c->dev64, &m->scan);
    mem_free(c->mem, m->host_is);
    mem_free(c->mem, m->list);
    *m = (movers){0};
}
