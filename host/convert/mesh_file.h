/* A file of meshes: text with one, or VTKHDF with one or several frames. Contents decide which. */
#ifndef IMP_MESH_FILE_H
#define IMP_MESH_FILE_H

#include "file_shape.h"
#include "mem.h"
#include "store_any.h"

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

#endif
