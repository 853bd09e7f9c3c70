/* See keep.h: which frames are kept, and what of their contacts stays. */
#include "keep.h"

#include "engine.h"
#include "error.h"

#include <string.h>

#define SHARE 4 /* where more than one vertex in so many moves, all is made anew */

/* Compares some vertices with those of the frame before, and takes their place. Where there are
 * more than there were those are looked at that have the same numbers; all moved if there are
 * fewer, or by far more. */
static uint32_t sample_moved(keep *k, const imp_frame *f)
{
    uint32_t n = f->mesh->vertices, moved = 0;
    if (n < k->sampled || n / 2 > k->sampled)
        k->sampled = n;
    n = k->sampled;
    for (uint32_t i = 0; i < KEEP_SAMPLE && i < n; i++) {
        double x[DIMENSIONS];
        frame_vertex(f, n < KEEP_SAMPLE ? i : (size_t)i * n / KEEP_SAMPLE, x);
        moved += x[0] != k->sample[i][0] || x[1] != k->sample[i][1] || x[2] != k->sample[i][2];
        memcpy(k->sample[i], x, sizeof x);
    }
    return moved;
}

void keep_look(const context *c, keep *k, const block *b, int same_call)
{
    const imp_mesh *mesh = b->frame->mesh;
    uint32_t n = mesh->vertices < KEEP_SAMPLE ? mesh->vertices : KEEP_SAMPLE;
    int named = c->opt.names && mesh->name && b->frames == 1;
    int follows = mesh == k->mesh || (named && k->mesh);
    k->follows =
        b->frames == 1 && mesh == k->mesh && (same_call || c->opt.update != IMP_UPDATE_REBUILD);
    k->number += !k->follows;
    if (c->opt.trees) { /* which keep what they can by themselves */
        k->mesh = b->frames == 1 ? mesh : NULL;
        k->ready = k->still = k->others = 0;
        return;
    }
    k->still = c->opt.update == IMP_UPDATE_KEEP;
    if (c->opt.update == IMP_UPDATE_AUTO && b->frames == 1) {
        uint32_t moved = sample_moved(k, b->frame);
        k->still = follows && moved <= n / SHARE;
    }
    k->still = k->still && b->frames == 1 && b->prims && c->dev == c->dev64;
    k->ready = k->ready && k->still && follows;
    k->others = named && k->still &&
                (k->others || c->opt.update == IMP_UPDATE_KEEP || (k->mesh && mesh != k->mesh));
    k->mesh = b->frames == 1 ? mesh : NULL;
}

int keep_by_place(const keep *k)
{
    return k->others;
}

int keep_fits(const keep *k, const block *b)
{
    return k->ready && b->frames == 1;
}

void keep_forget(keep *k)
{
    k->ready = k->recording = 0;
}

void keep_free(const context *c, keep *k)
{
    buffer *mine[] = {&k->used.raw,      &k->anew.raw, &k->before.raw, &k->moved_point.raw,
                      &k->moved_any.raw, &k->box.raw,  &k->bad.raw};
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        bytes_free(c->dev64, mine[i]);
    movers_free(c, &k->moved);
    roster_copy_free(c, &k->places);
    kept_rows_free(&k->rows);
    kept_rows_free(&k->fresh);
    kept_rows_free(&k->next);
    mem_free(c->mem, k->open_a);
    mem_free(c->mem, k->open_b);
    mem_free(c->mem, k->uses);
    *k = (keep){.number = k->number};
}

/* ---- keeping a frame that was made from nothing */

void keep_begin(const context *c, keep *k)
{
    k->ready = 0;
    k->recording = k->still;
    k->opens = 0;
    kept_rows_open(c->mem, c->opt.columns, &k->rows);
}

void keep_record(keep *k, const imp_contacts *c, uint64_t at)
{
    imp_contacts fresh = *c;
    uint64_t known = k->rows.count > at ? k->rows.count - at : 0;
    if (!k->recording || known >= c->count)
        return;
    columns_skip(&contact_table, &fresh, known);
    fresh.count -= known;
    if (kept_rows_add(&k->rows, &fresh))
        k->recording = 0;
}

/* Room for the undecided pairs there are and n more. */
static int open_fit(const context *c, keep *k, uint64_t n)
{
    int err = IMP_OK;
    uint64_t room = k->opens + n + (k->opens + n) / 2;
    if (k->opens + n <= k->open_room)
        return IMP_OK;
    k->open_room = 0;
    TRY(mem_grow(c->mem, k->opens * sizeof *k->open_a, room * sizeof *k->open_a, &k->open_a));
    TRY(mem_grow(c->mem, k->opens * sizeof *k->open_b, room * sizeof *k->open_b, &k->open_b));
    k->open_room = room;
out:
    return err;
}

int keep_add_open(const context *c, keep *k, const pairs *undecided)
{
    int err = IMP_OK;
    TRY(open_fit(c, k, undecided->count));
    TRY(buffer_read(c->dev64, &undecided->a, 0, k->open_a + k->opens, undecided->count));
    TRY(buffer_read(c->dev64, &undecided->b, 0, k->open_b + k->opens, undecided->count));
    k->opens += undecided->count;
out:
    return err;
}

void keep_open(const context *c, keep *k, const pairs *undecided)
{
    if (k->recording && keep_add_open(c, k, undecided))
        k->recording = 0;
}

void keep_end(const context *c, keep *k, const block *b, const bounds *o, uint64_t candidates)
{
    k->candidates = candidates;
    k->found_known = 0;
    k->ready = k->recording && !o->units.bad[0] && !keep_points_first(c, b, o, k);
    k->recording = 0;
}

/* ---- the frame after */

/* Pairs of two that did not move are undecided as they were. */
static void open_filter(keep *k, const uint8_t *moved)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < k->opens; i++) {
        k->open_a[n] = k->open_a[i];
        k->open_b[n] = k->open_b[i];
        n += !moved[k->open_a[i]] && !moved[k->open_b[i]];
    }
    k->opens = n;
}

static int row_before(const imp_contacts *x, const imp_contacts *y)
{
    return x->a[0] < y->a[0] || (x->a[0] == y->a[0] && x->b[0] < y->b[0]);
}

/* How many of the first rows of x stand before the first of y (NULL: there is none). */
static size_t rows_before(const imp_contacts *x, const imp_contacts *y)
{
    size_t n = 0;
    while (n < x->count && (!y || x->a[n] < y->a[0] || (x->a[n] == y->a[0] && x->b[n] < y->b[0])))
        n++;
    return n;
}

/* How many of the first rows are of pairs of which none moved, or, if `gone`, one has. */
static size_t rows_still(const imp_contacts *x, size_t most, const uint8_t *moved, int gone)
{
    size_t n = 0;
    while (n < most && (moved[x->a[n]] || moved[x->b[n]]) == gone)
        n++;
    return n;
}

static int add_run(keep *k, kept_place *from, size_t rows)
{
    imp_contacts run = from->view;
    run.count = rows;
    int err = kept_rows_add(&k->next, &run);
    kept_place_skip(from, rows);
    return err;
}

static void swap_rows(kept_rows *x, kept_rows *y)
{
    kept_rows swap = *x;
    *x = *y;
    *y = swap;
}

/* Has every row a primitive that moved? */
static int all_moved(const kept_rows *r, const uint8_t *moved)
{
    kept_place p = {0};
    while (kept_rows_at(r, &p)) {
        if (rows_still(&p.view, p.view.count, moved, 1) < p.view.count)
            return 0;
        p.view.count = 0;
    }
    return 1;
}

/* The rows of the last frame without those of pairs that moved, and the fresh ones, in order. */
static int merge_rows(keep *k, const uint8_t *moved)
{
    int err = IMP_OK;
    kept_place old = {0}, fresh = {0};
    kept_rows_open(k->rows.mem, k->rows.set, &k->next);
    for (;;) {
        int more = kept_rows_at(&k->rows, &old), added = kept_rows_at(&k->fresh, &fresh);
        if (!more && !added)
            break;
        if (added && (!more || !row_before(&old.view, &fresh.view))) {
            size_t n = rows_before(&fresh.view, more ? &old.view : NULL);
            TRY(add_run(k, &fresh, n ? n : 1));
            continue;
        }
        size_t before = rows_before(&old.view, added ? &fresh.view : NULL);
        size_t still = rows_still(&old.view, before, moved, 0);
        if (still)
            TRY(add_run(k, &old, still));
        else
            kept_place_skip(&old, rows_still(&old.view, before, moved, 1));
    }
    swap_rows(&k->rows, &k->next);
out:
    return err;
}

int keep_merge(keep *k)
{
    const uint8_t *moved = k->moved.host_is;
    if (!k->moved.count)
        return IMP_OK;
    open_filter(k, moved);
    if (!all_moved(&k->rows, moved))
        return merge_rows(k, moved);
    swap_rows(&k->rows, &k->fresh);
    return IMP_OK;
}

int keep_fresh_sink(void *user, const imp_contacts *c)
{
    keep *k = user;
    k->fresh_err = k->fresh_err ? k->fresh_err : kept_rows_add(&k->fresh, c);
    return 0;
}

int keep_hand_out(const keep *k, imp_sink *sink, void *user)
{
    kept_place p = {0};
    while (kept_rows_at(&k->rows, &p)) {
        if (sink(user, &p.view))
            return IMP_ERR_CANCELLED;
        p.view.count = 0;
    }
    return IMP_OK;
}
