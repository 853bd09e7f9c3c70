/* Reading, computing and writing at the same time: while callers compute blocks of frames, a thread
 * reads the next one and writes the contacts of the previous ones.
 *
 * HDF5 does one call at a time, and without a lock of its own it allows no second one. So one
 * thread makes all its calls: a batch takes as long as computing, or as reading and writing
 * together, whichever is longer. Between relay_start and relay_stop nobody else uses the work's
 * batch or the result, or calls HDF5.
 *
 * Any number of callers, each in a thread of its own, take blocks as they are free. Blocks are
 * written in their order; contacts of a later one wait. A few blocks are in memory (one if only
 * that fits), and the contacts that work_engine allowed; who is ahead waits for the others. Of
 * several errors the one counts that would have come first if each block were read, computed and
 * written before the next. */
#ifndef IMP_RELAY_H
#define IMP_RELAY_H

#include "work.h"

typedef struct relay relay;

/* A block to be computed. */
typedef struct relay_block {
    batch_block frames;
    uint64_t first;       /* of its steps: that number of the result */
    size_t count;         /* of its steps */
    result_step *step;    /* [count] */
    imp_frame_info *info; /* [count] for the caller to fill */
    uint64_t rows;        /* contacts that were added, also by a call that came to an error */
} relay_block;

/* Begins to read: steps from `first` on, `most` (of work_block) at a time, for this number of
 * callers. */
int relay_start(work *w, result *r, uint64_t first, size_t most, size_t callers, relay **out);

/* Waits for a block, which is the caller's until relay_end, relay_return or relay_fail; *out is
 * NULL where no more will come: all are computed, or there was an error. */
void relay_next(relay *y, relay_block **out);

/* Contacts of that block, in order of the result; any number of calls. They are copied. An error if
 * the block is not needed any more, after an error of an earlier one or of writing. RELAY_BEHIND,
 * which is none: there is no memory left before an earlier block is computed, which was returned.
 * The caller returns its own and takes that one. */
#define RELAY_BEHIND 1
int relay_add(relay *y, relay_block *b, const imp_contacts *c);

/* The block is complete. Only then its frames become part of the result. */
void relay_end(relay *y, relay_block *b);

/* The block is for another caller, who goes on after the contacts that were added. */
void relay_return(relay *y, relay_block *b);

/* This error of the calling thread ends the work at this block; those before it go on. */
void relay_fail(relay *y, const relay_block *b, int err);

/* What the thread has done: seconds of reading and of writing, and steps that are written. */
typedef struct relay_done {
    double load, save;
    uint64_t steps;
} relay_done;

/* Once no caller uses it: waits until all complete blocks are written, up to one that is not
 * complete, and frees y. Returns the first error. */
int relay_stop(relay *y, relay_done *done);

#endif
