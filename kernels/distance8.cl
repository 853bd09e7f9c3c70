/* The tests of distance.cl for CPUs: an item processes eight pairs of triangles, WIDE of them side
 * by side, and the remainder, or pairs with tetrahedra, one by one. Included after distance.cl. */
#include "distance_wide.h"

/* The limits of WIDE pairs. */
typedef struct distance_limit_w {
    f64 below[WIDE], above[WIDE];
} distance_limit_w;

FN void distance_limit_set_w(distance_limit_w *r, u32 k, distance_limit one)
{
    r->below[k] = one.below;
    r->above[k] = one.above;
}

/* one: the first limit is that of all pairs */
FN void distance_limits_put_w(const distance_limit_w *of, u32 one, lane_w limits[DISTANCE_LIMITS])
{
    limits[DISTANCE_BELOW] = one ? lane_all_w(of->below[0]) : lane_own_w(of->below);
    limits[DISTANCE_ABOVE] = one ? lane_all_w(of->above[0]) : lane_own_w(of->above);
}

FN void distance_limits_w(GLOBAL const f64 *limit, u32 frames, GLOBAL const u32 *prim0,
                          GLOBAL const u32 *a, GLOBAL const u32 *b, lane_w limits[DISTANCE_LIMITS])
{
    distance_limit_w own;
    u32 one = limit[0] >= 0 && frames == 1; /* one limit for all */
    for (u32 k = 0; k < (one ? 1 : WIDE); k++)
        distance_limit_set_w(&own, k, distance_limits(limit, frames, prim0, a[k], b[k]));
    distance_limits_put_w(&own, one, limits);
}

/* verdict[i]: TRI_APART if a direction certainly separates them by more than the distance, else
 * TRI_NEAR. */
KERNEL void distance_far8(ITEM_ARG u32 n, u32 pairs, DISTANCE_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; corners == 3 && last - first >= WIDE; first += WIDE) {
        lane_w limits[DISTANCE_LIMITS];
        distance_limits_w(limit, frames, prim0, a + first, b + first, limits);
        distances_w r = distances_load_w(corner, x, a + first, b + first);
        u32 far = distance_decide_far_w(&r, limits[DISTANCE_ABOVE]);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = far >> k & 1 ? TRI_APART : TRI_NEAR;
    }
    for (u32 i = first; i < last; i++)
        distance_decide_far(distance_pair_of(corners, corner, x, a[i], b[i]),
                            distance_limits(limit, frames, prim0, a[i], b[i]).above, verdict + i);
}

/* verdict[k]: from bit k of both */
FN void distance_verdicts_w(u32 within, u32 apart, GLOBAL u8 *verdict)
{
    for (u32 k = 0; k < WIDE; k++)
        verdict[k] = within >> k & 1 ? TRI_MEET : apart >> k & 1 ? TRI_APART : TRI_UNDECIDED;
}

/* verdict[i]: TRI_MEET if they certainly are within the distance, TRI_APART if certainly not, else
 * TRI_UNDECIDED: primitives that intersect far from their features are undecided, too. */
KERNEL void distance_test8(ITEM_ARG u32 n, u32 pairs, DISTANCE_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; corners == 3 && last - first >= WIDE; first += WIDE) {
        lane_w limits[DISTANCE_LIMITS];
        distance_limits_w(limit, frames, prim0, a + first, b + first, limits);
        distances_w r = distances_load_w(corner, x, a + first, b + first);
        u32 apart,
            within = distance_decide_w(&r, limits[DISTANCE_BELOW], limits[DISTANCE_ABOVE], &apart);
        distance_verdicts_w(within, apart, verdict + first);
    }
    f64 note[DISTANCE_NOTE];
    for (u32 i = first; i < last; i++) {
        distance_pair r = distance_pair_of(corners, corner, x, a[i], b[i]);
        distance_shortest(r, note);
        distance_decide(r, distance_limits(limit, frames, prim0, a[i], b[i]), note, verdict + i);
    }
}

/* Returns whether WIDE feature pairs have one limit: no thicknesses, and one frame, since lists are
 * in order of frames. */
FN u32 distance_one_limit(GLOBAL const f64 *limit, GLOBAL const f64 *ends, const ccd_fours_w *v)
{
    return limit[0] >= 0 && ends[(size_t)CCD_ROW * v->a[0] + CCD_FRAME] ==
                                ends[(size_t)CCD_ROW * v->a[WIDE - 1] + CCD_FRAME];
}

/* The limits of WIDE feature pairs. */
FN void distance_limits_named_w(GLOBAL const f64 *limit, GLOBAL const f64 *ends,
                                const ccd_fours_w *v, GLOBAL const u32 *which, GLOBAL const u32 *a,
                                GLOBAL const u32 *b, u32 pair0, lane_w limits[DISTANCE_LIMITS])
{
    distance_limit_w own;
    u32 one = distance_one_limit(limit, ends, v);
    for (u32 k = 0; k < (one ? 1 : WIDE); k++) {
        u32 pair = pair0 + (which[k] >> CCD_NUMBER_BITS);
        u32 frame = (u32)ends[(size_t)CCD_ROW * v->a[k] + CCD_FRAME];
        distance_limit_set_w(&own, k, distance_limit_at(limit, frame, a[pair], b[pair]));
    }
    distance_limits_put_w(&own, one, limits);
}

/* The kinds of feature pairs in a list change at one place of each chunk: there pairs are tested
 * one by one. */
KERNEL void distance_pairs8(ITEM_ARG u32 n, u32 pairs, FEATURES_ARGS, GLOBAL const f64 *limit,
                            GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        ccd_fours_w v;
        lane_w limits[DISTANCE_LIMITS];
        u32 apart, edges = ccd_edges_named(corners, which[first]);
        if (edges != ccd_edges_named(corners, which[first + WIDE - 1]))
            break;
        ccd_named_w(&m, which + first, a, b, pair0, &v);
        distance_limits_named_w(limit, ends, &v, which + first, a, b, pair0, limits);
        u32 within = distance_decide_pairs_w(ends, &v, edges, limits, &apart);
        distance_verdicts_w(within, apart, verdict + first);
    }
    f64 note[DISTANCE_NOTE];
    for (u32 i = first; i < last; i++) {
        ccd_four v = ccd_named(&m, which[i], a, b, pair0);
        u32 pair = pair0 + (which[i] >> CCD_NUMBER_BITS);
        distance_decide_pair(ends, v, distance_limits_named(limit, ends, v, pair, a, b), note,
                             verdict + i);
    }
}

KERNEL void distance_features8(ITEM_ARG u32 n, u32 pairs, GLOBAL const u32 *a, GLOBAL const u32 *b,
                               GLOBAL const u32 *corner, GLOBAL const f64 *x, GLOBAL u8 *code)
{
    if (ITEM >= n)
        return;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        distances_w r = distances_load_w(corner, x, a + first, b + first);
        distance_bits_w bits = distance_decide_features_w(&r);
        for (u32 k = 0; k < WIDE; k++)
            code[first + k] =
                (u8)(distance_corners_differ(corner + (size_t)3 * a[first + k]) &&
                             distance_corners_differ(corner + (size_t)3 * b[first + k])
                         ? distance_code_w(&bits, k)
                         : DISTANCE_OPEN);
    }
    f64 note[DISTANCE_NOTE];
    for (u32 i = first; i < last; i++) {
        distance_pair r = distance_pair_of(3, corner, x, a[i], b[i]);
        distance_shortest(r, note);
        distance_decide_features(r, distance_note(note), code + i);
    }
}
