/* WIDE feature pairs at a time, for CPUs: ccd.h with the formulas for WIDE lanes, which are
 * compiled from the same text, so that the bits are the same. The kind of pair is the same in all
 * lanes. */
#ifndef IMP_CCD_WIDE_H
#define IMP_CCD_WIDE_H
#include "ccd_separate.h"
#include "tri_wide.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_ccd.h"
#include "lane_separate.h"

#define CCD_ALL ((1u << WIDE) - 1)

/* Positions of vertices at both instants. */
typedef struct ccd_points_w {
    v3 at, to;
    lane number;
} ccd_points_w;

FORMULA ccd_points_w ccd_points_load_w(GLOBAL const f64 *ends, const u32 *vertex)
{
    lane v[8];
    ccd_points_w p;
    lane_rows8_w(ends, vertex, v);
    p.at = v3_make(v[0], v[1], v[2]);
    p.to = v3_make(v[3], v[4], v[5]);
    p.number = v[6];
    return p;
}

/* The vertices of feature pairs. */
typedef struct ccd_fours_w {
    u32 a[WIDE], b[WIDE], c[WIDE], d[WIDE];
} ccd_fours_w;

FORMULA void ccd_four_set_w(ccd_fours_w *q, u32 k, ccd_four v)
{
    q->a[k] = v.a;
    q->b[k] = v.b;
    q->c[k] = v.c;
    q->d[k] = v.d;
}

/* ---- feature pairs of triangles */

/* Without loops: not all compilers unroll them, and indexed arrays stay in memory. */

/* The corners of triangles: row[c][n] is word n of the rows of corners c. */
typedef struct ccd_corners_w {
    lane row[3][CCD_ROW];
} ccd_corners_w;

FORMULA void ccd_corners_load_w(GLOBAL const f64 *ends, GLOBAL const u32 *corner,
                                GLOBAL const u32 *id, ccd_corners_w *out)
{
    u32 vertex[3][WIDE];
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 3; c++)
            vertex[c][k] = corner[(size_t)3 * id[k] + c];
    lane_rows8_w(ends, vertex[0], out->row[0]);
    lane_rows8_w(ends, vertex[1], out->row[1]);
    lane_rows8_w(ends, vertex[2], out->row[2]);
}

/* Spans of the features of triangles along one axis, over both instants. */
typedef struct ccd_reaches_w {
    ccd_range corner[3], edge[3], face;
} ccd_reaches_w;

FORMULA ccd_range ccd_range_way(const lane *row, u32 axis)
{
    ccd_range r;
    r.lo = lane_min(row[axis], row[3 + axis]);
    r.hi = lane_max(row[axis], row[3 + axis]);
    return r;
}

FORMULA ccd_reaches_w ccd_reaches_of_w(const ccd_corners_w *t, u32 axis)
{
    ccd_reaches_w r;
    r.corner[0] = ccd_range_way(t->row[0], axis);
    r.corner[1] = ccd_range_way(t->row[1], axis);
    r.corner[2] = ccd_range_way(t->row[2], axis);
    r.edge[0] = ccd_range_join(r.corner[0], r.corner[1]);
    r.edge[1] = ccd_range_join(r.corner[1], r.corner[2]);
    r.edge[2] = ccd_range_join(r.corner[2], r.corner[0]);
    r.face = ccd_range_join(r.edge[0], r.corner[2]);
    return r;
}

/* A result for three feature pairs. */
typedef struct ccd_three_w {
    lane_mask of[3];
} ccd_three_w;

/* Overlaps of one feature with three. */
FORMULA ccd_three_w ccd_meet_three_w(ccd_range p, const ccd_range *q)
{
    const lane_mask all = mask_all_w();
    ccd_three_w m;
    m.of[0] = lane_unless(lane_unless(all, p.hi, q[0].lo), q[0].hi, p.lo);
    m.of[1] = lane_unless(lane_unless(all, p.hi, q[1].lo), q[1].hi, p.lo);
    m.of[2] = lane_unless(lane_unless(all, p.hi, q[2].lo), q[2].hi, p.lo);
    return m;
}

/* Stores them in the three bits from `first` on. */
FORMULA bits_w ccd_bits_three_w(bits_w b, ccd_three_w m, u32 first)
{
    b = bits_set_w(b, m.of[0], 1u << first);
    b = bits_set_w(b, m.of[1], 2u << first);
    return bits_set_w(b, m.of[2], 4u << first);
}

FORMULA ccd_range ccd_range_grown_w(ccd_range r, lane by)
{
    r.lo = r.lo - by;
    r.hi = r.hi + by;
    return r;
}

/* The feature pairs that overlap along an axis (ccd.h) after the first edge of an edge pair, or the
 * face, grows by `gap`, if that is not NULL. */
FORMULA bits_w ccd_overlap_w(const ccd_corners_w *p, const ccd_corners_w *q, u32 axis,
                             const lane *gap)
{
    ccd_reaches_w r = ccd_reaches_of_w(p, axis), s = ccd_reaches_of_w(q, axis);
    if (gap) {
        s.face = ccd_range_grown_w(s.face, *gap);
        r.face = ccd_range_grown_w(r.face, *gap);
        r.edge[0] = ccd_range_grown_w(r.edge[0], *gap);
        r.edge[1] = ccd_range_grown_w(r.edge[1], *gap);
        r.edge[2] = ccd_range_grown_w(r.edge[2], *gap);
    }
    bits_w b = ccd_bits_three_w(bits_none_w(), ccd_meet_three_w(s.face, r.corner), 0);
    b = ccd_bits_three_w(b, ccd_meet_three_w(r.face, s.corner), 3);
    b = ccd_bits_three_w(b, ccd_meet_three_w(r.edge[0], s.edge), 6);
    b = ccd_bits_three_w(b, ccd_meet_three_w(r.edge[1], s.edge), 9);
    return ccd_bits_three_w(b, ccd_meet_three_w(r.edge[2], s.edge), 12);
}

FORMULA ccd_three_w ccd_three_and_w(ccd_three_w m, ccd_three_w n)
{
    m.of[0] = mask_and(m.of[0], n.of[0]);
    m.of[1] = mask_and(m.of[1], n.of[1]);
    m.of[2] = mask_and(m.of[2], n.of[2]);
    return m;
}

/* Combines results of corners to those of edges: both ends. */
FORMULA ccd_three_w ccd_three_ends_w(ccd_three_w m)
{
    ccd_three_w next;
    next.of[0] = m.of[1];
    next.of[1] = m.of[2];
    next.of[2] = m.of[0];
    return ccd_three_and_w(m, next);
}

FORMULA lane_mask ccd_three_all_w(ccd_three_w m)
{
    return mask_and(mask_and(m.of[0], m.of[1]), m.of[2]);
}

/* Masks where corner c of p is none of q's corners. */
FORMULA ccd_three_w ccd_other_corners_w(const ccd_corners_w *p, u32 c, const ccd_corners_w *q)
{
    ccd_three_w m;
    m.of[0] = mask_not(lane_equal(p->row[c][CCD_NUMBER], q->row[0][CCD_NUMBER]));
    m.of[1] = mask_not(lane_equal(p->row[c][CCD_NUMBER], q->row[1][CCD_NUMBER]));
    m.of[2] = mask_not(lane_equal(p->row[c][CCD_NUMBER], q->row[2][CCD_NUMBER]));
    return m;
}

/* The feature pairs that share no vertex. */
FORMULA bits_w ccd_other_w(const ccd_corners_w *p, const ccd_corners_w *q)
{
    ccd_three_w x = ccd_other_corners_w(p, 0, q), y = ccd_other_corners_w(p, 1, q);
    ccd_three_w z = ccd_other_corners_w(p, 2, q), face;
    face.of[0] = ccd_three_all_w(x);
    face.of[1] = ccd_three_all_w(y);
    face.of[2] = ccd_three_all_w(z);
    bits_w b = ccd_bits_three_w(bits_none_w(), face, 0);
    b = ccd_bits_three_w(b, ccd_three_and_w(x, ccd_three_and_w(y, z)), 3);
    x = ccd_three_ends_w(x);
    y = ccd_three_ends_w(y);
    z = ccd_three_ends_w(z);
    b = ccd_bits_three_w(b, ccd_three_and_w(x, y), 6);
    b = ccd_bits_three_w(b, ccd_three_and_w(y, z), 9);
    return ccd_bits_three_w(b, ccd_three_and_w(z, x), 12);
}

/* The feature pairs of triangles that share no vertex and have overlapping boxes: the word of each
 * lane, for all features; gap: as ccd_overlap_w. Axis by axis, since all boxes at once do not fit
 * the registers. */
FORMULA void ccd_near_w(const ccd_corners_w *p, const ccd_corners_w *q, const lane *gap, u32 *word)
{
    bits_w near = bits_and_w(ccd_other_w(p, q), ccd_overlap_w(p, q, 0, gap));
    near = bits_and_w(near, ccd_overlap_w(p, q, 1, gap));
    bits_put_w(bits_and_w(near, ccd_overlap_w(p, q, 2, gap)), word);
}

/* ---- the whole step */

/* ccd_decide_first: bits of the pairs that are apart */
FN u32 ccd_decide_first_w(GLOBAL const f64 *ends, const ccd_fours_w *q, u32 edges)
{
    ccd_points_w a = ccd_points_load_w(ends, q->a), b = ccd_points_load_w(ends, q->b);
    ccd_points_w c = ccd_points_load_w(ends, q->c), d = ccd_points_load_w(ends, q->d);
    ccd_vectors r = ccd_relative(a.at, b.at, c.at, d.at, edges);
    ccd_vectors t = ccd_relative(a.to, b.to, c.to, d.to, edges);
    ccd_vectors ry = ccd_turned(r), ty = ccd_turned(t);
    lane size = ccd_size(r, t) * ccd_size(ry, ty) * ccd_size(ccd_turned(ry), ccd_turned(ty));
    return mask_bits_w(cubic_beside(ccd_volume(r, t), ccd_volume_error(size)));
}

/* ---- intervals of time */

/* Pairs being halved, each lane at an interval of its own. A lane that is done takes the next pair.
 */
typedef struct ccd_halves_w {
    f64 vector[18][WIDE]; /* e, f, g at 0 and at 1 */
    u32 item[WIDE], at[WIDE], length[WIDE];
    f64 square[WIDE], near[WIDE]; /* gaps of their frames */
    u32 live;                     /* lanes that have a pair */
} ccd_halves_w;

FORMULA v3 ccd_own_w(const f64 (*x)[WIDE])
{
    return v3_make(lane_own_w(x[0]), lane_own_w(x[1]), lane_own_w(x[2]));
}

FORMULA ccd_vectors ccd_vectors_own_w(const f64 (*x)[WIDE])
{
    ccd_vectors r;
    r.e = ccd_own_w(x);
    r.f = ccd_own_w(x + 3);
    r.g = ccd_own_w(x + 6);
    return r;
}

/* The vectors at both ends of each lane's interval; returns their sizes. */
FORMULA v3 ccd_cut_w(const ccd_halves_w *h, ccd_vectors *at_s, ccd_vectors *at_t)
{
    f64 s[WIDE], t[WIDE];
    for (u32 k = 0; k < WIDE; k++) {
        s[k] = h->at[k] * CCD_MOMENT;
        t[k] = (h->at[k] + h->length[k]) * CCD_MOMENT;
    }
    ccd_vectors p = ccd_vectors_own_w(h->vector), q = ccd_vectors_own_w(h->vector + 9);
    *at_s = ccd_between(p, q, lane_own_w(s));
    *at_t = ccd_between(p, q, lane_own_w(t));
    lane x = ccd_size(p, q);
    p = ccd_turned(p);
    q = ccd_turned(q);
    return v3_make(x, ccd_size(p, q), ccd_size(ccd_turned(p), ccd_turned(q)));
}

/* ccd_decide, all steps at once: returns bits of the pairs that are apart; *meet: those that meet
 */
FN u32 ccd_decide_w(const ccd_halves_w *h, u32 edges, u32 *meet)
{
    ccd_vectors at_s, at_t;
    v3 size = ccd_cut_w(h, &at_s, &at_t);
    lane error = ccd_volume_error(size.x * size.y * size.z);
    cubic d = ccd_volume(at_s, at_t);
    lane_mask apart = cubic_beside(d, error), agree = lane_less(error, -error);
    for (u32 axis = 0; axis < 3; axis++) {
        ccd_signs sign = ccd_areas(at_s, at_t, edges, ccd_area_error(size.y, size.z));
        apart = mask_or(apart, mask_or(sign.apart, ccd_gap(at_s, at_t, edges, size.x)));
        agree = mask_or(agree, sign.agree);
        at_s = ccd_turned(at_s);
        at_t = ccd_turned(at_t);
        size = v3_turn(size);
    }
    *meet = mask_bits_w(mask_and(agree, cubic_crosses(d, error)));
    return mask_bits_w(apart);
}

FORMULA u32 ccd_apart_bits_w(ccd_vectors s, ccd_vectors t, v3 d, u32 edges, v3 size, lane square)
{
    ccd_range ways = ccd_range_join(ccd_along(s, d, edges), ccd_along(t, d, edges));
    return mask_bits_w(ccd_longer(ways, d, size, square));
}

/* ccd_decide_apart in each lane: returns bits of the pairs that are apart; *near: those that are
 * near */
FN u32 ccd_decide_apart_w(const ccd_halves_w *h, u32 edges, u32 *near)
{
    ccd_vectors s, t, m;
    lane square = lane_own_w(h->square);
    v3 size = ccd_cut_w(h, &s, &t);
    m.e = ccd_middle(s.e, t.e, 0);
    m.f = ccd_middle(s.f, t.f, edges);
    m.g = ccd_middle(s.g, t.g, 0);
    ccd_foot p = ccd_foot_begin(m);
    u32 apart = ccd_apart_bits_w(s, t, v3_cross(m.e, m.f), edges, size, square);
    *near = 0;
    for (u32 sweep = 0; sweep < CCD_SWEEPS && h->live & ~(apart | *near); sweep++) {
        p = ccd_foot_move(ccd_foot_move(p, m.f, 0, edges), m.e, 1, edges);
        p = edges ? p : ccd_foot_move(p, v3_sub(m.e, m.f), 2, edges);
        apart |= ccd_apart_bits_w(s, t, p.way, edges, size, square);
        *near |= mask_bits_w(lane_less(v3_dot(p.way, p.way), lane_own_w(h->near)));
    }
    return apart;
}

#undef LANE_NAME
#define LANE_NAME(name) name

#endif
