/* A shape: the mesh of one file, or of one frame of a file. Triangles and tetrahedra between
 * vertices, in the file's order, each in a section that may have a name; polygons are fans of
 * triangles until file_shape_triangulate makes right ones of them. */
#ifndef IMP_FILE_SHAPE_H
#define IMP_FILE_SHAPE_H

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
    names groups;                  /* of sections that own primitives, in order of their first */
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

#endif
