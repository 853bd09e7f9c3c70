/* See run.h: sums over all frames, for the user and for scripts. */
#include "run.h"

#include "collide_txt.h"
#include "error.h"
#include "pairs_csv.h"
#include "store_counts.h"

#include <stdio.h>

/* Sums over the contacts of frames that an earlier run has done: this run has not seen them. */
static int run_end_sum_earlier(run_state *s, result_reader *r)
{
    int err = IMP_OK;
    /* for the count of objects, and for the warning that there is only one */
    const result_info *i = result_get_info(r);
    /* contacts of slabs were not added when they were found */
    const uint64_t found = s->o.job.partition.slabs ? i->frames : s->found;
    const int wanted = s->o.json || s->o.job.given.pairs == IMP_PAIRS_BETWEEN;
    /* who has cut frames has counted their objects */
    if (wanted && !(s->o.job.partition.slabs && s->p.count))
        TRY(job_count_objects(&s->o.job, i->units.slabs ? s->o.job.slice.count : found));
    for (uint64_t f = 0; f < found && s->o.json; f++) {
        result_rows rows;
        const uint64_t step = i->units.slabs ? (i->units.first + f) / i->units.slabs : f;
        TRY(result_read(r, f, &rows));
        contact_sums_add_rows(&s->o.job.sums, &rows, step, (uint64_t)i->of.input_frame[f]);
    }
    tally_merge(&s->o.job.sums.pairs);
out:
    return err;
}

/* Was every primitive of a frame left out? From the tables of the input: no frame is read again. */
static int all_bad(const job *w, uint64_t f, uint64_t bad)
{
    uint64_t verts, prims;
    batch_frame_size(w->in, f, &verts, &prims);
    return bad > 0 && bad == prims;
}

/* The first contact of all, which is the first row of the first step that has any. */
static int find_first(result_reader *r, first_contact *out)
{
    int err = IMP_OK;
    const result_info *i = result_get_info(r);
    uint64_t k = 0;
    *out = (first_contact){0};
    while (k < i->frames && !i->of.contacts[k])
        k++;
    if (!i->times || i->units.slabs || k == i->frames)
        return IMP_OK;
    TRY(result_read_times(r, k, 0, 1, &out->toi, &out->time));
    out->known = 1;
    out->step = k;
    out->frame = (uint64_t)i->of.input_frame[k];
out:
    return err;
}

/* Sums over all frames of the result, also those of an interrupted run that was resumed. */
static int sum_up(run_state *s, result_reader *r, summary *out)
{
    int err = IMP_OK;
    uint64_t bad_frames = 0;
    const result_info *i = result_get_info(r);
    *out = summary_begin(&s->o.job, &s->p);
    /* if all was done before, the device of that run is shown */
    out->device = s->p.count ? out->device : i->device;
    out->total = frame_sums_of(i);
    TRY(find_first(r, &out->first));
    TRY(run_end_sum_earlier(s, r));
    /* after the objects of earlier frames were counted */
    out->objects = s->o.job.object_count;
    for (uint64_t f = 0; f < i->frames; f++)
        bad_frames +=
            (uint64_t)all_bad(&s->o.job, (uint64_t)i->of.input_frame[f], (uint64_t)i->of.bad[f]);
    job_warn_last(&s->o.job, out->total.bad, bad_frames);
out:
    return err;
}

static int run_end_print_json(run_state *s, const summary *sum)
{
    int err = IMP_OK;
    json j;
    TRY(json_begin(&j, &s->json));
    summary_json(&j, sum);
    json_text(&j, "output", s->o.out);
    if (s->o.job.partition.slabs) {
        json_count(&j, "slabs", s->o.job.partition.slabs);
        json_count(&j, "slab_primitives", s->o.job.partition.primitives);
    }
    json_open(&j, "seconds", '{');
    for (int r = 0; r < STAGE_DETECT; r++)
        json_real(&j, stage_names[r], s->seconds[r]);
    json_close(&j, '}');
    TRY(json_end(&j, &s->json));
out:
    return err;
}

/* Without a pipeline nothing was computed: an earlier run had finished. */
static void run_end_print_summary(const run_state *s, const summary *sum)
{
    printf("%s: %s, %s in all\n", cli_shown(sum->input),
           cli_count_text(sum->frames, job_step_noun(&s->o.job)),
           cli_count_text(sum->primitives, job_primitive_noun(&s->o.job)));
    printf("%s among %s, ", cli_count_text(sum->total.contacts, "contact"),
           cli_count_text(sum->total.candidates, "candidate"));
    if (s->o.job.def.continuous) /* of a candidate several pairs of features may need it */
        printf("exact arithmetic needed %s\n", cli_count_text(sum->total.undecided, "time"));
    else
        printf("%s of which needed exact arithmetic\n", cli_number_text(sum->total.undecided));
    if (sum->first.known)
        printf("first contact at time %.9g (share %.6g of the step from frame %s)\n",
               sum->first.time, sum->first.toi, cli_number_text(sum->first.frame));
    if (sum->total.bad)
        printf("%s with bad vertices left out\n",
               cli_count_text(sum->total.bad, job_primitive_noun(&s->o.job)));
    if (s->p.count)
        printf("%s written in %.3g s (%s, %s)\n", cli_shown(s->o.out), s->seconds[STAGE_TOTAL],
               cli_shown(sum->device), sum->broad);
    else if (s->slabs.complete)
        printf("%s was joined of slabs that were complete\n", cli_shown(s->o.out));
    else
        printf("%s was complete already\n", cli_shown(s->o.out));
}

/* Without detect, which is the sum of others. */
static void log_stages(const run_state *s)
{
    fprintf(stderr, "impinge: seconds:");
    for (int r = 0; r < STAGE_DETECT; r++)
        fprintf(stderr, " %s %.3g", stage_names[r], s->seconds[r]);
    fputc('\n', stderr);
    if (s->o.job.partition.slabs && s->o.job.primitives)
        fprintf(stderr, "impinge: %s in slabs, %.4g times those of the frames\n",
                cli_count_text(s->o.job.partition.primitives, job_primitive_noun(&s->o.job)),
                (double)s->o.job.partition.primitives / (double)s->o.job.primitives);
}

/* The texts, from the result as it is in its file. */
static int run_end_write_texts(run_state *s, summary *sum)
{
    int err = IMP_OK;
    result_reader *r = NULL;
    run_options *o = &s->o;
    imp_profile t;
    /* reading the result may use what the pipeline no longer needs */
    if (s->p.count) {
        job_memory_release_unused(&o->job, &s->p);
        devices_profile(&s->p, &t);
        stage_seconds(&t, s->seconds);
    }
    /* from the file, not from memory: the texts show what was written */
    TRY(result_open(&o->job.mem.read, o->out, &r));
    TRY(sum_up(s, r, sum));
    if (o->collide_txt)
        TRY(collide_txt_write(r, &s->collide_txt));
    if (o->csv)
        TRY(pairs_csv_write(&o->job.mem.read, r, &s->csv));
    if (o->counts)
        TRY(counts_write(&o->job.mem.read, o->job.in, r, &s->counts));
    if (o->json)
        TRY(run_end_print_json(s, sum));
out:
    result_close(r);
    return err;
}

/* Texts are written after OUT has its name: they describe a complete result. */
int run_finish(run_state *s)
{
    int err = IMP_OK;
    summary sum;
    run_options *o = &s->o;
    TRY(run_end_write_texts(s, &sum));
    if (!o->quiet && !s->outputs.on_stdout)
        run_end_print_summary(s, &sum);
    if (o->verbose)
        log_stages(s);
    /* an exit code, not an error: all has been done */
    if (o->fail_on_collision && sum.total.contacts)
        err = 10;
out:
    return err;
}
