/* A shape: what one file of text has. Triangles and tetrahedra between vertices, in the file's
 * order, each in a section that may have a name; polygons are fans of triangles until shape_cut
 * makes right ones of them. */
#ifndef IMP_SHAPE_H
#define IMP_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/* A face of more than three corners. Its triangles are first .. first + corners - 3. */
typedef struct shape_polygon {
    uint64_t line;
    uint32_t first, corners;
} shape_polygon;

enum shape_format { SHAPE_OBJ, SHAPE_VTK, SHAPE_MSH };

typedef struct shape {
    enum shape_format format;
    uint32_t vertices, primitives; /* at most 2^32 - 2 and 2^31 - 1 */
    uint32_t tetrahedra;           /* how many of the primitives */
    double *point;                 /* [3 * vertices] x y z */
    uint32_t corners;              /* numbers that each primitive has: 4 if there is a tetrahedron,
                                      else 3 (0 in a zeroed shape) */
    uint32_t *corner;              /* [corners * primitives] vertex numbers, each < vertices. Of the
                                      four of a triangle the last is the third again */
    uint8_t *own;                  /* [primitives] how many of them count, 3 or 4; NULL if all do */
    int32_t *group;                /* [primitives] section; the same name is the same section */
    uint32_t groups;               /* sections that own primitives, in order of their first one */
    char **group_name;             /* [groups] */
    uint32_t polygons;
    shape_polygon *polygon; /* [polygons] in order */
    uint64_t lines, unknown,
        unknown_line; /* OBJ: statements that it does not have; the first one */
    char unknown_word[32];
    uint64_t passed, passed_line; /* VTK, Gmsh: points and lines that were passed over; the first */
} shape;

/* Reads a file of any format that is read (obj.h, vtk.h, msh.h); its contents tell which, not its
 * name. Arrays without elements may be NULL; a file without primitives is an empty shape. On
 * failure *out is zeroed. Numbers do not depend on the locale. `path` may be a pipe, "-" is
 * standard input. Errors: INPUT (the text names file, line and reason; another format, if it is
 * known), MEMORY. */
int shape_read(const char *path, shape *out);

/* IMP_ERR_INPUT, with what there is instead, if it has no primitive. */
int shape_need_primitives(const char *path, const shape *s);

/* Faces that need a word. */
typedef struct shape_faces {
    uint64_t count, line; /* line: of the first */
} shape_faces;

/* Makes right triangles of the fans (polygon.h). *crossing: faces that cross themselves.
 * Errors: INPUT, MEMORY. */
int shape_cut(const char *path, shape *io, shape_faces *crossing);

/* `cut` are the corners after shape_cut of the same faces in another file. Where they are wrong
 * for the points of s and there are right ones these are taken. *changed: of how many faces. */
int shape_cut_again(const char *path, const shape *s, uint32_t *cut, shape_faces *changed);

/* Appends s, cut and numbered, to `all`, which is zeroed at first; groups are numbers only, and
 * `all` has no names of them. Errors: INPUT (too much together, at this path), MEMORY; *all can be
 * freed. */
int shape_join(const char *path, const shape *s, shape *all);

/* Leaves *s zeroed. A zeroed one is allowed. */
void shape_free(shape *s);

#endif
