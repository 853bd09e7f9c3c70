/* The pass of the nearest primitives of each two objects (imp_def.rows OBJECTS), one frame after
 * the other. The device makes bounds and names nearest features; the host searches. */
#include "clearance.h"
#include "scheduler.h"

#include "error.h"
#include "stages.h"

#define OBJECT_ROWS_MOST (1u << 14) /* rows at a time */

/* Delivers the rows of a frame's pairs. */
static int object_pass_rows(call *w, const clearance_list *l, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    output_target to = {&w->out, info};
    const contact_source of = {c, &r->view, &r->bounds, &r->narrow};
    column_rows rows = {0};
    const size_t most =
        contact_fit(c, c->opt.columns, l->count < OBJECT_ROWS_MOST ? l->count : OBJECT_ROWS_MOST);
    if (!l->count)
        return IMP_OK;
    TRY(columns_open(c->mem, &contact_table, c->opt.columns, most, &rows));
    for (size_t first = 0, n; first < l->count; first += n) {
        n = l->count - first < most ? l->count - first : most;
        columns_clear(&rows);
        TRY(distance_rows_given(&of, &(pair_list){l->a + first, l->b + first, n}, &rows));
        TRY(output_rows(&to, &r->view, &rows));
    }
out:
    columns_close(&rows);
    return err;
}

/* A frame: its pairs are found and delivered part by part. */
static int object_pass_frame(call *w, uint32_t f, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    clearance search;
    clearance_list found = {0};
    TRY(clearance_begin(w->c, &r->view, &r->bounds, f, &r->narrow.ring, &search));
    do {
        err = clearance_next(&search, &found);
        call_stage_time(w, &w->t->broad);
        err = err ? err : object_pass_rows(w, &found, info);
        call_stage_time(w, &w->t->narrow);
    } while (!err && search.more);
    info[f].candidates = search.compared;
    clearance_end(&search);
out:
    clearance_free(w->c->mem, &found);
    return err;
}

static int object_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    call_stage_begin(w);
    frame_cache_invalidate(&r->cache);
    output_record_begin(&w->out, NULL, NULL);
    TRY(bound_block(c, &r->view, &r->bounds));
    TRY(call_stage_end(w, &w->t->bound));
    for (uint32_t f = 0; f < r->view.frames; f++) {
        TRY(object_pass_frame(w, f, info));
        info[f].bad = r->bounds.normalisation.bad[f];
    }
    output_range_done(&w->out);
out:
    return err;
}

const pass object_pass = {"objects", object_pass_run};
