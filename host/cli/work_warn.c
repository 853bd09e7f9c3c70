/* Reasons for an empty answer that the user may not have meant: an error if no contact can be found
 * at all, else a warning. */
#include "work.h"

#include "cli.h"
#include "error.h"
#include "impinge_weld.h"
#include "unwelded_text.h"

#include <stdio.h>
#include <string.h>

/* ---- which pairs of objects are left to test */

/* Adds the objects of selected frames, of a static topology only once. Without a list the first
 * frame that leaves a pair to test decides, and others are not read for that. */
static int job_warn_add_frames(work *w, imp_rules *rules)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = w->info.static_topology && w->slice.count ? 1 : w->slice.count;
    for (uint64_t i = 0; i < frames; i++) {
        if (i && !w->pairs_list.pair && !imp_rules_check(rules))
            break;
        TRY(work_objects(w, i, &ids, &n));
        TRY(imp_rules_add(rules, ids, n));
    }
out:
    return err;
}

/* What a user can do, where objects are what is missing. */
static const char *objects_advice(const work *w)
{
    const int by_id = !w->given.objects || !strcmp(w->given.objects, "id");
    if (!by_id)
        return "";
    return w->info.has_object
               ? "; --objects connected or array:NAME tells objects apart otherwise"
               : "; there is no CellData/ObjectId: --objects connected or array:NAME "
                 "tells objects apart, and convert --groups or --as objects writes it";
}

/* A list of which no pair may be tested is most likely a wrong file, and a single object without
 * pairs of its own a forgotten option. */
static int rules_error(const work *w, int err)
{
    if (err != IMP_ERR_ARGUMENT)
        return err;
    if (w->pairs_list.pair)
        return imp_fail(err, "%s: --object-pairs %s: %s", w->path, w->given.object_pairs,
                        imp_error_text());
    return imp_fail(err, "%s: --pairs: %s%s", w->path, imp_error_text(), objects_advice(w));
}

/* "0, 1, 5 and 3 more" */
static void warn_missing(work *w, const imp_rules *rules)
{
    cli_items list = {0};
    size_t next = 0;
    for (int32_t id; imp_rules_missing(rules, &next, &id);) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)id);
        cli_items_add(&list, number);
    }
    if (list.count)
        warn(&w->warnings, "--object-pairs: %s: no selected frame has the object%s %s",
             w->given.object_pairs, list.count > 1 ? "s" : "", cli_items_text(&list));
}

static int check_rules(work *w)
{
    int err = IMP_OK;
    imp_rules *rules = NULL;
    if (!w->pairs_list.pair && w->given.pairs != IMP_PAIRS_BETWEEN)
        return IMP_OK;
    TRY(imp_rules_create(&w->def, &rules));
    TRY(job_warn_add_frames(w, rules));
    TRY(rules_error(w, imp_rules_check(rules)));
    warn_missing(w, rules);
out:
    imp_rules_destroy(rules);
    return err;
}

/* ---- neighbours */

/* In the frame that is read first. */
int work_warn_unwelded(work *w, const batch_block *b)
{
    int yes = 0;
    double fraction = 0;
    /* then each primitive of such a mesh is an object */
    const int connected = w->given.objects && !strcmp(w->given.objects, "connected");
    if (!w->wants_unwelded || !b->count || (w->given.pairs == IMP_PAIRS_BETWEEN && !connected))
        return IMP_OK;
    w->wants_unwelded = 0;
    imp_mesh mesh = *b->frame->mesh;
    imp_frame frame = *b->frame;
    frame.mesh = &mesh;
    mesh.object = connected ? NULL : mesh.object;
    int err = imp_is_unwelded(&frame, &yes, &fraction);
    if (!err && yes)
        warn(&w->warnings, "%s: %s; impinge convert %s --weld 0 -o OUT joins them", w->path,
             unwelded_text(b->frame->mesh->primitives, work_noun(w),
                           w->space.slabs ? " of its first slab" : "", fraction),
             w->path);
    return err;
}

/* ---- before the first frame, and after the last */

/* Selected frames without a primitive. */
static uint64_t empty_frames(const work *w)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < w->slice.count; i++) {
        uint64_t verts, prims;
        batch_size(w->in, slice_frame(&w->slice, i), &verts, &prims);
        n += prims == 0;
    }
    return n;
}

int work_warn_first(work *w)
{
    int err = IMP_OK;
    uint64_t empty = empty_frames(w), n;
    const char *remark;
    const int32_t *ids;
    /* a wrong topology is reported before any warning; a frame in slabs is not read for that */
    if (w->slice.count && !w->space.slabs)
        TRY(work_objects(w, 0, &ids, &n));
    if (!w->info.frames)
        warn(&w->warnings, "%s: has no frames", w->path);
    else if (empty == w->slice.count)
        warn(&w->warnings, "%s: has no %s in any selected frame", w->path, work_noun(w));
    else if (empty)
        warn(&w->warnings, "%s: %s of %s selected frames have no %s", w->path, grouped(empty),
             grouped(w->slice.count), work_noun(w));
    if (w->ghosts)
        warn(&w->warnings, "%s: %s (vtkGhostType) left out", w->path,
             counted(w->ghosts, "ghost cell"));
    if (w->given.continuous && w->slice.count == 1)
        warn(&w->warnings,
             "%s: only one frame is selected: there is no step to another one, so no contact can "
             "be found",
             w->path);
    for (size_t i = 0; w->info.frames && (remark = batch_remark(w->in, i)); i++)
        warn(&w->warnings, "%s: %s", w->path, remark);
    TRY(check_rules(w));
out:
    return err;
}

/* Only after all frames: before, the number of omitted primitives is not known. */
void work_warn_last(work *w, uint64_t bad, uint64_t bad_frames)
{
    if (w->sums.too_many)
        warn(&w->warnings, "--json: more pairs of objects meet than fit into --mem-limit; "
                           "object_pairs is left out");
    if (bad && bad == w->primitives)
        warn(&w->warnings, "%s: all %ss were left out: each has a bad vertex", w->path,
             work_noun(w));
    else if (bad_frames)
        warn(&w->warnings, "%s: all %ss of %s were left out: each has a bad vertex", w->path,
             work_noun(w), counted(bad_frames, "frame"));
}
