/* impinge bench: the rooms timed in memory, without file I/O and kernel builds. */
#include "cli.h"

#include "clock.h"
#include "error.h"
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPS 7
#define REPS_MOST 100000
#define REPS_OPEN UINT64_MAX /* not given */

typedef struct bench_options {
    work w;
    uint64_t reps;
    const char *json;
    int paced, quiet, force;
} bench_options;

static const cli_option options[] = {
    {"reps", 0, CLI_COUNT, offsetof(bench_options, reps), "N",
     "repetitions, after one that is not counted (default: 7; with --paced until stdin ends)"},
    {"json", 0, CLI_MAYBE, offsetof(bench_options, json), "FILE",
     "the figures as JSON (default: to stdout, and nothing else there)"},
    {"force", 0, CLI_FLAG, offsetof(bench_options, force), NULL, "replace the file of --json"},
    {"paced", 0, CLI_FLAG, offsetof(bench_options, paced), NULL,
     "a repetition for each line on stdin: prints its seconds and contacts at once"},
    {"quiet", 'q', CLI_FLAG, offsetof(bench_options, quiet), NULL, "print nothing but errors"},
    {0},
};

/* Repetitions of all frames at once: seconds[room][rep]. */
typedef struct bench_state {
    bench_options o;
    imp *p;
    batch_block block;
    outputs outputs;
    text_output json;
    imp_profile profile;                 /* of the last repetition */
    uint64_t bad_frames, contact_frames; /* of the first one, like the sums */
    contact_sums sums;
    double *seconds[ROOMS];
} bench_state;

static void log_line(void *user, const char *line)
{
    (void)user;
    fprintf(stderr, "impinge: %s\n", line);
}

/* Candidates count until they are found, as in other programs: neither sorted nor with points. */
static void print_pace(const bench_state *s, double total)
{
    const imp_profile *t = &s->profile;
    int candidates = s->o.w.def.stage == IMP_STAGE_CANDIDATES;
    printf("%.9f %llu\n", candidates ? t->bound + t->broad : total,
           (unsigned long long)t->contacts);
    fflush(stdout);
}

static int count_contacts(void *user, const imp_contacts *c)
{
    bench_state *s = user;
    contact_sums_add(&s->sums, c, s->block.frame[c->frame].mesh);
    return 0;
}

/* The first repetition, which is not counted: kernels are built, memory is touched. What --json
 * tells of contacts beyond their number is found here. */
static int first(bench_state *s)
{
    int err = IMP_OK;
    imp_frame_info *info = NULL;
    TRY(mem_alloc(&s->o.w.mem, s->block.count * sizeof *info, &info));
    TRY(imp_detect(s->p, s->block.frame, s->block.count, s->o.json ? count_contacts : NULL, s,
                   info));
    for (size_t f = 0; f < s->block.count; f++)
        s->contact_frames += info[f].contacts > 0;
    for (size_t f = 0; f < s->block.count; f++)
        s->bad_frames += info[f].bad > 0 && info[f].bad == s->block.frame[f].mesh->primitives;
    tally_merge(&s->sums.pairs);
out:
    mem_free(&s->o.w.mem, info);
    return err;
}

static int repeat(bench_state *s, uint64_t rep)
{
    double start = clock_seconds();
    imp_profile_reset(s->p);
    int err = rep == 0 && !s->o.paced
                  ? first(s)
                  : imp_detect(s->p, s->block.frame, s->block.count, NULL, NULL, NULL);
    if (err)
        return work_detect_error(&s->o.w, err);
    double total = clock_seconds() - start;
    imp_profile_get(s->p, &s->profile);
    if (s->o.paced)
        print_pace(s, total);
    if (s->o.paced || rep == 0)
        return IMP_OK;
    const imp_profile *t = &s->profile;
    s->seconds[ROOM_BOUND][rep - 1] = t->bound;
    s->seconds[ROOM_BROAD][rep - 1] = t->broad;
    s->seconds[ROOM_ORDER][rep - 1] = t->order;
    s->seconds[ROOM_NARROW][rep - 1] = t->narrow;
    s->seconds[ROOM_TOTAL][rep - 1] = total;
    s->seconds[ROOM_DETECT][rep - 1] = t->bound + t->broad + t->order + t->narrow;
    return IMP_OK;
}

/* Waits for a line; 0 at the end of stdin. */
static int may_go_on(void)
{
    int c;
    do
        c = getchar();
    while (c != '\n' && c != EOF);
    return c != EOF;
}

static int repeat_all(bench_state *s)
{
    int err = IMP_OK;
    for (uint64_t rep = 0; rep <= s->o.reps; rep++) {
        if (s->o.paced && rep && !may_go_on())
            break;
        TRY(repeat(s, rep));
    }
out:
    return err;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- output */

static void print_text(const bench_state *s, const summary *sum)
{
    uint64_t n = s->o.reps;
    printf("%s: %s, %s in all\n", sum->input, counted(sum->frames, "frame"),
           counted(sum->primitives, "triangle"));
    printf("%s, %s (%s, %s)\n", counted(sum->contacts, "contact"),
           counted(sum->candidates, "candidate"), sum->device, sum->broad);
    printf("%-8s %12s %12s   milliseconds, %llu repetitions\n", "room", "minimum", "median",
           (unsigned long long)n);
    for (int r = 0; r < ROOMS; r++)
        if (r != ROOM_LOAD && r != ROOM_SAVE)
            printf("%-8s %12.3f %12.3f\n", room_names[r], 1e3 * s->seconds[r][0],
                   1e3 * s->seconds[r][n / 2]);
    double detect = s->seconds[ROOM_DETECT][n / 2];
    if (detect > 0)
        printf("%.3g million triangles per second\n", 1e-6 * (double)sum->primitives / detect);
}

static int print_json(bench_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, &s->json));
    summary_json(&j, sum);
    json_count(&j, "reps", s->o.reps);
    json_open(&j, "seconds", '{');
    for (int r = 0; r < ROOMS; r++) {
        json_open(&j, room_names[r], '{');
        json_real(&j, "min", s->seconds[r][0]);
        json_real(&j, "median", s->seconds[r][s->o.reps / 2]);
        json_close(&j, '}');
    }
    json_close(&j, '}');
    TRY(json_end(&j, &s->json));
out:
    return err;
}

static int print_all(bench_state *s)
{
    int err = IMP_OK;
    const imp_profile *t = &s->profile;
    const work *w = &s->o.w;
    summary sum = {.input = w->path,
                   .device = imp_device_name(s->p),
                   .broad = imp_broad_name(s->p),
                   .frames = w->count,
                   .primitives = w->primitives,
                   .objects = w->object_count,
                   .candidates = t->candidates,
                   .contacts = t->contacts,
                   .candidates_max = t->candidates_max,
                   .undecided = t->undecided,
                   .bad = t->bad,
                   .contact_frames = s->contact_frames,
                   .sums = &s->sums,
                   .names = batch_get_names(w->in),
                   .warnings = &w->warnings,
                   .peak_bytes =
                       t->peak_bytes + atomic_load(&w->mem.peak) + atomic_load(&w->sums.peak)};
    work_warn_last(&s->o.w, t->bad, s->bad_frames, &s->sums);
    for (int r = 0; r < ROOMS; r++)
        qsort(s->seconds[r], s->o.reps, sizeof *s->seconds[r], compare);
    if (s->o.json)
        TRY(print_json(s, &sum));
    if (!s->o.quiet && !s->outputs.on_stdout)
        print_text(s, &sum);
out:
    return err;
}

/* ---- the verb */

static int bench_all(bench_state *s)
{
    int err = IMP_OK;
    work *w = &s->o.w;
    TRY(work_open(w, w->path));
    TRY(work_claim(w, &s->outputs));
    TRY(outputs_json(&s->outputs, s->o.json, s->o.force, &s->json));
    for (int r = 0; r < ROOMS && !s->o.paced; r++) {
        TRY(mem_alloc(&w->mem, s->o.reps * sizeof(double), &s->seconds[r]));
        memset(s->seconds[r], 0, s->o.reps * sizeof(double));
    }
    TRY(work_engine_all(w, log_line, &s->p));
    TRY(work_read(w, 0, (size_t)w->count, &s->block));
    TRY(repeat_all(s));
    if (!s->o.paced)
        TRY(print_all(s));
out:
    return err;
}

static int bench(int argc, char **argv)
{
    bench_state s = {.o = {.reps = REPS_OPEN}};
    int count, code = cli_parse(&verb_bench, argc, argv, &s.o, &count);
    if (code >= 0)
        return code;
    if (!count)
        return cli_usage_error(&verb_bench, "an input is missing");
    if (s.o.paced && s.o.json)
        return cli_usage_error(&verb_bench, "either --paced or --json");
    if (s.o.reps == REPS_OPEN && !s.o.paced)
        s.o.reps = REPS;
    if (s.o.reps < 1 || (s.o.reps > REPS_MOST && s.o.reps != REPS_OPEN))
        return cli_usage_error(&verb_bench, "--reps: from 1 to %d", REPS_MOST);
    s.o.w.path = argv[0];
    s.o.w.warnings.quiet = s.o.quiet;
    s.sums.pairs.mem = &s.o.w.sums;
    s.o.w.tells = s.o.json != NULL;
    int err = bench_all(&s);
    code = err ? cli_fail(err) : 0;
    for (int r = 0; r < ROOMS; r++)
        mem_free(&s.o.w.mem, s.seconds[r]);
    tally_free(&s.sums.pairs);
    text_output_free(&s.json);
    outputs_free(&s.outputs);
    batch_block_free(&s.block);
    imp_destroy(s.p);
    work_close(&s.o.w);
    return code;
}

const cli_verb verb_bench = {
    .name = "bench",
    .usage = "IN.vtkhdf [options]",
    .text = "times each room in memory: minimum and median",
    .options = options,
    .more = work_options,
    .examples = "  impinge bench cloth.vtkhdf\n"
                "  impinge bench cloth.vtkhdf --device opencl --broad brute --reps 3 --json\n",
    .run = bench,
    .about =
        "All frames are read into memory once. The first repetition, in which kernels are built "
        "and memory is touched, is not counted. A room is a part of the work: bound, broad, "
        "order, narrow; detect is all four, transfers to a device included.",
    .one = "input",
};
