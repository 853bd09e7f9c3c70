/* Launching kernels: types generated from kernels.def. */
#ifndef IMP_LAUNCH_H
#define IMP_LAUNCH_H

#include "buffer.h"

enum kernel {
#define K(name, kind, list) KERNEL_##name,
#define G(name, list) KERNEL_##name,
#include "kernels.def"
    KERNELS
};

enum kernel_kind {
    KERNEL_MAP,
    KERNEL_SPAN,
    KERNEL_EIGHT,
    KERNEL_HEAVY,
    KERNEL_HEAVY_TILE,
    KERNEL_TILE,
    KERNEL_GROUP,
    KERNEL_HEAVY_GROUP
};

typedef struct kernel_info {
    const char *name;
    enum kernel_kind kind;
    int args; /* number of arguments of the kernel */
} kernel_info;

extern const kernel_info kernel_table[KERNELS];

/* The arguments of each kernel, NAME_args. The last member accepts only KERNEL_END, so that a list
 * of another length, or of other types, does not compile. */
typedef struct kernel_end {
    char none;
} kernel_end;
#define KERNEL_END ((kernel_end){0})

typedef uint32_t value_u32;
typedef uint64_t value_u64;

#define IN(type, name) const buffer_##type *name;
#define OUT(type, name) buffer_##type *name;
#define VALUE(type, name) value_##type name;
#define K(name, kind, list)                                                                        \
    typedef struct name##_args {                                                                   \
        uint32_t n;                                                                                \
        list kernel_end end;                                                                       \
    } name##_args;
#define G(name, list)                                                                              \
    typedef struct name##_args {                                                                   \
        list kernel_end end;                                                                       \
    } name##_args;
#include "kernels.def"

/* RUN(d, name, n, arguments as in kernels.def) runs a kernel over n items by device_ops.run
 * (device.h). */
#define RUN(d, kernel, items, ...)                                                                 \
    (d)->ops->run(d, KERNEL_##kernel, items, 0,                                                    \
                  &(const kernel##_args){(uint32_t)(items), __VA_ARGS__, KERNEL_END})

/* Runs a kernel of the host on the calling thread, whatever device d is: on memory of the host. */
#define RUN_HERE(d, kernel, items, ...)                                                            \
    device_host_run(d, KERNEL_##kernel, (uint32_t)(items),                                         \
                    &(const kernel##_args){(uint32_t)(items), __VA_ARGS__, KERNEL_END})

#define RUN_GROUP(d, kernel, items, group, ...)                                                    \
    (d)->ops->run(d, KERNEL_##kernel, items, group, &(const kernel##_args){__VA_ARGS__, KERNEL_END})

#endif
