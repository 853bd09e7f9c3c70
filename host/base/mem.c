/* Counted, limited, aligned allocation. A header before each block has its size. */
#define _GNU_SOURCE
#include "mem.h"

#include "machine.h"
#include "error.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN 64
#define PAGE ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)
#define TURNS 2 /* epochs for which an unused block is cached */

typedef struct mem_block {
    size_t capacity;        /* bytes after the header, as counted */
    struct mem_block *next; /* next cached block; and the epoch since when */
    uint64_t epoch;
} mem_block;
_Static_assert(sizeof(mem_block) <= ALIGN, "a header is ALIGN bytes");

/* Cached blocks must not be accessed: with the sanitizer this is an error, and blocks end exactly
 * at their size. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define FORBID(p, bytes) ASAN_POISON_MEMORY_REGION(p, bytes)
#define ALLOW(p, bytes) ASAN_UNPOISON_MEMORY_REGION(p, bytes)
#else
#define FORBID(p, bytes) (void)(p)
#define ALLOW(p, bytes) (void)(p)
#endif

/* ---- counting */

/* Never exceeds the limit, not even for a moment: another thread may read the count. Returns 0 if
 * the limit forbids it. */
static int mem_count_within_limit(mem *m, uint64_t bytes)
{
    uint64_t before = atomic_load(&m->now);
    do
        if (m->limit && (before > m->limit || bytes > m->limit - before))
            return 0;
    while (!atomic_compare_exchange_weak(&m->now, &before, before + bytes));
    uint64_t now = before + bytes;
    /* Another thread may raise the peak in between: only a greater value is written. */
    uint64_t peak = atomic_load(&m->peak);
    while (peak < now && !atomic_compare_exchange_weak(&m->peak, &peak, now))
        ;
    return 1;
}

/* Cached blocks are counted as well: after freeing them a second try may fit. */
int mem_reserve(mem *m, uint64_t bytes)
{
    if (mem_count_within_limit(m, bytes))
        return IMP_OK;
    mem_close(m);
    if (mem_count_within_limit(m, bytes))
        return IMP_OK;
    return imp_fail(
        IMP_ERR_MEMORY,
        "the memory limit is too small: of %llu bytes that it leaves here %llu are in use, "
        "%llu more needed",
        (unsigned long long)m->limit, (unsigned long long)atomic_load(&m->now),
        (unsigned long long)bytes);
}

size_t mem_reserve_most(mem *m, size_t bytes, size_t most)
{
    if (most > bytes && mem_count_within_limit(m, most))
        return most;
    return mem_reserve(m, bytes) ? 0 : bytes;
}

void mem_release(mem *m, uint64_t bytes)
{
    atomic_fetch_sub(&m->now, bytes);
}

/* Cached blocks count as free. */
uint64_t mem_left(const mem *m)
{
    uint64_t now = atomic_load(&m->now), cached = atomic_load(&m->cached_bytes);
    if (!m->limit)
        return UINT64_MAX;
    now -= cached < now ? cached : now; /* both are not read at the same instant */
    return now < m->limit ? m->limit - now : 0;
}

/* ---- blocks */

static size_t round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

/* Up to an eighth more; for large blocks whole huge pages, which include the header. */
size_t mem_spare_size(size_t bytes)
{
#ifdef IMP_POISON
    return bytes; /* blocks end exactly at their size, so that overruns are found */
#else
    size_t step = ALIGN;
    while (step < HUGE_PAGE && (step * 16 < bytes || bytes >= 2 * HUGE_PAGE))
        step *= 2;
    return round_up(bytes + ALIGN, step) - ALIGN;
#endif
}

/* Copies the pointer, since callers' pointers may be to const. */
static mem_block *mem_header_of(const void *p)
{
    void *at;
    memcpy(&at, &p, sizeof at);
    return (mem_block *)(void *)((char *)at - ALIGN);
}

static void *block_data(mem_block *b)
{
    return (char *)b + ALIGN;
}

/* Huge pages: fewer page faults and TLB misses. */
void *mem_uncounted(size_t bytes)
{
    const size_t align = bytes >= HUGE_PAGE ? HUGE_PAGE : ALIGN;
    void *p = bytes <= SIZE_MAX - align ? aligned_alloc(align, round_up(bytes, align)) : NULL;
    if (p && align == HUGE_PAGE)
        madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return p;
}

/* Only counted memory is requested. */
static mem_block *block_new(size_t capacity)
{
    mem_block *b = mem_uncounted(capacity + ALIGN);
    if (b)
        *b = (mem_block){.capacity = capacity};
    return b;
}

/* Touches the pages of spare capacity now, which is used later. */
static void block_touch(mem_block *b, size_t bytes)
{
    volatile char *p = block_data(b);
    for (size_t i = round_up(bytes, PAGE); i < b->capacity; i += PAGE)
        p[i] = 0;
    if (bytes < b->capacity)
        p[b->capacity - 1] = 0;
}

static void block_free(mem *m, mem_block *b)
{
    mem_release(m, b->capacity);
    free(b);
}

/* ---- cached blocks */

/* Held for a few steps through a short list, so a waiting thread yields instead of sleeping. */
static void mem_lock(mem *m)
{
    while (atomic_exchange(&m->busy, 1))
        sched_yield();
}

static void unlock(mem *m)
{
    atomic_store(&m->busy, 0);
}

/* Unlinks *at from the list. */
static mem_block *mem_cache_unlink(mem *m, mem_block **at)
{
    mem_block *b = *at;
    *at = b->next;
    atomic_fetch_sub(&m->cached_bytes, b->capacity);
    ALLOW(block_data(b), b->capacity);
    return b;
}

/* Takes the smallest cached block that is large enough. A block more than twice as large as a new
 * one is left for a request of its own size. */
static mem_block *mem_cache_take(mem *m, size_t bytes, size_t most)
{
    const size_t as_new = mem_spare_size(most);
    mem_block **best = NULL;
    mem_lock(m);
    for (mem_block **at = &m->cached; *at; at = &(*at)->next)
        if ((*at)->capacity >= bytes && (*at)->capacity / 2 <= as_new &&
            (!best || (*at)->capacity < (*best)->capacity))
            best = at;
    mem_block *b = best ? mem_cache_unlink(m, best) : NULL;
    unlock(m);
    return b;
}

static void mem_cache_put(mem *m, mem_block *b)
{
    FORBID(block_data(b), b->capacity);
    mem_lock(m);
    b->epoch = m->epoch;
    b->next = m->cached;
    m->cached = b;
    atomic_fetch_add(&m->cached_bytes, b->capacity);
    unlock(m);
}

/* Frees blocks that were cached in epoch `last` or before. Called with the lock held. */
static void mem_cache_free(mem *m, uint64_t last)
{
    for (mem_block **at = &m->cached; *at;)
        if ((*at)->epoch <= last)
            block_free(m, mem_cache_unlink(m, at));
        else
            at = &(*at)->next;
}

void mem_end_epoch(mem *m)
{
    mem_lock(m);
    if (m->epoch++ >= TURNS)
        mem_cache_free(m, m->epoch - 1 - TURNS);
    unlock(m);
}

void mem_close(mem *m)
{
    mem_lock(m);
    mem_cache_free(m, m->epoch);
    unlock(m);
}

/* ---- allocation */

/* `out` may point to any pointer type, so its bits are copied: an assignment through void ** would
 * break aliasing rules. */
int mem_alloc_spare(mem *m, size_t bytes, size_t most, void *out)
{
    void *p = NULL;
    memcpy(out, &p, sizeof p);
    /* Beyond any machine; the check also keeps rounding up from overflowing. */
    if (bytes > SIZE_MAX / 2 || most > SIZE_MAX / 2)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    mem_block *b = m->caches ? mem_cache_take(m, bytes, most) : NULL;
    if (!b) {
        size_t size = mem_reserve_most(m, bytes, m->caches ? mem_spare_size(most) : bytes);
        if (!size && bytes)
            return IMP_ERR_MEMORY;
        b = block_new(size);
        if (!b) {
            mem_release(m, size);
            return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
        }
        block_touch(b, bytes);
    }
    p = block_data(b);
    memcpy(out, &p, sizeof p);
    return IMP_OK;
}

int mem_alloc(mem *m, size_t bytes, void *out)
{
    return mem_alloc_spare(m, bytes, bytes, out);
}

size_t mem_capacity(const void *p)
{
    return mem_header_of(p)->capacity;
}

/* Caches the block: a pipeline soon requests the same sizes again. */
void mem_free(mem *m, void *p)
{
    if (p && m->caches)
        mem_cache_put(m, mem_header_of(p));
    else
        mem_drop(m, p);
}

void mem_drop(mem *m, void *p)
{
    if (p)
        block_free(m, mem_header_of(p));
}

int mem_grow(mem *m, size_t keep_bytes, size_t bytes, void *inout)
{
    void *old, *p;
    memcpy(&old, inout, sizeof old);
    int err = mem_alloc(m, bytes, &p);
    if (err)
        return err;
    if (old && keep_bytes)
        memcpy(p, old, keep_bytes);
    /* The old block's size is no longer needed. */
    mem_drop(m, old);
    memcpy(inout, &p, sizeof p);
    return IMP_OK;
}

int mem_fit(mem *m, size_t count, size_t *capacity, size_t size, void *inout)
{
    const size_t more = 2 * *capacity + 16;
    int err = count < *capacity ? IMP_OK : mem_grow(m, count * size, more * size, inout);
    if (!err && count >= *capacity)
        *capacity = more;
    return err;
}

/* 4 GiB if the system does not report it. */
uint64_t mem_machine(void)
{
    cgroup_limits group;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)1 << 32;
    cgroup_own(&group);
    return group.memory < all ? group.memory : all;
}
