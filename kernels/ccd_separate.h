/* Tests whether two moving features are certainly farther apart than a gap in an interval of time,
 * for one pair whose vectors are in a scratch row (ccd.h). The formulas are in lane_separate.h. */
#ifndef IMP_CCD_SEPARATE_H
#define IMP_CCD_SEPARATE_H
#include "ccd.h"
#ifdef IMP_FP64
#include "lane_separate.h"

#define CCD_SEPARATE_LENGTH (CCD_MOMENTS / 64) /* length of the shortest intervals */

/* The gap of a frame in the forms that the tests use. */
#define GAP 0        /* inflated for rounding */
#define GAP_SQUARE 1 /* square of GAP, inflated for rounding */
#define GAP_NEAR 2   /* square of twice a lower bound of the gap; 0: never certainly near */
#define CCD_GAPS 3

/* Returns the gaps of vertex v's frame; gap: [CCD_GAPS * frames]. */
FN GLOBAL const f64 *ccd_gaps_at(GLOBAL const f64 *gap, GLOBAL const f64 *ends, u32 v)
{
    return gap + (size_t)CCD_GAPS * (u32)ends[(size_t)CCD_ROW * v + CCD_FRAME];
}

/* Further words of the scratch row: twice e, f, g at the middle of the interval, a direction, u, v,
 * gaps. */
#define CCD_SEPARATE_NOTE 56
#define NOTE_M 40
#define NOTE_D 49
#define NOTE_U 52
#define NOTE_GAP_SQUARE 54
#define NOTE_GAP_NEAR 55

FN void ccd_note_gaps(GLOBAL f64 *note, GLOBAL const f64 *gap)
{
    note[NOTE_GAP_SQUARE] = gap[GAP_SQUARE];
    note[NOTE_GAP_NEAR] = gap[GAP_NEAR];
}

FN void ccd_note_middle(GLOBAL f64 *note, u32 edges)
{
    ROLLED
    for (u32 k = 0; k < 9; k += 3)
        v3_put(ccd_middle(ccd_note_vector(note + NOTE_S + k, 0),
                          ccd_note_vector(note + NOTE_T + k, 0), edges && k == 3),
               note + NOTE_M + k);
}

/* *verdict: TRI_APART if the direction certainly separates them by more than the gap. */
FN void ccd_note_along(GLOBAL const f64 *note, u32 edges, GLOBAL u8 *verdict)
{
    v3 d = ccd_note_vector(note + NOTE_D, 0);
    ccd_range r = ccd_along(ccd_note_vectors(note + NOTE_S, 0), d, edges);
    r = ccd_range_join(r, ccd_along(ccd_note_vectors(note + NOTE_T, 0), d, edges));
    if (ccd_longer(r, d, ccd_note_vector(note + NOTE_SIZE, 0), note[NOTE_GAP_SQUARE]))
        *verdict = TRI_APART;
}

FN void ccd_note_foot(GLOBAL f64 *note, ccd_foot p)
{
    v3_put(p.way, note + NOTE_D);
    note[NOTE_U] = p.u;
    note[NOTE_U + 1] = p.v;
}

/* Shortens the current connecting vector by moving its ends along one more vector. */
FN void ccd_note_move(GLOBAL f64 *note, u32 which, u32 edges)
{
    ccd_foot p;
    p.way = ccd_note_vector(note + NOTE_D, 0);
    p.u = note[NOTE_U];
    p.v = note[NOTE_U + 1];
    v3 h = ccd_note_vector(note + NOTE_M + (which == 0 ? 3 : 0), 0);
    if (which == 2)
        h = v3_sub(h, ccd_note_vector(note + NOTE_M + 3, 0));
    ccd_note_foot(note, ccd_foot_move(p, h, which, edges));
}

/* Moves along all vectors once; *verdict as in ccd_decide_apart. */
FN void ccd_note_sweep(GLOBAL f64 *note, u32 edges, GLOBAL u8 *verdict)
{
    ROLLED
    for (u32 which = 0; which < (edges ? 2u : 3u); which++)
        ccd_note_move(note, which, edges);
    v3 way = ccd_note_vector(note + NOTE_D, 0);
    if (v3_dot(way, way) < note[NOTE_GAP_NEAR])
        *verdict = TRI_MEET;
    ccd_note_along(note, edges, verdict);
}

/* *verdict: TRI_APART, TRI_MEET if the distance is certainly below the gap, or CCD_OPEN. */
FN void ccd_decide_apart(GLOBAL f64 *note, u32 edges, u32 at, u32 length, GLOBAL u8 *verdict)
{
    *verdict = CCD_OPEN;
    ccd_note_cut(note, at * CCD_MOMENT, (at + length) * CCD_MOMENT);
    ccd_note_middle(note, edges);
    v3_put(v3_cross(ccd_note_vector(note + NOTE_M, 0), ccd_note_vector(note + NOTE_M + 3, 0)),
           note + NOTE_D);
    ccd_note_along(note, edges, verdict);
    ccd_note_foot(note, ccd_foot_begin(ccd_note_vectors(note + NOTE_M, 0)));
    ROLLED
    for (u32 sweep = 0; sweep < CCD_SWEEPS && *verdict == CCD_OPEN; sweep++)
        ccd_note_sweep(note, edges, verdict);
}

#endif
#endif
