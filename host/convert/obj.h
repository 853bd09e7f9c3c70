/* Wavefront OBJ text into triangles.
 *
 * Read are the statements v, f, o and g; all others that OBJ has (vt vn vp s usemtl mtllib l p ...)
 * are passed over. So are some unknown ones; a text with more unknown statements than known ones
 * among the first 100, or in all, is not taken for OBJ. Lines end in LF, CRLF or CR, the last one
 * may lack its end, and a backslash just before the end joins the next line. Words are separated by
 * blanks or tabs. A line that begins with # is a comment and is not joined; after numbers, # begins
 * a comment too.
 *
 *     v x y z ...   three numbers; more are ignored. nan and inf are numbers here; one that is too
 *                   large for a double is infinite. Hexadecimal is not allowed.
 *     f a b c ...   at least three of V, V/T, V//N, V/T/N. V is the number of a vertex anywhere in
 *                   the file, from 1, or if negative counts back from the last one so far; T and N
 *                   are ignored. Polygons become fans around their first vertex; obj_cut makes
 *                   triangles of them that are right.
 *     o name, g name
 *                   begin a section. The name is the rest of the line, without blanks around it.
 *                   Triangles before the first section are in one with an empty name.
 */
#ifndef IMP_OBJ_H
#define IMP_OBJ_H

#include <stddef.h>
#include <stdint.h>

/* A face of more than three corners. Its triangles are first .. first + corners - 3. */
typedef struct obj_polygon {
    uint64_t line;
    uint32_t first, corners;
} obj_polygon;

typedef struct obj {
    uint32_t vertices, triangles; /* at most 2^32 - 2 and 2^31 - 1 */
    double *point;                /* [3 * vertices] x y z */
    uint32_t *triangle;           /* [3 * triangles] vertex numbers, each < vertices */
    int32_t *group;               /* [triangles] section; the same name is the same section */
    uint32_t groups;              /* sections that own triangles, in order of their first one */
    char **group_name;            /* [groups] */
    uint32_t polygons;
    obj_polygon *polygon;                  /* [polygons] in order */
    uint64_t lines, unknown, unknown_line; /* statements that OBJ does not have; the first one */
    char unknown_word[32];
} obj;

/* Arrays without elements may be NULL; a file without triangles is an empty mesh. On failure *out
 * is zeroed. Numbers do not depend on the locale. `path` may be a pipe, "-" is standard input.
 * Errors: INPUT (the text names file, line and reason; another format, if it is known), MEMORY. */
int obj_read(const char *path, obj *out);

/* IMP_ERR_INPUT, with what there is instead, if it has no triangle. */
int obj_need_faces(const char *path, const obj *o);

/* Faces that need a word. */
typedef struct obj_faces {
    uint64_t count, line; /* line: of the first */
} obj_faces;

/* Makes right triangles of the fans (polygon.h). *crossing: faces that cross themselves.
 * Errors: INPUT, MEMORY. */
int obj_cut(const char *path, obj *io, obj_faces *crossing);

/* `cut` are the triangles that obj_cut made of the same faces in another file. Where they are wrong
 * for o's points and there are right ones these are taken. *changed: of how many faces. */
int obj_cut_again(const char *path, const obj *o, uint32_t *cut, obj_faces *changed);

/* Leaves *o zeroed. A zeroed one is allowed. */
void obj_free(obj *o);

#endif
