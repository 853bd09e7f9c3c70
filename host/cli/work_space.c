/* See work.h: frames in slabs. Unit u of all is slab u % slabs of step u / slabs; those of a shard
 * are consecutive ones. */
#include "work.h"

#include "error.h"

int job_partition_check(job *j)
{
    int err = IMP_OK;
    const job_options *o = &j->given;
    if (!j->partition.slabs)
        return IMP_OK;
    if (o->stage == IMP_STAGE_CANDIDATES && o->volume > IMP_VOLUME_DOP && !o->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--space: candidates of trees of spheres and oriented boxes depend "
                               "on the whole tree; --volume dop has the same in slabs");
out:
    return err;
}

void job_partition_units(job *j, uint64_t first, uint64_t end)
{
    j->partition.has_units = j->shard.count != 0;
    j->partition.first = first;
    j->partition.count = end - first;
}

/* Cuts the step of a unit, if it is not the one that was cut last. */
static int job_partition_make(job *j, uint64_t unit)
{
    int err = IMP_OK;
    job_partition *s = &j->partition;
    const char *what = NULL;
    const uint64_t step = unit / s->slabs;
    const batch_partition_def def = {
        .frame = frame_slice_at(&j->slice, step),
        .next = frame_slice_at(&j->slice, step + (j->given.continuous != 0)),
        .slabs = (uint32_t)s->slabs,
        .margin = j->given.min_separation,
        .tolerance = j->given.tolerance,
        .skip_bad = j->given.on_bad == IMP_BAD_SKIP,
    };
    if (s->partition && s->step == step)
        return IMP_OK;
    job_partition_free(j);
    TRY(batch_partition_meshes_differ(j->in, def.frame, def.next, &what));
    if (what)
        TRY(job_meshes_differ(j, step, what));
    TRY(batch_partition_make(j->in, &def, &s->partition));
    s->step = step;
    const uint64_t objects = batch_partition_get_info(s->partition)->objects;
    j->object_count = objects > j->object_count ? objects : j->object_count;
out:
    return err;
}

int job_partition_read(job *j, uint64_t i, batch_block *out)
{
    int err = IMP_OK;
    job_partition *s = &j->partition;
    const uint64_t unit = s->first + i;
    batch_block_free(out);
    TRY(job_partition_make(j, unit));
    TRY(batch_partition_read_slab(s->partition, (uint32_t)(unit % s->slabs), out));
    s->primitives += out->frame->mesh->primitives;
out:
    return err;
}

result_step job_partition_step(const batch_block *b)
{
    const imp_frame *from = b->frame, *to = &b->frame[b->count - 1];
    return (result_step){.mesh = from->mesh,
                         .number = from->number,
                         .time = from->time,
                         .next = to->time,
                         .part = batch_block_slab(b, 0),
                         .source_id = batch_block_source_ids(b, 0)};
}

int job_partition_bytes(job *j, uint64_t *unit, uint64_t *besides)
{
    int err = IMP_OK;
    *unit = *besides = 0;
    if (!j->partition.count)
        return IMP_OK;
    TRY(job_partition_make(j, j->partition.first));
    *unit = batch_partition_slab_bytes(j->partition.partition, besides);
out:
    return err;
}

imp_def job_partition_def(const job *j)
{
    imp_def def = j->def;
    if (j->partition.slabs) {
        def.ids = 0;
        def.update = IMP_UPDATE_REBUILD;
    }
    return def;
}

void job_partition_free(job *j)
{
    batch_partition_free(j->partition.partition);
    j->partition.partition = NULL;
}
