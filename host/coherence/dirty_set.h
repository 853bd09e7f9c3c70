/* The dirty set: the primitives that moved since the frame before, as a list on the device and on
 * the host. The cost of finding it grows with its size: of the other primitives one flag is read
 * for each group of DIRTY_GROUP (kernels/moved.cl). */
#ifndef IMP_DIRTY_SET_H
#define IMP_DIRTY_SET_H

#include "persistent_ids.h"
#include "parallel.h"
#include "bounds.h"

/* The readback of the list from the device. */
typedef struct dirty_readout {
    uint64_t count;
    uint32_t *list, room; /* the first `room` dirty primitives */
} dirty_readout;

typedef struct dirty_set {
    buffer_u8 flag;  /* [prims] */
    buffer_u32 prim; /* [count] ascending */
    buffer_u32 all;  /* 0 and count */
    uint32_t count;
    int same;           /* the list is that of the frame before */
    uint8_t *host_flag; /* [prims] `flag` on the host */
    uint32_t *list;     /* [count] `prim` on the host */
    buffer_u32 span;    /* [2 * groups] vertices, from and to, of each DIRTY_GROUP primitives */
    buffer_u32 grouped; /* [groups] number of dirty primitives */
    buffer_u64 offset;  /* [groups + 1] number of dirty primitives before each group */
    buffer_u8 other;    /* [groups] 1: some primitives differ from those of the frame before */
    scanner scan;
    dirty_readout read;
} dirty_set;

/* For the first cached frame, in which nothing moved: allocates and clears. Errors: MEMORY,
 * DEVICE. */
int dirty_set_first(const context *c, const block_view *v, const bounds *o, dirty_set *m);

/* Finds the primitives with a vertex that moved, or that changed by block_view.ids. moved_point:
 * [verts]; moved_any: [chunks of verts]. out: the readouts that the caller must complete before
 * dirty_set_read, together with others; the caller may also skip both. Errors: MEMORY, DEVICE. */
int dirty_set_find(const context *c, const block_view *v, const bounds *o,
                   const buffer_u8 *moved_any, const buffer_u8 *moved_point, device_ids *copy,
                   dirty_set *m, readout out[2]);
int dirty_set_read(const context *c, dirty_set *m);

/* After persistent_ids_write: updates the vertex spans of groups with changed primitives. Errors:
 * MEMORY, DEVICE. */
int dirty_set_update_spans(const context *c, const block_view *v, const bounds *o, dirty_set *m);

void dirty_set_free(const context *c, dirty_set *m);

#endif
