/* After roster_match: who is not in the mesh leaves, who is new enters, who is another is altered.
 * And of a model: some leave, others enter.
 *
 * What comes often comes for what goes: parts of a primitive that was split, a tetrahedron that an
 * edge swap made. Who enters is given a place that has been left in the same frame by one that it
 * shares a vertex with: what methods know of places that lie near each other then stays true. */
#include "roster.h"

#include "error.h"

#include <string.h>

/* Places left in this frame, by the vertices that were theirs: r->near[vertex] is the first entry
 * + 1, 0: there is none. */
typedef struct entry {
    uint32_t vertex, next; /* the next of that vertex + 1, or 0 */
} entry;

typedef struct left {
    uint32_t first;   /* of them in r->vacant, in order of their positions; taken: ROSTER_NONE */
    uint32_t corners; /* entries of each */
    uint32_t entries; /* 0: they are more than could be numbered, and nobody is near */
    entry *at;
} left;

/* The first position behind i, up to n, in another stretch. */
static uint32_t stretch_end(uint32_t i, uint32_t n)
{
    return n - i < ROSTER_STRETCH ? n : i + ROSTER_STRETCH;
}

/* ---- who leaves */

/* Those of before that come next stand at `at`, n of them: who stood before them has left, and is
 * listed behind the vacant places. */
static void pass(roster *r, uint32_t at, uint32_t n, uint32_t *next, uint32_t *listed)
{
    uint32_t count = at - *next;
    if (count)
        memcpy(r->vacant + r->vacancies + *listed, r->place + *next, count * sizeof *r->place);
    *listed += count;
    *next = at + n;
}

/* All that are not in the mesh; how many. */
static uint32_t find_left(roster *r, const imp_mesh *m)
{
    uint32_t listed = 0, next = 0; /* position of before */
    for (uint32_t i = 0, end; i < m->primitives; i = end) {
        uint32_t from = r->stretch[i / ROSTER_STRETCH].from;
        end = stretch_end(i, m->primitives);
        if (from != ROSTER_NONE)
            pass(r, from, end - i, &next, &listed);
        for (uint32_t k = i; k < end && from == ROSTER_NONE; k++)
            if (r->last[k] != ROSTER_NONE)
                pass(r, r->position[r->last[k]], 1, &next, &listed);
    }
    pass(r, r->count, 0, &next, &listed);
    return listed;
}

/* From the last one on, so that the first is found first. */
static void left_list(roster *r, left *l)
{
    for (uint32_t e = l->entries; e-- > 0;) {
        uint32_t place = r->vacant[l->first + e / l->corners], k = e % l->corners;
        uint32_t vertex = r->corner[(size_t)l->corners * place + k];
        l->at[e] = (entry){vertex, r->near[vertex]};
        r->near[vertex] = e + 1;
    }
}

static int left_open(mem *m, roster *r, uint32_t count, left *l)
{
    int err = IMP_OK;
    uint64_t entries = (uint64_t)count * (uint32_t)r->mesh.corners;
    *l = (left){.first = r->vacancies,
                .corners = (uint32_t)r->mesh.corners,
                .entries = entries < UINT32_MAX ? (uint32_t)entries : 0};
    TRY(mem_alloc(m, l->entries * sizeof *l->at, &l->at));
    left_list(r, l);
    for (uint32_t i = 0; i < count; i++)
        roster_leave(r, r->vacant[l->first + i]);
out:
    return err;
}

/* Places that were taken leave no gaps. */
static void left_close(mem *m, roster *r, left *l)
{
    uint32_t n = l->first < r->vacancies ? l->first : r->vacancies;
    for (uint32_t i = n; i < r->vacancies; i++)
        if (r->vacant[i] != ROSTER_NONE)
            r->vacant[n++] = r->vacant[i];
    r->vacancies = n;
    for (uint32_t e = 0; e < l->entries; e++)
        r->near[l->at[e].vertex] = 0;
    mem_free(m, l->at);
}

/* One that was left by a primitive with a vertex of this one, or ROSTER_NONE. Entries of places
 * that are taken go: none is looked at twice. */
static uint32_t left_near(roster *r, const left *l, const uint32_t *corner, uint32_t own)
{
    for (uint32_t k = 0; k < own; k++) {
        uint32_t *near = &r->near[corner[k]];
        while (*near) {
            uint32_t e = *near - 1, *vacant = &r->vacant[l->first + e / l->corners];
            uint32_t place = *vacant;
            *near = l->at[e].next;
            *vacant = ROSTER_NONE;
            if (place != ROSTER_NONE)
                return place;
        }
    }
    return ROSTER_NONE;
}

/* Any that is vacant. */
static uint32_t left_any(roster *r)
{
    while (r->vacancies && r->vacant[r->vacancies - 1] == ROSTER_NONE)
        r->vacancies--;
    return roster_vacate(r);
}

/* ---- who comes */

static uint32_t enter(roster *r, const imp_mesh *m, uint32_t i, uint32_t place)
{
    const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
    int32_t object = m->object ? m->object[i] : 0;
    roster_enter(r, place, m->name[i], corner, (uint8_t)mesh_own(m, i), object);
    return place;
}

/* Those of a stretch that are others, and those that are new and find a place near; which do not.
 */
static uint64_t stretch_change(roster *r, const imp_mesh *m, uint32_t first, uint64_t others,
                               const left *l)
{
    uint64_t remain = 0;
    for (uint32_t i = first; others; i++, others >>= 1) {
        const uint32_t *corner = m->corner + (size_t)mesh_corners(m) * i;
        uint8_t own = (uint8_t)mesh_own(m, i);
        int32_t object = m->object ? m->object[i] : 0;
        uint32_t place = r->last[i];
        if (!(others & 1))
            continue;
        if (place != ROSTER_NONE) {
            roster_alter(r, place, corner, own, object);
            continue;
        }
        place = left_near(r, l, corner, own);
        if (place != ROSTER_NONE)
            r->last[i] = enter(r, m, i, place);
        else
            remain |= UINT64_C(1) << (i - first);
    }
    return remain;
}

/* After all who find a place near, into any. */
static void stretch_enter(roster *r, const imp_mesh *m, uint32_t first, uint64_t others)
{
    for (uint32_t i = first; others; i++, others >>= 1)
        if (others & 1)
            r->last[i] = enter(r, m, i, left_any(r));
}

int roster_change(const context *c, roster *r, const imp_mesh *m)
{
    int err = IMP_OK;
    left l;
    uint32_t *swap = r->place;
    TRY(left_open(c->mem, r, find_left(r, m), &l));
    for (uint32_t i = 0; i < m->primitives; i += ROSTER_STRETCH) {
        roster_stretch *s = &r->stretch[i / ROSTER_STRETCH];
        if (s->others)
            s->others = stretch_change(r, m, i, s->others, &l);
    }
    for (uint32_t i = 0; i < m->primitives; i += ROSTER_STRETCH)
        stretch_enter(r, m, i, r->stretch[i / ROSTER_STRETCH].others);
    left_close(c->mem, r, &l);
    r->place = r->last;
    r->last = swap;
    r->count = m->primitives;
    r->seen = m;
    r->turn++;
    roster_positions(c, r, m);
out:
    return err;
}

int roster_exchange(mem *m, roster *r, uint32_t count, const imp_mesh *by)
{
    int err = IMP_OK;
    left l;
    uint32_t *place = NULL;
    TRY(mem_alloc(m, by->primitives * sizeof *place, &place));
    TRY(left_open(m, r, count, &l));
    for (uint32_t i = 0; i < by->primitives; i++) {
        place[i] = left_near(r, &l, by->corner + (size_t)mesh_corners(by) * i, mesh_own(by, i));
        if (place[i] != ROSTER_NONE)
            enter(r, by, i, place[i]);
    }
    for (uint32_t i = 0; i < by->primitives; i++) {
        if (place[i] == ROSTER_NONE)
            place[i] = enter(r, by, i, left_any(r));
        r->position[place[i]] = place[i];
    }
    left_close(m, r, &l);
    r->count += by->primitives - count;
out:
    mem_free(m, place);
    return err;
}
