/* Exact arithmetic on the host, for pairs that float64 cannot decide.
 *
 * Every verdict is a sequence of signs of determinants of the input coordinates. A sign is taken
 * from float64 where its error bound allows, else from integers as long as it takes: a float64 is
 * an integer times a power of two, so any finite input has an exact answer. */
#ifndef IMP_EXACT_H
#define IMP_EXACT_H

#include "exact_prim.h"
#include "impinge.h"

typedef struct exact_contact {
    int kind;        /* enum imp_kind; 0 if the triangles do not meet */
    double point[6]; /* as in imp_contacts */
} exact_contact;

/* Do the closed triangles p and q meet (a zero-area triangle is the segment or point that it is),
 * and where? If they share vertices by index - `shared` different ones, p[sp[0]] and so on - only
 * points beyond the shared vertex or edge make a contact, and three are a duplicate face.
 * All coordinates finite. Never fails, never allocates. */
void exact_tri_tri(const exact_point p[3], const exact_point q[3], int shared, const int sp[3],
                   exact_contact *out);

/* Are the boxes of n points p and m points q apart? */
int exact_boxes_apart(const exact_point *p, int n, const exact_point *q, int m);

/* Is x on the triangle a, b, c, which may have no area? */
int exact_in_triangle(const exact_point *x, const exact_point *a, const exact_point *b,
                      const exact_point *c);

/* Sign of the height of d over the plane a, b, c (counter-clockwise seen from above). */
int exact_orient3d(const exact_point *a, const exact_point *b, const exact_point *c,
                   const exact_point *d);

/* Sign of ((a1 - a0) x (b1 - b0)) . (c1 - c0). */
int exact_det(const exact_point *const a[2], const exact_point *const b[2],
              const exact_point *const c[2]);

/* Sign of the area of a, b, c seen along axis 0, 1 or 2 (the plane yz, zx or xy). */
int exact_orient2d(const exact_point *a, const exact_point *b, const exact_point *c, int axis);

/* |h(p)| / (|h(p)| + |h(q)|) for the heights h over the plane a, b, c: where on p-q the plane is
 * crossed, to float64 precision although the heights may be tiny. p and q are on opposite sides. */
double exact_crossing(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *p, const exact_point *q);

/* The same for segments p-q and a-b that cross in a plane seen along `axis`. */
double exact_crossing2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis);

/* The distance of x from the plane a, b, c, which has an area; rounded correctly. */
double exact_distance(const exact_point *a, const exact_point *b, const exact_point *c,
                      const exact_point *x);

#endif
