/* Bodies for tests of shapes, and the truth about them: brute force in long double, or in integers.
 */
#ifndef IMP_SHAPE_CASES_H
#define IMP_SHAPE_CASES_H

#include "mem.h"
#include "shape.h"
#include "testlib.h"

typedef struct body {
    double *x; /* [3 * vertices] */
    uint32_t vertices, triangles;
    uint32_t *corner; /* [3 * triangles] */
    shape *s;
} body;

/* Arrays are allocated to fit; body_make creates the shape. */
body body_box(const double half[3]);
body body_box_apart(const double half[3]); /* four vertices for each face, none shared */
body body_grid_box(uint32_t n);            /* a cube of edge 2, faces of n x n squares */
body body_hull(rng *r, uint32_t points);   /* integer points near a sphere of radius 1000 */
body body_prism(uint32_t n);               /* n sides; triangle fans as flat ends */
body body_ball(uint32_t rings,
               const double half[3]); /* an ellipsoid of 2 rings (rings - 1) triangles */
body body_sheet(rng *r, uint32_t n);  /* n x n squares, uneven: not closed */
body body_soup(rng *r, uint32_t n);   /* triangles anywhere */

body body_winding(uint32_t n); /* integers: two pyramids on a polygon that winds twice */
body body_join(const body *a, const body *b); /* both as one */
body body_collapsed(body b);      /* the same, after two triangles with a repeated position */
body body_copy(const body *from); /* without its shape */
void body_scale(body *b, double factor);
void body_move(body *b, const double by[3]);
int body_make(mem *m, body *b);
void body_free(mem *m, body *b);

/* A random pose. */
pose_map random_map(rng *r, double reach);
pose_map map_of(const double rotation[4], const double centre[3]);

/* The distance of the surfaces under the maps; 0 if both are convex and one is in the other. */
long double true_distance(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                          int convex);

/* An upper bound of the gap of b beyond a along a direction. */
long double true_gap(const body *a, const pose_map *pa, const body *b, const pose_map *pb,
                     const double along[3]);

/* The distance of a point of the frame from a triangle of a body. */
long double true_off(const body *b, const pose_map *p, uint32_t cell, const double x[3]);

/* Whether the triangles of a body with integer coordinates below 2^20 bound a convex body: all
 * vertices against all triangles, and each edge has one partner. */
int true_convex(const body *b);

#endif
