/* The geometry of a rigid body: any triangles, with their mass properties if they are closed, and
 * their planes, edges and vertices. `geom` is the term of ODE and MuJoCo. */
#ifndef IMP_GEOM_H
#define IMP_GEOM_H

#include "bodies.h"
#include "mem.h"
#include "vec.h"

#include <stdint.h>

#define GEOM_NONE UINT32_MAX

/* The plane n . x = d of a triangle. n has length 1; it points outward for a closed surface, and
 * for an open one to the side from which the corners are anticlockwise. Without area, n is 0 and d
 * infinite, so everything is behind it. */
typedef struct geom_plane {
    v3 n;
    double d;
} geom_plane;

/* Vertices with the same position count as one: the lowest of them. */
typedef struct geom_edge {
    uint32_t vertex[2];    /* lower one first */
    uint32_t side0, sides; /* range of its triangles in geom.side */
    int flat;              /* between two coplanar triangles */
} geom_edge;

/* In coordinates whose origin is the centre of mass. */
typedef struct geom {
    uint32_t vertices, triangles, edges;
    double *point;     /* [3 * vertices] */
    uint32_t *corner;  /* [3 * triangles] in the caller's order */
    geom_plane *plane; /* [triangles] */
    geom_edge *edge;   /* [edges] sorted by their vertices */
    uint32_t *edge_of; /* [3 * triangles] edge from corner k to the next one; GEOM_NONE: no
                        * length */
    uint32_t *side;    /* the triangles of edge 0, then of edge 1, ... */
    uint32_t *same;    /* [vertices] the lowest vertex with the same position */
    uint32_t *vertex;  /* [distinct] vertices of triangles, each position once */
    uint32_t distinct;
    uint32_t *star0;   /* [vertices + 1] range of each vertex in star; only lowest vertices have
                        * edges */
    uint32_t *star;    /* edges by vertex */
    int closed;        /* triangles use each edge equally often in both directions */
    int clockwise;     /* closed, and the corners are clockwise seen from outside */
    int convex;        /* set by world_set_shape, by means of shape_is_convex */
    double volume;     /* 0 for an open surface, or without volume */
    double inertia[6]; /* for density 1 about the origin: xx, yy, zz, xy, xz, yz of the matrix; 0 if
                        * volume is 0 */
    v3 moved;          /* translation from the given points to these */
} geom;

/* Makes the geometry of a surface of triangles, which may be open, self-intersecting or locally
 * without area. Mass properties are sums over tetrahedra from the origin to each triangle (Tonon
 * 2004). For an open surface or without volume, the points are not translated. Errors: MEMORY. */
int geom_make(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
              uint32_t triangles, geom **out);

/* The same for points whose origin is the centre of mass: they are not translated. */
int geom_make_centred(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
                      uint32_t triangles, geom **out);
void geom_free(mem *m, geom *s);

static inline v3 geom_vertex(const geom *s, uint32_t i)
{
    const double *p = s->point + (size_t)3 * i;
    return v3_make(p[0], p[1], p[2]);
}

static inline v3 geom_corner(const geom *s, uint32_t triangle, int k)
{
    return geom_vertex(s, s->corner[(size_t)3 * triangle + (size_t)k]);
}

/* ---- private to geom.c */

/* Sets same, vertex, edges except `flat`, and closed. Errors: MEMORY. */
int geom_edges(mem *m, geom *s);

/* Sets flat. Needs the planes. */
void geom_ridges(geom *s);

/* ---- shapes for scenes, with the same errors */

/* A cuboid with these edges. */
int geom_box(mem *m, v3 edges, geom **out);

/* A ball: an icosahedron whose faces are each divided into cuts * cuts triangles, with a corner at
 * +x and at -x. Its vertices are on the sphere. */
int geom_ball(mem *m, double radius, uint32_t cuts, geom **out);

/* A wedge on its base: x from 0 to length, y from -width/2 to width/2, z from 0 to height at the
 * far end of x. */
int geom_wedge(mem *m, double length, double width, double height, geom **out);

/* ---- The overlap depth of two convex bodies. */

/* Length of the shortest translation of b that separates it from a: the minimum over all candidate
 * separating axes, that is, the normals of faces of both and the cross products of their edges. 0
 * or less: they are apart. Exact within rounding if there are at most OVERLAP_EDGES pairs of edges;
 * with more, only normals of faces are tested, so the result is an upper limit. */
#define OVERLAP_EDGES 4096
double overlap_depth(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb);

/* ---- Rotation of directions from the body to the frame, and back. */

static inline v3 pose_turn(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[0][1] * x.y + m->r[0][2] * x.z,
                   m->r[1][0] * x.x + m->r[1][1] * x.y + m->r[1][2] * x.z,
                   m->r[2][0] * x.x + m->r[2][1] * x.y + m->r[2][2] * x.z);
}

/* Multiplies by the transposed matrix: to the coordinates of the body. */
static inline v3 pose_turn_back(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[1][0] * x.y + m->r[2][0] * x.z,
                   m->r[0][1] * x.x + m->r[1][1] * x.y + m->r[2][1] * x.z,
                   m->r[0][2] * x.x + m->r[1][2] * x.y + m->r[2][2] * x.z);
}

#endif
