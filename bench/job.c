/* bench_job bench IN.vtkhdf: the same work as `impinge bench`, for developers. ./dev bench starts
 * it as a contestant (--paced), gpu_model as a GPU (--as-gpu); it also races another state of the
 * sources (--against) and limits the host's kernels to an instruction set (--isa). */
#include "against.h"
#include "bench.h"
#include "clock.h"
#include "drivers.h"
#include "edges.h"
#include "error.h"
#include "float_env.h"
#include "cli.h"
#include "h5.h"
#include "machine.h"
#include "summary.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define REPS 7
#define REPS_MOST 100000 /* all times are stored */
#define UNITS_MOST 65536
#define CORES_MOST 1024

/* Rows of times: the stages, then the times that --paced prints for this program and the other one.
 */
enum { RACE_OWN = STAGES, RACE_RIVAL, ROWS };

typedef struct bench_run {
    job job; /* first: JOB_FIRST */
    uint64_t reps, as_gpu, as_cores;
    const char *against;
    int paced, listed, queries, in_edges, quiet;
    imp *p;
    batch_block block;
    imp_profile profile;   /* from the last repetition */
    double *seconds[ROWS]; /* [row][rep] */
    against rival;         /* for --against */
    double query_seconds;  /* in the current repetition */
} bench_run;
JOB_FIRST(bench_run);

/* ---- options */

static const cli_option bench_job_options[] = {
    {"reps", 0, CLI_SOME, offsetof(bench_run, reps), "N",
     "repetitions, after one that is not counted (default: 7; with --paced until stdin ends)",
     .high = REPS_MOST},
    {"paced", 0, CLI_FLAG, offsetof(bench_run, paced), NULL,
     "one repetition for each line on stdin, and one before the first; prints its seconds and "
     "contacts at once"},
    {"listed", 0, CLI_FLAG, offsetof(bench_run, listed), NULL,
     "with --stage candidates or --distance: time them until they are sorted and handed out as "
     "rows, "
     "not until they are in the device's memory or counted"},
    {"queries", 0, CLI_FLAG, offsetof(bench_run, queries), NULL,
     "with --paced and --continuous: time the tests of pairs of features alone, and count these"},
    {"in-edges", 0, CLI_FLAG, offsetof(bench_run, in_edges), NULL,
     "the unit of --distance is the median edge of the first frame"},
    {"against", 0, CLI_TEXT, offsetof(bench_run, against), "PROGRAM",
     "another bench_job, or an impinge with bench --paced, which takes turns with this program; "
     "prints ratios of their times"},
    {"as-gpu", 0, CLI_SOME, offsetof(bench_run, as_gpu), "UNITS",
     "treat --device, an OpenCL CPU device, as a GPU with this number of compute units: GPU "
     "variants "
     "of kernels, launches sized for these units, separate memory, no self-test",
     .high = UNITS_MOST},
    {"as-cores", 0, CLI_SOME, offsetof(bench_run, as_cores), "N",
     "treat the machine as one with N processors, so that --threads may be more than it has: for "
     "counts of what threads do",
     .high = CORES_MOST},
    {"isa", 0, CLI_CHOICE, offsetof(bench_run, job.forced.isa), "widest|base|v3|v4",
     "instructions that --device cpu may use: SSE2 (base), AVX2 (v3), AVX-512 (v4)"},
    {CLI_QUIET(bench_run)},
    {0},
};

static int job_run(int argc, char **argv);

/* The verb has the product's name: --against starts either program with the same words. */
static const cli_verb job_verb = {
    .name = "bench",
    .usage = "IN.vtkhdf [options]",
    .text = "times the work of `impinge bench`, for developers",
    .options = bench_job_options,
    .more = job_option_list,
    .examples = "  bench_job bench cloth.vtkhdf --device cpu --isa v3\n"
                "  bench_job bench cloth.vtkhdf --against ../before/build/release/bench_job\n",
    .run = job_run,
    .least = "an input is missing",
    .one = "input",
};

/* True unless the device is the host, given by its name or by its number, 0, or auto, which might
 * choose it. */
static int job_may_be_opencl(const char *device)
{
    return device && strcmp(device, "auto") && strcasecmp(device, "cpu") &&
           device[strspn(device, "0")];
}

/* The error message for incompatible options, or NULL. */
static const char *job_needs(const bench_run *j)
{
    const job_options *w = &j->job.given;
    const int isa = j->job.forced.isa != 0;
    if (j->in_edges && !w->distance.given)
        return "--in-edges: needs --distance";
    if (j->in_edges && j->against)
        return "--in-edges: not with --against";
    const char *list = w->object_pairs ? object_pairs_path(w->object_pairs) : "";
    const char *without = w->object_pairs_exclude ? w->object_pairs_exclude : "";
    if (j->against && (j->paced || j->as_gpu || isa))
        return "--against: not with --paced, --as-gpu or --isa";
    if (j->listed && w->stage == 0 && !w->distance.given)
        return "--listed: needs --stage candidates or --distance";
    if (j->queries && (!j->paced || !w->continuous || w->stage != 0))
        return "--queries: needs --paced and --continuous, without --stage candidates";
    if (j->against && (!strcmp(list, "-") || !strcmp(without, "-")))
        return "--object-pairs: with --against two programs read it, so it must be a file";
    if (j->as_gpu && !job_may_be_opencl(w->device))
        return "--as-gpu: --device must name an OpenCL device";
    if (isa && (!w->device || strcasecmp(w->device, "cpu")))
        return "--isa: needs --device cpu";
    return NULL;
}

/* ---- one repetition */

/* Returns whether candidates are feature pairs. */
static int job_of_features(const bench_run *j)
{
    const imp_def *d = &j->job.def;
    return d->continuous && d->stage == IMP_STAGE_CANDIDATES && !j->listed;
}

/* Candidates are timed until they are found, as in other programs: neither sorted nor with points.
 * With --update keep they form one list only at the end. */
static double job_pace(const bench_run *j, double total)
{
    const imp_profile *t = &j->profile;
    if (j->queries)
        return j->query_seconds;
    if (j->job.def.update == IMP_UPDATE_KEEP || j->listed || job_of_features(j))
        return total;
    return j->job.def.stage == IMP_STAGE_CANDIDATES ? t->bound + t->broad : total;
}

static void job_print_pace(const bench_run *j, double total)
{
    const imp_profile *t = &j->profile;
    const int features = j->queries || job_of_features(j);
    const uint64_t count = features ? t->candidates_vf + t->candidates_ee : t->contacts;
    printf("%.9f %llu\n", job_pace(j, total), (unsigned long long)count);
    /* at once: the program that sets the pace waits for this line */
    fflush(stdout);
}

/* Drops the rows; without a sink candidates would only be counted. */
static int job_drop_rows(void *user, const imp_contacts *c)
{
    (void)user;
    (void)c;
    return 0;
}

/* One pass over all frames. */
static int job_once(bench_run *j, double *total)
{
    const double start = clock_seconds();
    imp_profile_reset(j->p);
    j->query_seconds = 0;
    imp_forget(j->p); /* each repetition is an independent run */
    int err = imp_detect(j->p, j->block.frame, j->block.count, j->listed ? job_drop_rows : NULL,
                         NULL, NULL);
    *total = clock_seconds() - start;
    imp_profile_get(j->p, &j->profile);
    return err ? job_detect_error(&j->job, err) : IMP_OK;
}

/* Device stages are timed in a separate repetition, since the host then waits at the end of each.
 */
static int job_time_stages(bench_run *j, uint64_t rep)
{
    int err = IMP_OK;
    double total, timed, seconds[STAGES] = {0};
    TRY(job_once(j, &total));
    if (rep == 0)
        goto out;
    j->seconds[RACE_OWN][rep - 1] = job_pace(j, total);
    stage_seconds(&j->profile, seconds);
    const double detect = seconds[STAGE_DETECT];
    if (strcmp(imp_device_name(j->p), "cpu") != 0) {
        imp_force_timed(j->p, 1);
        err = job_once(j, &timed);
        imp_force_timed(j->p, 0);
        TRY(err);
        stage_seconds(&j->profile, seconds);
    }
    seconds[STAGE_DETECT] = detect;
    seconds[STAGE_TOTAL] = total;
    for (int r = 0; r < STAGES; r++)
        j->seconds[r][rep - 1] = seconds[r];
out:
    return err;
}

/* One repetition of the other program. Candidates may differ: its bounds may be tighter. */
static int job_rival_turn(bench_run *j, uint64_t rep)
{
    int err = against_turn(&j->rival, &j->seconds[RACE_RIVAL][rep - 1]);
    if (!err && j->job.def.stage == IMP_STAGE_CONTACTS && j->rival.contacts != j->profile.contacts)
        err = imp_fail(IMP_ERR_DIFFERS, "--against: %s finds %llu contacts, this program %llu",
                       j->rival.program, (unsigned long long)j->rival.contacts,
                       (unsigned long long)j->profile.contacts);
    return err;
}

/* ---- all repetitions */

/* Waits for a line; 0 at the end of stdin. */
static int job_may_go_on(void)
{
    int c;
    do
        c = getchar();
    while (c != '\n' && c != EOF);
    return c != EOF;
}

/* The first repetition needs no line on stdin: its answer signals that all is ready. */
static int job_repeat_paced(bench_run *j)
{
    int err = IMP_OK;
    for (uint64_t rep = 0; rep <= j->reps; rep++) {
        double total;
        if (rep && !job_may_go_on())
            break;
        TRY(job_once(j, &total));
        job_print_pace(j, total);
    }
out:
    return err;
}

/* With --against the programs alternate in going first. */
static int job_repeat(bench_run *j)
{
    int err = IMP_OK;
    TRY(job_time_stages(j, 0));
    for (uint64_t rep = 1; rep <= j->reps; rep++) {
        if (j->rival.program && rep % 2 == 0)
            TRY(job_rival_turn(j, rep));
        TRY(job_time_stages(j, rep));
        if (j->rival.program && rep % 2)
            TRY(job_rival_turn(j, rep));
    }
out:
    return err;
}

/* Times are sorted: the minimum is the first, the median in the middle. */
static void job_print_race(const bench_run *j)
{
    const double *own = j->seconds[RACE_OWN], *rival = j->seconds[RACE_RIVAL];
    const uint64_t middle = j->reps / 2;
    times_print("this", own, j->reps);
    printf("\n");
    times_print("against", rival, j->reps);
    printf("   %s, %s\n", cli_shown(j->rival.program),
           cli_count_text(j->rival.contacts, job_row_noun(&j->job)));
    printf("%-8s %12.3f %12.3f   this program / that one\n", "ratio", own[0] / rival[0],
           own[middle] / rival[middle]);
}

static void job_print(bench_run *j)
{
    const devices one = {.p = &j->p, .count = 1};
    const summary sum = summary_begin(&j->job, &one);
    for (int r = 0; r < ROWS; r++)
        times_sort(j->seconds[r], j->reps);
    printf("%s, %s (%s, %s)\n", cli_shown(sum.input),
           cli_count_text(j->profile.contacts, job_row_noun(&j->job)), cli_shown(sum.device),
           sum.broad);
    printf("%-8s %12s %12s   milliseconds, %llu repetitions\n", "stage", "minimum", "median",
           (unsigned long long)j->reps);
    for (int r = 0; r < STAGES; r++)
        if (!stage_is_of_files(r)) {
            times_print(stage_names[r], j->seconds[r], j->reps);
            printf("\n");
        }
    if (j->rival.program)
        job_print_race(j);
}

/* Converts the distance from edges of the first frame. */
static int job_scale_distance(bench_run *j)
{
    int err = IMP_OK;
    double edge;
    TRY(edges_median(&j->job.mem.read, &j->block.frame[0], &edge));
    j->job.def.distance *= edge;
    j->job.given.distance.most *= edge;
out:
    return err;
}

/* All input is read, and memory for times allocated, before the first repetition. */
static int job_all(bench_run *j)
{
    int err = IMP_OK;
    TRY(job_open(&j->job));
    for (int r = 0; !j->paced && r < ROWS; r++)
        TRY(mem_alloc(&j->job.mem.read, j->reps * sizeof(double), &j->seconds[r]));
    j->job.forced.only_features = (j->paced || j->against) && job_of_features(j);
    j->job.forced.queries = j->queries ? &j->query_seconds : NULL;
    TRY(job_read(&j->job, NULL, 0, (size_t)j->job.slice.count, &j->block));
    if (j->in_edges)
        TRY(job_scale_distance(j));
    TRY(job_open_for_all_frames(&j->job, &j->p));
    if (j->rival.program)
        TRY(against_start(&j->rival, &j->job));
    TRY(j->paced ? job_repeat_paced(j) : job_repeat(j));
    if (!j->paced)
        job_print(j);
out:
    return err;
}

static int job_run(int argc, char **argv)
{
    bench_run j = {0};
    int count, code = cli_parse(&job_verb, argc, argv, &j, &count);
    if (code >= 0)
        return code;
    const char *need = job_needs(&j);
    if (need)
        return cli_usage_error(&job_verb, "%s", need);
    if (!j.reps)
        j.reps = j.paced ? UINT64_MAX : REPS;
    j.rival = (against){.program = j.against, .listed = j.listed};
    j.job.forced.as_gpu = (uint32_t)j.as_gpu;
    processors_pretend((int)j.as_cores);
    job_begin(&j.job, argv[0], 0);
    const int err = job_all(&j);
    code = err ? cli_fail(err) : 0;
    against_stop(&j.rival);
    for (int r = 0; r < ROWS; r++)
        mem_free(&j.job.mem.read, j.seconds[r]);
    batch_block_free(&j.block);
    imp_destroy(j.p);
    job_close(&j.job);
    return code;
}

/* Starts like the product in host/cli/main.c. */
int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    float_env_set();
    if (!strcmp(name, DRIVER_CHILD))
        return driver_child(argc, argv);
    omp_start(argv);
    drivers_guard();
    h5_quiet();
    gmp_memory_guard();
    if (strcmp(name, job_verb.name) != 0) {
        fprintf(stderr, "usage: bench_job bench IN.vtkhdf [options]\n");
        return 2;
    }
    return job_run(argc - 1, argv + 1);
}
