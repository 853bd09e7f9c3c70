/* Private to welding: the mesh and its disjoint sets, positions, uses of edges, closed bodies,
 * checks. */
#ifndef IMP_WELD_H
#define IMP_WELD_H

#include "frame.h"
#include "impinge.h"
#include "impinge_weld.h"
#include "mem.h"

#include <stddef.h>

/* ---- Validation of the caller's input. */

/* Returns IMP_ERR_ARGUMENT for frames that cannot be welded. */
int weld_check(const imp_frame *frames, size_t count);

/* ---- A mesh, its points in one or several frames, and the vertices welded so far. */

#define WELD_NONE UINT32_MAX

typedef struct welding {
    mem *mem;
    const imp_frame *frame; /* [frames] all with the same mesh */
    size_t frames;
    const imp_mesh *mesh;
    uint32_t *map; /* [mesh->vertices] disjoint sets: an earlier vertex of the same set, or itself.
                    * The first vertex of a set is its representative */
} welding;

/* Makes each vertex a set of its own. */
void welding_start(welding *w);

/* The representative of v. */
uint32_t welding_find(const welding *w, uint32_t v);

/* Joins the sets of a and b. */
void welding_join(const welding *w, uint32_t a, uint32_t b);

static inline int32_t welding_object(const welding *w, size_t primitive)
{
    return w->mesh->object ? w->mesh->object[primitive] : 0;
}

/* ---- Triangles that form closed bodies, one after another, as programs write the parts of an
 * assembly into one file. */

/* body[p] becomes the number, from 1, of the closed body of primitive p, or 0 if it belongs to
 * none. A range of triangles of one object is divided if it consists of such bodies alone: in each,
 * every edge is used equally often in both directions, and no shorter beginning has that property.
 * `first`: from positions_find. */
void closed_bodies_find(const welding *w, const uint32_t *first, uint32_t *body);

/* ---- The uses of an edge of triangles, or of a face of tetrahedra. */

/* How a primitive uses it. FLAT: a triangle with two corners at one end of the edge. */
enum edge_orientation { EDGE_FLAT, EDGE_FORWARD, EDGE_BACKWARD, EDGE_FACE };

/* A use by a primitive that has the position `here` and, later in the order of positions, those in
 * `far`. */
typedef struct edge_use {
    uint32_t far[2]; /* the second is WELD_NONE for an edge */
    int32_t object;
    uint32_t body; /* see closed_bodies_find */
    uint32_t primitive;
    uint8_t corner[3]; /* the primitive's corners at here, far[0], far[1] */
    uint8_t orientation;
} edge_use;

typedef struct edge_uses {
    edge_use *use; /* [count] by edge, object, body, primitive */
    size_t count, capacity;
} edge_uses;

/* Positions of a mesh, and the primitives at each. */
typedef struct edge_places {
    uint32_t *first;     /* [vertices] from positions_find */
    uint32_t *body;      /* [primitives] or NULL */
    size_t *begin;       /* [vertices + 1] range in `primitive`, by position */
    uint32_t *primitive; /* ascending for each position */
} edge_places;

/* Errors: MEMORY. Call edge_places_free after errors as well. */
int edge_places_find(const welding *w, edge_places *out);
void edge_places_free(mem *m, edge_places *p);

/* All uses of edges and faces whose first position is `here`. Errors: MEMORY. */
int edge_uses_find(const welding *w, const edge_places *p, uint32_t here, edge_uses *out);

/* Returns whether both are uses of one edge by one object. */
int edge_uses_same(const edge_use *a, const edge_use *b);

/* ---- Coinciding vertices. */

/* A hash of coordinates. Equal coordinates have equal hashes, also -0 and 0. position_hash_add
 * continues from h. */
uint64_t position_hash_add(uint64_t h, const double x[3]);
uint64_t position_hash(const imp_frame *frame, size_t frames, uint32_t v);

/* Returns whether both are at the same point in all frames. */
int position_same(const imp_frame *frame, size_t frames, uint32_t a, uint32_t b);

/* first[v] becomes the least vertex at the same point as v in all frames: v itself if no earlier
 * one is there, or if a coordinate is NaN. Errors: MEMORY. */
int positions_find(const welding *w, uint32_t *first);

/* ---- Exact welding: vertices are joined where neighbours have them at a common edge or face. */

/* imp_weld with tolerance 0: sets w->map, and open, open_primitive and split of *info. Errors:
 * MEMORY. */
int weld_edges(welding *w, imp_weld_info *info);

/* ---- Welding by distance: vertices are joined if they are within a tolerance. */

/* imp_weld with a tolerance above 0: sets w->map. Errors: MEMORY. */
int weld_near(welding *w, double tolerance);

#endif
