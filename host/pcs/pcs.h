/* Possible collision sets: the loop of a frame, its counts, and the features of a contact. */
#ifndef IMP_PCS_H
#define IMP_PCS_H

#include "shape.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* ---- Statistics of a frame. */

/* For one frame, or summed over several. */
typedef struct pcs_counts {
    uint64_t pairs;    /* size of the possible collision set: u */
    uint64_t checks;   /* one per pair of the set and frame (the paper's measure) */
    uint64_t rechecks; /* further distance computations within the frame */
    uint64_t steps;    /* steps of the feature walk */
    uint64_t contacts; /* contacts passed to resolve */
    uint64_t rested; /* pairs at rest at the frame's end: resolved, and not 2 epsilon apart since. A
                      * pair that cannot approach again is not checked again */
    uint64_t inelastic; /* contacts treated as inelastic so that the frame ends */
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

/* ---- Possible collision sets (method A): every contact of many moving rigid bodies within a
 * frame, in order of time. Bodies move with constant velocities between contacts. The response is
 * the caller's. The ordering is inherently serial, so it runs on the CPU. */

typedef struct pcs pcs;

typedef struct pcs_body {
    const shape *shape; /* in coordinates whose origin is the body's centre of mass */
    int fixed;          /* never moves; pairs of two fixed bodies are in the set and counted */
    double centre[3];   /* position of that origin */
    double rotation[4]; /* w x y z, of length 1 */
    double velocity[3]; /* velocity of the centre, in units of length per second */
    double spin[3];     /* angular velocity in the coordinates of the frame, in radians per
                         * second */
} pcs_body;

/* The pose and velocities of a body, and the reverse. */
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
    double time;        /* seconds since the frame began; never decreases within a frame */
    shape_nearest near; /* a and b at that time; distance 0 if one is in the other */
    double normal[3];   /* unit vector from a to b; for overlapping bodies, the last one known */
    int inelastic;      /* the pair's eighth or a later contact of the frame: no bounce */
} pcs_contact;

/* Callbacks of the caller. NULL: none. All return IMP_OK or an error, which ends the frame. */
typedef struct pcs_hooks {
    void *with;
    /* Called at the start of a frame, before anything is predicted: forces change velocities. */
    int (*forces)(void *with, pcs_body *bodies, uint32_t count, double seconds);
    /* Called at a contact: changes velocities, and sets changed[i] to 1 for each body whose
     * velocity it changed; fixed bodies are ignored. It must not change poses. bodies[a] and
     * bodies[b] are at their positions of that time; pcs_advance moves others there. All velocities
     * are those of that time. (Moving all bodies would cost their number at each contact.) */
    int (*resolve)(void *with, pcs_body *bodies, uint32_t count, const pcs_contact *contact,
                   uint8_t *changed);
} pcs_hooks;

typedef struct pcs_def {
    mem *mem;
    double step;         /* seconds per frame, above 0; pcs_set_step changes it */
    double epsilon;      /* contact distance, above 0 */
    const char *device;  /* see imp_def.device; for boxes and tiles of many bodies; NULL: cpu */
    int threads;         /* see imp_def.threads */
    uint32_t bodies;     /* number of bodies, constant over all frames */
    const int32_t *name; /* [bodies] names in messages; NULL: their numbers */
    int watches_all;     /* 1: pairs whose bodies keep their velocities are watched, too: the next
                          * contact is at 3/8 of the distance */
    const atomic_int *cancel; /* nonzero ends the frame with IMP_ERR_CANCELLED; NULL: never */
} pcs_def;

/* Errors: MEMORY, ARGUMENT, DEVICE. */
int pcs_open(const pcs_def *def, pcs **out);

/* Sets the length of later frames. Errors: ARGUMENT. */
int pcs_set_step(pcs *p, double seconds);

/* The name of its device as from imp_device_name: the one chosen by "auto", or the one requested,
 * even if there are too few bodies to use it. */
const char *pcs_device(const pcs *p);

/* Computes one frame: bodies[] move from its start to its end. Adds to *counts. hooks may be NULL.
 * Errors: ARGUMENT (a pose or a velocity is not finite, or a body rotates by more than 2^30
 * radians), MEMORY, DEVICE, CANCELLED, and errors returned by hooks. After an error, bodies[] may
 * be at different times; the next frame can begin. */
int pcs_frame(pcs *p, pcs_body *bodies, const pcs_hooks *hooks, pcs_counts *counts);

/* pcs_def.cancel, for long-running hooks. */
const atomic_int *pcs_cancel(const pcs *p);

/* For use in resolve: moves bodies[body] to its position at the time of the contact. */
void pcs_advance(pcs *p, uint32_t body);

/* State of a pair kept between frames: it makes the next frame faster, and affects its last bits
 * and the normals of overlapping bodies. If saved and restored between two frames, later frames are
 * the same to the bit. */
typedef struct pcs_saved_pair {
    uint32_t a, b;
    shape_pair cache;
    double normal[3];
} pcs_saved_pair;

/* Writes the state of all pairs to out[], unless it is NULL; returns their number. */
size_t pcs_save(const pcs *p, pcs_saved_pair *out);

/* Replaces the state of all pairs. Errors: MEMORY; ARGUMENT for unknown bodies. */
int pcs_restore(pcs *p, const pcs_saved_pair *known, size_t count);

void pcs_close(pcs *p);

/* ---- The closest features of two bodies, in the form of contacts. */

/* enum imp_kind: VERTEX_FACE if a vertex is closest; else EDGE_EDGE if an edge is; else AREA. */
static inline uint8_t pcs_kind(const shape_nearest *near)
{
    const uint8_t a = near->kind[0], b = near->kind[1];
    if (a == SHAPE_VERTEX || b == SHAPE_VERTEX)
        return IMP_KIND_VERTEX_FACE;
    return a == SHAPE_EDGE || b == SHAPE_EDGE ? IMP_KIND_EDGE_EDGE : IMP_KIND_AREA;
}

/* The feature of body a (0) or b (1): a vertex, counted from vertex0, the number of the body's
 * first one; an edge, 0 to 2; a face, -1. */
static inline int64_t pcs_feature_code(const shape_nearest *near, int body, uint32_t vertex0)
{
    return near->feature[body] + (near->kind[body] == SHAPE_VERTEX ? vertex0 : 0);
}

#endif
