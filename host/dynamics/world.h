/* Scenes of rigid bodies: what is there at the beginning, and what acts on it. Lengths in metres,
 * masses in kilograms, seconds; z is up. The list is worlds.def. */
#ifndef IMP_WORLD_H
#define IMP_WORLD_H

#include "pcs.h"
#include "geom.h"

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
int world_at(size_t index, world_entry *out);

/* The entry of a name. Returns 0 if there is none. */
int world_find(const char *name, world_entry *out);

typedef struct world_ask {
    double push;     /* N; 0: none */
    uint64_t bodies; /* 0: the scene's own number */
    double ratio;    /* of the largest body to the smallest, at least 1 */
    uint64_t seed;
} world_ask;

/* A force at a point of a body, for a while. */
typedef struct world_push {
    uint32_t body;
    v3 at;    /* in the body's coordinates */
    v3 force; /* N, in those of the frame */
    double begin, end;
} world_push;

typedef struct world {
    mem *mem;
    world_entry entry;
    geom **geom;   /* [kinds] */
    shape **shape; /* [kinds] of each */
    uint32_t kinds;
    uint32_t bodies; /* ObjectId 0 to bodies - 1 */
    uint32_t *of;    /* [bodies] which geom each one has */
    double density;  /* kg/m3 of all */
    pcs_body *body;  /* [bodies] at the beginning */
    world_push push;
    double *home; /* [bodies] x of world_place */
    double swing; /* 1/s2: bodies are drawn there, by that times how far they are from it */
} world;

/* Errors: ARGUMENT for an unknown scene, or bodies or sizes that cannot be; MEMORY. */
int world_make(mem *m, const char *name, const world_ask *ask, world *out);
void world_free(world *w); /* a zeroed one, too */

/* The name of a body, cut to `size`. */
void world_body_name(const world *w, uint32_t body, char *out, size_t size);

/* ---- for those that make scenes; errors: MEMORY, ARGUMENT */

/* Arrays for that number of kinds and bodies. */
int world_alloc(world *w, uint32_t kinds, uint32_t bodies);

/* Takes what geom_box or another one made, with its result, as the shape of a kind; decides whether
 * it is convex. */
int world_shape(world *w, uint32_t kind, int err, geom *const *made);

/* Sets a body that rests, the origin of its shape (before geom_make moved it) at `at`. */
void world_place(world *w, uint32_t body, uint32_t kind, v3 at, int fixed);

#define WORLD(symbol, ...) int world_##symbol##_build(world *w, const world_ask *ask);
#include "worlds.def"

#endif
