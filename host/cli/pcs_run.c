/* See pcs_run.h: the files, and one frame after the other. OUT is completed last: if it exists, all
 * files do. */
#define _GNU_SOURCE
#include "pcs_run.h"

#include "cli.h"
#include "clock.h"
#include "error.h"
#include "mem.h"
#include "signals.h"
#include "store.h"
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- before the first frame */

static int open_simulation(pcs_run *r, const atomic_int *cancel)
{
    const pcs_options *o = &r->o;
    const simulation_def def = {.mem = &r->mem,
                                .scene = o->scene,
                                .frame = o->in ? r->input.block.frame : NULL,
                                .matter = &r->input.matter,
                                .of = o->in,
                                .at_rest = o->batch_only,
                                .push = o->push,
                                .bodies = o->bodies,
                                .ratio = o->ratio,
                                .seed = o->seed,
                                .step = o->step,
                                .epsilon = o->epsilon,
                                .seconds = o->seconds,
                                .device = o->device,
                                .threads = (int)o->threads,
                                .cancel = cancel};
    int err = simulation_open(&def, &r->s);
    pcs_input_close(&r->input);
    return err;
}

/* Takes values that were not given from the scene or the batch. The number of frames is rounded to
 * the nearest, at least one. */
static int pcs_run_set_defaults(pcs_run *r)
{
    pcs_options *o = &r->o;
    const matter *m = simulation_matter(r->s);
    const char *last = o->in ? strrchr(o->in, '/') : NULL;
    o->step = m->step;
    o->epsilon = m->epsilon;
    const double frames = m->seconds / o->step + 0.5;
    if (!o->frames && !(frames < 0x1p53))
        return imp_fail(IMP_ERR_ARGUMENT, "%g s of %g s a frame are too many frames", m->seconds,
                        o->step);
    if (!o->frames)
        o->frames = frames < 1 ? 1 : (uint64_t)frames;
    r->title = *m->scene ? m->scene : last ? last + 1 : o->in;
    return IMP_OK;
}

static int name_bodies(pcs_run *r)
{
    int err = IMP_OK;
    char name[60];
    if (r->o.in) /* a batch gives the name */
        return IMP_OK;
    for (uint32_t i = 0; i < simulation_mesh(r->s)->bodies && !err; i++) {
        simulation_body_name(r->s, i, name, sizeof name);
        err = batch_names_add_object(&r->names, (int32_t)i, name);
    }
    return err;
}

/* ---- frames */

static void pcs_run_set_most(pcs_counts *most, const pcs_counts *of)
{
    most->pairs = of->pairs > most->pairs ? of->pairs : most->pairs;
    most->checks = of->checks > most->checks ? of->checks : most->checks;
    most->rechecks = of->rechecks > most->rechecks ? of->rechecks : most->rechecks;
    most->contacts = of->contacts > most->contacts ? of->contacts : most->contacts;
}

void pcs_count_frame(pcs_run *r, const pcs_counts *of)
{
    pcs_counts_add(&r->total, of);
    pcs_run_set_most(&r->most, of);
}

int pcs_append_frame(pcs_run *r, batch_writer *w)
{
    imp_frame f;
    simulation_overlap o;
    size_t count;
    const velocity_change *change = simulation_changes(r->s, &count);
    simulation_overlap_most(r->s, &o);
    simulation_frame(r->s, &f);
    const int err = f.number ? batch_append_changes(w, change, count, o.most) : IMP_OK;
    return err ? err : batch_append(w, &f, NULL, f.time);
}

/* Appends the rows of the simulated frame: a step from the frame before. */
static int append_rows(pcs_run *r, result *to, double seconds)
{
    int err = IMP_OK;
    imp_contacts c;
    const double step = simulation_step(r->s);
    const pcs_counts *n = &r->counts[r->done];
    const result_step of = {.mesh = simulation_mesh(r->s),
                            .number = r->done,
                            .time = (double)r->done * step,
                            .next = (double)(r->done + 1) * step};
    const imp_frame_info info = {
        .candidates = n->checks, .contacts = n->contacts, .seconds = seconds};
    simulation_contacts(r->s, &c);
    if (c.count) {
        contact_sums_add(&r->sums, &c, r->done, &of);
        TRY(result_add(to, &c, &of));
    }
    TRY(result_end_block(to, 1, &of, &info));
out:
    return err;
}

static int next_frame(pcs_run *r, result *to, batch_writer *w)
{
    int err = IMP_OK;
    const double start = clock_seconds();
    if (signals_came())
        FAIL(IMP_ERR_CANCELLED, "stopped by a signal");
    if (pcs_commit_is_due(r))
        TRY(pcs_commit(r, to, w));
    TRY(mem_fit(&r->mem, r->done, &r->capacity, sizeof *r->counts, &r->counts));
    pcs_counts *n = &r->counts[r->done];
    r->whole = 0;
    TRY(simulation_next(r->s, n));
    TRY(append_rows(r, to, clock_seconds() - start));
    TRY(pcs_append_frame(r, w));
    r->whole = 1;
    pcs_count_frame(r, n);
    r->done++;
    progress_show(&r->bar, r->done, r->total.contacts);
out:
    return err;
}

static int pcs_run_frames(pcs_run *r, result *to, batch_writer *w)
{
    int err = IMP_OK;
    for (uint64_t f = 0; f < r->found; f++)
        pcs_count_frame(r, &r->counts[f]);
    progress_start(&r->bar, r->o.quiet, r->o.progress, "frame", r->found, r->o.frames);
    while (r->done < r->o.frames)
        TRY(next_frame(r, to, w));
out:
    progress_clear(&r->bar);
    return err;
}

/* ---- after the last frame */

/* If velocities explode, the frames before show how: they stay in OUT.part and the batch's part. */
static int leave_frames(pcs_run *r, result *to, batch_writer **w)
{
    char why[512];
    batch_writer *frames = *w;
    snprintf(why, sizeof why, "%s", imp_error_text());
    *w = NULL; /* batch_leave frees it */
    const int lost = pcs_commit_rows(r, to, frames);
    batch_leave(frames);
    unlink(r->state); /* continuing would end in the same way */
    if (lost)
        return imp_fail(IMP_ERR_DIVERGED,
                        "%s.part: frame %llu of %llu: %s; the frames before it are lost", r->o.out,
                        (unsigned long long)r->done, (unsigned long long)r->o.frames, why);
    return imp_fail(IMP_ERR_DIVERGED,
                    "%s.part: frame %llu of %llu: %s; the frames before it are there and in "
                    "%s.part",
                    r->o.out, (unsigned long long)r->done, (unsigned long long)r->o.frames, why,
                    r->batch);
}

/* Removes the other files of an unfinished run. */
static void pcs_run_remove_parts(const pcs_run *r)
{
    unlink(r->curve);
    unlink(r->state);
}

/* After a signal OUT.part stays with its frames; after an error of the command nothing stays. */
static int pcs_run_close_result(pcs_run *r, result *to, int err)
{
    const int code = imp_exit_code(err);
    if (!to)
        return err;
    if (!err)
        err = result_finish(to);
    if (!err)
        pcs_run_remove_parts(r);
    if (!err)
        return err;
    if (code >= 2 && code <= 4 && !r->begun) {
        result_discard(to);
        pcs_run_remove_parts(r);
        return err;
    }
    result_leave(to);
    return err;
}

/* A frame that was interrupted is in none of the files; all earlier frames are in all of them. */
static int pcs_run_stop(pcs_run *r, result *to, batch_writer **w)
{
    batch_writer *frames = *w;
    *w = NULL; /* batch_leave frees it */
    const int kept = r->whole && pcs_commit(r, to, frames) == IMP_OK;
    if (!kept)
        pcs_commit_rows(r, to, frames);
    batch_leave(frames);
    return imp_fail(IMP_ERR_CANCELLED,
                    "%s.part: stopped by a signal after %llu of %llu frames; --resume goes on%s",
                    r->o.out, (unsigned long long)r->done, (unsigned long long)r->o.frames,
                    kept ? " from there" : ", from some frames before");
}

static void pcs_run_print_summary(const pcs_run *r)
{
    printf("%s: %s of %g s, %s\n", cli_shown(r->title), cli_count_text(r->done, "frame"), r->o.step,
           cli_count_text(simulation_mesh(r->s)->bodies, "object"));
    printf("%s, %s and %s, %s inelastic\n", cli_count_text(r->total.contacts, "contact"),
           cli_count_text(r->total.checks, "check"), cli_count_text(r->total.rechecks, "recheck"),
           cli_number_text(r->total.inelastic));
    printf("%s written in %.3g s (%s)\n", cli_shown(r->o.out), r->seconds,
           cli_shown(simulation_device(r->s)));
    printf("to see it: open %s, the bodies, and %s, their contacts, in ParaView\n",
           cli_shown(r->batch), cli_shown(r->o.out));
}

/* Sums the contacts of frames from an earlier run, which this run has not seen. */
static int pcs_run_sum_earlier(pcs_run *r)
{
    int err = IMP_OK;
    result_reader *of = NULL;
    TRY(result_open(&r->mem, r->o.out, &of));
    TRY(pcs_sum_rows(r, of, r->found));
out:
    result_close(of);
    return err;
}

static int pcs_run_report(pcs_run *r)
{
    int err = IMP_OK;
    if (r->complete)
        return pcs_report_complete(r);
    if (r->found && r->o.json)
        TRY(pcs_run_sum_earlier(r));
    if (r->o.json)
        TRY(pcs_write_json(r));
    if (!r->o.quiet && !r->outputs.on_stdout)
        pcs_run_print_summary(r);
out:
    return err;
}

static int pcs_run_open_files(pcs_run *r)
{
    int err = IMP_OK;
    if (r->o.in)
        TRY(pcs_input_open(r));
    TRY(open_simulation(r, signals_note()));
    TRY(pcs_run_set_defaults(r));
    TRY(name_bodies(r));
out:
    return err;
}

/* Writes the bodies at the beginning as a batch. */
static int pcs_run_write_bodies(pcs_run *r)
{
    int err = IMP_OK;
    batch_writer *w = NULL;
    TRY(store_path_check(r->o.out, r->o.force));
    TRY(pcs_claim_input(r));
    TRY(outputs_grows(&r->outputs, "-o", r->o.out));
    TRY(pcs_run_open_files(r));
    TRY(pcs_open_batch(r, r->o.out, r->o.force, &w));
    TRY(pcs_append_frame(r, w));
    batch_writer *whole = w;
    w = NULL; /* batch_finish frees it */
    TRY(batch_finish(whole));
    if (!r->o.quiet)
        printf("%s: %s, %s written\n", cli_shown(r->title),
               cli_count_text(simulation_mesh(r->s)->bodies, "object"), cli_shown(r->o.out));
out:
    batch_discard(w);
    return err;
}

static int pcs_run_simulate(pcs_run *r)
{
    int err = IMP_OK;
    result *to = NULL;
    batch_writer *w = NULL;
    const double start = clock_seconds();
    TRY(pcs_run_open_files(r));
    if (signals_came()) /* nothing was written yet */
        FAIL(IMP_ERR_CANCELLED, "stopped by a signal before it began");
    TRY(pcs_open_files(r, &to, &w));
    if (r->complete) {
        pcs_run_remove_parts(r); /* left by a run that was killed at its very end */
        goto out;
    }
    if (r->o.verbose)
        fprintf(stderr, "impinge: %s, %s, %s\n", cli_shown(r->title),
                cli_count_text(simulation_mesh(r->s)->primitives, "triangle"),
                cli_shown(simulation_device(r->s)));
    TRY(pcs_run_frames(r, to, w));
    TRY(pcs_finish(r, to, &w));
out:
    if (err == IMP_ERR_DIVERGED)
        err = leave_frames(r, to, &w);
    else if (err == IMP_ERR_CANCELLED && to && w)
        err = pcs_run_stop(r, to, &w);
    else if (r->begun && w)
        batch_leave(w), w = NULL;
    batch_discard(w);
    r->seconds = clock_seconds() - start;
    return pcs_run_close_result(r, to, err);
}

int pcs_run_all(pcs_run *r)
{
    int err = IMP_OK;
    r->mem.limit = r->o.mem_limit ? r->o.mem_limit : mem_machine() / BUDGET_MACHINE_SHARE;
    r->sums.pairs.mem = r->sums.firsts.mem = r->names.mem = &r->mem;
    if (r->o.batch_only) {
        TRY(pcs_run_write_bodies(r));
        goto out;
    }
    TRY(pcs_claim_files(r));
    TRY(pcs_run_simulate(r));
    TRY(pcs_run_report(r));
out:
    return err;
}

void pcs_run_free(pcs_run *r)
{
    simulation_close(r->s);
    pcs_input_close(&r->input);
    warnings_free(&r->warned);
    for (int i = 0; i < PCS_TEXTS; i++)
        text_output_free(&r->text[i]);
    outputs_free(&r->outputs);
    contact_sums_free(&r->sums);
    batch_names_free(&r->names);
    if (r->counts)
        mem_free(&r->mem, r->counts);
    free(r->batch);
    free(r->state);
    free(r->curve);
}

/* ---- See pcs_run.h: the summary and the curve of checks per second. Numbers do not depend on the
 * locale, which this program never sets. */

/* ---- the summary */

static void json_counts(json *j, const char *key, const pcs_counts *n)
{
    json_open(j, key, '{');
    json_count(j, "pairs", n->pairs);
    json_count(j, "checks", n->checks);
    json_count(j, "rechecks", n->rechecks);
    json_count(j, "contacts", n->contacts);
    json_close(j, '}');
}

/* The names of the two bodies, if they have any. */
static void json_overlap_names(json *j, const batch_names *names, const simulation_overlap *o)
{
    const int32_t object[] = {o->a, o->b};
    if (!batch_object_name(names, o->a) && !batch_object_name(names, o->b))
        return;
    json_open(j, "names", '[');
    for (int i = 0; i < 2; i++) {
        const char *name = batch_object_name(names, object[i]);
        json_text(j, NULL, name ? name : "");
    }
    json_close(j, ']');
}

static void json_overlap(json *j, const pcs_run *r)
{
    simulation_overlap o;
    simulation_overlap_most(r->s, &o);
    json_open(j, "overlap", '{');
    json_real(j, "most", o.most);
    json_real(j, "epsilons", o.most / r->o.epsilon);
    if (o.most > 0) {
        json_open(j, "objects", '[');
        json_whole(j, NULL, o.a);
        json_whole(j, NULL, o.b);
        json_close(j, ']');
        json_overlap_names(j, &r->names, &o);
        json_count(j, "frame", o.frame);
    }
    json_count(j, "contacts", o.contacts);
    json_count(j, "unmeasured", o.unmeasured);
    json_close(j, '}');
}

static void put_members(const pcs_run *r, json *j)
{
    const imp_mesh *m = simulation_mesh(r->s);
    const pcs_options *o = &r->o;
    const pcs_counts *n = &r->total;
    json_count(j, "schema", 1);
    json_text(j, "impinge", IMP_VERSION);
    if (o->scene) {
        json_text(j, "scene", o->scene);
        json_real(j, "push", o->push);
        json_real(j, "ratio", o->ratio);
        json_count(j, "seed", o->seed);
    } else {
        json_text(j, "input", o->in);
    }
    json_real(j, "step", o->step);
    json_real(j, "epsilon", o->epsilon);
    json_count(j, "frames", r->done);
    json_count(j, "bodies", m->bodies);
    json_count(j, "primitives", m->primitives);
    json_text(j, "device", r->device ? r->device : simulation_device(r->s));
    json_text(j, "output", o->out);
    json_text(j, "batch", r->batch);
    json_count(j, "u", n->pairs);
    json_count(j, "checks", n->checks);
    json_count(j, "rechecks", n->rechecks);
    json_count(j, "steps", n->steps);
    json_count(j, "contacts", n->contacts);
    json_count(j, "rested", n->rested);
    json_count(j, "inelastic", n->inelastic);
    json_counts(j, "most_in_a_frame", &r->most);
    if (!r->complete) /* no file stores the overlap */
        json_overlap(j, r);
    contact_sums_json_kinds(j, r->sums.kind, 1, 0);
    if (!r->sums.too_many)
        contact_sums_json_pairs(j, &r->sums.pairs, &r->sums.firsts, &r->names);
    json_open(j, "seconds", '{');
    json_real(j, "simulated", (double)r->done * o->step);
    json_real(j, "total", r->seconds);
    json_close(j, '}');
    json_count(j, "peak_bytes", atomic_load(&r->mem.peak));
    json_count(j, "peak_rss", summary_peak_rss());
    warnings_json(j, &r->warned);
}

int pcs_write_json(pcs_run *r)
{
    int err = IMP_OK;
    json j;
    tally_merge(&r->sums.pairs);
    TRY(json_begin(&j, &r->text[PCS_JSON]));
    put_members(r, &j);
    TRY(json_end(&j, &r->text[PCS_JSON]));
out:
    return err;
}

/* ---- the curve as a table */

static int pcs_texts_close(FILE *out)
{
    return ferror(out) ? imp_fail(IMP_ERR_FILE, "the curve of checks cannot be written") : IMP_OK;
}

int pcs_write_csv(const pcs_run *r, FILE *out)
{
    const double step = r->o.step;
    fputs("frame,time,checks_per_second,rechecks_per_second,pairs,checks,rechecks,steps,contacts,"
          "rested,inelastic\n",
          out);
    for (uint64_t f = 0; f < r->done; f++) {
        const pcs_counts *n = &r->counts[f];
        fprintf(out, "%llu,%.15g,%.15g,%.15g,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n",
                (unsigned long long)f, (double)f * step, (double)n->checks / step,
                (double)n->rechecks / step, (unsigned long long)n->pairs,
                (unsigned long long)n->checks, (unsigned long long)n->rechecks,
                (unsigned long long)n->steps, (unsigned long long)n->contacts,
                (unsigned long long)n->rested, (unsigned long long)n->inelastic);
    }
    return pcs_texts_close(out);
}

/* ---- the curve as a picture, in two panels, since there may be far more rechecks than checks */

#define LEFT 80.0
#define WIDE 800.0 /* width of a curve's area */
#define RIGHT 30.0
#define BELOW 60.0

typedef struct panel {
    FILE *out;
    const pcs_run *r;
    int rechecks;
    const char *class, *title;
    double top, high;
    double most; /* the rate at the upper end */
} panel;

/* Returns 1, 2 or 5 times a power of ten, such that about `ticks` of them make up `range`. */
static double tick_step(double range, int ticks)
{
    static const double of[] = {1, 2, 5, 10};
    double unit = 1;
    const double rough = range / ticks;
    size_t i = 0;
    while (unit > rough)
        unit /= 10;
    while (10 * unit <= rough)
        unit *= 10;
    while (i < 3 && of[i] * unit < rough)
        i++;
    return of[i] * unit;
}

static double rate_of(const panel *p, uint64_t frame)
{
    const pcs_counts *n = &p->r->counts[frame];
    return (double)(p->rechecks ? n->rechecks : n->checks) / p->r->o.step;
}

static double pcs_texts_panel_seconds(const panel *p)
{
    return (double)p->r->done * p->r->o.step;
}

static double at_x(const panel *p, double time)
{
    return LEFT + WIDE * time / pcs_texts_panel_seconds(p);
}

static double at_y(const panel *p, double rate)
{
    return p->top + p->high * (1 - rate / p->most);
}

static void write_grid(const panel *p, int ticks)
{
    const double dx = tick_step(pcs_texts_panel_seconds(p), 8), dy = tick_step(p->most, ticks);
    const double bottom = p->top + p->high;
    for (int i = 0; i * dx <= pcs_texts_panel_seconds(p) * (1 + 1e-9); i++) {
        const double x = at_x(p, i * dx);
        fprintf(p->out, "<path class=\"grid\" d=\"M%.2f %.2fV%.2f\"/>", x, p->top, bottom);
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"middle\">%g</text>\n", x,
                bottom + 18, i * dx);
    }
    for (int i = 0; i * dy <= p->most * (1 + 1e-9); i++) {
        const double y = at_y(p, i * dy);
        fprintf(p->out, "<path class=\"grid\" d=\"M%.2f %.2fH%.2f\"/>", LEFT, y, LEFT + WIDE);
        fprintf(p->out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"end\">%.9g</text>\n", LEFT - 8,
                y + 4, i * dy);
    }
}

/* A frame is a horizontal segment: a rate over the frame's time. */
static void write_curve(const panel *p)
{
    const double step = p->r->o.step;
    double last = -1;
    fprintf(p->out, "<path class=\"%s\" d=\"", p->class);
    for (uint64_t f = 0; f < p->r->done; f++) {
        const double rate = rate_of(p, f);
        if (f == 0)
            fprintf(p->out, "M%.2f %.2f", at_x(p, 0), at_y(p, rate));
        else if (rate != last)
            fprintf(p->out, "H%.2fV%.2f", at_x(p, (double)f * step), at_y(p, rate));
        last = rate;
    }
    fprintf(p->out, "H%.2f\"/>\n", at_x(p, pcs_texts_panel_seconds(p)));
}

static void write_panel(panel *p, int ticks)
{
    double most = 1;
    for (uint64_t f = 0; f < p->r->done; f++)
        most = fmax(most, rate_of(p, f));
    const double unit = tick_step(most, ticks);
    p->most = unit * (floor(most / unit) + 1);
    fprintf(p->out, "<text x=\"%g\" y=\"%g\">%s: %s</text>\n", LEFT, p->top - 14, p->r->title,
            p->title);
    write_grid(p, ticks);
    write_curve(p);
}

int pcs_write_svg(const pcs_run *r, FILE *out)
{
    panel checks = {.out = out,
                    .r = r,
                    .class = "checks",
                    .title = "checks per second of simulated time",
                    .top = 36,
                    .high = 260};
    panel again = {.out = out,
                   .r = r,
                   .rechecks = 1,
                   .class = "rechecks",
                   .title = "rechecks within a frame, per second",
                   .top = 366,
                   .high = 110};
    const double wide = LEFT + WIDE + RIGHT, high = again.top + again.high + BELOW;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" ", wide,
            high);
    fprintf(out, "viewBox=\"0 0 %g %g\">\n", wide, high);
    fputs("<style>text{font:13px sans-serif;fill:#333}path{fill:none}.grid{stroke:#ddd}"
          ".checks{stroke:#0057a8;stroke-width:2}.rechecks{stroke:#d0661b;stroke-width:1}"
          "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
    write_panel(&checks, 6);
    write_panel(&again, 3);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">time in s</text>\n</svg>\n",
            LEFT + WIDE / 2, high - 18);
    return pcs_texts_close(out);
}
