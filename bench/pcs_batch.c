/* See pcs_batch.h. Overlaps and energies are measured at the end of each step, in the same way for
 * every simulator; this is not timed. */
#include "pcs_batch.h"

#include "cpu_clock.h"
#include "dynamics.h"
#include "error.h"
#include "geom.h"
#include "pcs_ode.h"
#include "scene_math.h"
#include "sheet.h"
#include "store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FELL 0.5 /* radii: a body whose centre sinks farther has fallen */

static void pcs_batch_require(int err)
{
    if (!err)
        return;
    fprintf(stderr, "bench_pcs: %s\n", imp_error_text());
    exit(1);
}

/* ---- the batch */

typedef struct user {
    mem m;
    batch *batch;
    batch_block block;
    world w;
    pcs_body *body; /* [w.bodies] current states */
    uint64_t frames;
} user;

static void user_open(user *u, const char *path)
{
    batch_info info;
    matter given;
    u->m.limit = mem_machine();
    pcs_batch_require(batch_open(&u->m, path, BATCH_OBJECT_ID, NULL, &u->batch));
    batch_get_info(u->batch, &info);
    if (!info.frames)
        pcs_batch_require(imp_fail(IMP_ERR_INPUT, "%s: has no frames", path));
    pcs_batch_require(batch_read_matter(u->batch, &given));
    pcs_batch_require(batch_read(u->batch, 0, 1, 1, &u->block));
    pcs_batch_require(world_of_frame(&u->m, u->block.frame, &given, path, &u->w));
    if (!pcs_ode_can(&u->w))
        pcs_batch_require(
            imp_fail(IMP_ERR_INPUT, "%s: not only cuboids on which only gravity acts", path));
    pcs_batch_require(mem_alloc(&u->m, u->w.bodies * sizeof *u->body, &u->body));
    u->frames = (uint64_t)(u->w.matter.seconds / u->w.matter.step + 0.5);
}

static void user_close(user *u)
{
    mem_free(&u->m, u->body);
    world_free(&u->w);
    batch_block_free(&u->block);
    batch_close(u->batch);
    mem_close(&u->m);
}

/* ---- measurements */

typedef struct outcome {
    double seconds; /* for all steps */
    uint64_t contacts;
    uint64_t disordered;      /* contacts that are earlier than the previous one in their step */
    double overlap;           /* the greatest */
    double first, last, most; /* energy */
    uint32_t fell;            /* bodies that are lower at the end */
} outcome;

static v3 pcs_batch_vector(const double x[3])
{
    return v3_make(x[0], x[1], x[2]);
}

static double turning_energy(const double m[6], const pcs_body *b)
{
    const pose_map map = pcs_map_of(b);
    const v3 w = pose_turn_back(&map, pcs_batch_vector(b->spin));
    return (m[0] * w.x * w.x + m[1] * w.y * w.y + m[2] * w.z * w.z) / 2 + m[3] * w.x * w.y +
           m[4] * w.x * w.z + m[5] * w.y * w.z;
}

/* Kinetic, rotational and potential energy of all bodies that move. */
static double energy_of(const user *u)
{
    const v3 g = pcs_batch_vector(u->w.matter.gravity);
    double all = 0;
    for (uint32_t i = 0; i < u->w.bodies; i++) {
        const pcs_body *b = &u->body[i];
        const matter_body *of = &u->w.matter.body[i];
        const v3 v = pcs_batch_vector(b->velocity);
        if (!b->fixed)
            all += of->mass * (v3_dot(v, v) / 2 - v3_dot(g, pcs_batch_vector(b->centre))) +
                   turning_energy(of->inertia, b);
    }
    return all;
}

static double pcs_batch_overlap(const user *u, uint32_t i, uint32_t j)
{
    const world *w = &u->w;
    const pcs_body *a = &u->body[i], *b = &u->body[j];
    const double apart =
        scene_norm(v3_sub(pcs_batch_vector(a->centre), pcs_batch_vector(b->centre)));
    if ((a->fixed && b->fixed) || apart > shape_radius(a->shape) + shape_radius(b->shape))
        return 0;
    const pose_map pa = pcs_map_of(a), pb = pcs_map_of(b);
    return overlap_depth(w->geom[w->of[i]], &pa, w->geom[w->of[j]], &pb);
}

/* Called at the end of a step. */
static void pcs_batch_measure_step(const user *u, outcome *o)
{
    o->last = energy_of(u);
    o->most = fmax(o->most, o->last);
    for (uint32_t i = 0; i < u->w.bodies; i++)
        for (uint32_t j = i + 1; j < u->w.bodies; j++)
            o->overlap = fmax(o->overlap, pcs_batch_overlap(u, i, j));
}

static outcome pcs_batch_begin(user *u)
{
    memcpy(u->body, u->w.body, u->w.bodies * sizeof *u->body);
    const double energy = energy_of(u);
    return (outcome){.first = energy, .last = energy, .most = energy};
}

static uint32_t count_fallen(const user *u)
{
    const v3 g = pcs_batch_vector(u->w.matter.gravity);
    const double strength = scene_norm(g);
    uint32_t count = 0;
    for (uint32_t i = 0; i < u->w.bodies && strength > 0; i++) {
        const v3 way =
            v3_sub(pcs_batch_vector(u->body[i].centre), pcs_batch_vector(u->w.body[i].centre));
        count += v3_dot(way, g) / strength > FELL * shape_radius(u->body[i].shape);
    }
    return count;
}

/* ---- the simulators */

typedef struct watch {
    dynamics *dynamics;
    double before; /* time of the previous contact, in the step */
    uint64_t disordered;
} watch;

static int pcs_batch_forces(void *with, pcs_body *bodies, uint32_t count, double seconds)
{
    watch *w = with;
    w->before = 0;
    return dynamics_forces(w->dynamics, bodies, count, seconds);
}

static int pcs_batch_resolve(void *with, pcs_body *bodies, uint32_t count,
                             const pcs_contact *contact, uint8_t *changed)
{
    watch *w = with;
    w->disordered += contact->time < w->before;
    w->before = contact->time;
    return dynamics_resolve(w->dynamics, bodies, count, contact, changed);
}

static outcome pcs_batch_impinge_run(user *u)
{
    const matter *e = &u->w.matter;
    const pcs_def def = {.mem = &u->m,
                         .step = e->step,
                         .epsilon = e->epsilon,
                         .threads = 1,
                         .bodies = u->w.bodies,
                         .watches_all = 1};
    watch w = {0};
    pcs *p;
    pcs_counts counts = {0};
    outcome o = pcs_batch_begin(u);
    pcs_batch_require(dynamics_open(&u->m, &u->w, e->step, e->epsilon, &w.dynamics));
    pcs_batch_require(pcs_open(&def, &p));
    dynamics_of(w.dynamics, p);
    const pcs_hooks hooks = {.with = &w, .forces = pcs_batch_forces, .resolve = pcs_batch_resolve};
    for (uint64_t i = 0; i < u->frames; i++) {
        const double start = cpu_seconds();
        pcs_batch_require(pcs_frame(p, u->body, &hooks, &counts));
        o.seconds += cpu_seconds() - start;
        pcs_batch_measure_step(u, &o);
    }
    o.contacts = counts.contacts;
    o.disordered = w.disordered;
    pcs_close(p);
    dynamics_close(w.dynamics);
    return o;
}

static outcome pcs_batch_ode_run(user *u, enum pcs_ode_space space)
{
    outcome o = pcs_batch_begin(u);
    pcs_ode *ode = pcs_ode_open(&u->w, space);
    for (uint64_t i = 0; i < u->frames; i++) {
        const double start = cpu_seconds();
        pcs_ode_step(ode, u->w.matter.step);
        o.seconds += cpu_seconds() - start;
        pcs_ode_bodies(ode, u->body);
        pcs_batch_measure_step(u, &o);
    }
    o.contacts = pcs_ode_contacts(ode);
    pcs_ode_close(ode);
    return o;
}

/* ---- the table */

static void pcs_batch_store(const char *table, const char *row, const char *head, double value)
{
    printf(" %.6g |", value);
    sheet_number(table, row, head, value);
}

static void pcs_batch_report(const user *u, const char *table, const char *row, const outcome *o)
{
    const double simulated = u->w.matter.step * (double)u->frames;
    printf("| %s, %s | %.4g |", table, row, o->seconds / simulated);
    sheet_seconds(table, row, "a simulated second", o->seconds / simulated);
    pcs_batch_store(table, row, "contacts", (double)o->contacts);
    pcs_batch_store(table, row, "out of order", (double)o->disordered);
    pcs_batch_store(table, row, "greatest overlap", o->overlap);
    pcs_batch_store(table, row, "energy, first", o->first);
    pcs_batch_store(table, row, "energy, most above first", o->most - o->first);
    pcs_batch_store(table, row, "energy, last above first", o->last - o->first);
    pcs_batch_store(table, row, "fell", count_fallen(u));
    puts("");
    fflush(stdout);
}

int pcs_batch(int argc, char **argv)
{
    user u = {0};
    char table[120];
    if (argc < 1 || argc > 2 || (argc > 1 && !strtoull(argv[1], NULL, 10)))
        return 0;
    user_open(&u, argv[0]);
    u.frames = argc > 1 ? strtoull(argv[1], NULL, 10) : u.frames;
    snprintf(table, sizeof table, "%s, %llu frames", *u.w.name ? u.w.name : "a batch",
             (unsigned long long)u.frames);
    puts("\nA user's batch, in its units, beside ODE with its own collision.\n\n"
         "| | a simulated second | contacts | out of order | greatest overlap | energy, first | "
         "most above first | last above first | fell |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    outcome o = pcs_batch_impinge_run(&u);
    pcs_batch_report(&u, table, "impinge", &o);
    for (int i = PCS_ODE_SPACES - 1; i >= 0; i--) {
        o = pcs_batch_ode_run(&u, (enum pcs_ode_space)i);
        pcs_batch_report(&u, table, pcs_ode_names[i], &o);
    }
    user_close(&u);
    return 1;
}
