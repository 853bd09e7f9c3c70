/* The parts of the driver (fake_cl.h), which are hidden outside of its library. */
#ifndef IMP_FAKE_CL_PARTS_H
#define IMP_FAKE_CL_PARTS_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "fake_cl.h"
#include "fake_kernels.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stddef.h>

#define FAKE_DEVICES_MOST 4096
#define FAKE_ARGS_MOST 32

extern fake_cl fake;
extern atomic_long fake_cl_launches[FAKE_DEVICES_MOST]; /* for each device */

/* ---- objects: the loader requires the table of functions first in each */

typedef struct object {
    const cl_icd_dispatch *dispatch;
    int kind;
} object;

enum kind { PLATFORM = 1, DEVICE, CONTEXT, QUEUE, PROGRAM, KERNEL, MEMORY, EVENT };

typedef struct fake_queue {
    object base;
    int launched, device;
} fake_queue;

typedef struct fake_program {
    object base;
    int from_code;
} fake_program;

typedef struct fake_kernel {
    object base;
    enum kernel kernel;
    fake_arg arg[FAKE_ARGS_MOST];
    size_t size[FAKE_ARGS_MOST];
} fake_kernel;

/* An object of this kind, or NULL. */
void *fake_cl_make(enum kind kind, size_t size);

/* Frees it; what is no object of this kind is a fault. */
cl_int fake_cl_release(void *p, enum kind kind);

/* Counts a fault if it is no object of this kind. */
void fake_cl_equals(const void *p, enum kind kind);

/* The code that the call returns: CL_SUCCESS or an injected error. Every call that can fail calls
 * this once. */
cl_int fake_cl_fault(void);

/* Returns p; *out is the code, or that of a lack of memory where p is NULL. */
void *fake_cl_made(void *p, cl_int code, cl_int *out);

/* A line of the log. */
void fake_cl_note(const char *what);

/* ---- fake_cl_memory.c: buffers, transfers, events */

CL_API_ENTRY cl_mem CL_API_CALL fake_cl_create_buffer(cl_context c, cl_mem_flags flags,
                                                      size_t bytes, void *host, cl_int *out);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_release_buffer(cl_mem handle);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_wait_for_events(cl_uint n, const cl_event *list);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_event_info(cl_event e, cl_event_info what, size_t size,
                                                   void *value, size_t *needed);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_release_event(cl_event e);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_read(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                     size_t offset, size_t bytes, void *to,
                                                     cl_uint n, const cl_event *list, cl_event *e);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_write(cl_command_queue q, cl_mem m,
                                                      cl_bool blocking, size_t offset, size_t bytes,
                                                      const void *from, cl_uint n,
                                                      const cl_event *list, cl_event *e);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_marker(cl_command_queue q, cl_uint n,
                                                       const cl_event *list, cl_event *e);
CL_API_ENTRY void *CL_API_CALL fake_cl_enqueue_map(cl_command_queue q, cl_mem m, cl_bool blocking,
                                                   cl_map_flags flags, size_t offset, size_t bytes,
                                                   cl_uint n, const cl_event *list, cl_event *e,
                                                   cl_int *out);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_unmap(cl_command_queue q, cl_mem m, void *at,
                                                      cl_uint n, const cl_event *list, cl_event *e);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_copy(cl_command_queue q, cl_mem from, cl_mem to,
                                                     size_t from_offset, size_t to_offset,
                                                     size_t bytes, cl_uint n, const cl_event *list,
                                                     cl_event *e);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_flush(cl_command_queue q);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_finish(cl_command_queue q);

/* Finds those arguments of a launch that are buffers. */
void fake_cl_find_buffers(fake_kernel *k);

/* ---- fake_cl_launch.c: kernels */

CL_API_ENTRY cl_kernel CL_API_CALL fake_cl_create_kernel(cl_program p, const char *name,
                                                         cl_int *out);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_set_arg(cl_kernel kernel, cl_uint i, size_t size,
                                                const void *value);
CL_API_ENTRY cl_int CL_API_CALL fake_cl_enqueue_kernel(cl_command_queue q, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint n, const cl_event *list,
                                                       cl_event *e);

#endif
