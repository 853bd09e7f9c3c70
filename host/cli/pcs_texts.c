/* See pcs_run.h: the summary, and the curve of checks per second. Numbers do not depend on the
 * locale, which this program never sets. */
#include "pcs_run.h"

#include "error.h"
#include "summary.h"

#include <math.h>

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
    if (!r->complete) /* nothing keeps it */
        json_overlap(j, r);
    contact_sums_json_kinds(j, r->sums.kind, 1);
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

/* ---- the curve as a picture: two panels, since there may be far more rechecks than checks */

#define LEFT 80.0
#define WIDE 800.0 /* of the area of a curve */
#define RIGHT 30.0
#define BELOW 60.0

typedef struct panel {
    FILE *out;
    const pcs_run *r;
    int rechecks;
    const char *class, *title;
    double top, high;
    double most; /* the rate at its upper end */
} panel;

/* 1, 2 or 5 times a power of ten, such that about `ticks` of them make `range`. */
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

/* A frame is a level piece: a rate over its time. */
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
