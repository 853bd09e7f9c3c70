/* WIDE feature pairs at a time, for CPUs: ccd.h with the formulas for WIDE lanes, which are
 * compiled from the same text, so that the bits are the same. The kind of pair is the same in all
 * lanes. */
#ifndef IMP_CCD_WIDE_H
#define IMP_CCD_WIDE_H
#include "ccd_separate.h"
#include "measure_code.h"
#include "tri_wide.h"

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_ccd.h"
#include "lane_separate.h"

#define CCD_ALL ((1u << WIDE) - 1)

/* Positions of vertices at an instant, 0 or 1. */
FORMULA v3 ccd_points_load_w(GLOBAL const f64 *ends, const u32 *vertex, u32 instant)
{
    lane v[3];
    lane_rows_w(ends + (size_t)CCD_TO * instant, CCD_ROW, 3, vertex, v);
    return v3_make(v[0], v[1], v[2]);
}

/* The vertices of feature pairs. */
typedef struct ccd_fours_w {
    u32 a[WIDE], b[WIDE], c[WIDE], d[WIDE];
} ccd_fours_w;

/* ccd_four_of for triangles, by a table */
FN u32 ccd_vertex_of(u32 place, GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    return (place & 4 ? q : p)[place & 3];
}

FN ccd_four ccd_four_triangles(u32 number, GLOBAL const u32 *p, GLOBAL const u32 *q)
{
    const u8 *at = measure_places[number];
    ccd_four v;
    v.a = ccd_vertex_of(at[0], p, q);
    v.b = ccd_vertex_of(at[1], p, q);
    v.c = ccd_vertex_of(at[2], p, q);
    v.d = ccd_vertex_of(at[3], p, q);
    v.edges = number >= 6;
    return v;
}

/* ccd_named for WIDE pairs */
FORMULA void ccd_named_w(const ccd_mesh *m, GLOBAL const u32 *which, GLOBAL const u32 *a,
                         GLOBAL const u32 *b, u32 pair0, ccd_fours_w *out)
{
    for (u32 k = 0; k < WIDE; k++) {
        u32 pair = pair0 + (which[k] >> CCD_NUMBER_BITS);
        u32 number = which[k] & ((1u << CCD_NUMBER_BITS) - 1);
        ccd_four v = m->corners == 3 ? ccd_four_triangles(number, m->corner + (size_t)3 * a[pair],
                                                          m->corner + (size_t)3 * b[pair])
                                     : ccd_vertices(m, a[pair], b[pair], number);
        out->a[k] = v.a;
        out->b[k] = v.b;
        out->c[k] = v.c;
        out->d[k] = v.d;
    }
}

/* ---- feature pairs of triangles */

/* Without loops: not all compilers unroll them, and indexed arrays stay in memory. */

/* The corners of triangles: words 0 to 3 of the rows of corner c, and words CCD_TO to CCD_TO + 2.
 */
typedef struct ccd_corners_w {
    lane at[3][4], to[3][3];
} ccd_corners_w;

FORMULA void ccd_corner_load_w(GLOBAL const f64 *ends, const u32 *vertex, u32 still, u32 c,
                               ccd_corners_w *out)
{
    lane_rows_w(ends, CCD_ROW, 4, vertex, out->at[c]);
    if (!still)
        lane_rows_w(ends + CCD_TO, CCD_ROW, 3, vertex, out->to[c]);
}

/* still: positions are the same at both instants. */
FORMULA void ccd_corners_load_w(GLOBAL const f64 *ends, GLOBAL const u32 *corner,
                                GLOBAL const u32 *id, u32 still, ccd_corners_w *out)
{
    u32 vertex[3][WIDE];
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 3; c++)
            vertex[c][k] = corner[(size_t)3 * id[k] + c];
    ccd_corner_load_w(ends, vertex[0], still, 0, out);
    ccd_corner_load_w(ends, vertex[1], still, 1, out);
    ccd_corner_load_w(ends, vertex[2], still, 2, out);
}

FORMULA void ccd_corner_one_w(GLOBAL const f64 *row, u32 c, ccd_corners_w *out)
{
    out->at[c][0] = lane_all(row[0]);
    out->at[c][1] = lane_all(row[1]);
    out->at[c][2] = lane_all(row[2]);
    out->at[c][CCD_NUMBER] = lane_all(row[CCD_NUMBER]);
    out->to[c][0] = lane_all(row[CCD_TO]);
    out->to[c][1] = lane_all(row[CCD_TO + 1]);
    out->to[c][2] = lane_all(row[CCD_TO + 2]);
}

/* The same of one triangle in all lanes. */
FORMULA void ccd_corners_one_w(GLOBAL const f64 *ends, GLOBAL const u32 *corner, ccd_corners_w *out)
{
    ccd_corner_one_w(ends + (size_t)CCD_ROW * corner[0], 0, out);
    ccd_corner_one_w(ends + (size_t)CCD_ROW * corner[1], 1, out);
    ccd_corner_one_w(ends + (size_t)CCD_ROW * corner[2], 2, out);
}

/* Spans of the features of triangles along one axis, over both instants. */
typedef struct ccd_reaches_w {
    ccd_range corner[3], edge[3], face;
} ccd_reaches_w;

FORMULA ccd_range ccd_range_way(const ccd_corners_w *t, u32 corner, u32 axis, u32 still)
{
    ccd_range r;
    lane at = t->at[corner][axis];
    r.lo = still ? at : lane_min(at, t->to[corner][axis]);
    r.hi = still ? at : lane_max(at, t->to[corner][axis]);
    return r;
}

FORMULA ccd_reaches_w ccd_reaches_of_w(const ccd_corners_w *t, u32 axis, u32 still)
{
    ccd_reaches_w r;
    r.corner[0] = ccd_range_way(t, 0, axis, still);
    r.corner[1] = ccd_range_way(t, 1, axis, still);
    r.corner[2] = ccd_range_way(t, 2, axis, still);
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

/* How ccd_near_w tests: `rep` has the representative features of all first triangles, among which
 * pairs are wanted; gap: or NULL. */
typedef struct ccd_nearness_w {
    u32 rep, still;
    const lane *gap;
} ccd_nearness_w;

/* The feature pairs that overlap along an axis (ccd.h) after the first edge of an edge pair, or the
 * face, grows by `gap`, if that is not NULL. */
FORMULA bits_w ccd_overlap_w(const ccd_corners_w *p, const ccd_corners_w *q, u32 axis,
                             const ccd_nearness_w *how)
{
    ccd_reaches_w r = ccd_reaches_of_w(p, axis, how->still);
    ccd_reaches_w s = ccd_reaches_of_w(q, axis, how->still);
    if (how->gap) {
        s.face = ccd_range_grown_w(s.face, *how->gap);
        r.face = ccd_range_grown_w(r.face, *how->gap);
        r.edge[0] = ccd_range_grown_w(r.edge[0], *how->gap);
        r.edge[1] = ccd_range_grown_w(r.edge[1], *how->gap);
        r.edge[2] = ccd_range_grown_w(r.edge[2], *how->gap);
    }
    bits_w b = bits_none_w();
    if (rep_corners(how->rep))
        b = ccd_bits_three_w(b, ccd_meet_three_w(s.face, r.corner), 0);
    if (rep_faces(how->rep))
        b = ccd_bits_three_w(b, ccd_meet_three_w(r.face, s.corner), 3);
    if (rep_edges(how->rep) & 1)
        b = ccd_bits_three_w(b, ccd_meet_three_w(r.edge[0], s.edge), 6);
    if (rep_edges(how->rep) & 2)
        b = ccd_bits_three_w(b, ccd_meet_three_w(r.edge[1], s.edge), 9);
    if (rep_edges(how->rep) & 4)
        b = ccd_bits_three_w(b, ccd_meet_three_w(r.edge[2], s.edge), 12);
    return b;
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
    m.of[0] = mask_not(lane_equal(p->at[c][CCD_NUMBER], q->at[0][CCD_NUMBER]));
    m.of[1] = mask_not(lane_equal(p->at[c][CCD_NUMBER], q->at[1][CCD_NUMBER]));
    m.of[2] = mask_not(lane_equal(p->at[c][CCD_NUMBER], q->at[2][CCD_NUMBER]));
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
 * lane, for all features. Axis by axis, since all boxes at once do not fit the registers. */
FORMULA void ccd_near_w(const ccd_corners_w *p, const ccd_corners_w *q, const ccd_nearness_w *how,
                        u32 *word)
{
    bits_w near = bits_and_w(ccd_other_w(p, q), ccd_overlap_w(p, q, 0, how));
    near = bits_and_w(near, ccd_overlap_w(p, q, 1, how));
    bits_put_w(bits_and_w(near, ccd_overlap_w(p, q, 2, how)), word);
}

/* ---- the whole step */

/* ccd_decide_first: bits of the pairs that are apart */
FN u32 ccd_decide_first_w(GLOBAL const f64 *ends, const ccd_fours_w *q, u32 edges)
{
    ccd_vectors r =
        ccd_relative(ccd_points_load_w(ends, q->a, 0), ccd_points_load_w(ends, q->b, 0),
                     ccd_points_load_w(ends, q->c, 0), ccd_points_load_w(ends, q->d, 0), edges);
    ccd_vectors t =
        ccd_relative(ccd_points_load_w(ends, q->a, 1), ccd_points_load_w(ends, q->b, 1),
                     ccd_points_load_w(ends, q->c, 1), ccd_points_load_w(ends, q->d, 1), edges);
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
