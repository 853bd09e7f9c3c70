/* The pass of feature pairs within a distance (imp_def.rows FEATURES): candidates are expanded to
 * pairs of features, as in continuous detection, and each pair has a row. All frames of the block
 * have one mesh. */
#include "feature_rows.h"
#include "rigid_ccd.h"
#include "scheduler.h"

#include "error.h"
#include "prim.h"
#include "stages.h"

static int feature_pass_build(call *w)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    ccd_step *m = w->ccd;
    TRY(bound_block(c, &r->view, &r->bounds));
    TRY(call_stage_end(w, &w->t->bound));
    TRY(ccd_step_owners(c, w->out.frame0 > 0, m));
    const broad_input in = call_broad_input(w, 0);
    broad_choose(&r->broad, &in, 0);
    TRY(cull_objects(c, &r->view, &r->cull, &r->bounds, 0));
    TRY(broad_build(&r->broad, &in, NULL));
    TRY(call_stage_end(w, &w->t->broad));
    TRY(feature_tests_begin(c, &r->view, &r->bounds, &m->features));
out:
    return err;
}

/* The candidates of the range, in order: *out is that of the only piece, or all pieces. */
static int feature_pass_candidates(call *w, const range *of, pairs **out)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    feature_tests *s = &w->ccd->features;
    const broad_input in = call_broad_input(w, 0);
    *out = &s->all;
    s->all.count = 0;
    TRY(broad_begin(&r->broad, &in, of->a.first, of->a.last, of->part));
    while (!broad_done(&r->broad)) {
        pairs *from;
        TRY(broad_next(&r->broad, &in, call_piece_candidates(c), of->part, &r->found));
        TRY(feature_tests_candidates(c, &r->found, s, &from));
        if (broad_done(&r->broad) && !s->all.count)
            *out = from;
        else
            TRY(feature_tests_keep(c, from, s));
    }
    TRY(call_stage_end(w, &w->t->broad));
    TRY(sort_pairs(c->dev64, &r->sort, &(*out)->a, &(*out)->b, (*out)->count,
                   bits_for(r->view.prims)));
    TRY(call_stage_end(w, &w->t->order));
out:
    return err;
}

/* Decides the feature pairs that the device left open, and delivers the rows of all. */
static int feature_pass_output(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    ccd_step *m = w->ccd;
    output_target to = {&w->out, info};
    TRY(ccd_step_read_pairs(c, m, info));
    const size_t undecided = (size_t)m->features.undecided.count;
    err = feature_rows_verify(c, m);
    call_add_verified(w, &m->features.sample);
    TRY(err);
    TRY(feature_rows_emit(c, m, undecided, info, output_rows, &to));
    call_stage_time(w, &w->t->narrow);
out:
    return err;
}

/* Piece by piece, whose rows follow one another: so the lists of features stay small. */
static int feature_pass_range(call *w, const range *of)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    ccd_step *m = w->ccd;
    pairs *from;
    TRY(feature_pass_candidates(w, of, &from));
    for (uint64_t first = 0, end; first < from->count; first = end) {
        feature_tests_clear(&m->features);
        TRY(feature_tests_cut(c, from, first, &end));
        TRY(feature_tests_collect(c, &r->view, &r->bounds, &m->rep_bits, from, first, end,
                                  &m->features, of->part));
        TRY(feature_pass_output(w, of->part));
    }
out:
    return err;
}

static int feature_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    block_view *v = &r->view;
    range now = {0};
    call_stage_begin(w);
    frame_cache_invalidate(&r->cache);
    output_record_begin(&w->out, NULL, NULL);
    TRY(step_workspace_open(w->c, r));
    w->ccd = &r->step->ccd;
    w->ccd->view = v;
    w->ccd->bounds = &r->bounds;
    w->ccd->narrow = &r->narrow;
    w->ccd->rigid = NULL;
    w->ccd->found.prims = v->frame->mesh->primitives;
    w->ccd->found.frames = v->frames;
    TRY(feature_pass_build(w));
    TRY(range_first(w, &now));
    while (range_more(&now)) {
        err = feature_pass_range(w, &now);
        TRY(range_next(w, &now, err, info));
    }
    for (uint32_t f = 0; f < v->frames; f++)
        info[f].bad = r->bounds.normalisation.bad[f];
out:
    range_close(w, &now);
    w->ccd = NULL;
    return err;
}

const pass feature_pass = {"features", feature_pass_run};
