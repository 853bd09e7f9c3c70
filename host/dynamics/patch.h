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
#include "geom.h"
#include "manifold.h"
#include "scene_math.h"
#include "shape.h"

#include <math.h>
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

/* ---- What the parts of a patch share. Within patch*.c.
 *
 * Coordinates are those of the frame, but relative to where the first body is: what is far from the
 * origin of the frame loses nothing. */

typedef struct patch_pair {
    uint32_t cell[2];
} patch_pair;

/* Which features a point is of, in the order in which points come out. */
enum patch_kind {
    PATCH_VERTEX_FACE,  /* vertex of a, triangle of b */
    PATCH_FACE_VERTEX,  /* vertex of b, triangle of a */
    PATCH_EDGES,        /* edge of a, edge of b */
    PATCH_VERTEX_EDGE,  /* vertex of a, edge of b */
    PATCH_EDGE_VERTEX,  /* vertex of b, edge of a */
    PATCH_VERTICES,     /* vertex of a, vertex of b */
    PATCH_CURVE_VERTEX, /* of a curve, as are the following: vertex of a */
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
    v3 offset[2]; /* of the bodies */
    double tiny;  /* a distance that rounding may have made */
} patch_context;

/* Where a vertex is. */
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

/* Is x, of the plane of a triangle or above it along its normal n, between its edges? */
static inline int patch_is_over(const patch_context *w, int side, const v3 t[3], v3 n, v3 x)
{
    const double turn = w->body[side].geom->clockwise ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (turn * v3_dot(v3_cross(n, v3_sub(t[(k + 1) % 3], t[k])), v3_sub(x, t[k])) < 0)
            return 0;
    return 1;
}

/* A direction of length 1 across another one. */
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

/* The vertex of a corner; or GEOM_NONE, where all of its triangles are in one plane, or another one
 * of them is to see to it: if the vertex is near a triangle of the other body, all of its triangles
 * are, and each comes with it. */
uint32_t patch_first_vertex(const geom *g, uint32_t cell, int k);

/* The same of an edge. */
uint32_t patch_first_edge(const geom *g, uint32_t cell, int k);

/* Is `out`, of length 1, a direction in which all of the surface near an edge is behind the edge,
 * but for a sine of `most`? And, of a closed surface, does it lead out of the body? */
int patch_edge_supports(const patch_context *w, int side, uint32_t edge, v3 out, double most);

/* ---- patch_curve.c */

/* Finds the curves along which the surfaces intersect. Errors: MEMORY, CANCELLED. */
int patch_curves(const patch_context *w);

void patch_overlap_free(patch *s);

/* ---- patch_curve.c */

/* Is a point enclosed by a curve? */
int patch_enclosed(const patch_context *w, v3 at);

/* Adds the points of all curves. Errors: MEMORY, CANCELLED. */
int patch_curve_points(const patch_context *w);

/* ---- Curves along which two surfaces intersect. Within patch*.c. */

/* An edge of one side goes through a triangle of the other. */
typedef struct patch_pierce {
    uint32_t side, edge, cell;
    uint32_t root; /* of its curve, by way of others; itself: it is the root */
    v3 at, middle; /* the middle of the edge */
} patch_pierce;

typedef struct patch_segment {
    v3 end[2]; /* so that the part of a's surface that is in b is to the left, seen from outside */
    uint32_t root;
} patch_segment;

typedef struct patch_curve {
    uint32_t root;
    size_t first, end;      /* of segments */
    v3 middle, normal;      /* from a to b */
    v3 axis[2];             /* across it */
    double low[2], high[2]; /* what it encloses, along these */
    int closed;
    double area;
    int hole;  /* of another one */
    int holds; /* a point of it has a gap of 0 or less */
} patch_curve;

typedef struct patch_overlap {
    mem *mem;
    patch_pierce *pierce;
    patch_segment *segment;
    patch_curve *curve;
    size_t pierces, pierces_capacity, segments, segments_capacity, curves, curves_capacity;
} patch_overlap;

/* Does a curve enclose a point, as seen along its normal? */
int patch_encloses(const patch_context *w, const patch_curve *c, v3 at);

#endif
