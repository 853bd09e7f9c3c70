/* After slots_match: primitives that are not in the mesh leave, new ones enter, others are altered.
 * In a model: some leave, others enter.
 *
 * A new primitive often replaces one that leaves: parts of a primitive that was split, a
 * tetrahedron that an edge swap made. It gets the slot of one that leaves in the same frame and
 * that it shares a vertex with, so that slots which were near each other still are. */
#include "slots.h"

#include "error.h"

#include <string.h>

/* Slots that became free in this frame, by their vertices: r->near[vertex] is the first entry + 1;
 * 0: none. */
typedef struct entry {
    uint32_t vertex, next; /* the next of that vertex + 1, or 0 */
} entry;

typedef struct freed {
    uint32_t first;   /* of them in r->vacant.slot, in order of their cells; taken: NO_NUMBER */
    uint32_t corners; /* entries of each */
    uint32_t entries; /* 0: too many to be numbered; none is near */
    entry *at;
} freed;

/* The first cell after i, up to n, in another stretch. */
static uint32_t stretch_end(uint32_t i, uint32_t n)
{
    return n - i < SLOTS_STRETCH ? n : i + SLOTS_STRETCH;
}

/* ---- leaving */

/* The next n old cells that remain begin at `at`: the ones before them have left, and are listed
 * behind the vacant slots. */
static void pass(slots *r, uint32_t at, uint32_t n, uint32_t *next, uint32_t *listed)
{
    uint32_t count = at - *next;
    if (count)
        memcpy(r->vacant.slot + r->vacant.count + *listed, r->slot + *next,
               count * sizeof *r->slot);
    *listed += count;
    *next = at + n;
}

/* Lists all that are not in the mesh; returns their number. */
static uint32_t list_leaving(slots *r, const imp_mesh *m)
{
    uint32_t listed = 0, next = 0; /* cell of before */
    for (uint32_t i = 0, end; i < m->primitives; i = end) {
        uint32_t from = r->stretch[i / SLOTS_STRETCH].from;
        end = stretch_end(i, m->primitives);
        if (from != NO_NUMBER)
            pass(r, from, end - i, &next, &listed);
        for (uint32_t k = i; k < end && from == NO_NUMBER; k++)
            if (r->before[k].n != NO_NUMBER)
                pass(r, r->cell[r->before[k].n].n, 1, &next, &listed);
    }
    pass(r, r->count, 0, &next, &listed);
    return listed;
}

/* From the last one to the first, so that the first is found first. */
static void freed_list(slots *r, freed *l)
{
    for (uint32_t e = l->entries; e-- > 0;) {
        uint32_t slot = r->vacant.slot[l->first + e / l->corners].n, k = e % l->corners;
        uint32_t vertex = r->of.corner[(size_t)l->corners * slot + k];
        l->at[e] = (entry){vertex, r->near[vertex]};
        r->near[vertex] = e + 1;
    }
}

static int freed_open(mem *m, slots *r, uint32_t count, freed *l)
{
    int err = IMP_OK;
    uint64_t entries = (uint64_t)count * (uint32_t)r->of.mesh.corners;
    *l = (freed){.first = r->vacant.count,
                 .corners = (uint32_t)r->of.mesh.corners,
                 .entries = entries < UINT32_MAX ? (uint32_t)entries : 0};
    TRY(mem_alloc(m, l->entries * sizeof *l->at, &l->at));
    freed_list(r, l);
    for (uint32_t i = 0; i < count; i++)
        slots_leave(r, r->vacant.slot[l->first + i]);
out:
    return err;
}

/* Closes the gaps of the slots that were taken. */
static void freed_close(mem *m, slots *r, freed *l)
{
    uint32_t n = l->first < r->vacant.count ? l->first : r->vacant.count;
    for (uint32_t i = n; i < r->vacant.count; i++)
        if (r->vacant.slot[i].n != NO_NUMBER)
            r->vacant.slot[n++] = r->vacant.slot[i];
    r->vacant.count = n;
    for (uint32_t e = 0; e < l->entries; e++)
        r->near[l->at[e].vertex] = 0;
    mem_free(m, l->at);
}

/* Takes a slot that was freed by a primitive with a vertex of this one; NO_NUMBER: none. Removes
 * entries of taken slots, so that none is read twice. */
static slot_no take_near(slots *r, const freed *l, const uint32_t *corner, uint32_t corner_count)
{
    for (uint32_t k = 0; k < corner_count; k++) {
        uint32_t *near = &r->near[corner[k]];
        while (*near) {
            const uint32_t e = *near - 1;
            slot_no *vacant = &r->vacant.slot[l->first + e / l->corners], slot = *vacant;
            *near = l->at[e].next;
            vacant->n = NO_NUMBER;
            if (slot.n != NO_NUMBER)
                return slot;
        }
    }
    return (slot_no){NO_NUMBER};
}

static slot_no take_any(slots *r)
{
    while (r->vacant.count && r->vacant.slot[r->vacant.count - 1].n == NO_NUMBER)
        r->vacant.count--;
    return slots_take(r);
}

/* ---- entering */

static slot_no persistent_ids_insert(slots *r, const imp_mesh *m, uint32_t i, slot_no slot)
{
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
    int32_t object = m->object ? m->object[i] : 0;
    slots_enter(r, slot, m->id[i], corner, (uint8_t)mesh_corners_of(m, i), object);
    return slot;
}

/* Enters changed primitives of a stretch, and new ones that find a slot near; returns those that do
 * not.
 */
static uint64_t stretch_change(slots *r, const imp_mesh *m, uint32_t first, uint64_t others,
                               const freed *l)
{
    uint64_t remain = 0;
    for (uint32_t i = first; others; i++, others >>= 1) {
        const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
        uint8_t corner_count = (uint8_t)mesh_corners_of(m, i);
        int32_t object = m->object ? m->object[i] : 0;
        slot_no slot = r->before[i];
        if (!(others & 1))
            continue;
        if (slot.n != NO_NUMBER) {
            slots_alter(r, slot, corner, corner_count, object);
            continue;
        }
        slot = take_near(r, l, corner, corner_count);
        if (slot.n != NO_NUMBER)
            r->before[i] = persistent_ids_insert(r, m, i, slot);
        else
            remain |= UINT64_C(1) << (i - first);
    }
    return remain;
}

/* Then enters the others into any slot. */
static void stretch_enter(slots *r, const imp_mesh *m, uint32_t first, uint64_t others)
{
    for (uint32_t i = first; others; i++, others >>= 1)
        if (others & 1)
            r->before[i] = persistent_ids_insert(r, m, i, take_any(r));
}

int slots_change(const context *c, slots *r, const imp_mesh *m)
{
    int err = IMP_OK;
    freed l;
    slot_no *swap = r->slot;
    TRY(freed_open(c->mem, r, list_leaving(r, m), &l));
    for (uint32_t i = 0; i < m->primitives; i += SLOTS_STRETCH) {
        slots_stretch *s = &r->stretch[i / SLOTS_STRETCH];
        if (s->others)
            s->others = stretch_change(r, m, i, s->others, &l);
    }
    for (uint32_t i = 0; i < m->primitives; i += SLOTS_STRETCH)
        stretch_enter(r, m, i, r->stretch[i / SLOTS_STRETCH].others);
    freed_close(c->mem, r, &l);
    r->slot = r->before;
    r->before = swap;
    r->count = m->primitives;
    r->seen = m;
    slots_number_cells(c, r, m);
out:
    return err;
}

int slots_exchange(mem *m, slots *r, uint32_t count, const imp_mesh *by)
{
    int err = IMP_OK;
    freed l;
    slot_no *slot = NULL;
    TRY(mem_alloc(m, by->primitives * sizeof *slot, &slot));
    TRY(freed_open(m, r, count, &l));
    for (uint32_t i = 0; i < by->primitives; i++) {
        slot[i] =
            take_near(r, &l, by->corner + (size_t)mesh_corners(by) * i, mesh_corners_of(by, i));
        if (slot[i].n != NO_NUMBER)
            persistent_ids_insert(r, by, i, slot[i]);
    }
    for (uint32_t i = 0; i < by->primitives; i++) {
        if (slot[i].n == NO_NUMBER)
            slot[i] = persistent_ids_insert(r, by, i, take_any(r));
        r->cell[slot[i].n] = (cell_no){slot[i].n};
    }
    freed_close(m, r, &l);
    r->count += by->primitives - count;
out:
    mem_free(m, slot);
    return err;
}
