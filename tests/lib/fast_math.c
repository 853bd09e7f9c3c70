/* A library that changes the floating-point environment of the process when it is loaded, like one
 * linked with -ffast-math; and the rounding mode, if requested. */
#include "modes.h"

#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *name = getenv("IMPINGE_TEST_MODE");
    const mode *m = mode_named(name ? name : "flush");
    if (!m)
        abort(); /* the test asks for a mode that does not exist */
    mode_set(m);
}
