/* The intersection of two triangles that tri.h decided to meet: the segment in which they cross,
 * and for candidates their centroids. Coordinates are those of the block, scaled to the frame. */
#ifndef IMP_TRI_CONTACT_H
#define IMP_TRI_CONTACT_H
#include "tri.h"
#ifdef IMP_FP64

#include "lane_twofold.h"
#include "lane_contact.h"

/* The segment of two triangles that cross and share just their first vertex, which is an end of it.
 * The other end is where the edge b-c of one crosses the plane of the other: the edge that is
 * nearer to the shared vertex, which is then on the same side of a plane along both edges as the
 * other edge. */
FN segment segment_crossing_fan(tri p, tri q)
{
    v3 extent = tri_extent(p, q), across = v3_cross(v3_sub(p.c, p.b), v3_sub(q.c, q.b));
    f64 other = v3_dot(across, v3_sub(q.b, p.b)), shared = v3_dot(across, v3_sub(p.a, p.b));
    f64 least = tri_error(extent);
    i32 of_q = (other > 0) == (shared > 0);
    segment s;
    s.a = p.a;
    s.b = crossing_point(of_q ? p : q, of_q ? q.b : p.b, of_q ? q.c : p.c, crossing_error(extent));
    if (!(lane_min(lane_abs(other), lane_abs(shared)) > least))
        s.b.x = INFINITY;
    return s;
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

#endif
#endif
