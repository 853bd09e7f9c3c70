/* See ahead.h. */
#include "ahead.h"

#include "due.h"

void ahead_look(walk *w, const imp_frame *frame, size_t count)
{
    w->later = frame;
    w->later_count = count;
}

/* Rows come from the device by themselves; points go there only if the host brings them. An error
 * of rows is that of the next due_settle. */
static int bring(void *user)
{
    walk *w = user;
    const int rows = due_before(w), there = rows && emission_is_there(w->c, &w->r->emission);
    if (!there && w->later_count &&
        raw_ahead(w->c, w->later, w->later_count, &w->r->bounds.scratch.ahead))
        return 1;
    if (rows)
        (void)due_settle(w);
    return there; /* points may be left */
}

/* Points go to the device with float64, and it is the other one that is waited for. Of a step,
 * those that are found on the way need the points, not the contacts at its first instant. */
void ahead_begin(walk *w)
{
    /* The next frame's points go where those of this one are kept. */
    if (w->r->keep.recording)
        return;
    const int of_start = w->next && !w->moving, any = w->later_count || due_before(w);
    if (any && !of_start && w->c->dev == w->c->dev64)
        device_meanwhile(w->c->dev, (meanwhile){bring, w});
}

void ahead_end(walk *w)
{
    device_meanwhile(w->c->dev, (meanwhile){0});
}

static void prefetch_drop_copies(bound_scratch *t)
{
    raw_forget(&t->raw);
    raw_forget(&t->raw_to);
    raw_forget(&t->ahead);
}

static int any_copies(const bound_scratch *t)
{
    return t->raw.frame || t->raw_to.frame || t->ahead.frame;
}

int ahead_give_back(walk *w)
{
    workspace *r = w->r;
    int had =
        any_copies(&r->bounds.scratch) || r->keep.points.raw.frame || emission_keeps(&r->emission);
    w->later_count = 0;
    workspace_free_range(w->c, r);
    if (r->step) {
        had |= any_copies(&r->step->work.bounds.scratch);
        workspace_free_range(w->c, &r->step->work);
    }
    return had;
}

void ahead_forget(walk *w)
{
    prefetch_drop_copies(&w->r->bounds.scratch);
    raw_forget(&w->r->keep.points.raw);
    if (w->r->step)
        prefetch_drop_copies(&w->r->step->work.bounds.scratch);
}
