/* Triangles and tetrahedra as closed sets, exactly: do they meet, and where? A tetrahedron is the
 * convex hull of its vertices, so one that is inverted is the same solid, and one of no volume the
 * polygon, segment or point that it is. Collision points after [H] of kernels/README.md.
 *
 * All coordinates finite. Nothing here fails or allocates. */
#ifndef IMP_EXACT_SOLID_H
#define IMP_EXACT_SOLID_H

#include "exact_prim.h"
#include "frame.h"

/* Primitive i of a frame. */
static inline exact_prim exact_prim_of(const imp_frame *f, size_t i)
{
    exact_prim p = {.corners = mesh_corners_of(f->mesh, i) == IMP_TETRAHEDRA ? 4 : 3};
    for (int k = 0; k < p.corners; k++)
        frame_vertex(f, mesh_vertex(f->mesh, i, (uint32_t)k), p.v[k].x);
    return p;
}

/* Have the closed sets a point in common? */
int exact_prims_intersect(const exact_prim *p, const exact_prim *q);

/* Do they meet within: have the interiors of two tetrahedra a point in common, or a triangle and
 * the interior of a tetrahedron? One of no volume has no interior. At least one is a tetrahedron.
 */
int exact_prims_interiors_intersect(const exact_prim *p, const exact_prim *q);

/* Two primitives have at most 8 vertices, and 48 pairs of an edge of one and a face of the other,
 * each of which adds two points at most: the ends of their intersection. */
#define EXACT_COLLISIONS_MOST 104

/* What a contact of solids has beside its kind: as in imp_contacts. */
typedef struct exact_solids {
    double point[6];
    double depth;
    int count; /* of collision points */
    exact_point collision[EXACT_COLLISIONS_MOST];
} exact_solids;

/* Where they meet, which they do. Also of two triangles. */
void exact_prims_contact(const exact_prim *p, const exact_prim *q, exact_solids *out);

#endif
