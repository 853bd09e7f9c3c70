/* Verdicts on candidates of which one or both are tetrahedra; a[i], b[i] is the i-th pair. The same
 * three tests as for triangles (narrow.cl), each for the pairs that the previous one left open. */
#include "prim.h"
#include "solid.h"
#ifdef IMP_FP64

#define SOLIDS_ARGS                                                                                \
    GLOBAL const u32 *a, GLOBAL const u32 *b, GLOBAL const u32 *corner, GLOBAL const f64 *x

/* TRI_APART if the normal of a face of either certainly separates them, else TRI_NEAR */
FN u8 solid_decide_far(solid_pair s)
{
    v3 extent = solid_extent(s);
    ROLLED
    for (u32 k = 0; k < 2 * SOLID_FACES; k++)
        if (solid_separates(s, solid_normal(s.x, k < SOLID_FACES ? s.p : s.q, k % SOLID_FACES),
                            extent))
            return TRI_APART;
    return TRI_NEAR;
}

KERNEL void solid_far(ITEM_ARG u32 n, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    verdict[ITEM] = solid_decide_far(solid_pair_of(corner, x, a[ITEM], b[ITEM]));
}

/* Returns whether they share a vertex, by number. */
FN i32 solid_shares(solid_pair s)
{
    return tet_has(s.p, s.q[0]) || tet_has(s.p, s.q[1]) || tet_has(s.p, s.q[2]) ||
           tet_has(s.p, s.q[3]);
}

FN i32 solid_has_volume(GLOBAL const f64 *x, GLOBAL const u32 *p, f64 error)
{
    return solid_orient(x, p[0], p[1], p[2], p[3], error) != 0;
}

/* verdict[i]: TRI_MEET if they certainly do, else TRI_UNDECIDED. If a pair shares a vertex the
 * interiors must meet: they do where an edge pierces a face or a vertex lies within, if both
 * certainly have a volume. Other pairs with shared vertices are left to solid_adjacent and to the
 * host. */
KERNEL void solid_test(ITEM_ARG u32 n, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    solid_pair s = solid_pair_of(corner, x, a[ITEM], b[ITEM]);
    f64 error = tri_error(solid_extent(s));
    verdict[ITEM] = TRI_UNDECIDED;
    if (solid_shares(s) && !(solid_has_volume(x, s.p, error) && solid_has_volume(x, s.q, error)))
        return;
    if (solid_meets(s, error))
        verdict[ITEM] = TRI_MEET;
    else if (solid_meets(solid_turned(s), error))
        verdict[ITEM] = TRI_MEET;
}

/* TRI_APART if a direction across an edge of each certainly separates them, else TRI_UNDECIDED */
FN u8 solid_decide_across(solid_pair s)
{
    v3 extent = solid_extent(s);
    ROLLED
    for (u32 k = 0; k < SOLID_EDGES * SOLID_EDGES; k++)
        if (solid_separates(s,
                            v3_cross(solid_edge(s.x, s.p, k / SOLID_EDGES),
                                     solid_edge(s.x, s.q, k % SOLID_EDGES)),
                            extent))
            return TRI_APART;
    return TRI_UNDECIDED;
}

KERNEL void solid_separate(ITEM_ARG u32 n, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    verdict[ITEM] = solid_decide_across(solid_pair_of(corner, x, a[ITEM], b[ITEM]));
}

/* ---- primitives that share vertices */

#define BESIDE_IN 2

/* The side of the plane a, b, c on which the vertices of p certainly are, not counting vertices a,
 * b and c: 1 or -1; BESIDE_IN if all are in the plane; 0 if they are on both sides or that is not
 * certain. */
FN i32 solid_beside(GLOBAL const f64 *x, u32 a, u32 b, u32 c, GLOBAL const u32 *p, f64 error)
{
    i32 all = BESIDE_IN;
    ROLLED
    for (u32 v = 0; v < SOLID_CORNERS; v++) {
        u32 at = p[v];
        if (at == a || at == b || at == c)
            continue;
        i32 side = solid_orient(x, a, b, c, at, error);
        if (!side || side == -all)
            return 0;
        all = side;
    }
    return all;
}

/* Returns whether they certainly are on the two sides of this plane. */
FN i32 solid_split(solid_pair s, u32 a, u32 b, u32 c, f64 error)
{
    i32 p = solid_beside(s.x, a, b, c, s.p, error), q = solid_beside(s.x, a, b, c, s.q, error);
    return p && q && (p == -q || p == BESIDE_IN || q == BESIDE_IN);
}

/* a triangle, or a tetrahedron that repeats its last corner */
FN i32 solid_flat(GLOBAL const u32 *p)
{
    return p[2] == p[3];
}

/* verdict[i] of pairs that share vertices: TRI_APART if a plane through a shared vertex - of a
 * face, or of an edge of each - certainly has them on two sides; others keep their verdict. Such a
 * plane exists whenever their interiors do not meet. Two triangles are left to the host. */
KERNEL void solid_adjacent(ITEM_ARG u32 n, SOLIDS_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    solid_pair s = solid_pair_of(corner, x, a[ITEM], b[ITEM]);
    if (verdict[ITEM] != TRI_UNDECIDED || !solid_shares(s) || (solid_flat(s.p) && solid_flat(s.q)))
        return;
    f64 error = tri_error(solid_extent(s));
    u32 shared = 0;
    while (!tet_has(s.q, s.p[shared]))
        shared++;
    shared = s.p[shared];
    i32 apart = 0;
    ROLLED
    for (u32 k = 0; k < 2 * SOLID_FACES && !apart; k++) {
        GLOBAL const u32 *of = k < SOLID_FACES ? s.p : s.q;
        apart = solid_split(s, of[solid_after(k, 1)], of[solid_after(k, 2)], of[solid_after(k, 3)],
                            error);
    }
    ROLLED
    for (u32 k = 0; k < SOLID_CORNERS * SOLID_CORNERS && !apart; k++)
        apart = solid_split(s, shared, s.p[k / SOLID_CORNERS], s.q[k % SOLID_CORNERS], error);
    if (apart)
        verdict[ITEM] = TRI_APART;
}

#endif
