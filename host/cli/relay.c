/* See relay.h. Blocks are numbered as they are read, and have their turn to be written by these
 * numbers; contacts travel in parcels. */
#include "relay.h"

#include "error.h"
#include "failure.h"
#include "h5.h"
#include "parcel.h"
#include "progress.h"
#include "thread.h"

#include <string.h>

/* Most blocks in memory. Two would be enough if all took the same time to write; each more is
 * memory that is touched for the first time, which takes a short run longer than it gains. */
#define SLOTS 4

/* In this order, or from the second to the first: relay_return. */
enum slot_state { SLOT_WAITS, SLOT_TAKEN, SLOT_COMPUTED };

/* A block in memory, from reading to writing. */
typedef struct slot {
    relay_block block; /* first: callers have pointers to it */
    uint64_t number;
    enum slot_state state;
    parcel *filling;          /* of the caller that has the block */
    parcel *full, **full_end; /* in their order, to be written */
} slot;

/* members: of the thread, then what all share under the lock; it is one thing with no parts */
struct relay {
    work *w;
    result *r;
    size_t most; /* steps of a block */
    size_t callers;
    uint64_t slots;
    slot *slot;      /* [slots]: block k is in number k % slots */
    uint64_t next;   /* the thread's: the step to read next */
    relay_done done; /* the thread's, until it is joined */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t work_came, work_done;
    uint64_t read, written; /* blocks */
    int all_read, stopping;
    parcels parcels;
    parcel *empty;
    uint64_t in_use; /* parcels that are not empty */
    failure reading, computing, writing;
    uint64_t failed; /* the block that the error of computing is of, else UINT64_MAX */
};

static slot *slot_of(const relay *y, uint64_t number)
{
    return &y->slot[number % y->slots];
}

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
        s->step[i] =
            w->space.slabs ? work_space_step(&s->frames) : work_step(w, first + i, &s->frames, i);
    s->first = first;
    s->count = count;
out:
    return err;
}

/* With one slot the block before is where the next one is read to. */
static const batch_block *frames_before(const relay *y)
{
    return y->read && y->slots > 1 ? &slot_of(y, y->read - 1)->block.frames : NULL;
}

/* ---- the thread; its functions are called with the lock, and release it while they work */

/* Reads without the lock: callers compute meanwhile. */
static void io_thread_read_block(relay *y)
{
    slot *s = slot_of(y, y->read);
    const batch_block *before = frames_before(y);
    uint64_t remaining = y->w->steps - y->next;
    size_t count = remaining < y->most ? (size_t)remaining : y->most;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = slot_read(y->w, before, y->next, count, &s->block);
    y->done.load += clock_seconds() - start;
    mem_turn(&y->w->mem.read);
    pthread_mutex_lock(&y->lock);
    s->number = y->read;
    s->state = SLOT_WAITS;
    s->full_end = &s->full;
    y->next += count;
    y->all_read = err || y->next == y->w->steps;
    if (err)
        failure_note(&y->reading, err);
    else
        y->read++;
    pthread_cond_broadcast(&y->work_done);
}

/* A parcel, if there is one, and after the last of a block the rest of its steps. */
static int io_thread_write_rows(relay *y, const slot *s, const parcel *p, int last)
{
    const relay_block *b = &s->block;
    int err = p ? parcel_write(p, b->step, y->r) : IMP_OK;
    return err || !last ? err : result_end_block(y->r, b->count, b->step, b->info);
}

/* The first of its parcels. */
static parcel *take_full(slot *s)
{
    parcel *p = s->full;
    if (!p)
        return NULL;
    s->full = p->next;
    if (!s->full)
        s->full_end = &s->full;
    return p;
}

static void io_thread_return_chunk(relay *y, parcel *p)
{
    p->next = y->empty;
    y->empty = p;
    y->in_use--;
}

/* Writes without the lock: callers compute meanwhile. */
static void write_parcel(relay *y)
{
    slot *s = slot_of(y, y->written);
    parcel *p = take_full(s);
    const int last = s->state == SLOT_COMPUTED && !s->full;
    pthread_mutex_unlock(&y->lock);
    double start = clock_seconds();
    int err = io_thread_write_rows(y, s, p, last);
    y->done.save += clock_seconds() - start;
    pthread_mutex_lock(&y->lock);
    if (err) {
        failure_note(&y->writing, err);
    } else if (last) {
        y->written++;
        y->done.steps += s->block.count;
    }
    if (p)
        io_thread_return_chunk(y, p);
    pthread_cond_broadcast(&y->work_done);
}

/* Blocks in memory that are in this state. */
static uint64_t count_slots(const relay *y, enum slot_state state)
{
    uint64_t n = 0;
    for (uint64_t k = y->written; k < y->read; k++)
        n += slot_of(y, k)->state == state;
    return n;
}

static int can_read(const relay *y)
{
    return !y->stopping && !y->all_read && !y->computing.err && y->read - y->written < y->slots;
}

/* When the relay stops, contacts of a block that is not complete are dropped, and those of all
 * later blocks. */
static int can_write(const relay *y)
{
    const slot *s = slot_of(y, y->written);
    if (y->written == y->read)
        return 0;
    return s->state == SLOT_COMPUTED || (s->full && !y->stopping);
}

/* First each caller must have a block to compute, unless complete blocks wait to be written and
 * could be lost. Then contacts are written. The remaining time is used to read ahead, for times
 * when writing takes longer. */
static void *relay_thread(void *user)
{
    relay *y = user;
    h5_quiet();
    pthread_mutex_lock(&y->lock);
    for (;;) {
        const int reads = !y->writing.err && can_read(y), writes = !y->writing.err && can_write(y);
        const int callers_wait =
            !count_slots(y, SLOT_WAITS) && count_slots(y, SLOT_COMPUTED) < 1 + y->callers;
        if (reads && (!writes || callers_wait))
            io_thread_read_block(y);
        else if (writes)
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

/* ---- callers */

/* Gives memory back that was kept for blocks. */
static void relay_free(relay *y)
{
    mem *m = &y->w->mem.read;
    for (uint64_t i = 0; i < y->slots; i++) {
        slot_clear(y->w, &y->slot[i].block);
        parcels_free(m, y->slot[i].filling);
        parcels_free(m, y->slot[i].full);
    }
    parcels_free(m, y->empty);
    pthread_mutex_destroy(&y->lock);
    pthread_cond_destroy(&y->work_came);
    pthread_cond_destroy(&y->work_done);
    mem_free(m, y->slot);
    mem_free(m, y);
    m->keeps = 0;
    mem_close(m);
}

/* More callers have more blocks in memory, as far as these fit. */
static uint64_t slots_for(const work *w, size_t most, size_t callers)
{
    const uint64_t fit = work_blocks(w, most), enough = SLOTS + 2 * (callers - 1);
    return fit < enough ? fit : enough;
}

int relay_start(work *w, result *r, uint64_t first, size_t most, size_t callers, relay **out)
{
    int err = IMP_OK;
    mem *m = &w->mem.read;
    const uint64_t slots = slots_for(w, most, callers);
    slot *in_memory = NULL;
    relay *y;
    *out = NULL;
    TRY(mem_alloc(m, slots * sizeof *in_memory, &in_memory));
    err = mem_alloc(m, sizeof *y, &y);
    if (err) {
        mem_free(m, in_memory);
        goto out;
    }
    memset(in_memory, 0, slots * sizeof *in_memory);
    *y = (relay){.w = w, .r = r, .next = first, .most = most, .callers = callers};
    y->slot = in_memory;
    y->slots = slots;
    y->failed = UINT64_MAX;
    /* a resumed run may have no step to compute */
    y->all_read = first == w->steps;
    m->keeps = 1; /* blocks are alike */
    y->parcels = parcels_of(m, &w->def, w->mem.waiting);
    pthread_mutex_init(&y->lock, NULL);
    pthread_cond_init(&y->work_came, NULL);
    pthread_cond_init(&y->work_done, NULL);
    if (thread_start(&y->thread, relay_thread, y)) {
        *out = y;
    } else {
        err = imp_fail(IMP_ERR_MEMORY, "out of memory: no thread for reading and writing");
        relay_free(y);
    }
out:
    return err;
}

/* The first block that waits, of those that are needed. *more: one may come, read or returned. */
static slot *first_waiting(const relay *y, int *more)
{
    *more = !y->all_read && !y->computing.err;
    for (uint64_t k = y->written; k < y->read && k < y->failed; k++) {
        slot *s = slot_of(y, k);
        if (s->state == SLOT_WAITS)
            return s;
        *more |= s->state == SLOT_TAKEN;
    }
    return NULL;
}

/* A caller stays while others compute: their blocks may be returned. */
void relay_next(relay *y, relay_block **out)
{
    slot *s = NULL;
    int more = 1;
    pthread_mutex_lock(&y->lock);
    while (!y->writing.err && !(s = first_waiting(y, &more)) && more)
        pthread_cond_wait(&y->work_done, &y->lock);
    if (s)
        s->state = SLOT_TAKEN;
    *out = s ? &s->block : NULL;
    pthread_mutex_unlock(&y->lock);
}

/* Nobody waits for ever: the first block that is not complete may take all parcels, which return
 * when they are written. All others leave one for it; and a caller that had to wait takes that
 * block itself if it was returned (behind). */
static int may_take(const relay *y, const slot *s)
{
    uint64_t k = y->written;
    while (k < s->number && slot_of(y, k)->state == SLOT_COMPUTED)
        k++;
    return y->in_use + (k < s->number) < y->parcels.most;
}

/* Is the block of no use any more? With the text of the reason. */
static int given_up(const relay *y, const slot *s)
{
    int err = failure_here(&y->writing);
    if (!err && s->number > y->failed)
        err = imp_fail(IMP_ERR_CANCELLED, "an earlier block has failed");
    return err;
}

/* Does an earlier block wait for a caller? Blocks are taken in order, so it was returned. */
static int behind(const relay *y, const slot *s)
{
    int waits = 0;
    for (uint64_t k = y->written; k < s->number && !waits; k++)
        waits = slot_of(y, k)->state == SLOT_WAITS;
    return waits ? RELAY_BEHIND : IMP_OK;
}

/* Takes an empty parcel; waits until one has been written if all are in use. */
static int next_parcel(relay *y, slot *s)
{
    parcel *p = NULL;
    int err;
    pthread_mutex_lock(&y->lock);
    while (!(err = given_up(y, s)) && !may_take(y, s) && !(err = behind(y, s)))
        pthread_cond_wait(&y->work_done, &y->lock);
    if (!err && !y->empty)
        err = parcel_new(&y->parcels, &p);
    else if (!err) {
        p = y->empty;
        y->empty = p->next;
    }
    y->in_use += p != NULL;
    pthread_mutex_unlock(&y->lock);
    if (p) {
        p->next = NULL;
        columns_clear(&p->rows);
    }
    s->filling = p;
    return err;
}

/* With the lock. */
static void send_parcel(slot *s)
{
    if (!s->filling)
        return;
    *s->full_end = s->filling;
    s->full_end = &s->filling->next;
    s->filling = NULL;
}

/* A full parcel is sent at once, so that the thread can write while the rest is computed. */
int relay_add(relay *y, relay_block *b, const imp_contacts *c)
{
    int err = IMP_OK;
    slot *s = (slot *)b;
    imp_contacts rest = *c;
    while (rest.count) {
        if (!s->filling)
            TRY(next_parcel(y, s));
        TRY(parcel_fill(s->filling, &rest));
        if (!rest.count && s->filling->rows.count < y->parcels.rows)
            break;
        pthread_mutex_lock(&y->lock);
        send_parcel(s);
        pthread_cond_signal(&y->work_came);
        pthread_mutex_unlock(&y->lock);
    }
out:
    b->rows += c->count - rest.count;
    return err;
}

void relay_end(relay *y, relay_block *b)
{
    slot *s = (slot *)b;
    pthread_mutex_lock(&y->lock);
    send_parcel(s);
    s->state = SLOT_COMPUTED;
    pthread_cond_signal(&y->work_came);
    /* another block may be the first that is not complete now, and take all parcels */
    pthread_cond_broadcast(&y->work_done);
    pthread_mutex_unlock(&y->lock);
}

void relay_return(relay *y, relay_block *b)
{
    pthread_mutex_lock(&y->lock);
    ((slot *)b)->state = SLOT_WAITS;
    pthread_cond_broadcast(&y->work_done);
    pthread_mutex_unlock(&y->lock);
}

/* The block stays with the caller: nobody else takes it, and it is not written. */
void relay_fail(relay *y, const relay_block *b, int err)
{
    const uint64_t number = ((const slot *)b)->number;
    pthread_mutex_lock(&y->lock);
    if (number < y->failed) {
        y->failed = number;
        failure_note(&y->computing, err);
    }
    pthread_cond_broadcast(&y->work_done);
    pthread_mutex_unlock(&y->lock);
}

/* Blocks are read only in order, so an error of reading comes after those of computing. */
int relay_stop(relay *y, relay_done *done)
{
    pthread_mutex_lock(&y->lock);
    y->stopping = 1;
    pthread_cond_signal(&y->work_came);
    pthread_mutex_unlock(&y->lock);
    pthread_join(y->thread, NULL);
    *done = y->done;
    int err = failure_here(y->writing.err     ? &y->writing
                           : y->computing.err ? &y->computing
                                              : &y->reading);
    relay_free(y);
    return err;
}
