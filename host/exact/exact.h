/* Exact arithmetic on the host, for pairs that float64 cannot decide.
 *
 * Every verdict is a sequence of signs of determinants of the input coordinates. A sign is taken
 * from float64 where its error bound allows, else from integers as long as it takes: a float64 is
 * an integer times a power of two, so any finite input has an exact answer. */
#ifndef IMP_EXACT_H
#define IMP_EXACT_H

#include "exact_cut.h"
#include "exact_point.h"
#include "frame.h"
#include "impinge.h"

typedef struct exact_contact {
    int kind;        /* enum imp_kind; 0 if the triangles do not meet */
    double point[6]; /* as in imp_contacts */
} exact_contact;

/* Do the closed triangles p and q meet (a zero-area triangle is the segment or point that it is),
 * and where? If they share vertices by index - `shared` different ones, p[sp[0]] and so on - only
 * points beyond the shared vertex or edge make a contact, and three are a duplicate face.
 * All coordinates finite. Never fails, never allocates. */
void exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared, const int sp[3],
                   exact_contact *out);

/* Are the boxes of n points p and m points q apart? */
int exact_boxes_apart(const exact_point *p, int n, const exact_point *q, int m);

/* Is x on the triangle a, b, c, which may have no area? */
int exact_in_triangle(const exact_point *x, const exact_point *a, const exact_point *b,
                      const exact_point *c);

/* Sign of the height of d over the plane a, b, c (counter-clockwise seen from above). */
int exact_orient3d(const exact_point *a, const exact_point *b, const exact_point *c,
                   const exact_point *d);

/* Sign of ((a1 - a0) x (b1 - b0)) . (c1 - c0). */
int exact_det(const exact_point *const a[2], const exact_point *const b[2],
              const exact_point *const c[2]);

/* Sign of the area of a, b, c seen along axis 0, 1 or 2 (the plane yz, zx or xy). */
int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis);

/* |h(p)| / (|h(p)| + |h(q)|) for the heights h over the plane a, b, c: where on p-q the plane is
 * crossed, to float64 precision although the heights may be tiny. p and q are on opposite sides. */
double exact_crossing(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *p, const exact_point *q);

/* The same for segments p-q and a-b that cross in a plane seen along `axis`. */
double exact_crossing2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis);

/* The distance of x from the plane a, b, c, which has an area; rounded correctly. */
double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x);

/* ---- Faces and edges of a triangle or a tetrahedron. Within host/exact. */

extern const int tet_face[4][3]; /* numbers of vertices; face f of a tetrahedron lacks vertex f */

static inline int faces_count(const exact_prim *p)
{
    return p->corners == 4 ? 4 : 1;
}

/* n: 0, 1, 2 */
static inline const exact_point *face_vertex(const exact_prim *p, int face, int n)
{
    return &p->v[p->corners == 4 ? tet_face[face][n] : n];
}

/* Face f has these edges, in the order of its vertices; face_turn: -1 where one goes the other way.
 * A triangle's are those of face 3. */
extern const int face_edge[4][3], face_turn[4][3];

/* Of a primitive's faces: the side of the vertex that is not of it, and those of another
 * primitive's vertices. */
typedef struct face_sides {
    int solid; /* it has a volume */
    int own[4], side[4][4];
} face_sides;

void face_sides_find(const exact_prim *p, const exact_prim *q, face_sides *out);

/* Is vertex v of the other inside this one, or on its surface? Only if it has a volume. */
int face_sides_vertex_inside(const face_sides *s, int v);

extern const int prim_edge[6][2]; /* numbers of vertices; those of a triangle come first */

static inline int edges_count(const exact_prim *p)
{
    return p->corners == 4 ? 6 : 3;
}

/* ---- Triangles and tetrahedra as closed sets, exactly: do they meet, and where? A tetrahedron is
 * the convex hull of its vertices, so one that is inverted is the same solid, and one of no volume
 * the polygon, segment or point that it is. Collision points after [H] of kernels/README.md.
 *
 * All coordinates finite. Nothing here fails or allocates. */

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

/* ---- Do two features meet while their vertices move evenly, and when first? */

/* Do a vertex and a face, or two edges, meet while they move? They are closed sets: a face without
 * area is the segment or point that it is. All coordinates finite. Returns 1, and as the toi the
 * first instant that they meet, 0 to 1, rounded down to float64; or 0. Always exact; for any number
 * of threads. */
int exact_ccd_first(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* The same by integers alone, some ten times slower: for tests. */
int exact_ccd_first_integers(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* ---- When do two features that move first come near each other? */

/* Is the distance of two closed features that move (exact.h) at most `distance` at any
 * instant? Not negative, finite; 0: they meet. Returns 1, and as the toi the first such instant,
 * rounded down to float64; or 0. Always exact; for any number of threads. */
int exact_ccd_first_near(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                         double *toi);

/* The same by integers alone: for tests. */
int exact_near_integers(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                        double *toi);

/* ---- Which two of some points are farthest apart. Within host/exact. */

/* -1, 0, 1: lexicographic order. */
int exact_point_order(const exact_point *a, const exact_point *b);

/* The two of n > 0 points that are farthest apart, of ties the lexicographically least pair; each
 * pair in order. Distances are compared as float64. */
void exact_farthest(const exact_point *x, int n, double out[6]);

/* What rounds to x[at]. */
typedef struct exact_construction {
    cut_point from;
    int at;
} exact_construction;

/* The same, exactly: the two that the two farthest points of `of` round to. Each of the n has a
 * construction; more than one may be the same point. At most EXACT_COLLISIONS_MOST of either. */
void exact_farthest_of(const exact_point *x, int n, const exact_construction *of, int constructions,
                       double out[6]);

#endif
