/* The pass of a frame that continues from the one before (frame_cache.h): only pairs with a dirty
 * primitive are searched for and tested. */
#include "scheduler.h"

#include "error.h"
#include "stages.h"

int incremental_pass_can(call *w, int *can)
{
    int err = IMP_OK;
    workspace *r = w->r;
    void *table;
    *can = 0;
    if (!frame_cache_fits(&r->cache, &r->view))
        return IMP_OK;
    if (!broad_incremental_of(&r->broad, &table)) {
        w->reason = "the broad phase keeps no table";
        return IMP_OK;
    }
    call_stage_begin(w);
    /* The cached points are replaced now: after an error, or in another unit, they no longer fit
     * the cached rows. */
    r->cache.ready = 0;
    TRY(frame_cache_points_next(w->c, &r->view, &r->bounds, &r->cache, can));
    w->reason = *can ? "" : "another extent, or a vertex is not finite";
    call_stage_time(w, &w->t->bound);
out:
    return err;
}

/* bound: bounds of the dirty primitives. *left: the number of candidates of the last frame that no
 * longer hold. The table is queried before stable ids and bounds change, since it finds the old
 * pairs by the old bounds. */
static int incremental_pass_bound(call *w, const broad_input *in, uint64_t *left)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    frame_cache *k = &r->cache;
    void *table;
    const broad_incremental *how = broad_incremental_of(&r->broad, &table);
    *left = k->found;
    /* if the dirty set is the same as last time, its pairs are those found then */
    TRY(how->leave(table, in, &k->dirty, k->found_known && k->dirty.same ? NULL : left));
    call_stage_time(w, &w->t->broad);
    if (r->view.ids)
        TRY(persistent_ids_write(c, &k->ids, &r->view, &r->bounds));
    TRY(frame_cache_update_bounds(c, &r->view, &r->bounds, k));
    TRY(call_stage_end(w, &w->t->bound));
out:
    return err;
}

/* broad -> narrow: pairs with a dirty primitive. No ranges are needed: such pairs are few, and
 * where memory is short the scheduler repeats the block with a full pass. */
static int incremental_pass_find(call *w, const broad_input *in, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    void *table;
    const broad_incremental *how = broad_incremental_of(&r->broad, &table);
    TRY(how->enter(table, in, info, &info->entries_written));
    call_stage_time(w, &w->t->broad);
    narrow_clear(&r->narrow);
    r->found.ranks = NULL;    /* pairs are prims */
    r->found.deferred = NULL; /* their number is known */
    while (!how->done(table)) {
        TRY(how->next(table, in, call_piece_candidates(c), info, &r->found));
        candidates_share(c, &r->found);
        if (r->view.ids)
            TRY(persistent_ids_orient(c, r->view.ids, &r->cache.ids, &r->found.of));
        TRY(call_stage_end(w, &w->t->broad));
        TRY(narrow_collect(c, &r->view, &r->bounds, &r->found, &r->narrow));
        call_stage_time(w, &w->t->narrow);
    }
out:
    return err;
}

/* order -> rows: merges the added rows with those of the last frame that still hold. */
static int incremental_pass_merge(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    const context *c = w->c;
    workspace *r = w->r;
    frame_cache *k = &r->cache;
    TRY(narrow_sort(c, &r->view, &r->sort, &r->narrow));
    call_stage_time(w, &w->t->order);
    TRY(verify_pairs(c, &r->view, &r->narrow));
    contact_rows_open(c->mem, c->opt.columns, &k->added);
    TRY(contact_emit(c, &r->view, &r->bounds, &r->narrow, &r->stream, frame_cache_take_rows, k,
                     info));
    call_add_exact(w);
    TRY(frame_cache_merge(k));
    /* Old undecided pairs that still hold, after frame_cache_merge has removed the others;
     * contact_emit has counted the added ones. */
    info->undecided += k->undecided.count;
    TRY(frame_cache_add_undecided(c, k, &r->narrow.undecided));
    call_stage_time(w, &w->t->narrow);
out:
    return err;
}

static int incremental_pass_output(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    info->contacts = r->cache.rows.count;
    /* These rows are in r->cache already. */
    output_record_begin(&w->out, NULL, NULL);
    TRY(output_cached_rows(&w->out, w->c, &r->view, &r->cache.rows));
    output_range_done(&w->out);
    call_stage_time(w, &w->t->narrow);
out:
    return err;
}

/* The number of primitives that did not change; free stable ids do not count. */
static uint32_t incremental_pass_kept(const block_view *v, const dirty_set *m)
{
    uint32_t n = v->ids ? v->ids->count : v->prims;
    for (uint32_t i = 0; i < m->count; i++)
        n -= !v->ids || v->ids->input[m->list[i]].n != NO_NUMBER;
    return n;
}

static int incremental_pass_run(call *w, imp_frame_info *info)
{
    int err = IMP_OK;
    workspace *r = w->r;
    frame_cache *k = &r->cache;
    const broad_input in = call_broad_input(w, 1);
    uint64_t left;
    call_stage_begin(w);
    TRY(incremental_pass_bound(w, &in, &left));
    TRY(incremental_pass_find(w, &in, info));
    TRY(incremental_pass_merge(w, info));
    k->found = info->candidates;
    k->found_known = 1;
    /* The last frame's candidates without the old pairs of dirty primitives; with the new pairs
     * this is the number that a full pass finds. */
    info->candidates += k->candidates - left;
    TRY(incremental_pass_output(w, info));
    k->candidates = info->candidates;
    info->kept = incremental_pass_kept(&r->view, &k->dirty);
    if (r->view.ids)
        persistent_ids_commit(r->view.ids);
    k->ready = 1;
out:
    return err;
}

const pass incremental_pass = {"incremental", incremental_pass_run};
