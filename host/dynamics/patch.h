/* The contact points of two bodies of any triangles that touch or are about to: like manifold.h for
 * convex ones, but with a normal for each point, since such bodies touch in several places at once.
 *
 * Without overlap, points are pairs of features that are locally closest to each other: a vertex
 * over a face, two crossing edges, and, if no face is closer, a vertex and an edge or two vertices.
 * The line between them gives the normal, and their distance the gap.
 *
 * If triangles intersect, there is no such line. Then the curves along which the surfaces intersect
 * are found, and each one gives one normal: the area vector of the part of one body's surface
 * inside the other, which by Stokes' theorem depends only on the curve. Gaps are signed distances
 * along it, measured only for features that the curve encloses as seen along the normal. */
#ifndef IMP_PATCH_H
#define IMP_PATCH_H

#include "error.h"
#include "geom.h"
#include "manifold.h"
#include "scene_math.h"
#include "shape.h"

#include <math.h>
#include <stdatomic.h>

typedef struct patch_body {
    const geom *geom;
    const shape *shape; /* made from the same triangles */
    const pose_map *pose;
} patch_body;

typedef struct patch_query {
    v3 normal;    /* from a to b, the last one known; used if the surfaces give none */
    double reach; /* points with a greater gap do not matter */
    double slack; /* points beside a curve by at most this are in it; also the limit of a near point
                   * in patch_reduce */
    double turn;  /* greatest rotation of the bodies, in radians, while the points are used */
    int overlap;  /* they may overlap */
} patch_query;

/* Scratch memory. All zero at first, except mem and cancel. */
typedef struct patch {
    mem *mem;
    struct patch_pair *pair; /* pairs of nearby triangles */
    size_t pairs, pairs_capacity;
    struct patch_found *found;
    size_t found_count, found_capacity;
    struct patch_overlap *overlap; /* curves of the last two overlapping bodies */
    const atomic_int *cancel;      /* nonzero ends with CANCELLED; NULL: never */
} patch;

/* Finds the points of two bodies, by feature. Errors: MEMORY, CANCELLED. */
int patch_find(patch *s, const patch_body body[2], const patch_query *query, manifold *out);
void patch_free(patch *s);

/* Called for each pair of triangles: large overlapping meshes have millions. Errors: CANCELLED. */
static inline int patch_check_cancel(const patch *s)
{
    return s->cancel && atomic_load(s->cancel) ? imp_fail(IMP_ERR_CANCELLED, "cancelled") : IMP_OK;
}

/* Reduces more than PATCH_MANY points to a few, separately for those with a gap of at most `near`
 * and for the others. Points whose normals differ by less than 26 degrees from that of the one with
 * the least gap form a group, and so on for the rest. Of each group, these remain: the one with the
 * least gap, and those that are extreme in one of eight directions orthogonal to its normal. For a
 * body is supported by the hull of the points, not by those inside it. Errors: MEMORY. */
#define PATCH_MANY 32
int patch_reduce(manifold *m, double near);

/* ---- Shared by the parts of a patch. Private to patch*.c.
 *
 * Coordinates are the frame's, but relative to the position of the first body, so that bodies far
 * from the origin of the frame lose no accuracy. */

typedef struct patch_pair {
    uint32_t cell[2];
} patch_pair;

/* The features of a point, in the order in which points are returned. */
enum patch_kind {
    PATCH_VERTEX_FACE,  /* vertex of a, triangle of b */
    PATCH_FACE_VERTEX,  /* vertex of b, triangle of a */
    PATCH_EDGES,        /* edge of a, edge of b */
    PATCH_VERTEX_EDGE,  /* vertex of a, edge of b */
    PATCH_EDGE_VERTEX,  /* vertex of b, edge of a */
    PATCH_VERTICES,     /* vertex of a, vertex of b */
    PATCH_CURVE_VERTEX, /* this and the following belong to a curve: vertex of a */
    PATCH_CURVE_OTHER,  /* vertex of b */
    PATCH_CURVE_EDGES   /* edge of a, edge of b */
};

typedef struct patch_found {
    enum patch_kind kind;
    uint32_t x, y; /* features */
    uint32_t curve;
    manifold_point point;
} patch_found;

typedef struct patch_context {
    patch *s;
    const patch_body *body;
    const patch_query *query;
    v3 offset[2]; /* positions of the bodies */
    double tiny;  /* a distance that may be due to rounding */
} patch_context;

/* The position of a vertex. */
static inline v3 patch_vertex_position(const patch_context *w, int side, uint32_t vertex)
{
    const patch_body *b = &w->body[side];
    return v3_add(pose_turn(b->pose, geom_vertex(b->geom, vertex)), w->offset[side]);
}

static inline v3 patch_corner(const patch_context *w, int side, uint32_t cell, int k)
{
    return patch_vertex_position(w, side, w->body[side].geom->corner[(size_t)3 * cell + (size_t)k]);
}

static inline void patch_corners(const patch_context *w, int side, uint32_t cell, v3 out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = patch_corner(w, side, cell, k);
}

static inline v3 patch_normal(const patch_context *w, int side, uint32_t cell)
{
    return pose_turn(w->body[side].pose, w->body[side].geom->plane[cell].n);
}

/* Returns whether x, in the plane of a triangle or above it along its normal n, is between its
 * edges. */
static inline int patch_is_over(const patch_context *w, int side, const v3 t[3], v3 n, v3 x)
{
    const double turn = w->body[side].geom->clockwise ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (turn * v3_dot(v3_cross(n, v3_sub(t[(k + 1) % 3], t[k])), v3_sub(x, t[k])) < 0)
            return 0;
    return 1;
}

/* A unit vector orthogonal to another one. */
static inline v3 patch_across(v3 n)
{
    const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    const v3 least = x <= y && x <= z ? v3_make(1, 0, 0)
                     : y <= z         ? v3_make(0, 1, 0)
                                      : v3_make(0, 0, 1);
    return scene_unit(v3_cross(n, least));
}

/* ---- patch.c */

/* Adds a point. Errors: MEMORY. */
int patch_add(const patch_context *w, const patch_found *found);

/* The vertex of a corner; or GEOM_NONE, if all of its triangles are coplanar, or if another of them
 * processes it: if the vertex is near a triangle of the other body, all of its triangles are, and
 * each is visited with that triangle. */
uint32_t patch_first_vertex(const geom *g, uint32_t cell, int k);

/* The same for an edge. */
uint32_t patch_first_edge(const geom *g, uint32_t cell, int k);

/* Returns whether, along the unit vector `out`, all of the surface near an edge is behind the edge,
 * within a sine of `most`, and, for a closed surface, whether it leads out of the body. */
int patch_edge_supports(const patch_context *w, int side, uint32_t edge, v3 out, double most);

/* ---- patch_curve.c */

/* Finds the curves along which the surfaces intersect. Errors: MEMORY, CANCELLED. */
int patch_curves(const patch_context *w);

void patch_overlap_free(patch *s);

/* ---- patch_curve.c */

/* Returns whether a point is enclosed by a curve. */
int patch_enclosed(const patch_context *w, v3 at);

/* Adds the points of all curves. Errors: MEMORY, CANCELLED. */
int patch_curve_points(const patch_context *w);

/* ---- Curves along which two surfaces intersect. Private to patch*.c. */

/* An edge of one side passes through a triangle of the other. */
typedef struct patch_pierce {
    uint32_t side, edge, cell;
    uint32_t root; /* index of another element of its curve, or its own if it is the root */
    v3 at, middle; /* middle: midpoint of the edge */
} patch_pierce;

typedef struct patch_segment {
    v3 end[2]; /* ordered so that the part of a's surface inside b is on the left, seen from
                * outside */
    uint32_t root;
} patch_segment;

typedef struct patch_curve {
    uint32_t root;
    size_t first, end;      /* range of segments */
    v3 middle, normal;      /* normal from a to b */
    v3 axis[2];             /* orthogonal to the normal */
    double low[2], high[2]; /* extent of the enclosed area along these */
    int closed;
    double area;
    int hole;  /* it is a hole of another curve */
    int holds; /* one of its points has a gap of 0 or less */
} patch_curve;

typedef struct patch_overlap {
    mem *mem;
    patch_pierce *pierce;
    patch_segment *segment;
    patch_curve *curve;
    size_t pierces, pierces_capacity, segments, segments_capacity, curves, curves_capacity;
} patch_overlap;

/* Returns whether a curve encloses a point, as seen along its normal. */
int patch_encloses(const patch_context *w, const patch_curve *c, v3 at);

#endif
