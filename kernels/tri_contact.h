/* Where two triangles meet, for pairs that tri.h decided: the segment in which they cross, and for
 * candidates their centroids. Coordinates are those of the block, scaled to the frame. */
#ifndef IMP_TRI_CONTACT_H
#define IMP_TRI_CONTACT_H
#include "tri.h"
#ifdef IMP_FP64

typedef struct segment {
    v3 a, b;
} segment;

/* the point of the line through o and t that is s along it, relative to r */
FN v3 point_between(v3 o, v3 t, f64 s, v3 r)
{
    return v3_add(v3_sub(o, r), v3_scale(v3_sub(t, o), s));
}

/* A triangle whose first vertex is alone above or below a plane: where its two edges from there
 * cross it. h are the heights of its vertices. The points are relative to r. */
FN segment tri_crossing(tri t, v3 h, v3 r)
{
    segment s;
    s.a = point_between(t.a, t.b, h.x / (h.x - h.y), r);
    s.b = point_between(t.a, t.c, h.x / (h.x - h.z), r);
    return s;
}

FN v3 heights_turn(v3 h, u32 n)
{
    return v3_make(n == 0   ? h.x
                   : n == 1 ? h.y
                            : h.z,
                   n == 0   ? h.y
                   : n == 1 ? h.z
                            : h.x,
                   n == 0   ? h.z
                   : n == 1 ? h.x
                            : h.y);
}

FN segment segment_along(segment s, v3 direction)
{
    segment r;
    i32 turn = v3_dot(direction, s.a) > v3_dot(direction, s.b);
    r.a = turn ? s.b : s.a;
    r.b = turn ? s.a : s.b;
    return r;
}

/* the common part of two segments of one line; r is added to the points */
FN segment segment_common(segment s, segment t, v3 direction, v3 r)
{
    segment c;
    s = segment_along(s, direction);
    t = segment_along(t, direction);
    c.a = v3_dot(direction, s.a) >= v3_dot(direction, t.a) ? s.a : t.a;
    c.b = v3_dot(direction, s.b) <= v3_dot(direction, t.b) ? s.b : t.b;
    c.a = v3_add(c.a, r);
    c.b = v3_add(c.b, r);
    return c;
}

/* All heights are taken relative to one vertex, so that a mesh far from its origin loses nothing.
 * The ends are compared by the points as computed, not by a parameter: an end that rounding moved
 * along its edge is judged where it now is. */
FN segment tri_tri_segment(tri p, tri q)
{
    v3 np = tri_normal(p), nq = tri_normal(q), r = p.a;
    v3 hq = tri_heights(np, p.a, q), hp = tri_heights(nq, q.a, p);
    u32 lp = signs_lone(tri_sure_signs(hp, 0)), lq = signs_lone(tri_sure_signs(hq, 0));
    segment s = tri_crossing(tri_turn(p, lp), heights_turn(hp, lp), r);
    segment t = tri_crossing(tri_turn(q, lq), heights_turn(hq, lq), r);
    return segment_common(s, t, v3_cross(np, nq), r);
}

/* the same for triangles that share their first vertex and cross from there */
FN segment tri_fan_segment(tri p, tri q)
{
    v3 np = tri_normal(p), nq = tri_normal(q), r = p.a, zero = v3_make(0, 0, 0);
    v3 hq = tri_heights(np, p.a, q), hp = tri_heights(nq, q.a, p);
    segment s, t;
    s.a = t.a = zero;
    s.b = point_between(p.b, p.c, hp.y / (hp.y - hp.z), r);
    t.b = point_between(q.b, q.c, hq.y / (hq.y - hq.z), r);
    return segment_common(s, t, v3_cross(np, nq), r);
}

FN v3 tri_centroid(tri t)
{
    v3 s = v3_add(v3_add(t.a, t.b), t.c);
    return v3_make(s.x / 3, s.y / 3, s.z / 3);
}

FN i32 v3_less(v3 a, v3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* back to the frame's own scale, in lexicographic order; x + 0 turns -0 into 0 */
FN void segment_store(segment s, f64 scale0, f64 scale1, GLOBAL f64 *out)
{
    v3 zero = v3_make(0, 0, 0);
    v3 a = v3_add(v3_scale(v3_scale(s.a, scale0), scale1), zero);
    v3 b = v3_add(v3_scale(v3_scale(s.b, scale0), scale1), zero);
    i32 turn = v3_less(b, a);
    out[0] = turn ? b.x : a.x;
    out[1] = turn ? b.y : a.y;
    out[2] = turn ? b.z : a.z;
    out[3] = turn ? a.x : b.x;
    out[4] = turn ? a.y : b.y;
    out[5] = turn ? a.z : b.z;
}

#endif
#endif
