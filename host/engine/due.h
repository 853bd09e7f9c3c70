/* Rows of a block that come from a device, and go to the sink, while it searches for the candidates
 * of the next block. The host waits for these, and the device needs nothing of the block any more.
 */
#ifndef IMP_DUE_H
#define IMP_DUE_H

#include "walk.h"

/* All zero at first. */
typedef struct pending_output {
    block_view view;      /* of that block, */
    imp_frame_info *info; /* whose contacts are counted here */
    size_t frame0;
    uint64_t seen; /* rows before the ones that are due */
    int open;
    int err; /* of those that went to the sink while the device was waited for */
} pending_output;

/* May rows of primitives [first, last) of the current view come later? */
int pending_output_may(const call *w, uint32_t first, uint32_t last);

/* What contact_begin has left is due. Errors: MEMORY; then nothing is. */
int pending_output_leave(call *w);

/* Are rows of the block before still due? */
int pending_output_before(const call *w);

/* Hands out what is due of the block before. Errors: DEVICE, CANCELLED. */
int pending_output_deliver(call *w);

/* Forgets it, after waiting for it. */
void pending_output_drop(call *w);

/* The device failed: does that take rows of the block before with it? They are forgotten. */
int pending_output_lost(call *w);

#endif
