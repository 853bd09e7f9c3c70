/* The intersection of two triangles that tri.h decided to meet: the segment in which they cross,
 * and for candidates their centroids. Coordinates are those of the block, scaled to the frame. */
#ifndef IMP_TRI_CONTACT_H
#define IMP_TRI_CONTACT_H
#include "tri.h"
#ifdef IMP_FP64

#include "lane_twofold.h"
#include "lane_contact.h"

/* The features of two triangles at an end of their segment (imp_contacts.end_features): corner 0 to
 * 2, END_EDGE + edge, END_FACE. */
#define END_EDGE 3u
#define END_FACE 6u

/* The end is on this edge of the second triangle (of_q), or of the first one, inside the other. */
FN void end_put(u32 of_q, u32 edge, GLOBAL u8 *out)
{
    out[0] = (u8)(of_q ? END_FACE : END_EDGE + edge);
    out[1] = (u8)(of_q ? END_EDGE + edge : END_FACE);
}

/* A triangle as segment_crossing takes it: the vertex that was rotated to be the first one, and
 * whether the other two were swapped. */
typedef struct end_form {
    u32 lone, flipped;
} end_form;

/* The edge a-b of that form, or a-c (third). */
FN u32 end_edge(end_form f, u32 third)
{
    return f.flipped == third ? f.lone : (f.lone + 2) % 3;
}

/* The features at both ends, of segment_crossing and segment_unscaled. */
FN void ends_put(end_form p, end_form q, u32 q_a, u32 q_b, u32 turned, GLOBAL u8 *out)
{
    end_put(q_a, q_a ? end_edge(q, 1) : end_edge(p, 0), out + (turned ? 2 : 0));
    end_put(q_b, q_b ? end_edge(q, 0) : end_edge(p, 1), out + (turned ? 0 : 2));
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
