/* WIDE pairs of features at a time, for CPUs: ccd.h with the formulas of WIDE lanes, which are the
 * same text, so that the bits are the same. Which pairs are of two edges is the same for all
 * lanes. */
#ifndef IMP_CCD_WIDE_H
#define IMP_CCD_WIDE_H
#include "ccd_separate.h"
#include "tri_wide.h"

#ifdef WIDE

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_ccd.h"
#include "lane_separate.h"

#define CCD_ALL ((1u << WIDE) - 1)

/* Where vertices are at both instants. */
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

/* The vertices of pairs of features. */
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

/* ---- pairs of features of triangles */

/* The boxes of the features of triangles over both instants, and their vertices. */
typedef struct ccd_boxes_w {
    reach corner[3], edge[3], face;
    lane number[3];
} ccd_boxes_w;

FORMULA void ccd_boxes_load_w(GLOBAL const f64 *ends, GLOBAL const u32 *corner,
                              GLOBAL const u32 *id, ccd_boxes_w *out)
{
    u32 vertex[3][WIDE];
    for (u32 k = 0; k < WIDE; k++)
        for (u32 c = 0; c < 3; c++)
            vertex[c][k] = corner[(size_t)3 * id[k] + c];
    for (u32 c = 0; c < 3; c++) {
        ccd_points_w p = ccd_points_load_w(ends, vertex[c]);
        out->corner[c] = reach_of(p.at, p.to);
        out->number[c] = p.number;
    }
    for (u32 e = 0; e < 3; e++)
        out->edge[e] = reach_join(out->corner[e], out->corner[e == 2 ? 0 : e + 1]);
    out->face = reach_join(out->edge[0], out->corner[2]);
}

/* Bits of pairs of features of two triangles, in an order of their own: bit i corner i with the
 * face, 3 + j the face with corner j, 6 + 3 i + j edges i and j. */

/* Which of them share no vertex and have boxes that overlap, in each lane. */
FORMULA bits_w ccd_near_w(const ccd_boxes_w *p, const ccd_boxes_w *q)
{
    lane_mask other[3][3], face_p[3], face_q[3], edge[3][3]; /* no vertex is the same */
    bits_w near = bits_none_w();
    for (u32 i = 0; i < 3; i++)
        for (u32 j = 0; j < 3; j++)
            other[i][j] = mask_not(lane_equal(p->number[i], q->number[j]));
    for (u32 i = 0; i < 3; i++) {
        face_q[i] = mask_and(mask_and(other[i][0], other[i][1]), other[i][2]);
        face_p[i] = mask_and(mask_and(other[0][i], other[1][i]), other[2][i]);
        for (u32 j = 0; j < 3; j++) /* corner i of p and both ends of edge j of q */
            edge[i][j] = mask_and(other[i][j], other[i][(j + 1) % 3]);
    }
    for (u32 i = 0; i < 3; i++) {
        near = bits_set_w(near, reach_meet(face_q[i], p->corner[i], q->face), 1u << i);
        near = bits_set_w(near, reach_meet(face_p[i], p->face, q->corner[i]), 8u << i);
    }
    for (u32 i = 0; i < 3; i++)
        for (u32 j = 0; j < 3; j++) {
            lane_mask m = mask_and(edge[i][j], edge[(i + 1) % 3][j]);
            near = bits_set_w(near, reach_meet(m, p->edge[i], q->edge[j]), 64u << (3 * i + j));
        }
    return near;
}

/* near: bits of pairs of features; of these the owned ones become the words of a mask. */
FORMULA void ccd_words_of(u32 near, u32 of_a, u32 of_b, u32 *vertex_face, u32 *edges)
{
    *vertex_face = ccd_owned(0, of_a, of_b) & (ccd_product4(near & 7, 1) | (near >> 3 & 7) << 16);
    *edges = ccd_owned(1, of_a, of_b) &
             ((near >> 6 & 7) | (near >> 9 & 7) << 8 | (near >> 12 & 7) << 16);
}

/* ---- the whole time */

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

/* Pairs that are halved, each at an interval of its own. A lane that is done takes the next pair.
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

/* ccd_decide, all steps at once: bits of the pairs that are apart, and of those that meet */
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

/* ccd_decide_apart of each lane: bits of the pairs that are apart, and of those that are near */
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
#endif
