/* See work.h: the input that the options apply to, opened and read. */
#include "work.h"

#include "drivers.h"
#include "error.h"

#include <string.h>

/* ---- opening */

/* "connected" and "id" are words; an array of such a name is array:id. */
static int job_open_batch(work *w)
{
    const char *objects = w->given.objects ? w->given.objects : "id", *array = "";
    enum object_source how = BATCH_OBJECT_ID;
    if (!strcmp(objects, "connected"))
        how = BATCH_CONNECTED;
    else if (!strncmp(objects, "array:", 6) && objects[6]) {
        how = BATCH_ARRAY;
        array = objects + 6;
    } else if (strcmp(objects, "id"))
        return imp_fail(IMP_ERR_ARGUMENT, "--objects: '%s' is not id, connected or array:NAME",
                        objects);
    /* the reader would refuse it too, since its lines are no triangles, without this reason */
    if (result_is(w->path))
        return imp_fail(IMP_ERR_INPUT, "%s: is a result of impinge, not a batch", w->path);
    return batch_open(&w->mem.read, w->path, how, array, &w->in);
}

/* The reader makes the next mesh before it frees the last one. So different meshes of two frames in
 * a row have different pointers, and the pipeline can keep what belongs to a pointer. */
static void make_def(work *w)
{
    static const int updates[] = {[UPDATE_AUTO] = IMP_UPDATE_AUTO,
                                  [UPDATE_REBUILD] = IMP_UPDATE_REBUILD,
                                  [UPDATE_KEEP] = IMP_UPDATE_KEEP};
    const work_options *o = &w->given;
    w->def = (imp_def){.device = o->device,
                       .threads = (int)o->threads,
                       .broad = o->broad,
                       .dop_k = o->dop ? (int)o->dop : 6,
                       .cell = o->cell,
                       .min_separation = o->min_separation,
                       .tolerance = o->tolerance,
                       .volume = o->volume,
                       .build = o->build,
                       .descent = o->descent,
                       .degree = (uint32_t)o->degree,
                       .leaf = (uint32_t)o->leaf,
                       .hybrid_level = (uint32_t)o->hybrid_level,
                       .adjacent = o->adjacent,
                       .pairs = o->pairs,
                       .stage = o->stage,
                       .continuous = o->continuous,
                       .on_bad = o->on_bad,
                       .update = updates[o->update],
                       .verify = (uint32_t)o->verify,
                       .object_pair = (const int32_t(*)[2])w->pairs_list.pair,
                       .object_pairs = w->pairs_list.count,
                       .object_pairs_exclude = w->pairs_list.exclude,
                       .block = (uint32_t)o->block,
                       .solids = w->info.unstructured,
                       .ids = w->info.ids,
                       .unchecked = 1, /* store_mesh.c has checked them */
                       .expect = w->primitives ? w->primitives : 1};
}

/* Lines about OpenCL drivers are warnings of this work. */
static void say_warning(void *user, const char *line)
{
    warn(user, "%s", line);
}

void work_begin(work *w, const char *path, int wants_sums)
{
    w->path = path;
    drivers_tell(say_warning, &w->warnings);
    w->wants_sums = wants_sums;
    w->sums.pairs.mem = w->sums.firsts.mem = &w->mem.sums;
}

/* Options are checked before the file is opened: a wrong option is found without reading. */
int work_open(work *w)
{
    int err = IMP_OK;
    TRY(work_options_check(&w->given));
    work_limits(w);
    TRY(job_open_batch(w));
    batch_get_info(w->in, &w->info);
    TRY(slice_select(w->given.frames, w->info.frames, &w->slice));
    TRY(work_steps(w));
    TRY(work_tolerance(w));
    TRY(work_space_check(w));
    TRY(work_baseline_open(w));
    if (w->given.object_pairs)
        TRY(object_pairs_read(&w->mem.read, w->given.object_pairs, work_names(w), &w->pairs_list));
    /* before the warnings, which use the rules */
    make_def(w);
    TRY(work_warn_first(w));
    /* after what is asked and said of all selected frames, which is the same in all shards */
    TRY(work_shard_cut(w));
    w->def.expect = w->primitives ? w->primitives : 1;
out:
    return err;
}

void work_close(work *w)
{
    drivers_tell(NULL, NULL);
    warnings_free(&w->warnings);
    contact_sums_free(&w->sums);
    object_pairs_free(&w->mem.read, &w->pairs_list);
    baseline_free(&w->baseline, &w->mem.read);
    work_space_free(w);
    batch_close(w->in);
    w->in = NULL;
}

/* They are names of values of CellData/ObjectId. */
const batch_names *work_names(const work *w)
{
    const char *objects = w->given.objects ? w->given.objects : "id";
    const int named = !strcmp(objects, "id") || !strcmp(objects, "array:ObjectId");
    return named ? batch_get_names(w->in) : NULL;
}

/* ---- reading */

/* Counts the objects of the frames that it reads, so that they need not be read again for that. */
int work_read(work *w, const batch_block *before, uint64_t i, size_t count, batch_block *out)
{
    int err = w->space.slabs ? work_space_read(w, i, out)
                             : batch_read_on(w->in, before, slice_frame(&w->slice, i),
                                             w->slice.step, count, out);
    if (!err)
        err = work_warn_unwelded(w, out);
    if (err || w->space.slabs)
        return err;
    err = work_neighbours(w, out);
    for (size_t f = 0; f < count && !err; f++)
        if (batch_objects(out, f) > w->object_count)
            w->object_count = batch_objects(out, f);
    return err;
}

int work_objects(work *w, uint64_t i, const int32_t **ids, uint64_t *count)
{
    const uint64_t frame = slice_frame(&w->slice, i);
    return w->space.slabs ? batch_space_objects(w->in, frame, ids, count)
                          : batch_frame_objects(w->in, frame, ids, count);
}

/* With a static topology all frames have the same objects. */
int work_count_objects(work *w, uint64_t count)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = w->info.static_topology && count ? 1 : count;
    for (uint64_t i = 0; i < frames; i++) {
        TRY(work_objects(w, i, &ids, &n));
        w->object_count = n > w->object_count ? n : w->object_count;
    }
out:
    return err;
}

/* The pipeline does not know file names or options; a user needs both. */
int work_detect_error(const work *w, int err)
{
    static const char bodies[] = "bodies: ";
    if (err && !strncmp(imp_error_text(), bodies, sizeof bodies - 1))
        return imp_fail(err, "%s: /impinge/%s", w->path, imp_error_text());
    if (err != IMP_ERR_INPUT)
        return err;
    return imp_fail(err, "%s: /VTKHDF/Points: %s; --on-bad skip leaves such triangles out%s",
                    w->path, imp_error_text(),
                    w->info.ghosts ? " (ghost cells are not counted)" : "");
}

const char *work_noun(const work *w)
{
    return w->info.corners == IMP_TRIANGLES ? "triangle" : "primitive";
}

/* Inputs are claimed so that no output of the same command can replace them. */
int work_claim(const work *w, outputs *o)
{
    int err = outputs_reads_hdf5(o, w->path);
    if (err || !w->given.object_pairs)
        return err;
    /* - is standard input, which may be a file of the shell */
    const char *list = object_pairs_path(w->given.object_pairs);
    return outputs_reads(o, strcmp(list, "-") ? list : "/dev/stdin");
}
