/* See relay.h. Blocks are counted as they are read, handed to the caller, computed and written;
 * contacts travel in parcels of fixed size, so that small frames share one. */
#include "relay.h"

#include "contact_columns.h"
#include "error.h"
#include "h5.h"
#include "progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define SLOTS 8 /* most blocks in memory; two would do if all took the same time to write */

#define PARCEL_BYTES ((uint64_t)1 << 20)
#define PARCEL_SHARE 8 /* of what may wait is one parcel, if that is less */

/* Contacts on their way to the file, of any frames of one block. */
typedef struct parcel {
    struct parcel *next;
    int last; /* the block's last */
    column_rows rows;
    uint32_t *frame; /* of each row */
} parcel;

/* A block in memory, from reading to writing. */
typedef struct slot {
    relay_block block;
    uint64_t *number; /* [frames] in the input */
    double *time;
} slot;

/* An error of the other thread, where error texts are not seen. */
typedef struct failure {
    int err;
    char text[1024];
} failure;

struct relay {
    work *w;
    result *r;
    uint64_t next; /* the selected frame to read next */
    size_t most;
    unsigned slots;
    column_set columns;
    size_t parcel_rows;
    uint64_t parcels, parcels_most;
    parcel *filling; /* the caller's */
    slot slot[SLOTS];
    relay_seconds spent; /* the thread's until it is joined */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work_came, work_done;
    uint64_t read, taken, computed, written; /* blocks */
    int all_read, stopping;
    parcel *full, **full_end, *empty;
    failure reading, writing;
};

/* ---- slots: the thread's but for block.info while the block is computed */

static void slot_clear(work *w, slot *s)
{
    batch_block_free(&s->block.frames);
    mem_free(&w->mem, s->block.info);
    mem_free(&w->mem, s->number);
    mem_free(&w->mem, s->time);
    *s = (slot){0};
}

static int slot_read(work *w, uint64_t first, size_t count, slot *s)
{
    int err = IMP_OK;
    slot_clear(w, s);
    TRY(work_read(w, first, count, &s->block.frames));
    TRY(mem_alloc(&w->mem, count * sizeof *s->block.info, &s->block.info));
    TRY(mem_alloc(&w->mem, count * sizeof *s->number, &s->number));
    TRY(mem_alloc(&w->mem, count * sizeof *s->time, &s->time));
    for (size_t i = 0; i < count; i++) {
        s->number[i] = work_frame(w, first + i);
        s->time[i] = batch_time(w->in, s->number[i]);
    }
out:
    return err;
}

/* ---- parcels */

static int parcel_new(relay *y, parcel **out)
{
    int err = IMP_OK;
    mem *m = &y->w->mem;
    parcel *p;
    *out = NULL;
    TRY(mem_alloc(m, sizeof *p + y->parcel_rows * sizeof *p->frame, &p));
    *p = (parcel){.frame = (uint32_t *)(p + 1)};
    err = columns_open(m, &contact_table, y->columns, y->parcel_rows, &p->rows);
    if (err)
        mem_free(m, p);
    else
        *out = p;
out:
    return err;
}

/* So many parcels are in memory at a time as what may wait has room for: blocks of memory have some
 * to spare, which counts, too (mem.h). */
static uint64_t parcels_within(const relay *y, uint64_t bytes)
{
    uint64_t rows = mem_spare_size(columns_bytes(&contact_table, y->columns, y->parcel_rows));
    uint64_t each = rows + mem_spare_size(sizeof(parcel) + y->parcel_rows * sizeof(uint32_t));
    return bytes > each ? bytes / each : 1;
}

static void parcels_free(mem *m, parcel *p)
{
    while (p) {
        parcel *next = p->next;
        columns_close(&p->rows);
        mem_free(m, p);
        p = next;
    }
}

/* Those of the contacts that find room; *rows is how many. */
static int parcel_fill(parcel *p, const imp_contacts *c, size_t *rows)
{
    size_t at = p->rows.count;
    *rows = columns_fit(&p->rows, c, c->count);
    int err = columns_append(&p->rows, c, *rows);
    for (size_t i = 0; i < *rows; i++)
        p->frame[at + i] = (uint32_t)c->frame;
    return err;
}

/* Frame by frame. */
static int parcel_write(result *r, const parcel *p, const slot *s)
{
    int err = IMP_OK;
    const imp_frame *frame = s->block.frames.frame;
    imp_contacts c = {0};
    columns_view(&p->rows, &c);
    for (size_t i = 0; i < p->rows.count; i += c.count) {
        c.frame = p->frame[i];
        c.count = 1;
        while (i + c.count < p->rows.count && p->frame[i + c.count] == c.frame)
            c.count++;
        TRY(result_add(r, &c, frame[c.frame].mesh));
        columns_skip(&contact_table, &c, c.count);
    }
    if (p->last)
        TRY(result_end_block(r, s->block.frames.count, s->number, s->time, s->block.info));
out:
    return err;
}

/* ---- the thread; its functions are called with the lock, and let it go while they work */

/* For the caller, what this thread says of its error. */
static void note(failure *f, int err)
{
    f->err = err;
    snprintf(f->text, sizeof f->text, "%s", imp_error_text());
}

static void read_block(relay *y)
{
    slot *s = &y->slot[y->read % y->slots];
    uint64_t left = y->w->count - y->next;
    size_t count = left < y->most ? (size_t)left : y->most;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = slot_read(y->w, y->next, count, s);
    y->spent.load += clock_seconds() - start;
    mem_turn(&y->w->mem);
    pthread_mutex_lock(&y->lock);
    y->next += count;
    y->all_read = err || y->next == y->w->count;
    if (err)
        note(&y->reading, err);
    else
        y->read++;
    pthread_cond_signal(&y->work_done);
}

static void write_parcel(relay *y)
{
    parcel *p = y->full;
    y->full = p->next;
    if (!y->full)
        y->full_end = &y->full;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = parcel_write(y->r, p, &y->slot[y->written % y->slots]);
    y->spent.save += clock_seconds() - start;
    pthread_mutex_lock(&y->lock);
    if (err)
        note(&y->writing, err);
    else if (p->last)
        y->written++;
    p->next = y->empty;
    y->empty = p;
    pthread_cond_signal(&y->work_done);
}

/* First the caller must have something to do, unless several complete blocks wait to be written and
 * could be lost; then contacts are written; what time is left goes into reading ahead, against the
 * times when writing takes longer. When all is to stop, contacts of a block that is not complete
 * are not wanted any more. */
static void *relay_thread(void *user)
{
    relay *y = user;
    h5_quiet();
    pthread_mutex_lock(&y->lock);
    for (;;) {
        int can_read = !y->stopping && !y->all_read && y->read - y->written < y->slots;
        int can_write = y->full && (!y->stopping || y->written < y->computed);
        if (y->writing.err)
            can_read = can_write = 0;
        int hungry = y->read == y->taken && y->computed - y->written < 2;
        if (can_read && (!can_write || hungry))
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

static int failed(const failure *f)
{
    return f->err ? imp_fail(f->err, "%s", f->text) : IMP_OK;
}

/* Without signals: those are for the caller, but for what the thread itself may cause. */
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

static void relay_free(relay *y)
{
    mem *m = &y->w->mem;
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
    uint64_t bytes = w->waiting / PARCEL_SHARE;
    *out = NULL;
    TRY(mem_alloc(&w->mem, sizeof *y, &y));
    *y = (relay){.w = w, .r = r, .next = first, .most = most, .all_read = first == w->count};
    w->mem.keeps = 1; /* blocks are alike */
    y->slots = work_blocks(w, most) < SLOTS ? (unsigned)work_blocks(w, most) : SLOTS;
    y->full_end = &y->full;
    bytes = bytes < PARCEL_BYTES ? bytes : PARCEL_BYTES;
    y->columns = columns_when(&contact_table, &w->def);
    y->parcel_rows =
        (size_t)bytes / (columns_row_bytes(&contact_table, y->columns) + sizeof(uint32_t));
    y->parcels_most = parcels_within(y, w->waiting);
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
    while (y->read == y->taken && !y->all_read && !y->writing.err)
        pthread_cond_wait(&y->work_done, &y->lock);
    int err = failed(&y->writing), there = y->read > y->taken;
    *out = !err && there ? &y->slot[y->taken++ % y->slots].block : NULL;
    if (!err && !there)
        err = failed(&y->reading);
    pthread_mutex_unlock(&y->lock);
    return err;
}

/* An empty parcel, if need be when one has been written. */
static int next_parcel(relay *y)
{
    pthread_mutex_lock(&y->lock);
    while (!y->empty && y->parcels == y->parcels_most && !y->writing.err)
        pthread_cond_wait(&y->work_done, &y->lock);
    int err = failed(&y->writing);
    parcel *p = y->empty;
    if (p)
        y->empty = p->next;
    pthread_mutex_unlock(&y->lock);
    if (!err && !p) {
        err = parcel_new(y, &p);
        y->parcels += !err;
    }
    if (p) {
        p->next = NULL;
        columns_clear(&p->rows);
    }
    y->filling = p;
    return err;
}

static void send_parcel(relay *y, int last)
{
    parcel *p = y->filling;
    y->filling = NULL;
    p->last = last;
    pthread_mutex_lock(&y->lock);
    *y->full_end = p;
    y->full_end = &p->next;
    y->computed += last != 0;
    pthread_cond_signal(&y->work_came);
    pthread_mutex_unlock(&y->lock);
}

int relay_add(relay *y, const imp_contacts *c)
{
    int err = IMP_OK;
    imp_contacts rest = *c;
    while (rest.count) {
        size_t n;
        if (!y->filling)
            TRY(next_parcel(y));
        TRY(parcel_fill(y->filling, &rest, &n));
        columns_skip(&contact_table, &rest, n);
        rest.count -= n;
        if (rest.count || y->filling->rows.count == y->parcel_rows)
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
