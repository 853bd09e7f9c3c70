/* Stable ids of primitives that are added and removed, identified by the caller's ids. Each
 * primitive has one stable id while it exists, whatever its position in a frame's mesh. Passes get
 * a mesh indexed by stable ids, some of them free, so that bounds, tables and contacts of unchanged
 * primitives can be cached (frame_cache.h). A free stable id is a primitive whose vertices are
 * nowhere (NaN): it has no bounds, meets nothing, and is not counted.
 *
 * Free stable ids are reused: by a primitive that enters in the same frame and shares a vertex with
 * the one that left, else last in, first out, since stable ids near a cut are soon needed there
 * again. If none is free, all stable ids are reassigned, with an eighth more than needed, so that
 * entering costs amortised O(1). */
#ifndef IMP_PERSISTENT_IDS_H
#define IMP_PERSISTENT_IDS_H

#include "bounds.h"
#include "block_view.h"
#include "pairs.h"

#define PERSISTENT_IDS_SPARE                                                                       \
    256u /* stable ids and vertices are allocated for at least this many more than needed */
#define ID_CHUNK 64u /* inputs compared together */

/* The result of persistent_ids_match for ID_CHUNK primitives of a mesh. */
typedef struct id_chunk {
    uint32_t from;   /* all are unchanged and were inputs from this one on; NO_NUMBER: not so */
    uint64_t others; /* bit k: primitive k of the chunk is new or altered */
} id_chunk;

/* The primitives of the stable ids, as a frame for passes. */
typedef struct persistent_frame {
    imp_mesh mesh; /* indexed by stable ids; its arrays are these: */
    uint32_t *corner;
    uint8_t *corner_count;
    int32_t *object;
    int64_t *id;
    imp_frame frame; /* its points have memory for more vertices; the last one is nowhere */
    void *point;     /* [3 * mesh.vertices] of frame.type */
} persistent_frame;

/* Stable ids whose primitive differs from that of the frame before. */
typedef struct persistent_changes {
    uint32_t *stable, count;
    uint8_t *is; /* [mesh.primitives] */
} persistent_changes;

/* The free stable ids. */
typedef struct free_id_list {
    stable_id *stable; /* [count] freed stable ids */
    uint32_t count;
    uint32_t untaken; /* stable ids from here on were never used */
} free_id_list;

/* Hash table from id to stable id, with open addressing. */
typedef struct id_table {
    uint32_t *bucket; /* [mask + 1] stable id + 1, or 0 */
    uint32_t mask;
} id_table;

typedef struct persistent_ids {
    int used;             /* the current frame is viewed by stable ids */
    int reassigned;       /* all stable ids were reassigned for this frame */
    const imp_mesh *seen; /* the caller's mesh that the stable ids represent; NULL: a model's */
    persistent_frame of;
    uint32_t vertices; /* number of the caller's vertices */
    uint32_t *uses;    /* [of.mesh.vertices] number of corners at each vertex */
    uint8_t *is_used;  /* [of.mesh.vertices] uses > 0 */
    uint32_t *near;    /* [of.mesh.vertices] for persistent_ids_change; else 0 */
    input_no *input;   /* [of.mesh.primitives] position in the caller's mesh; NO_NUMBER: free */
    stable_id *stable; /* [of.mesh.primitives] stable id of each of the `count` inputs */
    stable_id *before; /* the same for the frame before */
    uint32_t count;
    id_chunk *chunk; /* consecutive chunks of inputs */
    free_id_list free_ids;
    id_table ids;
    persistent_changes changes;
    mem *mem;
} persistent_ids;

/* The device's copies of changed stable ids. */
typedef struct device_ids {
    buffer_u32 changed, corner, input;
    buffer_i32 object;
} device_ids;

/* Updates the stable ids to the next frame, whose mesh has ids. r->used: the frame can be viewed by
 * stable ids, which needs finite vertices. r->reassigned: the cache is invalid. Errors: MEMORY. */
int persistent_ids_frame(const context *c, persistent_ids *r, const imp_frame *frame);

/* The same mesh again, with all stable ids reassigned. */
int persistent_ids_reassign(const context *c, persistent_ids *r, const imp_frame *frame);

void persistent_ids_free(persistent_ids *r);

/* ---- one by one */

/* The number to allocate: more than needed, at most `most`. */
static inline uint64_t persistent_ids_with_spare(uint64_t need, uint64_t spare, uint64_t most)
{
    uint64_t n = need + spare + PERSISTENT_IDS_SPARE;
    return n < most ? n : most;
}

/* Replaces everything by `count` free stable ids and `verts` vertices. Errors: MEMORY. */
int persistent_ids_open(mem *m, persistent_ids *r, uint32_t count, uint32_t verts, int corners,
                        int type);

/* Ensures that at least this number of stable ids and of vertices is free; if not, allocates half
 * as many stable ids again and twice as many vertices. Used stable ids stay the same. *grown
 * becomes 1 if the arrays were replaced: the cache is invalid then. Errors: MEMORY, and the stable
 * ids are unchanged. */
int persistent_ids_grow(mem *m, persistent_ids *r, uint64_t count, uint64_t verts, int *grown);

/* Sets the vertices behind the caller's, up to `last`, to nowhere (NaN). */
void persistent_ids_clear_vertices(persistent_ids *r, uint32_t last);

/* Fibonacci hashing: ids are mostly consecutive numbers. */
static inline uint32_t persistent_ids_hash(int64_t id)
{
    return (uint32_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The stable id of an id, or NO_NUMBER. */
stable_id persistent_ids_find(const persistent_ids *r, int64_t id);

/* Takes a free stable id, which must exist. */
stable_id persistent_ids_take(persistent_ids *r);

/* Assigns a primitive to a stable id; the caller sets its input. corner: [corner_count] or more. */
void persistent_ids_enter(persistent_ids *r, stable_id stable, int64_t id, const uint32_t *corner,
                          uint8_t corner_count, int32_t object);
void persistent_ids_leave(persistent_ids *r, stable_id stable);

/* Replaces the primitive of a stable id by another with the same id. */
void persistent_ids_alter(persistent_ids *r, stable_id stable, const uint32_t *corner,
                          uint8_t corner_count, int32_t object);

/* The number of stable ids without a primitive that can be taken: freed ones, and those never
 * used. */
static inline uint32_t persistent_ids_vacant(const persistent_ids *r)
{
    return r->free_ids.count + (r->of.mesh.primitives - r->free_ids.untaken);
}

/* Stable ids without a primitive. */
static inline uint32_t persistent_ids_absent(const persistent_ids *r)
{
    return r->of.mesh.primitives - r->count;
}

/* ---- from a mesh to the next: persistent_ids.c, persistent_ids_change.c */

/* Finds the stable id of every primitive of the mesh: r->before; NO_NUMBER: it is new; r->chunk
 * marks those that changed. Returns 0 if old primitives are not in the order of before: contacts of
 * pairs that did not move would have other bits. */
int persistent_ids_match(const context *c, persistent_ids *r, const imp_mesh *m);

/* After persistent_ids_match: removes primitives that are not in the mesh, enters new ones, alters
 * others. Errors: MEMORY, and nothing has changed. */
int persistent_ids_change(const context *c, persistent_ids *r, const imp_mesh *m);

/* Removes the primitives of `count` stable ids, which r->free_ids.stable lists behind
 * r->free_ids.count, and enters those of `by`, for which stable ids must be free. Their inputs are
 * their stable ids, as always in a model. Errors: MEMORY, and nothing has changed. */
int persistent_ids_exchange(mem *m, persistent_ids *r, uint32_t count, const imp_mesh *by);

/* Sets the input of every stable id by r->stable. */
void persistent_ids_set_inputs(const context *c, persistent_ids *r, const imp_mesh *m);

/* ---- for passes: persistent_ids.c */

/* Marks the changed primitives as dirty. */
int persistent_ids_mark(const context *c, const persistent_ids *r, device_ids *d, buffer_u8 *dirty);

/* Writes the corners and objects of changed primitives to the bounds. */
int persistent_ids_write(const context *c, device_ids *d, const block_view *v, bounds *o);

/* Orders each pair by the positions of its primitives in the caller's mesh. */
int persistent_ids_orient(const context *c, const persistent_ids *r, device_ids *d, pairs *p);

void device_ids_free(const context *c, device_ids *d);

/* Finds the vertices that primitives have. used: [of.mesh.vertices] */
void persistent_ids_used_vertices(const persistent_ids *r, uint8_t *used);

/* Clears the changes after their use. */
void persistent_ids_commit(persistent_ids *r);

#endif
