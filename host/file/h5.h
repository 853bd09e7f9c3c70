/* HDF5 for the store: quiet, checked, and with errors that name file and dataset. */
#ifndef IMP_H5_H
#define IMP_H5_H

#include "columns.h"
#include "mem.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Turns off HDF5's own error printing in this thread. */
void h5_quiet(void);

/* Frees HDF5's error records of this thread. Must be called before the thread ends, or they
 * leak. */
void h5_forget(void);

/* imp_fail(code, "path: dataset: reason"); dataset may be NULL. IMP_ERR_FILE becomes IMP_ERR_DISK
 * if the last system error was a full disk. */
int h5_fail(int code, const char *path, const char *dataset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Closes an object, other than a file, if it is open. */
void h5_drop(hid_t id);

/* ---- reading. `path` is for messages. Failures are IMP_ERR_INPUT. */

/* Opens an existing HDF5 file, read-only unless `write`; with `write` the file is sound at every
 * moment, as after h5_create. IMP_ERR_INPUT also if another process writes it. */
int h5_open(const char *path, int write, hid_t *out);

/* Returns whether a process holds this file open for writing. */
int h5_in_use(const char *path);

/* Returns whether this name exists (a path below `at`). A dangling link counts as existing. */
int h5_exists(hid_t at, const char *name);

/* Reports why the object cannot be opened: a dangling link in its path, or else `what`. Returns
 * IMP_ERR_INPUT. */
int h5_broken(hid_t at, const char *path, const char *where, const char *name, const char *what);

/* Memory for a dataset's decoded chunks, which HDF5 keeps until the dataset is closed: `bytes`,
 * counted in `mem`; NULL: the caller counts them. */
typedef struct h5_chunks {
    mem *mem;
    uint64_t bytes;
} h5_chunks;

/* An opened dataset and its extent: rows by columns (1 if it has one dimension). */
typedef struct h5_virtual h5_virtual;
typedef struct h5_data {
    hid_t id;
    h5_virtual *behind; /* the sources of a virtual dataset, else NULL */
    int stored;         /* opened by h5_data_open_stored */
    const char *path;   /* path of the file */
    char name[120];
    uint64_t rows, columns;
    H5T_class_t class;
    size_t size;     /* bytes of an element in the file */
    uint64_t stride; /* rows to read in one call, a multiple of the chunk length; 0: any */
    h5_chunks chunks;
} h5_data;

/* Opens a dataset of 1 or 2 dimensions. `group` is the open group called `where`, e.g.
 * "/VTKHDF/Steps". Data in other files are checked: the files exist and contain the needed rows.
 * Filtered chunks are decoded only once if rows are read in order, forwards or backwards; memory
 * for them is counted in m. IMP_ERR_MEMORY if m does not allow even one chunk. m may be NULL if no
 * row is read. */
int h5_data_open(mem *m, hid_t group, const char *path, const char *where, const char *name,
                 h5_data *out);

/* Returns IMP_ERR_INPUT if the number of columns differs. Call it before reading into memory for
 * that number. */
int h5_data_columns(const h5_data *d, uint64_t columns);

/* The same for data that writers always store, even if they are zero. */
int h5_data_open_stored(mem *m, hid_t group, const char *path, const char *where, const char *name,
                        h5_data *out);

/* Releases the memory for chunks, after the last row has been read. Later reads are still correct,
 * but decode a chunk each time. */
void h5_data_rest(h5_data *d);

/* Finds rows that were never written, for instance because their writer was killed (only after
 * h5_data_open_stored), or that no file of a virtual dataset contains: HDF5 reads zeros there. Call
 * it before the rows are read, since reading puts them into HDF5's cache. h5_data_missing returns
 * the first of these rows; first + rows if none is missing. */
#define H5_NEVER_WRITTEN "row %llu was never written; did its writer end early?"
uint64_t h5_data_missing(const h5_data *d, uint64_t first, uint64_t rows);
int h5_data_stored(const h5_data *d, uint64_t first, uint64_t rows);

void h5_data_close(h5_data *d);

/* Reads rows [first, first + rows) as `type`, into memory for rows * columns elements. */
int h5_data_read(const h5_data *d, uint64_t first, uint64_t rows, hid_t type, void *out);

/* Reads a whole dataset of integers with `columns` columns; *rows: its number of rows. stored:
 * NULL; else the dataset is opened by h5_data_open_stored, and *stored becomes the first row that
 * was not written. */
int h5_read_integers(mem *m, hid_t group, const char *path, const char *where, const char *name,
                     uint64_t columns, int64_t **out, uint64_t *rows, uint64_t *stored);

/* Reads a list of different objects: int32, ascending. */
int h5_read_objects(mem *m, hid_t group, const char *path, const char *where, const char *name,
                    int32_t **out, uint64_t *rows);

/* Calls found(to, file) for the file itself, then once for each file that its datasets take rows
 * from (virtual datasets, raw data, external links), as long as it returns 0. Datasets below
 * `group` are visited by name, and the files of each in the dataset's order; a file is followed by
 * the files of all its own datasets. Missing files are skipped. */
typedef int (*h5_found)(void *to, const char *file);
int h5_files(const char *path, const char *group, h5_found found, void *to);

int h5_attr_integers(hid_t at, const char *path, const char *where, const char *name, int64_t *out,
                     int count);
int h5_attr_floats(hid_t at, const char *path, const char *where, const char *name, double *out,
                   int count);
int h5_attr_text(hid_t at, const char *path, const char *where, const char *name, char *out,
                 size_t size);

/* ---- writing. Failures are IMP_ERR_FILE or IMP_ERR_DISK. */

/* Creation properties for a file, group or dataset (H5P_..._CREATE) without a creation time, so
 * that the same contents always give the same bytes. Every creation uses it. */
hid_t h5_untimed(hid_t class);

/* Creates a file; the name must not exist. From the first flush on it is readable at every moment,
 * with the contents of the last flush, even if the process is killed while it writes. */
int h5_create(const char *path, hid_t *out);

/* Sets the file driver of all files: h5_order.c. It provides that guarantee, and opens no FIFO or
 * device. Returns < 0 on failure. With it, writing fails only at h5_flush and h5_close. */
int h5_order(hid_t access, int write);
int h5_flush(const char *path, hid_t file);
int h5_close(hid_t file); /* -1 with errno if writing failed; sets no error text */

hid_t h5_group(hid_t at, const char *name); /* creates the group; < 0 on failure */

/* Returns the type of elements in memory, or (`stored`) in the files that the program writes. */
hid_t h5_type(enum column_type type, int stored);

/* A dataset that grows by rows. Rows are buffered and written in chunks; h5_grow_flush writes the
 * buffered rows. There are no filters: growing a filtered dataset would rewrite rows that are
 * already committed. */
typedef struct h5_grow_def {
    const char *name; /* must outlive the dataset */
    enum column_type type;
    uint64_t columns; /* 0: one dimension */
    uint64_t chunk;   /* rows */
} h5_grow_def;

typedef struct h5_grow {
    hid_t id;
    h5_grow_def def;
    mem *mem;
    uint64_t rows; /* including pending rows */
    size_t row_bytes, used, capacity;
    char *pending;
} h5_grow;

/* Creates a dataset (H5_NEW), or opens an existing one with `rows` valid rows. IMP_ERR_INPUT if
 * that has fewer rows, or is not stored as a new one would be. The file does not change until
 * h5_grow_truncate cuts off further rows, which belong to a step that was never committed. */
#define H5_NEW UINT64_MAX
int h5_grow_open(mem *m, hid_t at, const char *path, const h5_grow_def *def, uint64_t rows,
                 h5_grow *g);

/* Creates a filtered dataset, for a file that is of no use before it is complete. */
int h5_grow_packed(mem *m, hid_t at, const char *path, const h5_grow_def *def, h5_grow *g);
int h5_grow_truncate(h5_grow *g, const char *path);
int h5_grow_add(h5_grow *g, const char *path, const void *data, uint64_t rows);

int h5_grow_flush(h5_grow *g, const char *path);

/* Writes rows at once, from the caller's memory. Call h5_grow_flush before: no rows may be
 * pending. */
int h5_grow_write(h5_grow *g, const char *path, const void *data, uint64_t rows);
void h5_grow_close(h5_grow *g); /* discards buffered rows */

/* Creates and writes a whole dataset. */
int h5_write(mem *m, hid_t at, const char *path, const h5_grow_def *def, const void *data,
             uint64_t rows);

/* Create or overwrite attributes. */
int h5_put_integers(hid_t at, const char *path, const char *name, const int64_t *value, int count);
int h5_put_floats(hid_t at, const char *path, const char *name, const double *value, int count);
int h5_put_text(hid_t at, const char *path, const char *name, const char *text);

/* A scalar int64 dataset: h5_put_scalar creates it if it does not exist; h5_get_scalar requires
 * one. */
int h5_put_scalar(hid_t at, const char *path, const char *name, int64_t value);
int h5_get_scalar(hid_t at, const char *path, const char *where, const char *name, int64_t *out);

/* Closes a text file; fails if it could not be written completely. */
int h5_text_close(const char *path, FILE *file);

/* Gives a finished file its name, durably: fsync, rename, fsync of the folder. The file keeps the
 * permissions of the file that it replaces. IMP_ERR_EXISTS if the name exists by now and not
 * `replace`. */
int h5_publish(const char *from, const char *to, int replace);

/* ---- Within the reader of datasets: h5_read.c (all datasets, cached chunks), h5_virtual.c
 * (virtual datasets, checks that data are really stored). */

/* The chain of datasets that led here: a dataset that leads back to itself would cause endless
 * recursion. */
typedef struct h5_chain {
    const struct h5_chain *up;
    unsigned long file;
    haddr_t object;
} h5_chain;

/* A rectangular part of a dataset. */
typedef struct h5_box {
    uint64_t row, rows, column, columns;
} h5_box;

/* A box of a virtual dataset, and its source. */
typedef struct h5_mapping {
    h5_box box;
    uint64_t row, column; /* position in the source */
    int whole;            /* the box is the whole source, of any shape */
    char *file, *dataset; /* file: NULL for the virtual dataset's own */
} h5_mapping;

/* Reads mapping i of the creation property list `made`. The caller frees the texts of *p, on
 * failure too. */
int h5_mapping_read(const h5_data *d, hid_t made, size_t i, h5_mapping *p);

/* h5_data_open for the source of a virtual dataset. stored: as in h5_data_open_stored. chunks:
 * memory for chunks, shared by all sources: only one is open at a time, so the largest need
 * decides. It grows if it has a mem, else its size is fixed. */
int h5_data_open_behind(hid_t group, const char *path, const char *where, const char *name,
                        int stored, const h5_chain *up, h5_chunks *chunks, h5_data *out);

/* Opens d->id again as `name` of `group`, so that HDF5 caches the chunks that reading in order
 * needs, if it must decode them. made, here and below: the dataset's creation property list. */
int h5_chunks_open(hid_t group, const char *name, hid_t made, h5_chunks *chunks, h5_data *d);

/* Reads a box into memory for box->rows rows of `width` elements, beginning at the first element of
 * each. */
int h5_data_read_box(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out);

/* h5_virtual_open finds the sources of a virtual dataset, before its shape is read;
 * h5_virtual_check then checks that all of them exist. */
int h5_virtual_open(h5_data *d, hid_t made);
int h5_virtual_check(h5_data *d, const h5_chain *up, h5_chunks *chunks);
int h5_virtual_read(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out);
void h5_virtual_rest(h5_virtual *v); /* closes the open source */
void h5_virtual_close(h5_virtual *v);

/* Returns the first row in [first, end) that no file contains; `end` if none is missing. */
uint64_t h5_virtual_missing(const h5_virtual *v, uint64_t first, uint64_t end);

/* Returns the names of the files that it refers to; NULL for its own file. */
size_t h5_virtual_files(const h5_virtual *v);
const char *h5_virtual_name(const h5_virtual *v, size_t i);

/* Returns the name of the file that contains an open object; the caller frees it. NULL: out of
 * memory. */
char *h5_file_name(hid_t object);

/* Finds the path of one of these files; the caller frees it. IMP_ERR_INPUT, with text, if it does
 * not exist. */
int h5_virtual_locate(const h5_virtual *v, const char *name, char **out);

/* Finds the file `name` that a virtual dataset of `file` refers to, by HDF5's rules; last, if
 * `astray`, beside `file` by the last part of the name. */
int h5_virtual_file(const char *file, const char *name, int astray, char **out);

/* Does the same for external raw data. */
int h5_raw_file(const char *file, const char *name, char **out);

/* Checks raw data in other files, which are not HDF5: the files exist and are long enough. */
int h5_raw_check(const h5_data *d, hid_t made);

/* ---- Objects or files that a walk has seen: links may lead to the same ones again, and in
 * circles. */

/* All zero at first. */
typedef struct h5_seen {
    struct seen_pair *at;
    size_t count, capacity;
} h5_seen;

/* Adds a pair of numbers; *is_new: it was not in the set. Errors: MEMORY. */
int h5_seen_add(h5_seen *s, uint64_t a, uint64_t b, int *is_new);
void h5_seen_free(h5_seen *s);

#endif
