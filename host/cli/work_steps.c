/* See work.h: the steps of a result. With --continuous a step is the way from a selected frame to
 * the next one, and both must have the same primitives and objects. */
#include "work.h"

#include "cli.h"
#include "error.h"

static uint64_t job_steps_frame_number(const work *w, uint64_t i)
{
    return slice_frame(&w->slice, i);
}

/* A mesh that changes gives vertices no way from one frame to the next. */
int work_meshes_differ(const work *w, uint64_t i, const char *what)
{
    return imp_fail(IMP_ERR_INPUT,
                    "%s: frames %llu and %llu have different meshes (%s); --continuous needs the "
                    "same primitives and objects in both",
                    w->path, (unsigned long long)job_steps_frame_number(w, i),
                    (unsigned long long)job_steps_frame_number(w, i + 1), what);
}

/* Before anything is computed: a mesh that has another size is another one. */
static int job_steps_check_sizes(const work *w, uint64_t i)
{
    uint64_t v, p, next_v, next_p;
    char what[100];
    batch_size(w->in, job_steps_frame_number(w, i), &v, &p);
    batch_size(w->in, job_steps_frame_number(w, i + 1), &next_v, &next_p);
    if (v == next_v && p == next_p)
        return IMP_OK;
    snprintf(what, sizeof what, "%s and %s %s", grouped(p != next_p ? p : v),
             grouped(p != next_p ? next_p : next_v), p != next_p ? "primitives" : "vertices");
    return work_meshes_differ(w, i, what);
}

int work_steps(work *w)
{
    int err = IMP_OK;
    const uint64_t frames = w->slice.count;
    w->steps = w->given.continuous && frames ? frames - 1 : frames;
    for (uint64_t i = 0; i < w->steps; i++) {
        uint64_t verts, prims;
        batch_size(w->in, job_steps_frame_number(w, i), &verts, &prims);
        /* of the selected frames only: they decide whether a GPU pays */
        w->primitives += prims;
        w->ghosts += batch_ghosts(w->in, job_steps_frame_number(w, i));
        /* `check` goes by the frames of the result: others may have any mesh */
        if (w->given.continuous && !w->was.step)
            TRY(job_steps_check_sizes(w, i));
    }
out:
    return err;
}

/* A shard without a step has no frame either. */
static void cut_slice(work *w, uint64_t first, uint64_t end)
{
    w->slice.first = end > first ? job_steps_frame_number(w, first) : 0;
    w->slice.count = end > first ? end - first + (uint64_t)(w->given.continuous != 0) : 0;
}

/* The units of the shard, from *first to before *end: steps, or the slabs of all of them, `each` of
 * a step, which weigh as much as their step. */
static int job_steps_divide(work *w, uint64_t each, uint64_t *first, uint64_t *end)
{
    int err = IMP_OK;
    const uint64_t units = w->steps * each;
    uint64_t *weight = NULL, vertices;
    TRY(mem_alloc(&w->mem.read, units * sizeof *weight, &weight));
    for (uint64_t u = 0; u < units; u++) {
        batch_size(w->in, job_steps_frame_number(w, u / each), &vertices, &weight[u]);
        weight[u]++;
    }
    work_shard_steps(&w->shard, weight, units, first, end);
    w->primitives = w->ghosts = 0;
    for (uint64_t u = *first; u < *end; u++) {
        w->primitives += (weight[u] - 1) / each;
        w->ghosts += u % each ? 0 : batch_ghosts(w->in, job_steps_frame_number(w, u / each));
    }
out:
    mem_free(&w->mem.read, weight);
    return err;
}

int work_shard_cut(work *w)
{
    int err = IMP_OK;
    const uint64_t slabs = w->space.slabs, each = slabs ? slabs : 1;
    uint64_t first = 0, end = w->steps * each;
    w->shard.whole = w->slice;
    if (w->shard.count)
        TRY(job_steps_divide(w, each, &first, &end));
    if (slabs)
        work_space_units(w, first, end);
    else if (w->shard.count)
        cut_slice(w, first, end);
    if (w->shard.count)
        w->steps = end - first;
out:
    return err;
}

int work_tolerance(const work *w)
{
    int err = IMP_OK, turns = 0;
    if (!(w->given.tolerance > 0) || w->was.step) /* a result was made with it */
        return IMP_OK;
    TRY(batch_turns(w->in, w->slice.first, w->slice.step, w->slice.count, &turns));
    if (!turns)
        FAIL(IMP_ERR_ARGUMENT,
             "--tolerance: no rigid body of %s turns between the selected frames, so all contacts "
             "are exact",
             w->path);
out:
    return err;
}

/* Which selected frame a frame of a block is: `of` has its number. */
static uint64_t selected(const work *w, const imp_frame *of)
{
    return (uint64_t)(((int64_t)of->number - (int64_t)w->slice.first) / w->slice.step);
}

/* The way of one pair of neighbours. A file may have the same mesh twice, or objects of their own
 * for each frame: then both frames get one mesh, as the pipeline wants it. */
static int job_steps_check_pair(const work *w, const imp_frame *from, imp_frame *to)
{
    const uint64_t i = selected(w, from);
    const char *what = batch_mesh_differs(from->mesh, to->mesh);
    if (what)
        return work_meshes_differ(w, i, what);
    to->mesh = from->mesh;
    return IMP_OK;
}

int work_neighbours(const work *w, batch_block *b)
{
    int err = IMP_OK;
    for (size_t i = 0; w->def.continuous && i + 1 < b->count; i++)
        TRY(job_steps_check_pair(w, &b->frame[i], &b->frame[i + 1]));
out:
    return err;
}

result_step work_step(const work *w, uint64_t i, const batch_block *b, size_t k)
{
    const double time = batch_time(w->in, job_steps_frame_number(w, i));
    const double next =
        w->def.continuous ? batch_time(w->in, job_steps_frame_number(w, i + 1)) : time;
    return (result_step){.mesh = b->frame[k].mesh,
                         .number = job_steps_frame_number(w, i),
                         .time = time,
                         .next = next,
                         .part = batch_block_slab(b, k),
                         .source_id = batch_block_source_ids(b, k)};
}

const char *work_step_noun(const work *w)
{
    return w->space.parts ? "slab" : w->def.continuous ? "step" : "frame";
}

const char *work_step_name(const work *w)
{
    return w->def.continuous ? "step from frame" : "frame";
}
