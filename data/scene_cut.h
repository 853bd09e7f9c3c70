/* Tetrahedra that a plane x = const cuts in two, little by little; others are removed.
 *
 * Where the cut has reached an edge that crosses the plane, all tetrahedra around that edge are
 * halved there, one edge after another in an order that all of them share, so that they always fit.
 * A vertex on the plane is doubled as soon as no tetrahedron around it crosses the plane any more,
 * and the two sides can part. A halved tetrahedron is removed, its halves get new ids; all others
 * keep their ids, and vertices their numbers. */
#ifndef IMP_SCENE_CUT_H
#define IMP_SCENE_CUT_H

#include "scene_kind.h"

typedef struct cut {
    scene *s; /* its corner, corner_count, object and id have capacity for the whole scene */
    double plane;
    uint32_t vertices, cells; /* number so far */
    uint32_t cell0;           /* cells before this one are no tetrahedra */
    uint32_t made0;           /* vertices from here on were made by cutting, and lie on the plane */
    int64_t next;             /* next id */
    v3 *rest;                 /* [room] undisplaced vertices */
    int8_t *side;             /* [room] side of the plane: -1, 0, 1 */
    uint32_t *twin; /* [room] the vertex on the other lip of the cut; itself if it has none */
    uint8_t *holds; /* [room] a tetrahedron around it crosses the plane */
    uint64_t *edge; /* [edges] the two vertices of each edge that is cut now */
    uint64_t edges;
} cut;

/* Upper bounds for cutting b, whose cubes cross the plane in one layer. */
uint64_t cut_cells_room(const brick *b);
uint64_t cut_vertices_room(const brick *b);

/* Requires the scene's arrays with all initial vertices and cells, all numbers of *c except made0,
 * next and edges, and `rest`. */
int cut_init(cut *c, const brick *b, uint64_t room);

/* Depth of a point of the plane within the cut; negative outside. */
typedef double cut_depth(const void *user, v3 at);

/* Cuts the edges within the depth. Returns whether anything changed. */
int cut_advance(cut *c, cut_depth *depth, const void *user);

/* Removes the tetrahedra whose centroid lies within a ball. Returns whether there were any. */
int cut_burn(cut *c, v3 middle, double radius);

#endif
