/* Welding: merges vertices of meshes whose neighbouring primitives do not share any, such as STL,
 * in which each triangle has three of its own. Primitives that share a vertex are adjacent
 * (imp_def.adjacent); without welding, every two neighbours would be a contact.
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
    uint32_t merged; /* vertices v with map[v] != v */
    uint32_t joined; /* primitives with a vertex that was merged, or is the target of a merge */
    uint64_t open;   /* edges (faces of tetrahedra) at which primitives are not joined, since it is
                        ambiguous which of them are neighbours */
    uint32_t open_primitive;  /* the first primitive with such an edge, if any */
    uint64_t split;           /* edges of more than two triangles that closed bodies share */
    uint32_t split_primitive; /* the first primitive with such an edge, if any */
} imp_weld_info;

/* Finds the vertices to merge. map: [vertices] the first vertex of v's group of merged vertices, at
 * most v; v itself if it is the first. corner[i] = map[corner[i]] then joins primitives, and
 * vertices keep their numbers. count: number of frames, all of one mesh; vertices are merged only
 * if they coincide in all of them. info may be NULL.
 *
 * tolerance 0: neighbours are found by their edges, not by points alone, so that bodies that touch
 * stay apart. Two triangles of one object are neighbours if they have an edge between the same two
 * points (-0 equals 0), in opposite direction, and no third triangle of the object has it; then the
 * ends of their edges are merged. Two tetrahedra of one object are neighbours if they have a face
 * with the same three points, are on different sides of it, and no third one has it. Where an
 * object's triangles, in their order, form one closed body after another (each with every edge used
 * as often in one direction as in the other), each body counts as an object of its own: `split`.
 * Triangles of no area with two corners at one point belong to the neighbours at their edge. At
 * edges of more triangles, and of two in one direction, nothing is joined: `open`.
 *
 * tolerance > 0: vertices are merged by distance alone, in order: a vertex is merged into the first
 * one before it that was not merged itself, belongs to the same object, and is at most `tolerance`
 * from it in each frame; a vertex's object is that of the first primitive with it. So no vertex is
 * further than that from the one that represents it, and a chain of close vertices does not shrink
 * to a point; but bodies of one object that touch are joined.
 *
 * A vertex with a NaN is never merged; infinite coordinates equal only themselves. The result
 * depends only on the primitives, their order, the points and the tolerance. Errors: ARGUMENT,
 * MEMORY. */
IMP_API int imp_weld(const imp_frame *frames, size_t count, double tolerance, uint32_t *map,
                     imp_weld_info *info);

/* Sets *yes to 1 if the map also holds for this frame of the same vertices: merged vertices are at
 * most `tolerance` apart, or with tolerance 0 at one point. Errors: ARGUMENT. */
IMP_API int imp_weld_holds(const imp_frame *frame, double tolerance, const uint32_t *map, int *yes);

/* Sets *yes to 1 if no two primitives share a vertex, although at least a quarter of their edges
 * (tetrahedra: faces) coincide with that of exactly one neighbour, as above. *fraction, which may
 * be NULL: that fraction, estimated from a sample for large meshes; 0 if a vertex is shared.
 * Memory: one bit for each vertex. Errors: as imp_weld. */
IMP_API int imp_is_unwelded(const imp_frame *frame, int *yes, double *fraction);

#ifdef __cplusplus
}
#endif
#endif
