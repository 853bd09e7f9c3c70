/* What the next frames of a simulation depend on, as bytes: see simulation.h. They are for the same
 * build on the same machine. */
#include "simulation.h"
#include "simulation_parts.h"

#include "error.h"

#include <string.h>

typedef struct state_head {
    uint64_t frames, bodies, known, touching;
    simulation_overlap overlap;
} state_head;

/* A body's numbers that a frame changes. */
typedef struct state_body {
    double centre[3], rotation[4], velocity[3], spin[3];
} state_body;

static size_t bytes_of(const state_head *h)
{
    return sizeof *h + h->bodies * sizeof(state_body) + h->known * sizeof(pcs_known) +
           h->touching * sizeof(touching_kept);
}

static void keep_bodies(const simulation *s, state_body *out)
{
    for (uint32_t i = 0; i < s->world.bodies; i++) {
        const pcs_body *b = &s->body[i];
        memcpy(out[i].centre, b->centre, sizeof b->centre);
        memcpy(out[i].rotation, b->rotation, sizeof b->rotation);
        memcpy(out[i].velocity, b->velocity, sizeof b->velocity);
        memcpy(out[i].spin, b->spin, sizeof b->spin);
    }
}

static void recall_bodies(simulation *s, const state_body *in)
{
    for (uint32_t i = 0; i < s->world.bodies; i++) {
        pcs_body *b = &s->body[i];
        memcpy(b->centre, in[i].centre, sizeof b->centre);
        memcpy(b->rotation, in[i].rotation, sizeof b->rotation);
        memcpy(b->velocity, in[i].velocity, sizeof b->velocity);
        memcpy(b->spin, in[i].spin, sizeof b->spin);
    }
}

int simulation_keep(simulation *s, void **out, size_t *bytes)
{
    int err = IMP_OK;
    char *at = NULL;
    state_head h;
    memset(&h, 0, sizeof h); /* no bytes between members that differ from run to run */
    h.frames = s->frames;
    h.bodies = s->world.bodies;
    h.known = pcs_keep(s->pcs, NULL);
    h.touching = dynamics_keep(s->dynamics, NULL);
    h.overlap = s->overlap;
    *bytes = bytes_of(&h);
    TRY(mem_alloc(s->mem, *bytes, &at));
    *out = at;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    keep_bodies(s, (state_body *)(void *)at);
    at += h.bodies * sizeof(state_body);
    pcs_keep(s->pcs, (pcs_known *)(void *)at);
    at += h.known * sizeof(pcs_known);
    dynamics_keep(s->dynamics, (touching_kept *)(void *)at);
out:
    return err;
}

int simulation_recall(simulation *s, const void *state, size_t bytes)
{
    int err = IMP_OK;
    state_head h;
    const char *at = state;
    if (bytes < sizeof h)
        return imp_fail(IMP_ERR_INPUT, "a state of a simulation is damaged");
    memcpy(&h, at, sizeof h);
    if (h.bodies != s->world.bodies || h.known > bytes || h.touching > bytes ||
        bytes_of(&h) != bytes)
        return imp_fail(IMP_ERR_INPUT, "a state is of another simulation");
    at += sizeof h;
    recall_bodies(s, (const state_body *)(const void *)at);
    at += h.bodies * sizeof(state_body);
    TRY(pcs_recall(s->pcs, (const pcs_known *)(const void *)at, (size_t)h.known));
    at += h.known * sizeof(pcs_known);
    TRY(dynamics_recall(s->dynamics, h.frames, (const touching_kept *)(const void *)at,
                        (size_t)h.touching));
    s->frames = h.frames;
    s->overlap = h.overlap;
out:
    return err;
}
