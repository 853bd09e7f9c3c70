/* See run.h: blocks of frames are computed, by several devices at a time if they are asked for, and
 * read and written at the same time by the thread of relay.c. */
#include "run.h"

#include "contact_columns.h"
#include "error.h"
#include "relay.h"
#include "signals.h"
#include "thread.h"

#include <stdio.h>
#include <string.h>

/* What workers share. */
typedef struct workshop {
    run_state *s;
    relay *y;
    int alike;            /* one mesh lasts as long as the run */
    pthread_mutex_t lock; /* of the sums of the run, its bar, and what follows */
    uint64_t done;        /* steps */
    size_t at_work;       /* workers whose device has not failed */
} workshop;

/* One for each pipeline, in a thread of its own. */
typedef struct worker {
    workshop *shop;
    size_t number; /* of its pipeline */
    pthread_t thread;
    int started;
    relay_block *block;
    uint64_t next;  /* the step after its last block */
    uint64_t known; /* rows that will come once more */
} worker;

static imp *pipeline_of(const worker *me)
{
    return me->shop->s->p.p[me->number];
}

/* ---- a block */

/* Sums of contacts that were added to the block. */
static void worker_count_contacts(worker *me, const imp_contacts *c)
{
    run_state *s = me->shop->s;
    const relay_block *b = me->block;
    pthread_mutex_lock(&me->shop->lock);
    s->contacts += c->count;
    if (s->o.json && !s->o.w.space.slabs) /* those of slabs are added when they are joined */
        contact_sums_add(&s->o.w.sums, c, b->first + c->frame, &b->step[c->frame]);
    pthread_mutex_unlock(&me->shop->lock);
}

/* The arrays are valid during the call only: the relay copies them. Where it takes a part of them
 * the rest comes once more. */
static int save_contacts(void *user, const imp_contacts *c)
{
    worker *me = user;
    imp_contacts rest = *c;
    const uint64_t known = me->known < c->count ? me->known : c->count, rows = me->block->rows;
    columns_skip(&contact_table, &rest, (size_t)known);
    rest.count -= (size_t)known;
    me->known -= known;
    if (!rest.count)
        return IMP_OK;
    int err = relay_add(me->shop->y, me->block, &rest);
    rest.count = (size_t)(me->block->rows - rows);
    worker_count_contacts(me, &rest);
    return err;
}

/* The pipeline's sink. */
static int worker_sink_contacts(void *user, const imp_contacts *c)
{
    const worker *me = user;
    const batch_slab *part = me->block->step[c->frame].part;
    return baseline_pass(&me->shop->s->o.w.baseline, c, part ? part->number : NULL, save_contacts,
                         user);
}

/* Rows are the same on every device, so those that another one has handed out are skipped. Where
 * other workers had blocks between this and the last one, a mesh may have got the address of one
 * that this pipeline has seen. */
static int worker_detect(worker *me)
{
    imp *p = pipeline_of(me);
    relay_block *b = me->block;
    me->known = b->rows;
    if (me->next != b->first && !me->shop->alike)
        imp_forget(p);
    me->next = b->first + b->count;
    work *w = &me->shop->s->o.w;
    int err = w->space.slabs ? run_unit(p, &w->mem.read, b, worker_sink_contacts, me)
                             : imp_detect(p, b->frames.frame, b->frames.count, worker_sink_contacts,
                                          me, b->info);
    return work_detect_error(w, err);
}

/* ---- a device that fails */

/* The last one stays: nobody else would do its work. */
static int may_leave(worker *me)
{
    workshop *shop = me->shop;
    pthread_mutex_lock(&shop->lock);
    const int may = shop->at_work > 1;
    if (may) {
        shop->at_work--;
        shop->s->p.lost[me->number] = 1;
    }
    pthread_mutex_unlock(&shop->lock);
    return may;
}

static void say_leaving(const worker *me)
{
    const imp_def *def = &me->shop->s->o.w.def;
    char line[1200];
    snprintf(line, sizeof line, "%s; going on with the other devices", imp_error_text());
    def->log(def->log_user, line);
}

/* Computes the block. *left: this worker has no device any more; without an error the block is for
 * the others. */
static int compute(worker *me, int *left)
{
    const pipelines *all = &me->shop->s->p;
    imp *p = pipeline_of(me);
    int err = worker_detect(me);
    if (err != IMP_ERR_DEVICE || !all->several || !imp_force_rows_hold(p))
        return err;
    *left = may_leave(me);
    if (*left) {
        say_leaving(me);
        return IMP_OK;
    }
    err = imp_force_host(p, all->threads);
    *left = err != IMP_OK;
    return err ? err : worker_detect(me);
}

/* ---- what -v says of a block */

/* Is the step computed like the one before it, anew and for the same reason? */
static int same_pass(const imp_frame_info *a, const imp_frame_info *b)
{
    return *a->reason && !strcmp(a->pass, b->pass) && !strcmp(a->reason, b->reason);
}

/* "frame 7", "frames 0 to 8"; "step from frame 7" */
static void log_steps(const work *w, const result_step *first, const result_step *last)
{
    const char *more = last > first ? "s" : "", *of = w->def.continuous ? " from frame" : "";
    fprintf(stderr, "impinge: %s%s%s%s %llu", work_step_noun(w), more, of, *of ? more : "",
            (unsigned long long)first->number);
    if (last > first)
        fprintf(stderr, " to %llu", (unsigned long long)last->number);
}

/* "frame 7: incremental, 5,000 of 5,980 kept". Steps of one pass for one reason have one line. */
static void log_passes(const worker *me)
{
    const relay_block *b = me->block;
    for (size_t i = 0, end; i < b->count; i = end) {
        const imp_frame_info *info = &b->info[i];
        for (end = i + 1; end < b->count && same_pass(info, &b->info[end]);)
            end++;
        log_steps(&me->shop->s->o.w, &b->step[i], &b->step[end - 1]);
        fprintf(stderr, ": %s, ", info->pass);
        if (*info->reason)
            fprintf(stderr, "%s\n", info->reason);
        else
            fprintf(stderr, "%s of %s kept\n", grouped(info->kept),
                    grouped(b->step[i].mesh->primitives));
    }
}

/* On a terminal the bar is in the line that this is printed to. */
static void log_block(const worker *me)
{
    pthread_mutex_lock(&me->shop->lock);
    progress_clear(&me->shop->s->bar);
    log_passes(me);
    pthread_mutex_unlock(&me->shop->lock);
}

/* ---- workers */

/* Contacts are counted by save_contacts, so the bar shows them when the block is done. */
static void count_block(const worker *me, size_t steps)
{
    workshop *shop = me->shop;
    pthread_mutex_lock(&shop->lock);
    shop->done += steps;
    progress_show(&shop->s->bar, shop->done, shop->s->contacts);
    pthread_mutex_unlock(&shop->lock);
}

/* The block is handed to the relay even if it has no contacts: its steps must be committed. */
static int run_block(worker *me, int *left)
{
    const size_t steps = me->block->count; /* the block is valid until relay_end */
    int err =
        signals_came() ? imp_fail(IMP_ERR_CANCELLED, "stopped by a signal") : compute(me, left);
    if (err == RELAY_BEHIND || (!err && *left)) {
        relay_return(me->shop->y, me->block);
        return IMP_OK;
    }
    if (err)
        return err;
    if (me->shop->s->o.verbose && !me->shop->s->o.w.space.slabs)
        log_block(me);
    /* the block is complete: it may be committed when its rows are written */
    relay_end(me->shop->y, me->block);
    count_block(me, steps);
    return IMP_OK;
}

static void *work_on(void *user)
{
    worker *me = user;
    for (int left = 0; !left;) {
        relay_next(me->shop->y, &me->block);
        if (!me->block)
            break;
        int err = run_block(me, &left);
        if (err) /* blocks before this one may still need somebody */
            relay_fail(me->shop->y, me->block, err);
    }
    return NULL;
}

/* The first works in this thread, which handles signals. Without threads for the others it does
 * their work, too. */
static void work_all(workshop *shop, worker *each)
{
    const size_t count = shop->s->p.count;
    shop->at_work = 1;
    for (size_t i = 1; i < count; i++) {
        pthread_mutex_lock(&shop->lock);
        each[i] = (worker){.shop = shop, .number = i};
        each[i].started = thread_start(&each[i].thread, work_on, &each[i]);
        shop->at_work += (size_t)each[i].started;
        shop->s->p.lost[i] = !each[i].started;
        pthread_mutex_unlock(&shop->lock);
    }
    each[0] = (worker){.shop = shop};
    work_on(&each[0]);
    for (size_t i = 1; i < count; i++)
        if (each[i].started)
            pthread_join(each[i].thread, NULL);
}

/* The relay is stopped in any case: it must write the complete blocks before the result is closed.
 */
int run_blocks(run_state *s)
{
    int err = IMP_OK;
    work *w = &s->o.w;
    relay_done done = {0};
    workshop shop = {.s = s, .alike = w->info.static_topology && !w->space.slabs, .done = s->done};
    worker *each = NULL;
    pthread_mutex_init(&shop.lock, NULL);
    progress_start(&s->bar, s->o.quiet, s->o.progress, work_step_noun(w), s->done, w->steps);
    TRY(mem_alloc(&w->mem.read, s->p.count * sizeof *each, &each));
    TRY(relay_start(w, s->r, s->done, work_block(w, &s->p), s->p.count, &shop.y));
    work_all(&shop, each);
    TRY(relay_stop(shop.y, &done));
    /* after another error its own reason is the better one */
    err = stamps_check(&s->input);
out:
    mem_free(&w->mem.read, each);
    pthread_mutex_destroy(&shop.lock);
    s->done += done.steps;
    s->seconds[STAGE_LOAD] += done.load;
    s->seconds[STAGE_SAVE] += done.save;
    progress_clear(&s->bar);
    return err;
}
