/* lane_measure.h for WIDE pairs of features at a time (f64_wide.h). */
#ifndef IMP_MEASURE_WIDE_H
#define IMP_MEASURE_WIDE_H
#include "distance_wide.h"
#include "measure_code.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_measure.h"

/* Coordinates of pairs: x[(3 point + axis) * room + pair]. */
FORMULA v3 measure_load_w(GLOBAL const f64 *x, u32 room, u32 point, u32 pair)
{
    x += (size_t)3 * point * room + pair;
    return v3_make(lane_own_w(x), lane_own_w(x + room), lane_own_w(x + 2 * (size_t)room));
}

FORMULA v3 measure_gather_w(GLOBAL const f64 *x, u32 room, GLOBAL const u32 *at)
{
    index_w i = index_load_w(at);
    return v3_make(lane_gather_w(x, i), lane_gather_w(x + room, i),
                   lane_gather_w(x + 2 * (size_t)room, i));
}

FORMULA v3 measure_from_w(v3 base, v3 sum)
{
    return v3_make(base.x + sum.x + 0.0, base.y + sum.y + 0.0, base.z + sum.z + 0.0);
}

/* The point of an edge or a face: from the vertex with the greatest weight, as exact_nearest.c. */
FORMULA v3 measure_point_w(const v3 *p, const lane *weight, u32 n)
{
    v3 base = p[0], sum = v3_make(lane_all(0), lane_all(0), lane_all(0));
    lane most = weight[0];
    for (u32 k = 1; k < n; k++) {
        lane_mask more = lane_less(most, weight[k]);
        base = v3_if(more, p[k], base);
        most = lane_if(more, weight[k], most);
    }
    for (u32 k = 0; k < n; k++)
        sum = v3_add(sum, v3_scale(v3_sub(p[k], base), weight[k]));
    return measure_from_w(base, sum);
}

/* ---- results, of which those of a pair are room apart */

FORMULA void measure_put_w(v3 v, GLOBAL f64 *out, u32 room)
{
    lane_store_w(v.x, out);
    lane_store_w(v.y, out + room);
    lane_store_w(v.z, out + 2 * (size_t)room);
}

/* Of points p, n[0] of the first part and n[1] of the second. */
FORMULA u32 measure_results_w(measure m, lane unit, const v3 *p, const u32 n[2], GLOBAL f64 *out,
                              u32 room)
{
    lane weight[4];
    u32 w = 0, first = 0;
    v3 normal = measure_normal(m.way, &m.sure);
    lane_store_w(measure_length(m, unit, &m.sure), out + (size_t)MEASURE_DISTANCE * room);
    lane_store_w(m.distance.hi, out + (size_t)MEASURE_HI * room);
    lane_store_w(m.distance.lo, out + (size_t)MEASURE_LO * room);
    lane_store_w(m.error, out + (size_t)MEASURE_RELATIVE_ERROR * room);
    measure_put_w(normal, out + (size_t)MEASURE_NORMAL * room, room);
    for (u32 k = 0; k < 2; first += n[k++]) {
        v3 at = measure_from_w(p[first], v3_make(lane_all(0), lane_all(0), lane_all(0)));
        for (u32 i = 0; i < n[k]; i++) {
            weight[i] = n[k] == 1 ? lane_all(1) : measure_weight(m, (int)w++);
            lane_store_w(weight[i], out + (size_t)(MEASURE_WEIGHT + first + i) * room);
        }
        if (n[k] > 1)
            at = measure_point_w(p + first, weight, n[k]);
        measure_put_w(at, out + (size_t)(MEASURE_NEAREST + 3 * k) * room, room);
    }
    return mask_bits_w(m.sure);
}

FN u32 measure_vertices_out_w(const v3 *p, lane unit, GLOBAL f64 *out, u32 room)
{
    const u32 n[2] = {1, 1};
    return measure_results_w(measure_vertices(p[0], p[1], 1 / unit), unit, p, n, out, room);
}

FN u32 measure_vertex_edge_out_w(const v3 *p, lane unit, GLOBAL f64 *out, u32 room)
{
    const u32 n[2] = {1, 2};
    return measure_results_w(measure_vertex_edge(p[0], p[1], p[2], 1 / unit), unit, p, n, out,
                             room);
}

FN u32 measure_vertex_face_out_w(const v3 *p, lane unit, GLOBAL f64 *out, u32 room)
{
    const u32 n[2] = {1, 3};
    return measure_results_w(measure_over_face(p[0], p[1], p[2], p[3], 1 / unit), unit, p, n, out,
                             room);
}

FN u32 measure_edges_out_w(const v3 *p, lane unit, GLOBAL f64 *out, u32 room)
{
    const u32 n[2] = {2, 2};
    return measure_results_w(measure_between_edges(p[0], p[1], p[2], p[3], 1 / unit), unit, p, n,
                             out, room);
}

#undef LANE_NAME
#define LANE_NAME(name) name
#endif
