/* Points, triangles and tetrahedra. */
#ifndef IMP_EXACT_POINT_H
#define IMP_EXACT_POINT_H

typedef struct exact_point {
    double x[3];
} exact_point;

/* A triangle or a tetrahedron: three or four vertices. */
typedef struct exact_prim {
    int corners; /* 3 or 4 */
    exact_point v[4];
} exact_prim;

/* A point as an exact construction: the crossing of p-q with the plane a, b, c if axis < 0, else
 * with the line a-b in a plane that contains both, seen along the axis; p itself if q is p. */
typedef struct cut_point {
    const exact_point *a, *b, *c, *p, *q;
    int axis;
} cut_point;

/* A feature: one, two or three vertices, by their places in the primitive. */
typedef struct measured_feature {
    int vertices;
    int corner[3];
} measured_feature;

/* ---- Distances with a limit. */

/* A limit of distances: half of the sum of two numbers, exactly. They are finite and not
 * negative, such as the thicknesses of two primitives. */
typedef struct exact_limit {
    double of[2];
} exact_limit;

static inline exact_limit exact_limit_of(double distance)
{
    return (exact_limit){{distance, distance}};
}

/* What a distance within a limit lacks to it, and that divided by the limit (0 if the limit is 0):
 * the greatest float64 not above the exact numbers. */
typedef struct exact_depth {
    double depth, relative;
} exact_depth;

/* ---- Two moving features. */

enum exact_ccd_kind { EXACT_VERTEX_FACE, EXACT_EDGE_EDGE };

/* Their vertices, each in linear motion from at[0] to at[1]. VERTEX_FACE: the face is 0 1 2, the
 * vertex 3; EDGE_EDGE: the edges are 0-1 and 2-3. */
typedef struct exact_motion {
    exact_point at[2][4];
} exact_motion;

#endif
