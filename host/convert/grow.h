/* Arrays that grow. */
#ifndef IMP_GROW_H
#define IMP_GROW_H

#include <stddef.h>

/* The array that inout points to can hold `bytes` in all after this; it doubles. *capacity: bytes
 * that it holds. On failure (MEMORY) all is as it was. */
int grow_buffer(void *inout, size_t *capacity, size_t bytes);

#endif
