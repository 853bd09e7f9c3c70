/* The point where a segment crosses a plane, or a line in a plane, rounded correctly. The height of
 * a point over a plane is reused for all segments that end there. Private to host/exact. */
#ifndef IMP_EXACT_CUT_H
#define IMP_EXACT_CUT_H

#include "exact_number.h"

/* Bounds of lengths within which double-double numbers of heights neither over- nor underflow. */
#define CUT_LEAST 0x1p-180
#define CUT_MOST 0x1p300

/* The plane through three points, and their differences from the first along each axis. */
typedef struct cut_plane {
    const exact_point *v[3];
    twofold normal[3];
    double size[3];
} cut_plane;

/* A point with its height over a plane, and its difference from the plane's first point. */
typedef struct cut_end {
    const exact_point *x;
    twofold height;
    double size[3];
} cut_end;

/* The error bound of both heights; 0: their lengths are too large or too small for it. */
double exact_cut_error(const cut_end *p, const cut_end *q);

void exact_cut_plane(const exact_point *const v[3], cut_plane *out);
void exact_cut_end(const cut_plane *plane, const exact_point *x, cut_end *out);

/* The crossing of the segment between two points on opposite sides of a plane; or of p-q with the
 * line a-b in a plane that contains both, seen along `axis`. Each coordinate is rounded correctly,
 * with -0 as 0. *of becomes the exact construction. */
exact_point exact_cut(const cut_plane *plane, const cut_end *p, const cut_end *q, cut_point *of);
exact_point exact_cut2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis, cut_point *of);

/* The same for a point that is given by its construction. */
exact_point exact_cut_rounded(const cut_point *c);

/* The point is x / w in units of 2^unit, which must not be above the exponents of any of its five
 * points. */
void exact_cut_parts(const cut_point *c, int unit, exact_big x[3], exact_big *w);

#endif
