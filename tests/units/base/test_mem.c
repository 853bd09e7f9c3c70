/* Cached memory (host/base/mem.c): repeated requests are served from the cache, all of it is
 * counted, and no request fails that would succeed without it. */
#include "expect.h"
#include "mem.h"
#include "testlib.h"

#include <string.h>

#define MIB ((size_t)1 << 20)

static void *mem_test_alloc(mem *m, size_t bytes)
{
    void *p;
    CU_ASSERT_EQUAL_FATAL(mem_alloc(m, bytes, &p), 0);
    memset(p, 1, bytes);
    EXPECT(mem_capacity(p) >= bytes && (uintptr_t)p % 64 == 0, "%zu bytes", bytes);
    return p;
}

static void test_mem_exact(void)
{
    mem m = {.limit = 1000};
    void *p = mem_test_alloc(&m, 999);
    CU_ASSERT(m.now == 999 && mem_left(&m) == 1);
    mem_free(&m, p);
    CU_ASSERT(m.now == 0 && m.peak == 999);
}

/* The spare capacity is counted, and is at most an eighth, or less than a huge page. */
static void test_roomy(void)
{
    for (size_t bytes = 0; bytes < 64 * MIB; bytes += 1 + bytes / 3) {
        size_t room = mem_spare_size(bytes);
        EXPECT(room >= bytes && room <= bytes + bytes / 8 + 128 + (bytes > 3 * MIB ? 2 * MIB : 0),
               "%zu for %zu bytes", room, bytes);
        EXPECT(mem_spare_size(room) == room, "more than %zu", room);
        mem m = {.caches = 1};
        void *p = mem_test_alloc(&m, bytes);
        EXPECT(m.now == mem_capacity(p), "%zu bytes", bytes);
        mem_drop(&m, p);
        CU_ASSERT(m.now == 0 && !m.cached);
    }
}

/* About as much, and not far more than requested. */
static void test_mem_again(void)
{
    mem m = {.caches = 1};
    void *large = mem_test_alloc(&m, 8 * MIB), *small = mem_test_alloc(&m, 5000), *p;
    mem_free(&m, large);
    mem_free(&m, small);
    uint64_t all = m.now;
    CU_ASSERT(mem_left(&m) == UINT64_MAX);
    p = mem_test_alloc(&m, 4990);
    CU_ASSERT(p == small && m.now == all);
    mem_free(&m, p);
    p = mem_test_alloc(&m, 7 * MIB);
    CU_ASSERT(p == large && m.now == all);
    mem_free(&m, p);
    p = mem_test_alloc(&m, 100000);
    CU_ASSERT(p != large && p != small && m.now > all);
    mem_free(&m, p);
    mem_close(&m);
    CU_ASSERT(m.now == 0 && !m.cached);
}

/* Also blocks of a few bytes, or none. */
static void test_mem_small(void)
{
    mem m = {.caches = 1};
    for (size_t bytes = 0; bytes < 80; bytes++) {
        void *p = mem_test_alloc(&m, bytes), *again;
        mem_free(&m, p);
        again = mem_test_alloc(&m, bytes);
        EXPECT(p == again, "%zu bytes are not found again", bytes);
        mem_free(&m, again);
    }
    mem_close(&m);
    CU_ASSERT(m.now == 0);
}

/* Unused blocks are released after a while; used ones are not. */
static void test_mem_turns(void)
{
    mem m = {.caches = 1};
    void *often = mem_test_alloc(&m, 1000), *once = mem_test_alloc(&m, 50000);
    uint64_t all = m.now;
    mem_free(&m, once);
    mem_free(&m, often);
    for (int turn = 0; turn < 10; turn++) {
        void *p = mem_test_alloc(&m, 1000);
        CU_ASSERT(p == often);
        mem_free(&m, p);
        EXPECT(turn >= 3 ? m.now < 2000 : m.now == all, "after %d: %llu", turn,
               (unsigned long long)m.now);
        mem_end_epoch(&m);
    }
    mem_close(&m);
    CU_ASSERT(m.now == 0);
}

/* Near the limit blocks are as small as possible, and cached ones are released first. */
static void test_mem_limit(void)
{
    mem m = {.limit = 10000, .caches = 1};
    void *p = mem_test_alloc(&m, 9999), *q;
    CU_ASSERT(m.now <= 10000);
    CU_ASSERT(mem_alloc(&m, 2, &q) == IMP_ERR_MEMORY && !q);
    mem_free(&m, p);
    CU_ASSERT(m.now >= 9999 && mem_left(&m) == 10000);
    p = mem_test_alloc(&m, 3000);
    q = mem_test_alloc(&m, 7000);
    CU_ASSERT(m.now == 10000 && m.peak == 10000);
    mem_free(&m, p);
    CU_ASSERT_EQUAL(mem_reserve(&m, 3000), 0);
    CU_ASSERT(m.now == 10000 && !m.cached);
    mem_release(&m, 3000);
    mem_drop(&m, q);
    CU_ASSERT(m.now == 0);
}

/* Capacity for more, if available. */
static void test_room(void)
{
    mem m = {.limit = 10000, .caches = 1};
    void *p;
    CU_ASSERT_EQUAL(mem_alloc_spare(&m, 1000, 4000, &p), 0);
    CU_ASSERT(mem_capacity(p) >= 4000);
    mem_drop(&m, p);
    CU_ASSERT_EQUAL(mem_alloc_spare(&m, 9000, 40000, &p), 0);
    CU_ASSERT(mem_capacity(p) == 9000 && m.now == 9000);
    mem_drop(&m, p);
    CU_ASSERT(m.now == 0);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"exact", test_mem_exact}, {"roomy", test_roomy},
                                 {"again", test_mem_again}, {"small", test_mem_small},
                                 {"turns", test_mem_turns}, {"limit", test_mem_limit},
                                 {"room", test_room},       {0}};
    return test_main(argc, argv, "mem", tests);
}
