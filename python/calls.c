/* Calls of the library that SIGINT ends. Python's own handler only takes note of the signal until
 * Python's code runs again, which it does not during a call.
 *
 * OpenCL drivers that are made with LLVM put a handler of their own in place of Python's when they
 * are loaded or compile. It would end the process, so every call leaves the handler as it was. */
#include "calls.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

/* Only Python's main thread makes calls that SIGINT ends, so there is one. Its handler may run in
 * any thread of the process. */
static _Atomic(imp *) running;
static _Atomic(imp_pcs *) stepping; /* or this */
static atomic_int came, inside;
static struct sigaction before;

static void interrupted(int number, siginfo_t *info, void *context)
{
    atomic_fetch_add(&inside, 1);
    imp *p = atomic_load(&running);
    imp_pcs *s = atomic_load(&stepping);
    if (p || s) {
        imp_cancel(p);
        imp_pcs_cancel(s);
        atomic_store(&came, 1);
    }
    atomic_fetch_sub(&inside, 1);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

static int is_ours(const struct sigaction *a)
{
    return (a->sa_flags & SA_SIGINFO) && a->sa_sigaction == interrupted;
}

/* Ignored, or the end of the process? */
static int is_plain(const struct sigaction *a)
{
    return !(a->sa_flags & SA_SIGINFO) && (a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN);
}

/* ---- what a call does to the handler */

typedef struct guard {
    struct sigaction was;
    int ends; /* SIGINT ends this call */
} guard;

/* p or s: SIGINT ends its call; both NULL: ends nothing. */
static guard begin(imp *p, imp_pcs *s)
{
    guard g = {.ends = 0};
    sigaction(SIGINT, NULL, &g.was);
    if ((!p && !s) || is_plain(&g.was) || is_ours(&g.was))
        return g;
    before = g.was;
    struct sigaction ours = before;
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = interrupted;
    atomic_store(&came, 0);
    atomic_store(&running, p);
    atomic_store(&stepping, s);
    g.ends = !sigaction(SIGINT, &ours, NULL);
    return g;
}

/* Another thread may have set a handler since, which stays if it is one of Python's. */
static void put_back(const guard *g)
{
    struct sigaction now;
    sigaction(SIGINT, NULL, &now);
    if (g->ends || !(is_plain(&now) || is_ours(&now)))
        sigaction(SIGINT, &g->was, NULL);
}

/* After this no handler has the pipeline in its hands. Returns whether SIGINT came. */
static int end(const guard *g)
{
    put_back(g);
    if (!g->ends)
        return 0;
    atomic_store(&running, NULL);
    atomic_store(&stepping, NULL);
    while (atomic_load(&inside)) /* in another thread, for some instructions */
        ;
    return atomic_load(&came);
}

/* ---- calls that load drivers */

int rows_create(const imp_def *def, imp **out)
{
    guard g = begin(NULL, NULL);
    int err = imp_create(def, out);
    end(&g);
    return err;
}

int rows_model_create(const imp_def *def, int corners, imp_model **out)
{
    guard g = begin(NULL, NULL);
    int err = imp_model_create(def, corners, out);
    end(&g);
    return err;
}

int rows_pcs_create(const imp_pcs_def *def, imp_pcs **out)
{
    guard g = begin(NULL, NULL);
    int err = imp_pcs_create(def, out);
    end(&g);
    return err;
}

int rows_device_at(size_t index, imp_device_info *out)
{
    guard g = begin(NULL, NULL);
    int there = imp_device_at(index, out);
    end(&g);
    return there;
}

/* ---- calls that SIGINT ends */

/* A call of any kind. */
typedef struct work {
    imp *pipeline;
    imp_model *model;             /* or NULL */
    const rows_step_of *step;     /* or NULL: it has its own */
    const rows_points_of *points; /* or NULL */
    imp_solids **solids;          /* to be made of a frame, or NULL */
    const imp_frame *frames;
    size_t count;
    rows *rows; /* [count], or NULL: *yes */
    imp_frame_info *info;
    int *yes;
} work;

static int work_do(const work *w)
{
    const rows_step_of *s = w->step;
    const rows_points_of *q = w->points;
    if (s)
        return imp_pcs_step(s->pcs, s->pose, s->seconds, &s->hooks, s->info);
    if (q)
        return imp_solids_points(q->solids, q->object, q->point, q->count, &q->out);
    if (w->solids)
        return imp_solids_create(w->pipeline, w->frames, w->solids);
    if (w->model)
        return imp_model_query(w->model, rows_sink, w->rows, w->info);
    if (!w->rows)
        return imp_touches(w->pipeline, w->frames, w->yes);
    return imp_detect(w->pipeline, w->frames, w->count, rows_sink, w->rows, w->info);
}

/* A request that came too late for the call before ends this one, which then is made again. */
static int call(const work *w, rows_call *how)
{
    for (;;) {
        guard g = how->ends ? begin(w->pipeline, w->step ? w->step->pcs : NULL) : begin(NULL, NULL);
        int late = how->late, err = work_do(w), now = end(&g);
        how->late = now && err != IMP_ERR_CANCELLED;
        if (!late || now || err != IMP_ERR_CANCELLED)
            return err;
        if (w->rows)
            rows_free(w->rows, w->count);
    }
}

int rows_detect(imp *p, const imp_frame *frames, size_t count, rows *r, imp_frame_info *info,
                rows_call *how)
{
    rows_expect(r, count, how);
    how->rows = r;
    int err = call(
        &(work){.pipeline = p, .frames = frames, .count = count, .rows = r, .info = info}, how);
    how->rows = NULL;
    rows_trim(r, count, how);
    return err;
}

int rows_touches(imp *p, const imp_frame *frame, int *yes, rows_call *how)
{
    return call(&(work){.pipeline = p, .frames = frame, .count = 1, .yes = yes}, how);
}

int rows_query(imp_model *m, rows *r, imp_frame_info *info, rows_call *how)
{
    rows_expect(r, 1, how);
    how->rows = r;
    int err = call(
        &(work){.pipeline = imp_model_pipeline(m), .model = m, .count = 1, .rows = r, .info = info},
        how);
    how->rows = NULL;
    rows_trim(r, 1, how);
    return err;
}

int rows_step(const rows_step_of *step, rows_call *how)
{
    return call(&(work){.step = step}, how);
}

int rows_solids_create(imp *p, const imp_frame *frame, imp_solids **out, rows_call *how)
{
    return call(&(work){.pipeline = p, .frames = frame, .solids = out}, how);
}

int rows_solids_points(imp *p, const rows_points_of *points, rows_call *how)
{
    return call(&(work){.pipeline = p, .points = points}, how);
}
