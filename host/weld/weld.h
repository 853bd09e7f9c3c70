/* Within welding: the mesh and its disjoint sets, positions, uses of edges, closed bodies, checks.
 */
#ifndef IMP_WELD_H
#define IMP_WELD_H

#include "frame.h"
#include "impinge.h"
#include "impinge_weld.h"
#include "mem.h"

#include <stddef.h>

/* ---- What a caller hands over is checked before its use. */

/* IMP_ERR_ARGUMENT for frames that cannot be welded. */
int weld_check(const imp_frame *frames, size_t count);

/* ---- A mesh, its points in one or several frames, and which of its vertices are one so far. */

#define WELD_NONE UINT32_MAX

typedef struct welding {
    mem *mem;
    const imp_frame *frame; /* [frames] of one mesh */
    size_t frames;
    const imp_mesh *mesh;
    uint32_t *map; /* [mesh->vertices] disjoint sets: a vertex before it of the same set, or itself.
                      The first vertex of a set stands for it */
} welding;

/* Each vertex is alone. */
void welding_start(welding *w);

/* The vertex that stands for v. */
uint32_t welding_find(const welding *w, uint32_t v);

/* a and b are one. */
void welding_join(const welding *w, uint32_t a, uint32_t b);

static inline int32_t welding_object(const welding *w, size_t primitive)
{
    return w->mesh->object ? w->mesh->object[primitive] : 0;
}

/* ---- Triangles that are a closed body each, one after another, as programs write the parts of an
 * assembly into one file. */

/* body[p] becomes the number, from 1, of the closed body of primitive p. A stretch of triangles of
 * one object is divided if it consists of such bodies alone: in each, every edge is used as often
 * in one direction as in the other, and no shorter beginning of it is so. 0: p is of none. `first`:
 * as of positions_find. */
void closed_bodies_find(const welding *w, const uint32_t *first, uint32_t *body);

/* ---- Who uses an edge of triangles, or a face of tetrahedra. */

/* How a primitive uses it: FLAT is a triangle with two corners at one end of the edge. */
enum edge_orientation { EDGE_FLAT, EDGE_FORWARD, EDGE_BACKWARD, EDGE_FACE };

/* One that has the position `here` and, after it in the order of positions, those in `far`. */
typedef struct edge_use {
    uint32_t far[2]; /* of an edge the second is WELD_NONE */
    int32_t object;
    uint32_t body; /* weld.h */
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
    uint32_t *first;     /* [vertices] weld.h */
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

/* ---- Which vertices are at one point. */

/* A hash of coordinates; those of equal ones are equal: -0 is 0. position_hash_add continues h. */
uint64_t position_hash_add(uint64_t h, const double x[3]);
uint64_t position_hash(const imp_frame *frame, size_t frames, uint32_t v);

/* Are both at one point in all frames? */
int position_same(const imp_frame *frame, size_t frames, uint32_t a, uint32_t b);

/* first[v] becomes the least vertex that is at the same point as v in all frames: v itself, if no
 * earlier one is, or if a coordinate is no number. Errors: MEMORY. */
int positions_find(const welding *w, uint32_t *first);

/* ---- Vertices are one where neighbours have them at a common edge or face. */

/* imp_weld with the tolerance 0: w->map, and open, open_primitive and split of *info. Errors:
 * MEMORY. */
int weld_edges(welding *w, imp_weld_info *info);

/* ---- Vertices are one where they are near each other. */

/* imp_weld with a tolerance above 0: w->map. Errors: MEMORY. */
int weld_near(welding *w, double tolerance);

#endif
