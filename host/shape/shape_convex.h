/* Two convex bodies. Within host/shape. */
#ifndef IMP_SHAPE_CONVEX_H
#define IMP_SHAPE_CONVEX_H

#include "shape_hull.h"
#include "shape_query.h"

/* ---- shape_inside.c */

/* Is a vertex of one side's hull in the other body, but for rounding? Takes time in proportion to
 * the other's faces. */
int shape_inside(const shape_query *q, int side, uint32_t vertex);

/* ---- shape_support.c */

/* Sign of d . (a - b), exactly; d from shape_dot_direction, a and b places of a fine hull. */
int shape_dot_sign(const double d[3], const double a[3], const double b[3]);

/* All of the second body is at least this far beyond all of the first along d, of length 1, but for
 * rounding. from: vertices of both hulls where climbing begins, then those where it ended. */
double shape_beyond(const shape_query *q, const double d[3], uint32_t from[2], uint64_t *steps);

/* ---- shape_direct.c: from the first body to the second, of any length */

/* Between two vertices; from an edge to a vertex of `side`, at right angles to the edge; at right
 * angles to two edges, this way or back. */
void shape_direct_vertices(const shape_query *q, const uint32_t vertex[2], double out[3]);
void shape_direct_edge(const shape_query *q, int side, uint32_t vertex, uint32_t edge,
                       double out[3]);
void shape_direct_edges(const shape_query *q, const uint32_t edge[2], double out[3]);

/* ---- shape_walk.c */

/* A feature of a hull. */
typedef struct hull_feature {
    uint32_t kind; /* enum shape_kind */
    uint32_t at;   /* which of the vertices, edges or faces */
} hull_feature;

enum v_clip_end {
    V_CLIP_GO_ON,  /* it goes on */
    V_CLIP_APART,  /* the closest features */
    V_CLIP_PIERCE, /* an edge goes through a face, or a vertex is on it */
    V_CLIP_INSIDE, /* a vertex is below all faces, and the face that it is least below */
    V_CLIP_LOST    /* rounding led back to features that were left */
};

/* From some features on to the closest ones. */
enum v_clip_end shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps);

/* ---- shape_cells.c */

/* Triangles that have the closest points of two features, or some with them. */
void shape_cells(const shape_query *q, const hull_feature f[2], uint32_t cell[2]);

/* The feature of a hull that has a feature of a triangle (enum shape_part); of a triangle that
 * has the same position twice, any. */
hull_feature shape_cell_feature(const shape *s, uint32_t cell, int part);

/* ---- shape_convex.c */

/* f: features where the walk begins, then where it ended. */
void shape_convex(const shape_query *q, hull_feature f[2], shape_found *out);

/* ---- where features are, in the coordinates of the query */

static inline void hull_position(const shape_query *q, int side, uint32_t vertex, double out[3])
{
    shape_query_vertex(q, side, q->s[side]->hull->vertex[vertex], out);
}

static inline uint32_t hull_other_end(const hull_edge *e, uint32_t vertex)
{
    return e->vertex[e->vertex[0] == vertex];
}

#endif
