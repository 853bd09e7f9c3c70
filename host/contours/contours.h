/* Contours of a frame: the segments in which triangles meet, joined to polylines (README.md). */
#ifndef IMP_CONTOURS_H
#define IMP_CONTOURS_H

#include "impinge.h"
#include "mem.h"

#include <stddef.h>
#include <stdint.h>

/* Contacts of triangles of a frame, in order of their pairs. */
typedef struct contour_rows {
    size_t count;
    const uint32_t *a, *b; /* [count] primitives: indices of the mesh */
    /* the next are as in imp_contacts */
    const uint8_t *kind;
    const uint8_t *end_features;
    const double *points;
} contour_rows;

typedef struct contour {
    int32_t a, b;  /* the two objects, a <= b */
    int closed;    /* its last point is joined with the first one, which is not repeated */
    size_t first;  /* of contour_set.point */
    size_t points; /* their number, at least 2 */
    double length;
} contour;

typedef struct contour_set {
    contour *of; /* [count] in order of the first contact of each */
    size_t count, capacity;
    double *point; /* [3 * points] */
    size_t points, point_capacity;
    uint64_t none; /* contacts with tetrahedra, which have no contour */
} contour_set;

/* Whether contacts of this kind are overlaps in one plane: only these need the frame's points. */
static inline int contours_is_flat(uint8_t kind)
{
    return kind == IMP_KIND_AREA || kind == IMP_KIND_DUPLICATE;
}

/* Finds the contours of a frame; *out is zero, or has the contours of another frame, whose memory
 * is used again. Contacts at a point have none. Errors: MEMORY. */
int contours_find(mem *m, const imp_frame *frame, const contour_rows *rows, contour_set *out);
void contours_free(mem *m, contour_set *s);

#endif
