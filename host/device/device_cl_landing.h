/* landing.h on OpenCL devices. */
#ifndef IMP_DEVICE_CL_LANDING_H
#define IMP_DEVICE_CL_LANDING_H

#include "device_cl_list.h"
#include "landing.h"

/* IMP_ERR_MEMORY, without a text, where there is no such memory. */
int cl_readback_open(cl_context context, cl_command_queue queue, mem *m, size_t bytes, readback *l);

/* Waits for its reads. */
void cl_readback_close(cl_command_queue queue, mem *m, readback *l);

/* Begins reads by the queue `by`, after what is in `queue`. */
cl_int cl_readback_begin(readback *l, cl_command_queue queue, cl_command_queue by,
                         const readout *list, size_t n);
cl_int cl_readback_end(readback *l);

/* Is what the event stands for done, or has it failed? */
int cl_event_done(cl_event event);

#endif
