/* More slots and vertices. Primitives keep their slots, which a model has given to its caller. */
#include "slots.h"

#include "error.h"

#include <string.h>

#define SLOTS_MOST INT32_MAX
#define VERTS_MOST (UINT32_MAX - 1)

/* Puts every primitive into the same slot of a larger set. */
static void move_in(slots *to, const slots *from)
{
    uint32_t corners = (uint32_t)from->of.mesh.corners;
    size_t points = from->vertices * frame_point_bytes(&from->of.frame);
    for (uint32_t i = 0; i < from->vacant.fresh; i++) {
        if (from->cell[i].n == NO_NUMBER)
            continue;
        slots_enter(to, (slot_no){i}, from->of.id[i], from->of.corner + (size_t)corners * i,
                    from->of.corner_count[i], from->of.object[i]);
        to->cell[i] = from->cell[i];
    }
    if (from->vacant.count)
        memcpy(to->vacant.slot, from->vacant.slot, from->vacant.count * sizeof *to->vacant.slot);
    if (points)
        memcpy(to->of.point, from->of.point, points);
    to->vacant.count = from->vacant.count;
    to->vacant.fresh = from->vacant.fresh;
    to->count = from->count;
    to->vertices = from->vertices;
    to->seen = from->seen;
    to->of.frame.number = from->of.frame.number;
    /* Entering has marked all slots, although nothing of this frame is new. */
    slots_settled(to);
}

int slots_grow(mem *m, slots *r, uint64_t count, uint64_t verts, int *grown)
{
    int err = IMP_OK;
    slots larger = {0};
    uint64_t have = r->of.mesh.primitives, have_verts = r->of.mesh.vertices;
    uint64_t need = have - slots_vacant(r) + count, need_verts = r->vertices + verts + 1;
    *grown = need > have || need_verts > have_verts;
    if (!*grown)
        return IMP_OK;
    /* a free slot costs more in each frame than a free vertex */
    uint64_t n = need > have ? slots_with_spare(need, need / 2, SLOTS_MOST) : have;
    uint64_t v =
        need_verts > have_verts ? slots_with_spare(need_verts, need_verts, VERTS_MOST) : have_verts;
    if (n < need || v < need_verts)
        FAIL(IMP_ERR_ARGUMENT, "a model has at most %d primitives and %u vertices", SLOTS_MOST,
             VERTS_MOST - 1);
    TRY(slots_open(m, &larger, (uint32_t)n, (uint32_t)v, r->of.mesh.corners, r->of.frame.type));
    move_in(&larger, r);
    /* All vertices behind the caller's. */
    slots_nowhere(&larger, larger.of.mesh.vertices);
    slots swap = *r;
    *r = larger;
    /* The frame pointed into `larger`. */
    r->of.frame.mesh = &r->of.mesh;
    larger = swap;
out:
    slots_free(&larger);
    return err;
}
