/* Regions: the parts into which contours cut the surfaces of objects (global intersection
 * analysis). A surface is flooded without crossing a contour; what lies on the smaller side of the
 * contours is what is through the other object.
 *
 *     imp_regions *r = NULL;
 *     if (!imp_regions_find(&frame, &contacts, &r))
 *         for (size_t i = 0; i < r->count; i++)
 *             show(r->face + r->region[i].first, r->region[i].faces, r->region[i].area);
 *     imp_regions_free(r);
 *
 * The conventions are those of impinge.h. */
#ifndef IMPINGE_REGIONS_H
#define IMPINGE_REGIONS_H

#include "impinge_contours.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A connected part of the surface of an object on the smaller side of its contours with another
 * object or, if `other` is the same, with itself. */
typedef struct imp_region {
    int32_t object, other;
    uint32_t faces;    /* triangles that lie in it, wholly or in part; */
    size_t first;      /* they are [first, first + faces) of imp_regions.face, ascending */
    uint32_t vertices; /* vertices of these triangles that lie in the region and on no contour */
    uint32_t contours; /* that bound it */
    double area;       /* in the square of the input's unit */
} imp_region;

/* What the contours of an object with another one, or with itself, do to its surface. */
typedef struct imp_parting {
    int32_t object, other;
    uint32_t contours; /* contours of these two objects */
    uint32_t parting;  /* how many of them have a different region on either side */
    uint64_t regions;  /* into which they cut the connected surfaces that they run on, with those
                          that imp_regions does not list */
} imp_parting;

/* The regions of a frame: the same bits for the same frame and contacts. */
typedef struct imp_regions {
    size_t count;
    const imp_region *region; /* [count] in order of (object, other, the least face) */
    size_t faces;
    const uint32_t *face; /* [faces] primitives, of all regions one after another */
    const double *share;  /* [faces] the part of the face's area that lies in the region: 1 if the
                             face lies in it wholly */
    size_t partings;
    const imp_parting *parting; /* [partings] ascending by (object, other) */
    size_t contours;
    const int64_t *of_contour; /* [2 * contours] in the order of imp_contours_find: the least
                                  region that a contour bounds on object a, then on b; -1: none, as
                                  it does not part the surface there. If a == b: the regions that it
                                  bounds, the least two, ascending, -1 after them */
    uint64_t without;          /* contacts with tetrahedra, which have no contour */
} imp_regions;

/* Finds the regions of the objects of one frame from their contacts. Of each object the contours
 * with each other object, and those with itself, cut its surface; contours with third objects do
 * not count. Triangles are cut where contours run, and two parts are connected if they have a piece
 * of an edge in common along which no contour runs. Every contour cuts, closed or not: an open one
 * parts a surface where it runs from border to border; where both its sides are the same region it
 * parts nothing (imp_parting.parting, of_contour).
 *
 * The smaller side: of each connected surface that is cut into several regions, regions on either
 * side of a contour lie on different sides, beginning with the largest one; the side with the
 * lesser area is listed (of equal ones that without the least face). Where sides contradict each
 * other, as with three cuts around a tube, all regions but the largest are listed.
 *
 * Which parts are connected is decided exactly, with GMP (impinge.h) where float64 leaves a doubt.
 * Areas are sums in float64 of triangles with correctly rounded corners. A triangle without an area
 * is cut as a thin one would be, where contours come to both sides of it at one point, or of
 * several that are side by side. Its shares are those of its length. Triangles with a point that is
 * not finite, which have no contacts, are no part of a surface.
 *
 * contacts, frame: as of imp_contours_find, but the points of the frame are always read.
 *
 * *out: the regions; NULL after an error. Any number of threads may call it. Errors: ARGUMENT (as
 * of imp_contours_find, and where frame->point is NULL), MEMORY. */
IMP_API int imp_regions_find(const imp_frame *frame, const imp_contacts *contacts,
                             imp_regions **out);

IMP_API void imp_regions_free(imp_regions *r);

#ifdef __cplusplus
}
#endif
#endif
