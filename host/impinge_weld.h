/* Vertices that are one: for meshes whose neighbours do not share vertices, such as triangles of
 * STL, of which each brings three of its own. Primitives that share a vertex are adjacent
 * (imp_def.adjacent); of such a mesh every two neighbours would be a contact.
 *
 *     uint32_t *map = malloc(mesh.vertices * sizeof *map);
 *     if (!imp_weld(&frame, 1, 0, map, NULL))
 *         for (size_t i = 0; i < corners; i++)
 *             corner[i] = map[corner[i]];
 *
 * The conventions are those of impinge.h. */
#ifndef IMPINGE_WELD_H
#define IMPINGE_WELD_H

#include "impinge.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct imp_weld_info {
    uint32_t merged;         /* vertices v with map[v] != v */
    uint32_t joined;         /* primitives with a vertex that was merged, or that others were
                                merged into */
    uint64_t open;           /* edges (faces of tetrahedra) at which primitives stay apart, since it
                                is not certain which of them are neighbours */
    uint32_t open_primitive; /* the first with such an edge, if there is one */
    uint64_t split;          /* edges of more than two triangles that closed bodies share */
    uint32_t split_primitive; /* the first with such an edge, if there is one */
} imp_weld_info;

/* Finds the vertices that are one: map[v] is the first of those that v is one with, v itself if it
 * is the first. map[vertices], at most v each; corner[i] = map[corner[i]] then joins primitives,
 * and no vertex gets another number. `count`: frames of one mesh, in all of which they are one.
 * info may be NULL.
 *
 * tolerance 0: neighbours are found by their edges, not by points alone, so that bodies that touch
 * stay apart. Two triangles of one object are neighbours if they have an edge between the same two
 * points (-0 equals 0), in opposite direction, and no third triangle of the object has it; then the
 * ends of their edges are one. Two tetrahedra of one object are neighbours if they have a face with
 * the same three points, are on different sides of it, and no third one has it. Where an object's
 * triangles, in their order, are one closed body after another (in each every edge is used as often
 * in one direction as in the other), each of these is an object of its own here: `split`.
 * Triangles of no area with two corners at one point belong to the neighbours at their edge. At
 * edges of more triangles, and of two in one direction, nothing is joined: `open`.
 *
 * tolerance > 0: by distance alone. Vertices are taken in order: each is one with the first before
 * it that is one with no earlier one, belongs to the same object, and is at most so far from it in
 * each frame; an object is that of the first primitive with the vertex. So no vertex is further
 * than that from the one that stands for it, and a chain of close vertices does not shrink to a
 * point; but bodies of one object that touch are joined.
 *
 * Vertices with a NaN are one with none; infinite coordinates equal only themselves. The result
 * depends on primitives, their order, points and the tolerance only. Errors: ARGUMENT, MEMORY. */
IMP_API int imp_weld(const imp_frame *frames, size_t count, double tolerance, uint32_t *map,
                     imp_weld_info *info);

/* *yes: 1 if the map holds for this frame of the same vertices, too: merged vertices are at most
 * `tolerance` apart, with 0 at one point. Errors: ARGUMENT. */
IMP_API int imp_weld_holds(const imp_frame *frame, double tolerance, const uint32_t *map, int *yes);

/* *yes: 1 if no two primitives share a vertex, although at least a quarter of their edges
 * (tetrahedra: faces) coincide with that of exactly one neighbour, as above. *fraction, which may
 * be NULL: that fraction, estimated from a sample for large meshes; 0 if a vertex is shared.
 * Memory: a bit for each vertex. Errors: as imp_weld. */
IMP_API int imp_is_unwelded(const imp_frame *frame, int *yes, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
