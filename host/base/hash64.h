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

/* The sum over a triangle's edges from v to w of v h(w) - w h(v), of a hash h: opposite uses of an
 * edge cancel in the sum of several triangles. */
static inline uint64_t hash64_edges(const uint32_t v[3])
{
    uint64_t sum = 0;
    for (int k = 0; k < 3; k++) {
        const uint64_t h = v[k] * 0x9e3779b97f4a7c15;
        sum += ((h ^ h >> 32) * 0xd6e8feb86659fd93) * ((uint64_t)v[(k + 2) % 3] - v[(k + 1) % 3]);
    }
    return sum;
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
