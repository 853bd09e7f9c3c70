/* Between two instants: the feature pairs of candidates, and verdicts on them. a[i], b[i] is the
 * i-th candidate, a pair of primitives. README.md, "Between two frames", describes the methods.
 *
 * The lists of this file store a feature pair as 32 bits: the candidate's position among those that
 * are processed together, from pair0 on, and the number of the feature pair (ccd.h). Point-face
 * pairs precede edge-edge pairs, so that neighbours in a list evaluate the same formulas. */
#include "ccd_separate.h"
#include "ccd_spans.h"
#ifndef IMP_DEVICE
#include "lanes.h"
#endif
#ifdef IMP_FP64

/* ends[CCD_ROW v ..]: one cache line with the positions of vertex v at both instants, v itself, for
 * forms that compare vertices as lanes, and its frame; if `spanned`, span[] is written as well. */
KERNEL void ccd_ends(ITEM_ARG u32 n, u32 frames, GLOBAL const u32 *vert0, GLOBAL const f64 *x,
                     GLOBAL const f64 *x_to, GLOBAL f64 *ends, u32 spanned, GLOBAL f64 *span)
{
    if (ITEM >= n)
        return;
    GLOBAL const f64 *p = x + (size_t)3 * ITEM, *q = x_to + (size_t)3 * ITEM;
    GLOBAL f64 *row = ends + (size_t)CCD_ROW * ITEM;
    row[0] = p[0];
    row[1] = p[1];
    row[2] = p[2];
    row[CCD_TO] = q[0];
    row[CCD_TO + 1] = q[1];
    row[CCD_TO + 2] = q[2];
    row[CCD_NUMBER] = ITEM;
    row[CCD_FRAME] = frames > 1 ? frame_of(vert0, frames, ITEM) : 0;
    if (spanned)
        ccd_span(p, q, row[CCD_FRAME], span + (size_t)CCD_ROW * ITEM);
}

/* Adds each primitive as a candidate with itself. */
KERNEL void ccd_selves(ITEM_ARG u32 n, u32 first, GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    a[ITEM] = b[ITEM] = first + ITEM;
}

/* ---- pairs of features */

/* The feature pairs in `rep` of primitives a and b that share no vertex and whose boxes, grown by
 * the gap, overlap. */
FN u32 ccd_find_word(const ccd_mesh *m, u32 a, u32 b, u32 word, u32 rep, f64 gap)
{
    u32 found = 0;
    ROLLED
    for (u32 left = rep; left; left &= left - 1) {
        u32 bit = bit_lowest(left);
        ccd_four v = ccd_vertices(m, a, b, 32 * word + bit);
        if (!ccd_share(v) && ccd_near(m->ends, v, gap))
            found |= 1u << bit;
    }
    return found;
}

/* The mask of one candidate: a bit for each pair of representative features that share no vertex
 * and whose boxes over both instants overlap once one is grown by the gap. */
FN void ccd_find_pair(const ccd_mesh *m, u32 a, u32 b, GLOBAL const u32 *rep, GLOBAL const f64 *gap,
                      GLOBAL u32 *mask)
{
    f64 mine = ccd_gaps_at(gap, m->ends, m->corner[(size_t)m->corners * a])[GAP];
    ROLLED
    for (u32 word = 0; word < ccd_words(m->corners); word++) {
        u32 all = ccd_rep(m->corners, word, rep[a], rep[b]) & (a == b ? ccd_own(word) : ~0u);
        mask[word] = ccd_find_word(m, a, b, word, all, mine);
    }
}

#define FIND_ARGS                                                                                  \
    GLOBAL const u32 *a, GLOBAL const u32 *b, u32 pair0, GLOBAL const u32 *rep,                    \
        GLOBAL const f64 *gap, MESH_ARGS, GLOBAL u32 *mask

KERNEL void ccd_find(ITEM_ARG u32 n, FIND_ARGS, GLOBAL const f64 *span)
{
    if (ITEM >= n)
        return;
#ifdef IMP_DEVICE
    if (corners == 3) {
        u32 i = a[pair0 + ITEM], j = b[pair0 + ITEM];
        mask[ITEM] = ccd_find_triangles(corner, i, j, ccd_rep_triangles(rep[i], rep[j]), gap, span);
        return;
    }
#else
    (void)span; /* used on devices only */
#endif
    const ccd_mesh m = MESH;
    ccd_find_pair(&m, a[pair0 + ITEM], b[pair0 + ITEM], rep, gap,
                  mask + (size_t)ccd_words(corners) * ITEM);
}

/* Numbers of point-face pairs and of edge-edge pairs. */
typedef struct ccd_sums {
    u32 faces, edges;
} ccd_sums;

/* counted over the candidates [first, last) */
FN ccd_sums ccd_sums_of(GLOBAL const u32 *mask, u32 words, u32 first, u32 last)
{
    ccd_sums s;
    s.faces = s.edges = 0;
    for (u32 i = first; i < last; i++)
        for (u32 word = 0; word < words; word++) {
            u32 m = mask[(size_t)words * i + word], edges = m & ccd_kind(words, word, 1);
            s.faces += bit_count(m ^ edges);
            s.edges += bit_count(edges);
        }
    return s;
}

/* Chunk c of candidates: count[c] point-face pairs, count[chunks + c] edge-edge pairs. */
KERNEL void ccd_count(ITEM_ARG u32 n, u32 pairs, u32 chunk, u32 words, GLOBAL const u32 *mask,
                      GLOBAL u32 *count)
{
    if (ITEM >= n)
        return;
    u32 first = ITEM * chunk;
    ccd_sums s = ccd_sums_of(mask, words, first, u32_min(pairs, first + chunk));
    count[ITEM] = s.faces;
    count[n + ITEM] = s.edges;
}

/* The number of leading candidates whose first primitive is below `end`, the start of a frame;
 * candidates are ordered by frame. */
FN u32 ccd_pairs_before(GLOBAL const u32 *a, u32 pairs, u32 end)
{
    u32 lo = 0, hi = pairs;
    while (lo < hi) {
        u32 mid = lo + (hi - lo) / 2;
        if (a[mid] < end)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Number of pairs before those of frame f = ITEM: before[2 f] in the point-face list, before[2 f +
 * 1] in the edge-edge list. offset: the scanned counts of chunks. */
KERNEL void ccd_before(ITEM_ARG u32 n, GLOBAL const u32 *prim0, GLOBAL const u32 *a, u32 pair0,
                       u32 pairs, u32 chunk, u32 chunks, u32 words, GLOBAL const u32 *mask,
                       GLOBAL const u64 *offset, GLOBAL u64 *before)
{
    if (ITEM >= n)
        return;
    u32 upto = ccd_pairs_before(a + pair0, pairs, prim0[ITEM]), c = upto / chunk;
    ccd_sums s = ccd_sums_of(mask, words, c * chunk, upto);
    before[2 * ITEM] = offset[c] + s.faces;
    before[2 * ITEM + 1] = offset[chunks + c] + s.edges;
}

/* A section of the list: the feature pairs of one kind of the candidates [begin, end). */
typedef struct ccd_part {
    u32 begin, end, edges;
} ccd_part;

/* a mask word of candidate i, restricted to the section's kind */
FN u32 ccd_part_word(ccd_part p, u32 words, GLOBAL const u32 *mask, u32 i, u32 word)
{
    return mask[(size_t)words * i + word] & ccd_kind(words, word, p.edges);
}

#ifdef IMP_DEVICE

FN void ccd_list(ccd_part p, u32 words, GLOBAL const u32 *mask, u64 to, GLOBAL u32 *which)
{
    for (u32 i = p.begin; i < p.end; i++)
        for (u32 word = 0; word < words; word++)
            for (u32 m = ccd_part_word(p, words, mask, i, word); m; m &= m - 1)
                which[to++] = (i << CCD_NUMBER_BITS | word << 5) + bit_lowest(m);
}

#else

#define CCD_LIST 64

/* Lists the feature pairs of one word in mine[32]. Most words have at most one bit, unpredictably:
 * the first two are listed without a branch. */
FN u32 ccd_list_word(u32 base, u32 m, u32 *mine)
{
    u32 count = 0;
    for (u32 k = 0; k < 2; k++) {
        mine[count] = base + bit_lowest(m | 1u << 31);
        count += m != 0;
        m &= m - 1;
    }
    for (; m; m &= m - 1)
        mine[count++] = base + bit_lowest(m);
    return count;
}

/* the same for triangles, which have one word of 16 bits */
FN u32 ccd_list_triangles(u32 base, u32 m, u32 *mine)
{
#ifdef U32X16_PACK
    lanes_put(m, base, mine);
    return bit_count(m);
#else
    return ccd_list_word(base, m, mine);
#endif
}

FN u32 ccd_list_one(ccd_part p, u32 words, GLOBAL const u32 *mask, u32 i, u32 *mine)
{
    u32 base = i << CCD_NUMBER_BITS, count = 0;
    if (words == 1)
        return ccd_list_triangles(base, ccd_part_word(p, 1, mask, i, 0), mine);
    for (u32 word = 0; word < words; word++)
        count +=
            ccd_list_word(base | word << 5, ccd_part_word(p, words, mask, i, word), mine + count);
    return count;
}

FN void ccd_list(ccd_part p, u32 words, GLOBAL const u32 *mask, u64 to, GLOBAL u32 *which)
{
    u32 mine[CCD_LIST + 96], count = 0;
    for (u32 i = p.begin; i < p.end; i++) {
        count += ccd_list_one(p, words, mask, i, mine + count);
        if (count < CCD_LIST && i + 1 < p.end)
            continue;
        for (u32 k = 0; k < count; k++)
            which[to++] = mine[k];
        count = 0;
    }
}

#endif

/* Writes section first + i of the scanned counts: the pairs of one kind of one chunk. */
KERNEL void ccd_write(ITEM_ARG u32 n, u32 first, u32 pairs, u32 chunk, u32 chunks, u32 words,
                      GLOBAL const u32 *mask, GLOBAL const u64 *offset, GLOBAL u32 *which)
{
    if (ITEM >= n)
        return;
    u32 at = first + ITEM, edges = at >= chunks;
    ccd_part part;
    part.begin = (edges ? at - chunks : at) * chunk;
    part.end = u32_min(pairs, part.begin + chunk);
    part.edges = edges;
    ccd_list(part, words, mask, offset[at] - offset[first], which);
}

/* ---- verdicts */

/* verdict[i]: TRI_APART if D has no root, else CCD_OPEN */
KERNEL void ccd_first(ITEM_ARG u32 n, FEATURES_ARGS, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    verdict[ITEM] = ccd_decide_first(ends, ccd_named(&m, which[ITEM], a, b, pair0));
}

/* Tests interval after interval in order of time: an undecided interval is halved; after one
 * without contact the next follows. With a gap the test is for a distance below the gap. The
 * verdict is stored after each test, so that no compiler keeps coordinates in registers from one to
 * the next. */
FN void ccd_decide_halves(GLOBAL f64 *note, u32 edges, u32 gap, GLOBAL u8 *verdict)
{
    u32 at = 0, length = CCD_MOMENTS, shortest = gap ? CCD_SEPARATE_LENGTH : 1;
    ROLLED
    while (at < CCD_MOMENTS) {
        if (gap)
            ccd_decide_apart(note, edges, at, length, verdict);
        else
            ccd_decide(note, edges, at, length, verdict);
        if (*verdict == TRI_MEET)
            return;
        if (*verdict == TRI_APART) {
            at += length;
            length = ccd_length_at(at);
        } else if (length == shortest) {
            *verdict = TRI_UNDECIDED;
            return;
        } else {
            length /= 2;
        }
    }
}

/* verdict[first + i] of pair first + i: TRI_APART, TRI_MEET, or TRI_UNDECIDED if the first interval
 * that is not apart is still open at the shortest length. */
KERNEL void ccd_halve(ITEM_ARG u32 n, u32 first, FEATURES_ARGS, GLOBAL f64 *note,
                      GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    ccd_four v = ccd_named(&m, which[first + ITEM], a, b, pair0);
    ccd_note_begin(note + (size_t)CCD_NOTE * ITEM, ends, v);
    ccd_decide_halves(note + (size_t)CCD_NOTE * ITEM, v.edges, 0, verdict + first + ITEM);
}

/* ccd_halve for distances below a gap */
KERNEL void ccd_separate(ITEM_ARG u32 n, u32 first, FEATURES_ARGS, GLOBAL const f64 *gap,
                         GLOBAL f64 *note, GLOBAL u8 *verdict)
{
    if (ITEM >= n)
        return;
    const ccd_mesh m = MESH;
    ccd_four v = ccd_named(&m, which[first + ITEM], a, b, pair0);
    ccd_note_begin(note + (size_t)CCD_SEPARATE_NOTE * ITEM, ends, v);
    ccd_note_gaps(note + (size_t)CCD_SEPARATE_NOTE * ITEM, ccd_gaps_at(gap, ends, v.a));
    ccd_decide_halves(note + (size_t)CCD_SEPARATE_NOTE * ITEM, v.edges, 1, verdict + first + ITEM);
}

/* ---- compaction */

#ifndef IMP_DEVICE /* on devices: feature_compact_group */

/* Like narrow_take, free of unpredictable branches. */
FN void ccd_take(u32 first, u32 last, GLOBAL const u8 *verdict, u32 one, u64 to,
                 GLOBAL const u32 *which, GLOBAL u32 *out)
{
    u32 mine[64], end;
    for (; first < last; first = end) {
        u32 count = 0;
        end = u32_min(last, first + 64);
        for (u32 i = first; i < end; i++) {
            mine[count] = which[i];
            count += verdict[i] == one;
        }
        for (u32 k = 0; k < count; k++)
            out[to++] = mine[k];
    }
}

/* narrow_compact for feature pairs */
KERNEL void ccd_compact(ITEM_ARG u32 n, u32 pairs, u32 chunk, GLOBAL const u8 *verdict, u32 one,
                        u32 two, GLOBAL const u64 *offset, GLOBAL const u32 *which, GLOBAL u32 *out)
{
    if (ITEM >= n)
        return;
    u32 first = ITEM * chunk, last = u32_min(pairs, first + chunk);
    ccd_take(first, last, verdict, one, offset[ITEM], which, out);
    if (two != TRI_NO_VERDICT)
        ccd_take(first, last, verdict, two, offset[n + ITEM], which, out);
}

#endif

/* Writes the primitives and the codes of the feature pairs from number `first` on to the rows from
 * `to` on. */
KERNEL void ccd_to_numbers(ITEM_ARG u32 n, u64 first, GLOBAL const u32 *which, GLOBAL const u32 *a,
                           GLOBAL const u32 *b, u32 pair0, u32 corners, u64 to, GLOBAL u32 *a_out,
                           GLOBAL u32 *b_out, GLOBAL u32 *code)
{
    if (ITEM >= n)
        return;
    u32 one = which[first + ITEM], pair = pair0 + (one >> CCD_NUMBER_BITS);
    a_out[to + ITEM] = a[pair];
    b_out[to + ITEM] = b[pair];
    code[to + ITEM] = number_code(corners, one & ((1u << CCD_NUMBER_BITS) - 1));
}

#endif
