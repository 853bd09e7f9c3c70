/* Verdicts on candidates, and the geometry of contacts. a[i], b[i] is the i-th pair. */
#include "prim.h"
#include "tri_contact.h"
#ifdef IMP_FP64

/* which vertex of triangle a (0, 1, 2) is, or is not, a vertex of triangle b */
FN u32 corner_find(GLOBAL const u32 *corner, u32 a, u32 b, u32 shared)
{
    GLOBAL const u32 *p = corner + (size_t)3 * a, *q = corner + (size_t)3 * b;
    for (u32 c = 0; c < 2; c++)
        if ((p[c] == q[0] || p[c] == q[1] || p[c] == q[2]) == shared)
            return c;
    return 2;
}

FN i32 corner_repeats(GLOBAL const u32 *corner, u32 a)
{
    GLOBAL const u32 *p = corner + (size_t)3 * a;
    return p[0] == p[1] || p[1] == p[2] || p[2] == p[0];
}

/* Triangles that share vertices: do they meet beyond what they share? Duplicate faces and
 * triangles that name a vertex twice are left to the host. */
FN u32 narrow_adjacent(GLOBAL const u32 *corner, u32 a, u32 b, u32 shared, tri p, tri q)
{
    if (shared == 3 || corner_repeats(corner, a) || corner_repeats(corner, b))
        return TRI_UNDECIDED;
    if (shared == 1)
        return tri_fan(tri_turn(p, corner_find(corner, a, b, 1)),
                       tri_turn(q, corner_find(corner, b, a, 1)));
    return tri_hinge(tri_turn(p, (corner_find(corner, a, b, 0) + 1) % 3),
                     tri_turn(q, (corner_find(corner, b, a, 0) + 1) % 3));
}

/* verdict[i]: TRI_APART, TRI_MEET or TRI_UNDECIDED */
KERNEL void narrow_test(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules,
                        GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    u32 i = a[ITEM], j = b[ITEM];
    u32 shared = rules & RULE_SKIP_ADJACENT ? 0 : prim_shared(corner, i, j);
    tri p = tri_load(x, corner, i), q = tri_load(x, corner, j);
    verdict[ITEM] = (u8)(shared ? narrow_adjacent(corner, i, j, shared, p, q) : tri_tri(p, q));
}

/* Chunk c of pairs: count[c] that meet, count[chunks + c] that are undecided. */
KERNEL void narrow_count(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict,
                         GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 meet = 0, undecided = 0, first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    for (u32 i = first; i < last; i++) {
        meet += verdict[i] == TRI_MEET;
        undecided += verdict[i] == TRI_UNDECIDED;
    }
    count[ITEM] = meet;
    count[n + ITEM] = undecided;
}

/* All pairs that meet, then all that are undecided, each in order, by the scanned counts. */
KERNEL void narrow_pick(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict,
                        GLOBAL const u64 *offset, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    if (ITEM >= n)
        return;
    u64 meet = offset[ITEM], undecided = offset[n + ITEM];
    u32 first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    for (u32 i = first; i < last; i++) {
        if (verdict[i] == TRI_APART)
            continue;
        u64 to = verdict[i] == TRI_MEET ? meet++ : undecided++;
        a_out[to] = a[i];
        b_out[to] = b[i];
    }
}

/* point[6 i ..]: the ends of the segment in which pair i, which meets, does so */
KERNEL void narrow_segment(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                           GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules, u32 frames,
                           GLOBAL const u32 *prim0, GLOBAL const f64 *unscale, GLOBAL f64 *point)
{
    if (ITEM >= n)
        return;
    u32 i = a[ITEM], j = b[ITEM], f = frame_of(prim0, frames, i);
    u32 shared = rules & RULE_SKIP_ADJACENT ? 0 : prim_shared(corner, i, j);
    tri p = tri_load(x, corner, i), q = tri_load(x, corner, j);
    segment s;
    if (shared)
        s = tri_fan_segment(tri_turn(p, corner_find(corner, i, j, 1)),
                            tri_turn(q, corner_find(corner, j, i, 1)));
    else
        s = tri_tri_segment(p, q);
    segment_store(s, unscale[2 * f], unscale[2 * f + 1], point + (size_t)6 * ITEM);
}

/* point[6 i ..]: the centroids of pair i */
KERNEL void narrow_centroids(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                             GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 frames,
                             GLOBAL const u32 *prim0, GLOBAL const f64 *unscale, GLOBAL f64 *point)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, a[ITEM]);
    segment s;
    s.a = tri_centroid(tri_load(x, corner, a[ITEM]));
    s.b = tri_centroid(tri_load(x, corner, b[ITEM]));
    segment_store(s, unscale[2 * f], unscale[2 * f + 1], point + (size_t)6 * ITEM);
}

#endif
