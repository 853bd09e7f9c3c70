/* Wavefront OBJ text into triangles.
 *
 * Read are the statements v, f, o and g; all others (vt vn vp s usemtl mtllib l p, and any unknown
 * word) are skipped. Lines end in LF, CRLF or CR, the last one may lack its end, and a backslash
 * just before the end joins the next line. Words are separated by blanks or tabs. A line that
 * begins with # is a comment and is not joined; after numbers, # begins a comment too.
 *
 *     v x y z ...   three numbers; more are ignored. nan and inf are numbers here; one that is too
 *                   large for a double is infinite. Hexadecimal is not allowed.
 *     f a b c ...   at least three of V, V/T, V//N, V/T/N. V is the number of a vertex anywhere in
 *                   the file, from 1, or if negative counts back from the last one so far; T and N
 *                   are ignored. Polygons become fans around their first vertex, which is right
 *                   for convex ones.
 *     o name, g name
 *                   begin a section. The name is the rest of the line, without blanks around it.
 *                   Triangles before the first section are in one with an empty name.
 */
#ifndef IMP_OBJ_H
#define IMP_OBJ_H

#include <stdint.h>

typedef struct obj {
    uint32_t vertices, triangles; /* at most 2^32 - 2 and 2^31 - 1 */
    double *point;                /* [3 * vertices] x y z */
    uint32_t *triangle;           /* [3 * triangles] vertex numbers, each < vertices */
    int32_t *group;               /* [triangles] section; the same name is the same section */
    uint32_t groups;              /* sections that own triangles, in order of their first one */
    char **group_name;            /* [groups] */
} obj;

/* Arrays without elements may be NULL; a file without triangles is an empty mesh. On failure *out
 * is zeroed. Numbers do not depend on the locale. `path` may be a pipe.
 * Errors: INPUT (the text names file, line and reason), MEMORY. */
int obj_read(const char *path, obj *out);

/* Leaves *o zeroed. A zeroed one is allowed. */
void obj_free(obj *o);

#endif
