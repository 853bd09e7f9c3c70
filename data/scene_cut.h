/* Tetrahedra that a plane x = const cuts in two, little by little; others are taken away.
 *
 * Where the cut has come to an edge that crosses the plane all tetrahedra around that edge are
 * halved there, one edge after another in an order that all of them share: so they always fit. What
 * lies on the plane is doubled as soon as no tetrahedron around it crosses the plane any more, and
 * the two sides can part. A tetrahedron that is halved goes, its halves have names that none had
 * before; all others keep theirs, and vertices their numbers. */
#ifndef IMP_SCENE_CUT_H
#define IMP_SCENE_CUT_H

#include "scene_kind.h"

typedef struct cut {
    scene *s; /* its corner, own, object and name have space for everything to come */
    double plane;
    uint32_t vertices, cells; /* so far */
    uint32_t cell0;           /* cells before that are no tetrahedra */
    uint32_t made0;           /* vertices from here on were made by cutting, and lie on the plane */
    int64_t next;             /* name */
    v3 *rest;                 /* [room] vertices where nothing moves them */
    int8_t *side;             /* [room] of the plane: -1, 0, 1 */
    uint32_t *twin; /* [room] vertex on the other lip of the cut; of those without: itself */
    uint8_t *holds; /* [room] a tetrahedron around it crosses the plane */
    uint64_t *edge; /* [edges] the two vertices of edges that are cut now */
    uint64_t edges;
} cut;

/* What cutting b, whose cubes cross the plane in one layer, can come to. */
uint64_t cut_cells_room(const brick *b);
uint64_t cut_vertices_room(const brick *b);

/* The scene has its arrays, with all vertices and cells that there are at first; all numbers of *c
 * but made0, next and edges are set, and so is `rest`. */
int cut_init(cut *c, const brick *b, uint64_t room);

/* How far within the cut a point of the plane is; below 0: outside. */
typedef double cut_depth(const void *user, v3 at);

/* Edges within are cut. Returns whether anything changed. */
int cut_advance(cut *c, cut_depth *depth, const void *user);

/* Tetrahedra whose middle lies within a ball go. Returns whether there were any. */
int cut_burn(cut *c, v3 middle, double radius);

#endif
