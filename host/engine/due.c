/* See due.h. */
#include "due.h"

#include "error.h"

/* Rows of the last block would only wait; others are by the caller's numbers, or recorded. */
int pending_output_may(const call *w, uint32_t first, uint32_t last)
{
    const context *c = w->c;
    const block_view *v = &w->r->view;
    return w->pending && w->upcoming_count && !c->dev64->host_memory && c->dev == c->dev64 &&
           !w->any && !w->to && !w->next && !w->out.record && block_view_whole(v) && first == 0 &&
           last == v->prims;
}

static int pending_output_sink(void *user, column_rows *rows)
{
    call *w = user;
    return output_rows(&w->out, &w->pending->view, w->pending->info, rows);
}

/* They count as seen, so that the next block begins after them. */
int pending_output_leave(call *w)
{
    int err = IMP_OK;
    pending_output *u = w->pending;
    row_stream *e = &w->r->stream;
    const block_view *v = &w->r->view;
    TRY(block_view_open(w->c->mem, v->frame, NULL, v->frames, &u->view));
    e->sink = pending_output_sink;
    e->user = w;
    u->info = w->info;
    u->frame0 = w->out.frame0;
    u->seen = w->out.seen;
    u->open = 1;
    u->err = IMP_OK;
    w->out.seen += row_stream_left(e);
out:
    return err;
}

/* Rows of the current block are not handed out yet: the output goes back to the block before. */
static int pending_output_hand_out(call *w)
{
    pending_output *u = w->pending;
    output *h = &w->out;
    const uint64_t seen = h->seen;
    const size_t frame0 = h->frame0;
    h->seen = u->seen;
    h->frame0 = u->frame0;
    const int err = contact_end(w->c, &w->r->stream);
    h->seen = seen;
    h->frame0 = frame0;
    block_view_close(w->c->mem, &u->view);
    u->open = 0;
    return err;
}

int pending_output_before(const call *w)
{
    return w->pending && w->pending->open && w->pending->frame0 != w->out.frame0;
}

int pending_output_deliver(call *w)
{
    pending_output *u = w->pending;
    if (pending_output_before(w))
        u->err = pending_output_hand_out(w);
    return u ? u->err : IMP_OK;
}

void pending_output_drop(call *w)
{
    pending_output *u = w->pending;
    if (u->open) {
        row_stream_drop(w->c, &w->r->stream);
        block_view_close(w->c->mem, &u->view);
    }
    u->open = 0;
}

int pending_output_lost(call *w)
{
    const int lost = w->pending->open || w->pending->err == IMP_ERR_DEVICE;
    pending_output_drop(w);
    w->pending->err = IMP_OK;
    return lost;
}
