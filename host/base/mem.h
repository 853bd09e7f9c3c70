/* Memory under a limit: every buffer of a pipeline, on the host or a device, is counted here.
 * Threads may share it while the limit stays as it is. */
#ifndef IMP_MEM_H
#define IMP_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mem {
    uint64_t limit; /* 0: none */
    _Atomic uint64_t now, peak;
} mem;

/* Counts `bytes` that somebody else allocates. IMP_ERR_MEMORY if the limit forbids it. */
int mem_reserve(mem *m, uint64_t bytes);
void mem_release(mem *m, uint64_t bytes);

/* bytes that the limit still allows */
uint64_t mem_left(const mem *m);

/* 64-byte aligned host memory, not initialised, at *out (any pointer type). 0 bytes give a valid
 * pointer. On failure *out is NULL. */
int mem_alloc(mem *m, size_t bytes, void *out);
void mem_free(mem *m, void *p);

/* Like mem_alloc for a growing array: keeps the first `keep` bytes. On failure *inout is as it
 * was. */
int mem_grow(mem *m, size_t keep, size_t bytes, void *inout);

/* Physical memory of the machine, bytes. */
uint64_t mem_machine(void);

#endif
