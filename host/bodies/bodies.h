/* Rigid bodies of a mesh: poses, the validation of bodies and poses, and velocity changes. */
#ifndef IMP_BODIES_H
#define IMP_BODIES_H

#include "impinge.h"
#include "mem.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The pose of a rigid body (imp_pose) as a map from the body's own coordinates to the frame.
 * Uses only + - * / and sqrt of float64, so the bits are the same on every system. */

/* x goes to r x + t. */
typedef struct pose_map {
    double r[3][3], t[3];
} pose_map;

/* greatest deviation of a quaternion's length from 1 */
#define POSE_UNIT 1e-6

static inline double pose_square(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

static inline int pose_is_unit(const double q[4])
{
    return fabs(sqrt(pose_square(q)) - 1) <= POSE_UNIT;
}

/* The fields of a pose: their names in files and messages, their offsets, and their sizes. */
enum { POSE_CENTRE, POSE_ROTATION, POSE_VELOCITY, POSE_SPIN, POSE_FIELDS };
typedef struct pose_field {
    const char *name;
    size_t offset, numbers;
} pose_field;
extern const pose_field pose_fields[POSE_FIELDS];

/* The product of two quaternions: the rotation by q, then by p. out may be one of them. */
static inline void pose_product(const double p[4], const double q[4], double out[4])
{
    const double w = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    const double x = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
    const double y = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
    const double z = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
    out[0] = w;
    out[1] = x;
    out[2] = y;
    out[3] = z;
}

/* The matrix of a quaternion after normalisation; orthonormal within about 2^-51. */
static inline void pose_matrix(const double rotation[4], double r[3][3])
{
    const double *q = rotation, s = 2 / pose_square(q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                            {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                            {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = m[i][k];
}

static inline pose_map pose_map_of(const imp_pose *p)
{
    pose_map m = {.t = {p->centre[0], p->centre[1], p->centre[2]}};
    pose_matrix(p->rotation, m.r);
    return m;
}

static inline void pose_put(const pose_map *m, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m->r[i][0] * x[0] + m->r[i][1] * x[1] + m->r[i][2] * x[2] + m->t[i];
}

/* The length of a vector. Scaled first, so that no square overflows or underflows. Not finite if
 * the vector is not. */
static inline double pose_length(const double x[3])
{
    const double a = fabs(x[0]), b = fabs(x[1]), c = fabs(x[2]), ab = a > b ? a : b;
    const double most = ab > c ? ab : c;
    if (!(a + b + c > 0) || most > DBL_MAX)
        return a + b + c;
    const double u = x[0] / most, v = x[1] / most, w = x[2] / most;
    return most * sqrt(u * u + v * v + w * w);
}

/* Greatest allowed distance of a vertex from its posed position, for points of this type. Multiply
 * by POSE_ROUNDED after both were converted to other units, which rounds again. */
#define POSE_ROUNDED 2
static inline double pose_tolerance(const imp_pose *p, double radius, int type)
{
    const double far = pose_length(p->centre) + radius;
    return 8 * (type == IMP_FLOAT32 ? FLT_EPSILON : DBL_EPSILON) * far;
}

/* ---- The rigid bodies of a mesh: their vertices, their radii, and the only check of bodies and
 * poses against meshes and points. */

/* The position of an object in an ascending list of bodies, or NO_BODY. */
#define NO_BODY UINT32_MAX
uint32_t body_number(const int32_t *body, uint32_t bodies, int32_t object);

/* Vertices [first, last) of one body. */
typedef struct body_run {
    uint32_t first, last, body;
} body_run;

/* All zero: a mesh without bodies. */
typedef struct body_set {
    const imp_mesh *mesh;
    uint64_t first;     /* number of its vertex 0 in the frame: 0 unless it is a part */
    uint32_t count;     /* number of bodies of the mesh */
    body_run *run;      /* [runs] ascending; short enough that threads can share them */
    size_t runs;        /* vertices that belong to no body are in no run */
    uint32_t *vertices; /* [count] vertices of each body; 0: no primitive of the mesh belongs to
                         * it */
    double *radius;     /* [count] greatest distance of a vertex from the origin of the body's
                         * coordinates */
} body_set;

/* How an error is reported: with this code, and as an error of this file, or (NULL) of the caller's
 * frame. */
typedef struct bodies_of {
    int code;
    const char *file;
    uint64_t frame;
} bodies_of;

/* Checks that the list of bodies exists and ascends. */
int bodies_listed(const imp_mesh *m, const bodies_of *of);

/* Writes the body of each vertex of a body's primitives to owner[vertices], which must be NO_BODY
 * at first, or the result for other primitives of the frame. Error: of->code for a vertex of two
 * bodies. */
int bodies_mark(const imp_mesh *m, const bodies_of *of, uint32_t *owner);

/* Writes the runs of vertices with these bodies to run[] unless that is NULL; returns their
 * number. */
size_t body_runs(const uint32_t *owner, uint32_t vertices, body_run *run);

/* Finds the vertices of each body; radii are 0. Errors: MEMORY, and of->code for a vertex of two
 * bodies. Leaves *out zeroed after an error. */
int bodies_find(mem *m, const imp_mesh *mesh, const bodies_of *of, body_set *out);

/* Fills the radii from mesh->rest. */
void bodies_measure(body_set *b);

void bodies_free(mem *m, body_set *b);

/* Checks that the poses of a frame are finite and their rotations have length 1. */
int poses_check(const imp_frame *f, const bodies_of *of);

/* The same, and checks that each vertex of a body is at its posed position. A vertex that is not
 * finite is skipped: it makes a primitive bad, for a body as for any object. */
int bodies_check(const body_set *b, const imp_frame *f, int threads, const bodies_of *of);

/* The same without the check of the poses themselves. */
int bodies_check_points(const body_set *b, const imp_frame *f, int threads, const bodies_of *of);

/* ---- A change of a rigid body's motion at a time within a frame. Between changes, the beginning
 * and the end of a frame, velocities are constant. */

typedef struct velocity_change {
    uint32_t body;
    double time; /* seconds since the frame began */
    double velocity[3], spin[3];
} velocity_change;

#endif
