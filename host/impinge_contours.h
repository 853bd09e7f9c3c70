/* Contours: the curves along which triangles meet. The ends of a contact have the names of the
 * features that make them (imp_def.end_features). Ends with the same name are one point, so that
 * the segments of neighbouring contacts join to polylines without a tolerance.
 *
 *     imp_contours *c = NULL;
 *     if (!imp_contours_find(&frame, &contacts, &c))
 *         for (size_t i = 0; i < c->count; i++)
 *             draw(c->point + 3 * c->contour[i].first, c->contour[i].points, c->contour[i].closed);
 *     imp_contours_free(c);
 *
 * The conventions are those of impinge.h. */
#ifndef IMPINGE_CONTOURS_H
#define IMPINGE_CONTOURS_H

#include "impinge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A polyline. It is parted where other than two segments meet: an end of one segment is at the
 * border of a surface, or at a vertex that the two primitives share; three or more meet at a
 * junction. */
typedef struct imp_contour {
    int32_t a, b;  /* the objects whose triangles meet, a <= b */
    int closed;    /* 1: the last point is joined with the first one, which is not repeated */
    size_t first;  /* its points are [first, first + points) of imp_contours.point */
    size_t points; /* at least 2; of a closed contour at least 3 */
    double length; /* of all its segments, with that which closes it, in the units of the input */
} imp_contour;

/* The contours of a frame, in the order of the first contact of each, in whose direction it goes:
 * the same bits for the same frame and contacts. */
typedef struct imp_contours {
    size_t count;
    const imp_contour *contour; /* [count] */
    size_t points;
    const double *point; /* [3 * points] x y z, the bits of imp_contacts.points; corners of overlaps
                            are rounded likewise */
    uint64_t without;    /* contacts with tetrahedra, which have no contour */
} imp_contours;

/* Finds the contours of the contacts of one frame. A segment that several contacts have, as along a
 * common edge, counts once. Triangles that overlap in one plane (AREA, DUPLICATE) have a polygon in
 * common; of all these polygons the sides count that an odd number of them has: the border of the
 * overlap. Contacts at one point have no contour, nor have those with tetrahedra (`without`).
 *
 * contacts: all contacts of a frame, or a choice of them, strictly ascending by (a, b), a < b,
 * found with end_features; only count, a, b, kind, points and end_features are used. frame: that in
 * which they were found. Its points are read only for overlaps in one plane, and may else be NULL.
 *
 * *out: the contours; NULL after an error. Any number of threads may call it. Errors: ARGUMENT (an
 * array is NULL; a primitive, vertex, kind or feature that does not exist; contacts not ascending;
 * a point that is not finite), MEMORY. */
IMP_API int imp_contours_find(const imp_frame *frame, const imp_contacts *contacts,
                              imp_contours **out);

IMP_API void imp_contours_free(imp_contours *c);

#ifdef __cplusplus
}
#endif
#endif
