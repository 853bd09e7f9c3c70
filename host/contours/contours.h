/* Contours of a frame: the segments in which triangles meet, joined to polylines (README.md). */
#ifndef IMP_CONTOURS_H
#define IMP_CONTOURS_H

#include "contour_graph.h"

typedef struct contour_set {
    imp_contour *of; /* [count] in order of the first contact of each */
    size_t count, capacity;
    double *point; /* [3 * points] */
    size_t points, point_capacity;
    uint64_t none; /* contacts with tetrahedra, which have no contour */
} contour_set;

/* imp_contours_find without its checks; *out is zero, or has the contours of another frame, whose
 * memory is used again. Errors: MEMORY. */
int contours_find(mem *m, const imp_frame *frame, const imp_contacts *rows, contour_set *out);

/* Joins the segments of a graph to contours. Errors: MEMORY. */
int contours_trace(contour_graph *g, contour_set *out);

void contours_free(mem *m, contour_set *s);

/* The checks of a function's arguments; name: of the function. whole: it reads all points, and the
 * whole mesh. Errors: ARGUMENT. */
int contours_check(const char *name, const imp_frame *f, const imp_contacts *c, int whole);

#endif
