/* See float_env.h. */
#include "float_env.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <fenv.h>
#endif

/* ---- the registers. Accesses are `volatile` and clobber memory, so that no arithmetic on memory
 * moves across. */

#if defined(__x86_64__)

#define MXCSR_DEFAULT 0x1f80u /* all exceptions masked, all else 0 */
#define X87_DEFAULT 0x037fu   /* the same, with all 64 bits of long double */
#define X87_FLAGS 0xbfu       /* exception flags and their summary bit */

static float_env get(void)
{
    uint16_t control, status;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    __asm__ volatile("fnstsw %0" : "=m"(status));
    return (float_env){_mm_getcsr(), (uint32_t)(status & X87_FLAGS) << 16 | control, 1};
}

/* Writes the flags with the control word: a set flag would trap as soon as traps are enabled. This
 * takes far longer than all else here, and is needed only if long double is used. */
static void put_x87(uint32_t more)
{
    struct {
        uint16_t control, unused, status, rest[11];
    } all;
    __asm__ volatile("fnstenv %0" : "=m"(all));
    all.control = (uint16_t)more;
    all.status = (uint16_t)((all.status & ~X87_FLAGS) | more >> 16);
    __asm__ volatile("fldenv %0" : : "m"(all) : "memory");
}

static void float_env_load(float_env e)
{
    _mm_setcsr((unsigned)e.control);
    if (get().more != e.more)
        put_x87(e.more);
}

static const float_env ieee = {MXCSR_DEFAULT, X87_DEFAULT, 1};

#elif defined(__aarch64__)

static float_env get(void)
{
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return (float_env){control, (uint32_t)status, 1};
}

static void float_env_load(float_env e)
{
    const uint64_t status = e.more;
    __asm__ volatile("msr fpcr, %0" : : "r"(e.control) : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(status) : "memory");
}

/* All fields of FPCR are 0: RMode, FZ, FZ16, DN, AH, FIZ, traps. */
static const float_env ieee = {0, 0, 1};

#else

/* Standard C can set rounding, but not the handling of denormals. */
static float_env get(void)
{
    return (float_env){(uint64_t)fegetround(), 0, 1};
}

static void float_env_load(float_env e)
{
    fesetround((int)e.control);
}

static const float_env ieee = {FE_TONEAREST, 0, 1};

#endif

float_env float_env_set(void)
{
    const float_env was = get();
    float_env_load(ieee);
    return was;
}

void float_env_restore(float_env was)
{
    float_env_load(was);
}

/* ---- callers */

static _Thread_local float_env caller; /* set: this thread is in a function of the library */

float_entry float_enter(void)
{
    const float_entry e = {caller};
    caller = float_env_set();
    return e;
}

void float_leave(float_entry e)
{
    float_env_load(caller);
    caller = e.caller;
}

void float_to_caller(void)
{
    if (caller.set)
        float_env_load(caller);
}

void float_from_caller(void)
{
    if (caller.set)
        caller = float_env_set();
}
