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
static int job_warn_add_frames(job *j, imp_rules *rules)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = j->info.static_topology && j->slice.count ? 1 : j->slice.count;
    for (uint64_t i = 0; i < frames; i++) {
        if (i && !j->listed_pairs.pair && !imp_rules_check(rules))
            break;
        TRY(job_frame_objects(j, i, &ids, &n));
        TRY(imp_rules_add(rules, ids, n));
    }
out:
    return err;
}

/* What a user can do, where objects are what is missing. */
static const char *job_warn_objects_advice(const job *j)
{
    const int by_id = !j->given.objects || !strcmp(j->given.objects, "id");
    if (!by_id)
        return "";
    return j->info.has_object
               ? "; --objects connected or array:NAME tells objects apart otherwise"
               : "; there is no CellData/ObjectId: --objects connected or array:NAME "
                 "tells objects apart, and convert --groups or --as objects writes it";
}

/* A list of which no pair may be tested is most likely a wrong file, and a single object without
 * pairs of its own a forgotten option. */
static int job_warn_rules_error(const job *j, int err)
{
    if (err != IMP_ERR_ARGUMENT)
        return err;
    if (j->listed_pairs.pair)
        return imp_fail(err, "%s: --object-pairs %s: %s", j->path, j->given.object_pairs,
                        imp_error_text());
    return imp_fail(err, "%s: --pairs: %s%s", j->path, imp_error_text(),
                    job_warn_objects_advice(j));
}

/* "0, 1, 5 and 3 more" */
static void job_warn_missing(job *j, const imp_rules *rules)
{
    cli_items list = {0};
    size_t next = 0;
    for (int32_t id; imp_rules_missing(rules, &next, &id);) {
        char number[16];
        snprintf(number, sizeof number, "%d", (int)id);
        cli_items_add(&list, number);
    }
    if (list.count)
        warnings_add(&j->warnings, "--object-pairs: %s: no selected frame has the object%s %s",
                     j->given.object_pairs, list.count > 1 ? "s" : "", cli_items_text(&list));
}

static int job_warn_check_rules(job *j)
{
    int err = IMP_OK;
    imp_rules *rules = NULL;
    if (!j->listed_pairs.pair && j->given.pairs != IMP_PAIRS_BETWEEN)
        return IMP_OK;
    TRY(imp_rules_create(&j->def, &rules));
    TRY(job_warn_add_frames(j, rules));
    TRY(job_warn_rules_error(j, imp_rules_check(rules)));
    job_warn_missing(j, rules);
out:
    imp_rules_destroy(rules);
    return err;
}

/* ---- neighbours */

/* In the frame that is read first. */
int job_warn_unwelded(job *j, const batch_block *b)
{
    int yes = 0;
    double fraction = 0;
    /* then each primitive of such a mesh is an object */
    const int connected = j->given.objects && !strcmp(j->given.objects, "connected");
    if (!j->warns_unwelded || !b->count || (j->given.pairs == IMP_PAIRS_BETWEEN && !connected))
        return IMP_OK;
    j->warns_unwelded = 0;
    imp_mesh mesh = *b->frame->mesh;
    imp_frame frame = *b->frame;
    frame.mesh = &mesh;
    mesh.object = connected ? NULL : mesh.object;
    int err = imp_is_unwelded(&frame, &yes, &fraction);
    if (!err && yes)
        warnings_add(&j->warnings, "%s: %s; impinge convert %s --weld 0 -o OUT joins them", j->path,
                     unwelded_text(b->frame->mesh->primitives, job_primitive_noun(j),
                                   j->partition.slabs ? " of its first slab" : "", fraction),
                     j->path);
    return err;
}

/* ---- before the first frame, and after the last */

/* Selected frames without a primitive. */
static uint64_t job_warn_count_empty_frames(const job *j)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < j->slice.count; i++) {
        uint64_t verts, prims;
        batch_frame_size(j->in, frame_slice_at(&j->slice, i), &verts, &prims);
        n += prims == 0;
    }
    return n;
}

int job_warn_first(job *j)
{
    int err = IMP_OK;
    uint64_t empty = job_warn_count_empty_frames(j), n;
    const char *remark;
    const int32_t *ids;
    /* a wrong topology is reported before any warning; a frame in slabs is not read for that */
    if (j->slice.count && !j->partition.slabs)
        TRY(job_frame_objects(j, 0, &ids, &n));
    if (!j->info.frames)
        warnings_add(&j->warnings, "%s: has no frames", j->path);
    else if (empty == j->slice.count)
        warnings_add(&j->warnings, "%s: has no %s in any selected frame", j->path,
                     job_primitive_noun(j));
    else if (empty)
        warnings_add(&j->warnings, "%s: %s of %s selected frames have no %s", j->path,
                     cli_number_text(empty), cli_number_text(j->slice.count),
                     job_primitive_noun(j));
    if (j->ghosts)
        warnings_add(&j->warnings, "%s: %s (vtkGhostType) left out", j->path,
                     cli_count_text(j->ghosts, "ghost cell"));
    if (j->given.continuous && j->slice.count == 1)
        warnings_add(
            &j->warnings,
            "%s: only one frame is selected: there is no step to another one, so no contact can "
            "be found",
            j->path);
    for (size_t i = 0; j->info.frames && (remark = batch_remark(j->in, i)); i++)
        warnings_add(&j->warnings, "%s: %s", j->path, remark);
    TRY(job_warn_check_rules(j));
out:
    return err;
}

/* Only after all frames: before, the number of omitted primitives is not known. */
void job_warn_last(job *j, uint64_t bad, uint64_t bad_frames)
{
    if (j->sums.too_many)
        warnings_add(&j->warnings, "--json: more pairs of objects meet than fit into --mem-limit; "
                                   "object_pairs is left out");
    if (bad && bad == j->primitives)
        warnings_add(&j->warnings, "%s: all %ss were left out: each has a bad vertex", j->path,
                     job_primitive_noun(j));
    else if (bad_frames)
        warnings_add(&j->warnings, "%s: all %ss of %s were left out: each has a bad vertex",
                     j->path, job_primitive_noun(j), cli_count_text(bad_frames, "frame"));
}
