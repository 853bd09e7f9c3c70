/* The intersection of two triangles that tri.h decided to meet: the segment in which they cross,
 * and for candidates their centroids. Coordinates are those of the block, scaled to the frame. */
#ifndef IMP_TRI_CONTACT_H
#define IMP_TRI_CONTACT_H
#include "tri.h"
#ifdef IMP_FP64

#include "lane_contact.h"

/* Triangle p, which has vertices on both sides of the plane of q: the points where the two edges
 * from the lone vertex cross that plane, relative to r. Heights are computed relative to a vertex,
 * so that a mesh far from its origin loses nothing. */
FN segment tri_crossing(GLOBAL const f64 *x, tri_corners p, tri_corners q, v3 r)
{
    v3 h = tri_over(corners_load(x, q), corners_load(x, p));
    signs s = signs_make(h, 0);
    h = heights_turn(h, s);
    f64 along_b = edge_crossing(h.x, h.y), along_c = edge_crossing(h.x, h.z);
    return tri_cut(corners_load(x, corners_turn(p, signs_lone(s))), along_b, along_c, r);
}

/* Triangle p, which has its first vertex in the plane of q and the others on both sides: that
 * vertex, as zero, and the point where the opposite edge crosses the plane, relative to the first
 * vertex of q, which is the same one. */
FN segment tri_crossing_fan(GLOBAL const f64 *x, tri_corners p, tri_corners q)
{
    tri t = corners_load(x, q);
    v3 h = tri_over(t, corners_load(x, p));
    segment s;
    s.a = v3_make(0, 0, 0);
    s.b = point_between(v3_load(x, p.b), v3_load(x, p.c), edge_crossing(h.y, h.z), t.a);
    return s;
}

/* direction of the planes' common line */
FN v3 tri_common(tri p, tri q)
{
    return v3_cross(tri_normal(p), tri_normal(q));
}

/* centroid of the `count` corners of a primitive; count = 0: four, or three if the last is repeated
 */
FN v3 prim_centroid(GLOBAL const f64 *x, GLOBAL const u32 *corner, u32 count)
{
    v3 s = v3_load(x, corner[0]);
    if (!count)
        count = corner[2] == corner[3] ? 3 : 4;
    for (u32 c = 1; c < count; c++)
        s = v3_add(s, v3_load(x, corner[c]));
    return v3_make(s.x / count, s.y / count, s.z / count);
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

#endif
#endif
