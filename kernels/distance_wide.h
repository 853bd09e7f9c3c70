/* distance.h for WIDE pairs of triangles at a time (f64_wide.h), for CPUs. The operations and their
 * order are the same, and so are the bits. */
#ifndef IMP_DISTANCE_WIDE_H
#define IMP_DISTANCE_WIDE_H
#include "ccd_wide.h"
#include "distance.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_distance.h"

/* Both triangles of each pair. */
typedef struct distances_w {
    v3 p[3], q[3];
} distances_w;

FORMULA distances_w distances_load_w(GLOBAL const u32 *corner, GLOBAL const f64 *x,
                                     GLOBAL const u32 *a, GLOBAL const u32 *b)
{
    distances_w r;
    tri p = tri_load_w(x, corner, a), q = tri_load_w(x, corner, b);
    r.p[0] = p.a;
    r.p[1] = p.b;
    r.p[2] = p.c;
    r.q[0] = q.a;
    r.q[1] = q.b;
    r.q[2] = q.c;
    return r;
}

FORMULA distance_edge distance_edge_w_of(const v3 *p, u32 e)
{
    return distance_edge_make(p[e], p[e == 2 ? 0 : e + 1]);
}

FORMULA distance_way distance_of_edges_w(const distances_w *r)
{
    distance_way best = distance_way_none();
    distance_edge q[3];
    for (u32 k = 0; k < 3; k++)
        q[k] = distance_edge_w_of(r->q, k);
    for (u32 i = 0; i < 3; i++) {
        distance_edge p = distance_edge_w_of(r->p, i);
        for (u32 j = 0; j < 3; j++)
            best = distance_shorter(best, distance_edges(p, q[j]));
    }
    return best;
}

FORMULA distance_way distance_of_faces_w(const v3 *p, const v3 *q)
{
    distance_way best = distance_way_none();
    distance_face face = distance_face_make(q[0], q[1], q[2]);
    for (u32 k = 0; k < 3; k++)
        best = distance_shorter(best, distance_over(face, p[k]));
    return best;
}

FORMULA distance_way distance_shortest_w(const distances_w *r)
{
    distance_way best = distance_shorter(distance_of_edges_w(r), distance_of_faces_w(r->p, r->q));
    return distance_shorter(best, distance_turned(distance_of_faces_w(r->q, r->p)));
}

FORMULA distance_range distance_along_w(const v3 *p, v3 d, v3 from)
{
    distance_range t = distance_range_one(v3_dot(v3_sub(p[0], from), d));
    for (u32 k = 1; k < 3; k++)
        t = distance_range_add(t, v3_dot(v3_sub(p[k], from), d));
    return t;
}

FORMULA lane distance_least_w(const distances_w *r, v3 d)
{
    return distance_along_w(r->q, d, r->p[0]).lo - distance_along_w(r->p, d, r->p[0]).hi;
}

/* ---- feature pairs: bits of those that are within the distance; *apart: those beyond it */

FORMULA distance_way distance_shortest_of_w(v3 a, v3 b, v3 c, v3 d, u32 edges)
{
    if (edges)
        return distance_edges(distance_edge_make(a, b), distance_edge_make(c, d));
    distance_way w = distance_over(distance_face_make(a, b, c), d);
    w = distance_shorter(w, distance_vertex_edge(d, distance_edge_make(a, b)));
    w = distance_shorter(w, distance_vertex_edge(d, distance_edge_make(b, c)));
    return distance_shorter(w, distance_vertex_edge(d, distance_edge_make(c, a)));
}

FORMULA lane distance_least_of_w(v3 a, v3 b, v3 c, v3 d, u32 edges, v3 way)
{
    if (!edges)
        return lane_min3(v3_dot(v3_sub(a, d), way), v3_dot(v3_sub(b, d), way),
                         v3_dot(v3_sub(c, d), way));
    return lane_min(lane_min(v3_dot(v3_sub(c, a), way), v3_dot(v3_sub(d, a), way)),
                    lane_min(v3_dot(v3_sub(c, b), way), v3_dot(v3_sub(d, b), way)));
}

FN u32 distance_decide_pairs_w(GLOBAL const f64 *ends, const ccd_fours_w *v, u32 edges,
                               const lane *limits, u32 *apart)
{
    v3 a = ccd_points_load_w(ends, v->a, 0), b = ccd_points_load_w(ends, v->b, 0);
    v3 c = ccd_points_load_w(ends, v->c, 0), d = ccd_points_load_w(ends, v->d, 0);
    distance_way w = distance_shortest_of_w(a, b, c, d, edges);
    lane least = distance_least_of_w(a, b, c, d, edges, w.way);
    *apart = mask_bits_w(distance_beyond(least, w.way, limits[DISTANCE_ABOVE]));
    return mask_bits_w(lane_less(w.square, limits[DISTANCE_BELOW]));
}

/* ---- far */

FORMULA lane_mask distance_far_along_w(const distances_w *r, v3 n, lane above)
{
    distance_range p = distance_along_w(r->p, n, r->p[0]), q = distance_along_w(r->q, n, r->p[0]);
    return distance_beyond(lane_max(q.lo - p.hi, p.lo - q.hi), n, above);
}

FORMULA v3 distance_normal_w(const v3 *p)
{
    return v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
}

FN u32 distance_decide_far_w(const distances_w *r, lane above)
{
    v3 d = v3_sub(r->q[0], r->p[0]);
    for (u32 k = 1; k < 3; k++)
        d = v3_add(d, v3_sub(r->q[k], r->p[k]));
    lane_mask far = distance_far_along_w(r, d, above);
    far = mask_or(far, distance_far_along_w(r, distance_normal_w(r->p), above));
    return mask_bits_w(mask_or(far, distance_far_along_w(r, distance_normal_w(r->q), above)));
}

/* ---- verdicts: bits of the pairs that are within the distance; *apart: those beyond it */

FN u32 distance_decide_w(const distances_w *r, lane below, lane above, u32 *apart)
{
    distance_way w = distance_shortest_w(r);
    *apart = mask_bits_w(distance_beyond(distance_least_w(r, w.way), w.way, above));
    return mask_bits_w(lane_less(w.square, below));
}

/* ---- nearest features */

FORMULA lane distance_longest_w(const v3 *p)
{
    lane most = lane_all(0);
    for (u32 e = 0; e < 3; e++)
        most = lane_max(distance_edge_w_of(p, e).square, most);
    return most;
}

/* in[k]: vertex k may be at an end of the shortest way */
FORMULA void distance_foremost_w(const v3 *p, v3 d, lane drift, lane_mask in[3])
{
    lane most = distance_along_w(p, d, p[0]).hi, edge = distance_longest_w(p);
    for (u32 k = 0; k < 3; k++) {
        lane at = v3_dot(v3_sub(p[k], p[0]), d);
        in[k] = mask_not(distance_behind(most - at, d, edge, drift));
    }
}

/* The ends of edge distance_edge_of: edge 0 if vertices 0 and 1 are in the set, and no other; 1 if
 * 1 and 2 are; else 2. */
FORMULA void distance_two_w(const v3 *p, const lane_mask in[3], v3 end[2])
{
    lane_mask first = mask_and(mask_and(in[0], in[1]), mask_not(in[2]));
    lane_mask second = mask_and(mask_and(in[1], in[2]), mask_not(in[0]));
    end[0] = v3_if(first, p[0], v3_if(second, p[1], p[2]));
    end[1] = v3_if(first, p[1], v3_if(second, p[2], p[0]));
}

FORMULA lane_mask distance_vertices_off_w(const distances_w *r, const lane_mask in[3], v3 way,
                                          lane drift)
{
    v3 p = v3_if(in[0], r->p[0], v3_if(in[1], r->p[1], r->p[2]));
    lane_mask off = distance_off_point(p, way, r->q[0], drift);
    for (u32 k = 1; k < 3; k++)
        off = mask_and(off, distance_off_point(p, way, r->q[k], drift));
    return off;
}

FORMULA lane_mask distance_lines_off_w(const v3 p[2], const v3 q[2], v3 way, lane drift)
{
    v3 e = v3_sub(p[1], p[0]), f = v3_sub(q[1], q[0]), back = v3_scale(way, lane_all(-1));
    lane_mask off = mask_and(distance_off_line(p[0], way, q[0], f, drift),
                             distance_off_line(q[0], back, p[0], e, drift));
    off = mask_and(off, distance_off_line(p[1], way, q[0], f, drift));
    return mask_and(off, distance_off_line(q[1], back, p[0], e, drift));
}

/* Bits of WIDE pairs: which vertices may be at the ends of the shortest way, and which tests hold.
 */
typedef struct distance_bits_w {
    u32 p[3], q[3], apart, off_vertices, off_lines;
} distance_bits_w;

FN distance_bits_w distance_decide_features_w(const distances_w *r)
{
    distance_bits_w bits;
    lane_mask in_p[3], in_q[3];
    v3 p[2], q[2];
    distance_way w = distance_shortest_w(r);
    lane least = distance_least_w(r, w.way), drift = distance_drift(w, least);
    distance_foremost_w(r->p, w.way, drift, in_p);
    distance_foremost_w(r->q, v3_scale(w.way, lane_all(-1)), drift, in_q);
    distance_two_w(r->p, in_p, p);
    distance_two_w(r->q, in_q, q);
    for (u32 k = 0; k < 3; k++) {
        bits.p[k] = mask_bits_w(in_p[k]);
        bits.q[k] = mask_bits_w(in_q[k]);
    }
    bits.apart = mask_bits_w(lane_less(DISTANCE_EPSILON * distance_size(w.way), least));
    bits.off_vertices = mask_bits_w(distance_vertices_off_w(r, in_p, w.way, drift));
    bits.off_lines = mask_bits_w(distance_lines_off_w(p, q, w.way, drift));
    return bits;
}

/* distance_code for lane k. */
FN u32 distance_code_w(const distance_bits_w *bits, u32 k)
{
    u32 p = 0, q = 0;
    for (u32 i = 0; i < 3; i++) {
        p |= (bits->p[i] >> k & 1) << i;
        q |= (bits->q[i] >> k & 1) << i;
    }
    return bits->apart >> k & 1
               ? distance_code(p, q, bits->off_vertices >> k & 1, bits->off_lines >> k & 1)
               : DISTANCE_OPEN;
}

#undef LANE_NAME
#define LANE_NAME(name) name
#endif
