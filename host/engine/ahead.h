/* While the host waits for a device with memory of its own, points of the next block go there, part
 * by part, and rows of the block before (due.h) go to the sink. */
#ifndef IMP_AHEAD_H
#define IMP_AHEAD_H

#include "walk.h"

/* The points that come after those of the current block: frame [count], of the next view; 0: none
 * are known. For each block, before its pass. */
void prefetch_set(call *w, const imp_frame *frame, size_t count);

/* From here on the host does so while it waits, until prefetch_end. Before bounds are made the view
 * must have one instant. */
void prefetch_begin(call *w);
void prefetch_end(call *w);

/* Memory is short: frees what is not in use, and for the rest of the call nothing more comes ahead.
 * Returns whether there was any. */
int prefetch_release(call *w);

/* The caller may change the points of which there are copies. */
void prefetch_drop(call *w);

#endif
