/* The exact distances of feature pairs, for the host: an item processes eight pairs, WIDE of them
 * side by side. What stays uncertain is left to integers (host/exact). Pairs are at most `room`, a
 * multiple of eight; behind the last one stand copies of it. */
#include "measure_wide.h"

/* place[i]: where the nearest points are (lane_measure.h), or MEASURE_OPEN; unit[i]: see
 * measure_unit. */
KERNEL void measure_places8(ITEM_ARG u32 n, u32 edges, u32 room, GLOBAL const f64 *x,
                            GLOBAL f64 *unit, GLOBAL u8 *place)
{
    if (ITEM >= n)
        return;
    for (u32 i = 8 * ITEM; i < 8 * ITEM + 8; i += WIDE) {
        v3_w a = measure_load_w(x, room, 0, i), b = measure_load_w(x, room, 1, i);
        v3_w c = measure_load_w(x, room, 2, i), d = measure_load_w(x, room, 3, i);
        lane_mask_w sure, open;
        lane_w own = measure_unit_w(a, b, c, d, &sure), scale = 1 / own;
        f64 at[WIDE];
        lane_store_w(edges ? measure_near_edges_w(a, b, c, d, scale, &open)
                           : measure_near_face_w(d, a, b, c, scale, &open),
                     at);
        lane_store_w(own, unit + i);
        u32 closed = mask_bits_w(mask_and_w(sure, mask_not_w(open)));
        for (u32 k = 0; k < WIDE; k++)
            place[i + k] = closed >> k & 1 ? (u8)at[k] : MEASURE_OPEN;
    }
}

/* Pair row[i] as these parts, whose points begin at x[at[point * room + i]]; sure[i]: results i are
 * certain. */
KERNEL void measure_parts8(ITEM_ARG u32 n, u32 parts, u32 room, GLOBAL const f64 *x,
                           GLOBAL const f64 *unit, GLOBAL const u32 *row, GLOBAL const u32 *at,
                           GLOBAL f64 *out, GLOBAL u8 *sure)
{
    if (ITEM >= n)
        return;
    for (u32 i = 8 * ITEM; i < 8 * ITEM + 8; i += WIDE) {
        v3_w p[MEASURE_POINTS];
        u32 bits, points = parts == MEASURE_VERTICES ? 2 : parts == MEASURE_VERTEX_EDGE ? 3 : 4;
        for (u32 k = 0; k < points; k++)
            p[k] = measure_gather_w(x, room, at + (size_t)k * room + i);
        lane_w own = lane_gather_w(unit, index_load_w(row + i));
        bits = parts == MEASURE_VERTICES      ? measure_vertices_out_w(p, own, out + i, room)
               : parts == MEASURE_VERTEX_EDGE ? measure_vertex_edge_out_w(p, own, out + i, room)
               : parts == MEASURE_VERTEX_FACE ? measure_vertex_face_out_w(p, own, out + i, room)
                                              : measure_edges_out_w(p, own, out + i, room);
        for (u32 k = 0; k < WIDE; k++)
            sure[i + k] = bits >> k & 1;
    }
}
