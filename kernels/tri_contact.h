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

/* Triangle p, which has vertices on both sides of the plane of q: where the two edges from the
 * vertex that is alone on its side cross that plane, relative to r. Heights are taken relative to a
 * vertex, so that a mesh far from its origin loses nothing. */
FN segment tri_crossing(GLOBAL const f64 *x, tri_corners p, tri_corners q, v3 r)
{
    tri plane = corners_load(x, q);
    v3 h = tri_heights(tri_normal(plane), plane.a, corners_load(x, p));
    u32 lone = signs_lone(tri_sure_signs(h, 0));
    h = heights_turn(h, lone);
    f64 along_b = h.x / (h.x - h.y), along_c = h.x / (h.x - h.z);
    tri t = corners_load(x, corners_turn(p, lone));
    segment s;
    s.a = point_between(t.a, t.b, along_b, r);
    s.b = point_between(t.a, t.c, along_c, r);
    return s;
}

/* Triangle p, which has its first vertex in the plane of q and the others on both sides: that
 * vertex, as zero, and where the edge between the others crosses, relative to the first vertex of
 * q, which is the same one */
FN segment tri_crossing_fan(GLOBAL const f64 *x, tri_corners p, tri_corners q)
{
    tri t = corners_load(x, q);
    v3 h = tri_heights(tri_normal(t), t.a, corners_load(x, p));
    segment s;
    s.a = v3_make(0, 0, 0);
    s.b = point_between(v3_load(x, p.b), v3_load(x, p.c), h.y / (h.y - h.z), t.a);
    return s;
}

/* along the line in which their planes meet */
FN v3 tri_common(tri p, tri q)
{
    return v3_cross(tri_normal(p), tri_normal(q));
}

FN segment segment_along(segment s, v3 direction)
{
    segment r;
    i32 turn = v3_dot(direction, s.a) > v3_dot(direction, s.b);
    r.a = turn ? s.b : s.a;
    r.b = turn ? s.a : s.b;
    return r;
}

/* The common part of two segments of one line; r is added to the points. The ends are compared by
 * the points as computed, not by a parameter: an end that rounding moved along its edge is judged
 * where it now is. */
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

/* of the `count` corners of a primitive */
FN v3 prim_centroid(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 count)
{
    v3 s = v3_load(x, corner[0]);
    for (u32 c = 1; c < count; c++)
        s = v3_add(s, v3_load(x, corner[c]));
    return v3_make(s.x / count, s.y / count, s.z / count);
}

FN i32 v3_less(v3 a, v3 b)
{
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

FN void v3_put(v3 v, GLOBAL f64 *out)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

FN void segment_put(segment s, GLOBAL f64 *out)
{
    v3_put(s.a, out);
    v3_put(s.b, out + 3);
}

FN segment segment_get(GLOBAL const f64 *in)
{
    segment s;
    s.a = v3_load(in, 0);
    s.b = v3_load(in, 1);
    return s;
}

/* back to the frame's own scale, in lexicographic order; x + 0 turns -0 into 0 */
FN void segment_store(segment s, f64 scale0, f64 scale1, GLOBAL f64 *out)
{
    v3 zero = v3_make(0, 0, 0);
    v3 a = v3_add(v3_scale(v3_scale(s.a, scale0), scale1), zero);
    v3 b = v3_add(v3_scale(v3_scale(s.b, scale0), scale1), zero);
    i32 turn = v3_less(b, a);
    s.a = turn ? b : a;
    s.b = turn ? a : b;
    segment_put(s, out);
}

#endif
#endif
