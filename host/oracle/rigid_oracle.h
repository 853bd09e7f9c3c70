/* The truth about simulated rigid bodies: surfaces, motions, gaps and overlaps, steps, and what a
 * result claims. */
#ifndef IMP_RIGID_ORACLE_H
#define IMP_RIGID_ORACLE_H

#include "bodies.h"
#include "impinge.h"
#include "matter.h"
#include "mem.h"
#include "oracle_ccd.h"

/* ---- The surfaces of rigid bodies, each in its body's own coordinates, and what they bound:
 * decided by other code than that of host/shape. */

typedef struct rigid_shape {
    uint32_t vertices, triangles, parts;
    double *point;    /* [3 * vertices] */
    uint32_t *vertex; /* [vertices] their numbers in the mesh, ascending */
    uint32_t *corner; /* [3 * triangles] below vertices */
    uint32_t *cell;   /* [triangles] their numbers in the mesh, ascending */
    uint32_t *part;   /* [parts] a vertex of each part that hangs together */
    double radius;    /* of the farthest vertex from the origin */
    int closed;       /* each edge is that of an even number of triangles */
    int oriented;     /* and is as often one way as the other */
    int convex;       /* it bounds a convex body, exactly */
} rigid_shape;

/* The bodies of a mesh, whose primitives are triangles that all belong to one of them. */
typedef struct rigid_shapes {
    mem *mem;
    uint32_t bodies;
    rigid_shape *shape; /* [bodies] */
    uint32_t *body;     /* [primitives] the body of each */
    uint32_t most_vertices, most_triangles;
} rigid_shapes;

/* Errors: MEMORY; INPUT: a primitive that belongs to no body. */
int rigid_shapes_make(mem *m, const imp_mesh *mesh, rigid_shapes *out);
void rigid_shapes_free(rigid_shapes *s); /* a zeroed one, too */

/* The triangle of a body that is this primitive, which must be one of its. */
uint32_t rigid_triangle(const rigid_shape *s, uint32_t cell);

/* ---- How far two rigid bodies are from each other in given poses, and in each other: by all pairs
 * of triangles, in long double. Closed bodies are solid. */

typedef struct rigid_pose {
    real centre[3], r[3][3]; /* x goes to r x + centre */
} rigid_pose;

/* Two bodies in their poses, relative to the centre of the first. */
typedef struct rigid_placed {
    const rigid_shape *shape;
    real (*at)[3];          /* [vertices] */
    double (*box)[6];       /* [triangles] low x y z, high */
    double low[3], high[3]; /* of all */
} rigid_placed;

typedef struct rigid_pair {
    mem *mem;
    real origin[3];
    rigid_placed body[2];
} rigid_pair;

/* Room for any two of the shapes. Errors: MEMORY. */
int rigid_pair_open(mem *m, const rigid_shapes *s, rigid_pair *p);
void rigid_pair_close(rigid_pair *p); /* a zeroed one, too */

void rigid_pair_place(rigid_pair *p, const rigid_shape *a, const rigid_pose *pa,
                      const rigid_shape *b, const rigid_pose *pb);

/* ---- of the bodies as they are placed. A rounding error of less than 1e-12 of their sizes is in
 * all of it. */

/* Of their surfaces. What is more than `most` may be any number of more than `most`. */
real rigid_distance(const rigid_pair *p, real most);

/* Of two of their triangles. */
real rigid_triangles_distance(const rigid_pair *p, uint32_t a, uint32_t b);

/* Of a point, relative to the origin, from a triangle of body 0 or 1. */
real rigid_point_distance(const rigid_pair *p, int body, uint32_t triangle, const real x[3]);

/* Of a point from edge 0 to 2 of a triangle, by its first corner. */
real rigid_edge_distance(const rigid_pair *p, int body, uint32_t triangle, int edge,
                         const real x[3]);

/* Is the point inside body 0 or 1, which is closed? */
int rigid_inside(const rigid_pair *p, int body, const real x[3]);

/* Is a part of one inside the other, where surfaces are apart? */
int rigid_nested(const rigid_pair *p);

/* Of two convex bodies: the shortest way out of each other, 0 or less if they are apart. With more
 * than `edges` pairs of edges that by a face. */
real rigid_depth(const rigid_pair *p, uint64_t edges);

/* ---- How rigid bodies move within a frame of a simulation, from what its batch says of it: poses
 * and velocities at the beginning, forces, and how velocities change. By sines in long double. */

/* From `time` on, until the next one. */
typedef struct rigid_interval {
    double time; /* seconds since the frame began */
    real centre[3], rotation[4];
    double velocity[3], spin[3];
} rigid_interval;

/* The intervals first[b] to first[b + 1] - 1 are those of body b, by time. */
typedef struct rigid_motion {
    mem *mem;
    double step;
    uint32_t bodies;
    size_t *first;
    rigid_interval *interval;
    double *point_error; /* [bodies] what rounding may do to a place in the frame, generously */
    double (*box)[6];    /* [bodies] around all that it sweeps */
} rigid_motion;

/* What a frame is made of. */
typedef struct rigid_frame {
    const rigid_shapes *shapes;
    const matter *matter;
    uint64_t number;
    double step;
    const imp_pose *from, *to; /* at its ends */
    const velocity_change *change;
    size_t changes;
} rigid_frame;

/* Errors: MEMORY; DIFFERS, with a text: changes that are not in order, of a body that is fixed, or
 * that do not lead to the poses and velocities at the end. object: [bodies] their names. */
int rigid_motion_make(mem *m, const rigid_frame *f, const int32_t *object, rigid_motion *out);
void rigid_motion_free(rigid_motion *r); /* a zeroed one, too */

/* Where body b is, by the interval that `time` is in. */
rigid_pose rigid_motion_pose(const rigid_motion *r, uint32_t b, double time);

/* The interval of body b at `time`: the last that begins then or before. */
const rigid_interval *rigid_motion_interval(const rigid_motion *r, uint32_t b, double time);

/* ---- A step of a result of simulated bodies, and what is found of it. */

/* A row of the result. */
typedef struct rigid_claim {
    double time;   /* seconds since the frame began */
    uint32_t a, b; /* primitives */
    int kind;
    int64_t feature[2];
    const double *point; /* six */
} rigid_claim;

typedef struct rigid_step {
    const rigid_shapes *shapes;
    const rigid_motion *motion;
    const imp_mesh *mesh;
    const matter *matter;
    double epsilon;
    double overlap;        /* the most that two convex bodies may be in each other at a contact */
    const uint8_t *wanted; /* [bodies] only pairs of these, with all others; NULL: all */
    const rigid_claim *claim; /* in the order of rows */
    size_t claims;
    int threads;
} rigid_step;

/* What was looked at. */
typedef struct rigid_found {
    uint64_t claims;          /* of wanted pairs */
    uint64_t proven, sampled; /* intervals of a pair that lack no contact: by a bound of their
                                 speed; as far as the distances at their ends say */
    double deepest;           /* the greatest overlap at a contact */
    uint64_t unmeasured; /* contacts at which bodies that are not both convex were in each other */
} rigid_found;

/* ---- The truth about the contacts of a step of simulated bodies (data/format.md, "Contacts of
 * simulated bodies"): is each row one, and does none lack? What bodies do at a contact is not
 * asked. */

/* Adds to *out. Errors: MEMORY; DIFFERS, with a text that does not name the file. */
int truth_rigid_check(mem *m, const rigid_step *s, rigid_found *out);

/* ---- A row of simulated bodies, for truth_rigid.c. */

/* One thread's: a pair of bodies. */
typedef struct rigid_workspace {
    const rigid_step *s;
    rigid_pair at;
    uint32_t a, b; /* a < b */
    double point_error;
    double floor; /* the distance must be that, or more */
    rigid_found found;
    char text[300]; /* of the last fault */
} rigid_workspace;

/* Returns DIFFERS. */
int rigid_fault(rigid_workspace *w, double time, const char *what);

/* Places both, and says how far they are from each other, 0 where one is in the other; more than
 * `most` may be any number of more than `most`. */
double rigid_gap_at(rigid_workspace *w, double time, double most);

/* Is it a contact of these primitives, with these points and features? *gap: their distance. */
int rigid_claim_measure(rigid_workspace *w, const rigid_claim *c, double *gap);

#endif
