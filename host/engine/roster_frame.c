/* Who is at which place, frame by frame: what a mesh has beside the one before. */
#include "roster.h"

#include "error.h"

#include <math.h>
#include <string.h>

#define SPARE 8     /* one place in so many is left free */
#define PIECE 2048u /* vertices */
#define ALONE 16u   /* pieces that one thread has copied before others are awake */

static uint32_t with_spare(uint64_t n, uint64_t most)
{
    return (uint32_t)roster_room(n, n / SPARE, most);
}

/* ---- points */

/* Are the points [first, last) finite? So asked that compilers make vectors of it: x - x is 0 or
 * none. */
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

/* Are those of vertices that primitives have? */
static int finite_used(const roster *r, size_t first, size_t last)
{
    for (size_t v = first; v < last; v++)
        if (r->uses[v] && !finite_points(&r->frame, v, v + 1))
            return 0;
    return 1;
}

/* Takes over the points, piece by piece; returns 0 if a vertex of a primitive is not finite. */
static int take_points(const context *c, roster *r, const imp_frame *from)
{
    uint32_t n = from->mesh->vertices, before = r->vertices;
    size_t bytes = frame_point_bytes(from);
    uint32_t pieces = n / PIECE + 1, bad = 0;
    r->vertices = n;
    r->frame.number = from->number;
    if (n < before) /* or nobody was here */
        roster_nowhere(r, before < r->mesh.vertices ? before : r->mesh.vertices);
#pragma omp parallel for reduction(| : bad) num_threads(c->threads) if (pieces > ALONE)
    for (uint32_t k = 0; k < pieces; k++) {
        size_t first = (size_t)PIECE * k, last = k + 1 < pieces ? first + PIECE : n;
        if (last > first)
            memcpy((char *)r->point + bytes * first, (const char *)from->point + bytes * first,
                   bytes * (last - first));
        bad |= !finite_points(&r->frame, first, last) && !finite_used(r, first, last);
    }
    return !bad;
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
        uint32_t place = roster_vacate(r);
        roster_enter(r, place, m->name[i], m->corner + (size_t)corners * i, (uint8_t)mesh_own(m, i),
                     m->object ? m->object[i] : 0);
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
    r->used = take_points(c, r, from);
    r->dealt = 1;
out:
    return err;
}

/* ---- one mesh after another */

/* Is there room for all vertices, and for as many primitives even before others leave? */
static int has_room(const roster *r, const imp_frame *f)
{
    return r->seen && f->type == r->frame.type && f->mesh->vertices < r->mesh.vertices &&
           mesh_corners(f->mesh) == (uint32_t)r->mesh.corners && !f->mesh->own == !r->mesh.own &&
           f->mesh->primitives <= r->mesh.primitives;
}

int roster_frame(const context *c, roster *r, const imp_frame *from)
{
    int err = IMP_OK, other = from->mesh != r->seen;
    if (!r->used || !has_room(r, from) || (other && !roster_match(c, r, from->mesh)))
        return roster_again(c, r, from);
    r->dealt = 0;
    if (other)
        TRY(roster_change(c, r, from->mesh));
    r->used = take_points(c, r, from);
out:
    return err;
}
