/* Internal to the OpenCL device: its list and lock, traits, programs, kernel arguments, and
 * copies. */
#ifndef IMP_DEVICE_CL_H
#define IMP_DEVICE_CL_H

#include "device.h"
#include "device_cl_calls.h"

/* ---- The OpenCL devices of this machine, and the lock under which drivers start and stop. */

typedef struct cl_entry {
    cl_platform_id platform;
    cl_device_id device;
} cl_entry;

/* The standard lets any thread make any call at any time, but drivers violate it while they start
 * or stop: a thread that lists the devices of PoCL 3.1 while another starts it gets none, or
 * crashes; ocl-icd loads drivers without a lock. So calls that may start, stop or build anything
 * run one at a time in the whole process. No callback of the caller runs with this lock, since it
 * may make a pipeline of its own. */
void cl_lock(void);
void cl_unlock(void);

/* All devices of all platforms, in the loader's order. *out is malloc'ed; without OpenCL or its
 * loader there are 0 devices. Platforms that fail have no devices: *code is the error of the last
 * one that failed, or CL_SUCCESS. */
int cl_list(cl_entry **out, size_t *count, cl_int *code);

/* A device's properties. Properties that it does not report are 0, a name "unnamed". Returns the
 * first failure, or CL_SUCCESS. */
cl_int cl_describe(cl_entry e, imp_device_info *out);

/* Chooses the device by def->name: "opencl", an index of imp_device_at, or part of a name. Errors:
 * DEVICE if none matches. */
int cl_choose(const device_def *def, cl_entry *out);

/* ---- The arguments of OpenCL kernels. */

/* Sets a kernel's arguments from its NAME_args (launch.h). cl_set_args: [KERNELS], device_cl.c. */
typedef cl_int cl_args(cl_kernel kernel, const void *args);
extern cl_args *const cl_set_args[];

/* ---- device.h on OpenCL devices. */

/* Errors: MEMORY, without a text, if there is no such memory. */
int cl_readback_open(cl_context context, cl_command_queue queue, mem *m, size_t bytes, readback *l);

/* Frees it, after waiting for its reads. */
void cl_readback_close(cl_command_queue queue, mem *m, readback *l);

/* Begins reads on the queue `by`, after all work in `queue`. */
cl_int cl_readback_begin(readback *l, cl_command_queue queue, cl_command_queue by,
                         const readout *list, size_t n);
cl_int cl_readback_end(readback *l);

/* Returns whether the event's command is complete or has failed. */
int cl_event_done(cl_event event);

/* ---- Copies between host memory and a device with memory of its own, through pinned memory, which
 * the device reads and writes directly at the full speed of the bus. From ordinary memory a driver
 * copies at a third of it, and the call blocks. The host fills or empties one piece while the
 * device copies others. */

typedef struct cl_pinned cl_pinned;

/* Returns NULL if it would use too much of the free memory, or the driver has none: copies are then
 * made without it. Up to `threads` threads copy. */
cl_pinned *cl_pinned_open(cl_context context, cl_command_queue queue, mem *m, int threads);

/* Waits for the queue and frees it; NULL is allowed. */
void cl_pinned_close(cl_pinned *p);

/* Writes the sources, one after another. The caller may change them after the call; the device may
 * receive the data later. */
cl_int cl_pinned_write(cl_pinned *p, cl_mem to, size_t offset, const source *list, size_t n);

/* Waits for all work in the queue; `until`, if not NULL, is called before, with the event of a
 * read. After an error nothing more is written. */
cl_int cl_pinned_read(cl_pinned *p, const readout *list, size_t n,
                      void (*until)(void *user, cl_event event), void *user);

/* ---- Data shared by all open instances of one OpenCL device in a process: a context, and the
 * programs built in it. Building takes nearly all of the time of opening, even if the driver has
 * the machine code of an earlier process. Each instance has its own queue, kernels and buffers. */

typedef struct cl_shared cl_shared;

/* Gets the context and program 0, which are made if no other instance is open. These functions are
 * called under cl_lock, since some drivers cannot compile in two threads. */
int cl_share(cl_entry e, const imp_device_info *info, cl_shared **out);

/* Releases it; the last instance frees it. */
void cl_unshare(cl_shared *s);

cl_context cl_shared_context(const cl_shared *s);

/* Makes a kernel object, which the caller releases. Builds the kernel's program at its first
 * kernel. */
int cl_shared_kernel(cl_shared *s, enum kernel kernel, cl_kernel *out);

/* A context may be unusable after an error: instances opened from now on get another. Any thread
 * may call this. */
void cl_shared_failed(cl_shared *s);

/* Converts the error of an OpenCL call. Out of memory is distinguished: it leads to a smaller
 * block, other errors to another device. */
int cl_failed(const char *name, const char *what, cl_int code);
const char *cl_error_name(cl_int code);

/* ---- An OpenCL device's state: device_cl.c opens it and launches kernels, device_cl_copy.c moves
 * data. */

/* Writes up to STAGE_MOST do not wait: their data is staged in memory that is not reused until the
 * queue, which is in order, is known to have passed them. On a GPU a wait costs more than most
 * kernels, and most writes are tables of a few numbers. */
#define STAGE_MOST (64u << 10)
#define STAGE_BYTES (512u << 10)

/* A launch of a HEAVY kernel. */
typedef struct heavy {
    enum kernel kernel;
    int is, whole; /* is: there is one; whole: it has the items of a whole slice */
    double start;
} heavy;

typedef struct device_cl {
    device base;
    cl_shared *shared;
    cl_command_queue queue;
    cl_device_id id;
    double slow; /* approximate slowdown against the device that it acts as; 1: it acts as itself */
    cl_pinned *pinned; /* for copies, after the first one; may be NULL */
    int unpinned;      /* no pinned memory is available */
    /* for writes that overlap with `queue`, made at the first one; may be NULL */
    cl_command_queue prefetch_queue;
    cl_pinned *prefetch_pinned;
    int threads; /* host threads that copy */
    cl_command_queue
        readback_queue; /* for reads that overlap with `queue`, made at the first one; or NULL */
    cl_kernel kernel[KERNELS];
    uint64_t slice[KERNELS]; /* items of a quick launch of a HEAVY kernel; 0: none yet */
    heavy last;              /* the launch of such a kernel in progress */
    size_t staged;           /* bytes of `stage` that writes may still read */
    unsigned char stage[STAGE_BYTES];
} device_cl;

/* Reports the error of a call; the device, if opened again, gets another context. */
int cl_fail(const device_cl *d, const char *what, cl_int code);

/* Waits for all queued work. */
cl_int cl_wait(device_cl *d);

/* After a blocking call: all work queued before it is complete. */
int cl_done(device_cl *d, const char *what, cl_int code);

/* Functions of device_ops. */
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

/* Frees the queues and pinned memory of copies. */
void cl_copies_close(device_cl *d);

/* ---- Program cache: programs as a driver compiled them, in the user's cache folder. Some drivers
 * compile in each process (Intel's for CPUs takes 5 to 14 s for a program that it then loads in 0.1
 * s). Programs built within CL_CACHE_SECONDS are not cached, since their drivers have caches of
 * their own. A file records its inputs: it is valid only for this version of the kernels, device
 * and driver, and only if it is complete. Each device, program and form has one file, so that a new
 * version replaces the old. Functions are called under cl_lock. */

#define CL_CACHE_SECONDS 3

typedef struct cl_text {
    cl_device_id id;
    const imp_device_info *device;
    cl_context context;
    const char *source, *options;
} cl_text;

/* The built program, or NULL if there is no file or the driver rejects it. Never an error. */
cl_program cl_cache_find(const cl_text *t);

/* Adds the program to the cache; does nothing if that is not possible. */
void cl_cache_add(const cl_text *t, cl_program program);

/* ---- Traits of an OpenCL device that launches and buffers depend on. */

typedef struct cl_traits {
    int host_memory; /* reads host memory */
    int large;       /* a GPU, or acts as one */
    int fp64, compute_units;
    uint64_t largest; /* largest buffer, bytes */
    double slow;      /* approximate slowdown against the device that it acts as */
} cl_traits;

/* Finds the traits within the limits of `def`; *info: the properties that the device reports.
 * Errors: DEVICE if they do not suffice for the kernels' work-groups. */
int cl_traits_of(cl_entry e, const device_def *def, imp_device_info *info, cl_traits *out);

#endif
