/* An OpenCL device, as its parts see it: device_cl.c opens it and launches kernels,
 * device_cl_copy.c moves data. */
#ifndef IMP_DEVICE_CL_H
#define IMP_DEVICE_CL_H

#include "device_cl_landing.h"
#include "device_cl_pinned.h"
#include "device_cl_share.h"

/* Writes that are not larger do not wait: their data is copied to memory that stays as it is until
 * the queue, which is in order, is known to have come past them. A wait costs a GPU more than most
 * kernels do, and most writes are tables of a few numbers. */
#define STAGE_MOST (64u << 10)
#define STAGE_BYTES (512u << 10)

/* A launch of a HEAVY kernel. */
typedef struct heavy {
    enum kernel kernel;
    int is, whole; /* is there any; does it have the items of a whole slice? */
    double start;
} heavy;

typedef struct device_cl {
    device base;
    cl_shared *shared;
    cl_command_queue queue;
    cl_device_id id;
    double slow;       /* how many times slower it is than what it acts as, about; 1: as itself */
    cl_pinned *pinned; /* for copies, after the first one; may be NULL */
    int unpinned;      /* there is none */
    /* for writes beside those of `queue`, after the first one; may be NULL */
    cl_command_queue prefetch_queue;
    cl_pinned *prefetch_pinned;
    int threads; /* of the host, that copy */
    cl_command_queue
        readback_queue; /* for reads beside those of `queue`, after the first one; may be NULL */
    cl_kernel kernel[KERNELS];
    uint64_t slice[KERNELS]; /* items of a launch of a HEAVY kernel that was quick; 0: none was */
    heavy last;              /* launch of such a kernel that was not waited for */
    size_t staged;           /* bytes of `stage` that writes may still read */
    unsigned char stage[STAGE_BYTES];
} device_cl;

/* The error of a call: the device, opened again, gets another context. */
int cl_fail(const device_cl *d, const char *what, cl_int code);

/* Waits for everything. */
cl_int cl_wait(device_cl *d);

/* After a blocking call all that was in the queue before it is done. */
int cl_done(device_cl *d, const char *what, cl_int code);

/* Of device_ops. */
int cl_write(device *d, buffer *b, size_t offset, const source *list, size_t n);
int cl_read(device *d, const readout *list, size_t n);
int cl_copy(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
            size_t bytes);
int cl_prefetch(device *d, buffer *b, size_t offset, const source *list, size_t n);
int cl_prefetch_done(device *d);
int cl_pin(device *d, readback *l, size_t bytes);
void cl_unpin(device *d, readback *l);
int cl_readback(device *d, readback *l, const readout *list, size_t n, int beside);
int cl_readback_wait(device *d, readback *l);
int cl_readback_done(device *d, const readback *l);

/* Frees what copies have made. */
void cl_copies_close(device_cl *d);

#endif
