/* WIDE pairs of features at a time, for CPUs: ccd.h with the formulas of WIDE lanes, which are the
 * same text, so that the bits are the same. Which pairs are of two edges is the same for all
 * lanes. */
#ifndef IMP_CCD_WIDE_H
#define IMP_CCD_WIDE_H
#include "ccd.h"
#include "tri_wide.h"

#ifdef WIDE

#undef LANE_NAME
#define LANE_NAME(name) name##_w
#include "lane_ccd.h"

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

/* rows of eight bits become columns */
FN u64 bits_transpose(u64 x)
{
    u64 t = (x ^ x >> 7) & 0x00aa00aa00aa00aa;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000cccc;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0;
    return x ^ t ^ t << 28;
}

/* far[k]: which pairs of features of pair k share a vertex or have boxes that do not overlap: bit i
 * corner i with the face, 3 + j the face with corner j, 6 + 3 i + j edges i and j. */
FN void ccd_far_w(const ccd_boxes_w *p, const ccd_boxes_w *q, u32 *far)
{
    lane_mask same[9];
    u64 bits[2] = {0, 0};
    for (u32 i = 0; i < 3; i++)
        for (u32 j = 0; j < 3; j++)
            same[3 * i + j] = lane_equal(p->number[i], q->number[j]);
    for (u32 f = 0; f < 15; f++) {
        u32 i = f < 6 ? f % 3 : (f - 6) / 3, j = f < 6 ? 0 : (f - 6) % 3, i2 = (i + 1) % 3,
            j2 = (j + 1) % 3;
        lane_mask m = f < 3   ? mask_or(mask_or(same[3 * i], same[3 * i + 1]),
                                        mask_or(same[3 * i + 2], reach_apart(p->corner[i], q->face)))
                      : f < 6 ? mask_or(mask_or(same[i], same[3 + i]),
                                        mask_or(same[6 + i], reach_apart(p->face, q->corner[i])))
                              : mask_or(mask_or(mask_or(same[3 * i + j], same[3 * i + j2]),
                                                mask_or(same[3 * i2 + j], same[3 * i2 + j2])),
                                        reach_apart(p->edge[i], q->edge[j]));
        bits[f >> 3] |= (u64)mask_bits_w(m) << 8 * (f & 7);
    }
    bits[0] = bits_transpose(bits[0]);
    bits[1] = bits_transpose(bits[1]);
    for (u32 k = 0; k < WIDE; k++)
        far[k] = (u32)(bits[0] >> 8 * k & 255) | (u32)(bits[1] >> 8 * k & 255) << 8;
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
    u32 live; /* lanes that have a pair */
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

/* ccd_decide, all steps at once: bits of the pairs that are apart, and of those that meet */
FN u32 ccd_decide_w(const ccd_halves_w *h, u32 edges, u32 *meet)
{
    f64 s[WIDE], t[WIDE];
    for (u32 k = 0; k < WIDE; k++) {
        s[k] = h->at[k] * CCD_MOMENT;
        t[k] = (h->at[k] + h->length[k]) * CCD_MOMENT;
    }
    ccd_vectors p = ccd_vectors_own_w(h->vector), q = ccd_vectors_own_w(h->vector + 9);
    ccd_vectors at_s = ccd_between(p, q, lane_own_w(s)), at_t = ccd_between(p, q, lane_own_w(t));
    lane x = ccd_size(p, q);
    p = ccd_turned(p);
    q = ccd_turned(q);
    v3 size = v3_make(x, ccd_size(p, q), ccd_size(ccd_turned(p), ccd_turned(q)));
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

#undef LANE_NAME
#define LANE_NAME(name) name

#endif
#endif
