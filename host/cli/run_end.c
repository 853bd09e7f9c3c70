/* See run.h: sums over all frames, for the user and for scripts. */
#include "run.h"

#include "collide_txt.h"
#include "error.h"

#include <stdio.h>

/* What is known without the result. */
static void sum_begin(run_state *s, const result_info *i, summary *out)
{
    work *w = &s->o.w;
    imp_profile t = {0};
    if (s->p)
        imp_profile_get(s->p, &t);
    *out = (summary){.input = w->path,
                     .device = s->p ? imp_device_name(s->p) : i->device,
                     .p = s->p,
                     .broad = s->p ? imp_broad_name(s->p) : "none",
                     .frames = w->count,
                     .primitives = w->primitives,
                     .objects = w->object_count,
                     .peak_bytes = t.peak_bytes + atomic_load(&w->mem.peak) +
                                   atomic_load(&w->out.peak) + atomic_load(&w->sums.peak),
                     .sums = &s->sums,
                     .names = batch_get_names(w->in),
                     .warnings = &w->warnings};
    s->seconds[ROOM_BOUND] = t.bound;
    s->seconds[ROOM_BROAD] = t.broad;
    s->seconds[ROOM_ORDER] = t.order;
    s->seconds[ROOM_NARROW] = t.narrow;
}

/* The contacts of frames that an earlier run has done. */
static int sum_found(run_state *s, result_reader *r)
{
    int err = IMP_OK;
    /* for the count of objects, and for the warning that there is but one */
    if (s->o.json || s->o.w.pairs == IMP_PAIRS_BETWEEN)
        TRY(work_count_objects(&s->o.w, s->found));
    for (uint64_t f = 0; f < s->found && s->o.json; f++) {
        result_rows rows;
        TRY(result_read(r, f, &rows));
        contact_sums_add_rows(&s->sums, &rows);
    }
    tally_merge(&s->sums.pairs);
out:
    return err;
}

/* Is nothing left of a frame? */
static int all_bad(const work *w, uint64_t f, uint64_t bad)
{
    uint64_t verts, prims;
    batch_size(w->in, work_frame(w, f), &verts, &prims);
    return bad > 0 && bad == prims;
}

/* Sums over all frames of the result, also those of an interrupted run that was resumed. */
static int sum_up(run_state *s, result_reader *r, summary *out)
{
    int err = IMP_OK;
    uint64_t bad_frames = 0;
    const result_info *i = result_get_info(r);
    sum_begin(s, i, out);
    TRY(sum_found(s, r));
    for (uint64_t f = 0; f < i->frames; f++) {
        uint64_t candidates = (uint64_t)i->of.candidates[f];
        out->candidates += candidates;
        out->candidates_max = candidates > out->candidates_max ? candidates : out->candidates_max;
        out->contacts += (uint64_t)i->of.contacts[f];
        out->contact_frames += i->of.contacts[f] > 0;
        out->undecided += (uint64_t)i->of.undecided[f];
        out->bad += (uint64_t)i->of.bad[f];
        out->touched += (uint64_t)i->of.touched[f];
        bad_frames += (uint64_t)all_bad(&s->o.w, f, (uint64_t)i->of.bad[f]);
    }
    work_warn_last(&s->o.w, out->bad, bad_frames, &s->sums);
out:
    return err;
}

static int print_json(run_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, &s->json));
    summary_json(&j, sum);
    json_text(&j, "output", s->o.out);
    json_open(&j, "seconds", '{');
    for (int r = 0; r < ROOM_DETECT; r++)
        json_real(&j, room_names[r], s->seconds[r]);
    json_close(&j, '}');
    TRY(json_end(&j, &s->json));
out:
    return err;
}

static void print_summary(const run_state *s, const summary *sum)
{
    printf("%s: %s, %s in all\n", sum->input, counted(sum->frames, "frame"),
           counted(sum->primitives, work_noun(&s->o.w)));
    printf("%s among %s, %s of which needed exact arithmetic\n", counted(sum->contacts, "contact"),
           counted(sum->candidates, "candidate"), grouped(sum->undecided));
    if (sum->bad)
        printf("%s with bad vertices left out\n", counted(sum->bad, work_noun(&s->o.w)));
    if (s->p)
        printf("%s written in %.3g s (%s, %s)\n", s->o.out, s->seconds[ROOM_TOTAL], sum->device,
               sum->broad);
    else
        printf("%s was complete already\n", s->o.out);
}

static void log_rooms(const run_state *s)
{
    fprintf(stderr, "impinge: seconds:");
    for (int r = 0; r < ROOM_DETECT; r++)
        fprintf(stderr, " %s %.3g", room_names[r], s->seconds[r]);
    fputc('\n', stderr);
}

/* The texts, from the result as it is in its file. */
static int write_texts(run_state *s, summary *sum)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    run_options *o = &s->o;
    if (s->p)
        work_rest(&o->w, s->p);
    /* from the file, not from memory: what is told is what was written */
    TRY(result_open(&o->w.mem, o->out, &r));
    TRY(sum_up(s, r, sum));
    if (o->collide_txt)
        TRY(collide_txt_write(r, &s->collide_txt));
    if (o->json)
        TRY(print_json(s, sum));
out:
    result_close(r);
    return err;
}

int run_finish(run_state *s)
{
    int err = IMP_OK;
    summary sum;
    run_options *o = &s->o;
    TRY(write_texts(s, &sum));
    if (!o->quiet && !s->outputs.on_stdout)
        print_summary(s, &sum);
    if (o->verbose)
        log_rooms(s);
    /* the number of an exit code, not of an error: all has been done */
    if (o->fail_on_collision && sum.contacts)
        err = 10;
out:
    return err;
}
