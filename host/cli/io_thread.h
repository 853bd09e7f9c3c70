/* Overlapped reading, computing and writing: while callers compute blocks of frames, a thread reads
 * the next block and writes the contacts of the previous ones.
 *
 * HDF5 performs one call at a time, and unless it is built with a lock of its own, concurrent calls
 * are not allowed. So one thread makes all its calls: a batch takes as long as computing, or as
 * reading and writing together, whichever is longer. Between io_thread_start and io_thread_stop
 * nobody else uses the job's batch or the result, or calls HDF5.
 *
 * Any number of callers, each in a thread of its own, take blocks as they become free. Blocks are
 * written in order; contacts of a later block wait. Memory holds a few blocks (one if no more fit)
 * and the contacts that job_open_devices allowed; a caller that is ahead waits for the others. If
 * several errors occur, the reported one is the first that would occur if each block were read,
 * computed and written before the next. */
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
    uint64_t first;           /* number of its first step in the result */
    size_t count;             /* number of its steps */
    result_step *step;        /* [count] */
    imp_frame_info *info;     /* [count], filled by the caller */
    relation_copy *relations; /* [count], by io_thread_relate; NULL: the result has none */
    uint64_t delivered;       /* rows of its pipeline that were added or left out */
} io_block;

/* Starts reading: steps from `first` on, `most` (from job_block_steps) at a time, for this number
 * of callers. */
int io_thread_start(job *w, result *r, uint64_t first, size_t most, size_t callers,
                    io_thread **out);

/* Waits for a block, which belongs to the caller until io_thread_end_block, io_thread_return_block
 * or io_thread_fail_block. *out is NULL if no block remains: all are computed, or an error has
 * occurred. */
void io_thread_next_block(io_thread *io, io_block **out);

/* Adds the next contacts of the block, in the order of the result; called until *rest has no row.
 * Each call skips the leading rows that the filter leaves out and copies the rows up to the next
 * such row. *added: the copied rows. Even after an error, b->delivered counts exactly the rows
 * removed from *rest. Fails if the block is no longer needed because an earlier block or writing
 * has failed. Returns IO_BEHIND, which is no error, if no memory is left until an earlier block,
 * which was returned, is computed: the caller then returns its own block and takes that one. */
#define IO_BEHIND 1
int io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter, imp_contacts *rest,
                       imp_contacts *added);

/* Keeps a copy of the relations of frame of->frame of the block, instead of an earlier copy. Waits
 * while relations of earlier blocks use the memory for them. Errors and IO_BEHIND as above. */
int io_thread_relate(io_thread *io, io_block *b, const imp_relations *of);

/* Marks the block complete. Only then its frames become part of the result. */
void io_thread_end_block(io_thread *io, io_block *b);

/* Gives the block to another caller, which continues after the rows that were delivered. */
void io_thread_return_block(io_thread *io, io_block *b);

/* Ends the work at this block with this error of the calling thread; earlier blocks continue. */
void io_thread_fail_block(io_thread *io, const io_block *b, int err);

/* Totals of the thread: seconds of reading and of writing, and steps written. */
typedef struct io_thread_done {
    double load, save;
    uint64_t steps;
} io_thread_done;

/* Called when no caller uses it any more: waits until all complete blocks before the first
 * incomplete one are written, and frees io. Returns the first error. */
int io_thread_stop(io_thread *io, io_thread_done *done);

/* ---- Row chunks carry contacts from a worker to the I/O thread. They have a fixed capacity, so
 * that small frames share one, and memory limits their number. Rows have the types of the file. */

/* Contacts of any frames of one block. */
typedef struct row_chunk {
    struct row_chunk *next;
    int last; /* the block's last chunk */
    column_rows rows;
    uint32_t *frame; /* the frame of each row */
} row_chunk;

typedef struct row_chunks {
    mem *mem;
    column_set columns;
    size_t rows;         /* capacity of a chunk */
    uint64_t made, most; /* chunks in memory: now, at most */
} row_chunks;

/* Prepares chunks with these columns; `bytes` is the limit for all chunks together. */
row_chunks row_chunks_of(mem *m, column_set columns, uint64_t bytes);
int row_chunk_new(row_chunks *p, row_chunk **out);
void row_chunks_free(mem *m, row_chunk *list);

/* Copies the first contacts of a step, as many as fit, and removes them from *rest. */
int row_chunk_fill(row_chunk *p, imp_contacts *rest, const result_step *of);

/* ---- Threads beside the first one, which alone handles signals. */

/* Starts a thread. All signals go to the first thread, except those that the new thread itself may
 * cause. Returns 1, or 0 if the system has no more threads. */
int thread_start(pthread_t *out, void *(*run)(void *user), void *user);

/* ---- An error passed to another thread: error texts are kept per thread. */

typedef struct failure {
    int err;
    char text[1024];
} failure;

/* Records this error of the calling thread. */
void failure_record(failure *f, int err);

/* Makes it the calling thread's error and returns it; IMP_OK if there was no error. */
int failure_restore(const failure *f);

/* ---- The hash of an input, or of the share that a shard reads, computed in a thread while the
 * pipeline is created. */

typedef struct input_hash {
    file_pieces pieces;
    pthread_t thread;
    int started;
    failure failed;
} input_hash;

/* Starts reading share `share` of `shares`; if no thread can be started, reads all of it now. */
int input_hash_begin(input_hash *h, const char *path, uint64_t share, uint64_t shares);

/* Waits until h->pieces is complete. May be called again. */
int input_hash_end(input_hash *h);

/* Stops the thread if it is still reading. */
void input_hash_free(input_hash *h);

#endif
