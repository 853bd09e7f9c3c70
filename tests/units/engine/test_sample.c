/* A sample of a sequence: which elements are in it, whatever the pieces in which it comes; truth is
 * the definition, on the whole sequence. */
#include "expect.h"
#include "sample.h"
#include "testlib.h"

#include <stdlib.h>

#define LONGEST 20000

static device *host;
static mem memory;

/* The elements of a sequence are their numbers plus 7. */
static void add_piece(sample *s, uint64_t first, uint32_t n, uint32_t most)
{
    static uint32_t element[LONGEST], read[LONGEST];
    buffer_u32 piece = {{0}};
    sample_part part;
    for (uint32_t i = 0; i < n; i++)
        element[i] = (uint32_t)first + i + 7;
    CU_ASSERT_EQUAL_FATAL(buffer_put(host, &piece, element, n), 0);
    CU_ASSERT_EQUAL_FATAL(sample_piece(&memory, s, n, most, &part), 0);
    CU_ASSERT_FATAL(s->count + part.count < 2 * (size_t)most && part.count <= n);
    CU_ASSERT_EQUAL_FATAL(sample_read(host, &piece, &part, read), 0);
    for (size_t i = 0; i < part.count; i++)
        s->list[s->count++] = (sampled){.a = read[i]};
    buffer_free(host, &piece);
}

static uint32_t random_size(rng *r, uint32_t most)
{
    return rng_below(r, 1 + rng_below(r, most));
}

/* Its elements are 0, d, 2 d ..., d the least power of two that leaves fewer than 2 most. */
static void is_defined(const sample *s, uint32_t n, uint32_t most)
{
    uint32_t d = 1;
    while ((n + d - 1) / d >= 2 * most)
        d *= 2;
    size_t wrong = s->count != (n + d - 1) / d;
    for (size_t i = 0; i < s->count; i++)
        wrong += s->list[i].a != 7 + d * i;
    EXPECT(!wrong, "%u elements, at most %u: %zu of %zu are wrong", n, most, wrong, s->count);
}

/* As many as asked for, in order, and the greatest gap is at most three times the smallest. */
static void is_even(const sample *s, uint32_t n, uint32_t most)
{
    uint32_t small = UINT32_MAX, large = 0;
    CU_ASSERT_EQUAL(s->count, n < most ? n : most);
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t next = i + 1 < s->count ? s->list[i + 1].a : n + 7;
        const uint32_t gap = next - s->list[i].a;
        CU_ASSERT(s->list[i].a < next);
        small = gap < small && i + 1 < s->count ? gap : small;
        large = gap > large ? gap : large;
    }
    EXPECT(s->count < 2 || large <= 3 * small, "gaps of %u to %u: %u of %u", small, large, most, n);
}

static void test_pieces(void)
{
    rng r = {3};
    for (uint64_t k = test_cases(400); k--;) {
        sample s = {0};
        const uint32_t n = random_size(&r, LONGEST), most = 1 + random_size(&r, 3000);
        const uint32_t longest = 1 + random_size(&r, LONGEST);
        for (uint32_t at = 0, piece; at < n; at += piece) {
            piece = random_size(&r, longest) + 1;
            piece = piece < n - at ? piece : n - at;
            add_piece(&s, at, piece, most);
        }
        is_defined(&s, n, most);
        sample_cut(&s, most);
        is_even(&s, n, most);
        sample_clear(&s);
        CU_ASSERT(!s.count && !s.seen);
        sample_free(&memory, &s);
    }
}

/* Nothing is computed in 32 bits that may be larger. */
static void test_long(void)
{
    sample s = {0};
    sample_part part;
    const uint64_t n = UINT64_C(1) << 40;
    CU_ASSERT_EQUAL(sample_piece(&memory, &s, n, UINT32_MAX, &part), IMP_ERR_MEMORY);
    CU_ASSERT_EQUAL(sample_piece(&memory, &s, n, 100, &part), 0);
    CU_ASSERT(part.first == 0 && part.step * part.count == n);
    CU_ASSERT(part.count >= 100 && part.count < 200);
    sample_free(&memory, &s);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"pieces", test_pieces}, {"long", test_long}, {0}};
    atomic_int cancel = 0;
    memory.limit = 1 << 30;
    const device_def def = {.name = "cpu", .threads = 1, .mem = &memory, .cancel = &cancel};
    if (device_open(&def, &host))
        return 1;
    const int failed = test_main(argc, argv, "sample", tests);
    device_close(host);
    mem_close(&memory);
    return failed;
}
