/* See walk.h. */
#include "walk.h"

#include "budget.h"
#include "clock.h"
#include "error.h"

#include <string.h>

/* Candidates at a time. On GPUs little else than memory limits them: where they are more than one
 * piece, they are searched for twice. */
#define PIECE (UINT64_C(1) << 23)
#define PIECE_GPU (UINT64_C(1) << 28)

double call_clock(const call *w)
{
    return clock_seconds() - w->out.outside;
}

void call_stage_begin(call *w)
{
    w->stage_start = call_clock(w);
}

/* Without the sink's time: a slow caller does not change the profile of a stage. */
void call_stage_time(call *w, double *stage)
{
    const double now = call_clock(w);
    *stage += now - w->stage_start;
    w->stage_start = now;
}

int call_stage_end(call *w, double *stage)
{
    const int err = w->c->opt.timed ? device_finish(w->c->dev) : IMP_OK;
    call_stage_time(w, stage);
    return err;
}

void call_add_exact(call *w)
{
    w->t->exact += w->r->narrow.exact;
    w->r->narrow.exact = 0;
    call_add_verified(w, &w->r->narrow.sample);
}

void call_add_verified(call *w, sample *s)
{
    w->t->verified += s->verified;
    s->verified = 0;
}

broad_input call_broad_input(const call *w, int cached)
{
    return (broad_input){
        .c = w->c, .view = &w->r->view, .bounds = &w->r->bounds, .cached = cached, .profile = w->t};
}

uint64_t call_piece_candidates(const context *c)
{
    uint64_t fit = mem_left(c->mem) / BUDGET_PIECE_SHARE / BUDGET_CANDIDATE;
    /* A pair is four bytes in each of two buffers, and neither may exceed the largest one. */
    const uint64_t enough = c->dev->large ? PIECE_GPU : PIECE;
    uint64_t most = c->dev->largest ? c->dev->largest / 4 : enough;
    most = most < enough ? most : enough;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* The mesh's numbers stay: corridor.c sets them once for a block, also for a second view of the
 * same frame. */
int call_view(call *w, const imp_frame *frame, size_t count, persistent_ids *by)
{
    block_view *v = &w->r->view;
    const uint64_t mesh = v->mesh, topology = v->topology;
    block_view_close(w->c->mem, v);
    int err = block_view_open(w->c->mem, frame, w->to, count, v);
    v->mesh = mesh;
    v->topology = topology;
    v->rigid = w->to ? w->rigid : NULL;
    v->ids = by;
    v->input = by ? by->input : NULL;
    return err;
}

static void info_add(imp_frame_info *to, const imp_frame_info *from, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++) {
        to[f].candidates += from[f].candidates;
        to[f].contacts += from[f].contacts;
        to[f].undecided += from[f].undecided;
        to[f].candidates_vf += from[f].candidates_vf;
        to[f].candidates_ee += from[f].candidates_ee;
    }
}

/* A range that fails adds nothing to info: its counts are added once it is complete. */
int call_ranges(call *w, range_detect *detect, imp_frame_info *info)
{
    int err = IMP_OK;
    const block_view *v = &w->r->view;
    uint32_t first = 0, n = v->prims, last = n;
    imp_frame_info *part = NULL;
    TRY(mem_alloc(w->c->mem, v->frames * sizeof *part, &part));
    while (first < n) {
        memset(part, 0, v->frames * sizeof *part);
        output_range(&w->out);
        err = detect(w, first, last, part);
        if (err == IMP_ERR_MEMORY && last - first > 1) {
            /* The buffers have grown to the size of the range that failed. */
            workspace_free_range(w->c, w->r);
            last = first + (last - first) / 2;
            continue;
        }
        TRY(err);
        output_range_done(&w->out);
        info_add(info, part, v->frames);
        /* The next range has the length that fitted: a longer one is likely to fail again. */
        uint32_t step = last - first;
        first = last;
        last = n - first > step ? first + step : n;
    }
    err = IMP_OK;
out:
    mem_free(w->c->mem, part);
    return err;
}
