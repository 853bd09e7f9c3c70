/* Reading, computing and writing at the same time: while the caller computes a block of frames, a
 * thread reads the next one and writes the contacts of the previous one.
 *
 * HDF5 does one call at a time, and without a lock of its own it allows no second one. So one
 * thread makes all its calls: a batch takes as long as computing, or as reading and writing
 * together, whichever is longer. Between relay_start and relay_stop the caller does not use the
 * work's batch or the result, and does not call HDF5.
 *
 * A few blocks are in memory (one if only that fits), and the contacts that work_engine allowed;
 * the thread that is ahead waits for the other. All errors come back to the caller: of several the
 * one that would have come first if each block were read, computed and written before the next. */
#ifndef IMP_RELAY_H
#define IMP_RELAY_H

#include "work.h"

typedef struct relay relay;

/* A block to be computed. */
typedef struct relay_block {
    batch_block frames;
    size_t count;         /* of its steps */
    result_step *step;    /* [count] */
    imp_frame_info *info; /* [count] for the caller to fill */
} relay_block;

/* Begins to read: steps from `first` on, `most` (of work_block) at a time. */
int relay_start(work *w, result *r, uint64_t first, size_t most, relay **out);

/* Waits for the next block, which stays valid until relay_end; *out is NULL after the last. */
int relay_next(relay *y, relay_block **out);

/* Contacts of that block, in order of the result; any number of calls. They are copied. */
int relay_add(relay *y, const imp_contacts *c);

/* The block is complete. Only then its frames become part of the result. */
int relay_end(relay *y);

/* Seconds that the thread spent on reading and on writing. */
typedef struct relay_seconds {
    double load, save;
} relay_seconds;

/* Waits until all complete blocks are written, and frees y (which may be NULL). `err` is the
 * caller's own error; returns it, or the error of writing, which came before it. */
int relay_stop(relay *y, int err, relay_seconds *spent);

#endif
