/* Closest points of two features, in float64. */
#ifndef IMP_CLOSEST_H
#define IMP_CLOSEST_H

/* x: for a vertex and a face (vertex_face != 0), the face's corners 0 1 2 and the vertex 3; else
 * edges 0-1 and 2-3. out: the two closest points, in lexicographic order, each on its feature
 * within rounding. Coordinates are scaled so that no product of three overflows. */
void closest_points(int vertex_face, const double x[4][3], double out[6]);

/* The same, not scaled, and in the order of the features: the vertex first, or the point of the
 * edge 0-1. */
void closest_points_unordered(int vertex_face, const double x[4][3], double out[6]);

/* Puts two points in lexicographic order. */
void points_order(double point[6]);

#endif
