/* Names that a batch keeps beside its frames in the group /impinge, and a result of its objects
 * (data/format.md); none of it is needed. They are UTF-8. */
#ifndef IMP_OBJECT_NAMES_H
#define IMP_OBJECT_NAMES_H

#include "mem.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

typedef struct batch_names {
    size_t objects;  /* how many have a name */
    int32_t *object; /* [objects] ascending */
    char **object_name;
    size_t sources; /* 0 or the number of frames */
    char **source;  /* [sources] the file that a frame was made of */
    mem *mem;
    size_t object_capacity, name_capacity, source_capacity; /* elements */
} batch_names;

/* Reads the names of an open batch, called `path` in messages; absent ones are no error.
 * IMP_ERR_INPUT if they are damaged, or there is not one source for each frame; *out is then
 * zeroed. */
int batch_names_read(mem *m, const char *path, hid_t file, uint64_t frames, batch_names *out);

/* A zeroed one is allowed; leaves it zeroed. */
void batch_names_free(batch_names *n);

/* The name of an object; NULL: it has none. n may be NULL. */
const char *batch_object_name(const batch_names *n, int32_t object);

/* The file that a frame was made of; NULL: unknown. n may be NULL. */
const char *batch_frame_source(const batch_names *n, uint64_t frame);

/* ---- for writing: n is zeroed at first, except n->mem */

/* Objects are added in ascending order; an empty name is none. Bytes that are no UTF-8 become
 * U+FFFD. */
int batch_names_add_object(batch_names *n, int32_t object, const char *name);
int batch_names_add_source(batch_names *n, const char *source);

/* Into a complete file without a group /impinge; where there is no name nothing is written. */
int batch_names_write(const batch_names *n, const char *path, hid_t file);

/* Those of objects, into an open group. */
int batch_names_write_objects(const batch_names *n, const char *path, hid_t group);

#endif
