/* See job.h: the steps of a result. With --continuous a step is the interval from a selected frame
 * to the next one, and both must have the same primitives and objects. */
#include "cli.h"
#include "error.h"
#include "job.h"
#include "store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t job_steps_frame_number(const job *j, uint64_t i)
{
    return frame_slice_at(&j->slice, i);
}

/* If the mesh changes, vertices have no trajectories between the frames. */
int job_meshes_differ(const job *j, uint64_t i, const char *what)
{
    return imp_fail(IMP_ERR_INPUT,
                    "%s: frames %llu and %llu have different meshes (%s); --continuous needs the "
                    "same primitives and objects in both",
                    j->path, (unsigned long long)job_steps_frame_number(j, i),
                    (unsigned long long)job_steps_frame_number(j, i + 1), what);
}

/* Called before anything is computed: meshes of different sizes differ. */
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
        /* sum over the selected frames only: it decides whether a GPU is worthwhile */
        j->primitives += prims;
        j->ghosts += batch_frame_ghosts(j->in, job_steps_frame_number(j, i));
        /* `check` reads the frames of the result only: others may have any mesh */
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

/* Finds the units of the shard, from *first to before *end: steps, or all their slabs, `each` for a
 * step, which are weighted like their step. */
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
    if (!(j->given.tolerance > 0) || j->normal_slice.step) /* the options are a result's */
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

/* Returns the index among the selected frames of a frame in a block. */
static uint64_t job_steps_selected_frame(const job *j, const imp_frame *of)
{
    return (uint64_t)(((int64_t)of->number - (int64_t)j->slice.first) / j->slice.step);
}

/* Checks one pair of neighbouring frames. A file may store the same mesh twice, or objects for each
 * frame: then both frames get one mesh, as the pipeline requires. */
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

/* ---- variables set by launchers */

/* Reads a number from an environment variable. Returns 0 if it is not set, or is no number. */
static int job_shard_variable(const char *name, int64_t *out)
{
    char *end;
    const char *text = getenv(name);
    if (!text || !*text)
        return 0;
    *out = strtoll(text, &end, 10);
    return !*end;
}

/* One of several tasks that were started together. */
typedef struct task_rank {
    int64_t index, count;
} task_rank;

/* mpirun under Slurm starts its own processes by srun, so its own variables have priority. srun
 * alone sets SLURM_STEP_ID: a batch script has SLURM_PROCID without being one of several tasks. */
static task_rank job_shard_task_rank(void)
{
    static const char *const names[][3] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"PMI_RANK", "PMI_SIZE"},
        {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        task_rank p;
        if ((!names[i][2] || getenv(names[i][2])) && job_shard_variable(names[i][0], &p.index) &&
            job_shard_variable(names[i][1], &p.count))
            return p;
    }
    return (task_rank){0, 0};
}

/* Parses a job array such as 3-17:2. The tasks of an array with gaps cannot know their order. */
static int job_shard_array_rank(task_rank *out)
{
    int64_t id, low, high, step = 1;
    *out = (task_rank){0, 0};
    if (!job_shard_variable("SLURM_ARRAY_TASK_ID", &id) ||
        !job_shard_variable("SLURM_ARRAY_TASK_MIN", &low) ||
        !job_shard_variable("SLURM_ARRAY_TASK_MAX", &high) ||
        !job_shard_variable("SLURM_ARRAY_TASK_COUNT", &out->count))
        return IMP_OK;
    if (!job_shard_variable("SLURM_ARRAY_TASK_STEP", &step) || step < 1)
        step = 1;
    out->index = (id - low) / step;
    if ((high - low) / step + 1 != out->count || (id - low) % step)
        return imp_fail(IMP_ERR_ARGUMENT,
                        "--shard auto: the job array has gaps; --shard i/n numbers its tasks");
    return IMP_OK;
}

static int job_shard_is_rank(const task_rank *p)
{
    return p->count > 0 && p->count <= SHARDS_MOST && p->index >= 0 && p->index < p->count;
}

static int job_shard_parse_auto(job_shard *out)
{
    int err = IMP_OK;
    task_rank outer, inner = job_shard_task_rank();
    TRY(job_shard_array_rank(&outer));
    if (!outer.count && !inner.count)
        FAIL(IMP_ERR_ARGUMENT, "--shard auto: no launcher has numbered this task "
                               "(SLURM_ARRAY_TASK_ID, SLURM_PROCID, OMPI_COMM_WORLD_RANK, "
                               "PMI_RANK); --shard i/n does");
    outer = outer.count ? outer : (task_rank){0, 1};
    inner = inner.count ? inner : (task_rank){0, 1};
    if (!job_shard_is_rank(&outer) || !job_shard_is_rank(&inner) ||
        outer.count > SHARDS_MOST / inner.count)
        FAIL(IMP_ERR_ARGUMENT, "--shard auto: task %lld of %lld in array task %lld of %lld is none",
             (long long)inner.index, (long long)inner.count, (long long)outer.index,
             (long long)outer.count);
    out->index = (uint64_t)(outer.index * inner.count + inner.index);
    out->count = (uint64_t)(outer.count * inner.count);
out:
    return err;
}

/* ---- the option */

int job_shard_parse(const char *text, job_shard *out)
{
    unsigned long long i = 0, n = 0;
    int end = 0;
    if (!strcmp(text, "auto"))
        return job_shard_parse_auto(out);
    if (text[strspn(text, "0123456789/")] || sscanf(text, "%19llu/%19llu%n", &i, &n, &end) != 2 ||
        text[end] || !n || n > SHARDS_MOST)
        return imp_fail(IMP_ERR_ARGUMENT, "--shard: '%s' is not auto or i/n, n at most %d", text,
                        SHARDS_MOST);
    if (i >= n)
        return imp_fail(IMP_ERR_ARGUMENT, "--shard: '%s': the %llu shards are 0 to %llu", text, n,
                        n - 1);
    *out = (job_shard){.index = i, .count = n};
    return IMP_OK;
}

/* ---- dividing the steps */

/* Returns the first step for which the weights before it sum up to share/count of the total. The
 * sum is divided first: its product with a share may need more than 64 bits. */
static uint64_t job_shard_first_step(const uint64_t *weight, uint64_t steps, uint64_t share,
                                     uint64_t count)
{
    uint64_t sum = 0, before = 0, i = 0;
    for (uint64_t k = 0; k < steps; k++)
        sum += weight[k];
    const uint64_t rest = sum % count * share;
    const uint64_t want = sum / count * share + rest / count + (rest % count != 0);
    while (i < steps && before < want)
        before += weight[i++];
    return share == count ? steps : i;
}

void job_shard_steps(const job_shard *s, const uint64_t *weight, uint64_t steps, uint64_t *first,
                     uint64_t *end)
{
    *first = job_shard_first_step(weight, steps, s->index, s->count);
    *end = job_shard_first_step(weight, steps, s->index + 1, s->count);
}

/* ---- See job.h: frames cut into slabs. Unit u is slab u % slabs of step u / slabs; the units of a
 * shard are consecutive. */

int job_partition_check(job *j)
{
    int err = IMP_OK;
    const job_options *o = &j->given;
    if (!j->partition.slabs)
        return IMP_OK;
    if (job_rows(o) == IMP_ROWS_OBJECTS)
        FAIL(IMP_ERR_ARGUMENT, "--rows objects: not with --space: the nearest primitives of two "
                               "objects may be in any two slabs");
    if (o->ring)
        FAIL(IMP_ERR_ARGUMENT, "--ring: not with --space: edges of the mesh may lead through other "
                               "slabs");
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

/* Returns the growth of each primitive's bounds. Bounds of a pair at distance D overlap if each
 * grows by D / 2, rounded up. */
static int job_partition_margin(job *j, uint64_t frame, double *margin)
{
    double distance = j->given.distance.most;
    const int err = j->given.thickness ? batch_thickness_most(j->in, frame, &distance) : IMP_OK;
    *margin = j->given.min_separation + (distance > 0 ? nextafter(distance / 2, INFINITY) : 0);
    return err;
}

/* Cuts the step of a unit, unless it is the step cut last. */
static int job_partition_make(job *j, uint64_t unit)
{
    int err = IMP_OK;
    job_partition *s = &j->partition;
    const char *what = NULL;
    const uint64_t step = unit / s->slabs;
    batch_partition_def def = {
        .frame = frame_slice_at(&j->slice, step),
        .next = frame_slice_at(&j->slice, step + (j->given.continuous != 0)),
        .slabs = (uint32_t)s->slabs,
        .tolerance = j->given.tolerance,
        .features = job_rows(&j->given) == IMP_ROWS_FEATURES,
        .by_objects = j->given.inside != NULL,
        .closed = j->inside.object,
        .closed_count = j->given.inside_open ? 0 : j->inside.count,
        .skip_bad = j->given.on_bad == IMP_BAD_SKIP,
    };
    if (s->partition && s->step == step)
        return IMP_OK;
    job_partition_free(j);
    TRY(job_partition_margin(j, def.frame, &def.margin));
    TRY(batch_partition_meshes_differ(j->in, def.frame, def.next, &what));
    if (what)
        TRY(job_meshes_differ(j, step, what));
    if (!j->def.continuous)
        TRY(job_baseline_check(j, def.frame));
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
