/* See io_thread.h. Blocks are numbered as they are read and are written in the order of these
 * numbers; their contacts are passed in row chunks. */
#include "io_thread.h"

#include "error.h"
#include "h5.h"
#include "internal.h"
#include "json.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Most blocks in memory for one caller. Two would be enough if all took the same time to write;
 * each more is memory that is touched for the first time, which costs a short run more than it
 * gains. */
#define RING_BLOCKS 4

/* A block in memory, from reading to writing. Its state only advances, except from BLOCK_COMPUTING
 * back to BLOCK_READ: io_thread_return_block. */
typedef struct ring_block {
    io_block block; /* first member: callers have pointers to it */
    uint64_t number;
    enum block_state state;
    row_chunk *filling_chunk;                  /* filled by the caller that has the block */
    row_chunk *full_chunks, **full_chunks_end; /* in order, to be written */
} ring_block;

/* members: the thread's, then those shared under the lock; they form one thing without parts */
struct io_thread {
    job *job;
    result *r;
    size_t block_steps;
    size_t callers;
    uint64_t ring_size;
    ring_block *ring;    /* [ring_size], block k is in entry k % ring_size */
    uint64_t next_step;  /* used by the thread: the step to read next */
    io_thread_done done; /* used by the thread until it is joined */
    pthread_t thread;
    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t work_arrived, work_done;
    uint64_t read, written; /* blocks */
    int all_read, stopping;
    row_chunks row_chunks;
    row_chunk *empty_chunks;
    uint64_t chunks_in_use; /* chunks that are not in empty_chunks */
    uint64_t related_bytes; /* relations in memory */
    failure reading, computing, writing;
    uint64_t failed_block; /* the block of the error `computing`, else UINT64_MAX */
};

static ring_block *io_thread_block_at(const io_thread *io, uint64_t number)
{
    return &io->ring[number % io->ring_size];
}

/* ---- blocks in memory: used by the thread only, except block.info while the block is computed */

static void io_block_drop_relations(io_block *s)
{
    for (size_t i = 0; s->relations && i < s->count; i++)
        relation_copy_free(&s->relations[i]);
}

static void io_block_clear(job *w, io_block *s)
{
    io_block_drop_relations(s);
    mem_free(&w->mem.read, s->relations);
    batch_block_free(&s->frames);
    mem_free(&w->mem.read, s->info);
    mem_free(&w->mem.read, s->step);
    *s = (io_block){0};
}

/* The description of each step is stored with the block, which is written later. */
static int io_block_read(job *w, const batch_block *before, uint64_t first, size_t count,
                         io_block *s)
{
    int err = IMP_OK;
    io_block_clear(w, s);
    TRY(job_read(w, before, first, (size_t)job_frames_of_steps(w, count), &s->frames));
    TRY(mem_alloc(&w->mem.read, count * sizeof *s->info, &s->info));
    TRY(mem_alloc(&w->mem.read, count * sizeof *s->step, &s->step));
    if (w->def.inside) {
        TRY(mem_alloc(&w->mem.read, count * sizeof *s->relations, &s->relations));
        memset(s->relations, 0, count * sizeof *s->relations);
    }
    for (size_t i = 0; i < count; i++)
        s->step[i] = w->partition.slabs ? job_partition_step(&s->frames)
                                        : job_step(w, first + i, &s->frames, i);
    s->first = first;
    s->count = count;
out:
    return err;
}

/* With one block in memory, the next one is read into the place of the block before, which is
 * gone. */
static const batch_block *io_thread_frames_before(const io_thread *io)
{
    return io->read && io->ring_size > 1 ? &io_thread_block_at(io, io->read - 1)->block.frames
                                         : NULL;
}

/* ---- the thread; its functions are called with the lock held, and release it while they work */

/* Reads without the lock, so that callers compute meanwhile. */
static void io_thread_read_block(io_thread *io)
{
    ring_block *s = io_thread_block_at(io, io->read);
    const batch_block *before = io_thread_frames_before(io);
    uint64_t remaining = io->job->steps - io->next_step;
    size_t count = remaining < io->block_steps ? (size_t)remaining : io->block_steps;
    pthread_mutex_unlock(&io->lock);
    double start = clock_seconds();
    int err = io_block_read(io->job, before, io->next_step, count, &s->block);
    io->done.load += clock_seconds() - start;
    mem_end_epoch(&io->job->mem.read);
    pthread_mutex_lock(&io->lock);
    s->number = io->read;
    s->state = BLOCK_READ;
    s->full_chunks_end = &s->full_chunks;
    io->next_step += count;
    io->all_read = err || io->next_step == io->job->steps;
    if (err)
        failure_record(&io->reading, err);
    else
        io->read++;
    pthread_cond_broadcast(&io->work_done);
}

/* Removes and returns the first of its chunks. */
static row_chunk *io_thread_pop_chunk(ring_block *s)
{
    row_chunk *p = s->full_chunks;
    if (!p)
        return NULL;
    s->full_chunks = p->next;
    if (!s->full_chunks)
        s->full_chunks_end = &s->full_chunks;
    return p;
}

static void io_thread_return_chunk(io_thread *io, row_chunk *p)
{
    p->next = io->empty_chunks;
    io->empty_chunks = p;
    io->chunks_in_use--;
}

/* Writes what follows the last row of a block; *freed: bytes of relations. */
static int io_thread_end_steps(io_thread *io, io_block *b, uint64_t *freed)
{
    int err = IMP_OK;
    for (size_t i = 0; b->relations && i < b->count; i++) {
        const step_relations of = relation_copy_view(&b->relations[i]);
        TRY(result_relate(io->r, &of));
        *freed += b->relations[i].bytes;
    }
    TRY(result_end_block(io->r, b->count, b->step, b->info));
    io_block_drop_relations(b);
out:
    return err;
}

/* Writes a chunk, if there is one, and after the last of a block the rest of its steps. Works
 * without the lock, so that callers compute meanwhile. */
static void io_thread_write_chunk(io_thread *io)
{
    ring_block *s = io_thread_block_at(io, io->written);
    io_block *b = &s->block;
    uint64_t freed = 0;
    row_chunk *p = io_thread_pop_chunk(s);
    const int last = s->state == BLOCK_COMPUTED && !s->full_chunks;
    pthread_mutex_unlock(&io->lock);
    double start = clock_seconds();
    int err = p ? result_add_chunk(io->r, &p->rows, p->frame) : IMP_OK;
    if (!err && last)
        err = io_thread_end_steps(io, b, &freed);
    io->done.save += clock_seconds() - start;
    pthread_mutex_lock(&io->lock);
    io->related_bytes -= err ? 0 : freed;
    if (err) {
        failure_record(&io->writing, err);
    } else if (last) {
        io->written++;
        io->done.steps += b->count;
    }
    if (p)
        io_thread_return_chunk(io, p);
    pthread_cond_broadcast(&io->work_done);
}

/* Counts the blocks in memory that have this state. */
static uint64_t io_thread_count_blocks(const io_thread *io, enum block_state state)
{
    uint64_t n = 0;
    for (uint64_t k = io->written; k < io->read; k++)
        n += io_thread_block_at(io, k)->state == state;
    return n;
}

static int io_thread_can_read(const io_thread *io)
{
    return !io->stopping && !io->all_read && !io->computing.err &&
           io->read - io->written < io->ring_size;
}

/* When the thread stops, contacts of an incomplete block and of all later blocks are dropped. */
static int io_thread_can_write(const io_thread *io)
{
    const ring_block *s = io_thread_block_at(io, io->written);
    if (io->written == io->read)
        return 0;
    return s->state == BLOCK_COMPUTED || (s->full_chunks && !io->stopping);
}

/* First, each caller must have a block to compute, unless complete blocks wait to be written and
 * could be lost. Then contacts are written. The remaining time is used to read ahead, for times
 * when writing takes longer. */
static void *io_thread_main(void *user)
{
    io_thread *io = user;
    h5_quiet();
    pthread_mutex_lock(&io->lock);
    for (;;) {
        const int reads = !io->writing.err && io_thread_can_read(io),
                  writes = !io->writing.err && io_thread_can_write(io);
        const int callers_wait = !io_thread_count_blocks(io, BLOCK_READ) &&
                                 io_thread_count_blocks(io, BLOCK_COMPUTED) < 1 + io->callers;
        if (reads && (!writes || callers_wait))
            io_thread_read_block(io);
        else if (writes)
            io_thread_write_chunk(io);
        else if (io->stopping)
            break;
        else
            pthread_cond_wait(&io->work_arrived, &io->lock);
    }
    pthread_mutex_unlock(&io->lock);
    h5_forget();
    return NULL;
}

/* ---- callers */

/* Frees the blocks and chunks and the memory cached for them. */
static void io_thread_free(io_thread *io)
{
    mem *m = &io->job->mem.read;
    for (uint64_t i = 0; i < io->ring_size; i++) {
        io_block_clear(io->job, &io->ring[i].block);
        row_chunks_free(m, io->ring[i].filling_chunk);
        row_chunks_free(m, io->ring[i].full_chunks);
    }
    row_chunks_free(m, io->empty_chunks);
    pthread_mutex_destroy(&io->lock);
    pthread_cond_destroy(&io->work_arrived);
    pthread_cond_destroy(&io->work_done);
    mem_free(m, io->ring);
    mem_free(m, io);
    m->caches = 0;
    mem_close(m);
}

/* More callers keep more blocks in memory, if these fit. */
static uint64_t io_thread_ring_size(const job *w, size_t most, size_t callers)
{
    const uint64_t fit = job_block_count(w, most), enough = RING_BLOCKS + 2 * (callers - 1);
    return fit < enough ? fit : enough;
}

int io_thread_start(job *w, result *r, uint64_t first, size_t most, size_t callers, io_thread **out)
{
    int err = IMP_OK;
    mem *m = &w->mem.read;
    const uint64_t ring_size = io_thread_ring_size(w, most, callers);
    ring_block *in_memory = NULL;
    io_thread *io;
    *out = NULL;
    TRY(mem_alloc(m, ring_size * sizeof *in_memory, &in_memory));
    err = mem_alloc(m, sizeof *io, &io);
    if (err) {
        mem_free(m, in_memory);
        goto out;
    }
    memset(in_memory, 0, ring_size * sizeof *in_memory);
    *io =
        (io_thread){.job = w, .r = r, .next_step = first, .block_steps = most, .callers = callers};
    io->ring = in_memory;
    io->ring_size = ring_size;
    io->failed_block = UINT64_MAX;
    /* a resumed run may have no step to compute */
    io->all_read = first == w->steps;
    m->caches = 1; /* blocks have similar sizes */
    io->row_chunks = row_chunks_of(m, result_writer_columns(r), w->mem.waiting_bytes);
    pthread_mutex_init(&io->lock, NULL);
    pthread_cond_init(&io->work_arrived, NULL);
    pthread_cond_init(&io->work_done, NULL);
    if (thread_start(&io->thread, io_thread_main, io)) {
        *out = io;
    } else {
        err = imp_fail(IMP_ERR_MEMORY, "out of memory: no thread for reading and writing");
        io_thread_free(io);
    }
out:
    return err;
}

/* Returns the first block that waits for a caller, among those that are needed. *more: another may
 * become available, by reading or by being returned. */
static ring_block *io_thread_first_unassigned(const io_thread *io, int *more)
{
    *more = !io->all_read && !io->computing.err;
    for (uint64_t k = io->written; k < io->read && k < io->failed_block; k++) {
        ring_block *s = io_thread_block_at(io, k);
        if (s->state == BLOCK_READ)
            return s;
        *more |= s->state == BLOCK_COMPUTING;
    }
    return NULL;
}

/* A caller stays while others compute, since their blocks may be returned. */
void io_thread_next_block(io_thread *io, io_block **out)
{
    ring_block *s = NULL;
    int more = 1;
    pthread_mutex_lock(&io->lock);
    while (!io->writing.err && !(s = io_thread_first_unassigned(io, &more)) && more)
        pthread_cond_wait(&io->work_done, &io->lock);
    if (s)
        s->state = BLOCK_COMPUTING;
    *out = s ? &s->block : NULL;
    pthread_mutex_unlock(&io->lock);
}

/* Avoids deadlock: the first incomplete block may use all chunks, which become free when they are
 * written. All other blocks leave one for it; and a caller that had to wait takes that block itself
 * if it was returned (behind). */
static int io_thread_may_take_chunk(const io_thread *io, const ring_block *s)
{
    uint64_t k = io->written;
    while (k < s->number && io_thread_block_at(io, k)->state == BLOCK_COMPUTED)
        k++;
    return io->chunks_in_use + (k < s->number) < io->row_chunks.most;
}

/* Returns the error if the block is no longer needed, with the text of the reason. */
static int io_thread_block_dropped(const io_thread *io, const ring_block *s)
{
    int err = failure_restore(&io->writing);
    if (!err && s->number > io->failed_block)
        err = imp_fail(IMP_ERR_CANCELLED, "an earlier block has failed");
    return err;
}

/* Returns IO_BEHIND if an earlier block waits for a caller. Blocks are handed out in order, so it
 * was returned. */
static int io_thread_is_behind(const io_thread *io, const ring_block *s)
{
    int waits = 0;
    for (uint64_t k = io->written; k < s->number && !waits; k++)
        waits = io_thread_block_at(io, k)->state == BLOCK_READ;
    return waits ? IO_BEHIND : IMP_OK;
}

/* Gets an empty chunk; waits until one has been written if all are in use. */
static int io_thread_next_chunk(io_thread *io, ring_block *s)
{
    row_chunk *p = NULL;
    int err;
    pthread_mutex_lock(&io->lock);
    while (!(err = io_thread_block_dropped(io, s)) && !io_thread_may_take_chunk(io, s) &&
           !(err = io_thread_is_behind(io, s)))
        pthread_cond_wait(&io->work_done, &io->lock);
    if (!err && !io->empty_chunks)
        err = row_chunk_new(&io->row_chunks, &p);
    else if (!err) {
        p = io->empty_chunks;
        io->empty_chunks = p->next;
    }
    io->chunks_in_use += p != NULL;
    pthread_mutex_unlock(&io->lock);
    if (p) {
        p->next = NULL;
        columns_clear(&p->rows);
    }
    s->filling_chunk = p;
    return err;
}

/* Called with the lock held. */
static void io_thread_send_chunk(ring_block *s)
{
    if (!s->filling_chunk)
        return;
    *s->full_chunks_end = s->filling_chunk;
    s->full_chunks_end = &s->filling_chunk->next;
    s->filling_chunk = NULL;
}

/* A full chunk is sent at once, so that the thread can write it while the rest is computed. */
int io_thread_add_rows(io_thread *io, io_block *b, const row_filter *filter, imp_contacts *rest,
                       imp_contacts *added)
{
    int err = IMP_OK;
    ring_block *s = (ring_block *)b;
    const size_t all = rest->count;
    imp_contacts run;
    row_filter_next(filter, rest, added);
    run = *added;
    while (run.count) {
        if (!s->filling_chunk)
            TRY(io_thread_next_chunk(io, s));
        TRY(row_chunk_fill(s->filling_chunk, &run, &b->step[run.frame]));
        if (!run.count && s->filling_chunk->rows.count < io->row_chunks.rows)
            break;
        pthread_mutex_lock(&io->lock);
        io_thread_send_chunk(s);
        pthread_cond_signal(&io->work_arrived);
        pthread_mutex_unlock(&io->lock);
    }
out:
    added->count -= run.count;
    columns_skip(&contact_table, rest, added->count);
    rest->count -= added->count;
    b->delivered += all - rest->count;
    return err;
}

/* Counts these bytes of relations. The block that is written next gets them in any case: all other
 * blocks wait for it. */
static int io_thread_reserve_relations(io_thread *io, const ring_block *s, uint64_t bytes)
{
    int err;
    pthread_mutex_lock(&io->lock);
    while (!(err = io_thread_block_dropped(io, s)) &&
           io->related_bytes + bytes > io->job->mem.waiting_bytes && io->written < s->number &&
           !(err = io_thread_is_behind(io, s)))
        pthread_cond_wait(&io->work_done, &io->lock);
    io->related_bytes += err ? 0 : bytes;
    pthread_mutex_unlock(&io->lock);
    return err;
}

int io_thread_relate(io_thread *io, io_block *b, const imp_relations *of)
{
    int err = IMP_OK;
    relation_copy *to = &b->relations[of->frame];
    const uint64_t before = to->bytes, bytes = relation_copy_bytes(of);
    TRY(io_thread_reserve_relations(io, (ring_block *)b, bytes));
    err = relation_copy_make(&io->job->mem.read, of, &b->frames.frame[of->frame],
                             b->step[of->frame].part, to);
    pthread_mutex_lock(&io->lock);
    io->related_bytes -= before + (err ? bytes : 0);
    pthread_mutex_unlock(&io->lock);
out:
    return err;
}

void io_thread_end_block(io_thread *io, io_block *b)
{
    ring_block *s = (ring_block *)b;
    pthread_mutex_lock(&io->lock);
    io_thread_send_chunk(s);
    s->state = BLOCK_COMPUTED;
    pthread_cond_signal(&io->work_arrived);
    /* another block may now be the first incomplete one, which may use all chunks */
    pthread_cond_broadcast(&io->work_done);
    pthread_mutex_unlock(&io->lock);
}

void io_thread_return_block(io_thread *io, io_block *b)
{
    pthread_mutex_lock(&io->lock);
    ((ring_block *)b)->state = BLOCK_READ;
    pthread_cond_broadcast(&io->work_done);
    pthread_mutex_unlock(&io->lock);
}

/* The block stays with the caller: nobody else gets it, and it is not written. */
void io_thread_fail_block(io_thread *io, const io_block *b, int err)
{
    const uint64_t number = ((const ring_block *)b)->number;
    pthread_mutex_lock(&io->lock);
    if (number < io->failed_block) {
        io->failed_block = number;
        failure_record(&io->computing, err);
    }
    pthread_cond_broadcast(&io->work_done);
    pthread_mutex_unlock(&io->lock);
}

/* Blocks are read in order, so an error of reading is later than any error of computing. */
int io_thread_stop(io_thread *io, io_thread_done *done)
{
    pthread_mutex_lock(&io->lock);
    io->stopping = 1;
    pthread_cond_signal(&io->work_arrived);
    pthread_mutex_unlock(&io->lock);
    pthread_join(io->thread, NULL);
    *done = io->done;
    int err = failure_restore(io->writing.err     ? &io->writing
                              : io->computing.err ? &io->computing
                                                  : &io->reading);
    io_thread_free(io);
    return err;
}

#define ROW_CHUNK_BYTES ((uint64_t)1 << 20)
#define ROW_CHUNK_SHARE 8 /* a chunk has at most this fraction of all bytes */

/* The limit counts the memory that an allocation really uses, a little more than requested
 * (mem.h). */
row_chunks row_chunks_of(mem *m, column_set columns, uint64_t bytes)
{
    row_chunks p = {.mem = m, .columns = columns};
    uint64_t each =
        bytes / ROW_CHUNK_SHARE < ROW_CHUNK_BYTES ? bytes / ROW_CHUNK_SHARE : ROW_CHUNK_BYTES;
    p.rows = (size_t)each / (columns_row_bytes(&stored_table, p.columns) + sizeof(uint32_t));
    each = mem_spare_size(columns_bytes(&stored_table, p.columns, p.rows)) +
           mem_spare_size(sizeof(row_chunk) + p.rows * sizeof(uint32_t));
    /* at least one, or no contact could be written */
    p.most = bytes > each ? bytes / each : 1;
    return p;
}

/* One allocation holds the struct and the frame of each row. */
int row_chunk_new(row_chunks *p, row_chunk **out)
{
    int err = IMP_OK;
    row_chunk *made;
    *out = NULL;
    TRY(mem_alloc(p->mem, sizeof *made + p->rows * sizeof *made->frame, &made));
    *made = (row_chunk){.frame = (uint32_t *)(made + 1)};
    err = columns_open(p->mem, &stored_table, p->columns, p->rows, &made->rows);
    if (err) {
        mem_free(p->mem, made);
    } else {
        p->made++;
        *out = made;
    }
out:
    return err;
}

void row_chunks_free(mem *m, row_chunk *list)
{
    while (list) {
        row_chunk *next = list->next;
        columns_close(&list->rows);
        mem_free(m, list);
        list = next;
    }
}

/* A chunk may hold contacts of several frames, so each row stores its frame. */
int row_chunk_fill(row_chunk *p, imp_contacts *rest, const result_step *of)
{
    int err = IMP_OK;
    const size_t at = p->rows.count, rows = stored_rows_fit(&p->rows, rest, rest->count);
    TRY(stored_rows_append(&p->rows, rest, rows, of));
    for (size_t i = 0; i < rows; i++)
        p->frame[at + i] = (uint32_t)rest->frame;
    columns_skip(&contact_table, rest, rows);
    rest->count -= rows;
out:
    return err;
}

int thread_start(pthread_t *out, void *(*run)(void *user), void *user)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t all, old;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int bad = pthread_create(out, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return !bad;
}

void failure_record(failure *f, int err)
{
    f->err = err;
    snprintf(f->text, sizeof f->text, "%s", imp_error_text());
}

int failure_restore(const failure *f)
{
    return f->err ? imp_fail(f->err, "%s", f->text) : IMP_OK;
}

static void *input_hash_thread(void *user)
{
    input_hash *h = user;
    failure_record(&h->failed, file_pieces_read(&h->pieces));
    return NULL;
}

int input_hash_begin(input_hash *h, const char *path, uint64_t share, uint64_t shares)
{
    int err = file_pieces_open(path, share, shares, &h->pieces);
    if (err)
        return err;
    h->started = thread_start(&h->thread, input_hash_thread, h);
    return h->started ? IMP_OK : file_pieces_read(&h->pieces);
}

int input_hash_end(input_hash *h)
{
    if (h->started)
        pthread_join(h->thread, NULL);
    h->started = 0;
    return failure_restore(&h->failed);
}

void input_hash_free(input_hash *h)
{
    atomic_store(&h->pieces.stop, 1);
    if (h->started)
        pthread_join(h->thread, NULL);
    h->started = 0;
    file_pieces_free(&h->pieces);
}
