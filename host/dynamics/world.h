/* Rigid bodies at the beginning, and what acts on them: a scene of the list worlds.def, in metres,
 * kilograms and seconds, z up; or a user's frame, in the user's units. */
#ifndef IMP_WORLD_H
#define IMP_WORLD_H

#include "geom.h"
#include "matter.h"
#include "pcs.h"

/* Which options of a scene may be given. */
enum world_takes { WORLD_PUSH = 1, WORLD_BODIES = 2, WORLD_RATIO = 4, WORLD_SEED = 8 };

typedef struct world_entry {
    const char *name, *text;
    unsigned takes;                   /* enum world_takes */
    double seconds, step, epsilon;    /* defaults */
    double push;                      /* N */
    uint64_t bodies, bodies_least;    /* those that can be asked for: not the ground */
    double gravity, bounce, friction; /* m/s2; of all contacts */
    double bounce_least;              /* slower ones do not bounce, m/s */
} world_entry;

/* Scene number `index` of the list. Returns 0 past its end. */
int world_entry_at(size_t index, world_entry *out);

/* The entry of a name. Returns 0 if there is none. */
int world_find(const char *name, world_entry *out);

typedef struct world_request {
    double push;     /* N; 0: none */
    uint64_t bodies; /* 0: the scene's own number */
    double ratio;    /* of the largest body to the smallest, at least 1 */
    uint64_t seed;
} world_request;

typedef struct world {
    mem *mem;
    char name[64]; /* of messages and curves */
    matter matter; /* with the masses and inertias of all bodies */
    geom **geom;   /* [kinds] */
    shape **shape; /* [kinds] of each */
    uint32_t kinds;
    uint32_t bodies;
    uint32_t *of;   /* [bodies] which geom each one has */
    pcs_body *body; /* [bodies] at the beginning */
    /* the bodies as one mesh */
    int32_t *object;           /* [bodies] ascending */
    uint32_t *cell0, *vertex0; /* [bodies + 1] the first row of each in the following */
    uint32_t *cell, *vertex;   /* the numbers in the mesh of what a body has */
    uint64_t cells, vertices;  /* of the mesh */
    double *point;             /* [3 * vertices] where those are that belong to no body; NULL: all
                                  belong to bodies */
} world;

/* Errors: ARGUMENT for an unknown scene, or bodies or sizes that cannot be; MEMORY. */
int world_make(mem *m, const char *name, const world_request *request, world *out);

/* Of a frame that does not say it. */
#define WORLD_STEP 0.01
#define WORLD_SECONDS 1.0
#define WORLD_EPSILON 1e-4 /* times the diameter of the least body that moves, about its origin */

/* The rigid bodies of a frame; bodies of `given`, which it takes over, are in their order.
 * Primitives that belong to no body, and those that are no triangles, are an error, as is a body
 * without mass. of: the beginning of messages. Errors: INPUT, MEMORY. */
int world_of_frame(mem *m, const imp_frame *frame, matter *given, const char *of, world *out);

/* Can they move for a step as they are? Velocities that forces and contacts make later on are no
 * fault of the frame. Errors: INPUT, which names the object. */
int world_check_motion(const world *w, double step, double epsilon, const char *of);

void world_free(world *w); /* a zeroed one, too */

/* The name of a body of a scene, cut to `size`. */
void world_body_name(const char *name, uint32_t body, char *out, size_t size);

/* ---- for those that make scenes; errors: MEMORY, ARGUMENT */

/* Arrays for that number of kinds and bodies. */
int world_alloc(world *w, uint32_t kinds, uint32_t bodies);

/* As one mesh, body after body; object[], `of` and shapes are there. */
int world_mesh(world *w);

/* Takes what geom_box or another one made, with its result, as the shape of a kind; decides whether
 * it is convex. */
int world_set_shape(world *w, uint32_t kind, int err, geom *const *made);

/* Sets a body that rests, the origin of its shape (before geom_make moved it) at `at`. */
void world_set_body(world *w, uint32_t body, uint32_t kind, v3 at, int fixed);

/* What all bodies of a scene are made of, and its gravity: after the last world_set_body, before
 * the following. */
int world_set_masses(world *w, double density);

/* Where bodies are is their home, to which springs draw them (matter.h). */
int world_set_springs(world *w, const double spring[3]);

/* The only push of a scene. */
int world_set_push(world *w, const matter_push *push);

#define WORLD(symbol, ...) int world_##symbol##_build(world *w, const world_request *request);
#include "worlds.def"

/* ---- The bodies of a world as one mesh with a pose of each, as batches hold it. */

/* All zero at first, except mem. */
typedef struct body_mesh {
    mem *mem;
    const world *w; /* which has numbers of cells and vertices */
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object;
    double *rest;
    double *point;  /* [3 * vertices] of the last body_mesh_pose */
    imp_pose *pose; /* [bodies] */
} body_mesh;

/* The world must outlive it. Errors: MEMORY. */
int body_mesh_make(const world *w, body_mesh *out);
void body_mesh_free(body_mesh *m);

/* Where the bodies are. */
void body_mesh_pose(body_mesh *m, const pcs_body *body);

#endif
