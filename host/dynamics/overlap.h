/* How far two convex bodies are in each other. */
#ifndef IMP_OVERLAP_H
#define IMP_OVERLAP_H

#include "geom.h"
#include "pose.h"

/* The length of the shortest way by which b leaves a: the least over all axes that can separate
 * them, the normals of faces of both and what is across an edge of each. 0 or less: they are apart.
 * It is that length, but for rounding, where the pairs of edges are at most OVERLAP_EDGES; with
 * more of them normals of faces alone are tried, and it is at least that length. */
#define OVERLAP_EDGES 4096
double overlap_depth(const geom *a, const pose_map *pa, const geom *b, const pose_map *pb);

#endif
