/* Verdicts on candidates, and the geometry of contacts. a[i], b[i] is the i-th pair.
 *
 * Candidates come from the grid in the order of its cells, so verdicts are asked of triangles
 * copied in that order (RULE_PLACES): neighbours in space then are neighbours in memory, however
 * the mesh numbers them. */
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

/* sorted[9 i ..]: the vertices of triangle id[i] */
KERNEL void narrow_copy(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL const u32 *corner,
                        GLOBAL const f64 *x, GLOBAL f64 *sorted)
{
    if (ITEM >= n)
        return;
    GLOBAL const u32 *c = corner + (size_t)3 * id[ITEM];
    GLOBAL f64 *out = sorted + (size_t)9 * ITEM;
    for (u32 k = 0; k < 3; k++) {
        GLOBAL const f64 *p = x + (size_t)3 * c[k];
        out[3 * k] = p[0];
        out[3 * k + 1] = p[1];
        out[3 * k + 2] = p[2];
    }
}

/* from places to the triangles that they are of */
KERNEL void narrow_names(ITEM_ARG u32 n, GLOBAL const u32 *id, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    a[ITEM] = id[a[ITEM]];
    b[ITEM] = id[b[ITEM]];
}

FN tri narrow_load(GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules, u32 i)
{
    return rules & RULE_PLACES ? tri_take(x, i) : tri_load(x, corner, i);
}

/* verdict[i]: TRI_APART or TRI_NEAR. With RULE_PLACES x is narrow_copy's, else as in bound.cl. */
KERNEL void narrow_far(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b,
                       GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 rules, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    tri p = narrow_load(corner, x, rules, a[ITEM]), q = narrow_load(corner, x, rules, b[ITEM]);
    verdict[ITEM] = (u8)(tri_far(p, q) ? TRI_APART : TRI_NEAR);
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
    tri p = narrow_load(corner, x, rules, i), q = narrow_load(corner, x, rules, j);
    verdict[ITEM] = (u8)(shared ? narrow_adjacent(corner, i, j, shared, p, q) : tri_tri(p, q));
}

/* Chunk c of pairs: count[c] whose verdict is `one`, count[chunks + c] whose it is `two`. */
KERNEL void narrow_count(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict, u32 one,
                         u32 two, GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 ones = 0, twos = 0, first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    for (u32 i = first; i < last; i++) {
        ones += verdict[i] == one;
        twos += verdict[i] == two;
    }
    count[ITEM] = ones;
    count[n + ITEM] = twos;
}

/* All pairs of verdict `one`, then all of verdict `two`, each in order, by the scanned counts. */
KERNEL void narrow_pick(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict, u32 one,
                        u32 two, GLOBAL const u64 *offset, GLOBAL const u32 *a, GLOBAL const u32 *b,
                        GLOBAL u32 *a_out, GLOBAL u32 *b_out)
{
    if (ITEM >= n)
        return;
    u64 ones = offset[ITEM], twos = offset[n + ITEM];
    u32 first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    for (u32 i = first; i < last; i++) {
        if (verdict[i] != one && verdict[i] != two)
            continue;
        u64 to = verdict[i] == one ? ones++ : twos++;
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
