/* What a simulation consists of. Within host/dynamics. */
#ifndef IMP_SIMULATION_PARTS_H
#define IMP_SIMULATION_PARTS_H

#include "dynamics.h"
#include "event_rows.h"
#include "simulation_overlap.h"
#include "velocity_change.h"

struct simulation {
    mem *mem;
    world world;
    dynamics *dynamics;
    pcs *pcs;
    double step, epsilon;
    uint64_t frames; /* done */
    pcs_body *body;  /* [world.bodies] now */
    body_mesh mesh;
    impact_rows rows; /* of the last frame */
    imp_contacts contacts;
    simulation_overlap overlap;
    velocity_change *change; /* [changes] in the last frame */
    size_t changes, changes_capacity;
};

#endif
