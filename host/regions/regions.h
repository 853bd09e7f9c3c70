/* Regions of a frame: the parts into which contours cut surfaces (README.md). */
#ifndef IMP_REGIONS_H
#define IMP_REGIONS_H

#include "impinge_regions.h"
#include "mem.h"
#include "region_mesh.h"

#include <stddef.h>
#include <stdint.h>

typedef struct region_set {
    imp_region *of; /* [count] */
    size_t count, capacity;
    uint32_t *face; /* [faces] */
    double *share;
    size_t faces, face_capacity;
    imp_parting *parting; /* [partings] */
    size_t partings, parting_capacity;
    int64_t *of_contour; /* [2 * contours] */
    size_t contours, contour_capacity;
    int64_t *of_row; /* [2 * rows] the least region that a contact's segments bound on the object of
                        its a, then of b; -1: none. If these are one object: the regions that they
                        bound there, the least two, ascending, -1 after them */
    size_t rows, row_capacity;
    uint64_t none;    /* contacts with tetrahedra, which have no contour */
    region_mesh mesh; /* of the last frame with contours */
} region_set;

/* imp_regions_find without its checks; *out is zero, or has the regions of another frame, whose
 * memory is used again. Errors: MEMORY. */
int regions_find(mem *m, const imp_frame *frame, const imp_contacts *rows, region_set *out);
void regions_free(mem *m, region_set *s);

#endif
