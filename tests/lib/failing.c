/* Tests that fail, are skipped or pass on purpose: testlib.sh checks their outcomes. */
#include "expect.h"
#include "testlib.h"

static void test_passes(void)
{
    EXPECT(1, "never printed");
}

static void test_fails(void)
{
    EXPECT(0, "this is wrong");
}

static void test_fails_often(void)
{
    for (int i = 0; i < 10 * EXPECT_MOST; i++)
        EXPECT(0, "wrong for the %dth time", i);
}

static void test_asserts_nothing(void)
{
}

static void test_skips(void)
{
    SKIP("on purpose");
}

/* partial twice, and listed once */
static void test_partially(void)
{
    test_partial("one device");
    test_partial("one device");
    EXPECT(1, "never printed");
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"passes", test_passes},
                                 {"fails", test_fails},
                                 {"fails_often", test_fails_often},
                                 {"asserts_nothing", test_asserts_nothing},
                                 {"skips", test_skips},
                                 {"partial", test_partially},
                                 {0}};
    return test_main(argc, argv, "failing", tests);
}
