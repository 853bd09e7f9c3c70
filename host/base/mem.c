/* Counted, limited, aligned allocation. A header before each block remembers its size. */
#define _GNU_SOURCE
#include "mem.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGN 64
#define HUGE_PAGE ((size_t)2 << 20)

int mem_reserve(mem *m, uint64_t bytes)
{
    uint64_t before = atomic_load(&m->now);
    do { /* never over the limit, not even for a moment: another thread may ask */
        if (m->limit && (before > m->limit || bytes > m->limit - before))
            return imp_fail(
                IMP_ERR_MEMORY,
                "the memory limit of %llu bytes is too small: %llu in use, %llu more needed",
                (unsigned long long)m->limit, (unsigned long long)before,
                (unsigned long long)bytes);
    } while (!atomic_compare_exchange_weak(&m->now, &before, before + bytes));
    uint64_t now = before + bytes;
    uint64_t peak = atomic_load(&m->peak);
    while (peak < now && !atomic_compare_exchange_weak(&m->peak, &peak, now))
        ;
    return IMP_OK;
}

void mem_release(mem *m, uint64_t bytes)
{
    atomic_fetch_sub(&m->now, bytes);
}

uint64_t mem_left(const mem *m)
{
    uint64_t now = atomic_load(&m->now);
    if (!m->limit)
        return UINT64_MAX;
    return now < m->limit ? m->limit - now : 0;
}

int mem_alloc(mem *m, size_t bytes, void *out)
{
    char *p = NULL;
    void *none = NULL;
    memcpy(out, &none, sizeof none);
    if (bytes > SIZE_MAX - ALIGN - HUGE_PAGE)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    int err = mem_reserve(m, bytes);
    if (err)
        return err;
    /* large blocks begin on huge pages: fewer page faults and misses of the page table */
    size_t align = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : ALIGN;
    size_t whole = (bytes + ALIGN + align - 1) / align * align;
    p = aligned_alloc(align, whole);
    if (!p) {
        mem_release(m, bytes);
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", bytes);
    }
    if (align == HUGE_PAGE)
        madvise(p, whole, MADV_HUGEPAGE);
    memcpy(p, &bytes, sizeof bytes);
    p += ALIGN;
    memcpy(out, &p, sizeof p);
    return IMP_OK;
}

static size_t block_size(const char *p)
{
    size_t bytes;
    memcpy(&bytes, p - ALIGN, sizeof bytes);
    return bytes;
}

void mem_free(mem *m, void *p)
{
    if (!p)
        return;
    mem_release(m, block_size(p));
    free((char *)p - ALIGN);
}

int mem_grow(mem *m, size_t keep, size_t bytes, void *inout)
{
    void *old, *p;
    memcpy(&old, inout, sizeof old);
    int err = mem_alloc(m, bytes, &p);
    if (err)
        return err;
    if (old && keep)
        memcpy(p, old, keep);
    mem_free(m, old);
    memcpy(inout, &p, sizeof p);
    return IMP_OK;
}

uint64_t mem_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)1 << 32;
}
