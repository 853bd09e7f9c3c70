/* A shape: the mesh of one file, or of one frame of a file. Triangles and tetrahedra between
 * vertices, in the file's order, each in a section that may have a name. Polygons are fans of
 * triangles until file_shape_triangulate triangulates them correctly. */
#ifndef IMP_FILE_SHAPE_H
#define IMP_FILE_SHAPE_H

#include "impinge_weld.h"
#include "names.h"

#include <stddef.h>
#include <stdint.h>

/* A face of more than three corners. Its triangles are first .. first + corners - 3. */
typedef struct file_shape_polygon {
    uint64_t line; /* or the place in another unit (file_shape.place) */
    uint32_t first, corners;
} file_shape_polygon;

/* A remark for the user about some places of a file. */
typedef struct file_shape_note {
    uint64_t count, line; /* number of places, and the first one */
} file_shape_note;

/* members: its arrays, each by itself, and remarks for the user about the file */
typedef struct file_shape {
    const char *title, *place;     /* its format, and the unit of places: "line", "cell" */
    uint32_t vertices, primitives; /* at most 2^32 - 2 and 2^31 - 1 */
    uint32_t tetrahedra;           /* number of tetrahedra among the primitives */
    double *point;                 /* [3 * vertices] x y z */
    uint32_t corners;              /* vertex numbers per primitive: 4 if there is a tetrahedron,
                                    * else 3 (0 in a zeroed shape) */
    uint32_t *corner;              /* [corners * primitives] vertex numbers, each < vertices. A
                                    * triangle with four repeats the third */
    uint8_t *corner_count;         /* [primitives] number of valid corners, 3 or 4; NULL if all
                                    * are */
    size_t arrays;                 /* number of values per cell; the first is SourceId */
    int64_t *value;                /* [arrays * primitives] values of the cell that each belongs
                                    * to */
    int32_t *group;                /* [primitives] section; equal names are the same section */
    int numbered;                  /* groups are object numbers, without names */
    name_list groups;              /* names of sections that own primitives, in order of their
                                    * first */
    uint32_t polygons;
    file_shape_polygon *polygon; /* [polygons] in order */
    file_shape_note ghosts;      /* omitted cells (vtkGhostType) */
    int blank;                   /* the file is empty */
    file_shape_note apart;       /* points with the number of another one but another position */
    file_shape_note thin;        /* points and lines */
    uint64_t solids;             /* cells whose skin was read */
    file_shape_note several;     /* faces of three solids or more */
    file_shape_note turned;      /* wedges whose points are in the other order */
    file_shape_note one_side;    /* faces that two solids have in the same direction */
    int no_ids;                  /* a primitive cannot have a PrimitiveId of its own */
    file_shape_note skipped;     /* skipped lines that a user should know about */
    char skipped_what[80];       /* kind of the first one */
} file_shape;

/* Reads a text file: Wavefront OBJ (obj.c). `arrays` values per cell are wanted; those after its
 * number are 0. Arrays without elements may be NULL; a file without primitives gives an empty
 * shape. On failure *out is zeroed. Numbers do not depend on the locale. `path` may be a pipe, "-"
 * is standard input. Errors: INPUT (the text names file, line and reason, and another format if
 * recognised), MEMORY. */
int file_shape_read(const char *path, size_t arrays, file_shape *out);

/* Returns IMP_ERR_INPUT if s, as read, has no primitive; the text names its actual contents. */
int file_shape_need_primitives(const char *path, const file_shape *s);

/* Triangulates the fans correctly (polygon.h). *crossing: self-intersecting faces. Errors: INPUT,
 * MEMORY. */
int file_shape_triangulate(const char *path, file_shape *io, file_shape_note *crossing);

/* `cut` has the corners after file_shape_triangulate of the same faces in another file. Triangles
 * that are wrong for the points of s are replaced by correct ones if these exist. *changed: the
 * number of such faces. */
int file_shape_check_triangles(const char *path, const file_shape *s, uint32_t *cut,
                               file_shape_note *changed);

/* Leaves *s zeroed. Accepts a zeroed one. */
void file_shape_free(file_shape *s);

/* ---- Incremental construction of shapes by readers: memory grows with the data read, not with the
 * numbers that a file announces. */

#define SHAPE_VERTICES_MOST (UINT32_MAX - 1)
#define SHAPE_PRIMITIVES_MOST ((uint32_t)INT32_MAX)

/* Sections are named long before they own a primitive, and most files have one: a section gets its
 * number with its first primitive. */
typedef struct file_shape_maker {
    const char *path; /* for messages */
    file_shape shape;
    /* bytes allocated */
    size_t point_bytes, corner_bytes, corner_count_bytes, group_bytes, polygon_bytes, value_bytes;
    const int64_t *value; /* [shape.arrays] values of the present cell; the caller's */
    char *section;        /* NULL: "" */
    size_t section_bytes;
    int section_owns; /* the section owns a primitive, so its group is known */
    int32_t section_group;
} file_shape_maker;

/* arrays: number of values per cell. */
void file_shape_make_start(file_shape_maker *m, const char *path, size_t arrays);
void file_shape_make_free(file_shape_maker *m);

/* Errors of all below: INPUT (more than there may be), MEMORY. */
int file_shape_make_vertex(file_shape_maker *m, const double x[3]);

/* Begins the section of this name. */
int file_shape_make_section(file_shape_maker *m, const char *name, size_t length);

/* Begins the object with this number; the shape is then numbered. */
void file_shape_make_number(file_shape_maker *m, int32_t object);

/* Begins a cell with these values, which must stay valid until the next one. Every cell that makes
 * primitives begins so. */
void file_shape_make_cell(file_shape_maker *m, const int64_t *value);

/* A triangle (corner_count = 3) or a tetrahedron (4). */
int file_shape_make_primitive(file_shape_maker *m, const uint32_t *corner, uint32_t corner_count);

/* The last corners - 2 triangles are one face, a fan around its first corner; `line`: the place of
 * the face in the file. */
int file_shape_make_polygon(file_shape_maker *m, uint32_t corners, uint64_t line);

/* Adds a face of n corners as a fan. Fewer than three corners add nothing. */
int file_shape_make_fan(file_shape_maker *m, const uint32_t *corner, uint32_t n, uint64_t line);

/* Notes that something was skipped, or in file_shape_make_thin a point or a line. */
void file_shape_make_skip(file_shape_maker *m, uint64_t line, const char *what);
void file_shape_make_thin(file_shape_maker *m, uint64_t line);

/* Appends s, cut, unchanged; the numbers of its groups are kept, but not their names. `path`: the
 * origin of s. */
int file_shape_make_join(file_shape_maker *m, const char *path, const file_shape *s);

/* Moves the shape to *out and frees unused capacity; *m is as after file_shape_make_free. */
void file_shape_make_end(file_shape_maker *m, file_shape *out);

/* ---- Welding of a shape's vertices, by the rules of impinge_weld.h; its groups are objects. */

typedef struct file_shape_welding {
    uint32_t vertices; /* before */
    uint32_t *map;     /* [vertices] first vertex of the set that each belongs to */
    uint32_t *number;  /* [vertices] the new number of each */
    uint32_t kept;     /* vertices after */
    imp_weld_info info;
} file_shape_welding;

/* Renumbers primitives, and removes vertices that were joined to another one; the others stay in
 * order, including those that no primitive uses. No primitive is dropped, so some may have two
 * equal vertices. `out` may be NULL. Errors: ARGUMENT (tolerance negative, infinite or NaN),
 * MEMORY; *io is then unchanged, and *out zeroed. */
int file_shape_weld(double tolerance, file_shape *io, file_shape_welding *out);

/* Returns whether w is valid for s, another frame of the same vertices: joined vertices must be
 * within the tolerance of each other there too. */
int file_shape_weld_holds(const file_shape_welding *w, double tolerance, const file_shape *s);

/* Merges the vertices of such a frame. */
void file_shape_weld_again(const file_shape_welding *w, file_shape *io);

/* Leaves *w zeroed. A zeroed one is allowed. */
void file_shape_welding_free(file_shape_welding *w);

#endif
