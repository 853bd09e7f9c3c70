/* Batches for tests, written with plain HDF5 and no code of host/. A file is assembled in memory as
 * lists in the layout of VTKHDF, and written at once; the expected contents of each frame are
 * computed from the same lists. */
#ifndef IMP_H5_MAKE_H
#define IMP_H5_MAKE_H

#include "testlib.h"

#include <hdf5.h>

typedef struct make_list {
    size_t count, capacity;
    int64_t *value;
} make_list;

typedef struct make_reals {
    size_t count, capacity;
    double *value;
} make_reals;

enum make_storage {
    MAKE_CHUNKED,
    MAKE_CONTIGUOUS,
    MAKE_DEFLATE, /* with shuffle */
    MAKE_FLETCHER32,
    MAKE_STORAGES
};

#define MAKE_ARRAYS 4

/* A cell array. offset: its Steps/CellDataOffsets, if present. */
typedef struct make_cells {
    const char *name;
    hid_t type; /* type in the file; 0: int64 */
    make_list value, offset;
} make_cells;

typedef struct make {
    /* format; all zero: PolyData 2.0, float64, int64, chunked, Steps in one dimension */
    int unstructured;
    int64_t version[2];
    hid_t point_type, id_type, count_type;
    enum make_storage storage;
    int steps_columns;  /* tables of Steps as (n, 1) */
    int no_steps;       /* no Steps: one frame of all parts */
    int no_part_counts; /* no Steps/NumberOfParts */
    int skip_empty;     /* parts without cells have no entry in Offsets */
    /* parts */
    make_list part_points, part_cells, part_ids, ids, offsets, types;
    make_reals points;
    /* steps */
    make_reals time;
    make_list part0, parts, point0, cell0, id0;
    make_cells cells[MAKE_ARRAYS];
} make;

void make_free(make *m);

void make_add(make_list *l, int64_t value);

/* Appends a part: `ids` are its triangles, numbered within the part. */
void make_part(make *m, int64_t vertices, int64_t triangles, const int64_t *ids);

/* The same for cells of any type: 5, 69 and 76 have three ids, all others four. */
void make_part_of(make *m, int64_t vertices, int64_t cells, const int64_t *types,
                  const int64_t *ids);

/* Repeats the previous part, without cells of its own. */
void make_part_again(make *m);

/* Appends rows of Points, x y z each. */
void make_points(make *m, size_t rows, const double *xyz);
void make_random_points(make *m, size_t rows, rng *r);

/* Appends a step. */
void make_step(make *m, double time, int64_t part0, int64_t parts, int64_t point0, int64_t cell0,
               int64_t id0);

/* A step with the last `parts` parts and the points appended next. */
void make_step_next(make *m, double time, int64_t parts);

/* A batch of moving frames: n triangles without common vertices, some of which cross; or, in an
 * UnstructuredGrid, n cells, a third of which are tetrahedra. */
void make_moving(make *m, size_t frames, int64_t triangles, uint64_t seed);
void make_moving_mixed(make *m, size_t frames, int64_t cells, uint64_t seed);

/* Writes the file. Returns its path, in test_folder(); valid until the next call. */
const char *make_write(const make *m, const char *name);

/* The expected contents of a frame. */
typedef struct make_frame {
    double time;
    uint32_t vertices, primitives;
    int corners;           /* 4 if there is a tetrahedron, else 3 */
    uint32_t *corner;      /* [corners * primitives] a triangle among four repeats its third */
    uint8_t *corner_count; /* [primitives] */
    int mixed;
    double *point;
} make_frame;

size_t make_frames(const make *m);
void make_expect(const make *m, size_t frame, make_frame *out);
void make_frame_free(make_frame *f);

/* Value of a cell array for a cell of a frame. */
int64_t make_cell_value(const make *m, const make_cells *c, size_t frame, size_t cell);

/* ---- changing a file. Names are paths such as "VTKHDF/Points"; all abort the program on failure.
 */

void h5_remove(const char *path, const char *name); /* a link, or "GROUP@ATTRIBUTE" */
void h5_rename(const char *path, const char *from, const char *to);

/* Replaces or creates a dataset; it is filled with zeros if value is NULL. */
void h5_replace(const char *path, const char *name, hid_t type, int rank, const hsize_t *dims,
                const double *value);
void h5_replace_ints(const char *path, const char *name, size_t n, const int64_t *value);
/* A dataset of n texts of `size` bytes, one after another, padded with NUL; groups are created. */
void h5_texts(const char *path, const char *name, size_t n, const char *text, size_t size);
/* Stores the existing values as another type or with deflate; extensibility is preserved. */
void h5_store(const char *path, const char *name, hid_t type, int deflate);
void h5_attribute_ints(const char *path, const char *group, const char *name, size_t n,
                       const int64_t *value);
void h5_attribute_text(const char *path, const char *group, const char *name, const char *text);

/* One element of a dataset, by linear index. */
void h5_poke(const char *path, const char *name, size_t index, double value);
double h5_peek(const char *path, const char *name, size_t index);

/* A whole dataset as doubles or int64; the caller frees it. *n: number of elements. */
double *h5_reals(const char *path, const char *name, size_t *n);
int64_t *h5_ints(const char *path, const char *name, size_t *n);

#endif
