/* Which primitive is in which stable id, frame by frame: each mesh is compared with the one before.
 */
#include "slots.h"

#include "error.h"
#include "float_env.h"

#include <math.h>
#include <string.h>

#define SPARE 8     /* one stable id in this many stays free */
#define PIECE 2048u /* vertices */
#define ALONE 16u   /* pieces: one thread copies fewer in the time that it takes to wake others */

static uint32_t persistent_ids_with_eighth(uint64_t n, uint64_t most)
{
    return (uint32_t)persistent_ids_with_spare(n, n / SPARE, most);
}

/* ---- points */

/* Are the points [first, last) finite? x - x is 0 then: a form that compilers turn into vectors. */
static int finite_points(const imp_frame *f, size_t first, size_t last)
{
    const double *wide = f->point;
    const float *narrow = f->point;
    int bad = 0;
    if (f->type == IMP_FLOAT32)
        for (size_t i = DIMENSIONS * first; i < DIMENSIONS * last; i++)
            bad |= !(narrow[i] - narrow[i] == 0);
    else
        for (size_t i = DIMENSIONS * first; i < DIMENSIONS * last; i++)
            bad |= !(wide[i] - wide[i] == 0);
    return !bad;
}

/* The same for vertices that primitives have. */
static int finite_used(const persistent_ids *r, size_t first, size_t last)
{
    for (size_t v = first; v < last; v++)
        if (r->uses[v] && !finite_points(&r->of.frame, v, v + 1))
            return 0;
    return 1;
}

/* Takes over the points, piece by piece; returns 0 if a vertex of a primitive is not finite. */
static int persistent_ids_copy_points(const context *c, persistent_ids *r, const imp_frame *from)
{
    uint32_t n = from->mesh->vertices, before = r->vertices;
    size_t bytes = frame_point_bytes(from);
    uint32_t pieces = n / PIECE + 1, bad = 0;
    r->vertices = n;
    r->of.frame.number = from->number;
    if (n < before) /* or it is the first frame */
        persistent_ids_clear_vertices(r,
                                      before < r->of.mesh.vertices ? before : r->of.mesh.vertices);
#pragma omp parallel num_threads(c->threads) if (pieces > ALONE)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(| : bad) nowait
    for (uint32_t k = 0; k < pieces; k++) {
        size_t first = (size_t)PIECE * k, last = k + 1 < pieces ? first + PIECE : n;
        if (last > first)
            memcpy((char *)r->of.point + bytes * first, (const char *)from->point + bytes * first,
                   bytes * (last - first));
        bad |= !finite_points(&r->of.frame, first, last) && !finite_used(r, first, last);
    }
    return !bad;
}

/* ---- all stable ids again */

static int persistent_ids_assign(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK;
    const imp_mesh *m = from->mesh;
    uint32_t corners = mesh_corners(m);
    TRY(persistent_ids_open(c->mem, r, persistent_ids_with_eighth(m->primitives, INT32_MAX),
                            persistent_ids_with_eighth((uint64_t)m->vertices + 1, UINT32_MAX - 1),
                            (int)corners, from->type));
    r->vertices = NO_NUMBER;
    r->of.mesh.corner_count =
        m->corner_count ? r->of.corner_count : NULL; /* corners in the same order for kernels */
    for (uint32_t i = 0; i < m->primitives; i++) {
        const stable_id stable = persistent_ids_take(r);
        persistent_ids_enter(r, stable, m->id[i], m->corner + (size_t)corners * i,
                             (uint8_t)mesh_corners_of(m, i), m->object ? m->object[i] : 0);
        r->input[stable.n] = (input_no){i};
        r->stable[i] = stable;
    }
    r->count = m->primitives;
    r->seen = m;
    persistent_ids_commit(r);
out:
    return err;
}

int persistent_ids_reassign(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK;
    r->used = 0;
    TRY(persistent_ids_assign(c, r, from));
    r->used = persistent_ids_copy_points(c, r, from);
    r->reassigned = 1;
out:
    return err;
}

/* ---- one mesh after another */

/* Do all vertices fit, and all primitives even before others leave? */
static int has_memory(const persistent_ids *r, const imp_frame *f)
{
    return r->seen && f->type == r->of.frame.type && f->mesh->vertices < r->of.mesh.vertices &&
           mesh_corners(f->mesh) == (uint32_t)r->of.mesh.corners &&
           !f->mesh->corner_count == !r->of.mesh.corner_count &&
           f->mesh->primitives <= r->of.mesh.primitives;
}

int persistent_ids_frame(const context *c, persistent_ids *r, const imp_frame *from)
{
    int err = IMP_OK, other = from->mesh != r->seen;
    if (!r->used || !has_memory(r, from) || (other && !persistent_ids_match(c, r, from->mesh)))
        return persistent_ids_reassign(c, r, from);
    r->reassigned = 0;
    if (other)
        TRY(persistent_ids_change(c, r, from->mesh));
    r->used = persistent_ids_copy_points(c, r, from);
out:
    return err;
}
