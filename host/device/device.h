/* A device runs kernels over n items and owns buffers. Two kinds, listed in device.def: the host
 * (`cpu`, OpenMP) and any OpenCL device. Both run the functions of kernels/, so results are equal
 * bit for bit. */
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
    /* Of devices with views. */
    int (*wrap)(device *d, buffer *b, const void *data, size_t bytes);
    int (*write)(device *d, buffer *b, size_t offset, const source *list, size_t n);
    int (*read)(device *d, const readout *list, size_t n);
    int (*copy)(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
                size_t bytes);
    /* Runs a kernel over `items` items; later calls see its results. items = 0 does nothing. For
     * kernels of work-groups, `items` is a multiple of `group`, the work-group size; else group is
     * 0. args: the kernel's NAME_args. Errors: CANCELLED, checked before each launch: it is the one
     * step that all work has. */
    int (*run)(device *d, enum kernel kernel, uint64_t items, size_t group, const void *args);
    int (*finish)(device *d);
    /* Of devices without views. */
    int (*prefetch)(device *d, buffer *b, size_t offset, const source *list, size_t n);
    int (*prefetch_done)(device *d);
    int (*pin)(device *d, struct readback *l, size_t bytes); /* without an error's text */
    void (*unpin)(device *d, struct readback *l);
    int (*readback_begin)(device *d, struct readback *l, const readout *list, size_t n, int beside);
    int (*readback_end)(device *d, struct readback *l);
    int (*readback_done)(device *d, const struct readback *l);
    void (*close)(device *d);
} device_ops;

/* Work that the host does while it waits for a device. */
typedef struct meanwhile {
    int (*run)(void *user); /* does a little of it; 0: none is left. NULL: there is none */
    void *user;
} meanwhile;

struct device {
    const device_ops *ops;
    mem *mem;
    atomic_int *cancel; /* non-zero: stop soon with IMP_ERR_CANCELLED */
    int threads;        /* that share a launch: of the host, or compute units */
    int groups;         /* OpenCL: kernels in their forms for work-groups; else those of the host */
    int large;          /* a GPU, or as one: fills itself by large launches only */
    int host_memory;    /* reads the host's memory: buffers can be views of it */
    int fp64;           /* can run the float64 kernels */
    int queued;         /* launches go through a driver's queue, at a cost for each */
    uint64_t largest;   /* largest buffer, bytes */
    meanwhile meanwhile;
    imp_device_info info;
};

/* Instruction sets that the host's kernels are compiled for. On x86 BASE is SSE2, V3 and V4 are the
 * levels of x86-64: AVX2 and AVX-512. Other processors have BASE only. */
enum imp_isa { IMP_ISA_WIDEST, IMP_ISA_BASE, IMP_ISA_V3, IMP_ISA_V4 };

/* What an OpenCL device has at most: bytes of a buffer and of local memory, items of a work-group,
 * bits of an address. 0: as many as it says. */
typedef struct device_limits {
    uint64_t largest, local;
    uint32_t group, bits;
} device_limits;

typedef struct device_def {
    const char *name; /* as imp_def.device, but not "auto" */
    int threads;
    mem *mem;
    atomic_int *cancel;
    uint32_t as_gpu;    /* units, if an OpenCL CPU device has to act as a GPU; else 0 */
    device_limits most; /* tests: of a driver that has less */
    int force_no_fp64;  /* tests: behave as a device without float64 */
    int isa;            /* enum imp_isa: of the host's kernels */
    void (*log)(void *user, const char *line);
    void *log_user;
} device_def;

int device_open(const device_def *def, device **out);
void device_close(device *d);

/* Waits for everything; reports what went wrong. */
int device_finish(device *d);

/* From now on, while the host waits for data of a device without host_memory, it does this, until
 * the data is there: the device does not wait for it. Without a run: nothing. */
void device_meanwhile(device *d, meanwhile what);

/* For the implementations. */
int device_cancelled(const device *d);
int device_check_cancel(const device *d); /* CANCELLED, with a text, if it is */
int device_cpu_has(int isa);              /* does this processor have it? */
int device_cpu_open(const device_def *def, device **out);
int device_cl_open(const device_def *def, device **out);
int device_cl_at(size_t index, imp_device_info *out); /* index 0 is the first OpenCL device */

/* ---- Memory of the host where reads from a device land while both do other work. A device with
 * memory of its own copies to it by itself: it is pinned, and nothing is copied once more. */

/* All zero at first. */
typedef struct readback {
    void *at;
    size_t capacity; /* bytes */
    void *native;    /* cl_mem, mapped at `at`; NULL: the memory is not pinned */
    void *event;     /* cl_event of the reads that are not waited for; NULL: there are none */
} readback;

/* At least so many bytes at l->at; what was there is lost. Errors: MEMORY. */
int readback_fit(device *d, readback *l, size_t bytes);
void readback_free(device *d, readback *l);

/* Begins reads, of at least a byte each, to places in l->at. beside: they go beside what is queued
 * later, which must not write to these buffers before readback_end. */
int readback_begin(device *d, readback *l, const readout *list, size_t n, int beside);

/* Are they there, so that nothing needs to be waited for? */
int readback_done(device *d, const readback *l);

/* Waits for them. */
int readback_end(device *d, readback *l);

#endif
