/* Within the OpenCL device: its list and lock, traits, programs, arguments of kernels, and copies.
 */
#ifndef IMP_DEVICE_CL_H
#define IMP_DEVICE_CL_H

#include "device.h"
#include "device_cl_calls.h"

/* ---- The OpenCL devices of this machine, and the lock under which drivers start and stop. */

typedef struct cl_entry {
    cl_platform_id platform;
    cl_device_id device;
} cl_entry;

/* The standard lets any thread make any call at any time, but drivers do not keep to that while
 * they start or stop: one that asks PoCL 3.1 for its devices while another starts it gets none, or
 * crashes; ocl-icd loads drivers without a lock. So calls that may start, stop or build anything
 * run one at a time in the whole process. No callback of the caller runs between these two, since
 * it may make a pipeline of its own. */
void cl_lock(void);
void cl_unlock(void);

/* All devices of all platforms, in the loader's order. *out is malloc'ed; a machine without OpenCL
 * has 0 devices, as has one without a loader. Platforms that fail have none: *code is the error of
 * the last of them, or CL_SUCCESS. */
int cl_list(cl_entry **out, size_t *count, cl_int *code);

/* A device's properties. Those that it does not report are 0, and a name "unnamed"; returns the
 * first failure, or CL_SUCCESS. */
cl_int cl_describe(cl_entry e, imp_device_info *out);

/* The device that def->name asks for: "opencl", a number as in imp_device_at, or part of a name.
 * IMP_ERR_DEVICE if there is none. */
int cl_choose(const device_def *def, cl_entry *out);

/* ---- The arguments of OpenCL kernels. */

/* Gives a kernel its NAME_args (launch.h): device_cl.c, [KERNELS]. */
typedef cl_int cl_args(cl_kernel kernel, const void *args);
extern cl_args *const cl_set_args[];

/* ---- device.h on OpenCL devices. */

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

/* ---- Copies between the host's memory and that of a device which has memory of its own, through
 * pinned memory: a device reads and writes that by itself, and at the full speed of the bus. From
 * ordinary memory a driver copies at a third of it, and the call waits. The host fills or empties
 * one piece while the device copies others. */

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

/* ---- What OpenCL devices have in common that are open at once, in one process, on one device: a
 * context, and the programs built in it. Building is nearly all of the time that opening takes,
 * also where the driver has the machine code from an earlier process. Each has a queue, kernels and
 * buffers of its own. */

typedef struct cl_shared cl_shared;

/* The context and program 0, both made if no other open device has them. All of these under
 * cl_lock, since some drivers cannot compile in two threads. */
int cl_share(cl_entry e, const imp_device_info *info, cl_shared **out);

/* Frees what the last one has. */
void cl_unshare(cl_shared *s);

cl_context cl_shared_context(const cl_shared *s);

/* A kernel object of its own, to be released. Builds the kernel's program when it is the first of
 * it. */
int cl_shared_kernel(cl_shared *s, enum kernel kernel, cl_kernel *out);

/* A context may be of no use after an error: those opened from now on get another. Any thread may
 * call it. */
void cl_shared_failed(cl_shared *s);

/* The error of an OpenCL call. Lack of memory is an error of its own: it leads to a smaller block,
 * others to another device. */
int cl_failed(const char *name, const char *what, cl_int code);
const char *cl_error_name(cl_int code);

/* ---- An OpenCL device, as its parts see it: device_cl.c opens it and launches kernels,
 * device_cl_copy.c moves data. */

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

/* ---- Programs as a driver compiled them, in the user's cache folder. Some drivers compile in each
 * process (Intel's for CPUs takes 5 to 14 s for what it then loads in 0.1 s); what others build
 * within CL_CACHE_SECONDS is not kept, as they have caches of their own. A file holds what it was
 * made of: it counts for this version of the kernels, device and driver alone, and only if it is
 * whole. There is one for each device, program and form, so that a new version replaces the old.
 * All of these under cl_lock. */

#define CL_CACHE_SECONDS 3

typedef struct cl_text {
    cl_device_id id;
    const imp_device_info *device;
    cl_context context;
    const char *source, *options;
} cl_text;

/* The program, built; NULL if there is none, or if the driver does not take it. Never an error. */
cl_program cl_cache_find(const cl_text *t);

/* Puts it there; does nothing where that is not possible. */
void cl_cache_add(const cl_text *t, cl_program program);

/* ---- What an OpenCL device has of what launches and buffers need. */

typedef struct cl_traits {
    int host_memory; /* reads the host's memory */
    int large;       /* a GPU, or acts as one */
    int fp64, compute_units;
    uint64_t largest; /* buffer, bytes */
    double slow;      /* how many times slower it is than what it acts as, about */
} cl_traits;

/* No more than def forces on it; *info is what it says of itself. IMP_ERR_DEVICE if that is not
 * enough for the work-groups of the kernels. */
int cl_traits_of(cl_entry e, const device_def *def, imp_device_info *info, cl_traits *out);

#endif
