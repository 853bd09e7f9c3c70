/* Ordered contacts of moving rigid bodies, for a solver of the caller's own (possible collision
 * sets). Bodies move with constant velocities, and at each contact, in time order, a hook of the
 * caller changes velocities. No contact is missed, however fast or thin bodies are.
 *
 *     const imp_pcs_mesh mesh = {.vertices = 8, .triangles = 12, .point = cube, .corner = corner};
 *     const imp_pcs_body body[2] = {{.mesh = 0, .fixed = 1}, {.mesh = 0}};
 *     const imp_pcs_def def = {
 *         .mesh = &mesh, .meshes = 1, .body = body, .bodies = 2, .epsilon = 1e-5};
 *     const imp_pcs_hooks hooks = {.forces = gravity, .contact = bounce};
 *     imp_pcs *p = NULL;
 *     int err = imp_pcs_create(&def, &p);
 *     while (!err && time < end)
 *         err = imp_pcs_step(p, pose, 0.01, &hooks, NULL);
 *     imp_pcs_destroy(p);
 *
 * tests/external/bounce.c of the sources is a whole program. The conventions are those of
 * impinge.h. An imp_pcs is used by one thread at a time, except imp_pcs_cancel; several are
 * independent. Its hooks run in the thread that calls imp_pcs_step, and in the caller's
 * floating-point environment. Results are the same bits on every device and for any number of
 * threads. */
#ifndef IMPINGE_PCS_H
#define IMPINGE_PCS_H

#include "impinge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A surface, convex or not, closed or not. The origin of its coordinates is the reference point of
 * imp_pose: the velocity is that of this point, and the body rotates about it. For solvers it is
 * the centre of mass. */
typedef struct imp_pcs_mesh {
    uint32_t vertices;
    uint32_t triangles;     /* 1 to 2^30 */
    const double *point;    /* [3 * vertices] x y z, finite */
    const uint32_t *corner; /* [3 * triangles] vertex numbers, each < vertices */
} imp_pcs_mesh;

typedef struct imp_pcs_body {
    uint32_t mesh; /* index in imp_pcs_def.mesh; bodies may share one */
    int fixed;     /* 1: does not move within a step, and has no contacts with other fixed bodies */
} imp_pcs_body;

/* All zero: the defaults, and no bodies. Only epsilon must be set. */
typedef struct imp_pcs_def {
    const imp_pcs_mesh *mesh; /* [meshes] */
    uint32_t meshes;
    uint32_t bodies;
    const imp_pcs_body *body; /* [bodies] */
    double epsilon; /* bodies at most this far apart are in contact: a length above 0, large against
                       the rounding errors of distances, 1e-12 of the extent */
    const char *device; /* as imp_def.device, for the first pair search of each step with 1024
                           bodies or more; NULL: "cpu" */
    int threads;        /* as imp_def.threads */
    uint64_t mem_limit; /* as imp_def.mem_limit */
} imp_pcs_def;

typedef struct imp_pcs imp_pcs;

/* *def and its arrays are not used after the call. Errors: ARGUMENT (the text names mesh or body),
 * DEVICE, MEMORY. */
IMP_API int imp_pcs_create(const imp_pcs_def *def, imp_pcs **out);

/* Frees it. Must not be called from a hook of the same imp_pcs. */
IMP_API void imp_pcs_destroy(imp_pcs *p);

/* Two bodies in contact. Arrays [2] are for body a, then body b. */
typedef struct imp_pcs_contact {
    uint32_t a, b;      /* bodies, a < b */
    double time;        /* seconds since the step began; never decreases within a step */
    double distance;    /* 0: they touch, or convex bodies overlap */
    double point[2][3]; /* the two closest points, in the coordinates of poses */
    double normal[3]; /* unit vector from a to b; if the bodies overlap, the last known one, or that
                         from centre to centre */
    uint32_t triangle[2]; /* the triangle of each mesh with the closest point */
    int kind;             /* enum imp_kind: VERTEX_FACE if a vertex is closest, else EDGE_EDGE if an
                             edge is, else AREA */
    int feature_corners[2]; /* type of the closest features: enum imp_corners, IMP_TRIANGLES for a
                               face */
    int64_t feature[2]; /* the closest features: the mesh's lowest vertex at that position; an edge
                           of the triangle, 0 to 2, from that corner to the next; or -1, a face */
    int inelastic; /* 1: the eighth contact of this pair in the step, or a later one. The contact
                      hook should remove the approaching velocity, without bounce */
} imp_pcs_contact;

/* The caller's functions; NULL: none. `pose` has all bodies. Hooks may change velocity and spin in
 * it; other changes are undone. A result other than 0 ends the step: see imp_pcs_step. A hook must
 * return: no longjmp, no C++ exception. */
typedef struct imp_pcs_hooks {
    void *user;
    /* Called at the start of a step: changes the velocities of all bodies by the effect of the
     * forces. */
    int (*forces)(void *user, imp_pose *pose, double seconds);
    /* Called at a contact. For each body whose velocity it changes, it sets changed[body] to 1. All
     * velocities, and the centre and rotation of both bodies, are those at the time of the contact;
     * centre and rotation of other bodies are older, until imp_pcs_advance. Changes of fixed
     * bodies, and of bodies that are not marked, are undone at the end of the step. */
    int (*contact)(void *user, imp_pose *pose, const imp_pcs_contact *contact, uint8_t *changed);
} imp_pcs_hooks;

/* Counts of one step. */
typedef struct imp_pcs_info {
    uint64_t pairs;    /* possible collision set: pairs whose boxes around trajectories overlap */
    uint64_t checks;   /* first distance computations, one for each pair */
    uint64_t rechecks; /* further distance computations */
    uint64_t feature_steps; /* steps of the search for closest features */
    uint64_t contacts;      /* calls of the contact hook */
    uint64_t inelastic;     /* the part of them with `inelastic` */
    uint64_t resting;       /* pairs with a contact that were not seen apart after it */
} imp_pcs_info;

/* Computes one step: pose[bodies] is advanced from its start to its end. Between contacts velocity
 * and spin are constant; those of fixed bodies are not used. Steps may differ in length. Callers
 * may move any bodies between steps, fixed ones too.
 *
 * A pair has a contact when its distance falls to epsilon, or is at most epsilon at the start of
 * the step. It then rests. It has the next contact when it was 2 epsilon apart and is within
 * epsilon again, or, if the hook marked one of its bodies, when its distance falls to three
 * quarters of that at the contact. So a contact is early by at most the time in which the pair
 * approaches by epsilon; two contacts of different pairs that are closer in time than that may swap
 * their order.
 *
 * A pair has at most 32 contacts in a step, so that each step ends; bodies that the hook does not
 * keep apart then overlap. Bodies that get no separating speed approach further in each step: a
 * body that is to rest above the ground needs a small speed back to half of epsilon.
 *
 * hooks: NULL for none. info: receives the counts, also of a step that fails, or NULL. After a
 * failure pose[] is as it was before the step, and another step can begin. Errors: ARGUMENT
 * (`seconds` not above 0 or not finite; a pose or a velocity, before the step or from a hook, that
 * is not finite; a rotation that is not of length 1; a body that turns by more than 2^30 radians,
 * or is beyond the range of float64 in the step), MEMORY, DEVICE, CANCELLED, and the number that a
 * hook returns: imp_error_text() is then what the hook set with imp_set_error, or names the hook
 * and the number. */
IMP_API int imp_pcs_step(imp_pcs *p, imp_pose *pose, double seconds, const imp_pcs_hooks *hooks,
                         imp_pcs_info *info);

/* For the contact hook: moves the hook's pose[body] to the time of the contact. Errors:
 * ARGUMENT. */
IMP_API int imp_pcs_advance(imp_pcs *p, uint32_t body);

/* As imp_cancel, for imp_pcs_step: the running one soon returns CANCELLED, or else the next one
 * before it calls a hook. */
IMP_API void imp_pcs_cancel(imp_pcs *p);

/* As imp_device_name; "auto" stays "auto". */
IMP_API const char *imp_pcs_device_name(const imp_pcs *p);

#ifdef __cplusplus
}
#endif
#endif
