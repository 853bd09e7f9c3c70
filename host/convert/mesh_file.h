/* A file of meshes: text with one, or VTKHDF with one or several frames. Contents decide which. */
#ifndef IMP_MESH_FILE_H
#define IMP_MESH_FILE_H

#include "file_shape.h"
#include "mem.h"
#include "text.h"
#include "vtkhdf_reader.h"

#include <stddef.h>

typedef struct mesh_file mesh_file;

typedef struct mesh_file_info {
    uint64_t frames;
    int temporal;    /* frames have times of their own */
    int type;        /* of points: IMP_FLOAT32 or IMP_FLOAT64 */
    int has_groups;  /* its format has named groups, or it has the following */
    int has_objects; /* blocks, or CellData/ObjectId */
    int has_numbers; /* its objects are those numbers */
} mesh_file_info;

/* `path` may be a pipe, "-" is standard input: then it is text, and can be read once; it must live
 * as long as *out. Errors: INPUT (the text names file, place and reason; another format, if it is
 * known), MEMORY. */
int mesh_file_open(mem *m, const char *path, mesh_file **out);
void mesh_file_close(mesh_file *f);
void mesh_file_get_info(const mesh_file *f, mesh_file_info *out);

/* A frame. `numbers`: groups are the numbers of objects, if it has them; else each group has a
 * name. `arrays`: values that its cells get, the first of them SourceId; a file that lacks one has
 * zeros. On failure *out is zeroed. Errors: INPUT, MEMORY. */
int mesh_file_read(mesh_file *f, uint64_t frame, int numbers, const cell_arrays *arrays,
                   file_shape *out);

/* Cell arrays that it has, and arrays that are not read; NULL: it is text, and has none. */
const cell_arrays *mesh_file_arrays(const mesh_file *f);
const cell_arrays *mesh_file_lost(const mesh_file *f);

double mesh_file_time(const mesh_file *f, uint64_t frame);

/* The file that a frame was made of: the path, unless the file itself names another one. */
const char *mesh_file_source(const mesh_file *f, uint64_t frame);

/* Names of objects by their numbers; NULL: there are none. */
const batch_names *mesh_file_names(const mesh_file *f);

/* ---- Formats of files that are not read as text, and their names: a message that names the format
 * of a file helps more than one that only refuses it. */

typedef struct format {
    const char *is;        /* a text that follows "is" */
    const char *ends;      /* file names; each ending is between blanks */
    int python;            /* impinge.convert of the Python package reads it */
    const char *begins[4]; /* contents, in any case, after blanks and empty lines */
    const char *holds;     /* NULL, or what the first bytes must have besides */
} format;

/* What messages of such formats end with. */
#define FORMAT_BY_PYTHON "; impinge.convert in Python does: pip install impinge[io]"

/* What a file that begins like this is, or NULL. A NUL is behind the head; `all`: bytes of the
 * whole file, 0 if that is not known. */
const format *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all);

/* "; by its name it is ...", or "". The text is the thread's. */
const char *format_by_name(const char *path);

/* Does the name end like that of a mesh which convert reads? */
int format_converts(const char *path);

/* ---- Wavefront OBJ. */

/* The rest of a text that was just opened. On failure *out is as it was. Errors: as
 * file_shape_read. */
int obj_read(text_reader *t, size_t arrays, file_shape *out);

/* ---- Cells of VTKHDF files become shapes. */

struct vtkhdf_reader;
struct cell_arrays;

/* As mesh_file_read. `path`: for messages. */
int vtkhdf_read(struct vtkhdf_reader *f, const char *path, uint64_t frame, int numbers,
                const struct cell_arrays *arrays, file_shape *out);

#endif
