/* Ordered contacts of moving rigid bodies, for a solver of the caller's own (possible collision
 * sets): bodies move with constant velocities, and at each contact, in the order of time, a
 * function of the caller changes velocities. No contact is missed, however fast or thin bodies are.
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

/* A surface, convex or not, closed or not, in coordinates whose origin is the point that imp_pose
 * moves: its velocity is of that point, and the body turns about it. For solvers that is the centre
 * of mass. */
typedef struct imp_pcs_mesh {
    uint32_t vertices;
    uint32_t triangles;     /* 1 to 2^30 */
    const double *point;    /* [3 * vertices] x y z, finite */
    const uint32_t *corner; /* [3 * triangles] vertex numbers, each < vertices */
} imp_pcs_mesh;

typedef struct imp_pcs_body {
    uint32_t mesh; /* which one; several bodies may have the same */
    int fixed;     /* 1: does not move within a step, and has no contacts with other fixed bodies */
} imp_pcs_body;

/* Zero: the default, and no bodies. Only epsilon must be set. */
typedef struct imp_pcs_def {
    const imp_pcs_mesh *mesh; /* [meshes] */
    uint32_t meshes;
    uint32_t bodies;
    const imp_pcs_body *body; /* [bodies] */
    double epsilon; /* bodies at most this far from each other are in contact: a length above 0. The
                       rounding errors of distances, 1e-12 of the extent, must be small beside it */
    const char *device; /* as imp_def.device, for the first search for pairs in each step of 1024
                           bodies or more; NULL: "cpu" */
    int threads;        /* as imp_def.threads */
    uint64_t mem_limit; /* as imp_def.mem_limit */
} imp_pcs_def;

typedef struct imp_pcs imp_pcs;

/* Nothing of *def is needed afterwards. Errors: ARGUMENT (the text names mesh or body), DEVICE,
 * MEMORY. */
IMP_API int imp_pcs_create(const imp_pcs_def *def, imp_pcs **out);

/* Not from a hook of the same imp_pcs. */
IMP_API void imp_pcs_destroy(imp_pcs *p);

/* Two bodies in contact. [2]: of body a, of body b. */
typedef struct imp_pcs_contact {
    uint32_t a, b;      /* bodies, a < b */
    double time;        /* seconds since the step began; it never falls within a step */
    double distance;    /* 0: they touch, or convex bodies overlap */
    double point[2][3]; /* the two closest points, in the coordinates of poses */
    double normal[3];   /* of length 1, from a to b; where they overlap the last one known, or from
                           centre to centre */
    uint32_t triangle[2]; /* of each mesh: has the point */
    int kind;             /* enum imp_kind: VERTEX_FACE if a vertex is closest, else EDGE_EDGE if an
                             edge is, else AREA */
    int feature_corners[2]; /* what is closest: enum imp_corners, of a face IMP_TRIANGLES */
    int64_t feature[2]; /* which: a vertex of the mesh, the lowest at its position; an edge of the
                           triangle, 0 to 2, from that corner to the next; a face -1 */
    int inelastic; /* 1: the eighth contact of this pair in the step, or a later one. The contact
                      hook should take away what comes nearer, without bounce */
} imp_pcs_contact;

/* What the caller does; NULL: nothing. `pose` has all bodies. Hooks may change velocity and spin in
 * it; other changes are undone. They return 0 or anything else, which ends the step: see
 * imp_pcs_step. A hook must return: no longjmp, no C++ exception. */
typedef struct imp_pcs_hooks {
    void *user;
    /* At the start of a step: velocities of all bodies, by what forces do in it. */
    int (*forces)(void *user, imp_pose *pose, double seconds);
    /* A contact. For each body whose velocity it changes it sets changed[body] to 1. Velocities are
     * those of that time. So are centre and rotation of both bodies; those of others are older,
     * until imp_pcs_advance. Changes of fixed bodies, and of bodies that are not marked, are undone
     * at the end of the step. */
    int (*contact)(void *user, imp_pose *pose, const imp_pcs_contact *contact, uint8_t *changed);
} imp_pcs_hooks;

/* Counts of one step. */
typedef struct imp_pcs_info {
    uint64_t pairs;         /* of the possible collision set: boxes around trajectories overlap */
    uint64_t checks;        /* first distance of a pair, one each */
    uint64_t rechecks;      /* further distances */
    uint64_t feature_steps; /* of the search for closest features */
    uint64_t contacts;      /* that the hook was called for */
    uint64_t inelastic;     /* of these */
    uint64_t resting;       /* pairs that had a contact, and were not seen to be apart after it */
} imp_pcs_info;

/* One step: pose[bodies] goes from its start to its end. Between contacts velocity and spin are
 * constant; those of fixed bodies are not used. Each step may have another length. Callers may move
 * any bodies between steps, fixed ones too.
 *
 * A pair has a contact when its distance falls to epsilon, or is not more at the start of the step.
 * It then rests. It has the next contact when it was 2 epsilon apart and is within epsilon again,
 * or, if the hook marked one of its bodies, when its distance falls to three quarters of that at
 * the contact. So a contact is early by at most the time in which the pair comes nearer by epsilon;
 * two contacts of different pairs that are closer in time than that may change places.
 *
 * A pair has at most 32 contacts in a step, so that each step ends; bodies that the hook does not
 * keep apart then overlap. Bodies that get no speed apart come nearer from step to step: what is to
 * rest above the ground needs a small speed back to half of epsilon.
 *
 * hooks: NULL: none. info: NULL, or the counts, also of a step that fails. Then pose[] is as it
 * was, and another step can begin. Errors: ARGUMENT (`seconds` not above 0 or not finite; a pose or
 * a velocity, before the step or from a hook, that is not finite; a rotation that is not of length
 * 1; a body that turns by more than 2^30 radians, or is beyond the range of float64 in the step),
 * MEMORY, DEVICE, CANCELLED, and the number that a hook returns: imp_error_text() is then what the
 * hook set with imp_set_error, or names the hook and the number. */
IMP_API int imp_pcs_step(imp_pcs *p, imp_pose *pose, double seconds, const imp_pcs_hooks *hooks,
                         imp_pcs_info *info);

/* From the contact hook: moves the hook's pose[body] to the time of the contact. Errors: ARGUMENT.
 */
IMP_API int imp_pcs_advance(imp_pcs *p, uint32_t body);

/* As imp_cancel, for imp_pcs_step: the running one, else the next one before it calls a hook,
 * returns CANCELLED soon. */
IMP_API void imp_pcs_cancel(imp_pcs *p);

/* As imp_device_name; "auto" stays "auto". */
IMP_API const char *imp_pcs_device_name(const imp_pcs *p);

#ifdef __cplusplus
}
#endif
#endif
