/* The objects of a frame, and which of them are closed: the directed uses of each edge of their
 * triangles cancel. */
#ifndef IMP_CLOSED_H
#define IMP_CLOSED_H

#include "frame.h"
#include "impinge.h"
#include "mem.h"

/* An object; of its primitives those with finite vertices. */
typedef struct closed_object {
    int32_t object;
    uint32_t first, last;   /* its primitives: a range of closed_mesh.prim */
    uint32_t span, spans;   /* the same: spans from number `span` on */
    uint8_t wanted, closed; /* wanted: it is to be a solid */
    uint8_t tetrahedra;     /* whether it has some */
} closed_object;

#define CLOSED_SPAN 512 /* the most primitives of a span */

/* Some of an object's primitives. */
typedef struct closed_span {
    uint32_t place, first, last; /* their object; a range of closed_mesh.prim */
    uint32_t least, greatest;    /* of their vertices */
    uint64_t sum;                /* the sum of an object's spans is 0 if it is closed */
    uint8_t tetrahedra;
} closed_span;

/* Zero at first. */
typedef struct closed_mesh {
    const imp_frame *frame;
    uint32_t count;
    closed_object *of; /* [count] ascending by object */
    closed_span *span; /* [spans] of each object in turn */
    uint32_t spans;
    uint32_t *prim;  /* the primitives of each object, ascending */
    uint32_t *place; /* [primitives] the object of each primitive: a number below `count`, or
                        CLOSED_NONE if it has a vertex that is not finite */
    /* [primitives] the faces that are surface, as bits: bit 0 of a triangle; of a tetrahedron those
     * of its faces (exact.h: face f is opposite vertex f) that do not cancel. 0 unless the object
     * is closed */
    uint8_t *surface;
} closed_mesh;

#define CLOSED_NONE UINT32_MAX

/* Which objects are wanted: those in the list, ascending; NULL: all. */
typedef struct closed_wanted {
    const int32_t *object;
    size_t objects;
} closed_wanted;

/* Errors: MEMORY. Call closed_mesh_free after errors as well. */
int closed_mesh_find(mem *m, const imp_frame *frame, const closed_wanted *wanted, int threads,
                     closed_mesh *out);
void closed_mesh_free(mem *m, closed_mesh *c);

/* closed_edges.c: an object of which an edge's uses do not cancel is no longer `closed`. Errors:
 * MEMORY. */
int closed_check_edges(mem *m, closed_mesh *c, int threads);

/* The first edge of an object whose uses do not cancel, the least vertex first; equal vertices: all
 * cancel. Errors: MEMORY. */
int closed_mesh_open_edge(mem *m, const closed_mesh *c, uint32_t place, uint32_t edge[2]);

/* The place of an object in c->of, or CLOSED_NONE. */
uint32_t closed_mesh_place(const closed_mesh *c, int32_t object);

#endif
