/* Possible collision sets: the loop of a frame, its counts, and the features of a contact. */
#ifndef IMP_PCS_H
#define IMP_PCS_H

#include "shape.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- What a frame took, and what happened in it. */

/* Of one frame, or summed up. */
typedef struct pcs_counts {
    uint64_t pairs;    /* of the possible collision set: u */
    uint64_t checks;   /* each pair of the set once a frame (the paper's measure) */
    uint64_t rechecks; /* further distances within the frame */
    uint64_t steps;    /* of the feature walk */
    uint64_t contacts; /* handed to resolve */
    uint64_t rested; /* pairs that rest at the frame's end: resolved, and not found 2 epsilon apart
                        since. What cannot come near again is not looked at again */
    uint64_t inelastic; /* contacts that were taken as inelastic, so that the frame ends */
} pcs_counts;

static inline void pcs_counts_add(pcs_counts *to, const pcs_counts *c)
{
    to->pairs += c->pairs;
    to->checks += c->checks;
    to->rechecks += c->rechecks;
    to->steps += c->steps;
    to->contacts += c->contacts;
    to->rested += c->rested;
    to->inelastic += c->inelastic;
}

/* ---- Possible collision sets (method A): every contact of many moving rigid bodies inside a
 * frame, in the order in which it happens. Bodies move with constant velocities between contacts.
 * What they do at a contact is the caller's. Ordering is serial by nature and the CPU's. */

typedef struct pcs pcs;

typedef struct pcs_body {
    const shape *shape; /* in coordinates whose origin is the body's centre of mass */
    int fixed;          /* never moves; two fixed bodies stay in the set, and are counted */
    double centre[3];   /* where that origin is */
    double rotation[4]; /* w x y z, of length 1 */
    double velocity[3]; /* of the centre, in units of length a second */
    double spin[3];     /* angular velocity in the coordinates of the frame, in radians a second */
} pcs_body;

/* Where a body is and how it moves, and back. */
static inline imp_pose pcs_pose_of(const pcs_body *b)
{
    imp_pose p;
    memcpy(p.centre, b->centre, sizeof p.centre);
    memcpy(p.rotation, b->rotation, sizeof p.rotation);
    memcpy(p.velocity, b->velocity, sizeof p.velocity);
    memcpy(p.spin, b->spin, sizeof p.spin);
    return p;
}

static inline void pcs_set_pose(pcs_body *b, const imp_pose *p)
{
    memcpy(b->centre, p->centre, sizeof b->centre);
    memcpy(b->rotation, p->rotation, sizeof b->rotation);
    memcpy(b->velocity, p->velocity, sizeof b->velocity);
    memcpy(b->spin, p->spin, sizeof b->spin);
}

static inline pose_map pcs_map_of(const pcs_body *b)
{
    const imp_pose p = pcs_pose_of(b);
    return pose_map_of(&p);
}

typedef struct pcs_contact {
    uint32_t a, b;      /* bodies, a < b */
    double time;        /* seconds since the frame began; times of a frame never fall */
    shape_nearest near; /* of a and b at that time; of distance 0 where one is in the other */
    double normal[3];   /* of length 1, from a to b; of bodies that overlap, the last one known */
    int inelastic;      /* the pair's eighth contact of the frame, or a later one: no bounce */
} pcs_contact;

/* What the caller does. NULL: nothing. All return IMP_OK or an error, which ends the frame. */
typedef struct pcs_hooks {
    void *with;
    /* At the start of a frame, before anything is predicted: forces change velocities. */
    int (*forces)(void *with, pcs_body *bodies, uint32_t count, double seconds);
    /* A contact: changes velocities, and sets changed[i] to 1 for each body whose velocity it
     * changed, of which fixed ones are not looked at; poses it may not change. bodies[a] and
     * bodies[b] are where they are at that time; pcs_advance brings others there. All velocities
     * are those of that time. (To move all of them would cost their number at each contact.) */
    int (*resolve)(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                   uint8_t *changed);
} pcs_hooks;

typedef struct pcs_def {
    mem *mem;
    double step;         /* seconds of a frame, above 0, unless pcs_set_step changes it */
    double epsilon;      /* bodies at most this far from each other are in contact, above 0 */
    const char *device;  /* as imp_def.device, for boxes and tiles of many bodies; NULL: cpu */
    int threads;         /* as imp_def.threads */
    uint32_t bodies;     /* their number; they stay the same from frame to frame */
    const int32_t *name; /* [bodies] what messages call them; NULL: their numbers */
    int watches_all;     /* 1: a pair whose bodies keep their velocities is watched, too: it comes
                            again at 3/8 of its distance */
    const atomic_int *cancel; /* not 0: ends with IMP_ERR_CANCELLED. NULL: never */
} pcs_def;

/* Errors: MEMORY, ARGUMENT, DEVICE. */
int pcs_open(const pcs_def *def, pcs **out);

/* Frames from now on have that many seconds. Errors: ARGUMENT. */
int pcs_set_step(pcs *p, double seconds);

/* The name of its device as imp_device_name has it: that which "auto" has chosen, or the one that
 * was named, also where bodies are too few for it. */
const char *pcs_device(const pcs *p);

/* One frame: bodies[] go from its start to its end. Adds to *counts. hooks may be NULL. Errors:
 * ARGUMENT (a pose or a velocity that is not finite, a body that turns by more than 2^30 radians),
 * MEMORY, DEVICE, CANCELLED, and what hooks return. After an error bodies[] may be at different
 * times, and the next frame can begin. */
int pcs_frame(pcs *p, pcs_body *bodies, const pcs_hooks *hooks, pcs_counts *counts);

/* pcs_def.cancel, for hooks that take long. */
const atomic_int *pcs_cancel(const pcs *p);

/* From resolve: brings bodies[body] to where it is at the time of the contact. */
void pcs_advance(pcs *p, uint32_t body);

/* What is known of a pair from frame to frame: it makes the next one faster, and its last bits and
 * the normals of bodies that overlap depend on it. Kept and recalled between two frames, what
 * follows is the same to the bit. */
typedef struct pcs_saved_pair {
    uint32_t a, b;
    shape_pair cache;
    double normal[3];
} pcs_saved_pair;

/* Into out[], unless it is NULL; returns how many. */
size_t pcs_save(const pcs *p, pcs_saved_pair *out);

/* In place of all that is known. Errors: MEMORY; ARGUMENT for bodies that are not there. */
int pcs_restore(pcs *p, const pcs_saved_pair *known, size_t count);

void pcs_close(pcs *p);

/* ---- What is closest of two bodies, as contacts name it. */

/* enum imp_kind: VERTEX_FACE where a vertex is closest; else EDGE_EDGE where an edge is; else AREA.
 */
static inline uint8_t pcs_kind(const shape_nearest *near)
{
    const uint8_t a = near->kind[0], b = near->kind[1];
    if (a == SHAPE_VERTEX || b == SHAPE_VERTEX)
        return IMP_KIND_VERTEX_FACE;
    return a == SHAPE_EDGE || b == SHAPE_EDGE ? IMP_KIND_EDGE_EDGE : IMP_KIND_AREA;
}

/* Of body a (0) or b (1): a vertex, counted from vertex0, the number of the body's first one; an
 * edge 0 to 2; a face -1. */
static inline int64_t pcs_feature_code(const shape_nearest *near, int body, uint32_t vertex0)
{
    return near->feature[body] + (near->kind[body] == SHAPE_VERTEX ? vertex0 : 0);
}

#endif
