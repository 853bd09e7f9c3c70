/* Scenes of rotating bodies for the tests of steps. Their truth is their construction: each body
 * has an axis and an angle, and is placed at any instant by sines in long double. */
#ifndef IMP_RIGID_ACTS_H
#define IMP_RIGID_ACTS_H

#include "testlib.h"

#define PI 3.14159265358979323846264338327950288L
#define BODIES 8
#define STEPS 3
#define BODY_VERTICES 8
#define VERTICES (BODIES * BODY_VERTICES)
#define PRIMITIVES (BODIES * 12)

/* The motion of a body in a step, at constant velocities. */
typedef struct route {
    double axis[3], angle; /* unit vector; radians */
    double stretch;        /* soft objects: their vertices move linearly */
    double way[3];
} route;

/* Bodies and their frames: first come those that are rigid. */
typedef struct act {
    int bodies, steps, corners, single;
    int soft; /* the last ones, which are soft */
    imp_mesh mesh;
    uint32_t corner[4 * PRIMITIVES];
    int32_t object[PRIMITIVES], body[BODIES];
    double rest[3 * VERTICES];
    imp_pose pose[STEPS + 1][BODIES];
    route going[STEPS][BODIES];
    double point[STEPS + 1][3 * VERTICES];
    float narrow[STEPS + 1][3 * VERTICES];
    imp_frame frame[STEPS + 1];
} act;

/* Adds a body: triangles or tetrahedra (corners) of a box around `at`, in its coordinates. */
void act_add_box(act *s, const double half[3], const double at[3]);

/* The position of a vertex at a fraction of step f. */
void act_vertex_at(const act *s, int f, int body, uint32_t v, long double t, long double out[3]);

/* Poses and points of all frames, from the first poses and the motions. */
void act_frames(act *s);

/* No bodies. The caller frees it. */
act *act_new(int steps, int corners);

/* A random unit vector. */
void act_random_axis(rng *r, double axis[3]);

/* Rods and boxes in a small space. most: the greatest angle, in degrees; pivot: offset of their
 * origins. */
act *act_crowded(uint64_t seed, int steps, int corners, double most, double pivot);

/* Rows of all steps by this pipeline, and by the host. */
void act_rows_by(imp *p, const act *s, contact_list *out);
void act_find_rows(const imp_def *def, const act *s, contact_list *out);

/* The row of this pair in step f, or NULL. */
const struct contact_row *act_find_row(const contact_list *l, uint64_t f, uint32_t a, uint32_t b);

/* Kinds of scenes. */
typedef struct act_case {
    const char *name;
    int corners;
    double most, pivot;
    imp_def def;
} act_case;

#define ACT_CASES 7
extern const act_case act_cases[ACT_CASES];

#endif
