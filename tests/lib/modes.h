/* Floating-point environments that a caller may have: rounding, flushing of denormals, traps. */
#ifndef IMP_MODES_H
#define IMP_MODES_H

#include <stdint.h>

typedef struct mode {
    const char *name;
    int rounding; /* FE_TONEAREST ... */
    int flush;    /* denormals to 0, and taken for 0 */
    int traps;    /* a signal where an exception is raised */
} mode;

extern const mode modes[]; /* ends with name = NULL; the first one is usual */

const mode *mode_named(const char *name); /* NULL: there is none */

/* In this thread. */
void mode_set(const mode *m);

/* 0: this thread has another mode, of rounding, flushing and traps. */
int mode_is(const mode *m);

#endif
