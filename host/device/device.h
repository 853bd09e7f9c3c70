/* A device runs kernels over n items and owns buffers. Two kinds, listed in device.def: the host
 * (`cpu`, OpenMP) and any OpenCL device. Both run the functions of kernels/, so results are equal
 * bit for bit. */
#ifndef IMP_DEVICE_H
#define IMP_DEVICE_H

#include "impinge.h"
#include "mem.h"

#include <stdatomic.h>

enum kernel {
#define X(name, kind, args) KERNEL_##name,
#include "kernels.def"
#undef X
    KERNELS
};

enum kernel_kind {
    KERNEL_MAP,
    KERNEL_EIGHT,
    KERNEL_HEAVY,
    KERNEL_HEAVY_TILE,
    KERNEL_TILE,
    KERNEL_GROUP
};

typedef struct kernel_info {
    const char *name;
    enum kernel_kind kind;
    int args;
} kernel_info;

extern const kernel_info kernel_table[KERNELS];

typedef struct buffer {
    size_t bytes; /* what may be used */
    size_t room;  /* what is allocated; 0: nothing, or a view of somebody else's memory */
    void *data;   /* cpu */
    void *native; /* cl_mem */
} buffer;

/* One argument of a kernel: a buffer, or a value of `size` bytes. */
typedef struct kernel_arg {
    const buffer *buf;
    uint64_t value;
    size_t size;
} kernel_arg;

#define BUF(b) ((kernel_arg){.buf = (b)})
#define U32(v) ((kernel_arg){.value = (uint32_t)(v), .size = 4})
#define U64(v) ((kernel_arg){.value = (uint64_t)(v), .size = 8})

typedef struct device device;

typedef struct device_ops {
    int (*alloc)(device *d, buffer *b, size_t bytes);
    void (*free)(device *d, buffer *b);
    int (*wrap)(device *d, buffer *b, const void *data, size_t bytes);
    int (*write)(device *d, buffer *b, size_t offset, const void *data, size_t bytes);
    int (*read)(device *d, const buffer *b, size_t offset, void *data, size_t bytes);
    int (*copy)(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
                size_t bytes);
    int (*run)(device *d, enum kernel kernel, uint64_t items, size_t group, const kernel_arg *arg,
               int args);
    int (*finish)(device *d);
    void (*close)(device *d);
} device_ops;

struct device {
    const device_ops *ops;
    mem *mem;
    atomic_int *cancel; /* non-zero: stop soon with IMP_ERR_CANCELLED */
    int threads;        /* that share a launch: of the host, or compute units */
    int group_forms;    /* scan and sort by work-groups; else an item a tile */
    int fp64;           /* can run the float64 kernels */
    uint64_t largest;   /* largest buffer, bytes */
    imp_device_info info;
};

typedef struct device_def {
    const char *name; /* as imp_def.device, but not "auto" */
    int threads;
    mem *mem;
    atomic_int *cancel;
    int force_group_forms; /* tests: work-group forms on a CPU device */
    int force_no_fp64;     /* tests: behave as a device without float64 */
    int force_narrow; /* tests: the host's kernels without vectors (1), with AVX2 at most (2) */
    void (*log)(void *user, const char *line);
    void *log_user;
} device_def;

int device_open(const device_def *def, device **out);
void device_close(device *d);

/* b holds at least `bytes` afterwards; what it held is lost. Small changes reuse the room. */
int buffer_fit(device *d, buffer *b, size_t bytes);

/* The same, but the first `keep` bytes stay. */
int buffer_grow(device *d, buffer *b, size_t keep, size_t bytes);

void buffer_free(device *d, buffer *b);

/* A read-only view of the caller's memory where the device shares it, else a copy. The memory must
 * outlive b. Undone by buffer_free, which waits for what reads it. */
int buffer_wrap(device *d, buffer *b, const void *data, size_t bytes);

int buffer_write(device *d, buffer *b, size_t offset, const void *data, size_t bytes);
int buffer_read(device *d, const buffer *b, size_t offset, void *data, size_t bytes);
int buffer_copy(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
                size_t bytes);

/* Fits b and writes the array. */
int buffer_put(device *d, buffer *b, const void *data, size_t bytes);

/* Runs a kernel over `items` items; later calls see its results. items = 0 does nothing.
 * For KERNEL_GROUP, `items` is a multiple of `group`, the work-group size; else group is 0. */
int device_run(device *d, enum kernel kernel, uint64_t items, size_t group, const kernel_arg *arg,
               int args);

#define ARGS(...)                                                                                  \
    (const kernel_arg[]){__VA_ARGS__},                                                             \
        (int)(sizeof((const kernel_arg[]){__VA_ARGS__}) / sizeof(kernel_arg))

/* RUN(d, name, n, arguments after n): ordinary kernels, whose first argument is n itself */
#define RUN(d, kernel, n, ...) device_run(d, KERNEL_##kernel, n, 0, ARGS(U32(n), __VA_ARGS__))

#define RUN_GROUP(d, kernel, items, group, ...)                                                    \
    device_run(d, KERNEL_##kernel, items, group, ARGS(__VA_ARGS__))

/* Waits for everything; reports what went wrong. */
int device_finish(device *d);

/* For the implementations. */
int device_cancelled(const device *d);
int device_cpu_open(const device_def *def, device **out);
int device_cl_open(const device_def *def, device **out);
int device_cl_at(size_t index, imp_device_info *out); /* index 0 is the first OpenCL device */

#endif
