/* Which primitives of a mesh are there already, and which of these are the same to the last corner.
 * Mostly nearly all are, one after another: arrays are compared by stretches, by all threads, and
 * names are looked up only in stretches that differ. */
#include "roster.h"

#include <string.h>

#define PARTS 64u        /* that threads take one by one */
#define ALONE (1u << 15) /* primitives that one thread has compared before others are awake */

/* Some stretches of a mesh, and where those that were there before stood then. */
typedef struct part {
    uint32_t low, end; /* the first one's position, ROSTER_NONE: there is none; behind the last */
    int ordered;
} part;

/* How many places from the first on follow one another. */
static uint32_t run_of(const uint32_t *place, uint32_t most)
{
    uint32_t n = 1;
    while (n < most && place[n] == place[0] + n)
        n++;
    return n;
}

static int none_of(const int32_t *object, uint32_t n)
{
    int32_t any = 0;
    for (uint32_t i = 0; i < n; i++)
        any |= object[i];
    return !any;
}

/* Are n primitives of the mesh those at n places, with all that is theirs? */
static int run_same(const roster *r, const imp_mesh *m, uint32_t i, uint32_t place, uint32_t n)
{
    size_t corners = mesh_corners(m), most = corners * n;
    if (memcmp(r->name + place, m->name + i, n * sizeof *m->name) ||
        memcmp(r->corner + corners * place, m->corner + corners * i, most * sizeof *m->corner) ||
        (m->own && memcmp(r->own + place, m->own + i, n)))
        return 0;
    return m->object ? !memcmp(r->object + place, m->object + i, n * sizeof *m->object)
                     : none_of(r->object + place, n);
}

/* The same for those that stood at the n positions from `next` on; their places into r->last. */
static int stretch_same(const roster *r, const imp_mesh *m, uint32_t i, uint32_t next, uint32_t n)
{
    if (next + n > r->count)
        return 0;
    for (uint32_t k = 0, run; k < n; k += run) {
        const uint32_t *place = r->place + next + k;
        run = run_of(place, n - k);
        if (!run_same(r, m, i + k, *place, run))
            return 0;
    }
    memcpy(r->last + i, r->place + next, n * sizeof *r->last);
    return 1;
}

static int is_same(const roster *r, const imp_mesh *m, uint32_t i, uint32_t place)
{
    uint32_t own = mesh_own(m, i);
    const uint32_t *is = r->corner + (size_t)r->mesh.corners * place;
    const uint32_t *corner = m->corner + (size_t)r->mesh.corners * i;
    int32_t object = m->object ? m->object[i] : 0;
    uint32_t other = (r->own[place] ^ own) | (uint32_t)(r->object[place] ^ object);
    for (uint32_t k = 0; k < own && !other; k++)
        other |= is[k] ^ corner[k];
    return !other;
}

/* One by one; which are others. */
static uint64_t stretch_match(const roster *r, const imp_mesh *m, uint32_t first, uint32_t n,
                              part *p)
{
    uint64_t others = 0;
    for (uint32_t i = first; i < first + n; i++) {
        uint32_t place = p->end < r->count ? r->place[p->end] : ROSTER_NONE;
        if (place == ROSTER_NONE || r->name[place] != m->name[i])
            place = roster_find(r, m->name[i]);
        r->last[i] = place;
        if (place == ROSTER_NONE || !is_same(r, m, i, place))
            others |= UINT64_C(1) << (i - first);
        if (place == ROSTER_NONE)
            continue;
        uint32_t at = r->position[place];
        p->ordered &= p->low == ROSTER_NONE || at >= p->end;
        p->low = p->low == ROSTER_NONE ? at : p->low;
        p->end = at + 1;
    }
    return others;
}

/* Where the first of the mesh stood is where a part begins to compare: only its name tells. */
static part part_match(const roster *r, const imp_mesh *m, uint32_t first, uint32_t last)
{
    uint32_t place = first < last ? roster_find(r, m->name[first]) : ROSTER_NONE;
    part p = {ROSTER_NONE, r->count, 1};
    if (place != ROSTER_NONE)
        p.low = p.end = r->position[place];
    for (uint32_t i = first; i < last && p.ordered; i += ROSTER_STRETCH) {
        uint32_t n = last - i < ROSTER_STRETCH ? last - i : ROSTER_STRETCH;
        roster_stretch *s = &r->stretch[i / ROSTER_STRETCH];
        *s = (roster_stretch){stretch_same(r, m, i, p.end, n) ? p.end : ROSTER_NONE, 0};
        if (s->from == ROSTER_NONE)
            s->others = stretch_match(r, m, i, n, &p);
        else
            p.end += n;
    }
    return p;
}

/* The first position of part k. */
static uint32_t part_first(const imp_mesh *m, uint32_t k)
{
    uint64_t stretches = ((uint64_t)m->primitives + ROSTER_STRETCH - 1) / ROSTER_STRETCH;
    uint64_t first = stretches * k / PARTS * ROSTER_STRETCH;
    return first < m->primitives ? (uint32_t)first : m->primitives;
}

int roster_match(const context *c, roster *r, const imp_mesh *m)
{
    part parts[PARTS];
    uint32_t next = 0;
    int ordered = 1;
#pragma omp parallel for schedule(dynamic) num_threads(c->threads) if (m->primitives > ALONE)
    for (uint32_t k = 0; k < PARTS; k++)
        parts[k] = part_match(r, m, part_first(m, k), part_first(m, k + 1));
    for (uint32_t k = 0; k < PARTS; k++) {
        ordered &= parts[k].ordered && (parts[k].low == ROSTER_NONE || parts[k].low >= next);
        if (parts[k].low != ROSTER_NONE)
            next = parts[k].end;
    }
    return ordered;
}

static void part_positions(roster *r, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i += ROSTER_STRETCH) {
        uint32_t end = last - i < ROSTER_STRETCH ? last : i + ROSTER_STRETCH;
        if (r->stretch[i / ROSTER_STRETCH].from == i)
            continue;
        for (uint32_t k = i; k < end; k++)
            r->position[r->place[k]] = k;
    }
}

void roster_positions(const context *c, roster *r, const imp_mesh *m)
{
#pragma omp parallel for schedule(dynamic) num_threads(c->threads) if (m->primitives > ALONE)
    for (uint32_t k = 0; k < PARTS; k++)
        part_positions(r, part_first(m, k), part_first(m, k + 1));
}
