/* Who uses an edge of triangles, or a face of tetrahedra. */
#ifndef IMP_EDGE_USES_H
#define IMP_EDGE_USES_H

#include "welding.h"

/* How a primitive uses it: FLAT is a triangle with two corners at one end of the edge. */
enum edge_orientation { EDGE_FLAT, EDGE_FORWARD, EDGE_BACKWARD, EDGE_FACE };

/* One that has the position `here` and, after it in the order of positions, those in `far`. */
typedef struct edge_use {
    uint32_t far[2]; /* of an edge the second is WELD_NONE */
    int32_t object;
    uint32_t body; /* closed_bodies.h */
    uint32_t primitive;
    uint8_t corner[3]; /* the primitive's own at here, far[0], far[1] */
    uint8_t orientation;
} edge_use;

typedef struct edge_uses {
    edge_use *use; /* [count] by edge, object, body, primitive */
    size_t count, capacity;
} edge_uses;

/* Positions of a mesh, and the primitives at each. */
typedef struct edge_places {
    uint32_t *first;     /* [vertices] positions.h */
    uint32_t *body;      /* [primitives] or NULL */
    size_t *begin;       /* [vertices + 1] in `primitive`, by position */
    uint32_t *primitive; /* ascending for each position */
} edge_places;

/* Errors: MEMORY. edge_places_free after errors as well. */
int edge_places_find(const welding *w, edge_places *out);
void edge_places_free(mem *m, edge_places *p);

/* All uses of edges and faces of which the position `here` is the first. Errors: MEMORY. */
int edge_uses_find(const welding *w, const edge_places *p, uint32_t here, edge_uses *out);

/* Are both of one edge of one object? */
int edge_uses_same(const edge_use *a, const edge_use *b);

#endif
