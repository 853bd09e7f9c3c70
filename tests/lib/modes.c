/* See modes.h. */
#define _GNU_SOURCE
#include "modes.h"

#include <fenv.h>
#include <string.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLUSH 0x8040u
static unsigned flush_bits(void)
{
    return _mm_getcsr() & FLUSH;
}

static void set_flush(unsigned bits)
{
    _mm_setcsr((_mm_getcsr() & ~FLUSH) | bits);
}
#elif defined(__aarch64__)
#define FLUSH (1u << 24)
static unsigned flush_bits(void)
{
    uint64_t x;
    __asm__ volatile("mrs %0, fpcr" : "=r"(x));
    return (unsigned)x & FLUSH;
}

static void set_flush(unsigned bits)
{
    uint64_t x;
    __asm__ volatile("mrs %0, fpcr" : "=r"(x));
    x = (x & ~(uint64_t)FLUSH) | bits;
    __asm__ volatile("msr fpcr, %0" : : "r"(x) : "memory");
}
#else
#define FLUSH 0u
static unsigned flush_bits(void)
{
    return 0;
}

static void set_flush(unsigned bits)
{
    (void)bits;
}
#endif

const mode modes[] = {{"usual", FE_TONEAREST, 0, 0},
                      {"up", FE_UPWARD, 0, 0},
                      {"down", FE_DOWNWARD, 0, 0},
                      {"to zero", FE_TOWARDZERO, 0, 0},
                      {"flush", FE_TONEAREST, 1, 0},
                      {"flush and up", FE_UPWARD, 1, 0},
                      {"traps", FE_TONEAREST, 0, 1},
                      {"flush, down, traps", FE_DOWNWARD, 1, 1},
                      {0}};

const mode *mode_named(const char *name)
{
    const mode *m = modes;
    while (m->name && strcmp(m->name, name) != 0)
        m++;
    return m->name ? m : NULL;
}

/* Not all ARM processors support traps. */
static int traps_wanted(const mode *m)
{
#if defined(__x86_64__)
    return m->traps ? FE_ALL_EXCEPT : 0;
#else
    (void)m;
    return 0;
#endif
}

void mode_set(const mode *m)
{
    feclearexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(m->rounding);
    set_flush(m->flush ? FLUSH : 0);
    if (traps_wanted(m))
        feenableexcept(traps_wanted(m));
}

int mode_is(const mode *m)
{
    return fegetround() == m->rounding && flush_bits() == (m->flush ? FLUSH : 0) &&
           fegetexcept() == traps_wanted(m);
}
