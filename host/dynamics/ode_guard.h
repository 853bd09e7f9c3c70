/* Calls of ODE that cannot end the program. ODE exits or aborts where an assertion of it fails, and
 * writes to NULL where memory is out; here such a call fails. ODE's memory is counted by mem, and
 * freed at once: what a call that failed has left half done is not touched again. Handlers of ODE
 * belong to the process: they are set during a call only, and the caller's come back. */
#ifndef IMP_ODE_GUARD_H
#define IMP_ODE_GUARD_H

#include "mem.h"

#include <setjmp.h>

/* All zero at first, except mem. */
typedef struct ode_guard {
    mem *mem;
    struct ode_block *blocks; /* all that ODE has allocated in calls */
    jmp_buf back;
    int failed;            /* of the call: an error, whose text is set */
    unsigned long noticed; /* messages of ODE, and the last one */
    char notice[200];
} ode_guard;

/* call(with), in which functions of ODE may be called; it holds nothing that it would have to give
 * back if it does not return. One thread at a time. Errors: what call returns; MEMORY; DIVERGED
 * where ODE gives up. Before the next call after these two, ode_guard_drop must be called. */
int ode_guard_call(ode_guard *g, int (*call)(void *with), void *with);

/* Frees all that ODE has allocated in calls: its objects are gone. */
void ode_guard_drop(ode_guard *g);

#endif
