/* Pieces of candidates: each ends where the candidates of a primitive end. */
#include "feature_tests.h"

#include "device.h"
#include "expect.h"
#include "testlib.h"

#define CUT_PAIRS 300000

static uint32_t cut_a[CUT_PAIRS];

static void cut_expect(const context *c, uint64_t count, const char *what)
{
    device *d = c->dev64;
    pairs from = {.count = count};
    uint64_t first = 0, end = 0, pieces = 0;
    CU_ASSERT_FATAL(!buffer_put(d, &from.a, cut_a, count));
    for (; first < count; first = end, pieces++) {
        CU_ASSERT_FATAL(!feature_tests_cut(c, &from, first, &end));
        EXPECT(end > first && end <= count, "%s: %llu to %llu", what, (unsigned long long)first,
               (unsigned long long)end);
        EXPECT(end == count || cut_a[end] != cut_a[end - 1], "%s: ends within %u", what,
               cut_a[end]);
    }
    EXPECT(pieces > 1 || cut_a[0] == cut_a[count - 1], "%s: one piece", what);
    pairs_free(d, &from);
}

static void test_feature_tests_cut(void)
{
    static const uint32_t lengths[] = {1, 3, 7, 1000, 1500, 70000, 200000, CUT_PAIRS};
    mem memory = {0};
    atomic_int cancel = 0;
    device *d;
    const device_def def = {.name = "cpu", .threads = 1, .mem = &memory, .cancel = &cancel};
    CU_ASSERT_FATAL(!device_open(&def, &d));
    const context c = {.mem = &memory, .dev = d, .dev64 = d, .cancel = &cancel, .threads = 1};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        char what[64];
        snprintf(what, sizeof what, "%u candidates each", lengths[k]);
        for (uint32_t i = 0; i < CUT_PAIRS; i++)
            cut_a[i] = i / lengths[k];
        cut_expect(&c, CUT_PAIRS, what);
    }
    device_close(d);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"cut", test_feature_tests_cut}, {0}};
    return test_main(argc, argv, "feature_tests", tests);
}
