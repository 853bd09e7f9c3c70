/* See ahead.h. */
#include "ahead.h"

#include "due.h"

void prefetch_set(call *w, const imp_frame *frame, size_t count)
{
    w->upcoming = frame;
    w->upcoming_count = count;
}

/* Rows come from the device by themselves; points go there only if the host brings them. An error
 * of rows is that of the next pending_output_deliver. */
static int prefetch_some(void *user)
{
    call *w = user;
    const int rows = pending_output_before(w), there = rows && row_stream_done(w->c, &w->r->stream);
    if (!there && w->upcoming_count &&
        raw_prefetch(w->c, w->upcoming, w->upcoming_count, &w->r->bounds.scratch.prefetched))
        return 1;
    if (rows)
        (void)pending_output_deliver(w);
    return there; /* points may be left */
}

/* Points go to the device with float64, and it is the other one that is waited for. Of a step,
 * those that are found on the way need the points, not the contacts at its first instant. */
void prefetch_begin(call *w)
{
    /* The next frame's points go where those of this one are kept. */
    if (w->r->cache.recording)
        return;
    const int of_start = w->next && !w->ccd, any = w->upcoming_count || pending_output_before(w);
    if (any && !of_start && w->c->dev == w->c->dev64)
        device_meanwhile(w->c->dev, (meanwhile){prefetch_some, w});
}

void prefetch_end(call *w)
{
    device_meanwhile(w->c->dev, (meanwhile){0});
}

static void prefetch_drop_copies(bound_scratch *t)
{
    raw_invalidate(&t->raw);
    raw_invalidate(&t->raw_to);
    raw_invalidate(&t->prefetched);
}

static int prefetch_any_copies(const bound_scratch *t)
{
    return t->raw.frame || t->raw_to.frame || t->prefetched.frame;
}

int prefetch_release(call *w)
{
    workspace *r = w->r;
    int had = prefetch_any_copies(&r->bounds.scratch) || r->cache.points.raw.frame ||
              row_stream_holds_memory(&r->stream);
    w->upcoming_count = 0;
    workspace_free_range(w->c, r);
    if (r->step) {
        had |= prefetch_any_copies(&r->step->work.bounds.scratch);
        workspace_free_range(w->c, &r->step->work);
    }
    return had;
}

void prefetch_drop(call *w)
{
    prefetch_drop_copies(&w->r->bounds.scratch);
    raw_invalidate(&w->r->cache.points.raw);
    if (w->r->step)
        prefetch_drop_copies(&w->r->step->work.bounds.scratch);
}
