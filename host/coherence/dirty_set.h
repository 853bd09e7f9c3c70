/* The primitives that moved from a frame to the next, as a list on the device and on the host. The
 * cost of finding them grows with their number: of the others, one flag for DIRTY_GROUP of them is
 * read (kernels/moved.cl). */
#ifndef IMP_DIRTY_SET_H
#define IMP_DIRTY_SET_H

#include "persistent_ids.h"
#include "parallel.h"
#include "bounds.h"

/* What is on its way from the device. */
typedef struct dirty_readout {
    uint64_t count;
    uint32_t *list, room; /* the first `room` dirty primitives */
} dirty_readout;

typedef struct dirty_set {
    buffer_u8 flag;  /* [prims] */
    buffer_u32 prim; /* [count] ascending */
    buffer_u32 all;  /* 0 and count */
    uint32_t count;
    int same;           /* as in the frame before */
    uint8_t *host_flag; /* [prims] `flag` on the host */
    uint32_t *list;     /* [count] `prim` on the host */
    buffer_u32 span;    /* [2 * groups] vertices, from and to, of DIRTY_GROUP primitives; */
    buffer_u32 grouped; /* [groups] number of these that moved, */
    buffer_u64 offset;  /* [groups + 1] number before each, */
    buffer_u8 other;    /* [groups] do some differ from those before? */
    scanner scan;
    dirty_readout read;
} dirty_set;

/* For a block's first frame, in which nothing moved: makes space. Errors: MEMORY, DEVICE. */
int dirty_set_first(const context *c, const block_view *v, const bounds *o, dirty_set *m);

/* Looks for primitives that have a vertex that moved, or that changed by block_view.ids.
 * moved_point: [verts]; moved_any: [chunks of them]. out: what the caller has to read before
 * dirty_set_read, with whatever else it waits for; it may give up instead. Errors: MEMORY, DEVICE.
 */
int dirty_set_find(const context *c, const block_view *v, const bounds *o,
                   const buffer_u8 *moved_any, const buffer_u8 *moved_point, device_ids *copy,
                   dirty_set *m, readout out[2]);
int dirty_set_read(const context *c, dirty_set *m);

/* After persistent_ids_write: the vertices that changed primitives have now. Errors: MEMORY,
 * DEVICE. */
int dirty_set_update_spans(const context *c, const block_view *v, const bounds *o, dirty_set *m);

void dirty_set_free(const context *c, dirty_set *m);

#endif
