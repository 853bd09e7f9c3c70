/* Shapes as readers of text make them, piece by piece: memory grows with what was read, not with
 * the numbers that a file announces. */
#ifndef IMP_SHAPE_MAKE_H
#define IMP_SHAPE_MAKE_H

#include "shape.h"

#include <stddef.h>
#include <stdint.h>

#define SHAPE_VERTICES_MOST (UINT32_MAX - 1)
#define SHAPE_PRIMITIVES_MOST ((uint32_t)INT32_MAX)

/* Sections are named long before they own a primitive, and most files have one: they get a number
 * with their first. */
typedef struct shape_maker {
    const char *path; /* for messages */
    shape shape;
    size_t point_bytes, corner_bytes, own_bytes, group_bytes, polygon_bytes; /* allocated */
    char *section;                                                           /* NULL: "" */
    size_t section_bytes;
    int32_t section_group; /* -1 until it owns a primitive */
} shape_maker;

void shape_make_start(shape_maker *m, const char *path);
void shape_make_free(shape_maker *m);

/* Errors of all below: INPUT (more than there may be), MEMORY. */
int shape_make_vertex(shape_maker *m, const double x[3]);

/* What follows is in the section of this name. */
int shape_make_section(shape_maker *m, const char *name, size_t length);

/* A triangle (own = 3) or a tetrahedron (4). */
int shape_make_primitive(shape_maker *m, const uint32_t *corner, uint32_t own);

/* The corners - 2 triangles that were added last are one face, a fan around its first corner;
 * `line`: of the face in the file. */
int shape_make_polygon(shape_maker *m, uint32_t corners, uint64_t line);

/* A face of n corners as a fan. Fewer than three make nothing. */
int shape_make_fan(shape_maker *m, const uint32_t *corner, uint32_t n, uint64_t line);

/* Something was skipped. */
#define SHAPE_POINT_OR_LINE "a point or a line, which is ignored"
void shape_make_skip(shape_maker *m, uint64_t line, const char *what);

/* Appends s, cut, as it is; the numbers of its groups are kept, and their names are not. `path`:
 * where s is from. */
int shape_make_join(shape_maker *m, const char *path, const shape *s);

/* Moves the shape to *out and frees unused capacity; *m is as after shape_make_free. */
void shape_make_end(shape_maker *m, shape *out);

#endif
