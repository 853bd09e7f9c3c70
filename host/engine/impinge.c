/* What callers of impinge.h ask of a pipeline: each is a call of the scheduler. */
#include "corridor.h"
#include "error.h"
#include "float_env.h"
#include "impinge.h"

/* ---- contacts of frames */

/* Page faults count from here: those since the last call are the caller's own. */
static call call_make(imp *p, const imp_frame *frames)
{
    call w = {.c = &p->context, .r = &p->workspace, .t = &p->profile};
    w.out.frame = frames;
    w.out.faults = p->faults;
    faults_resume(p->faults);
    return w;
}

int imp_detect(imp *p, const imp_frame *frames, size_t count, imp_sink *sink, void *user,
               imp_frame_info *info)
{
    if (!p)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_detect: the pipeline is NULL");
    call w = call_make(p, frames);
    w.out.sink = sink;
    w.out.user = user;
    w.steps = p->context.opt.continuous;
    const float_entry entry = float_enter();
    /* All frames are checked before the first block, so no row of a wrong call reaches the sink. */
    int err = frames_check(p, frames, count);
    err = err ? err : scheduler_run(&w, p, count, info);
    float_leave(entry);
    return err;
}

int imp_detect_model(imp *p, persistent_ids *model, imp_sink *sink, void *user,
                     imp_frame_info *info)
{
    call w = call_make(p, &model->of.frame);
    w.out.sink = sink;
    w.out.user = user;
    w.model = model;
    const float_entry entry = float_enter();
    const int err = scheduler_run(&w, p, 1, info);
    float_leave(entry);
    return err;
}

int workspace_detect(const context *c, workspace *r, imp_profile *t, const imp_frame *frames,
                     size_t count, imp_sink *sink, void *user, imp_frame_info *info)
{
    call w = {.c = c,
              .r = r,
              .t = t,
              .steps = c->opt.continuous,
              .out = {.frame = frames, .sink = sink, .user = user}};
    return scheduler_run(&w, NULL, count, info);
}

/* ---- is there any contact? */

#define FOUND 1 /* stops the walk; not an error code */

static int found_sink(void *user, const imp_contacts *contacts)
{
    (void)contacts;
    *(int *)user = 1;
    return FOUND;
}

int imp_touches(imp *p, const imp_frame *frame, int *yes)
{
    int err = IMP_OK, found = 0;
    if (!p || !yes)
        return imp_fail(IMP_ERR_ARGUMENT, "imp_touches: %s is NULL", p ? "yes" : "the pipeline");
    call w = call_make(p, frame);
    w.out.sink = found_sink;
    w.out.user = &found;
    w.any = 1;
    const float_entry entry = float_enter();
    TRY(frames_check(p, frame, 1));
    err = scheduler_run(&w, p, 1, NULL);
    err = err == FOUND ? IMP_OK : err;
    *yes = found;
out:
    float_leave(entry);
    return err;
}

/* ---- while one runs, and after */

/* The mesh is forgotten as well: the caller may free it, and another one may have its address. */
void imp_forget(imp *p)
{
    if (!p)
        return;
    frame_cache_invalidate(&p->workspace.cache);
    p->workspace.cache.mesh = p->workspace.cache.every = NULL;
    p->workspace.ids.used = 0;
}

/* A store alone, so that a signal handler may call it. */
void imp_cancel(imp *p)
{
    if (p)
        atomic_store(&p->cancel, 1);
}

const char *imp_device_name(const imp *p)
{
    return p ? p->name : "";
}

int imp_broad_at(const imp *p, size_t index, const char **name, uint64_t *blocks)
{
    return p && name && blocks && broad_at(&p->workspace.broad, index, name, blocks);
}

const char *imp_broad_name(const imp *p)
{
    return p ? broad_name(&p->workspace.broad) : "";
}
