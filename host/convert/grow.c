/* See grow.h. */
#include "grow.h"

#include "error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int grow_to(void *inout, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return IMP_OK;
    void *old, *p = NULL;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    more = more > bytes ? more : bytes + 256;
    memcpy(&old, inout, sizeof old);
    if (more > bytes)
        p = realloc(old, more);
    if (!p)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", more);
    memcpy(inout, &p, sizeof p);
    *capacity = more;
    return IMP_OK;
}
