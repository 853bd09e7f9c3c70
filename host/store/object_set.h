/* The different objects of primitives. */
#ifndef IMP_OBJECT_SET_H
#define IMP_OBJECT_SET_H

#include "mem.h"

#include <stddef.h>
#include <stdint.h>

typedef struct object_set {
    mem *mem;
    int32_t *id; /* [sorted] ascending, then others up to `count` */
    size_t count, sorted, capacity;
} object_set;

/* Adds those of neighbours; object_set_end leaves each once, ascending. */
int object_set_add(object_set *s, const int32_t *object, size_t n);
void object_set_end(object_set *s);

#endif
