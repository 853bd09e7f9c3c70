/* Rigid bodies of a batch (/impinge/bodies, /impinge/velocity_changes; data/format.md): their rows
 * in memory, for the reader and the writer. */
#ifndef IMP_BATCH_BODIES_H
#define IMP_BATCH_BODIES_H

#include "bodies.h"
#include "h5.h"
#include "matter.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Rigid bodies that a batch keeps beside its frames: the group /impinge/bodies
 * (data/format.md). */

/* ---- writing: bodies_writer.c */

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

/* ---- What the rigid bodies of a batch are made of, beside their poses in /impinge/bodies, and
 * what acts on them, /impinge/simulation (data/format.md). */

/* Into these two groups of the file called `path`. */
int store_matter_write(const matter *m, const int32_t *object, const char *path, hid_t bodies,
                       hid_t impinge);

/* ---- The velocities that bodies of a simulation get within its frames: the group
 * /impinge/velocity_changes of a batch (data/format.md). Within the writer and the reader of
 * batches. */

enum change_column {
    CHANGE_FRAME,
    CHANGE_OBJECT,
    CHANGE_TIME,
    CHANGE_VELOCITY,
    CHANGE_SPIN,
    CHANGE_COLUMNS
};

/* Zeroed at first, except mem. */
typedef struct changes_writer {
    mem *mem;
    hid_t group; /* 0: not there */
    h5_grow column[CHANGE_COLUMNS];
    uint64_t steps; /* before the next one */
    double overlap; /* the greatest so far; below 0: not given yet */
} changes_writer;

/* A new group of `file`, or one that is there, of which the rows of the steps before `steps` stay.
 * Errors: INPUT, FILE, MEMORY. */
int changes_writer_open(changes_writer *k, const char *path, hid_t file);
int changes_writer_reopen(changes_writer *k, const char *path, hid_t file, uint64_t steps);
int changes_writer_truncate(changes_writer *k, const char *path);

/* Those of the next step; object: of each body. `overlap` becomes that of the file. */
int changes_writer_add(changes_writer *k, const char *path, const int32_t *object,
                       const velocity_change *change, size_t count, double overlap);

/* Writes what is kept back. */
int changes_writer_write(changes_writer *k, const char *path);

void changes_writer_free(changes_writer *k); /* leaves it zeroed */

#endif
