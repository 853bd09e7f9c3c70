/* See run.h: blocks of frames are computed, by several devices in parallel if asked for, while the
 * thread of io_thread.c reads and writes. */
#include "run.h"

#include "columns.h"
#include "error.h"
#include "io_thread.h"
#include "signals.h"

#include <stdio.h>
#include <string.h>

/* State shared by the workers. */
typedef struct worker_pool {
    run_state *s;
    io_thread *io;
    int alike;            /* one mesh is used for the whole run */
    pthread_mutex_t lock; /* protects the run's sums, its bar, and the members below */
    uint64_t done;        /* steps */
    size_t working;       /* workers whose device has not failed */
} worker_pool;

/* A worker for each pipeline, in a thread of its own. */
typedef struct worker {
    worker_pool *pool;
    size_t number; /* number of its pipeline */
    pthread_t thread;
    int started;
    io_block *block;
    uint64_t next; /* the step after its last block */
} worker;

static imp *worker_device(const worker *me)
{
    return me->pool->s->p.p[me->number];
}

/* ---- a block */

/* A filter for rows of a step that the result leaves out. */
typedef struct worker_filter {
    const baseline *baseline;
    baseline_at at;         /* the step's first frame */
    const uint8_t *carried; /* for a slab: batch_slab.carried; else NULL */
} worker_filter;

static worker_filter worker_filter_of(const worker *me, const imp_contacts *c)
{
    const job *w = &me->pool->s->o.job;
    const batch_slab *part = me->block->step[c->frame].part;
    return (worker_filter){&w->baseline, baseline_at_of(me->block->step[c->frame].mesh, part),
                           /* the pipeline leaves out features of other slabs */
                           part && w->partition.slabs && !part->vertex_at ? part->carried : NULL};
}

/* A pair whose two primitives both begin before the slab, along the same axis, or are of objects of
 * later slabs, belongs to another slab. */
static int worker_leaves_out(const void *by, const imp_contacts *c, size_t i)
{
    const worker_filter *f = by;
    const uint32_t a = c->a[i], b = c->b[i];
    return (f->carried && f->carried[a] & f->carried[b]) || baseline_has(f->baseline, c, i, &f->at);
}

/* Sums the contacts that were added to the block. */
static void worker_count_contacts(worker *me, const imp_contacts *c)
{
    run_state *s = me->pool->s;
    const io_block *b = me->block;
    pthread_mutex_lock(&me->pool->lock);
    s->contacts += c->count;
    if (s->o.job.wants_sums && !s->o.job.partition.slabs) /* slabs: summed when they are joined */
        contact_sums_add(&s->o.job.sums, c, b->first + c->frame, &b->step[c->frame]);
    pthread_mutex_unlock(&me->pool->lock);
}

/* The pipeline's sink. The arrays are valid during the call only: the I/O thread copies them. */
static int worker_sink_contacts(void *user, const imp_contacts *c)
{
    int err = IMP_OK;
    worker *me = user;
    const worker_filter by = worker_filter_of(me, c);
    const row_filter filter = {by.carried || by.baseline->count ? worker_leaves_out : NULL, &by};
    imp_contacts rest = *c, added;
    while (rest.count && !err) {
        err = io_thread_add_rows(me->pool->io, me->block, &filter, &rest, &added);
        if (added.count)
            worker_count_contacts(me, &added);
    }
    return err;
}

/* The worker of this thread: pipelines with the same options share the user of imp_def.relations.
 */
static _Thread_local worker *worker_here;

int run_relations(void *user, const imp_relations *of)
{
    (void)user;
    worker *me = worker_here;
    return io_thread_relate(me->pool->io, me->block, of);
}

/* Rows are the same on every device, so rows of the block that another device has delivered are not
 * delivered again. If other workers had blocks between this one and the last, a new mesh may have
 * the address of one that this pipeline has seen. */
static int worker_detect(worker *me)
{
    imp *p = worker_device(me);
    io_block *b = me->block;
    if (me->next != b->first && !me->pool->alike)
        imp_forget(p);
    me->next = b->first + b->count;
    job *w = &me->pool->s->o.job;
    int err = w->partition.slabs ? run_unit(p, &w->mem.read, b, worker_sink_contacts, me)
                                 : imp_detect_from(p, b->frames.frame, b->frames.count,
                                                   b->delivered, worker_sink_contacts, me, b->info);
    return job_detect_error(w, err);
}

/* ---- a device that fails */

/* The device leaves, or joins again. The last one cannot leave: nobody else would do its work. */
static int worker_leave(worker *me, int leaves)
{
    worker_pool *pool = me->pool;
    pthread_mutex_lock(&pool->lock);
    const int others = pool->working > 1;
    if (others || !leaves) {
        pool->working = leaves ? pool->working - 1 : pool->working + 1;
        pool->s->p.lost[me->number] = (char)leaves;
    }
    pthread_mutex_unlock(&pool->lock);
    return others;
}

/* Computes the block. *lost: this worker's device has failed; if no error is returned, the other
 * workers get the block. */
static int worker_compute(worker *me, int *lost)
{
    const devices *all = &me->pool->s->p;
    imp *p = worker_device(me);
    int err = worker_detect(me);
    if (err != IMP_ERR_DEVICE || !all->several)
        return err;
    const int others = worker_leave(me, 1);
    err = imp_replace_device(p, others, all->threads, lost);
    if (others && !*lost)
        worker_leave(me, 0);
    return err || *lost ? err : worker_detect(me);
}

/* ---- the lines that -v prints about a block */

/* True if both steps are computed in the same pass, for the same reason. */
static int same_pass(const imp_frame_info *a, const imp_frame_info *b)
{
    return *a->reason && !strcmp(a->pass, b->pass) && !strcmp(a->reason, b->reason);
}

/* "frame 7", "frames 0 to 8"; "step from frame 7" */
static void log_steps(const job *w, const result_step *first, const result_step *last)
{
    const char *more = last > first ? "s" : "", *of = w->def.continuous ? " from frame" : "";
    fprintf(stderr, "impinge: %s%s%s%s %llu", job_step_noun(w), more, of, *of ? more : "",
            (unsigned long long)first->number);
    if (last > first)
        fprintf(stderr, " to %llu", (unsigned long long)last->number);
}

/* Prints "frame 7: incremental, 5,000 of 5,980 kept". Consecutive steps with the same pass and
 * reason share a line. */
static void log_passes(const worker *me)
{
    const io_block *b = me->block;
    for (size_t i = 0, end; i < b->count; i = end) {
        const imp_frame_info *info = &b->info[i];
        for (end = i + 1; end < b->count && same_pass(info, &b->info[end]);)
            end++;
        log_steps(&me->pool->s->o.job, &b->step[i], &b->step[end - 1]);
        fprintf(stderr, ": %s, ", info->pass);
        if (*info->reason)
            fprintf(stderr, "%s\n", info->reason);
        else
            fprintf(stderr, "%s of %s kept\n", cli_number_text(info->kept),
                    cli_number_text(b->step[i].mesh->primitives));
    }
}

/* On a terminal the progress bar occupies the line, so it is cleared first. */
static void log_block(const worker *me)
{
    pthread_mutex_lock(&me->pool->lock);
    progress_clear(&me->pool->s->bar);
    log_passes(me);
    pthread_mutex_unlock(&me->pool->lock);
}

/* ---- workers */

/* worker_sink_contacts counts contacts, so the bar shows them when the block is done. */
static void worker_pool_count_block(const worker *me, size_t steps)
{
    worker_pool *pool = me->pool;
    pthread_mutex_lock(&pool->lock);
    pool->done += steps;
    progress_show(&pool->s->bar, pool->done, pool->s->contacts);
    pthread_mutex_unlock(&pool->lock);
}

/* The block is passed to the I/O thread even if it has no contacts: its steps must be committed. */
static int worker_run_block(worker *me, int *lost)
{
    const size_t steps = me->block->count; /* the block is valid until io_thread_end_block */
    int err = signals_came() ? imp_fail(IMP_ERR_CANCELLED, "stopped by a signal")
                             : worker_compute(me, lost);
    if (err == IO_BEHIND || (!err && *lost)) {
        io_thread_return_block(me->pool->io, me->block);
        return IMP_OK;
    }
    if (err)
        return err;
    if (me->pool->s->o.verbose && !me->pool->s->o.job.partition.slabs)
        log_block(me);
    /* the block is complete: it may be committed once its rows are written */
    io_thread_end_block(me->pool->io, me->block);
    worker_pool_count_block(me, steps);
    return IMP_OK;
}

static void *worker_main(void *user)
{
    worker *me = user;
    worker_here = me;
    for (int lost = 0; !lost;) {
        io_thread_next_block(me->pool->io, &me->block);
        if (!me->block)
            break;
        int err = worker_run_block(me, &lost);
        if (err) /* other workers may still be needed for earlier blocks */
            io_thread_fail_block(me->pool->io, me->block, err);
    }
    return NULL;
}

/* The first worker runs in this thread, which handles signals. If threads for the others cannot be
 * started, it does their work, too. */
static void worker_pool_run(worker_pool *pool, worker *each)
{
    const size_t count = pool->s->p.count;
    pool->working = 1;
    for (size_t i = 1; i < count; i++) {
        pthread_mutex_lock(&pool->lock);
        each[i] = (worker){.pool = pool, .number = i};
        each[i].started = thread_start(&each[i].thread, worker_main, &each[i]);
        pool->working += (size_t)each[i].started;
        pool->s->p.lost[i] = !each[i].started;
        pthread_mutex_unlock(&pool->lock);
    }
    each[0] = (worker){.pool = pool};
    worker_main(&each[0]);
    for (size_t i = 1; i < count; i++)
        if (each[i].started)
            pthread_join(each[i].thread, NULL);
}

/* The I/O thread is stopped in any case: it must write the complete blocks before the result is
 * closed. */
int run_blocks(run_state *s)
{
    int err = IMP_OK;
    job *w = &s->o.job;
    io_thread_done done = {0};
    worker_pool pool = {
        .s = s, .alike = w->info.static_topology && !w->partition.slabs, .done = s->done};
    worker *each = NULL;
    pthread_mutex_init(&pool.lock, NULL);
    progress_start(&s->bar, s->o.quiet, s->o.progress, job_step_noun(w), s->done, w->steps);
    s->bar.rows = job_row_noun(w);
    TRY(mem_alloc(&w->mem.read, s->p.count * sizeof *each, &each));
    TRY(io_thread_start(w, s->r, s->done, job_block_steps(w, &s->p), s->p.count, &pool.io));
    worker_pool_run(&pool, each);
    TRY(io_thread_stop(pool.io, &done));
    /* after another error, that error's reason is the better one */
    err = file_signatures_check(&s->input_signatures);
out:
    mem_free(&w->mem.read, each);
    pthread_mutex_destroy(&pool.lock);
    s->done += done.steps;
    s->seconds[STAGE_LOAD] += done.load;
    s->seconds[STAGE_SAVE] += done.save;
    progress_clear(&s->bar);
    return err;
}
