/* An order of boxes in which neighbours in space are near each other: what they touch of a table is
 * then still in the cache. No result depends on it. */
#ifndef IMP_PCS_CURVE_H
#define IMP_PCS_CURVE_H

#include <stdint.h>

typedef struct pcs_curve_entry {
    uint64_t key;
    uint32_t box;
} pcs_curve_entry;

#define PCS_CURVE_MOST 10 /* bits of each coordinate */

/* Bits of each coordinate that tell that many boxes apart, if they fill a cube. */
int pcs_curve_bits(uint32_t boxes);

/* The key of a tile along a Z curve (Morton), 3 * bits long, by the lower bits of its numbers: the
 * curve begins again after 2^bits tiles. */
uint64_t pcs_curve_key(const int64_t tile[3], int bits);

/* Sorts spots by keys of that many bits; equal ones keep their order. Half of spot[2 * count] is
 * used up; returns the half that has the result. */
const pcs_curve_entry *pcs_curve_sort(pcs_curve_entry *spot, uint32_t count, int bits);

#endif
