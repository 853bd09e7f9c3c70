/* impinge bench: times the stages in memory, without file I/O and kernel builds. */
#include "bench.h"
#include "cli.h"
#include "clock.h"
#include "error.h"
#include "job.h"
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPS 7
#define REPS_MOST 100000 /* the times of all repetitions are kept */

typedef struct bench_options {
    job job;
    uint64_t reps;
    const char *json;
    int quiet, force;
} bench_options;
JOB_FIRST(bench_options);

typedef struct bench_state {
    bench_options o;
    imp *p;
    batch_block block;
    outputs outputs;
    text_output json;
    imp_profile profile; /* the last repetition's */
    /* the first repetition's, like job.sums */
    uint64_t bad_frames, contact_frames, contacts;
    uint64_t last_step; /* the last step with a contact, counted from 1 */
    faults faults;
    double *seconds[STAGES]; /* [stage][rep] */
} bench_state;

/* Rows are dropped; without a sink, candidates would only be counted. */
static int ignore_contacts(void *user, const imp_contacts *c)
{
    (void)user;
    (void)c;
    return 0;
}

/* Relations are computed only if somebody receives them. */
static int bench_ignore_relations(void *user, const imp_relations *of)
{
    (void)user;
    (void)of;
    return 0;
}

/* Used only in the first repetition, which is not timed: sums would take time in the others. */
static int bench_count_contacts(void *user, const imp_contacts *c)
{
    bench_state *s = user;
    const result_step of = job_step(&s->o.job, c->frame, &s->block, c->frame);
    s->contacts += c->count;
    s->contact_frames += s->last_step != c->frame + 1;
    s->last_step = c->frame + 1;
    if (s->o.json)
        contact_sums_add(&s->o.job.sums, c, c->frame, &of);
    return 0;
}

/* The pipeline's sink: pairs of the baseline are no contacts of the result. */
static int count_others(void *user, const imp_contacts *c)
{
    bench_state *s = user;
    const baseline_at at =
        baseline_at_of(s->block.frame[c->frame].mesh, batch_block_slab(&s->block, c->frame));
    return baseline_filter(&s->o.job.baseline, c, &at, bench_count_contacts, s);
}

/* The first repetition, which is not timed: kernels are built and memory is touched. It also finds
 * the contacts for the summary. */
static int bench_warm_up(bench_state *s)
{
    int err = IMP_OK;
    imp_frame_info *info = NULL;
    TRY(mem_alloc(&s->o.job.mem.read, s->o.job.steps * sizeof *info, &info));
    TRY(imp_detect(s->p, s->block.frame, s->block.count, count_others, s, info));
    for (uint64_t f = 0; f < s->o.job.steps; f++)
        s->bad_frames += info[f].bad > 0 && info[f].bad == s->block.frame[f].mesh->primitives;
    tally_merge(&s->o.job.sums.pairs);
out:
    mem_free(&s->o.job.mem.read, info);
    return err;
}

/* Computes all frames once. */
static int once(bench_state *s, uint64_t rep, double *total)
{
    const double start = clock_seconds();
    imp_profile_reset(s->p);
    imp_forget(s->p); /* makes each repetition a run of its own */
    int err = rep == 0
                  ? bench_warm_up(s)
                  : imp_detect(s->p, s->block.frame, s->block.count, ignore_contacts, NULL, NULL);
    *total = clock_seconds() - start;
    imp_profile_get(s->p, &s->profile);
    return err ? job_detect_error(&s->o.job, err) : IMP_OK;
}

/* Times the stages of a device separately, since the host then waits at the end of each. */
static int stages_apart(bench_state *s, uint64_t rep)
{
    double total;
    if (!strcmp(imp_device_name(s->p), "cpu"))
        return IMP_OK;
    imp_force_timed(s->p, 1);
    const int err = once(s, rep, &total);
    imp_force_timed(s->p, 0);
    return err;
}

/* One repetition, timed as a whole and by stage. */
static int repeat(bench_state *s, uint64_t rep)
{
    int err = IMP_OK;
    double total, seconds[STAGES] = {0}, stages[STAGES] = {0};
    TRY(once(s, rep, &total));
    if (rep == 0)
        goto out;
    stage_seconds(&s->profile, seconds);
    TRY(stages_apart(s, rep));
    stage_seconds(&s->profile, stages);
    stages[STAGE_DETECT] = seconds[STAGE_DETECT];
    stages[STAGE_TOTAL] = total;
    for (int r = 0; r < STAGES; r++)
        s->seconds[r][rep - 1] = stages[r];
out:
    return err;
}

/* ---- output */

static void bench_print_text(const bench_state *s, const summary *sum)
{
    uint64_t n = s->o.reps;
    printf("%s: %s, %s in all\n", cli_shown(sum->input),
           cli_count_text(sum->frames, job_step_noun(&s->o.job)),
           cli_count_text(sum->primitives, job_primitive_noun(&s->o.job)));
    printf("%s, %s (%s, %s)\n", cli_count_text(sum->total.contacts, job_row_noun(&s->o.job)),
           cli_count_text(sum->total.candidates, "candidate"), cli_shown(sum->device), sum->broad);
    printf("%-8s %12s %12s   milliseconds, %llu repetitions\n", "stage", "minimum", "median",
           (unsigned long long)n);
    for (int r = 0; r < STAGES; r++)
        if (!stage_is_of_files(r)) {
            times_print(stage_names[r], s->seconds[r], n);
            printf("\n");
        }
    double detect = s->seconds[STAGE_DETECT][n / 2];
    if (detect > 0)
        printf("%.3g million %ss per second\n", 1e-6 * (double)sum->primitives / detect,
               job_primitive_noun(&s->o.job));
}

/* Writes page faults by block, including the first repetition: they show whether memory is touched
 * for the first time after all buffers were created. */
static void faults_json(const bench_state *s, json *j)
{
    json_open(j, "page_faults", '{');
    json_count(j, "blocks", s->faults.blocks);
    json_count(j, "first", s->faults.first);
    json_count(j, "second", s->faults.second);
    json_count(j, "most", s->faults.most);
    json_close(j, '}');
}

static int bench_print_json(bench_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, &s->json));
    summary_json(&j, sum);
    json_count(&j, "reps", s->o.reps);
    json_open(&j, "seconds", '{');
    for (int r = 0; r < STAGES; r++)
        times_json(&j, stage_names[r], s->seconds[r], s->o.reps);
    json_close(&j, '}');
    faults_json(s, &j);
    TRY(json_end(&j, &s->json));
out:
    return err;
}

static int bench_print(bench_state *s)
{
    int err = IMP_OK;
    const imp_profile *t = &s->profile;
    const devices one = {.p = &s->p, .count = 1};
    summary sum = summary_begin(&s->o.job, &one);
    sum.total = (frame_sums){.candidates = t->candidates,
                             .features = s->o.job.def.continuous,
                             .candidates_vf = t->candidates_vf,
                             .candidates_ee = t->candidates_ee,
                             .contacts = s->contacts,
                             .candidates_max = t->candidates_max,
                             .undecided = t->undecided,
                             .bad = t->bad,
                             .entries_written = t->entries_written,
                             .contact_frames = s->contact_frames};
    /* all repetitions have the same profile */
    job_warn_last(&s->o.job, t->bad, s->bad_frames);
    for (int r = 0; r < STAGES; r++)
        times_sort(s->seconds[r], s->o.reps);
    if (s->o.json)
        TRY(bench_print_json(s, &sum));
    if (!s->o.quiet && !s->outputs.on_stdout)
        bench_print_text(s, &sum);
out:
    return err;
}

/* ---- the verb */

/* Everything is read, and memory for times is allocated, before the first repetition: no file
 * access and no allocation is timed. */
static int bench_all(bench_state *s)
{
    int err = IMP_OK;
    job *w = &s->o.job;
    TRY(job_open(w));
    TRY(job_claim(w, &s->outputs));
    TRY(outputs_json(&s->outputs, s->o.json, s->o.force, &s->json));
    for (int r = 0; r < STAGES; r++)
        TRY(mem_alloc(&w->mem.read, s->o.reps * sizeof(double), &s->seconds[r]));
    /* all frames are in memory at once: the pipeline gets the remaining memory */
    TRY(job_baseline_read(w));
    w->def.relations = w->def.inside ? bench_ignore_relations : NULL;
    TRY(job_open_for_all_frames(w, &s->p));
    TRY(job_read(w, NULL, 0, (size_t)w->slice.count, &s->block));
    for (uint64_t rep = 0; rep <= s->o.reps; rep++)
        TRY(repeat(s, rep));
    TRY(bench_print(s));
out:
    return err;
}

static int bench(int argc, char **argv)
{
    bench_state s = {0};
    int count, code = cli_parse(&verb_bench, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    s.o.reps = s.o.reps ? s.o.reps : REPS;
    job_begin(&s.o.job, argv[0], s.o.json != NULL);
    /* counting page faults is for --json alone: it asks the system at each block */
    s.o.job.forced.faults = s.o.json ? &s.faults : NULL;
    int err = bench_all(&s);
    code = err ? cli_fail(err) : 0;
    for (int r = 0; r < STAGES; r++)
        mem_free(&s.o.job.mem.read, s.seconds[r]);
    text_output_free(&s.json);
    outputs_free(&s.outputs);
    batch_block_free(&s.block);
    imp_destroy(s.p);
    job_close(&s.o.job);
    return code;
}

static const cli_option bench_option_list[] = {
    {"reps", 0, CLI_SOME, offsetof(bench_options, reps), "N",
     "repetitions, after one that is not counted (default: 7)",
     "Repetitions, after one that is not counted; the default is 7. Stages of an OpenCL device are "
     "timed in repetitions of their own, in which the host waits where each stage ends: total and "
     "detect are of the others.",
     .high = REPS_MOST},
    {CLI_JSON(bench_options, "the figures as JSON (default: to stdout, and nothing else there)")},
    {CLI_FORCE(bench_options, "replace the file of --json")},
    {CLI_QUIET(bench_options)},
    {0},
};

const cli_verb verb_bench = {
    .name = "bench",
    .usage = "IN.vtkhdf [options]",
    .text = "times each stage in memory: minimum and median",
    .options = bench_option_list,
    .more = job_option_list,
    .examples = "  impinge bench cloth.vtkhdf\n"
                "  impinge bench cloth.vtkhdf --device opencl --broad brute --reps 3 --json\n",
    .run = bench,
    .about =
        "All frames are read into memory once. The first repetition, in which kernels are built "
        "and memory is touched, is not counted. A stage is a part of the work: bound, broad, "
        "order, narrow; detect is all four, transfers to a device included; exact is the part of "
        "narrow that "
        "is exact arithmetic on the host. In --json page_faults "
        "is the number of pages touched for the first time: by the first block of frames, by the "
        "second, and the greatest number of any later block in any repetition.",
    .least = "an input is missing",
    .one = "input",
};

/* Ascending order, for qsort. */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void times_sort(double *seconds, uint64_t count)
{
    qsort(seconds, count, sizeof *seconds, compare);
}

/* The upper one of two middle times is the median: a time that was measured. */
void times_json(json *j, const char *key, const double *seconds, uint64_t count)
{
    json_open(j, key, '{');
    json_real(j, "min", seconds[0]);
    json_real(j, "median", seconds[count / 2]);
    json_close(j, '}');
}

void times_print(const char *name, const double *seconds, uint64_t count)
{
    printf("%-8s %12.3f %12.3f", name, 1e3 * seconds[0], 1e3 * seconds[count / 2]);
}
