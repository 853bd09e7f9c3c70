/* See work.h: the input that the options apply to, opened and read. */
#include "work.h"

#include "drivers.h"
#include "error.h"

#include <string.h>

/* ---- opening */

/* "connected" and "id" are words; an array of such a name is array:id. */
static int job_open_batch(job *j)
{
    const char *objects = j->given.objects ? j->given.objects : "id", *array = "";
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
    if (result_is_file(j->path))
        return imp_fail(IMP_ERR_INPUT, "%s: is a result of impinge, not a batch", j->path);
    return batch_open(&j->mem.read, j->path, how, array, &j->in);
}

/* The reader makes the next mesh before it frees the last one. So different meshes of two frames in
 * a row have different pointers, and the pipeline can keep what belongs to a pointer. */
static void job_make_def(job *j)
{
    static const int updates[] = {[UPDATE_AUTO] = IMP_UPDATE_AUTO,
                                  [UPDATE_REBUILD] = IMP_UPDATE_REBUILD,
                                  [UPDATE_KEEP] = IMP_UPDATE_KEEP};
    const job_options *o = &j->given;
    j->def = (imp_def){.device = o->device,
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
                       .object_pair = (const int32_t(*)[2])j->listed_pairs.pair,
                       .object_pairs = j->listed_pairs.count,
                       .object_pairs_exclude = j->listed_pairs.exclude,
                       .block = (uint32_t)o->block,
                       .solids = j->info.unstructured,
                       .ids = j->info.ids,
                       .unchecked = 1, /* store_mesh.c has checked them */
                       .expect = j->primitives ? j->primitives : 1};
}

/* Lines about OpenCL drivers are warnings of this job. */
static void job_add_warning(void *user, const char *line)
{
    warnings_add(user, "%s", line);
}

void job_begin(job *j, const char *path, int wants_sums)
{
    j->path = path;
    drivers_set_log(job_add_warning, &j->warnings);
    j->wants_sums = wants_sums;
    j->sums.pairs.mem = j->sums.firsts.mem = &j->mem.sums;
}

/* Options are checked before the file is opened: a wrong option is found without reading. */
int job_open(job *j)
{
    int err = IMP_OK;
    TRY(job_options_check(&j->given));
    job_memory_begin(j);
    TRY(job_open_batch(j));
    batch_get_info(j->in, &j->info);
    TRY(frame_slice_select(j->given.frames, j->info.frames, &j->slice));
    TRY(job_count_steps(j));
    TRY(job_check_tolerance(j));
    TRY(job_partition_check(j));
    TRY(job_baseline_open(j));
    if (j->given.object_pairs)
        TRY(object_pairs_read(&j->mem.read, j->given.object_pairs, job_object_names(j),
                              &j->listed_pairs));
    /* before the warnings, which use the rules */
    job_make_def(j);
    TRY(job_warn_first(j));
    /* after what is asked and said of all selected frames, which is the same in all shards */
    TRY(job_shard_select(j));
    j->def.expect = j->primitives ? j->primitives : 1;
out:
    return err;
}

void job_close(job *j)
{
    drivers_set_log(NULL, NULL);
    warnings_free(&j->warnings);
    contact_sums_free(&j->sums);
    object_pairs_free(&j->mem.read, &j->listed_pairs);
    baseline_free(&j->baseline, &j->mem.read);
    job_partition_free(j);
    batch_close(j->in);
    j->in = NULL;
}

/* They are names of values of CellData/ObjectId. */
const batch_names *job_object_names(const job *j)
{
    const char *objects = j->given.objects ? j->given.objects : "id";
    const int named = !strcmp(objects, "id") || !strcmp(objects, "array:ObjectId");
    return named ? batch_get_names(j->in) : NULL;
}

/* ---- reading */

/* Counts the objects of the frames that it reads, so that they need not be read again for that. */
int job_read(job *j, const batch_block *before, uint64_t i, size_t count, batch_block *out)
{
    int err = j->partition.slabs ? job_partition_read(j, i, out)
                                 : batch_read_after(j->in, before, frame_slice_at(&j->slice, i),
                                                    j->slice.step, count, out);
    if (!err)
        err = job_warn_unwelded(j, out);
    if (err || j->partition.slabs)
        return err;
    err = job_join_meshes(j, out);
    for (size_t f = 0; f < count && !err; f++)
        if (batch_block_objects(out, f) > j->object_count)
            j->object_count = batch_block_objects(out, f);
    return err;
}

int job_frame_objects(job *j, uint64_t i, const int32_t **ids, uint64_t *count)
{
    const uint64_t frame = frame_slice_at(&j->slice, i);
    return j->partition.slabs ? batch_partition_objects(j->in, frame, ids, count)
                              : batch_frame_objects(j->in, frame, ids, count);
}

/* With a static topology all frames have the same objects. */
int job_count_objects(job *j, uint64_t count)
{
    int err = IMP_OK;
    const int32_t *ids;
    uint64_t n, frames = j->info.static_topology && count ? 1 : count;
    for (uint64_t i = 0; i < frames; i++) {
        TRY(job_frame_objects(j, i, &ids, &n));
        j->object_count = n > j->object_count ? n : j->object_count;
    }
out:
    return err;
}

/* The pipeline does not know file names or options; a user needs both. */
int job_detect_error(const job *j, int err)
{
    static const char bodies[] = "bodies: ";
    if (err && !strncmp(imp_error_text(), bodies, sizeof bodies - 1))
        return imp_fail(err, "%s: /impinge/%s", j->path, imp_error_text());
    if (err != IMP_ERR_INPUT)
        return err;
    return imp_fail(err, "%s: /VTKHDF/Points: %s; --on-bad skip leaves such triangles out%s",
                    j->path, imp_error_text(),
                    j->info.ghosts ? " (ghost cells are not counted)" : "");
}

const char *job_primitive_noun(const job *j)
{
    return j->info.corners == IMP_TRIANGLES ? "triangle" : "primitive";
}

/* Inputs are claimed so that no output of the same command can replace them. */
int job_claim(const job *j, outputs *o)
{
    int err = outputs_reads_hdf5(o, j->path);
    if (err || !j->given.object_pairs)
        return err;
    /* - is standard input, which may be a file of the shell */
    const char *list = object_pairs_path(j->given.object_pairs);
    return outputs_reads(o, strcmp(list, "-") ? list : "/dev/stdin");
}
