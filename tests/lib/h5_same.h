/* Compares HDF5 files to the last bit of data. Plain HDF5, no code of host/. Functions return NULL
 * if they are the same, else a description of the difference, valid until the next call. */
#ifndef IMP_H5_SAME_H
#define IMP_H5_SAME_H

#include <hdf5.h>
#include <stdint.h>

/* All groups, datasets and attributes below `group`: names, types, shapes, contents. */
const char *h5_same(const char *a, const char *b, const char *group);

/* The same for /VTKHDF, and for the data of contacts and frames in /impinge that do not depend on
 * the method. */
const char *h5_same_answers(const char *a, const char *b);

/* The same where datasets of b may be virtual: those are not extensible. */
const char *h5_same_virtual(const char *a, const char *b);

/* Checks that `part`, an incomplete result, is a prefix of the complete result `whole`, with
 * everything that its frames_done frames need. *done: frames_done, -1 if absent. */
const char *h5_begins(const char *part, const char *whole, int64_t *done);

/* A text of /impinge. Valid until the next call but one. */
const char *h5_origin(const char *path, const char *name);

/* Checks that a result has the layout of data/format.md, with all tables consistent. */
const char *h5_sound(const char *result);

#endif
