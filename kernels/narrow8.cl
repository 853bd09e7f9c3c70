/* The tests and the segments of narrow.cl for CPUs: an item processes eight pairs, WIDE of them
 * side by side, and the remainder one by one. Included after narrow.cl. */
#include "tri_wide.h"

/* Triangles of pairs are scattered in memory: those of the eight pairs after the next eight are
 * prefetched while these are tested. */
FORMULA void narrow_fetch(const triangles *t, GLOBAL const u32 *of, u32 first, u32 pairs)
{
    if (pairs - first < 24)
        return;
    for (u32 k = first + 16; k < first + 24; k++) {
        tri_corners c = narrow_corners(t, of[k]);
        FETCH(t->x + (size_t)3 * c.a);
        FETCH(t->x + (size_t)3 * c.b);
        FETCH(t->x + (size_t)3 * c.c + 2);
    }
}

KERNEL void narrow_far8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    narrow_fetch(&t, a, first, pairs);
    narrow_fetch(&t, b, first, pairs);
    for (; last - first >= WIDE; first += WIDE) {
        u32 far = narrow_decide_far_w(tri_named_w(a + first, corner, x, rules),
                                      tri_named_w(b + first, corner, x, rules));
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
    }
    for (u32 i = first; i < last; i++)
        narrow_decide_far(&t, a[i], b[i], verdict + i);
}

KERNEL void narrow_test8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                         TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    narrow_fetch(&t, a, first, pairs);
    narrow_fetch(&t, b, first, pairs);
    for (; last - first >= WIDE; first += WIDE) {
        u32 apart, meet = narrow_decide_w(tri_named_w(a + first, corner, x, rules),
                                          tri_named_w(b + first, corner, x, rules), &apart);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = meet >> k & 1    ? TRI_MEET
                                 : apart >> k & 1 ? TRI_APART
                                                  : TRI_UNDECIDED;
    }
    for (u32 i = first; i < last; i++)
        narrow_decide(&t, a[i], b[i], verdict + i);
}

/* The three kernels of narrow.cl in turn. */
FN void narrow_cross_one(GLOBAL const f64 *x, tri_corners p, tri_corners q,
                         GLOBAL const f64 *unscale, GLOBAL f64 *point, GLOBAL u8 *feature)
{
    narrow_cross(x, p, q, point, feature);
    narrow_make_end(x, p, q, feature, unscale, point);
    narrow_make_end(x, p, q, feature + 2, unscale, point + 3);
    narrow_order(point, feature);
}

KERNEL void narrow_segment8(ITEM_ARG u32 n, u32 pairs, GEOMETRY_ARGS)
{
    if (ITEM >= n)
        return;
    const triangles t = {corner, x, 0};
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    narrow_fetch(&t, a, first, pairs);
    narrow_fetch(&t, b, first, pairs);
    for (; last - first >= WIDE; first += WIDE) {
        f64 scale[2][WIDE];
        for (u32 k = 0; k < WIDE; k++) {
            u32 f = frame_of(prim0, frames, a[first + k]);
            scale[0][k] = unscale[2 * f];
            scale[1][k] = unscale[2 * f + 1];
        }
        ends_w e = tri_ends_w(tri_load_w(x, corner, a + first), tri_load_w(x, corner, b + first),
                              lane_own_w(scale[0]), lane_own_w(scale[1]));
        segment_put_w(e.s, point + (size_t)6 * first);
        ends_put_w(&e, feature + (size_t)4 * first);
    }
    for (u32 i = first; i < last; i++)
        narrow_cross_one(x, corners_of(corner, a[i]), corners_of(corner, b[i]),
                         unscale + 2 * frame_of(prim0, frames, a[i]), point + (size_t)6 * i,
                         feature + (size_t)4 * i);
}
