/* Slots of primitives that come and go, by id. Each has a slot while it exists, whatever its
 * position in the mesh of a frame. Passes are given a mesh of slots, some of them free, so that
 * bounds, tables and contacts of what stays can be kept (keep.h). A free slot is a primitive whose
 * vertices are nowhere: it has no bounds, meets nothing, and is not counted.
 *
 * Free slots are taken again: by a primitive that comes in the same frame and shares a vertex with
 * the one that left, else the last one first, since slots near a cut are the next to be needed
 * there. Where none is free all slots are given out again, with an eighth more than is needed, so
 * that an entry takes amortised O(1). */
#ifndef IMP_SLOTS_H
#define IMP_SLOTS_H

#include "bounds.h"
#include "numbers.h"
#include "pairs.h"

#define SLOTS_SPARE 256u  /* slots and vertices are made for at least this many more than needed */
#define SLOTS_STRETCH 64u /* cells that are compared together */

/* What slots_match finds of SLOTS_STRETCH primitives of a mesh. */
typedef struct slots_stretch {
    uint32_t from;   /* all are unchanged, and were the cells from this one on; NO_NUMBER: not so */
    uint64_t others; /* bit by bit: is it new or altered? */
} slots_stretch;

/* The primitives of the slots: what passes take for a frame. */
typedef struct slot_frame {
    imp_mesh mesh; /* of slots; its arrays are these: */
    uint32_t *corner;
    uint8_t *corner_count;
    int32_t *object;
    int64_t *id;
    imp_frame frame; /* its points have memory for more vertices; the last one is nowhere */
    void *point;     /* [3 * mesh.vertices] of frame.type */
} slot_frame;

/* Slots with another primitive than in the frame before. */
typedef struct slot_changes {
    uint32_t *slot, count;
    uint8_t *is; /* [mesh.primitives] */
} slot_changes;

/* Slots that can be taken. */
typedef struct slots_free_list {
    slot_no *slot; /* [count] slots that a primitive left */
    uint32_t count;
    uint32_t fresh; /* slots from here on were never taken */
} slots_free_list;

/* The slot of an id: open addressing. */
typedef struct slots_ids {
    uint32_t *bucket; /* [mask + 1] slot + 1, or 0 */
    uint32_t mask;
} slots_ids;

typedef struct slots {
    int used;             /* does the current frame go by slots? */
    int fresh_deal;       /* have all slots been given out for just this frame? */
    const imp_mesh *seen; /* the caller's mesh that the slots are of; NULL: a model's */
    slot_frame of;
    uint32_t vertices; /* of the caller's */
    uint32_t *uses;    /* [of.mesh.vertices] corners that a vertex is, */
    uint8_t *is_used;  /* and whether it is any */
    uint32_t *near;    /* [of.mesh.vertices] of slots_change; 0 */
    cell_no *cell;     /* [of.mesh.primitives] in the caller's mesh, NO_NUMBER: the slot is free */
    slot_no *slot;     /* [of.mesh.primitives] of each cell, of which there are `count`, */
    slot_no *before;   /* and the same of the frame before */
    uint32_t count;
    slots_stretch *stretch; /* of cells, one after another */
    slots_free_list vacant;
    slots_ids ids;
    slot_changes changes;
    mem *mem;
} slots;

/* What the device has of the slots. */
typedef struct slots_copy {
    buffer_u32 changed, corner, cell;
    buffer_i32 object;
} slots_copy;

/* The next frame, of a mesh with ids. r->used says whether it can go by slots: not where a vertex
 * is not finite. r->fresh_deal: nothing can be kept. Errors: MEMORY. */
int slots_frame(const context *c, slots *r, const imp_frame *frame);

/* The same mesh again, with all slots given out again. */
int slots_again(const context *c, slots *r, const imp_frame *frame);

void slots_free(slots *r);

/* ---- one by one */

/* The number to allocate: some more than needed, `most` if that is less. */
static inline uint64_t slots_with_spare(uint64_t need, uint64_t spare, uint64_t most)
{
    uint64_t n = need + spare + SLOTS_SPARE;
    return n < most ? n : most;
}

/* Replaces everything by `count` free slots and `verts` vertices. Errors: MEMORY. */
int slots_open(mem *m, slots *r, uint32_t count, uint32_t verts, int corners, int type);

/* Makes at least that number of slots free, and of vertices; where there are too few, half as many
 * slots again and twice as many vertices. Taken slots stay the same. *grown becomes 1 if the arrays
 * were replaced: then nothing can be kept. Errors: MEMORY, and the slots are as they were. */
int slots_grow(mem *m, slots *r, uint64_t count, uint64_t verts, int *grown);

/* Vertices that no primitive has, up to `last`, are nowhere. */
void slots_nowhere(slots *r, uint32_t last);

/* Fibonacci hashing: ids are mostly consecutive numbers. */
static inline uint32_t slots_hash(int64_t id)
{
    return (uint32_t)((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The slot of that id, or NO_NUMBER. */
slot_no slots_find(const slots *r, int64_t id);

/* Takes a free slot; the caller has made sure that there is one. */
slot_no slots_take(slots *r);

/* A primitive enters a slot; the caller sets its cell. corner: [own] or more. */
void slots_enter(slots *r, slot_no slot, int64_t id, const uint32_t *corner, uint8_t corner_count,
                 int32_t object);
void slots_leave(slots *r, slot_no slot);

/* Replaces the primitive in a slot by another of the same id. */
void slots_alter(slots *r, slot_no slot, const uint32_t *corner, uint8_t corner_count,
                 int32_t object);

/* Slots that can be taken. */
static inline uint32_t slots_vacant(const slots *r)
{
    return r->vacant.count + (r->of.mesh.primitives - r->vacant.fresh);
}

/* Slots without a primitive. */
static inline uint32_t slots_absent(const slots *r)
{
    return r->of.mesh.primitives - r->count;
}

/* ---- a mesh after another: slots_match.c, slots_change.c */

/* Finds the slot of every primitive of the mesh: r->before; NO_NUMBER: it is new; r->stretch marks
 * those that changed. Returns 0 if old primitives are not in the order of before: contacts of pairs
 * that did not move would have other bits. */
int slots_match(const context *c, slots *r, const imp_mesh *m);

/* After it: removes primitives that are not in the mesh, enters new ones, alters others. Errors:
 * MEMORY, and nothing has changed. */
int slots_change(const context *c, slots *r, const imp_mesh *m);

/* The primitives in `count` slots leave, which r->vacant.slot lists behind r->vacant.count; those
 * of `by` enter, for which there are slots. Their cells are their slots, as in all of a model.
 * Errors: MEMORY, and nothing has changed. */
int slots_exchange(mem *m, slots *r, uint32_t count, const imp_mesh *by);

/* Sets the cell of every slot by r->slot. */
void slots_number_cells(const context *c, slots *r, const imp_mesh *m);

/* ---- for passes: slots_device.c */

/* Marks the primitives that changed as moved. */
int slots_mark(const context *c, const slots *r, slots_copy *d, buffer_u8 *moved);

/* Writes the corners and objects of changed primitives to the bounds. */
int slots_write(const context *c, slots_copy *d, const view *v, bounds *o);

/* Makes the primitive of each pair that comes first in the caller's mesh the first one. */
int slots_orient(const context *c, const slots *r, slots_copy *d, pairs *p);

void slots_copy_free(const context *c, slots_copy *d);

/* Which vertices primitives have. used: [of.mesh.vertices] */
void slots_used(const slots *r, uint8_t *used);

/* The changes have been used. */
void slots_settled(slots *r);

#endif
