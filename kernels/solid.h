/* Triangles and tetrahedra as closed sets, decided where float64 can decide it: a tetrahedron is a
 * solid. All have four corners; a triangle repeats its last one, so that some of its faces have no
 * area, which separate and meet nothing.
 *
 * Apart is proven by a direction onto which the projections are disjoint (any direction may be
 * tried), meeting by a certain common point: a vertex of one within the other, or the intersection
 * of an edge of one with a face of the other. Exact arithmetic on the host decides the rest
 * (host/exact/exact.h). Vertices are fetched again for each test, since 24 coordinates would fill
 * half the registers that a GPU has for an item. */
#ifndef IMP_SOLID_H
#define IMP_SOLID_H
#include "tri.h"
#ifdef IMP_FP64

#define SOLID_CORNERS 4
#define SOLID_FACES 4
#define SOLID_EDGES 6

/* The vertices of two primitives. */
typedef struct solid_pair {
    GLOBAL const f64 *x;
    GLOBAL const u32 *p, *q; /* [SOLID_CORNERS] */
} solid_pair;

FN solid_pair solid_pair_of(GLOBAL const u32 *corner, GLOBAL const f64 *x, u32 i, u32 j)
{
    solid_pair s;
    s.x = x;
    s.p = corner + (size_t)SOLID_CORNERS * i;
    s.q = corner + (size_t)SOLID_CORNERS * j;
    return s;
}

/* The same pair with its primitives swapped. */
FN solid_pair solid_turned(solid_pair s)
{
    solid_pair t = s;
    t.p = s.q;
    t.q = s.p;
    return t;
}

/* The face opposite to vertex k has the three vertices after it; edges 0, 1 and 2 start at vertex
 * 0, 3 and 4 at vertex 1, 5 at vertex 2. */
FN u32 solid_after(u32 k, u32 steps)
{
    return (k + steps) % SOLID_CORNERS;
}

FN u32 edge_start(u32 e)
{
    return e < 3 ? 0 : e < 5 ? 1 : 2;
}

FN u32 edge_end(u32 e)
{
    return e < 3 ? e + 1 : e < 5 ? e - 1 : 3;
}

FN v3 solid_edge(GLOBAL const f64 *x, GLOBAL const u32 *p, u32 e)
{
    return v3_sub(v3_load(x, p[edge_end(e)]), v3_load(x, p[edge_start(e)]));
}

FN v3 solid_extent(solid_pair s)
{
    v3 lo = v3_load(s.x, s.p[0]), hi = lo;
    ROLLED
    for (u32 k = 0; k < SOLID_CORNERS; k++) {
        v3 a = v3_load(s.x, s.p[k]), b = v3_load(s.x, s.q[k]);
        lo = v3_min(lo, v3_min(a, b));
        hi = v3_max(hi, v3_max(a, b));
    }
    return v3_sub(hi, lo);
}

/* Returns whether the direction n certainly separates them. As in tri_separates, rounding of n
 * itself does not matter. */
FN i32 solid_separates(solid_pair s, v3 n, v3 extent)
{
    v3 o = v3_load(s.x, s.p[0]);
    f64 p_lo = 0, p_hi = 0, q_lo = v3_dot(n, v3_sub(v3_load(s.x, s.q[0]), o)), q_hi = q_lo;
    ROLLED
    for (u32 k = 1; k < SOLID_CORNERS; k++) {
        f64 p = v3_dot(n, v3_sub(v3_load(s.x, s.p[k]), o));
        f64 q = v3_dot(n, v3_sub(v3_load(s.x, s.q[k]), o));
        p_lo = lane_min(p_lo, p);
        p_hi = lane_max(p_hi, p);
        q_lo = lane_min(q_lo, q);
        q_hi = lane_max(q_hi, q);
    }
    f64 error = 2 * (TRI_DOT_EPSILON * (lane_abs(n.x) * extent.x + lane_abs(n.y) * extent.y +
                                        lane_abs(n.z) * extent.z) +
                     TRI_TINY);
    return p_lo - q_hi > error || q_lo - p_hi > error;
}

/* the normal of the face of p opposite to vertex k */
FN v3 solid_normal(GLOBAL const f64 *x, GLOBAL const u32 *p, u32 k)
{
    v3 o = v3_load(x, p[solid_after(k, 1)]);
    return v3_cross(v3_sub(v3_load(x, p[solid_after(k, 2)]), o),
                    v3_sub(v3_load(x, p[solid_after(k, 3)]), o));
}

FN i32 solid_orient(GLOBAL const f64 *x, u32 a, u32 b, u32 c, u32 d, f64 error)
{
    return sure_sign(tri_orient3d(v3_load(x, a), v3_load(x, b), v3_load(x, c), v3_load(x, d)),
                     error);
}

/* The sides of the face of p opposite to vertex k on which the vertices of q certainly are: bit v
 * if v is on vertex k's side, bit 4 + v if it is on the other. Neither bit is set if that is not
 * certain, as for a triangle. */
FN u32 solid_sides(solid_pair s, u32 k, i32 own, f64 error)
{
    u32 a = s.p[solid_after(k, 1)], b = s.p[solid_after(k, 2)], c = s.p[solid_after(k, 3)];
    u32 sides = 0;
    ROLLED
    for (u32 v = 0; v < SOLID_CORNERS; v++) {
        i32 side = own * solid_orient(s.x, a, b, c, s.q[v], error);
        sides |= side > 0 ? 1u << v : side < 0 ? 16u << v : 0;
    }
    return sides;
}

/* Returns whether edge e of q certainly passes through the face of p opposite to vertex k, given
 * that its ends are on both sides of it. */
FN i32 solid_pierced(solid_pair s, u32 k, u32 e, f64 error)
{
    u32 u = s.q[edge_start(e)], v = s.q[edge_end(e)];
    i32 turn = 0;
    ROLLED
    for (u32 i = 1; i < SOLID_CORNERS; i++) {
        i32 t = solid_orient(s.x, u, v, s.p[solid_after(k, i)],
                             s.p[solid_after(k, i == 3 ? 1 : i + 1)], error);
        if (!t || t == -turn)
            return 0;
        turn = t;
    }
    return 1;
}

/* Returns whether they certainly have a common point: a vertex of q in p, or an edge of q that
 * pierces a face of p. */
FN i32 solid_meets(solid_pair s, f64 error)
{
    u32 within = 15;
    i32 volume = solid_orient(s.x, s.p[0], s.p[1], s.p[2], s.p[3], error);
    ROLLED
    for (u32 k = 0; k < SOLID_FACES; k++) {
        /* faces 1 and 3 have the opposite orientation */
        i32 own = volume ? (k & 1 ? volume : -volume) : 1;
        u32 sides = solid_sides(s, k, own, error);
        within &= volume ? sides : 0;
        ROLLED
        for (u32 e = 0; e < SOLID_EDGES && (sides & 15) && sides >> 4; e++) {
            u32 ends = 1u << edge_start(e) | 1u << edge_end(e);
            u32 above = sides & ends, below = sides >> 4 & ends;
            if (above && below && solid_pierced(s, k, e, error))
                return 1;
        }
    }
    return within != 0;
}

#endif
#endif
