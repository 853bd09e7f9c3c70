/* A library that changes the floating-point environment of the process when it is loaded, as one
 * does that was linked with -ffast-math; and the mode of rounding, if it is told to. */
#include "modes.h"

#include <stdlib.h>

__attribute__((constructor)) static void loaded(void)
{
    const char *number = getenv("IMPINGE_TEST_MODE");
    mode_set(&modes[number ? atoi(number) : 4]); /* 4: flush */
}
