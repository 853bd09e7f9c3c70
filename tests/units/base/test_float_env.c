/* The environment is the same whatever it was before, and the previous one is restored, with its
 * exception flags; callbacks run in the caller's environment, including a library function that a
 * callback calls. */
#include "expect.h"
#include "float_env.h"
#include "modes.h"
#include "testlib.h"

#include <fenv.h>
#include <omp.h>

/* Volatile: computed at run time, not by the compiler. */
static volatile double one = 1, three = 3, least = 0x1p-1074, small = 0x1p-1022, half = 0.5;
static volatile long double wide = 1;

/* The value of a third shows the rounding mode; adding a denormal shows whether it is read as 0,
 * and a denormal result whether it is flushed. */
static int is_ieee(void)
{
    return one / three == 0x1.5555555555555p-2 && -one / three == -0x1.5555555555555p-2 &&
           least + least == 0x1p-1073 && small * half == 0x1p-1023 && wide + 0x1p-63L > 1 &&
           wide + 0x1p-64L == 1;
}

static void test_set(void)
{
    for (const mode *m = modes; m->name; m++) {
        mode_set(m);
        const float_env was = float_env_set();
        const int good = is_ieee();
        float_env_restore(was);
        const int same = mode_is(m), clean = fetestexcept(FE_ALL_EXCEPT) == 0;
        mode_set(modes);
        EXPECT(good, "%s: not IEEE's", m->name);
        EXPECT(same, "%s: not as before", m->name);
        EXPECT(clean, "%s: flags are set", m->name);
    }
}

/* Flags that were raised before are preserved. */
static void test_flags(void)
{
    mode_set(modes);
    feraiseexcept(FE_DIVBYZERO);
    const float_entry e = float_enter();
    CU_ASSERT(is_ieee());
    float_leave(e);
    CU_ASSERT_EQUAL(fetestexcept(FE_ALL_EXCEPT), FE_DIVBYZERO);
    mode_set(modes);
}

static void test_callbacks(void)
{
    for (const mode *m = modes; m->name; m++) {
        const mode *inner = m[1].name ? m + 1 : modes;
        int good = 1, same = 1;
        mode_set(m);
        const float_entry e = float_enter();
        float_to_caller();
        same &= mode_is(m);
        mode_set(
            inner); /* the callback also calls a function, and leaves the mode that it has set */
        const float_entry again = float_enter();
        good &= is_ieee();
        float_to_caller();
        same &= mode_is(inner);
        float_from_caller();
        good &= is_ieee();
        float_leave(again);
        same &= mode_is(inner);
        float_from_caller();
        good &= is_ieee();
        float_leave(e);
        same &= mode_is(inner);
        mode_set(modes);
        EXPECT(good, "%s: not IEEE's", m->name);
        EXPECT(same, "%s: the caller has not what it had", m->name);
    }
}

/* Outside of the library a callback's begin and end change nothing. */
static void test_outside(void)
{
    mode_set(&modes[1]);
    float_to_caller();
    const int before = mode_is(&modes[1]);
    float_from_caller();
    const int after = mode_is(&modes[1]);
    mode_set(modes);
    CU_ASSERT(before && after);
}

#define THREADS 4

/* All threads of a region, each with its own previous mode. */
static void test_float_env_threads(void)
{
    int good = 0, same = 0;
#pragma omp parallel num_threads(THREADS)
    mode_set(&modes[omp_get_thread_num()]);
#pragma omp parallel num_threads(THREADS) reduction(+ : good)
    EACH_IN_FLOAT_ENV
    good += is_ieee();
#pragma omp parallel num_threads(THREADS) reduction(+ : same)
    {
        same += mode_is(&modes[omp_get_thread_num()]);
        mode_set(modes);
    }
    CU_ASSERT_EQUAL(good, THREADS);
    CU_ASSERT_EQUAL(same, THREADS);
}

int main(int argc, char **argv)
{
    static const test tests[] = {{"set", test_set},
                                 {"flags", test_flags},
                                 {"callbacks", test_callbacks},
                                 {"outside", test_outside},
                                 {"threads", test_float_env_threads},
                                 {0}};
    return test_main(argc, argv, "float_env", tests);
}
