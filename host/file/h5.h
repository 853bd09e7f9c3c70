/* HDF5 for the store: quiet, checked, and with errors that name file and dataset. */
#ifndef IMP_H5_H
#define IMP_H5_H

#include "columns.h"
#include "mem.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Turns HDF5's own error printing off for this thread. */
void h5_quiet(void);

/* Frees what HDF5 keeps of errors in this thread; to be called before the thread ends, or it is
 * lost. */
void h5_forget(void);

/* imp_fail(code, "path: dataset: reason"); dataset may be NULL. IMP_ERR_FILE becomes IMP_ERR_DISK
 * where the last system error was a full disk. */
int h5_fail(int code, const char *path, const char *dataset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Closes an object, other than a file, if it is open. */
void h5_drop(hid_t id);

/* ---- reading. `path` is for messages. Failures are IMP_ERR_INPUT. */

/* Opens an existing HDF5 file, read-only unless `write`: then it is sound at every moment, as after
 * h5_create. IMP_ERR_INPUT also if another process writes it. */
int h5_open(const char *path, int write, hid_t *out);

/* Does a process hold this file open for writing? */
int h5_in_use(const char *path);

/* Does this name exist (a path below `at`)? A link that leads nowhere counts. */
int h5_exists(hid_t at, const char *name);

/* Why it cannot be opened: a link on its way leads nowhere, or else `what`. Returns IMP_ERR_INPUT.
 */
int h5_broken(hid_t at, const char *path, const char *where, const char *name, const char *what);

/* Memory for decoded chunks of a dataset, which HDF5 keeps until the dataset is closed: `bytes`,
 * counted in `mem`; NULL: the caller counts them. */
typedef struct h5_chunks {
    mem *mem;
    uint64_t bytes;
} h5_chunks;

/* An opened dataset and its extent: rows by columns (1 if it has one dimension). */
typedef struct h5_virtual h5_virtual;
typedef struct h5_data {
    hid_t id;
    h5_virtual *behind; /* where the rows of a virtual dataset are, else NULL */
    int stored;         /* opened by h5_data_open_stored */
    const char *path;   /* of the file */
    char name[120];
    uint64_t rows, columns;
    H5T_class_t class;
    size_t size;     /* bytes of an element in the file */
    uint64_t stride; /* rows that HDF5 is asked for at a time, in chunks as a whole; 0: any */
    h5_chunks chunks;
} h5_data;

/* `group` is the open group called `where`, e.g. "/VTKHDF/Steps". Datasets have 1 or 2 dimensions.
 * What is in other files is checked: they exist and hold what is needed. Chunks that went through a
 * filter are decoded once if rows are read in order, forwards or backwards; memory for them is
 * counted in m. IMP_ERR_MEMORY if m does not allow even one. m may be NULL if no row is read. */
int h5_data_open(mem *m, hid_t group, const char *path, const char *where, const char *name,
                 h5_data *out);

/* IMP_ERR_INPUT if it has another number of columns. Call it before reading into memory for that
 * number. */
int h5_data_columns(const h5_data *d, uint64_t columns);

/* For data that no writer leaves out to mean zeros. */
int h5_data_open_stored(mem *m, hid_t group, const char *path, const char *where, const char *name,
                        h5_data *out);

/* Gives back the memory for chunks, after the last row has been read. Later reads are still right,
 * but decode a chunk each time. */
void h5_data_rest(h5_data *d);

/* Rows that were never written, as when their writer died (only after h5_data_open_stored), or that
 * no file of a virtual dataset has: HDF5 reads zeros there. Call it before they are read, which
 * puts them into HDF5's cache. h5_data_missing: the first of these rows; first + rows if there is
 * none. */
#define H5_NEVER_WRITTEN "row %llu was never written; did its writer end early?"
uint64_t h5_data_missing(const h5_data *d, uint64_t first, uint64_t rows);
int h5_data_stored(const h5_data *d, uint64_t first, uint64_t rows);

void h5_data_close(h5_data *d);

/* Rows [first, first + rows) as `type`, into memory for rows * columns elements. */
int h5_data_read(const h5_data *d, uint64_t first, uint64_t rows, hid_t type, void *out);

/* A whole dataset of integers, in `columns` columns; *rows is how many. stored: NULL, or it is
 * opened by h5_data_open_stored, and *stored becomes the first row that was not written. */
int h5_read_integers(mem *m, hid_t group, const char *path, const char *where, const char *name,
                     uint64_t columns, int64_t **out, uint64_t *rows, uint64_t *stored);

/* A list of different objects: int32, ascending. */
int h5_read_objects(mem *m, hid_t group, const char *path, const char *where, const char *name,
                    int32_t **out, uint64_t *rows);

/* Calls found(to, file) for the file itself, and then once for each file that datasets in it take
 * rows from (virtual ones, raw data, external links), as long as it returns 0. Datasets are visited
 * below `group`, by name, and the files of each in its own order; the files behind a file follow
 * it, those of all its datasets. Missing files are skipped. */
typedef int (*h5_found)(void *to, const char *file);
int h5_files(const char *path, const char *group, h5_found found, void *to);

int h5_attr_integers(hid_t at, const char *path, const char *where, const char *name, int64_t *out,
                     int count);
int h5_attr_floats(hid_t at, const char *path, const char *where, const char *name, double *out,
                   int count);
int h5_attr_text(hid_t at, const char *path, const char *where, const char *name, char *out,
                 size_t size);

/* ---- writing. Failures are IMP_ERR_FILE or IMP_ERR_DISK. */

/* Properties for making a file, group or dataset (H5P_..._CREATE) without the time at which it is
 * made: the same contents are the same bytes, however late. All that makes one uses it. */
hid_t h5_untimed(hid_t class);

/* A new file; the name must not exist. From the first flush on it is readable at every moment, with
 * all that was in it at the last flush, even if the process is killed while it writes. */
int h5_create(const char *path, hid_t *out);

/* The file driver of all files: h5_order.c. It makes that so, and opens no FIFO or device. < 0 on
 * failure. With it writing fails only at h5_flush and h5_close. */
int h5_order(hid_t access, int write);
int h5_flush(const char *path, hid_t file);
int h5_close(hid_t file); /* -1, with errno, if it could not be written; sets no error text */

hid_t h5_group(hid_t at, const char *name); /* created; < 0 on failure */

/* The type of elements in memory, or (`stored`) in the files that are written here. */
hid_t h5_type(enum column_type type, int stored);

/* A dataset that grows by rows. Rows are kept back and written in chunks; h5_grow_flush writes the
 * rows kept back. No filters: growing a filtered dataset would rewrite rows that are already
 * committed. */
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
    uint64_t rows; /* with those pending */
    size_t row_bytes, used, capacity;
    char *pending;
} h5_grow;

/* Makes a new one (H5_NEW), or opens an existing one with `rows` valid rows. IMP_ERR_INPUT if that
 * has fewer, or is not stored as a new one would be. The file stays as it is until h5_grow_truncate
 * cuts off what is beyond them: rows of a step that was never committed. */
#define H5_NEW UINT64_MAX
int h5_grow_open(mem *m, hid_t at, const char *path, const h5_grow_def *def, uint64_t rows,
                 h5_grow *g);

/* A new one with a filter, for a file that is worth nothing before it is complete. */
int h5_grow_packed(mem *m, hid_t at, const char *path, const h5_grow_def *def, h5_grow *g);
int h5_grow_truncate(h5_grow *g, const char *path);
int h5_grow_add(h5_grow *g, const char *path, const void *data, uint64_t rows);

int h5_grow_flush(h5_grow *g, const char *path);

/* The same at once, from the caller's memory. After h5_grow_flush: no rows may be pending. */
int h5_grow_write(h5_grow *g, const char *path, const void *data, uint64_t rows);
void h5_grow_close(h5_grow *g); /* what was kept back is lost */

/* All of a new dataset. */
int h5_write(mem *m, hid_t at, const char *path, const h5_grow_def *def, const void *data,
             uint64_t rows);

/* Attributes, made or overwritten. */
int h5_put_integers(hid_t at, const char *path, const char *name, const int64_t *value, int count);
int h5_put_floats(hid_t at, const char *path, const char *name, const double *value, int count);
int h5_put_text(hid_t at, const char *path, const char *name, const char *text);

/* A scalar int64 dataset, made if it does not exist; what is read must be one. */
int h5_put_scalar(hid_t at, const char *path, const char *name, int64_t value);
int h5_get_scalar(hid_t at, const char *path, const char *where, const char *name, int64_t *out);

/* Closes a text file, failing if it could not be written to its end. */
int h5_text_close(const char *path, FILE *file);

/* Gives a finished file its name, on the disk as well: fsync, rename, fsync of the folder. It gets
 * the permissions of what it replaces. IMP_ERR_EXISTS if the name exists by now and not `replace`.
 */
int h5_publish(const char *from, const char *to, int replace);

/* ---- Within the reader of datasets: h5_read.c (any), h5_read.c (chunks that HDF5 keeps),
 * h5_virtual.c and h5_virtual.c (virtual ones), h5_virtual.c (is what is read really stored?). */

/* The datasets that led here: one that leads back to itself would never end. */
typedef struct h5_chain {
    const struct h5_chain *up;
    unsigned long file;
    haddr_t object;
} h5_chain;

/* A part of a dataset. */
typedef struct h5_box {
    uint64_t row, rows, column, columns;
} h5_box;

/* A box of a virtual dataset, and where it comes from. */
typedef struct h5_mapping {
    h5_box box;
    uint64_t row, column; /* in the source */
    int whole;            /* it is all of the source, of any shape */
    char *file, *dataset; /* file: NULL if it is the virtual dataset's own */
} h5_mapping;

/* Mapping i of the creation list `made`. The caller frees the texts of *p, on failure too. */
int h5_mapping_read(const h5_data *d, hid_t made, size_t i, h5_mapping *p);

/* h5_data_open for a dataset that virtual ones led to. `stored`: as h5_data_open_stored. `chunks`
 * is the memory for chunks of the first of them: one dataset behind it is open at a time, so the
 * one that needs most decides. It grows if it has a mem, else it stays as it is. */
int h5_data_open_behind(hid_t group, const char *path, const char *where, const char *name,
                        int stored, const h5_chain *up, h5_chunks *chunks, h5_data *out);

/* Opens d->id again as `name` of `group`, so that HDF5 keeps the chunks that reading in order
 * needs, if it must decode them. `made`, here and below: the creation list of the dataset. */
int h5_chunks_open(hid_t group, const char *name, hid_t made, h5_chunks *chunks, h5_data *d);

/* A box, into memory for box->rows rows of `width` elements, from the first of them on. */
int h5_data_read_box(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out);

/* Finds where the rows of a virtual dataset are, before its shape is read; then checks that all of
 * them exist. */
int h5_virtual_open(h5_data *d, hid_t made);
int h5_virtual_check(h5_data *d, const h5_chain *up, h5_chunks *chunks);
int h5_virtual_read(const h5_data *d, const h5_box *box, hid_t type, uint64_t width, void *out);
void h5_virtual_rest(h5_virtual *v); /* closes the source that is open */
void h5_virtual_close(h5_virtual *v);

/* The first row from `first` on, before `end`, that is in no file; `end` if there is none. */
uint64_t h5_virtual_missing(const h5_virtual *v, uint64_t first, uint64_t end);

/* The names of the files that it refers to; NULL: its own. */
size_t h5_virtual_files(const h5_virtual *v);
const char *h5_virtual_name(const h5_virtual *v, size_t i);

/* The file that an open object is in; the caller frees. NULL: out of memory. */
char *h5_file_name(hid_t object);

/* Where one of them is; the caller frees. IMP_ERR_INPUT, with text, if it does not exist. */
int h5_virtual_locate(const h5_virtual *v, const char *name, char **out);

/* Where HDF5 finds the file `name` that a virtual dataset of `file` refers to; last, if `astray`,
 * beside it by the last part of the name. */
int h5_virtual_file(const char *file, const char *name, int astray, char **out);

/* The same of external raw data. */
int h5_raw_file(const char *file, const char *name, char **out);

/* Rows in other files that are not HDF5: do those exist, and are they long enough? */
int h5_raw_check(const h5_data *d, hid_t made);

/* ---- Objects or files that a walk has seen: links lead to the same ones again, and in circles. */

/* All zero at first. */
typedef struct h5_seen {
    struct seen_pair *at;
    size_t count, capacity;
} h5_seen;

/* Adds a pair of numbers; *is_new: it was not there. Errors: MEMORY. */
int h5_seen_add(h5_seen *s, uint64_t a, uint64_t b, int *is_new);
void h5_seen_free(h5_seen *s);

#endif
