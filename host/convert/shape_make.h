/* Shapes as readers of text make them, piece by piece: room grows with what was read, whatever
 * number a file says that there will be. */
#ifndef IMP_SHAPE_MAKE_H
#define IMP_SHAPE_MAKE_H

#include "shape.h"
#include "text.h"

#include <stddef.h>
#include <stdint.h>

#define SHAPE_VERTICES_MOST (UINT32_MAX - 1)
#define SHAPE_PRIMITIVES_MOST ((uint32_t)INT32_MAX)

/* Sections are named long before they own a primitive, and most files have one: they get a number
 * with their first. */
typedef struct shape_maker {
    const text *text; /* for messages */
    shape shape;
    size_t point_room, corner_room, own_room, group_room, name_room, polygon_room; /* bytes */
    char *section;                                                                 /* NULL: "" */
    size_t section_room;
    int32_t section_group; /* -1 until it owns a primitive */
    uint32_t *slot;        /* [slots] hash table of group + 1, or 0; slots is a power of two */
    size_t slots;
} shape_maker;

void shape_make_start(shape_maker *m, const text *t, enum shape_format format);
void shape_make_free(shape_maker *m);

/* Errors of all below: INPUT (more than there may be, with the present line of the text), MEMORY.
 */
int shape_make_vertex(shape_maker *m, const double x[3]);

/* What follows is in the section of this name. */
int shape_make_section(shape_maker *m, const char *name, size_t length);

/* A triangle (own = 3) or a tetrahedron (4). */
int shape_make_primitive(shape_maker *m, const uint32_t *corner, uint32_t own);

/* The corners - 2 triangles that were added last are one face, a fan around its first corner;
 * `line` is where it stands. */
int shape_make_polygon(shape_maker *m, uint32_t corners, uint64_t line);

/* Gives back what doubling took too much, and hands out what was made; *m is as after
 * shape_make_free. */
void shape_make_end(shape_maker *m, shape *out);

/* Triangles of three numbers become such of four, n of them, where they are. */
void shape_make_wide(uint32_t *corner, uint8_t *own, size_t n);

/* Makes room for `bytes` in all in the array that inout points to, by doubling. On failure all is
 * as it was. */
int shape_make_room(void *inout, size_t *capacity, size_t bytes);

#endif
