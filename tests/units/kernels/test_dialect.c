/* The part of the kernels' dialect that C lacks: float32 numbers of a caller are converted to
 * float64 by their bits, also if the processor, as a GPU may, flushes float32 denormals to 0. */
#include "dialect.h"

#include "expect.h"
#include "modes.h"
#include "testlib.h"

/* m 2^e, by integers alone: the bits of that float64. */
static u64 bits_of_product(u32 m, int e)
{
    int top = 31;
    if (!m)
        return 0;
    while (!(m >> top))
        top--;
    return (u64)(top + e + 1023) << 52 | ((u64)m << (52 - top) & ((UINT64_C(1) << 52) - 1));
}

static u64 dialect_wanted(u32 bits)
{
    const u32 exponent = bits >> 23 & 255, m = bits & 0x7fffffu;
    const u64 sign = (u64)(bits >> 31) << 63;
    if (exponent == 255)
        return sign | (u64)0x7ff << 52 | (u64)m << 29;
    return sign | (exponent ? bits_of_product(m | 1u << 23, (int)exponent - 150)
                            : bits_of_product(m, -149));
}

/* A quiet NaN keeps its bits; other NaNs need only stay NaN. */
static int as_wanted(u32 bits)
{
    const u64 got = bits_from_f64(f64_from_f32(f32_from_bits(bits))), want = dialect_wanted(bits);
    const int nan = (bits & 0x7fffffffu) > 0x7f800000u;
    return nan ? (got & ~(UINT64_C(1) << 63)) > (u64)0x7ff << 52 : got == want;
}

static void test_widen(void)
{
    int wrong[2] = {0};
    for (int flush = 0; flush < 2; flush++) {
        mode_set(mode_named(flush ? "flush" : "usual"));
        for (u32 m = 0; m < 1u << 23; m += TEST_SLOW ? 977 : 1)
            wrong[flush] += !as_wanted(m) + !as_wanted(m | 1u << 31);
        for (u64 bits = 1u << 23; bits < (u64)1 << 32; bits += 10007)
            wrong[flush] += !as_wanted((u32)bits);
        static const u32 few[] = {0x007fffff, 0x00800000, 0x7f7fffff, 0x7f800000,
                                  0xff800000, 0x7fc00000, 0xffc00001};
        for (size_t i = 0; i < sizeof few / sizeof *few; i++)
            wrong[flush] += !as_wanted(few[i]);
        mode_set(modes);
    }
    EXPECT(!wrong[0] && !wrong[1], "%d and %d other numbers", wrong[0], wrong[1]);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"widen", test_widen}, {0}};
    return test_main(argc, argv, "dialect", tests);
}
