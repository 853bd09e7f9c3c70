/* Where two bodies of any triangles touch, or are about to: as manifold.h for convex ones, but with
 * a normal for each point, since such bodies touch in several places at once.
 *
 * Where they do not overlap, points are pairs of features that are closest to each other near by: a
 * vertex over a face, two edges that cross, and, if no face is closer, a vertex and an edge or two
 * vertices. The line between them is the normal, and the gap their distance.
 *
 * Where triangles intersect there is no such line. The curves along which the surfaces intersect
 * are found, and each one gives one normal: the area vector of the surface of one body that is in
 * the other, which by Stokes' theorem follows from the curve alone. Gaps are signed distances along
 * it, and only of what the curve encloses as seen along the normal. */
#ifndef IMP_PATCH_H
#define IMP_PATCH_H

#include "error.h"
#include "manifold.h"
#include "shape.h"

#include <stdatomic.h>

typedef struct patch_body {
    const geom *geom;
    const shape *shape; /* of the same triangles */
    const pose_map *pose;
} patch_body;

typedef struct patch_query {
    v3 normal;    /* from a to b, the last one known: where surfaces say nothing */
    double reach; /* points with a greater gap do not matter */
    double slack; /* what is beside a curve by so much is still in it, and how far points must be
                     to be near: patch_reduce */
    double turn;  /* radians by which the bodies may turn while the points are used */
    int overlap;  /* they may have points in common */
} patch_query;

/* Scratch memory. All zero at first, except mem and cancel. */
typedef struct patch {
    mem *mem;
    struct patch_pair *pair; /* triangles that are near each other */
    size_t pairs, pairs_capacity;
    struct patch_found *found;
    size_t found_count, found_capacity;
    struct patch_overlap *overlap; /* curves of the last two bodies that overlapped */
    const atomic_int *cancel;      /* not 0: ends with CANCELLED. NULL: never */
} patch;

/* The points of two bodies, by feature. Errors: MEMORY, CANCELLED. */
int patch_find(patch *s, const patch_body body[2], const patch_query *query, manifold *out);
void patch_free(patch *s);

/* Looked at for each pair of triangles: of large meshes that overlap there are millions. Errors:
 * CANCELLED. */
static inline int patch_check_cancel(const patch *s)
{
    return s->cancel && atomic_load(s->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Few of more than PATCH_MANY points: of those with a gap of at most `near`, and of the others.
 * Points whose normals differ by less than 26 degrees from that of the one with the least gap are a
 * group, and so on with those that are left. Of a group these remain: the one with the least gap,
 * and those that are extreme in one of eight directions across its normal. For the hull of the
 * points is what holds a body, and not those in it. Errors: MEMORY. */
#define PATCH_MANY 32
int patch_reduce(manifold *m, double near);

#endif
