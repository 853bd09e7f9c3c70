/* A shape: the mesh of one file, or of one frame of a file. Triangles and tetrahedra between
 * vertices, in the file's order, each in a section that may have a name; polygons are fans of
 * triangles until file_shape_triangulate makes right ones of them. */
#ifndef IMP_FILE_SHAPE_H
#define IMP_FILE_SHAPE_H

#include "impinge_weld.h"
#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* A face of more than three corners. Its triangles are first .. first + corners - 3. */
typedef struct file_shape_polygon {
    uint64_t line; /* or another place (file_shape.place) */
    uint32_t first, corners;
} file_shape_polygon;

/* What a user should know of some places of a file. */
typedef struct file_shape_note {
    uint64_t count, line; /* line: the place of the first */
} file_shape_note;

/* members: its arrays, each by itself, and what a user should know of the file */
typedef struct file_shape {
    const char *title, *place;     /* its format, and what places are: "line", "cell" */
    uint32_t vertices, primitives; /* at most 2^32 - 2 and 2^31 - 1 */
    uint32_t tetrahedra;           /* how many of the primitives */
    double *point;                 /* [3 * vertices] x y z */
    uint32_t corners;              /* numbers that each primitive has: 4 if there is a tetrahedron,
                                      else 3 (0 in a zeroed shape) */
    uint32_t *corner;              /* [corners * primitives] vertex numbers, each < vertices. Of the
                                      four of a triangle the last is the third again */
    uint8_t *corner_count;         /* [primitives] how many of them count, 3 or 4; NULL if all do */
    size_t arrays;                 /* values of each cell; the first is SourceId */
    int64_t *value;                /* [arrays * primitives] those of the cell that it is of */
    int32_t *group;                /* [primitives] section; the same name is the same section */
    int numbered;                  /* groups are numbers of objects, without names */
    name_list groups;              /* of sections that own primitives, in order of their first */
    uint32_t polygons;
    file_shape_polygon *polygon; /* [polygons] in order */
    file_shape_note ghosts;      /* cells that are left out (vtkGhostType) */
    int blank;                   /* the file has not a single byte */
    file_shape_note apart;       /* points with the number of another one at another place */
    file_shape_note thin;        /* points and lines */
    file_shape_note skipped;     /* lines that a user should know of */
    char skipped_what[80];       /* what the first is */
} file_shape;

/* Reads a file of text: Wavefront OBJ (obj.c), where `arrays` values of a cell are wanted: those
 * behind its number are 0. Arrays without elements may be NULL; a file without primitives is an
 * empty shape. On failure *out is zeroed. Numbers do not depend on the locale.
 * `path` may be a pipe, "-" is standard input. Errors: INPUT (the text names file, line and reason;
 * another format, if it is known), MEMORY. */
int file_shape_read(const char *path, size_t arrays, file_shape *out);

/* IMP_ERR_INPUT, naming what it has instead, if it has no primitive. As read. */
int file_shape_need_primitives(const char *path, const file_shape *s);

/* Makes right triangles of the fans (polygon.h). *crossing: faces that cross themselves.
 * Errors: INPUT, MEMORY. */
int file_shape_triangulate(const char *path, file_shape *io, file_shape_note *crossing);

/* `cut` are the corners after file_shape_triangulate of the same faces in another file. Where they
 * are wrong for the points of s and there are right ones these are taken. *changed: of how many
 * faces.
 */
int file_shape_check_triangles(const char *path, const file_shape *s, uint32_t *cut,
                               file_shape_note *changed);

/* Leaves *s zeroed. A zeroed one is allowed. */
void file_shape_free(file_shape *s);

/* ---- Shapes as readers make them, piece by piece: memory grows with what was read, not with
 * the numbers that a file announces. */

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

/* ---- Vertices of a shape that are one, by the rules of impinge_weld.h; its groups are objects. */

typedef struct file_shape_welding {
    uint32_t vertices; /* before */
    uint32_t *map;     /* [vertices] the first of those that each is one with */
    uint32_t *number;  /* [vertices] the new number of each */
    uint32_t kept;     /* vertices after */
    imp_weld_info info;
} file_shape_welding;

/* Primitives are renumbered, and vertices that are another one go; the others stay in order, also
 * those that no primitive uses. No primitive is dropped, so that some may now have two equal
 * vertices. `out` may be NULL. Errors: ARGUMENT (tolerance negative, infinite or NaN), MEMORY; *io
 * is then as it was, and *out zeroed. */
int file_shape_weld(double tolerance, file_shape *io, file_shape_welding *out);

/* Is w right for s, another frame of the same vertices: are those that are one within the tolerance
 * of each other there too? */
int file_shape_weld_holds(const file_shape_welding *w, double tolerance, const file_shape *s);

/* Merges the vertices of such a frame. */
void file_shape_weld_again(const file_shape_welding *w, file_shape *io);

/* Leaves *w zeroed. A zeroed one is allowed. */
void file_shape_welding_free(file_shape_welding *w);

#endif
