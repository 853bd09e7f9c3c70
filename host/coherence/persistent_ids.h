/* Stable ids of primitives that come and go, by id. Each has a stable id while it exists, whatever
 * its position in the mesh of a frame. Passes are given a mesh of stable ids, some of them free, so
 * that bounds, tables and contacts of what stays can be kept (frame_cache.h). A free stable id is a
 * primitive whose vertices are nowhere: it has no bounds, meets nothing, and is not counted.
 *
 * Free stable ids are taken again: by a primitive that comes in the same frame and shares a vertex
 * with the one that left, else the last one first, since stable ids near a cut are the next to be
 * needed there. Where none is free all stable ids are given out again, with an eighth more than is
 * needed, so that an entry takes amortised O(1). */
#ifndef IMP_PERSISTENT_IDS_H
#define IMP_PERSISTENT_IDS_H

#include "bounds.h"
#include "block_view.h"
#include "pairs.h"

#define PERSISTENT_IDS_SPARE                                                                       \
    256u             /* stable ids and vertices are made for at least this many more than needed */
#define ID_CHUNK 64u /* inputs that are compared together */

/* What persistent_ids_match finds of ID_CHUNK primitives of a mesh. */
typedef struct id_chunk {
    uint32_t from; /* all are unchanged, and were the inputs from this one on; NO_NUMBER: not so */
    uint64_t others; /* bit by bit: is it new or altered? */
} id_chunk;

/* The primitives of the stable ids: what passes take for a frame. */
typedef struct persistent_frame {
    imp_mesh mesh; /* of stable ids; its arrays are these: */
    uint32_t *corner;
    uint8_t *corner_count;
    int32_t *object;
    int64_t *id;
    imp_frame frame; /* its points have memory for more vertices; the last one is nowhere */
    void *point;     /* [3 * mesh.vertices] of frame.type */
} persistent_frame;

/* Stable ids with another primitive than in the frame before. */
typedef struct persistent_changes {
    uint32_t *stable, count;
    uint8_t *is; /* [mesh.primitives] */
} persistent_changes;

/* Stable ids that can be taken. */
typedef struct free_id_list {
    stable_id *stable; /* [count] stable ids that a primitive left */
    uint32_t count;
    uint32_t untaken; /* stable ids from here on were never taken */
} free_id_list;

/* The stable id of an id: open addressing. */
typedef struct id_table {
    uint32_t *bucket; /* [mask + 1] stable id + 1, or 0 */
    uint32_t mask;
} id_table;

typedef struct persistent_ids {
    int used;             /* does the current frame go by stable ids? */
    int reassigned;       /* have all stable ids been given out for just this frame? */
    const imp_mesh *seen; /* the caller's mesh that the stable ids are of; NULL: a model's */
    persistent_frame of;
    uint32_t vertices; /* of the caller's */
    uint32_t *uses;    /* [of.mesh.vertices] corners that a vertex is, */
    uint8_t *is_used;  /* and whether it is any */
    uint32_t *near;    /* [of.mesh.vertices] of persistent_ids_change; 0 */
    input_no
        *input; /* [of.mesh.primitives] in the caller's mesh, NO_NUMBER: the stable id is free */
    stable_id *stable; /* [of.mesh.primitives] of each input, of which there are `count`, */
    stable_id *before; /* and the same of the frame before */
    uint32_t count;
    id_chunk *chunk; /* of inputs, one after another */
    free_id_list free_ids;
    id_table ids;
    persistent_changes changes;
    mem *mem;
} persistent_ids;

/* What the device has of the stable ids. */
typedef struct device_ids {
    buffer_u32 changed, corner, input;
    buffer_i32 object;
} device_ids;

/* The next frame, of a mesh with ids. r->used says whether it can go by stable ids: not where a
 * vertex is not finite. r->reassigned: nothing can be kept. Errors: MEMORY. */
int persistent_ids_frame(const context *c, persistent_ids *r, const imp_frame *frame);

/* The same mesh again, with all stable ids given out again. */
int persistent_ids_reassign(const context *c, persistent_ids *r, const imp_frame *frame);

void persistent_ids_free(persistent_ids *r);

/* ---- one by one */

/* The number to allocate: some more than needed, `most` if that is less. */
static inline uint64_t persistent_ids_with_spare(uint64_t need, uint64_t spare, uint64_t most)
{
    uint64_t n = need + spare + PERSISTENT_IDS_SPARE;
    return n < most ? n : most;
}

/* Replaces everything by `count` free stable ids and `verts` vertices. Errors: MEMORY. */
int persistent_ids_open(mem *m, persistent_ids *r, uint32_t count, uint32_t verts, int corners,
                        int type);

/* Makes at least that number of stable ids free, and of vertices; where there are too few, half as
 * many stable ids again and twice as many vertices. Taken stable ids stay the same. *grown becomes
 * 1 if the arrays were replaced: then nothing can be kept. Errors: MEMORY, and the stable ids are
 * as they were. */
int persistent_ids_grow(mem *m, persistent_ids *r, uint64_t count, uint64_t verts, int *grown);

/* Vertices that no primitive has, up to `last`, are nowhere. */
void persistent_ids_clear_vertices(persistent_ids *r, uint32_t last);

/* Fibonacci hashing: ids are mostly consecutive numbers. */
static inline uint32_t persistent_ids_hash(int64_t id)
{
    return (uint32_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The stable id of that id, or NO_NUMBER. */
stable_id persistent_ids_find(const persistent_ids *r, int64_t id);

/* Takes a free stable id; the caller has made sure that there is one. */
stable_id persistent_ids_take(persistent_ids *r);

/* A primitive enters a stable id; the caller sets its input. corner: [own] or more. */
void persistent_ids_enter(persistent_ids *r, stable_id stable, int64_t id, const uint32_t *corner,
                          uint8_t corner_count, int32_t object);
void persistent_ids_leave(persistent_ids *r, stable_id stable);

/* Replaces the primitive in a stable id by another of the same id. */
void persistent_ids_alter(persistent_ids *r, stable_id stable, const uint32_t *corner,
                          uint8_t corner_count, int32_t object);

/* Stable ids that can be taken. */
static inline uint32_t persistent_ids_vacant(const persistent_ids *r)
{
    return r->free_ids.count + (r->of.mesh.primitives - r->free_ids.untaken);
}

/* Stable ids without a primitive. */
static inline uint32_t persistent_ids_absent(const persistent_ids *r)
{
    return r->of.mesh.primitives - r->count;
}

/* ---- a mesh after another: persistent_ids.c, persistent_ids_change.c */

/* Finds the stable id of every primitive of the mesh: r->before; NO_NUMBER: it is new; r->chunk
 * marks those that changed. Returns 0 if old primitives are not in the order of before: contacts of
 * pairs that did not move would have other bits. */
int persistent_ids_match(const context *c, persistent_ids *r, const imp_mesh *m);

/* After it: removes primitives that are not in the mesh, enters new ones, alters others. Errors:
 * MEMORY, and nothing has changed. */
int persistent_ids_change(const context *c, persistent_ids *r, const imp_mesh *m);

/* The primitives in `count` stable ids leave, which r->free_ids.stable lists behind
 * r->free_ids.count; those of `by` enter, for which there are stable ids. Their inputs are their
 * stable ids, as in all of a model. Errors: MEMORY, and nothing has changed. */
int persistent_ids_exchange(mem *m, persistent_ids *r, uint32_t count, const imp_mesh *by);

/* Sets the input of every stable id by r->stable. */
void persistent_ids_set_inputs(const context *c, persistent_ids *r, const imp_mesh *m);

/* ---- for passes: persistent_ids.c */

/* Marks the primitives that changed as moved. */
int persistent_ids_mark(const context *c, const persistent_ids *r, device_ids *d, buffer_u8 *dirty);

/* Writes the corners and objects of changed primitives to the bounds. */
int persistent_ids_write(const context *c, device_ids *d, const block_view *v, bounds *o);

/* Makes the primitive of each pair that comes first in the caller's mesh the first one. */
int persistent_ids_orient(const context *c, const persistent_ids *r, device_ids *d, pairs *p);

void device_ids_free(const context *c, device_ids *d);

/* Which vertices primitives have. used: [of.mesh.vertices] */
void persistent_ids_used_vertices(const persistent_ids *r, uint8_t *used);

/* The changes have been used. */
void persistent_ids_commit(persistent_ids *r);

#endif
