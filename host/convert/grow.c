/* See grow.h. */
#include "grow.h"

#include "error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Doubles, so that adding elements one by one copies each of them a few times at most. The pointer
 * is read and written by memcpy: it may be of any type, which a void ** must not alias. */
int grow_buffer(void *inout, size_t *capacity, size_t bytes)
{
    if (bytes <= *capacity)
        return IMP_OK;
    void *old, *p = NULL;
    size_t more = *capacity > SIZE_MAX / 2 ? SIZE_MAX : 2 * *capacity;
    more = more > bytes ? more : bytes + 256;
    memcpy(&old, inout, sizeof old);
    /* not so where the sum has overflowed */
    if (more > bytes)
        p = realloc(old, more);
    if (!p)
        return imp_fail(IMP_ERR_MEMORY, "out of memory: %zu bytes", more);
    memcpy(inout, &p, sizeof p);
    *capacity = more;
    return IMP_OK;
}
