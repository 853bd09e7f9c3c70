/* The floating-point environment that all results rely on: rounding to the nearest, denormals
 * neither taken for 0 nor flushed to 0, no traps. A process may have another one: a library that
 * was linked with -ffast-math changes it when it is loaded, fesetround by a call. It belongs to a
 * thread, which gets that of the thread that makes it. So it is set where a thread enters the
 * library, and at the begin of each parallel region, since OpenMP's threads may be older; and set
 * back where the thread leaves. */
#ifndef IMP_FLOAT_ENV_H
#define IMP_FLOAT_ENV_H

#include <stdint.h>

typedef struct float_env {
    uint64_t control; /* x86-64: MXCSR; ARM: FPCR */
    uint32_t more;    /* x86-64: control and status of x87, of long double; ARM: FPSR */
    int set;
} float_env;

/* Sets it in this thread; returns what was there, with the flags of exceptions. */
float_env float_env_set(void);
void float_env_restore(float_env was);

/* Around what each thread of a region does:
 *
 *     #pragma omp parallel num_threads(threads)
 *     EACH_IN_FLOAT_ENV
 *     #pragma omp for
 *     for (...)
 */
#define EACH_IN_FLOAT_ENV                                                                          \
    for (float_env float_env_was = float_env_set(); float_env_was.set;                             \
         float_env_restore(float_env_was), float_env_was.set = 0)

/* ---- functions of impinge.h */

typedef struct float_entry {
    float_env caller; /* that of the caller of the library, where a callback has called it
                        again; else all zero */
} float_entry;

/* Where a function that computes begins and ends, also after an error. */
float_entry float_enter(void);
void float_leave(float_entry e);

/* Around a call of the caller's functions (sinks, log): they have the caller's environment, and
 * what they change of it stays changed. Nothing happens in a thread that has not entered. */
void float_to_caller(void);
void float_from_caller(void);

/* ---- Sine and cosine of small angles by sums and products alone, so that they are the same bits
 * on every machine; those of libm are not. */

/* Taylor series, for |x| <= pi / 4: the first term left out is below 2^-54. */
static inline double sine_near(double x)
{
    const double y = x * x;
    double s = -1.0 / 1307674368000;
    s = s * y + 1.0 / 6227020800;
    s = s * y - 1.0 / 39916800;
    s = s * y + 1.0 / 362880;
    s = s * y - 1.0 / 5040;
    s = s * y + 1.0 / 120;
    s = s * y - 1.0 / 6;
    return x + x * y * s;
}

static inline double cosine_near(double x)
{
    const double y = x * x;
    double s = 1.0 / 20922789888000;
    s = s * y - 1.0 / 87178291200;
    s = s * y + 1.0 / 479001600;
    s = s * y - 1.0 / 3628800;
    s = s * y + 1.0 / 40320;
    s = s * y - 1.0 / 720;
    s = s * y + 1.0 / 24;
    return 1 - y * 0.5 + y * y * s;
}

#endif
