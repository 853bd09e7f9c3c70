/* Where a segment crosses a plane, or a line in a plane, rounded correctly. The height of a
 * point over a plane serves all segments that end there. Within host/exact. */
#ifndef IMP_EXACT_CUT_H
#define IMP_EXACT_CUT_H

#include "exact_number.h"

/* The plane through three points; how far these are from the first along each axis. */
typedef struct cut_plane {
    const exact_point *v[3];
    twofold normal[3];
    double size[3];
} cut_plane;

/* A point: its height over a plane, and how far it is from the plane's first. */
typedef struct cut_end {
    const exact_point *x;
    twofold height;
    double size[3];
} cut_end;

void exact_cut_plane(const exact_point *const v[3], cut_plane *out);
void exact_cut_end(const cut_plane *plane, const exact_point *x, cut_end *out);

/* A point as an exact construction: where p-q crosses the plane a, b, c if axis < 0, else the line
 * a-b of a plane that contains both, seen along it; p itself if q is p. */
typedef struct cut_point {
    const exact_point *a, *b, *c, *p, *q;
    int axis;
} cut_point;

/* Where the segment between two points that are on opposite sides of a plane crosses it; or of p-q
 * the line a-b in a plane that contains both, seen along `axis`: each coordinate rounded correctly,
 * -0 as 0. *of: what was rounded. */
exact_point exact_cut(const cut_plane *plane, const cut_end *p, const cut_end *q, cut_point *of);
exact_point exact_cut2d(const exact_point *a, const exact_point *b, const exact_point *p,
                        const exact_point *q, int axis, cut_point *of);

/* The point is x / w in units of 2^unit, which is not above the exponents of any of its five. */
void exact_cut_parts(const cut_point *c, int unit, exact_big x[3], exact_big *w);

#endif
