/* Two shapes where their poses put them. Within host/shape.
 *
 * All lengths of a query are in units of a power of two near the size of both shapes and of their
 * distance, so squares neither overflow nor vanish, and relative to where the first pose puts the
 * origin of the first shape: what is far from the origin of the frame loses nothing. */
#ifndef IMP_SHAPE_QUERY_H
#define IMP_SHAPE_QUERY_H

#include "shape_parts.h"

typedef struct shape_query {
    const shape *s[2];
    double turn[2][3][3]; /* without the unit, for directions */
    double r[2][3][3];    /* x of a shape is at r x + t */
    double t[2][3];
    double origin[3]; /* of all that, in the coordinates of the frame */
    double unit;      /* of length */
    double margin;    /* more than what rounding does to a point, or to a height of one, twice */
} shape_query;

void shape_query_make(const shape *a, const pose_map *pa, const shape *b, const pose_map *pb,
                      shape_query *out);

/* Where a vertex of shape 0 or 1 is; and in the coordinates of the other shape, not of the query.
 */
void shape_query_vertex(const shape_query *q, int side, uint32_t vertex, double out[3]);
void shape_query_other(const shape_query *q, int side, uint32_t vertex, exact_point *out);

/* A feature of a triangle. */
enum shape_part { PART_VERTEX, PART_EDGE = 3, PART_FACE = 6 }; /* the first of each kind */

/* Two points, one of each shape. */
typedef struct shape_touch {
    double square; /* of their distance */
    double x[2][3];
    int part[2]; /* of the triangles that have them: vertex 0-2, edge 0-2, face */
} shape_touch;

/* ---- shape_triangles.c */

/* The squared distance of two segments, and the parameters of both where they are closest. */
double shape_segments(const double a[2][3], const double b[2][3], double parameter[2]);

/* Closest points of two triangles. They may have no area. */
void shape_triangles(const double p[3][3], const double q[3][3], shape_touch *out);

/* A lower bound of their distance, from directions that follow from them and from `out`. It is at
 * most what rounding does below the true one, which is less than a margin, and is good to
 * `enough`, if it can be. */
double shape_triangles_apart(const double p[3][3], const double q[3][3], const shape_touch *t,
                             double enough);

/* The closest triangles of two shapes. */
typedef struct shape_found {
    shape_touch touch;
    uint32_t cell[2];
    double least;        /* they are not closer, but for rounding */
    int intersect;       /* they have a point in common, but for rounding */
    double direction[3]; /* from 0 to 1, of length 1: all of 1 is at least `least` beyond all of 0
                            along it; 0 0 0: not known */
    uint64_t steps;
    int searched; /* by the trees */
} shape_found;

/* ---- shape_search.c: by the trees of both */

/* cell: some triangles to begin with; others change the time only. */
void shape_search(const shape_query *q, const uint32_t cell[2], shape_found *out);

/* Some triangles that are near each other: always the nearer half of a node, once down the trees.
 */
void shape_search_start(const shape_query *q, uint32_t cell[2], uint64_t *steps);

#endif
