/* splitmix64's finaliser, for tables: each bit of x reaches each bit of the result. */
#ifndef IMP_MIX_H
#define IMP_MIX_H

#include <stdint.h>

static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
