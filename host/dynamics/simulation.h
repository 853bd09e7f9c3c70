/* A simulation of rigid bodies, frame by frame, in the form of batches and results. */
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

/* Overlaps of bodies at the beginnings of frames and at contacts. */
typedef struct simulation_overlap {
    double most;         /* length of the shortest separating translation, or more (geom.h); 0: no
                          * overlap */
    int32_t a, b;        /* objects */
    uint64_t frame;      /* frame in which it occurred */
    uint64_t contacts;   /* contacts of pairs that overlapped or exactly touched */
    uint64_t unmeasured; /* those with a nonconvex body, whose depth is unknown */
} simulation_overlap;

/* ---- Rigid bodies simulated frame by frame: bodies and dynamics of this folder, time and contacts
 * of pcs. The output has the form of batches and results, so that callers need no headers of
 * either. */

/* Scene number `index`. Returns 0 past the last. */
typedef struct simulation_scene {
    const char *name, *text;
    int takes_push, takes_bodies, takes_ratio, takes_seed;
    double seconds, step, epsilon, push; /* defaults; push in N */
    uint64_t bodies, bodies_least;
} simulation_scene;
int simulation_scene_at(size_t index, simulation_scene *out);

/* "" if this build can simulate; else the reason why not. */
const char *simulation_lacks(void);

/* Zero selects the scene's default, unless stated otherwise. Set either `scene` and the members
 * after it, or `frame` and the members after that. */
typedef struct simulation_def {
    mem *mem;
    const char *scene;
    double push;     /* N; 0: no push */
    uint64_t bodies; /* number of bodies that the scene counts: without the ground */
    double ratio;    /* ratio of sizes; 0: 1 */
    uint64_t seed;
    const imp_frame *frame;        /* its rigid bodies must include all of its primitives */
    matter *matter;                /* properties of its bodies; ownership is transferred */
    const char *of;                /* beginning of messages about them */
    double step, epsilon, seconds; /* 0: the values of the matter */
    int at_rest;                   /* only the initial positions are needed: no simulation_next;
                                    * works in every build */
    const char *device;            /* see imp_def.device */
    int threads;                   /* as imp_def.threads */
    const atomic_int *cancel;      /* nonzero ends with IMP_ERR_CANCELLED; NULL: never */
} simulation_def;

typedef struct simulation simulation;

/* Errors: ARGUMENT (also for an epsilon above a 16th of the radius of the smallest body), MEMORY,
 * DEVICE; INPUT for a frame or its matter. */
int simulation_open(const simulation_def *def, simulation **out);
void simulation_close(simulation *s);

/* Its bodies with their triangles: the bodies of a scene are objects 0 to mesh->bodies - 1. */
const imp_mesh *simulation_mesh(const simulation *s);

/* The properties of the bodies, with the step and epsilon of the simulation. */
const matter *simulation_matter(const simulation *s);

/* The name of a body of a scene, truncated to `size`. */
void simulation_body_name(const simulation *s, uint32_t body, char *out, size_t size);

/* The name of its device: pcs_device. */
const char *simulation_device(const simulation *s);

/* Seconds per frame, and the contact distance. */
double simulation_step(const simulation *s);
double simulation_epsilon(const simulation *s);

/* The present poses, after `number` frames; valid until the next call. */
void simulation_frame(simulation *s, imp_frame *out);

/* Computes the next frame. Sets *counts to its own. Errors: MEMORY, CANCELLED, DEVICE, DIVERGED (no
 * velocities were found for a contact, or they or the resulting positions exceed the range of
 * float64; no further frame is possible). */
int simulation_next(simulation *s, pcs_counts *counts);

/* All state on which later frames depend besides the input of simulation_open, as bytes: a newly
 * opened simulation that restores them continues with the same bits. Release with mem_free(*out).
 * Errors: MEMORY; INPUT for bytes of another kind of simulation. */
int simulation_save(simulation *s, void **out, size_t *bytes);
int simulation_restore(simulation *s, const void *state, size_t bytes);

/* The greatest overlap since the beginning. */
void simulation_overlap_most(const simulation *s, simulation_overlap *out);

/* Contacts of the last frame in order of time, as for a step between two frames: a and b are the
 * triangles with the closest features, toi is rounded down. Kinds: IMP_KIND_VERTEX_FACE for a
 * vertex and anything, IMP_KIND_EDGE_EDGE for an edge and an edge or a face, IMP_KIND_AREA for two
 * faces. Features: a vertex by its number, an edge by 0 to 2, -1 for a face. Valid until the next
 * call. */
void simulation_contacts(const simulation *s, imp_contacts *out);

/* The velocity changes of the last frame, after the forces at its beginning, ordered by time. Valid
 * until the next call. */
const velocity_change *simulation_changes(const simulation *s, size_t *count);

/* ---- Contacts of a frame as rows of a result. */

typedef struct impact_row {
    double toi;
    uint32_t a, b;
    uint32_t number; /* index in the order in which they were added */
    uint8_t kind;
    double point[6];
    int64_t feature[2];
} impact_row;

/* All zero at first, except mem. */
typedef struct impact_rows {
    mem *mem;
    impact_row *row;
    size_t count, capacity;
    column_rows columns; /* storage of impact_rows_view */
} impact_rows;

/* Adds a row. Its toi is that in a step of that many seconds, rounded down. Errors: MEMORY. */
int impact_rows_add(impact_rows *r, const body_mesh *m, const pcs_contact *c, double step);

/* Sorts the rows by (toi, a, b), and makes the columns that *out points to. Errors: MEMORY. */
int impact_rows_view(impact_rows *r, imp_contacts *out);

void impact_rows_free(impact_rows *r);

/* ---- The state of a simulation. Private to host/dynamics. */

struct simulation {
    mem *mem;
    world world;
    dynamics *dynamics;
    pcs *pcs;
    double step, epsilon;
    uint64_t frames; /* completed frames */
    pcs_body *body;  /* [world.bodies] present state */
    body_mesh mesh;
    impact_rows rows; /* contacts of the last frame */
    imp_contacts contacts;
    simulation_overlap overlap;
    velocity_change *change; /* [changes] in the last frame */
    size_t changes, changes_capacity;
};

#endif
