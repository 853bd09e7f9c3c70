/* The Hilbert curve in three dimensions, as the automaton of Hamilton and Rau-Chaplin, *Compact
 * Hilbert indices: space-filling curves for domains with unequal side lengths*, Information
 * Processing Letters 105(5), 2008: each of 12 states orders the eight octants of a cube
 * differently. Cells that are consecutive on the curve share a face. */
#ifndef IMP_HILBERT_H
#define IMP_HILBERT_H
#include "dialect.h"

#define HILBERT_START 0u
#define HILBERT_DIGITS 10u /* most digits of one traversal, of three bits each */

/* hilbert_step[8 state + octant]: 8 times the next state, and in the lowest three bits the position
 * of the octant on the curve. The octant is x + 2 y + 4 z. */
CONSTANT u8 hilbert_step[96] = {
    8,  23, 25, 38, 43, 44, 26, 37, 24, 51, 63, 52, 1,  2,  70, 69, 76, 39, 75, 80, 5,  6,  66, 65,
    0,  9,  83, 10, 95, 78, 84, 77, 22, 7,  21, 60, 49, 88, 50, 59, 58, 85, 3,  4,  57, 86, 72, 55,
    90, 89, 45, 46, 11, 32, 12, 87, 36, 13, 71, 14, 35, 74, 40, 73, 62, 81, 15, 16, 61, 82, 92, 91,
    94, 93, 41, 42, 31, 20, 56, 19, 18, 27, 17, 64, 53, 28, 54, 47, 68, 67, 29, 34, 79, 48, 30, 33};

/* bit i of x, i < 10, becomes bit 3 i */
FN u32 hilbert_spread(u32 x)
{
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    return (x | x << 2) & 0x09249249u;
}

/* A cell, numbered by `digits` bits along each axis, as one number: three bits a digit. */
FN u32 hilbert_cell(u32 x, u32 y, u32 z, u32 digits)
{
    u32 mask = (1u << digits) - 1;
    return hilbert_spread(x & mask) | hilbert_spread(y & mask) << 1 | hilbert_spread(z & mask) << 2;
}

/* The positions of four cells on the curve, digit by digit: each step waits for the one before, so
 * four interleaved traversals take little longer than one. state[4] is HILBERT_START or, for
 * further digits of a position, the state after the previous ones. */
FN void hilbert_positions4(u32 *state, const u32 *cell, u32 digits, u32 *position)
{
    for (u32 k = 0; k < 4; k++)
        position[k] = 0;
    for (u32 i = digits; i-- > 0;)
        for (u32 k = 0; k < 4; k++) {
            u32 step = hilbert_step[state[k] | (cell[k] >> (3 * i) & 7)];
            position[k] = position[k] << 3 | (step & 7);
            state[k] = step & 0x78;
        }
}

#endif
