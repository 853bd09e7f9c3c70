/* The tests of ccd.cl for CPUs: WIDE pairs side by side, the remainder one by one. Included after
 * ccd.cl. */
#include "ccd_wide.h"

/* The first triangles of WIDE pairs and how to test them. */
typedef struct ccd_firsts_w {
    ccd_corners_w p;
    u32 rep; /* the representative features of all */
    lane_w gap;
} ccd_firsts_w;

/* Often there is only one, since candidates are in order. */
FORMULA void ccd_firsts_load_w(const ccd_mesh *m, GLOBAL const u32 *a, GLOBAL const u32 *rep,
                               GLOBAL const f64 *gap, u32 still, ccd_firsts_w *out)
{
    u32 other = 0;
    f64 own[WIDE];
    for (u32 k = 0; k < WIDE; k++)
        other |= a[k] ^ a[0];
    out->rep = rep[a[0]];
    if (!other) {
        GLOBAL const u32 *v = m->corner + (size_t)3 * a[0];
        ccd_corners_one_w(m->ends, v, &out->p);
        out->gap = lane_all_w(ccd_gaps_at(gap, m->ends, v[0])[GAP]);
        return;
    }
    ccd_corners_load_w(m->ends, m->corner, a, still, &out->p);
    for (u32 k = 0; k < WIDE; k++) {
        out->rep |= rep[a[k]];
        own[k] = ccd_gaps_at(gap, m->ends, m->corner[(size_t)3 * a[k]])[GAP];
    }
    out->gap = lane_own_w(own);
}

/* ccd_find_pair for WIDE pairs of triangles: first all box tests, then the masks of representative
 * features. */
FORMULA void ccd_find_triangles(const ccd_mesh *m, GLOBAL const u32 *a, GLOBAL const u32 *b,
                                GLOBAL const u32 *rep, GLOBAL const f64 *gap, u32 still,
                                GLOBAL u32 *mask)
{
    ccd_firsts_w p;
    ccd_corners_w q;
    u32 near[WIDE], of_a[WIDE], of_b[WIDE];
    ccd_firsts_load_w(m, a, rep, gap, still, &p);
    ccd_corners_load_w(m->ends, m->corner, b, still, &q);
    ccd_nearness_w how;
    how.rep = p.rep;
    how.still = still;
    how.gap = gap[GAP] == 0 ? 0 : &p.gap; /* as in all frames */
    ccd_near_w(&p.p, &q, &how, near);
    for (u32 k = 0; k < WIDE; k++) {
        of_a[k] = rep[a[k]];
        of_b[k] = rep[b[k]];
    }
    /* a separate loop, which compilers vectorise */
    for (u32 k = 0; k < WIDE; k++)
        mask[k] = near[k] & ccd_rep_triangles(of_a[k], of_b[k]);
}

/* still: positions are the same at both instants. */
KERNEL void ccd_find8(ITEM_ARG u32 n, u32 pairs, u32 still, FIND_ARGS)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; corners == 3 && last - first >= WIDE; first += WIDE)
        if (still) /* compiled for either case */
            ccd_find_triangles(&m, a + pair0 + first, b + pair0 + first, rep, gap, 1, mask + first);
        else
            ccd_find_triangles(&m, a + pair0 + first, b + pair0 + first, rep, gap, 0, mask + first);
    for (u32 i = first; i < last; i++)
        ccd_find_pair(&m, a[pair0 + i], b[pair0 + i], rep, gap,
                      mask + (size_t)ccd_words(corners) * i);
}

KERNEL void ccd_first8(ITEM_ARG u32 n, u32 pairs, FEATURES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    u32 first = 8 * ITEM, last = pairs - first < 8 ? pairs : first + 8;
    for (; last - first >= WIDE; first += WIDE) {
        ccd_fours_w q;
        u32 edges = ccd_edges_named(corners, which[first]);
        if (edges != ccd_edges_named(corners, which[first + WIDE - 1]))
            break; /* both kinds, at the one place where the list changes from one to the other */
        ccd_named_w(&m, which + first, a, b, pair0, &q);
        u32 apart = ccd_decide_first_w(ends, &q, edges);
        for (u32 k = 0; k < WIDE; k++)
            verdict[first + k] = apart >> k & 1 ? TRI_APART : CCD_OPEN;
    }
    for (u32 i = first; i < last; i++)
        verdict[i] = ccd_decide_first(ends, ccd_named(&m, which[i], a, b, pair0));
}

/* ---- halving: an item does CCD_CHUNK pairs */

/* Input of an item that halves: a list of pairs, and the gap for the distance test. */
typedef struct ccd_halving {
    ccd_mesh m;
    GLOBAL const u32 *which, *a, *b;
    u32 pair0;
    GLOBAL const f64 *gap; /* 0 for the contact test */
    GLOBAL u8 *verdict;
} ccd_halving;

/* Loads pair i into lane k. */
FN void ccd_halves_take(ccd_halves_w *h, u32 k, u32 i, const ccd_halving *c)
{
    ccd_four v = ccd_named(&c->m, c->which[i], c->a, c->b, c->pair0);
    GLOBAL const f64 *ends = c->m.ends, *gap = c->gap ? ccd_gaps_at(c->gap, ends, v.a) : 0;
    ccd_vectors r[2];
    r[0] = ccd_fetch(ends, v, 0, 0);
    r[1] = ccd_fetch(ends, v, 0, 1);
    for (u32 t = 0; t < 2; t++) {
        f64 x[9] = {r[t].e.x, r[t].e.y, r[t].e.z, r[t].f.x, r[t].f.y,
                    r[t].f.z, r[t].g.x, r[t].g.y, r[t].g.z};
        for (u32 n = 0; n < 9; n++)
            h->vector[9 * t + n][k] = x[n];
    }
    h->square[k] = gap ? gap[GAP_SQUARE] : 0;
    h->near[k] = gap ? gap[GAP_NEAR] : 0;
    h->item[k] = i;
    h->at[k] = 0;
    h->length[k] = CCD_MOMENTS;
    h->live |= 1u << k;
}

/* Continues after a verdict like ccd_decide_halves; 1 if the lane is done. */
FN i32 ccd_halves_step(ccd_halves_w *h, u32 k, i32 apart, i32 meet, u32 shortest,
                       GLOBAL u8 *verdict)
{
    if (apart) {
        h->at[k] += h->length[k];
        h->length[k] = ccd_length_at(h->at[k]);
        if (h->at[k] < CCD_MOMENTS)
            return 0;
        verdict[h->item[k]] = TRI_APART;
        return 1;
    }
    if (!meet && h->length[k] > shortest) {
        h->length[k] /= 2;
        return 0;
    }
    verdict[h->item[k]] = meet ? TRI_MEET : TRI_UNDECIDED;
    return 1;
}

/* The verdicts on the current intervals of all lanes. */
FN u32 ccd_halves_ask(const ccd_halving *c, const ccd_halves_w *h, u32 edges, u32 *meet)
{
    return c->gap ? ccd_decide_apart_w(h, edges, meet) : ccd_decide_w(h, edges, meet);
}

/* Pairs [first, last), all of one kind. */
FN void ccd_halve_kind(const ccd_halving *c, u32 first, u32 last, u32 edges)
{
    ccd_halves_w h = {{{0}}};
    u32 shortest = c->gap ? CCD_SEPARATE_LENGTH : 1;
    for (u32 k = 0; k < WIDE && first < last; k++, first++)
        ccd_halves_take(&h, k, first, c);
    while (h.live) {
        u32 meet, apart = ccd_halves_ask(c, &h, edges, &meet);
        for (u32 k = 0; k < WIDE; k++) {
            if (!(h.live >> k & 1) ||
                !ccd_halves_step(&h, k, apart >> k & 1, meet >> k & 1, shortest, c->verdict))
                continue;
            h.live &= ~(1u << k);
            if (first == last)
                continue;
            ccd_halves_take(&h, k, first, c);
            first++;
        }
    }
}

/* An item's range, in which point-face pairs precede edge-edge pairs. */
FN void ccd_halve_stretch(const ccd_halving *c, u32 item, u32 pairs)
{
    u32 first = CCD_CHUNK * item, last = u32_min(pairs, first + CCD_CHUNK), edges = first;
    while (edges < last && !ccd_edges_named(c->m.corners, c->which[edges]))
        edges++;
    ccd_halve_kind(c, first, edges, 0);
    ccd_halve_kind(c, edges, last, 1);
}

KERNEL void ccd_halve8(ITEM_ARG u32 n, u32 pairs, FEATURES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_halving c = {MESH, which, a, b, pair0, 0, verdict};
    ccd_halve_stretch(&c, ITEM, pairs);
}

KERNEL void ccd_separate8(ITEM_ARG u32 n, u32 pairs, FEATURES_ARGS, GLOBAL const f64 *gap,
                          GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_halving c = {MESH, which, a, b, pair0, gap, verdict};
    ccd_halve_stretch(&c, ITEM, pairs);
}
