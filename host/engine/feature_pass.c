/* The pass of feature pairs within a distance (imp_def.rows FEATURES): candidates are expanded to
 * pairs of features, as in continuous detection, and each pair has a row. All frames of the block
 * have one mesh. */
#include "feature_rows.h"
#include "rigid_ccd.h"
#include "scheduler.h"

#include "error.h"
#include "prim.h"
#include "stages.h"

#define FEATURE_PAIRS_FEW (1u << 18)

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
    feature_tests_clear(&m->features);
    /* Then the lists of candidates and features are large, too. Nothing uses them any more. */
    if (m->pairs.count > FEATURE_PAIRS_FEW) {
        feature_tests_free_range(c, &m->features);
        workspace_free_range(c, w->r);
    }
    TRY(feature_rows_emit(c, m, undecided, info, output_rows, &to));
    call_stage_time(w, &w->t->narrow);
out:
    return err;
}

static int feature_pass_range(call *w, const range *of)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    ccd_step *m = w->ccd;
    pairs *from;
    const broad_input in = call_broad_input(w, 0);
    feature_tests_clear(&m->features);
    TRY(broad_begin(&r->broad, &in, of->a.first, of->a.last, of->part));
    while (!broad_done(&r->broad)) {
        TRY(broad_next(&r->broad, &in, call_piece_candidates(c), of->part, &r->found));
        TRY(call_stage_end(w, &w->t->broad));
        TRY(feature_tests_candidates(c, &r->found, &m->features, &from));
        TRY(feature_tests_collect(c, &r->view, &r->bounds, &m->rep_bits, from, &m->features,
                                  of->part));
        call_stage_time(w, &w->t->narrow);
    }
    TRY(feature_pass_output(w, of->part));
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
