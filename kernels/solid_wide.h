/* WIDE pairs of tetrahedra at a time, for CPUs: all directions of solid.cl, if one of the pairs
 * needs them. The operations and their order are the same, and so are the bits. */
#ifndef IMP_SOLID_WIDE_H
#define IMP_SOLID_WIDE_H
#include "solid.h"
#include "tri_wide.h"

#define WIDE_ALL ((1u << WIDE) - 1)

#undef LANE_NAME
#define LANE_NAME(name) name##_w

/* Both primitives of each pair, and their common extent. */
typedef struct solids_w {
    v3 p[SOLID_CORNERS], q[SOLID_CORNERS], extent;
} solids_w;

FORMULA void solid_load_w(GLOBAL const f64 *x, GLOBAL const u32 *corner, GLOBAL const u32 *id,
                          v3 *out)
{
    u32 vertex[SOLID_CORNERS][WIDE];
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < SOLID_CORNERS; c++)
            vertex[c][k] = corner[(size_t)SOLID_CORNERS * id[k] + c];
    for (u32 c = 0; c < SOLID_CORNERS; c++)
        out[c] = v3_load_w(x, vertex[c]);
}

FORMULA solids_w solids_load_w(GLOBAL const f64 *x, GLOBAL const u32 *corner, GLOBAL const u32 *a,
                               GLOBAL const u32 *b)
{
    solids_w s;
    solid_load_w(x, corner, a, s.p);
    solid_load_w(x, corner, b, s.q);
    v3 lo = s.p[0], hi = lo;
    for (u32 k = 0; k < SOLID_CORNERS; k++) {
        lo = v3_min(lo, v3_min(s.p[k], s.q[k]));
        hi = v3_max(hi, v3_max(s.p[k], s.q[k]));
    }
    s.extent = v3_sub(hi, lo);
    return s;
}

/* solid_separates: bits of the pairs that the direction n separates */
FORMULA u32 solid_separates_w(const solids_w *s, v3 n)
{
    v3 o = s->p[0];
    lane p_lo = lane_all(0), p_hi = p_lo, q_lo = v3_dot(n, v3_sub(s->q[0], o)), q_hi = q_lo;
    for (u32 k = 1; k < SOLID_CORNERS; k++) {
        lane p = v3_dot(n, v3_sub(s->p[k], o)), q = v3_dot(n, v3_sub(s->q[k], o));
        p_lo = lane_min(p_lo, p);
        p_hi = lane_max(p_hi, p);
        q_lo = lane_min(q_lo, q);
        q_hi = lane_max(q_hi, q);
    }
    lane error = 2 * (TRI_DOT_EPSILON * (lane_abs(n.x) * s->extent.x + lane_abs(n.y) * s->extent.y +
                                         lane_abs(n.z) * s->extent.z) +
                      TRI_TINY);
    return mask_bits_w(mask_or(lane_less(error, p_lo - q_hi), lane_less(error, q_lo - p_hi)));
}

/* solid_normal */
FORMULA v3 solid_normal_w(const v3 *p, u32 k)
{
    v3 o = p[solid_after(k, 1)];
    return v3_cross(v3_sub(p[solid_after(k, 2)], o), v3_sub(p[solid_after(k, 3)], o));
}

/* bits of the pairs that the normal of a face separates */
FN u32 solid_far_w(const solids_w *s)
{
    u32 far = 0;
    for (u32 k = 0; k < 2 * SOLID_FACES && far != WIDE_ALL; k++)
        far |= solid_separates_w(s, solid_normal_w(k < SOLID_FACES ? s->p : s->q, k % SOLID_FACES));
    return far;
}

FORMULA v3 solid_edge_w(const v3 *p, u32 e)
{
    return v3_sub(p[edge_end(e)], p[edge_start(e)]);
}

/* bits of the pairs that a direction across an edge of each separates */
FN u32 solid_across_w(const solids_w *s)
{
    u32 far = 0;
    for (u32 k = 0; k < SOLID_EDGES * SOLID_EDGES && far != WIDE_ALL; k++)
        far |= solid_separates_w(
            s, v3_cross(solid_edge_w(s->p, k / SOLID_EDGES), solid_edge_w(s->q, k % SOLID_EDGES)));
    return far;
}

#undef LANE_NAME
#define LANE_NAME(name) name

#endif
