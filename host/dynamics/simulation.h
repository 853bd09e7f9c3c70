/* A simulation of rigid bodies, frame by frame, as batches and results have it. */
#ifndef IMP_SIMULATION_H
#define IMP_SIMULATION_H

#include "bodies.h"
#include "columns.h"
#include "dynamics.h"
#include "impinge.h"
#include "matter.h"
#include "pcs.h"
#include "world.h"

#include <stdatomic.h>
#include <stdint.h>

/* ---- The greatest overlap of a simulation: part of simulation.h. */

/* Bodies in each other, at the beginnings of frames and where contacts are. */
typedef struct simulation_overlap {
    double most;         /* length of the shortest way out of it, or more (geom.h); 0: none */
    int32_t a, b;        /* objects */
    uint64_t frame;      /* in which it was */
    uint64_t contacts;   /* of pairs that were in each other, or exactly touched */
    uint64_t unmeasured; /* of these, such that one is not convex, so of unknown depth */
} simulation_overlap;

/* ---- Rigid bodies that are simulated frame by frame: bodies and dynamics of this folder,
 * time and contacts of pcs. What it makes has the form of batches and results, so that callers need
 * nothing of either. */

/* Scene number `index`. Returns 0 past its end. */
typedef struct simulation_scene {
    const char *name, *text;
    int takes_push, takes_bodies, takes_ratio, takes_seed;
    double seconds, step, epsilon, push; /* defaults; push in N */
    uint64_t bodies, bodies_least;
} simulation_scene;
int simulation_scene_at(size_t index, simulation_scene *out);

/* "" if this build can simulate; else why not. */
const char *simulation_lacks(void);

/* Zero: the scene's default, except where it says otherwise. Either `scene` and what follows it, or
 * `frame` and what follows that. */
typedef struct simulation_def {
    mem *mem;
    const char *scene;
    double push;     /* N; 0: no push */
    uint64_t bodies; /* that the scene counts: not the ground */
    double ratio;    /* of sizes; 0: 1 */
    uint64_t seed;
    const imp_frame *frame;        /* with rigid bodies, to which all of its primitives belong */
    matter *matter;                /* of these; it is taken over */
    const char *of;                /* the beginning of messages about them */
    double step, epsilon, seconds; /* 0: those of the matter */
    int at_rest;                   /* only where they are at the beginning is wanted: no
                                      simulation_next; works in every build */
    const char *device;            /* as imp_def.device */
    int threads;                   /* as imp_def.threads */
    const atomic_int *cancel;      /* not 0: ends with IMP_ERR_CANCELLED. NULL: never */
} simulation_def;

typedef struct simulation simulation;

/* Errors: ARGUMENT (also for an epsilon of more than a 16th of the radius of the smallest body),
 * MEMORY, DEVICE; INPUT, of a frame or its matter. */
int simulation_open(const simulation_def *def, simulation **out);
void simulation_close(simulation *s);

/* Its bodies with their triangles: those of a scene are the objects 0 to mesh->bodies - 1. */
const imp_mesh *simulation_mesh(const simulation *s);

/* What they are made of, with the step and epsilon of the simulation. */
const matter *simulation_matter(const simulation *s);

/* The name of a body of a scene, cut to `size`. */
void simulation_body_name(const simulation *s, uint32_t body, char *out, size_t size);

/* The name of its device: pcs_device. */
const char *simulation_device(const simulation *s);

/* Seconds of a frame, and what counts as contact. */
double simulation_step(const simulation *s);
double simulation_epsilon(const simulation *s);

/* Where bodies are now, after `number` frames; valid until the next call. */
void simulation_frame(simulation *s, imp_frame *out);

/* The next frame. Sets *counts to its own. Errors: MEMORY, CANCELLED, DEVICE, DIVERGED (no
 * velocities were found for a contact, or they, or where they lead, are beyond the range of
 * float64; it is the last frame then). */
int simulation_next(simulation *s, pcs_counts *counts);

/* All that the frames to come depend on besides what simulation_open was given, as bytes: a
 * simulation that is opened anew and recalls them goes on with the same bits. mem_free(*out).
 * Errors: MEMORY; INPUT for bytes that are not of such a simulation. */
int simulation_save(simulation *s, void **out, size_t *bytes);
int simulation_restore(simulation *s, const void *state, size_t bytes);

/* The greatest overlap since the beginning. */
void simulation_overlap_most(const simulation *s, simulation_overlap *out);

/* Contacts of the last frame in order of time, as of a step between two frames: a and b are the
 * triangles that have the closest features, toi is rounded down. Kinds: IMP_KIND_VERTEX_FACE for
 * a vertex and anything, IMP_KIND_EDGE_EDGE for an edge and an edge or a face, IMP_KIND_AREA for
 * two faces. Features: a vertex by its number, an edge by 0 to 2, -1 for a face. Valid until the
 * next call. */
void simulation_contacts(const simulation *s, imp_contacts *out);

/* How velocities changed in the last frame, after the forces at its beginning: by time. Valid until
 * the next call. */
const velocity_change *simulation_changes(const simulation *s, size_t *count);

/* ---- Contacts of a frame as rows of a result. */

typedef struct impact_row {
    double toi;
    uint32_t a, b;
    uint32_t number; /* in the order in which they were added */
    uint8_t kind;
    double point[6];
    int64_t feature[2];
} impact_row;

/* All zero at first, except mem. */
typedef struct impact_rows {
    mem *mem;
    impact_row *row;
    size_t count, capacity;
    column_rows columns; /* of impact_rows_view */
} impact_rows;

/* One more. toi: of a step of that many seconds, rounded down. Errors: MEMORY. */
int impact_rows_add(impact_rows *r, const body_mesh *m, const pcs_contact *c, double step);

/* Sorts them by (toi, a, b), and makes the columns that *out points to. Errors: MEMORY. */
int impact_rows_view(impact_rows *r, imp_contacts *out);

void impact_rows_free(impact_rows *r);

/* ---- What a simulation consists of. Within host/dynamics. */

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
