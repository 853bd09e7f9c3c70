/* Where two features are nearest to each other, in float64. */
#ifndef IMP_CLOSEST_H
#define IMP_CLOSEST_H

static inline double point_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* from a to b */
static inline void point_between(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
}

static inline void point_cross(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* x: of a vertex and a face (vertex_face) the face's corners 0 1 2 and the vertex 3; else edges 0-1
 * and 2-3. out: the two points, in lexicographic order; each is on its feature but for rounding.
 * Coordinates are scaled: no product of three overflows. */
void closest_points(int vertex_face, const double x[4][3], double out[6]);

/* Puts two points in lexicographic order. */
void points_order(double point[6]);

#endif
