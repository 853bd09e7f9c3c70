/* Copies between the host's memory and that of a device which has memory of its own, through pinned
 * memory: a device reads and writes that by itself, and at the full speed of the bus. From ordinary
 * memory a driver copies at a third of it, and the call waits. The host fills or empties one piece
 * while the device copies others. */
#ifndef IMP_DEVICE_CL_PINNED_H
#define IMP_DEVICE_CL_PINNED_H

#include "device_cl_list.h"

typedef struct cl_pinned cl_pinned;

/* NULL where it would take a large share of the memory that is left, or the driver has none: copies
 * then go without. Up to `threads` threads copy. */
cl_pinned *cl_pinned_open(cl_context context, cl_command_queue queue, mem *m, int threads);

/* NULL: nothing. Waits for the queue. */
void cl_pinned_close(cl_pinned *p);

/* What the sources have, one after another. The caller may change it afterwards; the device may
 * have it later. */
cl_int cl_pinned_write(cl_pinned *p, cl_mem to, size_t offset, const source *list, size_t n);

/* Waits for all that is in the queue; `until`, if it is not NULL, is called before, with the event
 * of a read. After an error nothing is written any more. */
cl_int cl_pinned_read(cl_pinned *p, const readout *list, size_t n,
                      void (*until)(void *user, cl_event event), void *user);

#endif
