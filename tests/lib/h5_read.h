/* Reading HDF5 files for comparison. Plain HDF5, no code of host/. */
#ifndef IMP_H5_READ_H
#define IMP_H5_READ_H

#include <hdf5.h>
#include <stdint.h>

/* Formats the description of a difference, for the caller to return. */
const char *differ(const char *format, ...) __attribute__((format(printf, 1, 2)));

hid_t h5_open_file(const char *path); /* read-only */

/* The common properties of datasets and attributes. */
typedef struct value {
    hid_t type;
    int rank;
    hsize_t dims[H5S_MAX_RANK], most[H5S_MAX_RANK];
    size_t bytes;
    char *data;
} value;

/* Returns 0 if it does not exist or cannot be read. Must be freed in either case. */
int value_of_data(hid_t at, const char *name, value *v);
int value_of_attribute(hid_t at, const char *name, value *v);
void value_free(value *v);

/* A dataset of a type of 8 bytes; NULL if absent. The caller frees it. */
void *h5_whole(hid_t file, const char *name, hid_t type, size_t *n);

/* frames_done of a result; -1 if absent. */
int64_t h5_frames_done(hid_t file);

/* The cell arrays of a result. */
#define H5_ARRAYS 5
extern const char *const h5_arrays[H5_ARRAYS];

#endif
