/* The velocities that bodies of a simulation get within its frames: the group
 * /impinge/velocity_changes of a batch (data/format.md). Within the writer and the reader of
 * batches. */
#ifndef IMP_STORE_CHANGES_H
#define IMP_STORE_CHANGES_H

#include "h5.h"
#include "velocity_change.h"

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
