/* See relay.h. Blocks are counted as they are read, handed to the caller, computed and written;
 * contacts travel in parcels. */
#include "relay.h"

#include "error.h"
#include "h5.h"
#include "parcel.h"
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define SLOTS                                                                                      \
    8 /* most blocks in memory; two would be enough if all took the same time to write             \
       */

/* An error of the other thread: error texts are kept per thread. */
typedef struct failure {
    int err;
    char text[1024];
} failure;

/* The number of blocks that have passed each stage. */
typedef struct block_counts {
    uint64_t read, taken, computed, written;
    int all_read;
} block_counts;

struct relay {
    work *w;
    result *r;
    size_t most; /* steps of a block */
    unsigned slots;
    relay_block slot[SLOTS]; /* a block in memory, from reading to writing */
    parcels parcels;         /* the caller's, and so is the one that is filled */
    parcel *filling;
    uint64_t next;       /* the thread's: the step to read next */
    relay_seconds spent; /* the thread's, until it is joined */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work_came, work_done;
    block_counts blocks;
    int stopping;
    parcel *full, **full_end, *empty;
    failure reading, writing;
};

/* ---- slots: used by the thread only, except block.info while the block is computed */

static void slot_clear(work *w, relay_block *s)
{
    batch_block_free(&s->frames);
    mem_free(&w->mem.read, s->info);
    mem_free(&w->mem.read, s->step);
    *s = (relay_block){0};
}

/* What a step is of is taken along: it is written with the block, later. */
static int slot_read(work *w, const batch_block *before, uint64_t first, size_t count,
                     relay_block *s)
{
    int err = IMP_OK;
    slot_clear(w, s);
    TRY(work_read(w, before, first, (size_t)work_frames(w, count), &s->frames));
    TRY(mem_alloc(&w->mem.read, count * sizeof *s->info, &s->info));
    TRY(mem_alloc(&w->mem.read, count * sizeof *s->step, &s->step));
    for (size_t i = 0; i < count; i++)
        s->step[i] = w->space.slabs ? work_space_step(&s->frames)
                                    : work_step(w, first + i, s->frames.frame[i].mesh);
    s->count = count;
out:
    return err;
}

/* With one slot the block before is where the next one is read to. */
static const batch_block *frames_before(const relay *y)
{
    const uint64_t read = y->blocks.read;
    return read && y->slots > 1 ? &y->slot[(read - 1) % y->slots].frames : NULL;
}

/* ---- the thread; its functions are called with the lock, and release it while they work */

/* Copies this thread's error text for the caller. */
static void note(failure *f, int err)
{
    f->err = err;
    snprintf(f->text, sizeof f->text, "%s", imp_error_text());
}

/* Reads without the lock: the caller computes meanwhile. */
static void read_block(relay *y)
{
    relay_block *s = &y->slot[y->blocks.read % y->slots];
    const batch_block *before = frames_before(y);
    uint64_t remaining = y->w->steps - y->next;
    size_t count = remaining < y->most ? (size_t)remaining : y->most;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = slot_read(y->w, before, y->next, count, s);
    y->spent.load += clock_seconds() - start;
    mem_turn(&y->w->mem.read);
    pthread_mutex_lock(&y->lock);
    y->next += count;
    y->blocks.all_read = err || y->next == y->w->steps;
    if (err)
        note(&y->reading, err);
    else
        y->blocks.read++;
    pthread_cond_signal(&y->work_done);
}

/* A parcel, and after the last of a block the rest of its steps. */
static int write_rows(relay *y, const parcel *p)
{
    const relay_block *s = &y->slot[y->blocks.written % y->slots];
    int err = parcel_write(p, s->step, y->r);
    return err || !p->last ? err : result_end_block(y->r, s->count, s->step, s->info);
}

/* Writes without the lock: the caller computes meanwhile. */
static void write_parcel(relay *y)
{
    parcel *p = y->full;
    y->full = p->next;
    if (!y->full)
        y->full_end = &y->full;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = write_rows(y, p);
    y->spent.save += clock_seconds() - start;
    pthread_mutex_lock(&y->lock);
    if (err)
        note(&y->writing, err);
    else if (p->last)
        y->blocks.written++;
    p->next = y->empty;
    y->empty = p;
    pthread_cond_signal(&y->work_done);
}

/* First the caller must have a block to compute, unless several complete blocks wait to be written
 * and could be lost. Then contacts are written. The remaining time is used to read ahead, for times
 * when writing takes longer. When the relay stops, contacts of a block that is not complete are
 * dropped. */
static void *relay_thread(void *user)
{
    relay *y = user;
    h5_quiet();
    pthread_mutex_lock(&y->lock);
    for (;;) {
        int can_read =
            !y->stopping && !y->blocks.all_read && y->blocks.read - y->blocks.written < y->slots;
        int can_write = y->full && (!y->stopping || y->blocks.written < y->blocks.computed);
        if (y->writing.err)
            can_read = can_write = 0;
        int caller_waits =
            y->blocks.read == y->blocks.taken && y->blocks.computed - y->blocks.written < 2;
        if (can_read && (!can_write || caller_waits))
            read_block(y);
        else if (can_write)
            write_parcel(y);
        else if (y->stopping)
            break;
        else
            pthread_cond_wait(&y->work_came, &y->lock);
    }
    pthread_mutex_unlock(&y->lock);
    h5_forget();
    return NULL;
}

/* ---- the caller */

/* The text again in this thread, since error texts are kept per thread. */
static int failed(const failure *f)
{
    return f->err ? imp_fail(f->err, "%s", f->text) : IMP_OK;
}

/* All signals go to the caller, except those that the thread itself may cause. */
static int start_thread(relay *y)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t all, old;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int bad = pthread_create(&y->thread, NULL, relay_thread, y);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return bad ? imp_fail(IMP_ERR_MEMORY, "out of memory: no thread for reading and writing")
               : IMP_OK;
}

/* Gives memory back that was kept for blocks. */
static void relay_free(relay *y)
{
    mem *m = &y->w->mem.read;
    for (int i = 0; i < SLOTS; i++)
        slot_clear(y->w, &y->slot[i]);
    parcels_free(m, y->filling);
    parcels_free(m, y->full);
    parcels_free(m, y->empty);
    pthread_mutex_destroy(&y->lock);
    pthread_cond_destroy(&y->work_came);
    pthread_cond_destroy(&y->work_done);
    mem_free(m, y);
    m->keeps = 0;
    mem_close(m);
}

int relay_start(work *w, result *r, uint64_t first, size_t most, relay **out)
{
    int err = IMP_OK;
    relay *y;
    *out = NULL;
    TRY(mem_alloc(&w->mem.read, sizeof *y, &y));
    *y = (relay){.w = w, .r = r, .next = first, .most = most};
    /* a resumed run may have no step to compute */
    y->blocks.all_read = first == w->steps;
    w->mem.read.keeps = 1; /* blocks are alike */
    y->slots = work_blocks(w, most) < SLOTS ? (unsigned)work_blocks(w, most) : SLOTS;
    y->full_end = &y->full;
    y->parcels = parcels_of(&w->mem.read, &w->def, w->mem.waiting);
    pthread_mutex_init(&y->lock, NULL);
    pthread_cond_init(&y->work_came, NULL);
    pthread_cond_init(&y->work_done, NULL);
    err = start_thread(y);
    if (err)
        relay_free(y);
    else
        *out = y;
out:
    return err;
}

int relay_next(relay *y, relay_block **out)
{
    pthread_mutex_lock(&y->lock);
    while (y->blocks.read == y->blocks.taken && !y->blocks.all_read && !y->writing.err)
        pthread_cond_wait(&y->work_done, &y->lock);
    int err = failed(&y->writing), there = y->blocks.read > y->blocks.taken;
    *out = !err && there ? &y->slot[y->blocks.taken++ % y->slots] : NULL;
    if (!err && !there)
        err = failed(&y->reading);
    pthread_mutex_unlock(&y->lock);
    return err;
}

/* Takes an empty parcel; waits until one has been written if all are in use. */
static int next_parcel(relay *y)
{
    pthread_mutex_lock(&y->lock);
    while (!y->empty && y->parcels.made == y->parcels.most && !y->writing.err)
        pthread_cond_wait(&y->work_done, &y->lock);
    int err = failed(&y->writing);
    parcel *p = y->empty;
    if (p)
        y->empty = p->next;
    pthread_mutex_unlock(&y->lock);
    if (!err && !p)
        err = parcel_new(&y->parcels, &p);
    if (p) {
        p->next = NULL;
        columns_clear(&p->rows);
    }
    y->filling = p;
    return err;
}

/* The last parcel of a block also marks the block as computed. */
static void send_parcel(relay *y, int last)
{
    parcel *p = y->filling;
    y->filling = NULL;
    p->last = last;
    pthread_mutex_lock(&y->lock);
    *y->full_end = p;
    y->full_end = &p->next;
    y->blocks.computed += last != 0;
    pthread_cond_signal(&y->work_came);
    pthread_mutex_unlock(&y->lock);
}

/* A full parcel is sent at once, so that the thread can write while the rest is computed. */
int relay_add(relay *y, const imp_contacts *c)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count) {
        if (!y->filling)
            TRY(next_parcel(y));
        TRY(parcel_fill(y->filling, &rest));
        if (rest.count || y->filling->rows.count == y->parcels.rows)
            send_parcel(y, 0);
    }
out:
    return err;
}

int relay_end(relay *y)
{
    int err = y->filling ? IMP_OK : next_parcel(y);
    if (!err)
        send_parcel(y, 1);
    return err;
}

int relay_stop(relay *y, int err, relay_seconds *spent)
{
    if (!y)
        return err;
    pthread_mutex_lock(&y->lock);
    y->stopping = 1;
    pthread_cond_signal(&y->work_came);
    pthread_mutex_unlock(&y->lock);
    pthread_join(y->thread, NULL);
    *spent = y->spent;
    if (y->writing.err)
        err = failed(&y->writing);
    relay_free(y);
    return err;
}
