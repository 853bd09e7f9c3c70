/* See work_shard.h. */
#include "work_shard.h"

#include "error.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what launchers say */

/* A number of a variable of the environment; 0: it is not set, or is no number. */
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

/* mpirun under Slurm starts its own processes by srun, so its own variables come first. srun alone
 * sets SLURM_STEP_ID: a batch script has SLURM_PROCID without being one of several. */
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

/* A job array such as 3-17:2. One with gaps has no order that its tasks know. */
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

/* ---- sharing out */

/* The first step whose weights before it come to `share` of `count` shares of the sum. The sum is
 * divided first: its product with a share may need more than 64 bits. */
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
