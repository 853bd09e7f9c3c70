/* The primitives that moved from a frame to the next, as a list on the device and on the host. The
 * cost of finding them grows with their number: of the others, one flag for MOVED_PRIMS of them is
 * read (kernels/moved.cl). */
#ifndef IMP_MOVERS_H
#define IMP_MOVERS_H

#include "slots.h"
#include "scan.h"
#include "bounds.h"

/* What is on its way from the device. */
typedef struct movers_read {
    uint64_t count;
    uint32_t *list, room; /* the first `room` movers */
} movers_read;

typedef struct movers {
    buffer_u8 is;    /* [prims] */
    buffer_u32 prim; /* [count] ascending */
    buffer_u32 all;  /* 0 and count */
    uint32_t count;
    int same;           /* as in the frame before */
    uint8_t *host_is;   /* [prims] `is` on the host */
    uint32_t *list;     /* [count] `prim` on the host */
    buffer_u32 span;    /* [2 * groups] vertices, from and to, of MOVED_PRIMS primitives; */
    buffer_u32 grouped; /* [groups] number of these that moved, */
    buffer_u64 offset;  /* [groups + 1] number before each, */
    buffer_u8 other;    /* [groups] do some differ from those before? */
    scanner scan;
    movers_read read;
} movers;

/* For a block's first frame, in which nothing moved: makes space. Errors: MEMORY, DEVICE. */
int movers_first(const context *c, const view *v, const bounds *o, movers *m);

/* Looks for primitives that have a vertex that moved, or that changed by b->slots. moved_point:
 * [verts]; moved_any: [chunks of them]. out: what the caller has to read before movers_take, with
 * whatever else it waits for; it may give up instead. Errors: MEMORY, DEVICE. */
int movers_look(const context *c, const view *v, const bounds *o, const buffer_u8 *moved_any,
                const buffer_u8 *moved_point, slots_copy *copy, movers *m, readout out[2]);
int movers_take(const context *c, movers *m);

/* After slots_write: the vertices that changed primitives have now. Errors: MEMORY, DEVICE. */
int movers_settle(const context *c, const view *v, const bounds *o, movers *m);

void movers_free(const context *c, movers *m);

#endif
