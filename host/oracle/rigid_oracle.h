/* Reference answers for simulated rigid bodies: surfaces, motions, gaps and overlaps, steps, and
 * the claims of a result. */
#ifndef IMP_RIGID_ORACLE_H
#define IMP_RIGID_ORACLE_H

#include "bodies.h"
#include "impinge.h"
#include "matter.h"
#include "mem.h"
#include "oracle_ccd.h"

/* ---- The surfaces of rigid bodies, each in its body's own coordinates, and the solids that they
 * bound: decided by code independent of host/shape. */

typedef struct rigid_shape {
    uint32_t vertices, triangles, parts;
    double *point;    /* [3 * vertices] */
    uint32_t *vertex; /* [vertices] their numbers in the mesh, ascending */
    uint32_t *corner; /* [3 * triangles] below vertices */
    uint32_t *cell;   /* [triangles] their numbers in the mesh, ascending */
    uint32_t *part;   /* [parts] one vertex of each connected part */
    double radius;    /* greatest distance of a vertex from the origin */
    int closed;       /* each edge belongs to an even number of triangles */
    int oriented;     /* and occurs equally often in both directions */
    int convex;       /* it bounds a convex body, decided exactly */
} rigid_shape;

/* The bodies of a mesh of triangles, each of which belongs to one body. */
typedef struct rigid_shapes {
    mem *mem;
    uint32_t bodies;
    rigid_shape *shape; /* [bodies] */
    uint32_t *body;     /* [primitives] the body of each */
    uint32_t most_vertices, most_triangles;
} rigid_shapes;

/* Errors: MEMORY; INPUT: a primitive belongs to no body. */
int rigid_shapes_make(mem *m, const imp_mesh *mesh, rigid_shapes *out);
void rigid_shapes_free(rigid_shapes *s); /* also accepts a zeroed one */

/* The index of this primitive among the triangles of its body s. */
uint32_t rigid_triangle(const rigid_shape *s, uint32_t cell);

/* ---- The distance of two posed rigid bodies, and their overlap: by all pairs of triangles, in
 * long double. Closed bodies are solid. */

typedef struct rigid_pose {
    real centre[3], r[3][3]; /* x goes to r x + centre */
} rigid_pose;

/* Two posed bodies, relative to the centre of the first. */
typedef struct rigid_placed {
    const rigid_shape *shape;
    real (*at)[3];          /* [vertices] */
    double (*box)[6];       /* [triangles] low x y z, high */
    double low[3], high[3]; /* around all vertices */
} rigid_placed;

typedef struct rigid_pair {
    mem *mem;
    real origin[3];
    rigid_placed body[2];
} rigid_pair;

/* Allocates space for any two of the shapes. Errors: MEMORY. */
int rigid_pair_open(mem *m, const rigid_shapes *s, rigid_pair *p);
void rigid_pair_close(rigid_pair *p); /* also accepts a zeroed one */

void rigid_pair_place(rigid_pair *p, const rigid_shape *a, const rigid_pose *pa,
                      const rigid_shape *b, const rigid_pose *pb);

/* ---- Measures of the posed bodies. Each may have a rounding error below 1e-12 of their sizes. */

/* Distance of their surfaces. A distance above `most` may be returned as any number above
 * `most`. */
real rigid_distance(const rigid_pair *p, real most);

/* Distance of two of their triangles. */
real rigid_triangles_distance(const rigid_pair *p, uint32_t a, uint32_t b);

/* Distance of a point, relative to the origin, from a triangle of body 0 or 1. */
real rigid_point_distance(const rigid_pair *p, int body, uint32_t triangle, const real x[3]);

/* Distance of a point from an edge of a triangle; edge: 0 to 2, by its first corner. */
real rigid_edge_distance(const rigid_pair *p, int body, uint32_t triangle, int edge,
                         const real x[3]);

/* Returns whether the point is inside body 0 or 1, which must be closed. */
int rigid_inside(const rigid_pair *p, int body, const real x[3]);

/* Returns whether a part of one is inside the other. The surfaces must be apart. */
int rigid_nested(const rigid_pair *p);

/* Overlap depth of two convex bodies: the shortest translation that separates them, 0 or less if
 * they are apart. With more than `edges` pairs of edges, only directions of faces are tested. */
real rigid_depth(const rigid_pair *p, uint64_t edges);

/* ---- Motions of rigid bodies within a frame of a simulation, from the data in its batch: poses
 * and velocities at the beginning, forces, and velocity changes. Computed by sines in long
 * double. */

/* The motion from `time` on, until the next interval. */
typedef struct rigid_interval {
    double time; /* seconds since the frame began */
    real centre[3], rotation[4];
    double velocity[3], spin[3];
} rigid_interval;

/* The intervals of body b are first[b] to first[b + 1] - 1, ordered by time. */
typedef struct rigid_motion {
    mem *mem;
    double step;
    uint32_t bodies;
    size_t *first;
    rigid_interval *interval;
    double *point_error; /* [bodies] generous upper limit of rounding errors of positions in the
                          * frame */
    double (*box)[6];    /* [bodies] around the volume swept */
} rigid_motion;

/* The input for a frame. */
typedef struct rigid_frame {
    const rigid_shapes *shapes;
    const matter *matter;
    uint64_t number;
    double step;
    const imp_pose *from, *to; /* at its start and end */
    const velocity_change *change;
    size_t changes;
} rigid_frame;

/* Errors: MEMORY; DIFFERS, with a text: changes that are out of order, belong to a fixed body, or
 * do not lead to the poses and velocities at the end. object: [bodies] their names. */
int rigid_motion_make(mem *m, const rigid_frame *f, const int32_t *object, rigid_motion *out);
void rigid_motion_free(rigid_motion *r); /* also accepts a zeroed one */

/* The pose of body b, by the interval that contains `time`. */
rigid_pose rigid_motion_pose(const rigid_motion *r, uint32_t b, double time);

/* The interval of body b at `time`: the last that begins at or before it. */
const rigid_interval *rigid_motion_interval(const rigid_motion *r, uint32_t b, double time);

/* ---- A step of a result of simulated bodies, and the findings about it. */

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
    double overlap;           /* greatest allowed overlap of two convex bodies at a contact */
    const uint8_t *wanted;    /* [bodies] only pairs with such a body are checked; NULL: all */
    const rigid_claim *claim; /* in row order */
    size_t claims;
    int threads;
} rigid_step;

/* Statistics of the check. */
typedef struct rigid_found {
    uint64_t claims;          /* claims of wanted pairs */
    uint64_t proven, sampled; /* intervals of a pair shown to miss no contact: proven by a bound of
                               * their speed; sampled by the distances at their ends */
    double deepest;           /* greatest overlap at a contact */
    uint64_t unmeasured;      /* contacts at which the bodies overlapped and are not both convex */
} rigid_found;

/* ---- Checks the contacts of a step of simulated bodies (data/format.md, "Contacts of simulated
 * bodies"): every row must be a contact, and none may be missing. The bodies' response to contacts
 * is not checked. */

/* Adds to *out. Errors: MEMORY; DIFFERS, with a text that does not name the file. */
int truth_rigid_check(mem *m, const rigid_step *s, rigid_found *out);

/* ---- Private to truth_rigid.c: a row of simulated bodies. */

/* A pair of bodies; one per thread. */
typedef struct rigid_workspace {
    const rigid_step *s;
    rigid_pair at;
    uint32_t a, b; /* a < b */
    double point_error;
    double floor; /* the distance must not be less */
    rigid_found found;
    char text[300]; /* text of the last fault */
} rigid_workspace;

/* Sets the text and returns DIFFERS. */
int rigid_fault(rigid_workspace *w, double time, const char *what);

/* Poses both and returns their distance, 0 if one is in the other. A distance above `most` may be
 * returned as any number above `most`. */
double rigid_gap_at(rigid_workspace *w, double time, double most);

/* Checks that it is a contact of these primitives, with these points and features. *gap becomes
 * their distance. */
int rigid_claim_measure(rigid_workspace *w, const rigid_claim *c, double *gap);

#endif
