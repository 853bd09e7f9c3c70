/* A file of meshes: text with one mesh, or VTKHDF with one or several frames. The contents decide
 * which. */
#ifndef IMP_MESH_FILE_H
#define IMP_MESH_FILE_H

#include "file_shape.h"
#include "mem.h"
#include "package.h"
#include "skin.h"
#include "text.h"
#include "vtkhdf_reader.h"

#include <stddef.h>

typedef struct mesh_file mesh_file;

typedef struct mesh_file_info {
    uint64_t frames;
    int temporal;    /* frames have their own times */
    int type;        /* type of points: IMP_FLOAT32 or IMP_FLOAT64 */
    int has_groups;  /* its format has named groups, or it has objects */
    int has_objects; /* blocks, or numbers */
    int has_numbers; /* its objects are numbers from CellData/ObjectId or the array chosen */
} mesh_file_info;

/* `path` may be a pipe, "-" is standard input: it is then read as text, and only once. `path` must
 * stay valid as long as *out. Errors: INPUT (the text names file, place and reason, and another
 * format if recognised), MEMORY. array: the cell array of objects, or NULL; text has none. */
int mesh_file_open(mem *m, const char *path, const char *array, mesh_file **out);
void mesh_file_close(mesh_file *f);
void mesh_file_get_info(const mesh_file *f, mesh_file_info *out);

/* How frames are read. */
typedef struct mesh_reading {
    int numbers;               /* groups are object numbers, if the file has any; otherwise each
                                * group has a name */
    const cell_arrays *arrays; /* values to read for its cells, the first of them SourceId; missing
                                * arrays give zeros */
    skin *skin;                /* the skin of solids is read; NULL: tetrahedra are, and others are
                                * an error */
    int ids_of_source;         /* PrimitiveId of skins is made from SourceId, not from that of the
                                * file */
    uint8_t *varied;           /* [arrays->count] zeroed; with a skin of a file without objects, 1
                                * for arrays that have several values, by far less than cells; or
                                * NULL */
} mesh_reading;

/* Reads a frame. On failure *out is zeroed. Errors: INPUT, MEMORY. */
int mesh_file_read(mesh_file *f, uint64_t frame, const mesh_reading *how, file_shape *out);

/* Its cell arrays, and the arrays that are not read; NULL for text. */
const cell_arrays *mesh_file_arrays(const mesh_file *f);
const cell_arrays *mesh_file_lost(const mesh_file *f);

double mesh_file_time(const mesh_file *f, uint64_t frame);

/* The file that a frame was made from: the path, unless the file itself names another one. */
const char *mesh_file_source(const mesh_file *f, uint64_t frame);

/* Names of objects by their numbers; NULL if absent, or if an array was chosen. */
const batch_names *mesh_file_names(const mesh_file *f);

/* ---- Formats of files that are not read as text, and their names: a message that names the format
 * of a file is more helpful than one that only refuses it. */

typedef struct format {
    const char *is;        /* a text that follows "is" */
    const char *ends;      /* file name endings, each between blanks */
    int python;            /* impinge.convert of the Python package reads it */
    const char *begins[4]; /* contents, ignoring case, after blanks and empty lines */
    const char *holds;     /* text that the first bytes must also contain; NULL: none */
} format;

/* The end of messages about such formats. */
#define FORMAT_BY_PYTHON "; impinge.convert in Python does: " PACKAGE_WITH("io")

/* The format of a file that begins like this, or NULL. The head must be followed by a NUL; `all`:
 * bytes of the whole file, 0 if unknown. */
const format *format_of_head(const unsigned char *head, size_t bytes, unsigned long long all);

/* "; by its name it is ...", or "". The text belongs to the thread. */
const char *format_by_name(const char *path);

/* Returns whether the name ends like that of a mesh that convert reads. */
int format_converts(const char *path);

/* What the ending of a name says: a mesh that convert reads, here or in Python; HDF5, which may be
 * the data of another file; or anything else. */
enum format_rank { FORMAT_OTHER, FORMAT_DATA, FORMAT_MESH };
enum format_rank format_rank(const char *path);

/* ---- Wavefront OBJ. */

/* Reads the rest of a text that was just opened. On failure *out is unchanged. Errors: see
 * file_shape_read. */
int obj_read(text_reader *t, size_t arrays, file_shape *out);

/* ---- Conversion of VTKHDF cells to shapes. */

/* See mesh_file_read. `path`: for messages. */
int vtkhdf_read(vtkhdf_reader *f, const char *path, uint64_t frame, const mesh_reading *how,
                file_shape *out);

#endif
