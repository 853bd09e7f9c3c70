/* impinge bench --swept: swept queries from each frame to the next, in memory. */
#include "bench_swept.h"

#include "clock.h"
#include "error.h"
#include "progress.h"
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>

/* Are there steps, of one mesh? */
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

/* All steps once. */
static int sweep_all(imp *p, const batch_block *b, uint64_t *pairs)
{
    int err = IMP_OK;
    *pairs = 0;
    imp_profile_reset(p);
    imp_forget(p);
    for (size_t f = 0; f + 1 < b->count; f++) {
        uint64_t n = 0;
        TRY(imp_sweep(p, b->frame + f, b->frame + f + 1, NULL, NULL, &n));
        *pairs += n;
    }
out:
    return err;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int repeat(imp *p, const batch_block *b, uint64_t reps, double *seconds, uint64_t *pairs)
{
    int err = IMP_OK;
    TRY(sweep_all(p, b, pairs)); /* not counted: memory is touched */
    for (uint64_t rep = 0; rep < reps; rep++) {
        const double start = clock_seconds();
        TRY(sweep_all(p, b, pairs));
        seconds[rep] = clock_seconds() - start;
    }
    qsort(seconds, reps, sizeof *seconds, by_size);
out:
    return err;
}

/* ---- output */

typedef struct swept_bench {
    const work *w;
    imp *p;
    uint64_t steps, pairs, reps;
    const double *seconds;
} swept_bench;

static void print_text(const swept_bench *s)
{
    printf("%s: %s from frame to frame, %s in each\n", s->w->path, counted(s->steps, "step"),
           counted(s->w->primitives / s->w->count, work_noun(s->w)));
    printf("%s that may meet on the way (%s, %s)\n", counted(s->pairs, "pair"),
           imp_device_name(s->p), imp_broad_name(s->p));
    printf("%-8s %12s %12s   milliseconds, %llu repetitions\n", "", "minimum", "median",
           (unsigned long long)s->reps);
    printf("%-8s %12.3f %12.3f\n", "swept", 1e3 * s->seconds[0], 1e3 * s->seconds[s->reps / 2]);
}

static int print_json(const swept_bench *s, text_output *to)
{
    int err = IMP_OK;
    json j;
    imp_profile t;
    const work *w = s->w;
    imp_profile_get(s->p, &t);
    const summary sum = {.input = w->path,
                         .device = imp_device_name(s->p),
                         .broad = imp_broad_name(s->p),
                         .p = s->p,
                         .frames = w->count,
                         .primitives = w->primitives,
                         .objects = w->object_count,
                         .peak_bytes = t.peak_bytes + atomic_load(&w->mem.peak),
                         .warnings = &w->warnings};
    TRY(json_begin(&j, to));
    summary_json_what(&j, &sum);
    json_count(&j, "steps", s->steps);
    json_count(&j, "swept_pairs", s->pairs);
    json_count(&j, "peak_bytes", sum.peak_bytes);
    json_count(&j, "peak_rss", peak_rss());
    warnings_json(&j, sum.warnings);
    json_count(&j, "reps", s->reps);
    json_open(&j, "seconds", '{');
    json_open(&j, "swept", '{');
    json_real(&j, "min", s->seconds[0]);
    json_real(&j, "median", s->seconds[s->reps / 2]);
    json_close(&j, '}');
    json_close(&j, '}');
    TRY(json_end(&j, to));
out:
    return err;
}

int bench_swept(work *w, imp *p, const batch_block *b, uint64_t reps, text_output *to, int text)
{
    int err = IMP_OK;
    double *seconds = NULL;
    swept_bench s = {w, p, b->count - 1, 0, reps, NULL};
    TRY(frames_fit(w, b));
    TRY(mem_alloc(&w->mem, reps * sizeof *seconds, &seconds));
    TRY(repeat(p, b, reps, seconds, &s.pairs));
    s.seconds = seconds;
    if (to)
        TRY(print_json(&s, to));
    if (text)
        print_text(&s);
out:
    mem_free(&w->mem, seconds);
    return err;
}
