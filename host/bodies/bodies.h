/* The rigid bodies of a mesh: their vertices, their radii, and the one check of bodies and poses
 * against meshes and points. */
#ifndef IMP_BODIES_H
#define IMP_BODIES_H

#include "mem.h"
#include "pose.h"

/* The position of an object in an ascending list of bodies, or NO_BODY. */
#define NO_BODY UINT32_MAX
uint32_t body_number(const int32_t *body, uint32_t bodies, int32_t object);

/* Vertices [first, last) of one body. */
typedef struct body_run {
    uint32_t first, last, body;
} body_run;

/* All zero: of a mesh without bodies. */
typedef struct body_set {
    const imp_mesh *mesh;
    uint64_t first;     /* the number of its vertex 0 in the frame: 0, unless it is a part */
    uint32_t count;     /* of the mesh */
    body_run *run;      /* [runs] ascending; short enough that threads can share them */
    size_t runs;        /* vertices that belong to no body are in none */
    uint32_t *vertices; /* [count] of each body; 0: no primitive of the mesh belongs to it */
    double *radius; /* [count] of the farthest vertex from the origin of the body's coordinates */
} body_set;

/* How an error is reported: with this code, and as one of this file, or (NULL) of the caller's
 * frame. */
typedef struct bodies_of {
    int code;
    const char *file;
    uint64_t frame;
} bodies_of;

/* The list of bodies is there and ascends. */
int bodies_listed(const imp_mesh *m, const bodies_of *of);

/* The body of each vertex that a primitive of a body has, into owner[vertices], which is NO_BODY at
 * first, or what other primitives of the frame have made of it. Error: of->code for a vertex of two
 * bodies. */
int bodies_mark(const imp_mesh *m, const bodies_of *of, uint32_t *owner);

/* The runs of vertices with these bodies, into run[] unless that is NULL; returns their number. */
size_t body_runs(const uint32_t *owner, uint32_t vertices, body_run *run);

/* Finds the vertices of each body; radii are 0. Errors: MEMORY, and of->code for a vertex of two
 * bodies. Leaves *out zeroed after an error. */
int bodies_find(mem *m, const imp_mesh *mesh, const bodies_of *of, body_set *out);

/* Fills the radii from mesh->rest. */
void bodies_measure(body_set *b);

void bodies_free(mem *m, body_set *b);

/* The poses of a frame are finite, their rotations of length 1. */
int poses_check(const imp_frame *f, const bodies_of *of);

/* The same, and each vertex of a body is where its pose puts it. A vertex that is not finite
 * is not looked at: it makes a primitive bad, of a body as of any object. */
int bodies_check(const body_set *b, const imp_frame *f, int threads, const bodies_of *of);

/* The same without the check of the poses themselves. */
int bodies_check_points(const body_set *b, const imp_frame *f, int threads, const bodies_of *of);

#endif
