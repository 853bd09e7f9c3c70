/* Rigid bodies of a batch (/impinge/bodies, /impinge/velocity_changes; data/format.md): the state
 * of their reader and writer. */
#ifndef IMP_BATCH_BODIES_H
#define IMP_BATCH_BODIES_H

#include "bodies.h"
#include "h5.h"
#include "matter.h"

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Rigid bodies that a batch stores beside its frames: the group /impinge/bodies
 * (data/format.md). */

/* ---- writing: bodies_writer.c */

typedef struct bodies_writer_shape {
    int32_t object;
    uint64_t rows; /* 0: no frame so far has its primitives */
    double *rest;  /* [3 * rows] */
} bodies_writer_shape;

/* Shapes stay in memory until all bodies have one; poses are added to the file. Zeroed at first,
 * except mem. */
typedef struct bodies_writer {
    mem *mem;
    uint32_t bodies;
    bodies_writer_shape *shape; /* [bodies] */
    const imp_mesh *mesh;       /* the last one whose shapes were recorded */
    int shaped;                 /* shapes are in the file */
    hid_t above, group;         /* /impinge, and bodies in it, from the first frame on; else 0 */
    h5_grow field[POSE_FIELDS];
    double *row; /* [4 * bodies] a field of one frame */
} bodies_writer;

/* Adds the next frame of a file, which messages call `path`. IMP_ERR_ARGUMENT if it has no poses,
 * invalid ones, or other bodies than the frames before. */
int bodies_writer_add(bodies_writer *k, const char *path, hid_t file, const imp_frame *f);

/* Continues a file after some frames, all of the mesh of f; bodies_writer_truncate removes later
 * rows. Errors: INPUT. */
int bodies_writer_reopen(bodies_writer *k, const char *path, hid_t file, const imp_frame *f,
                         uint64_t frames);
int bodies_writer_truncate(bodies_writer *k, const char *path);

/* Writes buffered poses. Once all bodies have a shape, or if `last`, also writes the shapes, and
 * their materials m, which may be NULL. Writes nothing if there was no frame. */
int bodies_writer_write(bodies_writer *k, const matter *m, const char *path, int last);

/* Leaves k zeroed; accepts a zeroed one. */
void bodies_writer_free(bodies_writer *k);

/* ---- Materials of the rigid bodies of a batch, beside their poses in /impinge/bodies, and the
 * forces on them, /impinge/simulation (data/format.md). */

/* Writes into these two groups of the file called `path`. */
int store_matter_write(const matter *m, const int32_t *object, const char *path, hid_t bodies,
                       hid_t impinge);

/* ---- Velocities that bodies of a simulation get within its frames: the group
 * /impinge/velocity_changes of a batch (data/format.md). Internal to the writer and the reader of
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
    hid_t group; /* 0: absent */
    h5_grow column[CHANGE_COLUMNS];
    uint64_t steps; /* steps written so far */
    double overlap; /* the greatest so far; below 0: not given yet */
} changes_writer;

/* Creates a group of `file`, or opens the existing one, of which the rows of the first `steps`
 * steps are kept. Errors: INPUT, FILE, MEMORY. */
int changes_writer_open(changes_writer *k, const char *path, hid_t file);
int changes_writer_reopen(changes_writer *k, const char *path, hid_t file, uint64_t steps);
int changes_writer_truncate(changes_writer *k, const char *path);

/* Adds the changes of the next step; object: of each body. overlap: becomes that of the file. */
int changes_writer_add(changes_writer *k, const char *path, const int32_t *object,
                       const velocity_change *change, size_t count, double overlap);

/* Writes buffered rows. */
int changes_writer_write(changes_writer *k, const char *path);

void changes_writer_free(changes_writer *k); /* leaves it zeroed */

#endif
