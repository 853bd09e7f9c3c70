/* Meshes as short texts, for the tests of code that reads and changes them. */
#ifndef IMP_MESH_TEXT_H
#define IMP_MESH_TEXT_H

#include "file_shape.h"

#include <stddef.h>

/* three vertices as OBJ statements, and in the format of mesh_show */
#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define P3 "0 0 0;1 0 0;0 1 0;|"

/* The path of a file in test_folder(). Valid until the next call. */
const char *mesh_path(const char *name);

/* Writes a.obj there and reads it with file_shape_read. */
const char *mesh_write(const char *content, size_t size);
int mesh_read_bytes(const char *content, size_t size, file_shape *out);
int mesh_read(const char *content, file_shape *out);

/* The mesh as text: "0 0 0;1 0 0;|0 1 2 a;", points and then primitives with their group's name.
 * Valid until the next call. */
const char *mesh_show(const file_shape *o);

/* Checks the invariants of a mesh, and accesses all its memory. */
int mesh_is_sound(const file_shape *o);

/* Reading must give this text, or this error after the path; with trailing NUL bytes, too. */
void mesh_check(const char *content, const char *want);
void mesh_check_bad(const char *content, const char *want);

/* CU_ASSERT that prints both texts if they differ. `source`: the input. */
void mesh_check_text(const char *source, const char *have, const char *want);

#endif
