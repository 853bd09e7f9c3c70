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
    memset(&h, 0, sizeof h); /* no bytes between members that differ from run to run */
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
