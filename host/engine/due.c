/* See due.h. */
#include "due.h"

#include "error.h"

/* Rows of the last block would only wait; others are by the caller's numbers, or recorded. */
int due_may(const walk *w, uint32_t first, uint32_t last)
{
    const context *c = w->c;
    const view *v = &w->r->view;
    return w->due && w->later_count && !c->dev64->views && c->dev == c->dev64 && !w->any &&
           !w->to && !w->next && !w->out.record && view_whole(v) && first == 0 && last == v->prims;
}

static int hand_out(void *user, column_rows *rows)
{
    walk *w = user;
    return handout_rows(&w->out, &w->due->view, w->due->info, rows);
}

/* They count as seen, so that the next block begins after them. */
int due_leave(walk *w)
{
    int err = IMP_OK;
    due *u = w->due;
    emission *e = &w->r->emission;
    const view *v = &w->r->view;
    TRY(view_open(w->c->mem, v->frame, NULL, v->frames, &u->view));
    e->sink = hand_out;
    e->user = w;
    u->info = w->info;
    u->frame0 = w->out.frame0;
    u->seen = w->out.seen;
    u->open = 1;
    u->err = IMP_OK;
    w->out.seen += emission_left(e);
out:
    return err;
}

/* Rows of the current block are not handed out yet: the handout goes back to the block before. */
static int pending_output_deliver(walk *w)
{
    due *u = w->due;
    handout *h = &w->out;
    const uint64_t seen = h->seen;
    const size_t frame0 = h->frame0;
    h->seen = u->seen;
    h->frame0 = u->frame0;
    const int err = contact_end(w->c, &w->r->emission);
    h->seen = seen;
    h->frame0 = frame0;
    view_close(w->c->mem, &u->view);
    u->open = 0;
    return err;
}

int due_before(const walk *w)
{
    return w->due && w->due->open && w->due->frame0 != w->out.frame0;
}

int due_settle(walk *w)
{
    due *u = w->due;
    if (due_before(w))
        u->err = pending_output_deliver(w);
    return u ? u->err : IMP_OK;
}

void due_drop(walk *w)
{
    due *u = w->due;
    if (u->open) {
        emission_drop(w->c, &w->r->emission);
        view_close(w->c->mem, &u->view);
    }
    u->open = 0;
}

int due_lost(walk *w)
{
    const int lost = w->due->open || w->due->err == IMP_ERR_DEVICE;
    due_drop(w);
    w->due->err = IMP_OK;
    return lost;
}
