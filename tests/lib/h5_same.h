/* Are two HDF5 files the same, to the last bit of data? Plain HDF5, nothing of host/. Functions
 * return NULL if so, else a text that says what differs; it is valid until the next call. */
#ifndef IMP_H5_SAME_H
#define IMP_H5_SAME_H

#include <hdf5.h>
#include <stdint.h>

/* All groups, datasets and attributes below `group`: names, types, shapes, contents. */
const char *h5_same(const char *a, const char *b, const char *group);

/* The same of /VTKHDF, and of what /impinge has of each contact and frame however it was found. */
const char *h5_same_answers(const char *a, const char *b);

/* The same where datasets of b may be virtual: those cannot grow. */
const char *h5_same_virtual(const char *a, const char *b);

/* Is `part`, a result that is not complete, the beginning of the complete result `whole`: all that
 * its frames_done frames need? *done: how many those are, -1 if it does not say. */
const char *h5_begins(const char *part, const char *whole, int64_t *done);

/* A text of /impinge. Valid until the next call but one. */
const char *h5_origin(const char *path, const char *name);

/* Is a result laid out as data/format.md says, every table in step with every other? */
const char *h5_sound(const char *result);

#endif
