/* Overlap of the feature pairs of two triangles, axis by axis, for GPUs: all pairs at once, from
 * the spans of the vertices along an axis. Neighbouring items run the same code, whatever their
 * representative features, and fetch each vertex once. ccd_wide.h does the same for CPUs. */
#ifndef IMP_CCD_SPANS_H
#define IMP_CCD_SPANS_H
#include "ccd_separate.h"
#ifdef IMP_FP64

/* span[CCD_ROW v ..]: least and greatest coordinate of vertex v along each axis, and its frame */
FN void ccd_span(GLOBAL const f64 *p, GLOBAL const f64 *q, f64 frame, GLOBAL f64 *row)
{
    for (u32 axis = 0; axis < 3; axis++) {
        row[2 * axis] = p[axis] < q[axis] ? p[axis] : q[axis];
        row[2 * axis + 1] = p[axis] < q[axis] ? q[axis] : p[axis];
    }
    row[CCD_FRAME] = frame;
}

#ifdef IMP_DEVICE

/* Mask of the feature pairs of two triangles that share a vertex, by index. */
FN u32 ccd_shared_bits(tri_corners p, tri_corners q)
{
    /* for each corner of p, the corners of q that are the same vertex */
    u32 a = (u32)(p.a == q.a) | (u32)(p.a == q.b) << 1 | (u32)(p.a == q.c) << 2;
    u32 b = (u32)(p.b == q.a) | (u32)(p.b == q.b) << 1 | (u32)(p.b == q.c) << 2;
    u32 c = (u32)(p.c == q.a) | (u32)(p.c == q.b) << 1 | (u32)(p.c == q.c) << 2;
    u32 edges = (a | b) | (b | c) << 8 | (c | a) << 16;
    /* edge j has corners j and j + 1 */
    edges |= edges >> 1 | (edges & 0x010101u) << 2;
    return (u32)(a != 0) | (u32)(b != 0) << 1 | (u32)(c != 0) << 2 | (a | b | c) << 3 |
           (edges & 7) << 6 | (edges >> 8 & 7) << 9 | (edges >> 16 & 7) << 12;
}

/* Least and greatest coordinate along an axis: of three features, or of one. */
typedef struct ccd_spans {
    f64x2 a, b, c;
} ccd_spans;

FN f64x2 span_join(f64x2 p, f64x2 q)
{
    return F64X2(q.x < p.x ? q.x : p.x, q.y > p.y ? q.y : p.y);
}

FN f64x2 span_grown(f64x2 p, f64 by)
{
    return F64X2(p.x - by, p.y + by);
}

FN u32 spans_meet(f64x2 p, f64x2 q)
{
    return !((p.y < q.x) | (q.y < p.x));
}

/* The ones of three spans that overlap p. */
FN u32 spans_meeting(f64x2 p, ccd_spans q)
{
    return spans_meet(p, q.a) | spans_meet(p, q.b) << 1 | spans_meet(p, q.c) << 2;
}

FN ccd_spans spans_of(GLOBAL const f64x2 *span, tri_corners p, u32 axis)
{
    ccd_spans s;
    s.a = span[(size_t)(CCD_ROW / 2) * p.a + axis];
    s.b = span[(size_t)(CCD_ROW / 2) * p.b + axis];
    s.c = span[(size_t)(CCD_ROW / 2) * p.c + axis];
    return s;
}

/* The feature pairs that overlap along an axis after the first edge of an edge pair, or the face,
 * grows. */
FN u32 ccd_spans_meet(ccd_spans p, ccd_spans q, f64 gap)
{
    u32 near = spans_meeting(span_grown(span_join(span_join(q.a, q.b), q.c), gap), p);
    near |= spans_meeting(span_grown(span_join(span_join(p.a, p.b), p.c), gap), q) << 3;
    ccd_spans edges;
    edges.a = span_join(q.a, q.b);
    edges.b = span_join(q.b, q.c);
    edges.c = span_join(q.c, q.a);
    near |= spans_meeting(span_grown(span_join(p.a, p.b), gap), edges) << 6;
    near |= spans_meeting(span_grown(span_join(p.b, p.c), gap), edges) << 9;
    return near | spans_meeting(span_grown(span_join(p.c, p.a), gap), edges) << 12;
}

/* ccd_find_pair for two triangles, all feature pairs at once: neighbouring items of a GPU run the
 * same code, whatever their representative features. Buffers are aligned for every type. */
FN u32 ccd_find_triangles(GLOBAL const u32 *corner, u32 a, u32 b, u32 mask, GLOBAL const f64 *gap,
                          GLOBAL const f64 *span)
{
    tri_corners p = corners_of(corner, a), q = corners_of(corner, b);
    mask &= ~ccd_shared_bits(p, q);
    f64 mine = gap[GAP] == 0 ? 0 : ccd_gaps_at(gap, span, p.a)[GAP];
    ROLLED
    for (u32 axis = 0; axis < 3 && mask; axis++)
        mask &= ccd_spans_meet(spans_of((GLOBAL const f64x2 *)span, p, axis),
                               spans_of((GLOBAL const f64x2 *)span, q, axis), mine);
    return mask;
}

#endif

#endif
#endif
