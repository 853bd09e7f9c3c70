/* Who is at which place, frame by frame: what a mesh has beside the one before. */
#include "roster.h"

#include "error.h"

#include <math.h>
#include <string.h>

#define SPARE 8 /* one place in so many is left free, */
#define SPARE_LEAST 256u

static uint32_t with_spare(uint64_t n, uint64_t most)
{
    uint64_t room = n + n / SPARE + SPARE_LEAST;
    return (uint32_t)(room < most ? room : most);
}

/* ---- points */

/* Is there a vertex of a primitive that is not finite? */
static int points_bad(const roster *r)
{
    uint32_t bad = 0;
    for (uint32_t v = 0; v < r->vertices; v++) {
        double x[DIMENSIONS];
        frame_vertex(&r->frame, v, x);
        bad |= r->uses[v] && !(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
    }
    return bad != 0;
}

static void take_points(roster *r, const imp_frame *from)
{
    uint32_t n = from->mesh->vertices, before = r->vertices;
    if (n)
        memcpy(r->point, from->point, n * frame_point_bytes(from));
    r->vertices = n;
    if (n != before)
        roster_nowhere(r);
    r->frame.number = from->number;
}

/* ---- all places anew */

static int deal(const context *c, roster *r, const imp_frame *from)
{
    int err = IMP_OK;
    const imp_mesh *m = from->mesh;
    uint32_t corners = mesh_corners(m);
    TRY(roster_open(c->mem, r, with_spare(m->primitives, INT32_MAX),
                    with_spare((uint64_t)m->vertices + 1, UINT32_MAX - 1), (int)corners,
                    from->type));
    r->vertices = ROSTER_NONE;
    r->mesh.own = m->own ? r->own : NULL; /* kernels are given corners in the same order */
    for (uint32_t i = 0; i < m->primitives; i++) {
        uint32_t place = roster_enter(r, m->name[i], m->corner + (size_t)corners * i,
                                      (uint8_t)mesh_own(m, i), m->object ? m->object[i] : 0);
        r->position[place] = i;
        r->place[i] = place;
    }
    r->count = m->primitives;
    r->seen = m;
    roster_settled(r);
out:
    return err;
}

int roster_again(const context *c, roster *r, const imp_frame *from)
{
    int err = IMP_OK;
    r->used = 0;
    TRY(deal(c, r, from));
    take_points(r, from);
    r->used = !points_bad(r);
    r->dealt = 1;
out:
    return err;
}

/* ---- one mesh after another */

/* Where every primitive of the mesh was, in r->last; ROSTER_NONE: it is new. The order in which
 * those stand that were there must be the one of before, else contacts of pairs that did not move
 * would be others to the last bit: returns 0. Where nothing changed no name is looked up. */
static int match(roster *r, const imp_mesh *m)
{
    uint32_t next = 0; /* position of before */
    for (uint32_t i = 0; i < m->primitives; i++) {
        uint32_t place = next < r->count ? r->place[next] : ROSTER_NONE;
        if (place == ROSTER_NONE || r->name[place] != m->name[i])
            place = roster_find(r, m->name[i]);
        r->last[i] = place;
        if (place == ROSTER_NONE)
            continue;
        if (r->position[place] < next)
            return 0;
        next = r->position[place] + 1;
    }
    return 1;
}

static int is_same(const roster *r, uint32_t place, const uint32_t *corner, uint32_t own,
                   int32_t object)
{
    const uint32_t *is = r->corner + (size_t)r->mesh.corners * place;
    uint32_t other = (r->own[place] ^ own) | (uint32_t)(r->object[place] ^ object);
    for (uint32_t k = 0; k < own && !other; k++)
        other |= is[k] ^ corner[k];
    return !other;
}

/* After match: who is not in the mesh leaves, who is new enters, who is another is altered. */
static void change_places(roster *r, const imp_mesh *m)
{
    uint32_t *swap = r->place, corners = mesh_corners(m), stay = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t place = r->place[i];
        while (stay < m->primitives && r->last[stay] == ROSTER_NONE)
            stay++;
        if (stay < m->primitives && r->last[stay] == place)
            stay++;
        else
            roster_leave(r, place);
    }
    for (uint32_t i = 0; i < m->primitives; i++) {
        const uint32_t *corner = m->corner + (size_t)corners * i;
        uint8_t own = (uint8_t)mesh_own(m, i);
        int32_t object = m->object ? m->object[i] : 0;
        if (r->last[i] == ROSTER_NONE)
            r->last[i] = roster_enter(r, m->name[i], corner, own, object);
        else if (!is_same(r, r->last[i], corner, own, object))
            roster_alter(r, r->last[i], corner, own, object);
        r->position[r->last[i]] = i;
    }
    r->place = r->last;
    r->last = swap;
    r->count = m->primitives;
    r->seen = m;
    r->turn++;
}

/* Is there room for all vertices, and for as many primitives even before others leave? */
static int has_room(const roster *r, const imp_frame *f)
{
    return r->seen && f->type == r->frame.type && f->mesh->vertices < r->mesh.vertices &&
           mesh_corners(f->mesh) == (uint32_t)r->mesh.corners && !f->mesh->own == !r->mesh.own &&
           f->mesh->primitives <= r->mesh.primitives;
}

int roster_frame(const context *c, roster *r, const imp_frame *from)
{
    int other = from->mesh != r->seen;
    if (!r->used || !has_room(r, from) || (other && !match(r, from->mesh)))
        return roster_again(c, r, from);
    r->dealt = 0;
    if (other)
        change_places(r, from->mesh);
    take_points(r, from);
    r->used = !points_bad(r);
    return IMP_OK;
}
