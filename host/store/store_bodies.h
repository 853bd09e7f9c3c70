/* Rigid bodies that a batch keeps beside its frames: the group /impinge/bodies (data/format.md). */
#ifndef IMP_STORE_BODIES_H
#define IMP_STORE_BODIES_H

#include "impinge.h"
#include "matter.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* ---- writing: store_bodies_write.c */

typedef struct kept_shape {
    int32_t object;
    uint64_t rows; /* 0: no frame so far had its primitives */
    double *rest;  /* [3 * rows] */
} kept_shape;

/* All of it stays in memory until the frames are written. Zeroed at first, except mem. */
typedef struct kept_bodies {
    mem *mem;
    uint32_t bodies;
    kept_shape *shape;    /* [bodies] */
    const imp_mesh *mesh; /* the last whose shapes were taken */
    uint64_t frames;
    size_t capacity; /* poses */
    imp_pose *pose;  /* [frames * bodies] */
} kept_bodies;

/* The next frame of the file called `path`. IMP_ERR_ARGUMENT if it has no poses, impossible ones,
 * or other bodies than the frames before. */
int kept_bodies_add(kept_bodies *k, const char *path, const imp_frame *f);

/* Into a file that may have a group /impinge; where there was no frame nothing is written. m: of
 * the bodies, or NULL. */
int kept_bodies_write(const kept_bodies *k, const matter *m, const char *path, hid_t file);

/* A zeroed one is allowed; leaves it zeroed. */
void kept_bodies_free(kept_bodies *k);

#endif
