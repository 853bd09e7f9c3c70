/* A device runs kernels over n items and owns buffers. Two kinds, listed in device.def: the host
 * (`cpu`, OpenMP) and any OpenCL device. Both run the functions of kernels/, so that results are
 * equal bit for bit. */
#ifndef IMP_DEVICE_H
#define IMP_DEVICE_H

#include "impinge.h"
#include "launch.h"
#include "mem.h"

#include <stdatomic.h>

struct readback;

typedef struct device_ops {
    /* Allocates `bytes` or, if memory allows it, `capacity`; b->capacity is the result. */
    int (*alloc)(device *d, buffer *b, size_t bytes, size_t capacity);
    void (*free)(device *d, buffer *b);
    /* devices with views only */
    int (*wrap)(device *d, buffer *b, const void *data, size_t bytes);
    int (*write)(device *d, buffer *b, size_t offset, const source *list, size_t n);
    int (*read)(device *d, const readout *list, size_t n);
    int (*copy)(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
                size_t bytes);
    /* Runs a kernel over `items` items; later calls see its results. items = 0 does nothing. For
     * kernels of work-groups, `items` is a multiple of `group`, the work-group size; else group is
     * 0. args: the kernel's NAME_args. Errors: CANCELLED, checked before each launch, the one step
     * common to all work. */
    int (*run)(device *d, enum kernel kernel, uint64_t items, size_t group, const void *args);
    int (*finish)(device *d);
    /* devices without views only */
    int (*prefetch)(device *d, buffer *b, size_t offset, const source *list, size_t n);
    int (*prefetch_done)(device *d);
    int (*pin)(device *d, struct readback *l, size_t bytes); /* sets no error text */
    void (*unpin)(device *d, struct readback *l);
    int (*readback_begin)(device *d, struct readback *l, const readout *list, size_t n, int beside);
    int (*readback_end)(device *d, struct readback *l);
    int (*readback_done)(device *d, const struct readback *l);
    void (*close)(device *d);
} device_ops;

/* Work that the host does while it waits for a device. */
typedef struct meanwhile {
    int (*run)(void *user); /* does a little; returns 0 if no work is left. NULL: no work */
    void *user;
} meanwhile;

struct device {
    const device_ops *ops;
    mem *mem;
    atomic_int *cancel; /* non-zero: stop soon with IMP_ERR_CANCELLED */
    int threads;        /* threads or compute units that share a launch */
    int alone;          /* little is to be done: one thread of the host does what is no long work */
    int groups;         /* OpenCL: uses the work-group forms of kernels; else those of the host */
    int large;          /* a GPU, or acts as one: only large launches fill it */
    int host_memory;    /* reads host memory: buffers can be views of it */
    int fp64;           /* runs the float64 kernels */
    int queued;         /* launches go through a driver's queue, with a cost for each */
    uint64_t largest;   /* largest buffer, bytes */
    meanwhile meanwhile;
    imp_device_info info;
};

/* The instruction sets for which the host's kernels are compiled. On x86 BASE is SSE2, V3 and V4
 * are the levels of x86-64: AVX2 and AVX-512. Other processors have BASE only. */
enum imp_isa { IMP_ISA_WIDEST, IMP_ISA_BASE, IMP_ISA_V3, IMP_ISA_V4 };

/* Upper limits of an OpenCL device: bytes of a buffer and of local memory, items of a work-group,
 * bits of an address. 0: as the device reports. */
typedef struct device_limits {
    uint64_t largest, local;
    uint32_t group, bits;
} device_limits;

typedef struct device_def {
    const char *name; /* as imp_def.device, but not "auto" */
    int threads;
    mem *mem;
    atomic_int *cancel;
    uint32_t as_gpu;    /* compute units if an OpenCL CPU device acts as a GPU; else 0 */
    device_limits most; /* tests: limits of a smaller device */
    int force_no_fp64;  /* tests: behave as a device without float64 */
    int isa;            /* enum imp_isa of the host's kernels */
    void (*log)(void *user, const char *line);
    void *log_user;
} device_def;

int device_open(const device_def *def, device **out);
void device_close(device *d);

/* Waits for all queued work; returns its error. */
int device_finish(device *d);

/* Sets the work that the host does from now on while it waits for data of a device without
 * host_memory. The device does not wait for that work. A `run` of NULL means no work. */
void device_meanwhile(device *d, meanwhile what);

/* RUN_HERE: with the instructions that d has, if d is the host, else with those of the
 * processor. */
void device_host_run(const device *d, enum kernel kernel, uint32_t items, const void *args);

/* For the implementations. */
int device_cancelled(const device *d);
int device_check_cancel(const device *d); /* IMP_ERR_CANCELLED, with a text, if cancelled */
int device_cpu_has(int isa);              /* whether this processor has it */
int device_cpu_open(const device_def *def, device **out);
int device_cl_open(const device_def *def, device **out);
int device_cl_at(size_t index, imp_device_info *out); /* index 0 is the first OpenCL device */

/* ---- Readback: host memory for reads from a device that overlap with other work of both. For a
 * device with memory of its own it is pinned: the device copies to it directly, without a further
 * copy. */

/* Zero at first. */
typedef struct readback {
    void *at;
    size_t capacity; /* bytes */
    void *native;    /* cl_mem, mapped at `at`; NULL: the memory is not pinned */
    void *event;     /* cl_event of reads in progress; NULL: none */
} readback;

/* Makes at least `bytes` bytes at l->at; its contents are lost. Errors: MEMORY. */
int readback_fit(device *d, readback *l, size_t bytes);
void readback_free(device *d, readback *l);

/* Begins reads, of at least a byte each, to places in l->at. beside: they overlap with work queued
 * later, which must not write to these buffers before readback_end. */
int readback_begin(device *d, readback *l, const readout *list, size_t n, int beside);

/* Returns whether the reads are complete, so that readback_end does not wait. */
int readback_done(device *d, const readback *l);

/* Waits for the reads. */
int readback_end(device *d, readback *l);

#endif
