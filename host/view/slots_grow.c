/* More stable ids and vertices. Primitives keep their stable ids, which a model has given to its
 * caller. */
#include "slots.h"

#include "error.h"

#include <string.h>

#define PERSISTENT_IDS_MOST INT32_MAX
#define VERTS_MOST (UINT32_MAX - 1)

/* Puts every primitive into the same stable id of a larger set. */
static void move_in(persistent_ids *to, const persistent_ids *from)
{
    uint32_t corners = (uint32_t)from->of.mesh.corners;
    size_t points = from->vertices * frame_point_bytes(&from->of.frame);
    for (uint32_t i = 0; i < from->free_ids.untaken; i++) {
        if (from->input[i].n == NO_NUMBER)
            continue;
        persistent_ids_enter(to, (stable_id){i}, from->of.id[i],
                             from->of.corner + (size_t)corners * i, from->of.corner_count[i],
                             from->of.object[i]);
        to->input[i] = from->input[i];
    }
    if (from->free_ids.count)
        memcpy(to->free_ids.stable, from->free_ids.stable,
               from->free_ids.count * sizeof *to->free_ids.stable);
    if (points)
        memcpy(to->of.point, from->of.point, points);
    to->free_ids.count = from->free_ids.count;
    to->free_ids.untaken = from->free_ids.untaken;
    to->count = from->count;
    to->vertices = from->vertices;
    to->seen = from->seen;
    to->of.frame.number = from->of.frame.number;
    /* Entering has marked all stable ids, although nothing of this frame is new. */
    persistent_ids_commit(to);
}

int persistent_ids_grow(mem *m, persistent_ids *r, uint64_t count, uint64_t verts, int *grown)
{
    int err = IMP_OK;
    persistent_ids larger = {0};
    uint64_t have = r->of.mesh.primitives, have_verts = r->of.mesh.vertices;
    uint64_t need = have - persistent_ids_vacant(r) + count, need_verts = r->vertices + verts + 1;
    *grown = need > have || need_verts > have_verts;
    if (!*grown)
        return IMP_OK;
    /* a free stable id costs more in each frame than a free vertex */
    uint64_t n =
        need > have ? persistent_ids_with_spare(need, need / 2, PERSISTENT_IDS_MOST) : have;
    uint64_t v = need_verts > have_verts
                     ? persistent_ids_with_spare(need_verts, need_verts, VERTS_MOST)
                     : have_verts;
    if (n < need || v < need_verts)
        FAIL(IMP_ERR_ARGUMENT, "a model has at most %d primitives and %u vertices",
             PERSISTENT_IDS_MOST, VERTS_MOST - 1);
    TRY(persistent_ids_open(m, &larger, (uint32_t)n, (uint32_t)v, r->of.mesh.corners,
                            r->of.frame.type));
    move_in(&larger, r);
    /* All vertices behind the caller's. */
    persistent_ids_clear_vertices(&larger, larger.of.mesh.vertices);
    persistent_ids swap = *r;
    *r = larger;
    /* The frame pointed into `larger`. */
    r->of.frame.mesh = &r->of.mesh;
    larger = swap;
out:
    persistent_ids_free(&larger);
    return err;
}
