/* Reading, computing and writing at the same time: while callers compute blocks of frames, a thread
 * reads the next one and writes the contacts of the previous ones.
 *
 * HDF5 does one call at a time, and without a lock of its own it allows no second one. So one
 * thread makes all its calls: a batch takes as long as computing, or as reading and writing
 * together, whichever is longer. Between io_thread_start and io_thread_stop nobody else uses the
 * job's batch or the result, or calls HDF5.
 *
 * Any number of callers, each in a thread of its own, take blocks as they are free. Blocks are
 * written in their order; contacts of a later one wait. A few blocks are in memory (one if only
 * that fits), and the contacts that job_open_devices allowed; who is ahead waits for the others. Of
 * several errors the one counts that would have come first if each block were read, computed and
 * written before the next. */
#ifndef IMP_IO_THREAD_H
#define IMP_IO_THREAD_H

#include "columns.h"
#include "job.h"
#include "store.h"

#include <pthread.h>

typedef struct io_thread io_thread;

/* A block to be computed. */
typedef struct io_block {
    batch_block frames;
    uint64_t first;       /* of its steps: that number of the result */
    size_t count;         /* of its steps */
    result_step *step;    /* [count] */
    imp_frame_info *info; /* [count] for the caller to fill */
    uint64_t delivered;   /* rows of its pipeline that were added, or left out */
} io_block;

/* Begins to read: steps from `first` on, `most` (of job_block_steps) at a time, for this number of
 * callers. */
int io_thread_start(job *w, result *r, uint64_t first, size_t most, size_t callers,
                    io_thread **out);

/* Waits for a block, which is the caller's until io_thread_end_block, io_thread_return_block or
 * io_thread_fail_block; *out is NULL where no more will come: all are computed, or there was an
 * error. */
void io_thread_next_block(io_thread *io, io_block **out);

/* The next contacts of that block, in order of the result; any number of calls, until *rest has no
 * row. A call skips the rows that are left out, and copies those up to the next of these. *added:
 * the rows that it has copied; also where it comes to an error, b->delivered counts exactly the
 * rows that *rest has lost. An error if the block is not needed any more, after an error of an
 * earlier one or of writing. IO_BEHIND, which is none: there is no memory left before an earlier
 * block is computed, which was returned. The caller returns its own and takes that one. */
#define IO_BEHIND 1
int io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter, imp_contacts *rest,
                       imp_contacts *added);

/* The block is complete. Only then its frames become part of the result. */
void io_thread_end_block(io_thread *io, io_block *b);

/* The block is for another caller, who goes on after the rows that were delivered. */
void io_thread_return_block(io_thread *io, io_block *b);

/* This error of the calling thread ends the work at this block; those before it go on. */
void io_thread_fail_block(io_thread *io, const io_block *b, int err);

/* What the thread has done: seconds of reading and of writing, and steps that are written. */
typedef struct io_thread_done {
    double load, save;
    uint64_t steps;
} io_thread_done;

/* Once no caller uses it: waits until all complete blocks are written, up to one that is not
 * complete, and frees io. Returns the first error. */
int io_thread_stop(io_thread *io, io_thread_done *done);

/* ---- Contacts on their way from a worker to the I/O thread: rows of fixed capacity, so that
 * small frames share one, and no more of them at a time than memory allows. Rows are in the types
 * of the file. */

/* Contacts of any frames of one block. */
typedef struct row_chunk {
    struct row_chunk *next;
    int last; /* the block's last */
    column_rows rows;
    uint32_t *frame; /* of each row */
} row_chunk;

typedef struct row_chunks {
    mem *mem;
    column_set columns;
    size_t rows;         /* of a chunk */
    uint64_t made, most; /* chunks in memory */
} row_chunks;

/* For a result of these columns, with `bytes` for all chunks together. */
row_chunks row_chunks_of(mem *m, column_set columns, uint64_t bytes);
int row_chunk_new(row_chunks *p, row_chunk **out);
void row_chunks_free(mem *m, row_chunk *list);

/* Copies the first contacts of a step, up to its capacity; *rest moves on by them. */
int row_chunk_fill(row_chunk *p, imp_contacts *rest, const result_step *of);

/* ---- Threads beside the first one, which alone handles signals. */

/* All signals go to the first thread, except those that this one itself may cause. Returns 1, or 0
 * where the system has no more threads. */
int thread_start(pthread_t *out, void *(*run)(void *user), void *user);

/* ---- An error on its way to another thread: error texts are kept per thread. */

typedef struct failure {
    int err;
    char text[1024];
} failure;

/* Takes this error of the calling thread along. */
void failure_record(failure *f, int err);

/* It is the calling thread's error now; IMP_OK if there is none. */
int failure_restore(const failure *f);

/* ---- The hash of an input, or of the share that a shard reads: in a thread, while the pipeline is
 * made.
 */

typedef struct input_hash {
    file_pieces pieces;
    pthread_t thread;
    int started;
    failure failed;
} input_hash;

/* Begins to read share `share` of `shares`; without a thread it reads all of it now. */
int input_hash_begin(input_hash *h, const char *path, uint64_t share, uint64_t shares);

/* Waits; h->pieces is complete then. May be called again. */
int input_hash_end(input_hash *h);

/* Also while it is read: that ends. */
void input_hash_free(input_hash *h);

#endif
