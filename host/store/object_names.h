/* Names that a batch stores beside its frames in the group /impinge, and a result the names of its
 * objects (data/format.md); all are optional. They are UTF-8. */
#ifndef IMP_OBJECT_NAMES_H
#define IMP_OBJECT_NAMES_H

#include "mem.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

typedef struct batch_names {
    size_t objects;  /* number of objects with a name */
    int32_t *object; /* [objects] ascending */
    char **object_name;
    size_t sources; /* 0 or the number of frames */
    char **source;  /* [sources] the file from which a frame was made */
    mem *mem;
    size_t object_capacity, name_capacity, source_capacity; /* elements */
} batch_names;

/* Reads the names of an open batch, called `path` in messages; absent names are no error.
 * IMP_ERR_INPUT if they are damaged, or if there is not one source for each frame; *out is then
 * zeroed. */
int batch_names_read(mem *m, const char *path, hid_t file, uint64_t frames, batch_names *out);

/* Leaves n zeroed; accepts a zeroed one. */
void batch_names_free(batch_names *n);

/* Returns the name of an object; NULL if it has none. n may be NULL. */
const char *batch_object_name(const batch_names *n, int32_t object);

/* Returns the file from which a frame was made; NULL if unknown. n may be NULL. */
const char *batch_frame_source(const batch_names *n, uint64_t frame);

/* ---- for writing: n is zeroed at first, except n->mem */

/* Objects are added in ascending order; an empty name is ignored. Bytes that are not UTF-8 become
 * U+FFFD. */
int batch_names_add_object(batch_names *n, int32_t object, const char *name);
int batch_names_add_source(batch_names *n, const char *source);

/* Writes into a complete file without a group /impinge; writes nothing if there are no names. */
int batch_names_write(const batch_names *n, const char *path, hid_t file);

/* Writes the names of objects into an open group. */
int batch_names_write_objects(const batch_names *n, const char *path, hid_t group);

/* The same, into a group /impinge that it creates if there are names. */
int batch_names_write_beside(const batch_names *n, const char *path, hid_t file);

#endif
