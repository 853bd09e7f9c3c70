/* What the parts of a patch share. Within patch*.c.
 *
 * Coordinates are those of the frame, but relative to where the first body is: what is far from the
 * origin of the frame loses nothing. */
#ifndef IMP_PATCH_PARTS_H
#define IMP_PATCH_PARTS_H

#include "patch.h"
#include "pose_turn.h"
#include "scene_math.h"

#include <math.h>

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

/* ---- patch_find.c */

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

/* ---- patch_curve_find.c */

/* Finds the curves along which the surfaces intersect. Errors: MEMORY, CANCELLED. */
int patch_curves(const patch_context *w);

void patch_overlap_free(patch *s);

/* ---- patch_curve_points.c */

/* Is a point enclosed by a curve? */
int patch_enclosed(const patch_context *w, v3 at);

/* Adds the points of all curves. Errors: MEMORY, CANCELLED. */
int patch_curve_points(const patch_context *w);

#endif
