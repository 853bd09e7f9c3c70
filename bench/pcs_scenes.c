/* See pcs_scenes.h.
 *
 * Numbers of distance computations of other methods, for the contacts of the same run:
 *     all pairs of bodies, once a frame, which finds no contact inside a frame;
 *     n u / 2: u is the most partners that a body has in the frame (the paper's bound);
 *     halving: a simulator that advances to the end of the frame and looks at all pairs there. If
 *         one has touched, it halves the time until the pair moves by at most epsilon in the last
 *         interval, looking at all pairs each time; responds there; and advances to the end of the
 *         frame again. Or, at best: it looks at the pairs of the possible collision set only, and
 *         while it halves at that pair only. It is assumed to see all contacts of the run, although
 *         it would miss those that have ended at the end of the frame. */
#include "pcs_scenes.h"

#include "cpu_clock.h"
#include "dynamics.h"
#include "error.h"
#include "pcs_ode.h"
#include "pcs_state.h"
#include "sheet.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_LEAST 1000
#define RUNS_SECONDS 0.3 /* least total time of the runs of one method */

_Noreturn static void pcs_scenes_fail(void)
{
    fprintf(stderr, "%s\n", imp_error_text());
    exit(1);
}

static void pcs_scenes_require(int err)
{
    if (err)
        pcs_scenes_fail();
}

/* A running scene. */
typedef struct run {
    mem m;
    world w;
    pcs_body *body;
    uint32_t *partners; /* [bodies] */
    dynamics *dynamics;
    pcs *pcs;
    pcs_counts counts;
    uint64_t frames;
    double tried;      /* seconds into the frame: start of the last advance to the end */
    uint64_t ends;     /* number of advances to the end, in this frame */
    uint64_t halvings; /* in this frame */
    uint64_t of_set, of_all, all, bound; /* distances that others would compute */
} run;

static run *run_open(const char *scene, const world_request *ask)
{
    run *r = calloc(1, sizeof *r);
    if (!r) {
        imp_fail(IMP_ERR_MEMORY, "out of memory");
        pcs_scenes_fail();
    }
    r->m.limit = mem_machine();
    pcs_scenes_require(world_make(&r->m, scene, ask, &r->w));
    const matter *e = &r->w.matter;
    const pcs_def def = {.mem = &r->m,
                         .step = e->step,
                         .epsilon = e->epsilon,
                         .threads = 1,
                         .bodies = r->w.bodies,
                         .watches_all = 1};
    pcs_scenes_require(mem_alloc(&r->m, r->w.bodies * sizeof *r->body, &r->body));
    pcs_scenes_require(mem_alloc(&r->m, r->w.bodies * sizeof *r->partners, &r->partners));
    memcpy(r->body, r->w.body, r->w.bodies * sizeof *r->body);
    pcs_scenes_require(dynamics_open(&r->m, &r->w, e->step, e->epsilon, &r->dynamics));
    pcs_scenes_require(pcs_open(&def, &r->pcs));
    dynamics_of(r->dynamics, r->pcs);
    return r;
}

static void run_close(run *r)
{
    pcs_close(r->pcs);
    dynamics_close(r->dynamics);
    mem_free(&r->m, r->body);
    mem_free(&r->m, r->partners);
    world_free(&r->w);
    mem_close(&r->m);
    free(r);
}

/* ---- frames */

static double length_of(const double x[3])
{
    return sqrt(vec_dot(x, x));
}

/* Upper bound on the rate at which the distance of two bodies changes. */
static double pcs_scenes_speed_between(const pcs_body *a, const pcs_body *b)
{
    const double *v = a->velocity, *w = b->velocity;
    const double between[3] = {v[0] - w[0], v[1] - w[1], v[2] - w[2]};
    return length_of(between) + shape_radius(a->shape) * length_of(a->spin) +
           shape_radius(b->shape) * length_of(b->spin);
}

/* Contacts of one instant are found together. */
static void count_halvings(run *r, const pcs_body *bodies, const pcs_contact *c)
{
    const double speed = pcs_scenes_speed_between(&bodies[c->a], &bodies[c->b]);
    double left = r->w.matter.step - r->tried;
    if (r->ends && c->time <= r->tried)
        return;
    for (; left * speed > r->w.matter.epsilon; left /= 2)
        r->halvings++;
    r->tried = c->time;
    r->ends++;
}

static int pcs_scenes_forces(void *with, pcs_body *bodies, uint32_t count, double seconds)
{
    run *r = with;
    return dynamics_forces(r->dynamics, bodies, count, seconds);
}

static int pcs_scenes_resolve(void *with, pcs_body *bodies, uint32_t count,
                              const pcs_contact *contact, uint8_t *changed)
{
    run *r = with;
    count_halvings(r, bodies, contact);
    return dynamics_resolve(r->dynamics, bodies, count, contact, changed);
}

/* Most partners of a body among the pairs of the frame. */
static uint64_t partners_most(run *r)
{
    uint32_t most = 0;
    memset(r->partners, 0, r->w.bodies * sizeof *r->partners);
    for (size_t i = 0; i < r->pcs->pairs; i++)
        for (int k = 0; k < 2; k++) {
            const uint32_t body = k ? r->pcs->pair[i].b : r->pcs->pair[i].a;
            if (++r->partners[body] > most)
                most = r->partners[body];
        }
    return most;
}

/* Counting takes a small part of the time. */
static void run_frame(run *r)
{
    const pcs_hooks hooks = {.with = r, .forces = pcs_scenes_forces, .resolve = pcs_scenes_resolve};
    const uint64_t n = r->w.bodies, before = r->counts.pairs;
    r->tried = 0;
    r->ends = r->halvings = 0;
    pcs_scenes_require(pcs_frame(r->pcs, r->body, &hooks, &r->counts));
    r->all += n * (n - 1) / 2;
    r->bound += n * partners_most(r) / 2;
    r->of_set += (r->counts.pairs - before) * (1 + r->ends) + r->halvings;
    r->of_all += n * (n - 1) / 2 * (1 + r->ends + r->halvings);
    r->frames++;
}

/* ---- distances */

static void put_number(const char *row, const char *column, double value, const char *format)
{
    printf(format, value);
    sheet_number("distances of each scene", row, column, value);
}

/* Prints the number of distances that others compute, absolute and relative to impinge's. */
static void pcs_scenes_put_others(const char *row, const char *column, uint64_t of, uint64_t own)
{
    char times[40];
    snprintf(times, sizeof times, "%s, times", column);
    put_number(row, column, (double)of, " %.0f |");
    put_number(row, times, own ? (double)of / (double)own : 0, " %.3g |");
}

static void put_distances(const run *r)
{
    const char *row = r->w.name;
    const pcs_counts *c = &r->counts;
    const uint64_t own = c->checks + c->rechecks;
    printf("| %s |", row);
    put_number(row, "bodies", r->w.bodies, " %.0f |");
    put_number(row, "frames", (double)r->frames, " %.0f |");
    put_number(row, "contacts", (double)c->contacts, " %.0f |");
    put_number(row, "checks", (double)c->checks, " %.0f |");
    put_number(row, "rechecks", (double)c->rechecks, " %.0f |");
    pcs_scenes_put_others(row, "n u / 2", r->bound, own);
    pcs_scenes_put_others(row, "n (n - 1) / 2", r->all, own);
    pcs_scenes_put_others(row, "halving, all pairs", r->of_all, own);
    pcs_scenes_put_others(row, "halving, the set", r->of_set, own);
    printf("\n");
    fflush(stdout);
}

static void distances(uint64_t frames)
{
    world_entry e;
    puts("Distances; times: as many as impinge computes, checks and rechecks.\n\n"
         "| scene | bodies | frames | contacts | checks | rechecks | n u / 2 | times | "
         "n (n - 1) / 2 | times | halving, all pairs | times | halving, the set | times |\n"
         "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (size_t i = 0; world_entry_at(i, &e); i++) {
        const uint64_t own = (uint64_t)(e.seconds / e.step + 0.5);
        const world_request ask = {.push = e.push, .bodies = e.bodies, .ratio = 1};
        run *r = run_open(e.name, &ask);
        while (r->frames < own && (!frames || r->frames < frames))
            run_frame(r);
        put_distances(r);
        run_close(r);
    }
}

/* ---- seeds */

#define SEEDS 10
#define SEEDS_RATIO 300.0

static void put_count(const char *row, const char *column, double value)
{
    printf(" %.0f |", value);
    sheet_number("ten seeds", row, column, value);
}

static double put_seed(uint64_t seed, uint64_t bodies, uint64_t frames)
{
    char row[80];
    const world_request ask = {.bodies = bodies, .ratio = SEEDS_RATIO, .seed = seed};
    run *r = run_open("boxes", &ask);
    while (r->frames < frames)
        run_frame(r);
    const pcs_counts *c = &r->counts;
    const double own = (double)(c->checks + c->rechecks);
    snprintf(row, sizeof row, "%llu bodies, R = %g, %llu frames, seed %llu",
             (unsigned long long)bodies, SEEDS_RATIO, (unsigned long long)frames,
             (unsigned long long)seed);
    printf("| %s |", row);
    put_count(row, "contacts", (double)c->contacts);
    put_count(row, "inelastic", (double)c->inelastic);
    put_count(row, "checks", (double)c->checks);
    put_count(row, "rechecks", (double)c->rechecks);
    puts("");
    fflush(stdout);
    run_close(r);
    return own;
}

/* The same scene with other seeds has a similar cost. */
static void seeds(uint64_t bodies, uint64_t frames)
{
    double least = INFINITY, most = 0;
    puts("\nDistances of ten scenes that differ by their seed.\n\n"
         "| boxes | contacts | inelastic | checks | rechecks |\n|---|--:|--:|--:|--:|");
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const double own = put_seed(seed, bodies, frames);
        least = fmin(least, own);
        most = fmax(most, own);
    }
    printf("\nThe most distances are %.3g times the least.\n", most / least);
    sheet_number("ten seeds", "all", "most / least", most / least);
}

/* ---- comparison with ODE */

typedef struct timed {
    double seconds; /* for all frames */
    uint64_t contacts;
} timed;

static timed pcs_scenes_ode_run(const world *w, uint64_t frames, enum pcs_ode_space space)
{
    pcs_ode *o = pcs_ode_open(w, space);
    const double start = cpu_seconds();
    for (uint64_t i = 0; i < frames; i++)
        pcs_ode_step(o, w->matter.step);
    const timed out = {cpu_seconds() - start, pcs_ode_contacts(o)};
    pcs_ode_close(o);
    return out;
}

static timed pcs_scenes_impinge_run(const world_request *ask, uint64_t frames)
{
    run *r = run_open("boxes", ask);
    const double start = cpu_seconds();
    while (r->frames < frames)
        run_frame(r);
    const timed out = {cpu_seconds() - start, r->counts.contacts};
    run_close(r);
    return out;
}

enum { OWN = PCS_ODE_SPACES, WAYS };

/* The least time of a few runs; of more if they are short. */
static timed least_run(const world_request *ask, uint64_t frames, int way)
{
    mem m = {.limit = mem_machine()};
    world w;
    double all = 0;
    timed best = {INFINITY, 0};
    pcs_scenes_require(world_make(&m, "boxes", ask, &w));
    while (all < RUNS_SECONDS) {
        const timed one = way == OWN ? pcs_scenes_impinge_run(ask, frames)
                                     : pcs_scenes_ode_run(&w, frames, (enum pcs_ode_space)way);
        best = one.seconds < best.seconds ? one : best;
        all += one.seconds;
    }
    world_free(&w);
    mem_close(&m);
    return best;
}

static void beside_ode(uint64_t bodies, double ratio, uint64_t frames, double step)
{
    static const char *const table = "boxes, a simulated second";
    char row[80];
    timed of[WAYS];
    const world_request ask = {.bodies = bodies, .ratio = ratio};
    snprintf(row, sizeof row, "%llu bodies, R = %g, %llu frames", (unsigned long long)bodies, ratio,
             (unsigned long long)frames);
    printf("| %s |", row);
    for (int way = OWN; way >= 0; way--) {
        of[way] = least_run(&ask, frames, way);
        of[way].seconds /= step * (double)frames;
        printf(" %.4g |", of[way].seconds);
        sheet_seconds(table, row, way == OWN ? "impinge" : pcs_ode_names[way], of[way].seconds);
    }
    const double best = fmin(of[PCS_ODE_HASH].seconds, of[PCS_ODE_SWEEP].seconds);
    printf(" %.3g | %llu | %llu |\n", best / of[OWN].seconds, (unsigned long long)of[OWN].contacts,
           (unsigned long long)of[0].contacts);
    fflush(stdout);
    sheet_number(table, row, "ODE / impinge", best / of[OWN].seconds);
    sheet_number(table, row, "contacts", (double)of[OWN].contacts);
    sheet_number(table, row, "ODE's", (double)of[0].contacts);
}

int pcs_scenes(int argc, char **argv)
{
    static const double ratios[] = {1, 100};
    const uint64_t bodies = argc > 0 ? strtoull(argv[0], NULL, 10) : 10000;
    const uint64_t frames = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    if (!bodies || bodies > PCS_BODIES_MOST)
        return 0;
    world_entry boxes;
    world_find("boxes", &boxes);
    const uint64_t few = bodies < BODIES_LEAST ? bodies : BODIES_LEAST;
    distances(frames);
    seeds(few, (uint64_t)(boxes.seconds / boxes.step +
                          0.5)); /* with fewer frames they would be less significant */
    puts("\nSeconds for each simulated second, one thread, beside ODE with its own collision.\n\n"
         "| boxes | impinge | dSweepAndPruneSpace | dHashSpace | ODE / impinge | contacts | "
         "ODE's |\n|---|--:|--:|--:|--:|--:|--:|");
    for (uint64_t n = few; n <= bodies; n *= 10)
        for (int i = 0; i < 2; i++)
            beside_ode(n, ratios[i], frames ? frames : n > 10000 ? 10 : 100, boxes.step);
    return 1;
}
