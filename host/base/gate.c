/* See gate.h. */
#include "gate.h"

#include <stddef.h>

static gate at; /* hooks that have not run yet; under the lock of drivers */

void gate_set(const gate *g)
{
    at = *g;
}

/* Clears a hook before running it. */
static void run_once(void (**what)(void))
{
    void (*run)(void) = *what;
    *what = NULL;
    if (run)
        run();
}

void gate_enter(void)
{
    run_once(&at.before);
}

void gate_leave(void)
{
    run_once(&at.after);
}
