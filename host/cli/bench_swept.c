/* impinge bench --swept: swept queries from each frame to the next, in memory. */
#include "bench_swept.h"

#include "bench_times.h"
#include "clock.h"
#include "error.h"
#include "float_env.h"
#include "processors.h"
#include "progress.h"
#include "summary.h"
#include "truth_swept.h"

#include <stdio.h>

/* Is there a step, and one mesh in all frames? */
static int frames_fit(const work *w, const batch_block *b)
{
    if (b->count < 2)
        return imp_fail(IMP_ERR_INPUT, "%s: %s only: --swept goes from one to the next", w->path,
                        counted(b->count, "frame"));
    for (size_t f = 1; f < b->count; f++)
        if (b->frame[f].mesh != b->frame[0].mesh)
            return imp_fail(IMP_ERR_INPUT,
                            "%s: frames %llu and %llu have different meshes: --swept needs one",
                            w->path, (unsigned long long)b->frame[f - 1].number,
                            (unsigned long long)b->frame[f].number);
    return IMP_OK;
}

/* The step whose pairs are checked. */
typedef struct step_truth {
    const imp_frame *from, *to;
    int threads;
    uint64_t meet; /* reported pairs that meet */
} step_truth;

/* Pairs are independent: threads check them in parallel, outside the measured time. */
static int look_at_pairs(void *user, const imp_swept *found)
{
    step_truth *s = user;
    uint64_t meet = 0;
#pragma omp parallel num_threads(s->threads)
    EACH_IN_FLOAT_ENV
#pragma omp for schedule(dynamic, 16) reduction(+ : meet) nowait
    for (int64_t i = 0; i < (int64_t)found->count; i++)
        meet += (uint64_t)truth_swept(s->from, s->to, found->a[i], found->b[i]);
    s->meet += meet;
    return 0;
}

/* All steps once. *meet: the number of pairs that meet, unless it is NULL. The pipeline forgets its
 * trees first, so that each repetition is a run of its own. Without a function for pairs only their
 * number is found: that is what is timed. */
static int sweep_all(imp *p, const batch_block *b, int threads, uint64_t *pairs, uint64_t *meet)
{
    int err = IMP_OK;
    *pairs = 0;
    imp_profile_reset(p);
    imp_forget(p);
    for (size_t f = 0; f + 1 < b->count; f++) {
        uint64_t n = 0;
        step_truth look = {b->frame + f, b->frame + f + 1, threads, 0};
        TRY(imp_sweep(p, look.from, look.to, meet ? look_at_pairs : NULL, &look, &n));
        *pairs += n;
        if (meet)
            *meet += look.meet;
    }
out:
    return err;
}

typedef struct swept_bench {
    const work *w;
    imp *p;
    uint64_t steps, pairs, meet, reps;
    double *seconds; /* [reps] */
} swept_bench;

/* The first time is not counted: memory is touched, and pairs are checked. */
static int repeat(swept_bench *s, const batch_block *b)
{
    int err = IMP_OK;
    const int threads = processors_threads((int)s->w->given.threads);
    TRY(sweep_all(s->p, b, threads, &s->pairs, &s->meet));
    for (uint64_t rep = 0; rep < s->reps; rep++) {
        const double start = clock_seconds();
        TRY(sweep_all(s->p, b, 1, &s->pairs, NULL));
        s->seconds[rep] = clock_seconds() - start;
    }
    times_sort(s->seconds, s->reps);
out:
    return err;
}

/* ---- output */

static void print_text(const swept_bench *s)
{
    printf("%s: %s from frame to frame, %s in each\n", cli_shown(s->w->path),
           counted(s->steps, "step"),
           /* all frames have the same mesh, so the division is exact */
           counted(s->w->primitives / s->w->slice.count, work_noun(s->w)));
    printf("%s that may meet on the way, %llu of them do (%s, %s)\n", counted(s->pairs, "pair"),
           (unsigned long long)s->meet, imp_device_name(s->p), imp_broad_name(s->p));
    if (s->meet)
        printf("%.3g pairs for each that meets\n", (double)s->pairs / (double)s->meet);
    printf("%-8s %12s %12s   milliseconds, %llu repetitions\n", "", "minimum", "median",
           (unsigned long long)s->reps);
    times_print("swept", s->seconds, s->reps);
    printf("\n");
}

/* Sums of contacts are omitted: swept queries find pairs, not contacts. */
static int print_json(swept_bench *s, text_output *to)
{
    int err = IMP_OK;
    json j;
    const pipelines one = {.p = &s->p, .count = 1};
    const summary sum = summary_begin(s->w, &one);
    TRY(json_begin(&j, to));
    summary_json_what(&j, &sum);
    json_count(&j, "steps", s->steps);
    json_count(&j, "swept_pairs", s->pairs);
    json_count(&j, "swept_meet", s->meet);
    json_count(&j, "peak_bytes", sum.peak_bytes);
    json_count(&j, "peak_rss", peak_rss());
    warnings_json(&j, sum.warnings);
    json_count(&j, "reps", s->reps);
    json_open(&j, "seconds", '{');
    times_json(&j, "swept", s->seconds, s->reps);
    json_close(&j, '}');
    TRY(json_end(&j, to));
out:
    return err;
}

/* `steps` of a batch without frames wraps around; frames_fit refuses that before it is used. */
int bench_swept(work *w, imp *p, const batch_block *b, uint64_t reps, text_output *to, int text)
{
    int err = IMP_OK;
    swept_bench s = {.w = w, .p = p, .steps = b->count - 1, .reps = reps};
    TRY(frames_fit(w, b));
    TRY(mem_alloc(&w->mem.read, reps * sizeof *s.seconds, &s.seconds));
    TRY(repeat(&s, b));
    if (to)
        TRY(print_json(&s, to));
    if (text)
        print_text(&s);
out:
    mem_free(&w->mem.read, s.seconds);
    return err;
}
