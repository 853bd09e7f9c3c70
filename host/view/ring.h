/* Pairs within K edges along the mesh, which imp_def.ring leaves out. Two vertices are joined if a
 * primitive has both: all corners of triangles and tetrahedra have edges between them. */
#ifndef IMP_RING_H
#define IMP_RING_H

#include "block_view.h"

/* A mesh, the primitives of each vertex, and its connected components. Zero at first. */
typedef struct ring_mesh {
    const imp_mesh *mesh; /* NULL: not made */
    size_t *first;        /* [vertices + 1] start of each vertex's primitives in `prim` */
    uint32_t *prim;
    uint32_t *root; /* [vertices] a vertex of its component, the same for all of them */
    uint32_t *size; /* [vertices] the number of vertices of the component with this root */
} ring_mesh;

/* Makes *r for a mesh unless it is that of this pointer, which must then be the same mesh. Errors:
 * MEMORY. */
int ring_mesh_make(mem *m, const imp_mesh *mesh, ring_mesh *r);
void ring_mesh_free(mem *m, ring_mesh *r);

/* ---- A search from some vertices, level by level, as far as it was asked for. Each thread has one
 * of its own, with only `of`, `mem` and `ring` set at first. */

typedef struct ring_slot {
    uint32_t vertex, stamp;
} ring_slot;

typedef struct ring_search {
    const ring_mesh *of;
    mem *mem;
    uint32_t ring;      /* levels to search */
    int err;            /* MEMORY: answers are not valid */
    uint32_t level;     /* levels searched */
    uint32_t *vertex;   /* [count] the vertices found, in order of their level */
    size_t count, open; /* open: the first of the last level */
    ring_slot *slot;    /* [slots] hash table of the vertices found, those with the current stamp */
    size_t slots;       /* a power of two, at least twice `count` */
    uint32_t stamp;
} ring_search;

/* Begins again from n vertices, 1 to 4, of one primitive. */
void ring_search_begin(ring_search *s, const uint32_t *vertex, uint32_t n);

/* Returns whether one of n vertices of one primitive is within `ring` edges of those of
 * ring_search_begin. */
int ring_search_reaches(ring_search *s, const uint32_t *vertex, uint32_t n);
void ring_search_free(ring_search *s);

/* The vertices of a primitive; returns their number. */
uint32_t ring_prim_vertices(const imp_mesh *mesh, uint32_t prim, uint32_t out[4]);

/* Removes the pairs of prims within c->opt.ring edges of each other, which are in order, from a and
 * b. *count: their number, before and after. Errors: MEMORY, CANCELLED. */
int ring_leave_out(const context *c, const block_view *v, ring_mesh *r, uint32_t *a, uint32_t *b,
                   size_t *count);

#endif
