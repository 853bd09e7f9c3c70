/* Memory under a limit: every buffer of a pipeline, on the host or a device, is counted here.
 * Threads may share it while the limit stays as it is. */
#ifndef IMP_MEM_H
#define IMP_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* All zero except the limit at first. Set `keeps` where the same work comes again and again: then
 * blocks have some spare capacity, which is counted, and mem_free keeps a block for the next
 * request of about that size. So memory comes from the system, and its pages are touched for the
 * first time, only while the work grows. Neither makes anything fail: near the limit blocks have no
 * spare capacity, and those that are kept are given back. */
typedef struct mem {
    uint64_t limit; /* 0: none */
    _Atomic uint64_t now, peak;
    int caches;
    atomic_int busy;               /* a thread reads or changes what follows */
    struct mem_block *cached;      /* not in use, counted in `now` */
    _Atomic uint64_t cached_bytes; /* bytes */
    uint64_t epoch;
} mem;

/* Counts `bytes` that the caller allocates elsewhere. IMP_ERR_MEMORY if the limit forbids it. */
int mem_reserve(mem *m, uint64_t bytes);
void mem_release(mem *m, uint64_t bytes);

/* Counts the greater of two sizes that the limit allows: `most`, or `bytes` as mem_reserve does.
 * Returns which, or 0 with the error's text. */
size_t mem_reserve_most(mem *m, size_t bytes, size_t most);

/* bytes that the limit still allows */
uint64_t mem_left(const mem *m);

/* 64-byte aligned host memory, not initialised, at *out (any pointer type); large blocks begin on
 * huge pages and ask for them. 0 bytes give a valid pointer. On failure *out is NULL. */
int mem_alloc(mem *m, size_t bytes, void *out);
void mem_free(mem *m, void *p);

/* mem_alloc of up to `most` bytes, if it keeps and the limit allows it; mem_capacity is how many
 * there are. */
int mem_alloc_spare(mem *m, size_t bytes, size_t most, void *out);
size_t mem_capacity(const void *p);

/* mem_free of what is not needed again: nothing is kept. */
void mem_drop(mem *m, void *p);

/* Like mem_alloc for a growing array: keeps the first `keep` bytes. On failure *inout is as it
 * was. */
int mem_grow(mem *m, size_t keep, size_t bytes, void *inout);

/* Grows an array of elements of `size` bytes, of which `count` are in use, so that one more fits.
 */
int mem_fit(mem *m, size_t count, size_t *capacity, size_t size, void *inout);

/* One of many equal pieces of work is done: gives back what was not used in the last two. mem_close
 * gives back all that is kept. */
void mem_end_epoch(mem *m);
void mem_close(mem *m);

/* A little more than this number of bytes, so that pieces that differ a little ask for the same. */
size_t mem_spare_size(size_t bytes);

/* Physical memory of the machine, bytes. */
uint64_t mem_machine(void);

#endif
