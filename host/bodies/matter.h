/* The physical properties of rigid bodies and the forces on them: the input of a simulation besides
 * shapes and poses. Lengths and masses are in the user's units, times in seconds; defaults are for
 * metres and kilograms. */
#ifndef IMP_MATTER_H
#define IMP_MATTER_H

#include "mem.h"

#include <stddef.h>
#include <stdint.h>

#define MATTER_DENSITY 1000.0  /* water */
#define MATTER_RESTITUTION 0.0 /* a pair uses the greater one */
#define MATTER_FRICTION 0.5    /* Coulomb coefficient; a pair uses the lesser one */
#define MATTER_GRAVITY 9.81    /* downward: z is up */
#define MATTER_SLOWEST 0.3     /* slower impacts do not bounce */

typedef struct matter_body {
    double mass;       /* 0: density times the volume within its surface, which must be closed */
    double inertia[6]; /* about the origin of its coordinates, which must be its centre of mass: xx,
                        * yy, zz, xy, xz, yz of the matrix. All 0: constant density, about the
                        * centre of mass of the volume within its surface */
    double density;
    double restitution; /* 0 to 1: ratio of the speeds after and before a contact */
    double friction;    /* at least 0 */
    double fixed;       /* 1: it never moves; else 0 */
} matter_body;

/* The properties of a body: their names in files, their offsets, and their sizes. */
enum {
    MATTER_FIELD_MASS,
    MATTER_FIELD_INERTIA,
    MATTER_FIELD_DENSITY,
    MATTER_FIELD_RESTITUTION,
    MATTER_FIELD_FRICTION,
    MATTER_FIELD_FIXED,
    MATTER_FIELDS
};
typedef struct matter_field {
    const char *name;
    size_t offset, numbers;
} matter_field;
extern const matter_field matter_fields[MATTER_FIELDS];

/* A force at a point of a body, for a limited time. */
typedef struct matter_push {
    uint32_t body;
    double at[3];    /* in the body's coordinates */
    double force[3]; /* in the frame's */
    double begin, end;
} matter_push;

/* All zero at first, except mem. */
typedef struct matter {
    mem *mem;
    uint32_t bodies;
    matter_body *body; /* [bodies] */
    double gravity[3];
    double slowest;   /* least speed that bounces */
    double spring[3]; /* 1/s2: along each axis, a body is accelerated towards its home by this times
                       * the distance of its centre from there */
    double *home;     /* [3 * bodies]; NULL: no springs */
    matter_push *push;
    size_t pushes;
    char scene[64]; /* name of the scene in curves; "": none */
    /* defaults of a simulation; 0: not given */
    double step, epsilon, seconds;
} matter;

/* Makes that many bodies with default properties. Errors: MEMORY. */
int matter_make(matter *m, uint32_t bodies);
void matter_free(matter *m); /* also accepts a zeroed one */

/* Checks that all values are possible. `object`: [bodies] their names in messages. code: of the
 * error; its text begins with `of`. */
int matter_check(const matter *m, const int32_t *object, int code, const char *of);

/* Returns whether the body has its own inertia. */
static inline int matter_has_inertia(const matter_body *b)
{
    for (int k = 0; k < 6; k++)
        if (b->inertia[k] != 0)
            return 1;
    return 0;
}

#endif
