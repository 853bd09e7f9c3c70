/* Bounds of every primitive: the box and the further slabs of its k-DOP, float32, rounded outward.
 */
#include "dop.h"
#include "prim.h"
#include "prim_bound.h"
#include "stripes.h"
#include "tri.h"
#ifdef IMP_FP64

/* Vertex indices within the block for each corner. Frame f's first primitive is prim0[f], its first
 * vertex vert0[f]; the first primitive of its mesh in `from` is mesh0[f]. */
KERNEL void bound_corners(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0,
                          GLOBAL const u32 *vert0, GLOBAL const u32 *mesh0, u32 corners,
                          GLOBAL const u32 *from, GLOBAL u32 *corner)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, ITEM);
    GLOBAL const u32 *t = from + (size_t)corners * (mesh0[f] + (ITEM - prim0[f]));
    for (u32 c = 0; c < corners; c++)
        corner[(size_t)corners * ITEM + c] = vert0[f] + t[c];
}

/* object[i]: object of primitive i, from the meshes' arrays */
KERNEL void bound_objects(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0,
                          GLOBAL const u32 *mesh0, GLOBAL const i32 *mesh_object,
                          GLOBAL i32 *object)
{
    if (ITEM >= n)
        return;
    u32 f = frame_of(prim0, frames, ITEM);
    object[ITEM] = mesh_object[mesh0[f] + (ITEM - prim0[f])];
}

/* box[6 i ..]: lower and upper corner. A primitive with a non-finite vertex gets empty bounds.
 * centre[3 f ..] is the scaled centre of frame f. */
KERNEL void bound_box(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *centre,
                      u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL f32 *box)
{
    if (ITEM >= n)
        return;
    v3 o = v3_load(centre, frames > 1 ? frame_of(prim0, frames, ITEM) : 0);
    if (corners != 3) {
        prim_box(x, corner, corners, ITEM, o, box + (size_t)BOX_BOUNDS * ITEM);
        return;
    }
    const tri_box b = tri_box_of(tri_from(o, tri_load(x, corner, ITEM)));
    GLOBAL f32 *out = box + (size_t)BOX_BOUNDS * ITEM;
    out[0] = b.x0;
    out[1] = b.y0;
    out[2] = b.z0;
    out[3] = b.x1;
    out[4] = b.y1;
    out[5] = b.z1;
}

/* slab[2 extra i ..]: lower and upper bound along each axis that k adds to the box */
KERNEL void bound_slabs(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0,
                        GLOBAL const f64 *centre, u32 corners, GLOBAL const u32 *corner,
                        GLOBAL const f64 *x, u32 k, GLOBAL f32 *slab)
{
    if (ITEM >= n)
        return;
    v3 o = v3_load(centre, frames > 1 ? frame_of(prim0, frames, ITEM) : 0);
    if (corners != 3) {
        prim_slabs(x, corner, corners, ITEM, o, k, slab + (size_t)2 * dop_extra_count(k) * ITEM);
        return;
    }
    tri t = tri_from(o, tri_load(x, corner, ITEM));
    i32 bad = bound_bad(t);
    u32 first = dop_extra_first(k), extra = dop_extra_count(k);
    GLOBAL f32 *out = slab + (size_t)2 * extra * ITEM;
    for (u32 e = 0; e < extra; e++, out += 2) {
        f64 p = dop_project(first + e, t.a.x, t.a.y, t.a.z);
        f64 q = dop_project(first + e, t.b.x, t.b.y, t.b.z);
        f64 r = dop_project(first + e, t.c.x, t.c.y, t.c.z);
        out[0] = bound_low(lane_min3(p, q, r), bad);
        out[1] = bound_high(lane_max3(p, q, r), bad);
    }
}

/* Extends the range lo[0] .. hi[0] to the union of both ranges. */
FN void range_join(GLOBAL f32 *lo, GLOBAL f32 *hi, f32 to_lo, f32 to_hi, i32 bad)
{
    f32 l = *lo < to_lo ? *lo : to_lo, h = *hi > to_hi ? *hi : to_hi;
    *lo = bad ? BOUND_NONE : l;
    *hi = bad ? -BOUND_NONE : h;
}

/* Extends box[6 i ..] and slab[2 extra i ..] to the union over both instants. A primitive that is
 * not finite at either instant gets empty bounds. */
KERNEL void bound_join(ITEM_ARG u32 n, GLOBAL const f32 *box_to, u32 extra,
                       GLOBAL const f32 *slab_to, GLOBAL f32 *box, GLOBAL f32 *slab)
{
    if (ITEM >= n)
        return;
    GLOBAL const f32 *to = box_at(box_to, ITEM);
    GLOBAL f32 *b = box + (size_t)BOX_BOUNDS * ITEM;
    i32 bad = !box_enters(to) || !box_enters(b);
    for (u32 k = 0; k < 3; k++)
        range_join(b + k, b + k + 3, to[k], to[k + 3], bad);
    to = slab_to + (size_t)2 * extra * ITEM;
    b = slab + (size_t)2 * extra * ITEM;
    for (u32 e = 0; e < 2 * extra; e += 2)
        range_join(b + e, b + e + 1, to[e], to[e + 1], bad);
}

/* Inflates the bounds of frame f by grow[f]. Where there are margins, one for each primitive,
 * primitive i also grows by margin[i]. */
KERNEL void bound_grow(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *prim0, GLOBAL const f64 *grow,
                       u32 margins, GLOBAL const f64 *margin, u32 extra, GLOBAL f32 *box,
                       GLOBAL f32 *slab)
{
    if (ITEM >= n)
        return;
    prim_grow(grow[frames > 1 ? frame_of(prim0, frames, ITEM) : 0] + (margins ? margin[ITEM] : 0),
              extra, box + (size_t)BOX_BOUNDS * ITEM, slab + (size_t)2 * extra * ITEM);
}

/* Sum and number of the edge lengths of each chunk's primitives, for the mean edge of a frame. sqrt
 * is correctly rounded in float64. Non-finite primitives are left out. Lengths are added in the
 * order of stripes.h; a chunk belongs to one item, or to one work-group. */
#ifndef IMP_DEVICE

KERNEL void bound_edges(ITEM_ARG u32 n, GLOBAL const u32 *first, GLOBAL const u32 *last,
                        u32 corners, GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL f64 *sum,
                        GLOBAL u32 *edges)
{
    if (ITEM >= n)
        return;
    f64 stripe[SEGMENT_GROUP];
    u32 count = 0, from = first[ITEM];
    for (u32 l = 0; l < SEGMENT_GROUP; l++)
        stripe[l] = 0;
    for (u32 i = from; i < last[ITEM]; i++)
        count += prim_edges(x, corner, corners, i, &stripe[(i - from) % SEGMENT_GROUP]);
    sum[ITEM] = stripes_join(stripe);
    edges[ITEM] = count;
}

#endif

#ifdef IMP_DEVICE

GROUP_KERNEL(SEGMENT_GROUP)
bound_edges_group(GLOBAL const u32 *first, GLOBAL const u32 *last, u32 corners,
                  GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL f64 *sum, GLOBAL u32 *edges)
{
    SHARED f64 stripe[SEGMENT_GROUP];
    SHARED u32 counts[SEGMENT_GROUP];
    u32 l = LOCAL_ID, c = GROUP_ID, end = last[c], count = 0;
    f64 own = 0;
    for (u32 i = first[c] + l; i < end; i += SEGMENT_GROUP)
        count += prim_edges(x, corner, corners, i, &own);
    stripes_join_group(stripe, counts, own, count);
    if (l > 0)
        return;
    sum[c] = stripe[0];
    edges[c] = counts[0];
}

#endif

#endif
