/* Shapes as readers make them, piece by piece: memory grows with what was read, not with
 * the numbers that a file announces. */
#ifndef IMP_FILE_SHAPE_MAKE_H
#define IMP_FILE_SHAPE_MAKE_H

#include "file_shape.h"

#include <stddef.h>
#include <stdint.h>

#define SHAPE_VERTICES_MOST (UINT32_MAX - 1)
#define SHAPE_PRIMITIVES_MOST ((uint32_t)INT32_MAX)

/* Sections are named long before they own a primitive, and most files have one: they get a number
 * with their first. */
typedef struct file_shape_maker {
    const char *path; /* for messages */
    file_shape shape;
    /* allocated */
    size_t point_bytes, corner_bytes, corner_count_bytes, group_bytes, polygon_bytes, value_bytes;
    const int64_t *value; /* [shape.arrays] of the cell that is read; the caller's */
    char *section;        /* NULL: "" */
    size_t section_bytes;
    int section_owns; /* a primitive: then its group is known */
    int32_t section_group;
} file_shape_maker;

/* arrays: how many values cells have. */
void file_shape_make_start(file_shape_maker *m, const char *path, size_t arrays);
void file_shape_make_free(file_shape_maker *m);

/* Errors of all below: INPUT (more than there may be), MEMORY. */
int file_shape_make_vertex(file_shape_maker *m, const double x[3]);

/* What follows is in the section of this name. */
int file_shape_make_section(file_shape_maker *m, const char *name, size_t length);

/* What follows is of the object with this number: then the shape is numbered. */
void file_shape_make_number(file_shape_maker *m, int32_t object);

/* What follows is of a cell with these values, which must stay until the next one. Every cell that
 * makes primitives begins so. */
void file_shape_make_cell(file_shape_maker *m, const int64_t *value);

/* A triangle (own = 3) or a tetrahedron (4). */
int file_shape_make_primitive(file_shape_maker *m, const uint32_t *corner, uint32_t corner_count);

/* The corners - 2 triangles that were added last are one face, a fan around its first corner;
 * `line`: the place of the face in the file. */
int file_shape_make_polygon(file_shape_maker *m, uint32_t corners, uint64_t line);

/* A face of n corners as a fan. Fewer than three make nothing. */
int file_shape_make_fan(file_shape_maker *m, const uint32_t *corner, uint32_t n, uint64_t line);

/* Something was skipped; a point or a line was. */
void file_shape_make_skip(file_shape_maker *m, uint64_t line, const char *what);
void file_shape_make_thin(file_shape_maker *m, uint64_t line);

/* Appends s, cut, as it is; the numbers of its groups are kept, and their names are not. `path`:
 * where s is from. */
int file_shape_make_join(file_shape_maker *m, const char *path, const file_shape *s);

/* Moves the shape to *out and frees unused capacity; *m is as after file_shape_make_free. */
void file_shape_make_end(file_shape_maker *m, file_shape *out);

#endif
