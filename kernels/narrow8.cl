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

/* narrow_decide_far_w and narrow_decide_w of the WIDE pairs at a and b, by the rules on pairs that
 * share vertices */
FORMULA u32 narrow_far_wide(const triangles *t, GLOBAL const u32 *a, GLOBAL const u32 *b)
{
    if (t->rules & RULE_SKIP_ADJACENT)
        return narrow_decide_far_w(tri_named_w(a, t->corner, t->x, t->rules),
                                   tri_named_w(b, t->corner, t->x, t->rules));
    tri_mesh_w p = tri_mesh_named_w(a, t->corner, t->x, t->rules);
    tri_mesh_w q = tri_mesh_named_w(b, t->corner, t->x, t->rules);
    return narrow_far_adjacent_w(&p, &q);
}

FORMULA u32 narrow_test_wide(const triangles *t, GLOBAL const u32 *a, GLOBAL const u32 *b,
                             u32 *apart)
{
    if (t->rules & RULE_SKIP_ADJACENT)
        return narrow_decide_w(tri_named_w(a, t->corner, t->x, t->rules),
                               tri_named_w(b, t->corner, t->x, t->rules), apart);
    tri_mesh_w p = tri_mesh_named_w(a, t->corner, t->x, t->rules);
    tri_mesh_w q = tri_mesh_named_w(b, t->corner, t->x, t->rules);
    return narrow_adjacent_w(&p, &q, apart);
}

FORMULA void narrow_far_eight(u32 item, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                              triangles t, GLOBAL u8 *verdict)
{
    u32 first = 8 * item, last = pairs - first < 8 ? pairs : first + 8;
    narrow_fetch(&t, a, first, pairs);
    narrow_fetch(&t, b, first, pairs);
    for (; last - first >= WIDE; first += WIDE) {
        u32 far = narrow_far_wide(&t, a + first, b + first);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
    }
    for (u32 i = first; i < last; i++)
        narrow_decide_far(&t, a[i], b[i], verdict + i);
}

FORMULA void narrow_test_eight(u32 item, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                               triangles t, GLOBAL u8 *verdict)
{
    u32 first = 8 * item, last = pairs - first < 8 ? pairs : first + 8;
    narrow_fetch(&t, a, first, pairs);
    narrow_fetch(&t, b, first, pairs);
    for (; last - first >= WIDE; first += WIDE) {
        u32 apart, meet = narrow_test_wide(&t, a + first, b + first, &apart);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = meet >> k & 1    ? TRI_MEET
                                 : apart >> k & 1 ? TRI_APART
                                                  : TRI_UNDECIDED;
    }
    for (u32 i = first; i < last; i++)
        narrow_decide(&t, a[i], b[i], verdict + i);
}

/* A kernel of its own for each rule on pairs that share vertices: one for both took 2 % longer
 * where no pair does. */
#define NARROW_EIGHT(name, decide, of_rules)                                                       \
    KERNEL void name(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,          \
                     TRIANGLES_ARGS, GLOBAL u8 *verdict)                                           \
    {                                                                                              \
        if (ITEM < n)                                                                              \
            decide(ITEM, pairs, a, b, (triangles){corner, x, of_rules}, verdict);                  \
    }

NARROW_EIGHT(narrow_far8, narrow_far_eight, rules | RULE_SKIP_ADJACENT)
NARROW_EIGHT(narrow_far_adjacent8, narrow_far_eight, rules & ~RULE_SKIP_ADJACENT)
NARROW_EIGHT(narrow_test8, narrow_test_eight, rules | RULE_SKIP_ADJACENT)
NARROW_EIGHT(narrow_test_adjacent8, narrow_test_eight, rules & ~RULE_SKIP_ADJACENT)

KERNEL void narrow_flat8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                         TRIANGLES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const triangles t = TRIANGLES;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        tri_mesh_w p = tri_mesh_named_w(a + first, corner, x, rules);
        tri_mesh_w q = tri_mesh_named_w(b + first, corner, x, rules);
        u32 apart = narrow_flat_w(&p, &q);
        for (u32 k = 0; k < WIDE; k++)
            if (apart >> k & 1)
                verdict[first + k] = TRI_APART;
    }
    for (u32 i = first; i < last; i++)
        narrow_decide_flat(&t, a[i], b[i], verdict + i);
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
