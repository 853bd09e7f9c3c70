/* The faces, edges and vertices of a convex body: coplanar triangles are one face, and collinear
 * edges between the same two faces are one edge. Private to host/shape. */
#ifndef IMP_SHAPE_HULL_H
#define IMP_SHAPE_HULL_H

#include "shape_parts.h"

typedef struct hull_edge {
    uint32_t vertex[2]; /* tail, head: numbers in the hull */
    uint32_t face[2];   /* on its left and on its right, seen from outside */
    double along[3];    /* unit vector from tail to head */
} hull_edge;

typedef struct shape_hull {
    uint32_t vertices, edges, faces;
    double *x;            /* [3 * vertices] in units of `unit` */
    double unit;          /* a power of two near the radius */
    int turned;           /* triangles are clockwise seen from outside */
    int fine;             /* products with x are exact: see shape_hull.c */
    uint32_t *vertex;     /* [vertices] of the shape; the lowest with this position */
    uint32_t *corner;     /* [vertices] a corner of a triangle with this vertex: 3 t + i */
    uint32_t *spoke0;     /* [vertices + 1] */
    uint32_t *spoke;      /* [2 * edges] the edges at each vertex */
    hull_edge *edge;      /* [edges] */
    uint32_t *edge_part0; /* [edges + 1] */
    uint32_t *edge_part;  /* edges of triangles, 3 t + i, that form an edge, tail first */
    double *normal;       /* [3 * faces] outward unit vectors */
    uint32_t *side0;      /* [faces + 1] */
    uint32_t *side;       /* [2 * edges] the edges around each face */
    uint32_t *cell0;      /* [faces + 1] */
    uint32_t *cell;       /* triangles of each face, the least first */
    uint32_t *face_of;    /* [triangles] or SHAPE_NONE */
} shape_hull;

/* Sets s->hull if the triangles bound a convex body. Errors: MEMORY. */
int shape_hull_make(mem *m, shape *s);
void shape_hull_free(mem *m, shape_hull *h);

/* Returns whether the face is on the right of its edge. */
static inline int hull_right(const hull_edge *e, uint32_t face)
{
    return e->face[0] != face;
}

/* The outward unit vector of a face, in the coordinates of the shape: shape_distance.c. */
void shape_direct_normal(const shape_hull *h, uint32_t face, double out[3]);

/* ---- shape_hull.c: the triangles during the convexity test */

/* Corners by position. Triangles with a repeated position are excluded, as their edges cancel each
 * other. Edge i of triangle t, which begins at its corner i, has number 3 t + i. */
typedef struct shape_skin {
    const shape *s;
    uint32_t count;     /* triangles not excluded */
    uint32_t *cell;     /* [count] their numbers in the shape */
    uint32_t *corner;   /* [3 * count] vertices of the shape, counter-clockwise seen from outside */
    int turned;         /* they were clockwise: corners 1 and 2 were swapped */
    uint32_t *twin;     /* [3 * count] the neighbour's edge at the same place */
    uint8_t *flat;      /* [3 * count] the neighbour is coplanar */
    uint32_t within[4]; /* vertices that are not coplanar; the first is the greatest by x, y, z */
} shape_skin;

/* *convex: they bound a convex body. Errors: MEMORY. */
int shape_skin_make(mem *m, const shape *s, shape_skin *out, int *convex);
void shape_skin_free(mem *m, shape_skin *k);

static inline uint32_t skin_next(uint32_t edge)
{
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

static inline uint32_t skin_previous(uint32_t edge)
{
    return edge % 3 ? edge - 1 : edge + 2;
}

/* ---- Two convex bodies. Private to host/shape. */

/* ---- shape_make.c */

/* Returns whether a vertex of one side's hull is in the other body, within rounding. Takes time in
 * proportion to the other's faces. */
int shape_inside(const shape_query *q, int side, uint32_t vertex);

/* ---- shape_hull.c */

/* Exact sign of d . (a - b); d must be from shape_dot_direction, a and b positions in a fine
 * hull. */
int shape_dot_sign(const double d[3], const double a[3], const double b[3]);

/* A distance by which all of the second body is beyond all of the first along d, of length 1,
 * within rounding. from: vertices of both hulls where hill climbing begins; receives those where it
 * ended. */
double shape_beyond(const shape_query *q, const double d[3], uint32_t from[2], uint64_t *steps);

/* ---- shape_distance.c: directions from the first body to the second, of any length */

/* Between two vertices; from an edge to a vertex of `side`, orthogonal to the edge; orthogonal to
 * two edges, with either sign. */
void shape_direct_vertices(const shape_query *q, const uint32_t vertex[2], double out[3]);
void shape_direct_edge(const shape_query *q, int side, uint32_t vertex, uint32_t edge,
                       double out[3]);
void shape_direct_edges(const shape_query *q, const uint32_t edge[2], double out[3]);

/* ---- v_clip.c, shape_convex.c */

/* A feature of a hull. */
typedef struct hull_feature {
    uint32_t kind; /* enum shape_kind */
    uint32_t at;   /* index among the vertices, edges or faces */
} hull_feature;

enum v_clip_end {
    V_CLIP_GO_ON,  /* continue */
    V_CLIP_APART,  /* the closest features */
    V_CLIP_PIERCE, /* an edge passes through a face, or a vertex is on it */
    V_CLIP_INSIDE, /* a vertex is below all faces, and the face that it is least below */
    V_CLIP_LOST    /* rounding led back to features visited before */
};

/* Walks from some features to the closest ones. */
enum v_clip_end shape_v_clip(const shape_query *q, hull_feature f[2], uint64_t *steps);

/* ---- shape_distance.c */

/* Triangles that contain the closest points of two features, or some with these features. */
void shape_cells(const shape_query *q, const hull_feature f[2], uint32_t cell[2]);

/* The feature of a hull that contains a feature of a triangle (enum shape_part); for a triangle
 * with a repeated position, any. */
hull_feature shape_cell_feature(const shape *s, uint32_t cell, int part);

/* ---- v_clip.c, shape_convex.c */

/* f: features where the walk begins; receives those where it ended. */
void shape_convex(const shape_query *q, hull_feature f[2], shape_found *out);

/* ---- positions of features, in the coordinates of the query */

static inline void hull_position(const shape_query *q, int side, uint32_t vertex, double out[3])
{
    shape_query_vertex(q, side, q->s[side]->hull->vertex[vertex], out);
}

static inline uint32_t hull_other_end(const hull_edge *e, uint32_t vertex)
{
    return e->vertex[e->vertex[0] == vertex];
}

#endif
