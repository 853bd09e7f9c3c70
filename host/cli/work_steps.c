/* See work.h: the steps of a result. With --continuous a step is the way from a selected frame to
 * the next one, and both must have the same primitives and objects. */
#include "work.h"

#include "cli.h"
#include "error.h"

static uint64_t job_steps_frame_number(const job *j, uint64_t i)
{
    return frame_slice_at(&j->slice, i);
}

/* A mesh that changes gives vertices no way from one frame to the next. */
int job_meshes_differ(const job *j, uint64_t i, const char *what)
{
    return imp_fail(IMP_ERR_INPUT,
                    "%s: frames %llu and %llu have different meshes (%s); --continuous needs the "
                    "same primitives and objects in both",
                    j->path, (unsigned long long)job_steps_frame_number(j, i),
                    (unsigned long long)job_steps_frame_number(j, i + 1), what);
}

/* Before anything is computed: a mesh that has another size is another one. */
static int job_steps_check_sizes(const job *j, uint64_t i)
{
    uint64_t v, p, next_v, next_p;
    char what[100];
    batch_frame_size(j->in, job_steps_frame_number(j, i), &v, &p);
    batch_frame_size(j->in, job_steps_frame_number(j, i + 1), &next_v, &next_p);
    if (v == next_v && p == next_p)
        return IMP_OK;
    snprintf(what, sizeof what, "%s and %s %s", cli_number_text(p != next_p ? p : v),
             cli_number_text(p != next_p ? next_p : next_v),
             p != next_p ? "primitives" : "vertices");
    return job_meshes_differ(j, i, what);
}

int job_count_steps(job *j)
{
    int err = IMP_OK;
    const uint64_t frames = j->slice.count;
    j->steps = j->given.continuous && frames ? frames - 1 : frames;
    for (uint64_t i = 0; i < j->steps; i++) {
        uint64_t verts, prims;
        batch_frame_size(j->in, job_steps_frame_number(j, i), &verts, &prims);
        /* of the selected frames only: they decide whether a GPU pays */
        j->primitives += prims;
        j->ghosts += batch_frame_ghosts(j->in, job_steps_frame_number(j, i));
        /* `check` goes by the frames of the result: others may have any mesh */
        if (j->given.continuous && !j->normal_slice.step)
            TRY(job_steps_check_sizes(j, i));
    }
out:
    return err;
}

/* A shard without a step has no frame either. */
static void job_steps_select(job *j, uint64_t first, uint64_t end)
{
    j->slice.first = end > first ? job_steps_frame_number(j, first) : 0;
    j->slice.count = end > first ? end - first + (uint64_t)(j->given.continuous != 0) : 0;
}

/* The units of the shard, from *first to before *end: steps, or the slabs of all of them, `each` of
 * a step, which weigh as much as their step. */
static int job_steps_divide(job *j, uint64_t each, uint64_t *first, uint64_t *end)
{
    int err = IMP_OK;
    const uint64_t units = j->steps * each;
    uint64_t *weight = NULL, vertices;
    TRY(mem_alloc(&j->mem.read, units * sizeof *weight, &weight));
    for (uint64_t u = 0; u < units; u++) {
        batch_frame_size(j->in, job_steps_frame_number(j, u / each), &vertices, &weight[u]);
        weight[u]++;
    }
    job_shard_steps(&j->shard, weight, units, first, end);
    j->primitives = j->ghosts = 0;
    for (uint64_t u = *first; u < *end; u++) {
        j->primitives += (weight[u] - 1) / each;
        j->ghosts += u % each ? 0 : batch_frame_ghosts(j->in, job_steps_frame_number(j, u / each));
    }
out:
    mem_free(&j->mem.read, weight);
    return err;
}

int job_shard_select(job *j)
{
    int err = IMP_OK;
    const uint64_t slabs = j->partition.slabs, each = slabs ? slabs : 1;
    uint64_t first = 0, end = j->steps * each;
    j->shard.whole = j->slice;
    if (j->shard.count)
        TRY(job_steps_divide(j, each, &first, &end));
    if (slabs)
        job_partition_units(j, first, end);
    else if (j->shard.count)
        job_steps_select(j, first, end);
    if (j->shard.count)
        j->steps = end - first;
out:
    return err;
}

int job_check_tolerance(const job *j)
{
    int err = IMP_OK, turns = 0;
    if (!(j->given.tolerance > 0) || j->normal_slice.step) /* a result was made with it */
        return IMP_OK;
    TRY(batch_any_body_turns(j->in, j->slice.first, j->slice.step, j->slice.count, &turns));
    if (!turns)
        FAIL(IMP_ERR_ARGUMENT,
             "--tolerance: no rigid body of %s turns between the selected frames, so all contacts "
             "are exact",
             j->path);
out:
    return err;
}

/* Which selected frame a frame of a block is: `of` has its number. */
static uint64_t job_steps_selected_frame(const job *j, const imp_frame *of)
{
    return (uint64_t)(((int64_t)of->number - (int64_t)j->slice.first) / j->slice.step);
}

/* The way of one pair of neighbours. A file may have the same mesh twice, or objects of their own
 * for each frame: then both frames get one mesh, as the pipeline wants it. */
static int job_steps_check_pair(const job *j, const imp_frame *from, imp_frame *to)
{
    const uint64_t i = job_steps_selected_frame(j, from);
    const char *what = batch_mesh_differs(from->mesh, to->mesh);
    if (what)
        return job_meshes_differ(j, i, what);
    to->mesh = from->mesh;
    return IMP_OK;
}

int job_join_meshes(const job *j, batch_block *b)
{
    int err = IMP_OK;
    for (size_t i = 0; j->def.continuous && i + 1 < b->count; i++)
        TRY(job_steps_check_pair(j, &b->frame[i], &b->frame[i + 1]));
out:
    return err;
}

result_step job_step(const job *j, uint64_t i, const batch_block *b, size_t k)
{
    const double time = batch_frame_time(j->in, job_steps_frame_number(j, i));
    const double next =
        j->def.continuous ? batch_frame_time(j->in, job_steps_frame_number(j, i + 1)) : time;
    return (result_step){.mesh = b->frame[k].mesh,
                         .number = job_steps_frame_number(j, i),
                         .time = time,
                         .next = next,
                         .part = batch_block_slab(b, k),
                         .source_id = batch_block_source_ids(b, k)};
}

const char *job_step_noun(const job *j)
{
    return j->partition.has_units ? "slab" : j->def.continuous ? "step" : "frame";
}

const char *job_step_name(const job *j)
{
    return j->def.continuous ? "step from frame" : "frame";
}
