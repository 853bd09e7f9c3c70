/* The geometry of a rigid body: any triangles, with their mass properties where they are closed,
 * and their planes, edges and vertices. `geom` is the word of ODE and MuJoCo. */
#ifndef IMP_GEOM_H
#define IMP_GEOM_H

#include "bodies.h"
#include "mem.h"
#include "vec.h"

#include <stdint.h>

#define GEOM_NONE UINT32_MAX

/* The plane n . x = d of a triangle. n has length 1; of a closed surface it points outward, of an
 * open one to where the corners are anticlockwise. Without area: n is 0 and d infinite, so
 * everything is behind it. */
typedef struct geom_plane {
    v3 n;
    double d;
} geom_plane;

/* Vertices with the same position are one here: the lowest of them. */
typedef struct geom_edge {
    uint32_t vertex[2];    /* the lower one first */
    uint32_t side0, sides; /* its triangles, in geom.side */
    int flat;              /* between two triangles of one plane */
} geom_edge;

/* In coordinates whose origin is the centre of mass. */
typedef struct geom {
    uint32_t vertices, triangles, edges;
    double *point;     /* [3 * vertices] */
    uint32_t *corner;  /* [3 * triangles] as they were given */
    geom_plane *plane; /* [triangles] */
    geom_edge *edge;   /* [edges] by their vertices */
    uint32_t *edge_of; /* [3 * triangles] from corner k to the next one; GEOM_NONE: no length */
    uint32_t *side;    /* the triangles of edge 0, then of edge 1, ... */
    uint32_t *same;    /* [vertices] the lowest vertex with the same position */
    uint32_t *vertex;  /* [distinct] vertices that triangles have, each position once */
    uint32_t distinct;
    uint32_t *star0; /* [vertices + 1] the first of each vertex in star; those of a lowest vertex */
    uint32_t *star;  /* edges by their vertices */
    int closed;      /* as many triangles use each edge in one direction as in the other */
    int clockwise;   /* closed, and the corners are clockwise as seen from outside */
    int convex;      /* set by world_set_shape, for shape_is_convex decides it */
    double volume;   /* 0: the surface is open, or there is none */
    double inertia[6]; /* of density 1 about the origin: xx, yy, zz, xy, xz, yz of the matrix; 0
                          where volume is */
    v3 moved;          /* from the given points to these */
} geom;

/* Of a surface of triangles, which may be open, self-intersecting or without area in places. Mass
 * properties are sums over tetrahedra from the origin to each triangle (Tonon 2004). Of an open
 * surface or without volume the points stay as they are. Errors: MEMORY. */
int geom_make(mem *m, const double *point, uint32_t vertices, const uint32_t *corner,
              uint32_t triangles, geom **out);

/* The same of points whose origin is the centre of mass: none is moved. */
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

/* ---- geom.c: within these files */

/* Sets same, vertex, edges without `flat`, and closed. Errors: MEMORY. */
int geom_edges(mem *m, geom *s);

/* Sets flat, once there are planes. */
void geom_ridges(geom *s);

/* ---- shapes for scenes, with the same errors */

/* A cuboid with these edges. */
int geom_box(mem *m, v3 edges, geom **out);

/* A ball: an icosahedron with each face cut in cuts * cuts triangles, and a corner at +x and -x.
 * Its vertices are on the sphere. */
int geom_ball(mem *m, double radius, uint32_t cuts, geom **out);

/* A wedge on its base: x from 0 to length, y from -width/2 to width/2, z from 0 to height at the
 * far end of x. */
int geom_wedge(mem *m, double length, double width, double height, geom **out);

/* ---- How far two convex bodies are in each other. */

/* The length of the shortest way by which b leaves a: the least over all axes that can separate
 * them, the normals of faces of both and what is across an edge of each. 0 or less: they are apart.
 * It is that length, but for rounding, where the pairs of edges are at most OVERLAP_EDGES; with
 * more of them normals of faces alone are tried, and it is at least that length. */
#define OVERLAP_EDGES 4096
double overlap_depth(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb);

/* ---- Directions of a body in the frame, and back. */

static inline v3 pose_turn(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[0][1] * x.y + m->r[0][2] * x.z,
                   m->r[1][0] * x.x + m->r[1][1] * x.y + m->r[1][2] * x.z,
                   m->r[2][0] * x.x + m->r[2][1] * x.y + m->r[2][2] * x.z);
}

/* By the transposed matrix: into the coordinates of the body. */
static inline v3 pose_turn_back(const pose_map *m, v3 x)
{
    return v3_make(m->r[0][0] * x.x + m->r[1][0] * x.y + m->r[2][0] * x.z,
                   m->r[0][1] * x.x + m->r[1][1] * x.y + m->r[2][1] * x.z,
                   m->r[0][2] * x.x + m->r[1][2] * x.y + m->r[2][2] * x.z);
}

#endif
