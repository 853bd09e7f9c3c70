/* Room for more places and vertices. */
#include "roster.h"

#include "error.h"

#include <string.h>

#define PLACES_MOST INT32_MAX
#define VERTS_MOST (UINT32_MAX - 1)

/* Everybody into the same place of a larger roster. */
static void move_in(roster *to, const roster *from)
{
    uint32_t corners = (uint32_t)from->mesh.corners;
    size_t points = from->vertices * frame_point_bytes(&from->frame);
    for (uint32_t i = 0; i < from->fresh; i++) {
        if (from->position[i] == ROSTER_NONE)
            continue;
        roster_enter(to, i, from->name[i], from->corner + (size_t)corners * i, from->own[i],
                     from->object[i]);
        to->position[i] = from->position[i];
    }
    if (from->vacancies)
        memcpy(to->vacant, from->vacant, from->vacancies * sizeof *to->vacant);
    if (points)
        memcpy(to->point, from->point, points);
    to->vacancies = from->vacancies;
    to->fresh = from->fresh;
    to->count = from->count;
    to->vertices = from->vertices;
    to->seen = from->seen;
    to->frame.number = from->frame.number;
    roster_settled(to);
}

int roster_grow(mem *m, roster *r, uint64_t places, uint64_t verts, int *grown)
{
    int err = IMP_OK;
    roster larger = {.turn = r->turn};
    uint64_t have = r->mesh.primitives, have_verts = r->mesh.vertices;
    uint64_t need = have - roster_vacant(r) + places, need_verts = r->vertices + verts + 1;
    *grown = need > have || need_verts > have_verts;
    if (!*grown)
        return IMP_OK;
    /* a free place costs more in each frame than a free vertex */
    uint64_t n = need > have ? roster_room(need, need / 2, PLACES_MOST) : have;
    uint64_t v =
        need_verts > have_verts ? roster_room(need_verts, need_verts, VERTS_MOST) : have_verts;
    if (n < need || v < need_verts)
        FAIL(IMP_ERR_ARGUMENT, "a model has at most %d primitives and %u vertices", PLACES_MOST,
             VERTS_MOST - 1);
    TRY(roster_open(m, &larger, (uint32_t)n, (uint32_t)v, r->mesh.corners, r->frame.type));
    move_in(&larger, r);
    roster_nowhere(&larger, larger.mesh.vertices);
    roster swap = *r;
    *r = larger;
    r->frame.mesh = &r->mesh;
    larger = swap;
out:
    roster_free(&larger);
    return err;
}
