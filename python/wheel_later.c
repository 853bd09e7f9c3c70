/* What code compiled for this system's glibc takes from it, and the older one of a wheel does not
 * have: wheel_root.sh. Nothing here may change results. */
#include <stdlib.h>

extern char __libc_single_threaded;
char __libc_single_threaded = 0; /* C++ asks it whether it may save atomic operations: never */

/* In place of C++'s library, of which ODE wants nothing else. It catches no exception. */
void later_too_long(const char *text) __asm__("_ZSt20__throw_length_errorPKc");
void later_too_long(const char *text)
{
    (void)text;
    abort();
}
