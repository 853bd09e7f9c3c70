/* splitmix64's finaliser, for tables: each bit of x reaches each bit of the result. */
#ifndef IMP_HASH64_H
#define IMP_HASH64_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* ---- A hash of bytes (FNV-1a), for names of files and checksums of files. Not for tables: it is
 * slow, byte by byte. */

static inline uint64_t hash64(const void *data, size_t size)
{
    const unsigned char *c = data;
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        h = (h ^ c[i]) * UINT64_C(1099511628211);
    return h;
}

#endif
