/* The pass over two instants: pairs with bounds that may meet on the way between two frames
 * (imp_sweep). Bounds and trees are those of the first frame; what stands still is detected as in
 * one frame. It has no narrow stage: pairs are candidates, with the time before which they do not
 * meet. */
#include "pass.h"

#include "error.h"

#define PIECE 4096 /* pairs that the sink gets at a time */

/* ---- pairs of objects that stand still: contacts of the first frame */

typedef struct asking {
    walk *w;
    swept_pairs *to;
} asking;

static int take_still(void *user, const imp_contacts *c)
{
    int err = IMP_OK;
    const asking *q = user;
    for (size_t i = 0; i < c->count && !err; i++)
        err = swept_add(q->w->c->mem, q->to, (swept_pair){c->a[i], c->b[i], 0});
    return err;
}

/* By a walk of its own: these rows go into a list, so they must not count as handed out to the
 * caller. */
static int ask_frame(void *user, swept_pairs *to)
{
    asking q = {user, to};
    imp_profile none = {0};
    imp_frame_info info = {0};
    walk frame = *q.w;
    frame.t = &none;
    frame.out = (handout){.frame = q.w->out.frame, .sink = take_still, .user = &q};
    const int err = walk_ranges(&frame, pass_range, &info);
    profile_trees(q.w->t, &none);
    return frame.out.refused ? frame.out.refused : err;
}

/* ---- rows */

typedef struct piece {
    uint32_t a[PIECE], b[PIECE];
    double time[PIECE];
    size_t count;
} piece;

static int piece_out(walk *w, piece *p)
{
    const imp_swept rows = {p->count, p->a, p->b, p->time};
    p->count = 0;
    return rows.count ? handout_swept(&w->out, &w->r->view, &rows) : IMP_OK;
}

static int rows_out(walk *w, const sweeping *found)
{
    int err = IMP_OK;
    piece p = {.count = 0};
    swept_merge m = sweep_first(found);
    const swept_pair *next;
    while ((next = sweep_next(&m))) {
        p.a[p.count] = next->a;
        p.b[p.count] = next->b;
        p.time[p.count] = next->time;
        if (++p.count == PIECE)
            TRY(piece_out(w, &p));
    }
    TRY(piece_out(w, &p));
    handout_range_done(&w->out);
out:
    return err;
}

/* ---- the pass */

static int swept(walk *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    context strict = *w->c; /* points are finite */
    const broad_input in = walk_input(w, 0);
    sweeping s = {.ask_frame = ask_frame, .user = w};
    (void)info;
    strict.opt.on_bad = IMP_BAD_ERROR;
    TRY(bound(&strict, &r->view, &r->bounds));
    broad_choose(&r->broad, &in, 0);
    TRY(broad_build(&r->broad, &in, NULL));
    TRY(sweep_open(&s, &in, broad_state(&r->broad), &r->stills));
    TRY(sweep_find(&s));
    TRY(rows_out(w, &s));
out:
    sweep_close(&s);
    return err;
}

const pass pass_swept = {"swept", swept};
