/* A mesh file on the input's mesh: VTKHDF with frames of a result, whose points and cells are links
 * to the input, with arrays of its own (--counts, --regions). VTK's readers follow links as HDF5
 * does. */
#ifndef IMP_LINKED_MESH_H
#define IMP_LINKED_MESH_H

#include "batch.h"
#include "columns.h"
#include "h5.h"
#include "mem.h"
#include "output_file.h"
#include "store.h"

enum linked_place { LINKED_CELLS, LINKED_POINTS, LINKED_FIELD, LINKED_PLACES };

/* An array of the file: a value for each cell or point of a frame, or, of field data, any number of
 * values for each frame. */
typedef struct linked_array {
    const char *name; /* NULL: the file does not have it */
    enum column_type type;
    enum linked_place place;
} linked_array;

#define LINKED_ARRAYS 16

/* The datasets that grow with the steps. */
enum linked_table {
    LINKED_VALUES,
    LINKED_PART0,
    LINKED_PARTS,
    LINKED_POINT0,
    LINKED_CELL0,
    LINKED_ID0,
    LINKED_OBJECT0,    /* first row of the objects' array */
    LINKED_PRIMITIVE0, /* first row of PrimitiveId */
    LINKED_SOURCE0,    /* first row of SourceId */
    LINKED_GHOST0,     /* first row of vtkGhostType */
    LINKED_TABLES
};

/* The datasets of an array: its values, the first row of each frame, and of field data the
 * components and rows of each frame. id < 0: absent. */
typedef struct linked_data {
    h5_grow values, first, size;
} linked_data;

/* members: the file while it grows, the input, and the datasets; one thing without parts */
typedef struct linked_mesh {
    mem *mem;
    batch *in;
    const char *path;          /* the file while it grows */
    char *source;              /* path of the input relative to it */
    const linked_array *array; /* [arrays] */
    int arrays;
    hid_t file, root, steps, place[LINKED_PLACES], offsets[LINKED_PLACES], sizes;
    h5_grow table[LINKED_TABLES];
    linked_data data[LINKED_ARRAYS];
    uint64_t columns;     /* columns of cell0 and id0: kinds of cells */
    int64_t *cell0, *id0; /* [frames * columns] tables of the input; NULL: zeros */
    uint64_t unflushed;   /* values since the last flush */
} linked_mesh;

/* Creates the file of `frames` frames; `to` was initialised by outputs_hdf5, array[arrays] outlives
 * the file. linked_mesh_close must follow, also after an error. Errors: FILE, DISK, MEMORY. */
int linked_mesh_open(mem *m, batch *in, text_output *to, const linked_array *array, int arrays,
                     uint64_t frames, linked_mesh *out);

/* Adds frame f of the input as a step; then each array is added once. Errors: INPUT (there is no
 * such frame), CANCELLED (by a signal), FILE, DISK. */
int linked_mesh_add_step(linked_mesh *l, uint64_t f, double time);
int linked_mesh_add_rows(linked_mesh *l, int array, const void *value, uint64_t rows);

/* Does the same with one value at a time: `rows` of them follow. */
int linked_mesh_begin_rows(linked_mesh *l, int array, uint64_t rows);
int linked_mesh_add_value(linked_mesh *l, int array, const void *value);

/* Completes the file unless err is an error, and gives it its name or removes it; returns err or
 * the error of writing. */
int linked_mesh_close(linked_mesh *l, text_output *to, int err);

#endif
