/* The ordinary pass: a block of frames from points to contacts, independent of earlier frames. */
#include "scheduler.h"
#include "rigid_ccd.h"

#include "error.h"
#include "stages.h"

#define ANY_FIRST 256 /* candidates of the first piece if any contact is enough */
/* Clipping to a copy of the near parts pays if at most 1 / FEW of the primitives remains. Where the
 * frame could be cached instead, clipping must beat the incremental pass of the next frame. */
#define FEW 2
#define FEW_CACHED 16

/* ---- before bound: clips two objects to the parts near the other one */

/* Returns whether bodies follow their poses; such bodies stay whole. */
static int full_pass_bodies_whole(const call *w, const broad_method *by)
{
    return by && by->posing && w->r->view.frame->pose;
}

/* Leaves out primitives that cannot have a partner, if that is known before bounds are made;
 * nothing is then cached for the next frame. */
static int full_pass_clip(call *w)
{
    workspace *r = w->r;
    frame_cache *k = &r->cache;
    int done = 0;
    /* Ways along the mesh lead through all primitives. */
    if ((k->recording && w->c->opt.update == IMP_UPDATE_KEEP) || r->view.to || w->c->opt.ring ||
        full_pass_bodies_whole(w, r->broad.requested))
        return IMP_OK;
    int err = object_clip_find(w->c, &r->view, k->recording ? FEW_CACHED : FEW, &r->clip, &done);
    if (err || !done)
        return err;
    k->recording = 0;
    err = call_view(w, &r->clip.frame, 1, NULL);
    r->view.input = r->clip.input;
    r->view.box = (const double(*)[DIMENSIONS])r->clip.box;
    r->view.used = r->clip.used;
    return err;
}

/* ---- a range: broad -> narrow -> order -> rows */

/* may_wait: rows may be delivered while the next block is computed. */
static int full_pass_output(call *w, int may_wait, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    output_target to = {&w->out, info};
    TRY(narrow_sort(w->c, &r->view, &r->sort, &r->narrow));
    call_stage_time(w, &w->t->order);
    TRY(verify_pairs(w->c, &r->view, &r->narrow));
    TRY(pending_output_deliver(w));
    TRY(contact_begin(w->c, &r->view, &r->bounds, &r->narrow, may_wait, &r->stream, output_rows,
                      &to, info));
    if (!may_wait || !row_stream_waits(&r->stream) || pending_output_leave(w))
        TRY(contact_end(w->c, &r->stream));
    frame_cache_record_undecided(w->c, &r->cache, &r->narrow.undecided);
    call_stage_time(w, &w->t->narrow);
    call_add_exact(w);
out:
    return err;
}

/* Returns whether candidates are only counted, and neither sorted nor turned into rows. */
static int full_pass_only_counts(const call *w)
{
    return w->c->opt.stage == IMP_STAGE_CANDIDATES && !w->out.sink && !w->any &&
           !w->r->cache.recording;
}

/* In this stage each candidate is a contact of the result. */
static int full_pass_count_range(call *w, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    while (!broad_done(&r->broad)) {
        TRY(broad_next(&r->broad, in, call_piece_candidates(w->c), info, &r->found));
        TRY(candidates_resolve_count(w->c, &r->found, NULL));
    }
    TRY(device_finish(w->c->dev));
    for (uint32_t f = 0; f < in->view->frames; f++)
        info[f].contacts = info[f].candidates;
    call_stage_time(w, &w->t->broad);
out:
    return err;
}

/* If any contact is enough, pairs are delivered as they are found, in pieces that grow from a few
 * candidates on. */
static int full_pass_search_range(call *w, uint32_t first, uint32_t last, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    const broad_input in = call_broad_input(w, w->r->cache.recording);
    uint64_t few = ANY_FIRST;
    narrow_clear(&r->narrow);
    TRY(broad_begin(&r->broad, &in, first, last, info));
    if (full_pass_only_counts(w))
        return full_pass_count_range(w, &in, info);
    while (!broad_done(&r->broad)) {
        const uint64_t most = call_piece_candidates(c);
        TRY(broad_next(&r->broad, &in, w->any && few < most ? few : most, info, &r->found));
        TRY(call_stage_end(w, &w->t->broad));
        TRY(narrow_collect(c, &r->view, &r->bounds, &r->found, &r->narrow));
        call_stage_time(w, &w->t->narrow);
        if (!w->any)
            continue;
        TRY(full_pass_output(w, 0, info));
        narrow_clear(&r->narrow);
        few *= 2;
    }
    TRY(full_pass_output(w, pending_output_may(w, first, last), info));
out:
    return err;
}

/* ---- the pass */

/* From points to the table of the broad phase. A frame that is cached for the next one is not
 * culled: objects may approach later. */
static int full_pass_build(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    block_view *v = &r->view;
    const frame_cache *k = &r->cache;
    TRY(full_pass_clip(w));
    /* The points of a second instant may be prefetched: they are used before others replace
     * them. */
    if (!v->to)
        prefetch_begin(w);
    TRY(v->to ? bound_step(c, v, rigid_ccd_margins, &r->bounds) : bound_block(c, v, &r->bounds));
    if (v->to)
        prefetch_begin(w);
    TRY(call_stage_end(w, &w->t->bound));
    const broad_input in = call_broad_input(w, k->recording);
    /* Before cull: a method with trees that follow poses needs bodies whole. */
    broad_choose(&r->broad, &in, k->follows && object_clip_dense(&r->clip, v));
    TRY(cull_objects(c, v, &r->cull, &r->bounds,
                     k->recording || full_pass_bodies_whole(w, r->broad.method)));
    TRY(broad_build(&r->broad, &in, info));
    TRY(call_stage_end(w, &w->t->broad));
out:
    return err;
}

static int full_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    block_view *v = &r->view;
    frame_cache *k = &r->cache;
    range now = {0};
    call_stage_begin(w);
    frame_cache_invalidate(k);
    frame_cache_record_begin(w->c, k);
    output_record_begin(&w->out, k->recording ? frame_cache_record : NULL, k);
    TRY(full_pass_build(w, info));
    TRY(range_first(w, &now));
    while (range_more(&now)) {
        err = full_pass_search_range(w, now.a.first, now.a.last, now.part);
        TRY(range_next(w, &now, err, info));
    }
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.normalisation.bad[f];
    if (v->ids)
        persistent_ids_commit(v->ids);
    frame_cache_record_end(w->c, k, v, &r->bounds, info[0].candidates);
out:
    range_close(w, &now);
    prefetch_end(w);
    k->recording = 0;
    return err;
}

const pass full_pass = {"full", full_pass_run};
