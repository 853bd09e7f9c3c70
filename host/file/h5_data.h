/* Within the reader of datasets: h5_data.c (any), h5_chunks.c (chunks that HDF5 keeps),
 * h5_virtual.c and h5_piece.c (virtual ones), h5_stored.c (is what is read really stored?). */
#ifndef IMP_H5_DATA_H
#define IMP_H5_DATA_H

#include "h5.h"

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

#endif
