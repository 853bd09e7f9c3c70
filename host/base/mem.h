/* Memory under a limit: every buffer of a pipeline, on the host or a device, is counted here.
 * Threads may share it while the limit stays as it is. */
#ifndef IMP_MEM_H
#define IMP_MEM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* All zero but for the limit at first. Where the same work comes again and again, `keeps` is set:
 * then blocks have some room to spare, which is counted, and what mem_free is given serves the next
 * who asks for about as much. So blocks are had from the system, and their pages touched for the
 * first time, only while the work grows. Neither makes anything fail: where the limit is near
 * blocks are as small as may be, and those that are kept are given back. */
typedef struct mem {
    uint64_t limit; /* 0: none */
    _Atomic uint64_t now, peak;
    int keeps;
    atomic_int busy;           /* somebody looks at what follows */
    struct mem_block *kept;    /* with nobody, counted in `now` */
    _Atomic uint64_t kept_now; /* bytes */
    uint64_t turn;
} mem;

/* Counts `bytes` that somebody else allocates. IMP_ERR_MEMORY if the limit forbids it. */
int mem_reserve(mem *m, uint64_t bytes);
void mem_release(mem *m, uint64_t bytes);

/* Of two sizes, in bytes, the greater that the limit allows is counted: `room`, or `bytes` as
 * mem_reserve does. Returns which, or 0 with the error's text. */
size_t mem_reserve_room(mem *m, size_t bytes, size_t room);

/* bytes that the limit still allows */
uint64_t mem_left(const mem *m);

/* 64-byte aligned host memory, not initialised, at *out (any pointer type); large blocks begin on
 * huge pages and ask for them. 0 bytes give a valid pointer. On failure *out is NULL. */
int mem_alloc(mem *m, size_t bytes, void *out);
void mem_free(mem *m, void *p);

/* mem_alloc with room for more bytes, if it keeps and the limit allows it; mem_room tells. */
int mem_alloc_room(mem *m, size_t bytes, size_t room, void *out);
size_t mem_room(const void *p);

/* mem_free of what will not be asked for again: nothing is kept. */
void mem_drop(mem *m, void *p);

/* Like mem_alloc for a growing array: keeps the first `keep` bytes. On failure *inout is as it
 * was. */
int mem_grow(mem *m, size_t keep, size_t bytes, void *inout);

/* Grows an array of elements of `size` bytes, of which `count` are in use, so that one more fits. */
int mem_fit(mem *m, size_t count, size_t *capacity, size_t size, void *inout);

/* A piece of the work is done, all pieces being alike: gives back what has served nobody for two
 * of them. mem_close gives back all that is kept. */
void mem_turn(mem *m);
void mem_close(mem *m);

/* A little more than so many bytes, so that pieces that differ a little ask for the same. */
size_t mem_roomy(size_t bytes);

/* Physical memory of the machine, bytes. */
uint64_t mem_machine(void);

#endif
