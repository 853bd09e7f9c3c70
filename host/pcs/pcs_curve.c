/* See pcs_curve.h. */
#include "pcs_curve.h"

#include <string.h>

#define DIGIT_MOST 10 /* bits: the counts of a digit fit the nearest cache */

int pcs_curve_bits(uint32_t boxes)
{
    int bits = 2;
    while (bits < PCS_CURVE_MOST && UINT64_C(1) << 3 * bits < UINT64_C(4) * boxes)
        bits++;
    return bits;
}

/* Two zero bits after each of the lowest 10. */
static uint32_t pcs_curve_spread_bits(uint32_t x)
{
    x &= 0x3ff;
    x = (x | x << 16) & UINT32_C(0x030000ff);
    x = (x | x << 8) & UINT32_C(0x0300f00f);
    x = (x | x << 4) & UINT32_C(0x030c30c3);
    return (x | x << 2) & UINT32_C(0x09249249);
}

uint64_t pcs_curve_key(const int64_t tile[3], int bits)
{
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    return pcs_curve_spread_bits((uint32_t)tile[0] & mask) |
           pcs_curve_spread_bits((uint32_t)tile[1] & mask) << 1 |
           pcs_curve_spread_bits((uint32_t)tile[2] & mask) << 2;
}

static void pcs_curve_sort_digit(const pcs_curve_entry *from, uint32_t count, int shift, int digit,
                                 pcs_curve_entry *to)
{
    uint32_t start[(1 << DIGIT_MOST) + 1];
    const uint64_t mask = (UINT64_C(1) << digit) - 1;
    memset(start, 0, ((size_t)mask + 2) * sizeof *start);
    for (uint32_t i = 0; i < count; i++)
        start[(from[i].key >> shift & mask) + 1]++;
    for (uint64_t d = 0; d < mask; d++)
        start[d + 1] += start[d];
    for (uint32_t i = 0; i < count; i++)
        to[start[from[i].key >> shift & mask]++] = from[i];
}

const pcs_curve_entry *pcs_curve_sort(pcs_curve_entry *spot, uint32_t count, int bits)
{
    pcs_curve_entry *from = spot, *to = spot + count;
    const int digits = (bits + DIGIT_MOST - 1) / DIGIT_MOST;
    const int digit = digits ? (bits + digits - 1) / digits : 0;
    for (int i = 0; i < digits; i++) {
        pcs_curve_entry *const swap = from;
        pcs_curve_sort_digit(from, count, i * digit, digit, to);
        from = to;
        to = swap;
    }
    return from;
}
