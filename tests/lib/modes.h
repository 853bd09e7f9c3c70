/* Floating-point environments that a caller may have: rounding, flushing of denormals, traps. */
#ifndef IMP_MODES_H
#define IMP_MODES_H

#include <stdint.h>

typedef struct mode {
    const char *name;
    int rounding; /* FE_TONEAREST ... */
    int flush;    /* denormal results and operands are 0 */
    int traps;    /* exceptions raise a signal */
} mode;

extern const mode modes[]; /* ends with name = NULL; the first one is the default */

const mode *mode_named(const char *name); /* NULL if absent */

/* Sets the mode of this thread. */
void mode_set(const mode *m);

/* Returns 0 if this thread differs in rounding, flushing or traps. */
int mode_is(const mode *m);

#endif
