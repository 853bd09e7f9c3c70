/* WIDE pairs of triangles at a time (f64_wide.h), for CPUs. All pairs take all steps: masks replace
 * the early outs for one pair (narrow.cl). The formulas are the same text, and so are the bits. */
#ifndef IMP_TRI_WIDE_H
#define IMP_TRI_WIDE_H
#include "f64_wide.h"
#include "prim.h"
#include "tri_contact.h"

/* From here to the end of the file the formulas' names are those of WIDE lanes: tri is tri_w. */
#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_vec.h"
#include "lane_tri.h"
#include "lane_adjacent.h"

/* a < b in lexicographic order: see vec.h */
FN lane_mask v3_less_w(v3 a, v3 b)
{
    lane_mask z = mask_and(lane_equal(a.y, b.y), lane_less(a.z, b.z));
    lane_mask y = mask_and(lane_equal(a.x, b.x), mask_or(lane_less(a.y, b.y), z));
    return mask_or(lane_less(a.x, b.x), y);
}

#ifdef WIDE_FUSED
#define LANE_FUSED
#endif
#include "lane_twofold.h"
#undef LANE_FUSED
#include "lane_contact.h"

/* ---- from memory */

/* loads the vertices i[0], i[1] .. */
FORMULA v3 v3_load_w(GLOBAL const f64 *x, const u32 *i)
{
    lane v[3];
    lane_rows_w(x, 3, 3, i, v);
    return v3_make(v[0], v[1], v[2]);
}

/* loads the triangles id[0], id[1] .. */
FORMULA tri tri_load_w(GLOBAL const f64 *x, GLOBAL const u32 *corner, GLOBAL const u32 *id)
{
    tri t;
    u32 vertex[3][WIDE];
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 3; c++)
            vertex[c][k] = corner[(size_t)3 * id[k] + c];
    t.a = v3_load_w(x, vertex[0]);
    t.b = v3_load_w(x, vertex[1]);
    t.c = v3_load_w(x, vertex[2]);
    return t;
}

/* the nine coordinates */
FORMULA tri tri_own_w(const lane *v)
{
    tri t;
    t.a = v3_make(v[0], v[1], v[2]);
    t.b = v3_make(v[3], v[4], v[5]);
    t.c = v3_make(v[6], v[7], v[8]);
    return t;
}

/* loads the triangles at ranks id[0], id[1] .. of rtree_copy */
FORMULA tri tri_take_w(GLOBAL const f64 *x, GLOBAL const u32 *id)
{
    lane v[9];
    lane_rows9_w(x, id, v);
    return tri_own_w(v);
}

FORMULA tri tri_named_w(GLOBAL const u32 *id, GLOBAL const u32 *corner, GLOBAL const f64 *x,
                        u32 rules)
{
    return rules & RULE_RANKS ? tri_take_w(x, id) : tri_load_w(x, corner, id);
}

/* A triangle and the numbers of its vertices. */
typedef struct tri_mesh_w {
    tri at;
    tri_corners of;
} tri_mesh_w;

/* The same for pairs that may share vertices. */
FORMULA tri_mesh_w tri_mesh_named_w(GLOBAL const u32 *id, GLOBAL const u32 *corner,
                                    GLOBAL const f64 *x, u32 rules)
{
    lane v[12];
    tri_mesh_w t;
    if (rules & RULE_RANKS) {
        lane_rows12_w(x, id, v);
        t.at = tri_own_w(v);
    } else {
        t.at = tri_load_w(x, corner, id);
        for (u32 c = 0; c < 3; c++) {
            f64 number[WIDE];
            for (u32 k = 0; k < WIDE; k++)
                number[k] = corner[(size_t)3 * id[k] + c];
            v[9 + c] = lane_own_w(number);
        }
    }
    t.of.a = v[9];
    t.of.b = v[10];
    t.of.c = v[11];
    return t;
}

/* ---- verdicts */

/* narrow_decide_far: bits of the pairs that are apart */
FN u32 narrow_decide_far_w(tri p, tri q)
{
    lane error = tri_error(tri_extent(p, q));
    return mask_bits_w(
        mask_or(heights_beside(tri_over(p, q), error), heights_beside(tri_over(q, p), error)));
}

/* The same for pairs that may share vertices. */
FN u32 narrow_far_adjacent_w(const tri_mesh_w *p, const tri_mesh_w *q)
{
    lane error = tri_error(tri_extent(p->at, q->at));
    v3 of_q = heights_unshared(tri_over(p->at, q->at), shared_of(q->of, p->of));
    v3 of_p = heights_unshared(tri_over(q->at, p->at), shared_of(p->of, q->of));
    return mask_bits_w(mask_or(heights_beside(of_q, error), heights_beside(of_p, error)));
}

/* as corners_flip */
FN tri tri_flip_w(tri t, lane_mask flip)
{
    tri r;
    r.a = t.a;
    r.b = v3_if(flip, t.c, t.b);
    r.c = v3_if(flip, t.b, t.c);
    return r;
}

/* true if the heights h over the plane of a triangle of this size locate the points where edges
 * cross it */
FN lane_mask tri_crossing_sure_w(v3 h, v3 size, v3 extent)
{
    return lane_less(tri_crossing_least(size, extent), tri_crossing_height(h));
}

/* The heights of each triangle over the other's plane. */
typedef struct heights_w {
    v3 p, q, np, nq; /* the planes' normals */
} heights_w;

FN heights_w heights_make_w(tri p, tri q)
{
    heights_w h;
    h.np = tri_normal(p);
    h.nq = tri_normal(q);
    h.q = tri_heights(h.np, p.a, q);
    h.p = tri_heights(h.nq, q.a, p);
    return h;
}

/* narrow_decide, all steps at once: returns bits of the pairs that meet; *apart: those that are
 * apart. fan: lanes of pairs that share a vertex, whose heights are heights_unshared. */
FORMULA u32 narrow_decide_sides_w(tri p, tri q, heights_w h, lane_mask fan, u32 *apart)
{
    v3 size_p = tri_size(p), size_q = tri_size(q), extent = tri_extent(p, q);
    lane error = tri_error(extent);
    signs sq = signs_make(h.q, error), sp = signs_make(h.p, error);
    p = tri_flip_w(tri_turn(p, sp.lone_a, sp.lone_b), mask_not(sq.up));
    q = tri_flip_w(tri_turn(q, sq.lone_a, sq.lone_b), mask_not(sp.up));
    lane s = tri_orient3d(p.a, p.b, q.a, q.b), t = tri_orient3d(p.a, p.c, q.c, q.a);
    lane_mask certain = mask_and(sp.certain, sq.certain),
              meets = mask_not(mask_same(sp.up, sq.up)); /* tri_fan_meet */
    lane_mask overlap = intervals_overlap(s, t, error), clear = intervals_apart(s, t, error);
    lane_mask beside = mask_or(signs_equal(sp), signs_equal(sq));
    lane_mask placed = mask_and(tri_crossing_sure_w(h.p, size_q, extent),
                                tri_crossing_sure_w(h.q, size_p, extent));
    overlap = mask_if_w(fan, meets, mask_and(overlap, placed));
    clear = mask_if_w(fan, mask_not(meets), clear);
    lane_mask away = mask_or(beside, mask_and(certain, clear));
    *apart = mask_bits_w(away);
    return mask_bits_w(mask_and(mask_and(certain, overlap), mask_not(away)));
}

FN u32 narrow_decide_w(tri p, tri q, u32 *apart)
{
    return narrow_decide_sides_w(p, q, heights_make_w(p, q), mask_not(mask_all_w()), apart);
}

/* The same for pairs that may share vertices. */
FN u32 narrow_adjacent_w(const tri_mesh_w *p, const tri_mesh_w *q, u32 *apart)
{
    heights_w h = heights_make_w(p->at, q->at);
    shared_corners of_p = shared_of(p->of, q->of);
    h.q = heights_unshared(h.q, shared_of(q->of, p->of));
    h.p = heights_unshared(h.p, of_p);
    return narrow_decide_sides_w(p->at, q->at, h, shared_any(of_p), apart);
}

/* p and q share one vertex, the first: bits of the pairs that direction k certainly separates */
FN u32 narrow_fan_w(u32 k, tri p, tri q)
{
    v3 n = fan_direction(k, p, q);
    lane error = fan_error(n, tri_extent(p, q));
    return mask_bits_w(mask_and(fan_above(n, p, error), fan_below(n, q, error)));
}

/* narrow_decide_flat: bits of the pairs that are apart */
FN u32 narrow_flat_w(const tri_mesh_w *of_p, const tri_mesh_w *of_q)
{
    shared_corners sp = shared_of(of_p->of, of_q->of), sq = shared_of(of_q->of, of_p->of);
    lane_mask hinge = shared_two(sp);
    tri p = tri_turn(of_p->at, shared_begins(sp.a, sp.c, hinge), shared_begins(sp.b, sp.a, hinge)),
        q = tri_turn(of_q->at, shared_begins(sq.a, sq.c, hinge), shared_begins(sq.b, sq.a, hinge));
    const u32 all = mask_bits_w(shared_any(sp)), fans = all & ~mask_bits_w(hinge);
    u32 apart = 0;
    for (u32 k = 0; k < 3 && apart != all; k++) {
        p = tri_axes(p);
        q = tri_axes(q);
        apart |= all & mask_bits_w(flat_seen_apart(p, q, hinge));
    }
    for (u32 k = 0; k < 3 && fans & ~apart; k++)
        apart |= fans & narrow_fan_w(k, p, q);
    return apart;
}

/* ---- segments */

/* The ends of segments, and bits of the pairs for each part of ends_put. */
typedef struct ends_w {
    segment s;
    u32 lone_a[2], lone_b[2], flipped[2], of_q[2], turned;
} ends_w;

/* narrow_cross */
FN ends_w tri_ends_w(tri p, tri q, lane scale0, lane scale1)
{
    heights_w h = heights_make_w(p, q);
    signs of[2] = {signs_make(h.p, lane_all(0)), signs_make(h.q, lane_all(0))};
    lane_mask of_q[2], turned;
    ends_w r;
    r.s = segment_crossing(tri_flip_w(tri_turn(p, of[0].lone_a, of[0].lone_b), mask_not(of[1].up)),
                           tri_flip_w(tri_turn(q, of[1].lone_a, of[1].lone_b), mask_not(of[0].up)),
                           of_q);
    r.s = segment_unscaled(r.s, scale0, scale1, &turned);
    r.turned = mask_bits_w(turned);
    for (u32 k = 0; k < 2; k++) {
        r.lone_a[k] = mask_bits_w(of[k].lone_a);
        r.lone_b[k] = mask_bits_w(of[k].lone_b);
        r.flipped[k] = mask_bits_w(mask_not(of[!k].up));
        r.of_q[k] = mask_bits_w(of_q[k]);
    }
    return r;
}

/* The form of triangle k of the pair in this lane. */
FN end_form end_form_w(const ends_w *e, u32 k, u32 at)
{
    end_form f;
    f.lone = e->lone_a[k] >> at & 1 ? 0 : e->lone_b[k] >> at & 1 ? 1 : 2;
    f.flipped = e->flipped[k] >> at & 1;
    return f;
}

FN void ends_put_w(const ends_w *e, GLOBAL u8 *out)
{
    for (u32 k = 0; k < WIDE; k++)
        ends_put(end_form_w(e, 0, k), end_form_w(e, 1, k), e->of_q[0] >> k & 1, e->of_q[1] >> k & 1,
                 e->turned >> k & 1, out + (size_t)4 * k);
}

/* segment_put for each lane in turn */
FN void segment_put_w(segment s, GLOBAL f64 *out)
{
    lane v[8] = {s.a.x, s.a.y, s.a.z, s.b.x, s.b.y, s.b.z};
    lane_put6_w(v, out);
}

#undef LANE_NAME
#define LANE_NAME(name) name

#endif
