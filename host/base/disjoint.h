/* Disjoint sets of numbers: root[v] is a number of the same set, which is itself for one of them.
 */
#ifndef IMP_DISJOINT_H
#define IMP_DISJOINT_H

#include <stdint.h>

/* The root of the set of v; shortens the way to it. */
static inline uint32_t disjoint_root(uint32_t *root, uint32_t v)
{
    uint32_t up = root[v];
    for (uint32_t top = root[up]; top != up; top = root[up]) {
        root[v] = top;
        v = top;
        up = root[v];
    }
    return up;
}

#endif
