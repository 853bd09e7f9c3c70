/* See work.h: frames in slabs. Unit u of all is slab u % slabs of step u / slabs; those of a shard
 * are consecutive ones. */
#include "work.h"

#include "error.h"

int work_space_check(work *w)
{
    int err = IMP_OK;
    const work_options *o = &w->given;
    if (!w->space.slabs)
        return IMP_OK;
    if (o->stage == IMP_STAGE_CANDIDATES && o->volume > IMP_VOLUME_DOP && !o->continuous)
        FAIL(IMP_ERR_ARGUMENT, "--space: candidates of trees of spheres and oriented boxes depend "
                               "on the whole tree; --volume dop has the same in slabs");
out:
    return err;
}

void work_space_units(work *w, uint64_t first, uint64_t end)
{
    w->space.parts = w->shard.count != 0;
    w->space.first = first;
    w->space.count = end - first;
}

/* Cuts the step of a unit, if it is not the one that was cut last. */
static int job_space_partition(work *w, uint64_t unit)
{
    int err = IMP_OK;
    work_space *s = &w->space;
    const char *what = NULL;
    const uint64_t step = unit / s->slabs;
    const batch_space_def def = {
        .frame = slice_frame(&w->slice, step),
        .next = slice_frame(&w->slice, step + (w->given.continuous != 0)),
        .slabs = (uint32_t)s->slabs,
        .margin = w->given.min_separation,
        .tolerance = w->given.tolerance,
        .skip_bad = w->given.on_bad == IMP_BAD_SKIP,
    };
    if (s->cut && s->step == step)
        return IMP_OK;
    work_space_free(w);
    TRY(batch_space_differ(w->in, def.frame, def.next, &what));
    if (what)
        TRY(work_meshes_differ(w, step, what));
    TRY(batch_space_cut(w->in, &def, &s->cut));
    s->step = step;
    const uint64_t objects = batch_space_get_info(s->cut)->objects;
    w->object_count = objects > w->object_count ? objects : w->object_count;
out:
    return err;
}

int work_space_read(work *w, uint64_t i, batch_block *out)
{
    int err = IMP_OK;
    work_space *s = &w->space;
    const uint64_t unit = s->first + i;
    batch_block_free(out);
    TRY(job_space_partition(w, unit));
    TRY(batch_space_read(s->cut, (uint32_t)(unit % s->slabs), out));
    s->primitives += out->frame->mesh->primitives;
out:
    return err;
}

result_step work_space_step(const batch_block *b)
{
    const imp_frame *from = b->frame, *to = &b->frame[b->count - 1];
    return (result_step){.mesh = from->mesh,
                         .number = from->number,
                         .time = from->time,
                         .next = to->time,
                         .part = batch_block_slab(b, 0),
                         .source_id = batch_block_source_ids(b, 0)};
}

int work_space_bytes(work *w, uint64_t *unit, uint64_t *besides)
{
    int err = IMP_OK;
    *unit = *besides = 0;
    if (!w->space.count)
        return IMP_OK;
    TRY(job_space_partition(w, w->space.first));
    *unit = batch_space_bytes(w->space.cut, besides);
out:
    return err;
}

imp_def work_space_def(const work *w)
{
    imp_def def = w->def;
    if (w->space.slabs) {
        def.ids = 0;
        def.update = IMP_UPDATE_REBUILD;
    }
    return def;
}

void work_space_free(work *w)
{
    batch_space_free(w->space.cut);
    w->space.cut = NULL;
}
