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

static size_t bytes_of(const state_head *h)
{
    return sizeof *h + h->bodies * sizeof(imp_pose) + h->known * sizeof(pcs_known) +
           h->touching * sizeof(touching_kept);
}

static void keep_bodies(const simulation *s, imp_pose *out)
{
    for (uint32_t i = 0; i < s->world.bodies; i++)
        out[i] = pcs_pose_of(&s->body[i]);
}

static void recall_bodies(simulation *s, const imp_pose *in)
{
    for (uint32_t i = 0; i < s->world.bodies; i++)
        pcs_take_pose(&s->body[i], &in[i]);
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
    keep_bodies(s, (imp_pose *)(void *)at);
    at += h.bodies * sizeof(imp_pose);
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
    recall_bodies(s, (const imp_pose *)(const void *)at);
    at += h.bodies * sizeof(imp_pose);
    TRY(pcs_recall(s->pcs, (const pcs_known *)(const void *)at, (size_t)h.known));
    at += h.known * sizeof(pcs_known);
    TRY(dynamics_recall(s->dynamics, h.frames, (const touching_kept *)(const void *)at,
                        (size_t)h.touching));
    s->frames = h.frames;
    s->overlap = h.overlap;
out:
    return err;
}
