/* The floating-point environment that all results rely on: rounding to nearest, denormals neither
 * read nor flushed as 0, no traps. A process may have another one: a library linked with
 * -ffast-math changes it when it is loaded, as does a call of fesetround. Each thread has its own,
 * inherited from the thread that created it. So it is set where a thread enters the library, and at
 * the beginning of each parallel region, since OpenMP's threads may be older; and restored where
 * the thread leaves. */
#ifndef IMP_FLOAT_ENV_H
#define IMP_FLOAT_ENV_H

#include <stdint.h>

typedef struct float_env {
    uint64_t control; /* x86-64: MXCSR; ARM: FPCR */
    uint32_t more;    /* x86-64: control and status of x87, of long double; ARM: FPSR */
    int set;
} float_env;

/* Sets it in this thread; returns the previous one, with the exception flags. */
float_env float_env_set(void);
void float_env_restore(float_env was);

/* Wraps the work of each thread of a parallel region:
 *
 *     #pragma omp parallel num_threads(threads)
 *     EACH_IN_FLOAT_ENV
 *     #pragma omp for
 *     for (...) */
#define EACH_IN_FLOAT_ENV                                                                          \
    for (float_env float_env_was = float_env_set(); float_env_was.set;                             \
         float_env_restore(float_env_was), float_env_was.set = 0)

/* ---- functions of impinge.h */

typedef struct float_entry {
    float_env caller; /* the library caller's environment if a callback has called the library
                         again; else zero */
} float_entry;

/* Called at the beginning and the end of each function that computes, also after an error. */
float_entry float_enter(void);
void float_leave(float_entry e);

/* Called around the caller's functions (sinks, log): they run in the caller's environment, and
 * their changes to it persist. No effect in a thread that has not entered. */
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
