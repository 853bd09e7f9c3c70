/* Wavefront OBJ.
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
 *                   are ignored. Polygons become fans around their first vertex; shape_cut
 *                   makes triangles of them that are right.
 *     o name, g name
 *                   begin a section. The name is the rest of the line, without blanks around it.
 *                   Triangles before the first section are in one with an empty name.
 */
#ifndef IMP_OBJ_H
#define IMP_OBJ_H

#include "shape.h"
#include "text.h"

/* The rest of a text that was just opened. On failure *out is as it was. Errors: as shape_read. */
int obj_read(text *t, shape *out);

#endif
