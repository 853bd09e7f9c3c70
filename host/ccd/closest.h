/* Where two features are nearest to each other, in float64. */
#ifndef IMP_CLOSEST_H
#define IMP_CLOSEST_H

/* x: of a vertex and a face (vertex_face) the face's corners 0 1 2 and the vertex 3; else edges 0-1
 * and 2-3. out: the two points, in lexicographic order; each is on its feature but for rounding.
 * Coordinates are scaled: no product of three overflows. */
void closest_points(int vertex_face, const double x[4][3], double out[6]);

/* Puts two points in lexicographic order. */
void points_order(double point[6]);

#endif
