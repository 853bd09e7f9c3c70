/* Sixteen primitives that search together, for the forms of the host: they are a leaf of the packed
 * R-tree, so one traversal serves them all. Bit i of a mask is lane i. */
#ifndef IMP_LANES_H
#define IMP_LANES_H
#include "dialect.h"
#include "f32x16.h"

#define LANES 16

/* low, high: box of all lanes; corner: [corners], where pairs that share one are left out */
typedef struct team {
    f32 lo[3][LANES], hi[3][LANES];
    u32 corner[4][LANES], id[LANES], name[LANES], object[LANES];
    f32 low[3], high[3];
} team;

/* bits of the boxes, out of sixteen whose bounds lie in rows of sixteen, that overlap the box low,
 * high */
FN u32 node_overlaps(GLOBAL const f32 *box, const f32 *low, const f32 *high)
{
    mask16 x = mask16_and(f32x16_to(f32x16_load(box), high[0]),
                          f32x16_from(f32x16_load(box + 3 * LANES), low[0]));
    mask16 y = mask16_and(f32x16_to(f32x16_load(box + LANES), high[1]),
                          f32x16_from(f32x16_load(box + 4 * LANES), low[1]));
    mask16 z = mask16_and(f32x16_to(f32x16_load(box + 2 * LANES), high[2]),
                          f32x16_from(f32x16_load(box + 5 * LANES), low[2]));
    return mask16_bits(mask16_and(x, mask16_and(y, z)));
}

/* bits of the lanes that overlap the box at b, whose six bounds are `apart` floats apart */
FN u32 team_overlaps(const team *t, GLOBAL const f32 *b, u32 apart)
{
    mask16 x = mask16_and(f32x16_to(f32x16_load(t->lo[0]), b[3 * apart]),
                          f32x16_from(f32x16_load(t->hi[0]), b[0]));
    mask16 y = mask16_and(f32x16_to(f32x16_load(t->lo[1]), b[4 * apart]),
                          f32x16_from(f32x16_load(t->hi[1]), b[apart]));
    mask16 z = mask16_and(f32x16_to(f32x16_load(t->lo[2]), b[5 * apart]),
                          f32x16_from(f32x16_load(t->hi[2]), b[2 * apart]));
    return mask16_bits(mask16_and(x, mask16_and(y, z)));
}

/* bits of the lanes of that object */
FN u32 team_of(const team *t, u32 object)
{
    return mask16_bits(u32x16_equal(u32x16_load(t->object), object));
}

FN mask16 team_has(const team *t, u32 vertex)
{
    mask16 a = u32x16_equal(u32x16_load(t->corner[0]), vertex);
    mask16 b = u32x16_equal(u32x16_load(t->corner[1]), vertex);
    return mask16_or(mask16_or(a, b), u32x16_equal(u32x16_load(t->corner[2]), vertex));
}

/* bits of the lanes that share a vertex with the triangle a, b, c */
FN u32 team_share(const team *t, u32 a, u32 b, u32 c)
{
    return mask16_bits(mask16_or(team_has(t, a), mask16_or(team_has(t, b), team_has(t, c))));
}

/* lanes with this vertex, for tetrahedra */
FN mask16 team_has4(const team *t, u32 vertex)
{
    return mask16_or(team_has(t, vertex), u32x16_equal(u32x16_load(t->corner[3]), vertex));
}

FN u32 team_share4(const team *t, u32 a, u32 b, u32 c, u32 d)
{
    mask16 ab = mask16_or(team_has4(t, a), team_has4(t, b));
    return mask16_bits(mask16_or(ab, mask16_or(team_has4(t, c), team_has4(t, d))));
}

/* Stores first + lane for the lanes in bits, contiguously. All sixteen elements may be written. */
FN void lanes_put(u32 bits, u32 first, u32 *out)
{
#ifdef U32X16_PACK
    const u32 all[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    u32x16_pack(u32x16_plus(u32x16_load(all), first), bits, out);
#else
    for (; bits; bits &= bits - 1)
        *out++ = first + bit_lowest(bits);
#endif
}

/* Stores the pairs of primitive `one` with every lane in bits, contiguously, by their names: that
 * of the lower primitive in a. All sixteen elements of a and b may be written. Which primitive is
 * lower, and the number of pairs, are unpredictable: there is no branch on either where lanes can
 * be packed. */
FN void team_put(const team *t, u32 bits, u32 one, u32 one_name, GLOBAL u32 *a, GLOBAL u32 *b)
{
#ifdef U32X16_PACK
    u32x16 name = u32x16_load(t->name);
    mask16 lower = u32x16_below(u32x16_load(t->id), one);
    u32x16_pack(u32x16_pick(lower, name, one_name), bits, a);
    u32x16_pack(u32x16_fill(lower, name, one_name), bits, b);
#else
    for (; bits; bits &= bits - 1) {
        u32 i = bit_lowest(bits), name = t->name[i];
        u32 swap = (name ^ one_name) & (0 - (u32)(t->id[i] < one));
        *a++ = one_name ^ swap;
        *b++ = name ^ swap;
    }
#endif
}

#endif
