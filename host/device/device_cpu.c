/* The host as a device: kernels are C loops over ranges of items, distributed over OpenMP
 * threads. */
#include "device_cpu.h"

#include "error.h"
#include "float_env.h"
#include "machine.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread's share of a launch, taken in grabs from `next` on. */
typedef struct cpu_share {
    _Alignas(64) atomic_uint_fast64_t next; /* one cache line each */
    uint64_t end;
} cpu_share;

typedef struct device_cpu {
    device base;
    cpu_kernel *const *kernels;
    cpu_share *share; /* [threads] */
} device_cpu;

/* The compiled kernels by instruction set. */
static const struct cpu_set {
    const char *name;
    cpu_kernel *const *kernels;
} sets[] = {
#ifdef IMP_CPU_VARIANTS
    [IMP_ISA_BASE] = {"x86-64 (SSE2)", cpu_kernels_base},
    [IMP_ISA_V3] = {"x86-64-v3 (AVX2)", cpu_kernels_v3},
    [IMP_ISA_V4] = {"x86-64-v4 (AVX-512)", cpu_kernels_v4},
#elif defined(__aarch64__)
    [IMP_ISA_BASE] = {"ARMv8 (NEON)", cpu_kernels_base},
#else
    [IMP_ISA_BASE] = {"any processor", cpu_kernels_base},
#endif
};

int device_cpu_has(int isa)
{
#ifdef IMP_CPU_VARIANTS
    __builtin_cpu_init();
    if (isa == IMP_ISA_V4)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (isa == IMP_ISA_V3)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("fma");
#endif
    return isa == IMP_ISA_BASE;
}

/* Terminates at the base set, which every processor has. */
static int cpu_widest(void)
{
    int isa = IMP_ISA_V4;
    while (!device_cpu_has(isa))
        isa--;
    return isa;
}

static int cpu_alloc(device *d, buffer *b, size_t bytes, size_t capacity)
{
    int err = mem_alloc_spare(d->mem, bytes, capacity, &b->data);
    if (err)
        return err;
    b->capacity = mem_capacity(b->data);
#ifdef IMP_POISON
    /* NaN and huge indices: a kernel that reads unwritten memory fails without a GPU */
    memset(b->data, 0xff, b->capacity);
#endif
    return IMP_OK;
}

static void cpu_free(device *d, buffer *b)
{
    /* A view of the caller's memory has no capacity. Buffers are not cached by `mem`: their owners
     * reuse them from block to block. */
    if (b->capacity)
        mem_drop(d->mem, b->data);
}

static int cpu_wrap(device *d, buffer *b, const void *data, size_t bytes)
{
    (void)d;
    memcpy(&b->data, &data, sizeof data); /* kernels only read it */
    b->bytes = bytes;
    return IMP_OK;
}

/* Launches are synchronous, so a copy need not wait for any. */
static int cpu_write(device *d, buffer *b, size_t offset, const source *list, size_t n)
{
    sources_copy(list, n, (char *)b->data + offset, d->threads);
    return IMP_OK;
}

static int cpu_read(device *d, const readout *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].bytes)
            bytes_copy_shared(list[i].to, (const char *)list[i].from->data + list[i].offset,
                              list[i].bytes, d->threads);
    return IMP_OK;
}

static int cpu_copy(device *d, const buffer *from, size_t from_offset, buffer *to, size_t to_offset,
                    size_t bytes)
{
    bytes_copy_shared((char *)to->data + to_offset, (const char *)from->data + from_offset, bytes,
                      d->threads);
    return IMP_OK;
}

/* Items of one grab: enough grabs to balance uneven work, few enough to cost little. A thread gets
 * about 8 or 16 grabs, within bounds by kind: light items need long grabs. */
static uint64_t cpu_grain(const device *d, enum kernel kernel, uint64_t items)
{
    enum kernel_kind kind = kernel_table[kernel].kind;
    if (kind == KERNEL_HEAVY_TILE)
        return 1;
    if (kind == KERNEL_TILE)
        return items / ((uint64_t)d->threads * 16) + 1;
    uint64_t least = kind == KERNEL_HEAVY ? 1 : kind == KERNEL_EIGHT ? 32 : 512;
    uint64_t most = kind == KERNEL_HEAVY ? 64 : kind == KERNEL_EIGHT ? 1024 : 8192;
    uint64_t grain = items / ((uint64_t)d->threads * 8) + 1;
    return grain < least ? least : grain < most ? grain : most;
}

/* The most items of a launch that one thread does in the time that waking others takes. A tile has
 * a part of what little there is. */
static uint64_t cpu_alone(enum kernel kernel)
{
    switch (kernel_table[kernel].kind) {
    case KERNEL_TILE:
        return UINT64_MAX;
    case KERNEL_EIGHT:
        return 512;
    case KERNEL_HEAVY_TILE:
        return 16;
    case KERNEL_HEAVY:
        return 1;
    default:
        return 8192;
    }
}

/* A thread begins with the same part of the items in every launch, since data it wrote in the one
 * before are in its cache; then it takes grabs of others' shares. All threads take part, even if
 * some have nothing to do: a team that shrinks loses its threads, and the next launch would have to
 * create them again. After a cancel the rest of the launch is skipped grab by grab. */
static int cpu_run(device *d, enum kernel kernel, uint64_t items, size_t group, const void *args)
{
    (void)group;
    device_cpu *c = (device_cpu *)d;
    cpu_kernel *const run = c->kernels[kernel];
    const uint64_t grain = cpu_grain(d, kernel, items), threads = (uint64_t)d->threads;
    const uint64_t grabs = (items + grain - 1) / grain;
    const int err = device_check_cancel(d),
              shared = grabs > 1 && !(d->alone && items <= cpu_alone(kernel));
    if (err || !items)
        return err;
    for (uint64_t t = 0; t < threads; t++) {
        atomic_store(&c->share[t].next, grabs * t / threads);
        c->share[t].end = grabs * (t + 1) / threads;
    }
#pragma omp parallel num_threads(d->threads) if (shared)
    EACH_IN_FLOAT_ENV
    for (int thread = omp_get_thread_num(), k = 0; k < d->threads; k++) {
        cpu_share *s = &c->share[(thread + k) % d->threads];
        /* Read before it is changed, so that threads that find the share empty do not contend for
         * its cache line. */
        while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
            const uint64_t grab = atomic_fetch_add(&s->next, 1);
            const uint64_t begin = grab * grain, end = begin + grain;
            if (grab < s->end && !device_cancelled(d))
                run(args, (uint32_t)begin, (uint32_t)(end < items ? end : items));
        }
    }
    return device_check_cancel(d);
}

/* Launches are synchronous. */
static int cpu_finish(device *d)
{
    (void)d;
    return IMP_OK;
}

static void cpu_close(device *d)
{
    free(((device_cpu *)d)->share);
    free(d);
}

static const device_ops cpu_ops = {
    cpu_alloc, cpu_free, cpu_wrap, cpu_write, cpu_read, cpu_copy, cpu_run, cpu_finish,
    NULL,      NULL,     NULL,     NULL,      NULL,     NULL,     NULL,    cpu_close,
};

void device_host_run(const device *d, enum kernel kernel, uint32_t items, const void *args)
{
    const int host = d->ops == &cpu_ops;
    (host ? ((const device_cpu *)d)->kernels : sets[cpu_widest()].kernels)[kernel](args, 0, items);
}

/* The processor's name, if the system reports it. */
static void cpu_model(char *out, size_t size)
{
    /* Used if the file has no such line, as on other architectures. */
    snprintf(out, size, "cpu");
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon)
            continue;
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, size, "%s", colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

int device_cpu_open(const device_def *def, device **out)
{
    int isa = def->isa ? def->isa : cpu_widest();
    if (!device_cpu_has(isa))
        return imp_fail(IMP_ERR_DEVICE, "this processor has no instruction set %s",
                        isa == IMP_ISA_V3 ? "v3" : "v4");
    int threads = def->threads > 0 ? def->threads : processors_threads(0);
    device_cpu *d = calloc(1, sizeof *d);
    /* Each share has a cache line of its own, so the array begins on one. */
    cpu_share *share = aligned_alloc(_Alignof(cpu_share), (size_t)threads * sizeof *share);
    if (!d || !share) {
        free(d);
        free(share);
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    }
    d->kernels = sets[isa].kernels;
    d->share = share;
    d->base.ops = &cpu_ops;
    d->base.mem = def->mem;
    d->base.cancel = def->cancel;
    d->base.threads = threads;
    d->base.host_memory = 1;
    d->base.fp64 = 1;
    imp_device_info *info = &d->base.info;
    snprintf(info->platform, sizeof info->platform, "host");
    cpu_model(info->name, sizeof info->name);
    snprintf(info->version, sizeof info->version, "OpenMP %d, %s", _OPENMP, sets[isa].name);
    snprintf(info->driver, sizeof info->driver, "%s", IMP_VERSION);
    info->fp64 = 1;
    info->memory = info->largest_buffer = mem_machine();
    info->compute_units = (uint32_t)d->base.threads;
    *out = &d->base;
    return IMP_OK;
}
