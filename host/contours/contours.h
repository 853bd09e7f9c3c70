/* Contours of a frame: the segments in which triangles meet, joined to polylines (README.md). */
#ifndef IMP_CONTOURS_H
#define IMP_CONTOURS_H

#include "impinge_contours.h"
#include "mem.h"

#include <stddef.h>
#include <stdint.h>

typedef struct contour_set {
    imp_contour *of; /* [count] in order of the first contact of each */
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

/* imp_contours_find without its checks; *out is zero, or has the contours of another frame, whose
 * memory is used again. Errors: MEMORY. */
int contours_find(mem *m, const imp_frame *frame, const imp_contacts *rows, contour_set *out);
void contours_free(mem *m, contour_set *s);

#endif
