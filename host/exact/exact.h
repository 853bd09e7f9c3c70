/* Exact arithmetic on the host, for pairs that float64 cannot decide.
 *
 * Every verdict is a sequence of signs of determinants of the input coordinates. float64 gives the
 * sign where its error bound allows, else integers of sufficient length: a float64 is an integer
 * times a power of two, so any finite input has an exact answer. */
#ifndef IMP_EXACT_H
#define IMP_EXACT_H

#include "exact_point.h"
#include "frame.h"
#include "impinge.h"

typedef struct exact_contact {
    int kind;     /* enum imp_kind; 0: no contact */
    int crossing; /* as in imp_contacts, and so the rest */
    double point[6];
    uint8_t feature[4];
} exact_contact;

/* A corner of what two triangles in one plane have in common: the exact point, rounded correctly,
 * and the features of both that have it, as in imp_contacts.end_features. */
typedef struct exact_corner {
    double x[3];
    uint8_t feature[2];
} exact_corner;

#define EXACT_CORNERS_MOST 24

/* Finds these corners, each once, in any order; returns their number. */
int exact_triangle_corners(const exact_point p[3], const exact_point q[3],
                           exact_corner out[EXACT_CORNERS_MOST]);

/* Decides whether the closed triangles p and q meet, and where; a zero-area triangle is a segment
 * or a point. If they share vertices by index (`shared` different ones, p[sp[0]] and so on), only
 * points beyond the shared vertex or edge make a contact, and three are a duplicate face. All
 * coordinates must be finite. Never fails or allocates. */
void exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared, const int sp[3],
                   exact_contact *out);

/* Returns whether an edge of one triangle passes through the other one: its ends are strictly on
 * different sides of the other's plane, and it meets the closed other triangle. */
int exact_triangles_cross(const exact_point p[3], const exact_point q[3]);

/* Returns whether the boxes of n points p and m points q are apart. */
int exact_boxes_apart(const exact_point *p, int n, const exact_point *q, int m);

/* Returns whether x is on the triangle a, b, c, which may have no area. */
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

/* The distance of x from the plane a, b, c, rounded correctly. The triangle must have an area. */
double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x);

/* ---- Faces and edges of a triangle or a tetrahedron. Private to host/exact. */

extern const int tet_face[4][3]; /* vertex numbers; face f of a tetrahedron is opposite vertex f */

static inline int faces_count(const exact_prim *p)
{
    return p->corners == 4 ? 4 : 1;
}

/* n: 0, 1, 2 */
static inline const exact_point *face_vertex(const exact_prim *p, int face, int n)
{
    return &p->v[p->corners == 4 ? tet_face[face][n] : n];
}

/* The edges of face f, in the order of its vertices; face_turn: -1 for an edge in the opposite
 * direction. A triangle has the edges of face 3. */
extern const int face_edge[4][3], face_turn[4][3];

/* For each face of a primitive: the side of the vertex opposite, and the sides of another
 * primitive's vertices. */
typedef struct face_sides {
    int solid; /* it has a volume */
    int own[4], side[4][4];
} face_sides;

void face_sides_find(const exact_prim *p, const exact_prim *q, face_sides *out);

/* Returns whether vertex v of the other is inside this one or on its surface. This one must have a
 * volume. */
int face_sides_vertex_inside(const face_sides *s, int v);

extern const int prim_edge[6][2]; /* vertex numbers; the edges of a triangle are first */

static inline int edges_count(const exact_prim *p)
{
    return p->corners == 4 ? 6 : 3;
}

/* ---- Exact tests of triangles and tetrahedra as closed sets: whether they meet, and where. A
 * tetrahedron is the convex hull of its vertices, so an inverted one is the same solid, and one
 * without volume is a polygon, segment or point. Collision points as in [H] of kernels/README.md.
 *
 * All coordinates must be finite. Nothing here fails or allocates. */

/* Primitive i of a frame. */
static inline exact_prim exact_prim_of(const imp_frame *f, size_t i)
{
    exact_prim p = {.corners = mesh_corners_of(f->mesh, i) == IMP_TETRAHEDRA ? 4 : 3};
    for (int k = 0; k < p.corners; k++)
        frame_vertex(f, mesh_vertex(f->mesh, i, (uint32_t)k), p.v[k].x);
    return p;
}

/* Returns whether the closed sets have a common point. */
int exact_prims_intersect(const exact_prim *p, const exact_prim *q);

/* Returns whether the interiors of two tetrahedra, or a triangle and the interior of a tetrahedron,
 * have a common point. A tetrahedron without volume has no interior. At least one must be a
 * tetrahedron. */
int exact_prims_interiors_intersect(const exact_prim *p, const exact_prim *q);

/* Two primitives have at most 8 vertices, and 48 pairs of an edge of one and a face of the other,
 * each of which adds at most two points, the ends of the intersection. */
#define EXACT_COLLISIONS_MOST 104

/* The attributes of a contact of solids besides its kind: see imp_contacts. */
typedef struct exact_solids {
    double point[6];
    double depth;
    int crossing; /* of two triangles 0: exact_tri_tri finds theirs */
    int count;    /* number of collision points */
    exact_point collision[EXACT_COLLISIONS_MOST];
} exact_solids;

/* The contact of two primitives, which must meet. Also accepts two triangles. */
void exact_prims_contact(const exact_prim *p, const exact_prim *q, exact_solids *out);

/* ---- Whether two features in linear motion meet, and the first toi */

/* Decides whether a vertex and a face, or two edges, meet during the step. They are closed sets: a
 * face without area is a segment or a point. All coordinates must be finite. Returns 1 and the
 * first toi, 0 to 1, rounded down to float64; or 0. Always exact; thread-safe. */
int exact_ccd_first(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* The same by integers alone, about ten times slower; for tests. */
int exact_ccd_first_integers(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* ---- The first toi at which two moving features are within a distance */

/* Decides whether the distance of two moving closed features (exact.h) is at most `distance` at any
 * time of the step. `distance` must be finite and not negative; 0: they meet. Returns 1 and the
 * first such toi, rounded down to float64; or 0. Always exact; thread-safe. */
int exact_ccd_first_near(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                         double *toi);

/* The same by integers alone: for tests. */
int exact_near_integers(enum exact_ccd_kind kind, const exact_motion *m, double distance,
                        double *toi);

/* ---- exact_nearest.c: the distance of two primitives, and their nearest features */

/* A primitive with the numbers of its vertices; those with equal numbers are one vertex. */
typedef struct exact_numbered {
    exact_prim of;
    uint32_t vertex[4]; /* [of.corners] */
} exact_numbered;

/* Primitive i without its points. */
static inline void exact_numbers_of(const imp_mesh *m, size_t i, exact_numbered *out)
{
    out->of.corners = mesh_corners_of(m, i) == IMP_TETRAHEDRA ? 4 : 3;
    for (int k = 0; k < out->of.corners; k++)
        out->vertex[k] = mesh_vertex(m, i, (uint32_t)k);
}
static inline exact_numbered exact_numbered_of(const imp_frame *f, size_t i)
{
    exact_numbered p;
    exact_numbers_of(f->mesh, i, &p);
    p.of = exact_prim_of(f, i);
    return p;
}

/* The nearest features of two primitives, as in imp_contacts. */
typedef struct exact_nearest {
    int kind; /* IMP_KIND_VERTEX_FACE to IMP_KIND_VERTEX_VERTEX */
    int64_t feature[2];
    double distance; /* the greatest float64 not above the exact one */
    double point[6];
    double weight[2][4];
    double normal[3];  /* 0 if the distance is 0 */
    exact_depth depth; /* set only with a limit */
} exact_nearest;

/* Returns whether the distance of two closed primitives is at most the limit; 0: they have a common
 * point. Exact; thread-safe; all coordinates must be finite. */
int exact_prims_within(const exact_prim *p, const exact_prim *q, const exact_limit *limit);

/* The depth of a pair with distance 0. */
exact_depth exact_limit_depth(const exact_limit *limit);

/* Finds the nearest features of two primitives that have no common point: of their pairs of
 * features that with the least (distance, kind, feature[0], feature[1]), by exact distances. The
 * faces of a primitive are those with three different vertices, its edges those with two. Pairs of
 * features are a vertex of one and a face of the other, and two edges; if neither has a face and
 * one has no edge, its vertex and an edge of the other, or both vertices. Of several nearest points
 * of two edges that with the least parameter on the first edge, then on the second: 0 at the end
 * with the lower place in the numbering of VTK (rep_features.h). limit: of a distance that does not
 * exceed it, for the depth; or NULL. */
void exact_prims_nearest(const exact_numbered *p, const exact_numbered *q, const exact_limit *limit,
                         exact_nearest *out);

/* Bounds of the distance, in float64: 0 and 0 if they have a common point. way: about the direction
 * from the nearest point of the first to that of the second, of length 1 at most. */
void exact_prims_distance_bounds(const exact_prim *p, const exact_prim *q, double *least,
                                 double *most, double way[3]);

/* The sign of the distance of p[0] and p[1] minus that of q[0] and q[1], exactly. */
int exact_distances_compare(const exact_prim p[2], const exact_prim q[2]);

/* The distance of two primitives, rounded, and their vertices whose plane, line or point has it. */
typedef struct exact_rounded {
    double distance;       /* the greatest float64 not above the exact one */
    int vertices[2];       /* 0: not known; for each primitive */
    uint32_t vertex[2][3]; /* [vertices] ascending */
} exact_rounded;

/* Finds this of two primitives that have no common point, in double-double numbers. Returns 0 if
 * their errors leave a doubt. */
int exact_prims_rounded(const exact_numbered *p, const exact_numbered *q, exact_rounded *out);

/* The sign of the difference of two distances, -1 or 1; 0 if they are equal; 2 if that is in doubt.
 */
int exact_rounded_compare(const exact_rounded *x, const exact_rounded *y);

/* A feature: corner `number`, or edge or face `number` as in imp_contacts. */
typedef struct exact_feature {
    int vertices, number; /* 1, 2, 3 */
} exact_feature;

/* Corners of edges and faces in the numbering of VTK: see rep_features.h. A triangle has its
 * corners in the order of the last face, which then begins elsewhere. */
extern const int8_t exact_edge_corners[6][2], exact_face_corners[4][3];

/* The first corner with the same vertex as corner k: weights stand there. Without branches. */
static inline int exact_first_corner(const exact_numbered *p, int k)
{
    const uint32_t *v = p->vertex;
    int first = v[2] == v[k] ? 2 : k;
    first = v[1] == v[k] ? 1 : first;
    return v[0] == v[k] ? 0 : first;
}

/* Corner k of a feature, of those with the same vertex the first. */
static inline int exact_feature_corner(const exact_numbered *p, exact_feature f, int k)
{
    return exact_first_corner(p, f.vertices == 1     ? f.number
                                 : f.vertices == 2   ? exact_edge_corners[f.number][k % 2]
                                 : p->of.corners < 4 ? k
                                                     : exact_face_corners[f.number][k]);
}

/* A feature's number in imp_contacts. */
static inline int64_t exact_feature_value(const exact_numbered *p, exact_feature f)
{
    if (f.vertices == 1)
        return p->vertex[f.number];
    return f.vertices == 2 ? f.number : -1 - (p->of.corners < 4 ? 0 : f.number);
}

/* A pair of features: a vertex and a face in either order, or features of at most two vertices. */
typedef struct exact_pair {
    int kind;
    measured_feature of[2];
    int64_t value[2]; /* as in imp_contacts */
} exact_pair;

/* Two features by the numbers of the primitives' vertices. */
void exact_pair_of(const exact_numbered *p, exact_feature i, const exact_numbered *q,
                   exact_feature j, exact_pair *out);

/* The nearest points of two features, which may have common points; of the primitives only the
 * vertices of these features are read. */
void exact_pair_nearest(const exact_prim *p, const exact_prim *q, const exact_pair *of,
                        const exact_limit *limit, exact_nearest *out);

/* A distance as a double-double number in a unit, with a relative error (kernels/lane_measure.h).
 */
typedef struct exact_quick {
    double hi, lo, error, unit;
} exact_quick;

/* Sets *depth. Returns 0 if the error leaves a doubt. */
int exact_quick_depth(const exact_quick *q, const exact_limit *limit, exact_depth *depth);

/* Returns whether the distance of two features is at most the limit, exactly. */
int exact_features_within(const exact_prim *p, exact_feature i, const exact_prim *q,
                          exact_feature j, const exact_limit *limit);

/* ---- The two farthest of several points. Private to host/exact. */

/* -1, 0, 1: lexicographic order. */
int exact_point_order(const exact_point *a, const exact_point *b);

/* The exact construction of the rounded point x[at]. */
typedef struct exact_construction {
    cut_point from;
    int at;
} exact_construction;

/* -1, 0, 1: lexicographic order of the exact points. */
int exact_construction_order(const exact_construction *a, const exact_construction *b);

/* The two of n > 0 points that are farthest apart, of ties the lexicographically least pair, by
 * exact distances: their rounded positions, in order. Each point has a construction; several
 * constructions may give the same point. At most EXACT_COLLISIONS_MOST of either. end: the numbers
 * of these points, or NULL. */
void exact_farthest_of(const exact_point *x, int n, const exact_construction *of, int constructions,
                       double out[6], int end[2]);

#endif
