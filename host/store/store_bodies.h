/* Rigid bodies that a batch keeps beside its frames: the group /impinge/bodies (data/format.md). */
#ifndef IMP_STORE_BODIES_H
#define IMP_STORE_BODIES_H

#include "h5.h"
#include "matter.h"
#include "pose.h"

#include <stddef.h>
#include <stdint.h>

/* ---- writing: store_bodies_write.c */

typedef struct bodies_writer_shape {
    int32_t object;
    uint64_t rows; /* 0: no frame so far had its primitives */
    double *rest;  /* [3 * rows] */
} bodies_writer_shape;

/* Shapes stay in memory until all bodies have one; poses grow in the file. Zeroed at first, except
 * mem. */
typedef struct bodies_writer {
    mem *mem;
    uint32_t bodies;
    bodies_writer_shape *shape; /* [bodies] */
    const imp_mesh *mesh;       /* the last whose shapes were taken */
    int shaped;                 /* shapes are in the file */
    hid_t above, group;         /* /impinge, and bodies in it, from the first frame on; else 0 */
    h5_grow field[POSE_FIELDS];
    double *row; /* [4 * bodies] a field of a frame */
} bodies_writer;

/* The next frame of a file, in which `path` is the name of messages. IMP_ERR_ARGUMENT if it has no
 * poses, impossible ones, or other bodies than the frames before. */
int bodies_writer_add(bodies_writer *k, const char *path, hid_t file, const imp_frame *f);

/* Goes on after some frames of a file, all of the mesh of f; what is beyond them is cut off by
 * bodies_writer_truncate. Errors: INPUT. */
int bodies_writer_reopen(bodies_writer *k, const char *path, hid_t file, const imp_frame *f,
                         uint64_t frames);
int bodies_writer_truncate(bodies_writer *k, const char *path);

/* Writes what is kept back: poses, and the shapes, with m, what they are made of, or NULL: once all
 * bodies have one, or `last`. Where there was no frame nothing is written. */
int bodies_writer_write(bodies_writer *k, const matter *m, const char *path, int last);

/* A zeroed one is allowed; leaves it zeroed. */
void bodies_writer_free(bodies_writer *k);

#endif
