/* The initial rigid bodies and the forces on them: a scene of the list worlds.def, in metres,
 * kilograms and seconds, z up; or a user's frame, in the user's units. */
#ifndef IMP_WORLD_H
#define IMP_WORLD_H

#include "geom.h"
#include "matter.h"
#include "pcs.h"

/* Options that a scene accepts. */
enum world_takes { WORLD_PUSH = 1, WORLD_BODIES = 2, WORLD_RATIO = 4, WORLD_SEED = 8 };

typedef struct world_entry {
    const char *name, *text;
    unsigned takes;                   /* enum world_takes */
    double seconds, step, epsilon;    /* defaults */
    double push;                      /* N */
    uint64_t bodies, bodies_least;    /* default and least number of bodies, without the ground */
    double gravity, bounce, friction; /* m/s2; the rest for all contacts */
    double bounce_least;              /* slower impacts do not bounce, m/s */
} world_entry;

/* Scene number `index` of the list. Returns 0 past the last. */
int world_entry_at(size_t index, world_entry *out);

/* The entry with that name. Returns 0 if the name is unknown. */
int world_find(const char *name, world_entry *out);

typedef struct world_request {
    double push;     /* N; 0: none */
    uint64_t bodies; /* 0: the scene's default */
    double ratio;    /* size of the largest body to that of the smallest, at least 1 */
    uint64_t seed;
} world_request;

typedef struct world {
    mem *mem;
    char name[64]; /* in messages and curves */
    matter matter; /* includes the masses and inertias of all bodies */
    geom **geom;   /* [kinds] */
    shape **shape; /* [kinds] */
    uint32_t kinds;
    uint32_t bodies;
    uint32_t *of;   /* [bodies] kind of each */
    pcs_body *body; /* [bodies] initial state */
    /* the bodies as one mesh */
    int32_t *object;           /* [bodies] ascending */
    uint32_t *cell0, *vertex0; /* [bodies + 1] first row of each in the following */
    uint32_t *cell, *vertex;   /* numbers in the mesh, body by body */
    uint64_t cells, vertices;  /* totals of the mesh */
    double *point;             /* [3 * vertices] positions of vertices that belong to no body; NULL:
                                * all belong to bodies */
} world;

/* Errors: ARGUMENT for an unknown scene, or an impossible number or size of bodies; MEMORY. */
int world_make(mem *m, const char *name, const world_request *request, world *out);

/* Defaults for a frame that does not give them. */
#define WORLD_STEP 0.01
#define WORLD_SECONDS 1.0
#define WORLD_EPSILON 1e-4 /* times the diameter of the smallest movable body, about its origin */

/* Makes a world of the rigid bodies of a frame. Takes ownership of `given`, whose bodies are in the
 * same order. Errors include primitives that belong to no body or are not triangles, and bodies
 * without mass. of: the beginning of messages. Errors: INPUT, MEMORY. */
int world_of_frame(mem *m, const imp_frame *frame, matter *given, const char *of, world *out);

/* Checks that the bodies can move for a step with their initial velocities. Velocities resulting
 * from later forces and contacts are not the frame's fault. Errors: INPUT, which names the
 * object. */
int world_check_motion(const world *w, double step, double epsilon, const char *of);

void world_free(world *w); /* also accepts a zeroed one */

/* The name of a body of a scene, truncated to `size`. */
void world_body_name(const char *name, uint32_t body, char *out, size_t size);

/* ---- functions for scenes; errors: MEMORY, ARGUMENT */

/* Allocates arrays for that number of kinds and bodies. */
int world_alloc(world *w, uint32_t kinds, uint32_t bodies);

/* Makes one mesh, body after body; object[], `of` and shapes must be set. */
int world_mesh(world *w);

/* Sets the shape of a kind to the result of geom_box or a similar function, and its error code;
 * decides whether it is convex. */
int world_set_shape(world *w, uint32_t kind, int err, geom *const *made);

/* Sets a body at rest, with the origin of its shape (before the translation by geom_make) at
 * `at`. */
void world_set_body(world *w, uint32_t body, uint32_t kind, v3 at, int fixed);

/* Sets the properties of all bodies of a scene, and its gravity. Call it after the last
 * world_set_body and before the following functions. */
int world_set_masses(world *w, double density);

/* Makes the present positions the homes towards which springs accelerate the bodies (matter.h). */
int world_set_springs(world *w, const double spring[3]);

/* Sets the only push of a scene. */
int world_set_push(world *w, const matter_push *push);

#define WORLD(symbol, ...) int world_##symbol##_build(world *w, const world_request *request);
#include "worlds.def"

/* ---- The bodies of a world as one mesh with a pose for each, in the form of batches. */

/* All zero at first, except mem. */
typedef struct body_mesh {
    mem *mem;
    const world *w; /* has the numbers of cells and vertices */
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object;
    double *rest;
    double *point;  /* [3 * vertices] by the last body_mesh_pose */
    imp_pose *pose; /* [bodies] */
} body_mesh;

/* The world must outlive it. Errors: MEMORY. */
int body_mesh_make(const world *w, body_mesh *out);
void body_mesh_free(body_mesh *m);

/* Sets the poses and points of the bodies. */
void body_mesh_pose(body_mesh *m, const pcs_body *body);

#endif
