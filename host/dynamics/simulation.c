/* See simulation.h. */
#include "simulation.h"

#include "dynamics.h"
#include "error.h"
#include "geom.h"
#include "pcs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EPSILON_PARTS 16 /* greatest epsilon: the radius of the smallest body over this */

int simulation_scene_at(size_t index, simulation_scene *out)
{
    world_entry e;
    if (!world_entry_at(index, &e))
        return 0;
    *out = (simulation_scene){.name = e.name,
                              .text = e.text,
                              .takes_push = !!(e.takes & WORLD_PUSH),
                              .takes_bodies = !!(e.takes & WORLD_BODIES),
                              .takes_ratio = !!(e.takes & WORLD_RATIO),
                              .takes_seed = !!(e.takes & WORLD_SEED),
                              .seconds = e.seconds,
                              .step = e.step,
                              .epsilon = e.epsilon,
                              .push = e.push,
                              .bodies = e.bodies,
                              .bodies_least = e.bodies_least};
    return 1;
}

void simulation_body_name(const simulation *s, uint32_t body, char *out, size_t size)
{
    world_body_name(s->world.name, body, out, size);
}

const char *simulation_lacks(void)
{
    return impulses_are_built() ? ""
                                : "it was built without ODE, which computes what bodies do at a "
                                  "contact; install libode-dev and build it again";
}

/* ---- hooks: dynamics, and rows of its events */

static int simulation_apply_forces(void *with, pcs_body *bodies, uint32_t count, double seconds)
{
    simulation *s = with;
    return dynamics_forces(s->dynamics, bodies, count, seconds);
}

/* A contact at distance 0: pcs reports all overlaps at a frame's beginning as contacts there. */
static void simulation_measure_overlap(simulation *s, const pcs_body *bodies, const pcs_contact *c)
{
    const world *w = &s->world;
    simulation_overlap *o = &s->overlap;
    const geom *a = w->geom[w->of[c->a]], *b = w->geom[w->of[c->b]];
    const pose_map pa = pcs_map_of(&bodies[c->a]), pb = pcs_map_of(&bodies[c->b]);
    if (c->near.distance > 0)
        return;
    o->contacts++;
    o->unmeasured += !a->convex || !b->convex;
    const double depth = a->convex && b->convex ? overlap_depth(a, &pa, b, &pb) : 0;
    if (depth <= o->most)
        return;
    o->most = depth;
    o->a = w->object[c->a];
    o->b = w->object[c->b];
    o->frame = s->frames;
}

/* Records the new velocities of the bodies marked by dynamics. */
static int note_changes(simulation *s, const pcs_body *bodies, uint32_t count, double time,
                        const uint8_t *changed)
{
    const uint8_t *end = changed + count;
    for (const uint8_t *at = changed; at < end && (at = memchr(at, 1, (size_t)(end - at))); at++) {
        const pcs_body *b = &bodies[at - changed];
        if (b->fixed)
            continue;
        const int err =
            mem_fit(s->mem, s->changes, &s->changes_capacity, sizeof *s->change, &s->change);
        if (err)
            return err;
        velocity_change *to = &s->change[s->changes++];
        *to = (velocity_change){.body = (uint32_t)(at - changed), .time = time};
        memcpy(to->velocity, b->velocity, sizeof to->velocity);
        memcpy(to->spin, b->spin, sizeof to->spin);
    }
    return IMP_OK;
}

static int simulation_resolve(void *with, pcs_body *bodies, uint32_t count,
                              const pcs_contact *contact, uint8_t *changed)
{
    int err = IMP_OK;
    simulation *s = with;
    simulation_measure_overlap(s, bodies, contact);
    TRY(impact_rows_add(&s->rows, &s->mesh, contact, s->step));
    TRY(dynamics_resolve(s->dynamics, bodies, count, contact, changed));
    TRY(note_changes(s, bodies, count, contact->time, changed));
out:
    return err;
}

/* ---- open and close */

static int open_parts(simulation *s, const simulation_def *def)
{
    int err = IMP_OK;
    const world *w = &s->world;
    const pcs_def of = {.mem = s->mem,
                        .step = s->step,
                        .epsilon = s->epsilon,
                        .device = def->device,
                        .threads = def->threads,
                        .bodies = w->bodies,
                        .name = w->object,
                        .watches_all = 1,
                        .cancel = def->cancel};
    TRY(mem_alloc(s->mem, w->bodies * sizeof *s->body, &s->body));
    memcpy(s->body, w->body, w->bodies * sizeof *s->body);
    TRY(body_mesh_make(w, &s->mesh));
    if (def->at_rest)
        goto out;
    TRY(dynamics_open(s->mem, w, s->step, s->epsilon, &s->dynamics));
    TRY(pcs_open(&of, &s->pcs));
    dynamics_of(s->dynamics, s->pcs);
out:
    return err;
}

/* Otherwise all bodies would be in contact with all that are near, and the solver's work is the
 * cube of their number. */
static int check_epsilon(const simulation *s)
{
    double radius = INFINITY;
    for (uint32_t i = 0; i < s->world.bodies; i++)
        radius = fmin(radius, shape_radius(s->world.body[i].shape));
    const double most = radius / EPSILON_PARTS;
    if (s->epsilon <= most)
        return IMP_OK;
    return imp_fail(IMP_ERR_ARGUMENT,
                    "epsilon is %g; with a smallest body of radius %g it must be %g or less",
                    s->epsilon, radius, most);
}

int simulation_open(const simulation_def *def, simulation **out)
{
    int err = IMP_OK;
    simulation *s = NULL;
    const world_request request = {
        .push = def->push, .bodies = def->bodies, .ratio = def->ratio, .seed = def->seed};
    *out = NULL;
    TRY(mem_alloc(def->mem, sizeof *s, &s));
    *s = (simulation){.mem = def->mem, .mesh = {.mem = def->mem}, .rows = {.mem = def->mem}};
    if (def->frame)
        TRY(world_of_frame(s->mem, def->frame, def->matter, def->of, &s->world));
    else
        TRY(world_make(s->mem, def->scene, &request, &s->world));
    if (def->step > 0)
        s->world.matter.step = def->step;
    if (def->epsilon > 0)
        s->world.matter.epsilon = def->epsilon;
    if (def->seconds > 0)
        s->world.matter.seconds = def->seconds;
    s->step = s->world.matter.step;
    s->epsilon = s->world.matter.epsilon;
    TRY(check_epsilon(s));
    if (def->frame)
        TRY(world_check_motion(&s->world, s->step, s->epsilon, def->of));
    TRY(open_parts(s, def));
    *out = s;
    s = NULL;
out:
    simulation_close(s);
    return err;
}

void simulation_close(simulation *s)
{
    if (!s)
        return;
    pcs_close(s->pcs);
    dynamics_close(s->dynamics);
    impact_rows_free(&s->rows);
    body_mesh_free(&s->mesh);
    mem_free(s->mem, s->body);
    mem_free(s->mem, s->change);
    world_free(&s->world);
    mem_free(s->mem, s);
}

/* ---- frames */

const imp_mesh *simulation_mesh(const simulation *s)
{
    return &s->mesh.mesh;
}

const matter *simulation_matter(const simulation *s)
{
    return &s->world.matter;
}

const char *simulation_device(const simulation *s)
{
    return pcs_device(s->pcs);
}

double simulation_step(const simulation *s)
{
    return s->step;
}

double simulation_epsilon(const simulation *s)
{
    return s->epsilon;
}

void simulation_frame(simulation *s, imp_frame *out)
{
    body_mesh_pose(&s->mesh, s->body);
    *out = (imp_frame){.mesh = &s->mesh.mesh,
                       .point = s->mesh.point,
                       .type = IMP_FLOAT64,
                       .number = s->frames,
                       .pose = s->mesh.pose,
                       .time = (double)s->frames * s->step};
}

/* pcs accepts the initial bodies, so a state that it refuses was computed. */
static int as_computed(int err)
{
    return err == IMP_ERR_ARGUMENT ? imp_fail(IMP_ERR_DIVERGED, "%s", imp_error_text()) : err;
}

int simulation_next(simulation *s, pcs_counts *counts)
{
    int err = IMP_OK;
    const pcs_hooks hooks = {
        .with = s, .forces = simulation_apply_forces, .resolve = simulation_resolve};
    *counts = (pcs_counts){0};
    s->rows.count = 0;
    s->changes = 0;
    TRY(as_computed(pcs_frame(s->pcs, s->body, &hooks, counts)));
    TRY(impact_rows_view(&s->rows, &s->contacts));
    s->frames++;
out:
    return err;
}

void simulation_overlap_most(const simulation *s, simulation_overlap *out)
{
    *out = s->overlap;
}

void simulation_contacts(const simulation *s, imp_contacts *out)
{
    *out = s->contacts;
}

const velocity_change *simulation_changes(const simulation *s, size_t *count)
{
    *count = s->changes;
    return s->change;
}

/* ---- The state on which the next frames of a simulation depend, as bytes: see simulation.h. Valid
 * for the same build on the same machine. */

typedef struct state_head {
    uint64_t frames, bodies, known, touching;
    simulation_overlap overlap;
} state_head;

static size_t simulation_state_bytes(const state_head *h)
{
    return sizeof *h + h->bodies * sizeof(imp_pose) + h->known * sizeof(pcs_saved_pair) +
           h->touching * sizeof(touching_saved);
}

static void simulation_state_save_bodies(const simulation *s, imp_pose *out)
{
    for (uint32_t i = 0; i < s->world.bodies; i++)
        out[i] = pcs_pose_of(&s->body[i]);
}

static void simulation_state_restore_bodies(simulation *s, const imp_pose *in)
{
    for (uint32_t i = 0; i < s->world.bodies; i++)
        pcs_set_pose(&s->body[i], &in[i]);
}

int simulation_save(simulation *s, void **out, size_t *bytes)
{
    int err = IMP_OK;
    char *at = NULL;
    state_head h;
    memset(&h, 0, sizeof h); /* no padding bytes that differ from run to run */
    h.frames = s->frames;
    h.bodies = s->world.bodies;
    h.known = pcs_save(s->pcs, NULL);
    h.touching = dynamics_save(s->dynamics, NULL);
    h.overlap = s->overlap;
    *bytes = simulation_state_bytes(&h);
    TRY(mem_alloc(s->mem, *bytes, &at));
    *out = at;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    simulation_state_save_bodies(s, (imp_pose *)(void *)at);
    at += h.bodies * sizeof(imp_pose);
    pcs_save(s->pcs, (pcs_saved_pair *)(void *)at);
    at += h.known * sizeof(pcs_saved_pair);
    dynamics_save(s->dynamics, (touching_saved *)(void *)at);
out:
    return err;
}

int simulation_restore(simulation *s, const void *state, size_t bytes)
{
    int err = IMP_OK;
    state_head h;
    const char *at = state;
    if (bytes < sizeof h)
        return imp_fail(IMP_ERR_INPUT, "a state of a simulation is damaged");
    memcpy(&h, at, sizeof h);
    if (h.bodies != s->world.bodies || h.known > bytes || h.touching > bytes ||
        simulation_state_bytes(&h) != bytes)
        return imp_fail(IMP_ERR_INPUT, "a state is of another simulation");
    at += sizeof h;
    simulation_state_restore_bodies(s, (const imp_pose *)(const void *)at);
    at += h.bodies * sizeof(imp_pose);
    TRY(pcs_restore(s->pcs, (const pcs_saved_pair *)(const void *)at, (size_t)h.known));
    at += h.known * sizeof(pcs_saved_pair);
    TRY(dynamics_restore(s->dynamics, h.frames, (const touching_saved *)(const void *)at,
                         (size_t)h.touching));
    s->frames = h.frames;
    s->overlap = h.overlap;
out:
    return err;
}

/* Rounding of the quotient could put a contact after its time. */
static double impact_rows_toi(double time, double step)
{
    double toi = time / step;
    while (toi > 0 && toi * step > time)
        toi = nextafter(toi, 0);
    return toi < 1 ? toi : 1;
}

static int impact_rows_point_order(const double *p, const double *q)
{
    for (int k = 0; k < 3; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return 0;
}

/* Two points in lexicographic order, without -0, as in every result. */
static void impact_rows_put_points(const double point[2][3], double out[6])
{
    const int swap = impact_rows_point_order(point[0], point[1]) > 0;
    for (int k = 0; k < 6; k++)
        out[k] = point[(k >= 3) != swap][k % 3] + 0.0;
}

/* Primitives of a user's mesh may be in any order. */
static void impact_rows_swap_sides(impact_row *row)
{
    const uint32_t a = row->a;
    const int64_t feature = row->feature[0];
    row->a = row->b;
    row->b = a;
    row->feature[0] = row->feature[1];
    row->feature[1] = feature;
}

int impact_rows_add(impact_rows *r, const body_mesh *m, const pcs_contact *c, double step)
{
    const uint32_t body[2] = {c->a, c->b};
    const shape_nearest *near = &c->near;
    const world *w = m->w;
    int err = mem_fit(r->mem, r->count, &r->capacity, sizeof *r->row, &r->row);
    if (err)
        return err;
    impact_row *row = &r->row[r->count];
    *row = (impact_row){.toi = impact_rows_toi(c->time, step),
                        .a = w->cell[w->cell0[c->a] + near->cell[0]],
                        .b = w->cell[w->cell0[c->b] + near->cell[1]],
                        .number = (uint32_t)r->count,
                        .kind = pcs_kind(near)};
    for (int i = 0; i < 2; i++)
        row->feature[i] = near->kind[i] == SHAPE_VERTEX
                              ? (int64_t)w->vertex[w->vertex0[body[i]] + near->feature[i]]
                              : near->feature[i];
    impact_rows_put_points(near->point, row->point);
    if (row->a > row->b)
        impact_rows_swap_sides(row);
    r->count++;
    return IMP_OK;
}

/* A pair may have several contacts at one time: these stay in order. */
static int row_order(const void *x, const void *y)
{
    const impact_row *p = x, *q = y;
    if (p->toi != q->toi)
        return p->toi < q->toi ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->number < q->number ? -1 : p->number > q->number;
}

/* Allocates columns for all rows. */
static int impact_rows_reserve(impact_rows *r)
{
    const imp_def def = {.continuous = 1, .stage = IMP_STAGE_CONTACTS};
    const column_set set = columns_when(&contact_table, &def);
    if (r->columns.table && r->columns.capacity >= r->count)
        return IMP_OK;
    columns_close(&r->columns);
    const int err = columns_open(r->mem, &contact_table, set, r->capacity, &r->columns);
    if (err)
        columns_close(&r->columns);
    return err;
}

int impact_rows_view(impact_rows *r, imp_contacts *out)
{
    int err = IMP_OK;
    *out = (imp_contacts){.count = r->count};
    TRY(impact_rows_reserve(r));
    columns_clear(&r->columns);
    if (r->count)
        qsort(r->row, r->count, sizeof *r->row, row_order);
    for (const impact_row *x = r->row; x < r->row + r->count; x++) {
        const imp_contacts one = {.count = 1,
                                  .a = &x->a,
                                  .b = &x->b,
                                  .kind = &x->kind,
                                  .points = x->point,
                                  .toi = &x->toi,
                                  .feature_a = &x->feature[0],
                                  .feature_b = &x->feature[1]};
        TRY(columns_append(&r->columns, &one, 1));
    }
    columns_as_rows(&r->columns, out);
out:
    return err;
}

void impact_rows_free(impact_rows *r)
{
    if (!r->mem)
        return;
    mem_free(r->mem, r->row);
    columns_close(&r->columns);
}
