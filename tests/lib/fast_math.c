/* A library that changes the floating-point environment of the process when it is loaded, as one
 * does that was linked with -ffast-math; and the mode of rounding, if it is told to. */
#include "modes.h"

#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *name = getenv("IMPINGE_TEST_MODE");
    const mode *m = mode_named(name ? name : "flush");
    if (!m)
        abort(); /* a test asks for a mode that is none */
    mode_set(m);
}
