/* Sorting pairs (a, b) by merges, where a work-group owns a tile: few launches. A pair is a word, a
 * above b. Tiles are sorted in local memory, and then each launch merges up to MERGE_WAYS runs into
 * one. A group writes one tile of the result: it finds where the tile begins and ends in each run,
 * so that all groups have the same work, whatever the words are.
 *
 * To find the first d words of all runs (Varman, Scheufler, Iyer, Ricard, Merging multiple lists on
 * hierarchical-memory multiprocessors, 1991): take every 2^s-th word of each of w runs as a sample.
 * A sample with t samples before it, in all runs, has between t 2^s - w (2^s - 1) and t 2^s words
 * before it. So the samples with t < d / 2^s are among the first d words and those with t >= (d + w
 * (2^s - 1)) / 2^s are not. The samples between these are a window for a smaller s; it has less
 * than MERGE_PROBES words where s is smaller by 6 bits less those of w. */
#include "dialect.h"
#include "group.h"

#ifdef IMP_DEVICE

#if MERGE_GROUP != 2 * MERGE_PROBES || MERGE_GROUP * MERGE_PER != MERGE_TILE ||                    \
    MERGE_PROBES != 1 << MERGE_PROBE_BITS || MERGE_TILE != 1 << MERGE_TILE_BITS ||                 \
    MERGE_WAYS != 1 << MERGE_WAY_BITS
#error "half of a group finds one end of its tile"
#endif

/* Index of word i in local memory: words of 64 bits are in two banks of 32. */
FN u32 merge_at(u32 i)
{
    return i + i / 16;
}

#define MERGE_ROOM (MERGE_TILE + MERGE_TILE / 16)

FN u64 merge_word(GLOBAL const u32 *a, GLOBAL const u32 *b, size_t i)
{
    return (u64)a[i] << 32 | b[i];
}

/* Number of words from the run [first, middle) among the first d words of its merge with [middle,
 * end). */
FN_LOCAL u32 merge_search(LOCAL const u64 *word, u32 first, u32 middle, u32 end, u32 d)
{
    u32 low = d > end - middle ? d - (end - middle) : 0, high = u32_min(d, middle - first);
    while (low < high) {
        u32 i = (low + high) / 2;
        if (word[merge_at(first + i)] <= word[merge_at(middle + d - 1 - i)])
            low = i + 1;
        else
            high = i;
    }
    return low;
}

/* Merges runs in pairs, each of `step` original runs, which begin at start[]. Run `own` contains
 * the item's first word. An item's words may belong to several pairs. */
FN_LOCAL void merge_round(LOCAL u64 *word, LOCAL const u32 *start, u32 runs, u32 step, u32 own)
{
    u32 l = LOCAL_ID, pair = own & ~(2 * step - 1), middle = start[pair + step];
    u32 end = start[pair + 2 * step], d = u32_min(MERGE_PER * l, start[runs]) - start[pair];
    u32 i = start[pair] + merge_search(word, start[pair], middle, end, d);
    u32 j = middle + d - (i - start[pair]);
    u64 out[MERGE_PER], x = word[merge_at(u32_min(i, MERGE_TILE - 1))];
    u64 y = word[merge_at(u32_min(j, MERGE_TILE - 1))];
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++) {
        while (i == middle && j == end && pair + 2 * step < runs) {
            pair += 2 * step;
            j = middle = start[pair + step];
            i = end;
            end = start[pair + 2 * step];
            x = word[merge_at(u32_min(i, MERGE_TILE - 1))];
            y = word[merge_at(u32_min(j, MERGE_TILE - 1))];
        }
        u32 right = i == middle || (j < end && y < x);
        u32 next = u32_min((right ? j : i) + 1, MERGE_TILE - 1);
        u64 z = word[merge_at(next)];
        out[k] = right ? y : x;
        j += right;
        i += 1 - right;
        x = right ? x : z;
        y = right ? z : y;
    }
    BARRIER();
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++)
        word[merge_at(MERGE_PER * l) + k] = out[k];
    BARRIER();
}

/* Sorts the item's words. */
FN_LOCAL void merge_own(LOCAL u64 *word)
{
    u32 mine = merge_at(MERGE_PER * LOCAL_ID);
    u64 x[MERGE_PER];
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++)
        x[k] = word[mine + k];
    UNROLLED
    for (u32 round = 0; round < MERGE_PER; round++)
        UNROLLED
    for (u32 k = 0; k + 1 < MERGE_PER; k++) {
        u64 one = x[k], two = x[k + 1];
        u32 swap = k % 2 == round % 2 && two < one;
        x[k] = swap ? two : one;
        x[k + 1] = swap ? one : two;
    }
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++)
        word[mine + k] = x[k];
}

FN_LOCAL void merge_put(LOCAL const u64 *word, u32 first, u32 n, GLOBAL u32 *a, GLOBAL u32 *b)
{
    u32 l = LOCAL_ID;
    UNROLLED_4
    for (u32 k = 0; k < MERGE_PER; k++) {
        u32 i = l + k * MERGE_GROUP;
        u64 w = word[merge_at(i)];
        if (i < n) {
            a[(size_t)first + i] = (u32)(w >> 32);
            b[(size_t)first + i] = (u32)w;
        }
    }
}

/* Sorts each tile. The last one is padded with words that are not less than any other. */
GROUP_KERNEL(MERGE_GROUP)
merge_tiles_group(GLOBAL const u32 *a, GLOBAL const u32 *b, u32 n, GLOBAL u32 *a_out,
                  GLOBAL u32 *b_out)
{
    SHARED u64 word[MERGE_ROOM];
    SHARED u32 start[MERGE_GROUP + 1];
    u32 l = LOCAL_ID, first = GROUP_ID * MERGE_TILE;
    u32 have = u32_min(n - first, MERGE_TILE);
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++) {
        u32 i = l + k * MERGE_GROUP;
        u64 w = merge_word(a, b, (size_t)first + u32_min(i, have - 1));
        word[merge_at(i)] = i < have ? w : ~(u64)0;
    }
    start[l] = l * MERGE_PER;
    if (l == 0)
        start[MERGE_GROUP] = MERGE_TILE;
    BARRIER();
    merge_own(word);
    BARRIER();
    ROLLED
    for (u32 step = 1; step * MERGE_PER < have; step *= 2)
        merge_round(word, start, MERGE_GROUP, step, l);
    merge_put(word, first, have, a_out, b_out);
}

/* Number of samples, every 2^s-th word, of run r of 2^run_bits words; n words in all runs. */
FN u32 merge_samples(u32 n, u32 run_bits, u32 r, u32 s)
{
    u32 first = r << run_bits, length = first < n ? u32_min(n - first, 1u << run_bits) : 0;
    return (length + (1u << s) - 1) >> s;
}

/* A step of the search for the first d words, on the samples [low, high) of each run: those before
 * `left` certainly are among the first d words, those before `maybe` may be. Each of the items for
 * one end has a sample: item i the i-th in the order of runs. */
FN_LOCAL void merge_narrow(GLOBAL const u32 *a, GLOBAL const u32 *b, u32 run_bits, u32 d, u32 s,
                           LOCAL const u32 *low, LOCAL const u32 *high, LOCAL u32 *left,
                           LOCAL u32 *maybe, LOCAL u64 *probe, LOCAL u32 *rank)
{
    u32 item = LOCAL_ID % MERGE_PROBES, own = 0, begin = 0, before = 0, sum = 0;
    UNROLLED
    for (u32 r = 0; r < MERGE_WAYS; r++) {
        u32 size = high[r] - low[r], beyond = item >= before + size;
        own += beyond;
        begin += beyond ? size : 0;
        before += size;
        sum += low[r];
    }
    u32 is = item < before, run = u32_min(own, MERGE_WAYS - 1), at = low[run] + item - begin;
    u64 x = is ? merge_word(a, b, ((size_t)run << run_bits) + ((size_t)at << s)) : ~(u64)0;
    probe[item] = x;
    if (item < MERGE_WAYS)
        left[item] = maybe[item] = low[item];
    BARRIER();
    before = 0;
    UNROLLED
    for (u32 r = 0; r < MERGE_WAYS; r++) {
        u32 size = high[r] - low[r], from = before, to = before + size;
        while (from < to) {
            u32 i = (from + to) / 2;
            u64 y = probe[i];
            if (y < x || (y == x && i < item))
                from = i + 1;
            else
                to = i;
        }
        sum += from - before;
        before += size;
    }
    rank[item] = sum;
    BARRIER();
    if (is) {
        u32 wide = (1u << s) - 1, sure = (d + wide) >> s,
            most = (d + MERGE_WAYS * wide + wide) >> s;
        u32 mine = rank[item], next = at + 1 < high[run] ? rank[item + 1] : ~0u;
        if (mine < sure && next >= sure)
            left[run] = at + 1;
        if (mine < most && next >= most)
            maybe[run] = at + 1;
    }
    BARRIER();
}

/* left[r]: number of words from run r among the first d words of all runs. */
FN_LOCAL void merge_split(GLOBAL const u32 *a, GLOBAL const u32 *b, u32 n, u32 run_bits, u32 d,
                          LOCAL u32 *low, LOCAL u32 *high, LOCAL u32 *left, LOCAL u32 *maybe,
                          LOCAL u64 *probe, LOCAL u32 *rank)
{
    u32 item = LOCAL_ID % MERGE_PROBES, all = run_bits + MERGE_WAY_BITS - MERGE_PROBE_BITS;
    const u32 finer = MERGE_PROBE_BITS - 1 - MERGE_WAY_BITS;
    u32 steps = (all + finer - 1) / finer + 1;
    if (item < MERGE_WAYS) {
        low[item] = 0;
        high[item] = merge_samples(n, run_bits, item, all);
    }
    BARRIER();
    ROLLED
    for (u32 step = 0; step < steps; step++) {
        u32 s = u32_min((steps - 1 - step) * finer, all), to = (steps - 2 - step) * finer;
        merge_narrow(a, b, run_bits, d, s, low, high, left, maybe, probe, rank);
        if (item < MERGE_WAYS && step + 1 < steps) {
            u32 sure = left[item], most = maybe[item] << (s - to);
            low[item] = sure ? ((sure - 1) << (s - to)) + 1 : 0;
            high[item] = u32_min(most, merge_samples(n, run_bits, item, to));
        }
        BARRIER();
    }
}

/* Loads the words of the tile, run by run. start[r]: first word of run r in the tile; from[r]: its
 * index in the run. */
FN_LOCAL void merge_load(GLOBAL const u32 *a, GLOBAL const u32 *b, u32 run_bits, u32 n,
                         LOCAL const u32 *from, LOCAL const u32 *start, LOCAL u64 *word)
{
    u32 l = LOCAL_ID;
    UNROLLED
    for (u32 k = 0; k < MERGE_PER; k++) {
        u32 i = u32_min(l + k * MERGE_GROUP, n - 1), r = 0;
        UNROLLED
        for (u32 bit = MERGE_WAYS / 2; bit; bit /= 2)
            r += start[r + bit] <= i ? bit : 0;
        word[merge_at(l + k * MERGE_GROUP)] =
            merge_word(a, b, ((size_t)r << run_bits) + from[r] + (i - start[r]));
    }
}

/* Writes one tile of the merge of each MERGE_WAYS runs of 2^run_bits words; the last run may be
 * shorter, and later runs empty. The tile is the words before its end less those before its
 * beginning. */
GROUP_KERNEL(MERGE_GROUP)
merge_runs_group(GLOBAL const u32 *a, GLOBAL const u32 *b, u32 n, u32 run_bits, GLOBAL u32 *a_out,
                 GLOBAL u32 *b_out)
{
    SHARED u64 word[MERGE_ROOM];
    SHARED u32 low[2][MERGE_WAYS], high[2][MERGE_WAYS], left[2][MERGE_WAYS], maybe[2][MERGE_WAYS];
    SHARED u32 rank[2][MERGE_PROBES], start[MERGE_WAYS + 1];
    u32 l = LOCAL_ID, end = l / MERGE_PROBES;
    u32 tile = GROUP_ID * MERGE_TILE;
    u32 base = tile >> (run_bits + MERGE_WAY_BITS) << (run_bits + MERGE_WAY_BITS);
    u32 have = u32_min(n - tile, MERGE_TILE), sum = 0;
    a += base;
    b += base;
    merge_split(a, b, n - base, run_bits, tile - base + (end ? have : 0), low[end], high[end],
                left[end], maybe[end], word + end * MERGE_PROBES, rank[end]);
    for (u32 r = 0; r < u32_min(l, MERGE_WAYS); r++)
        sum += left[1][r] - left[0][r];
    if (l <= MERGE_WAYS)
        start[l] = sum;
    BARRIER();
    merge_load(a, b, run_bits, have, left[0], start, word);
    u32 own = 0, first = u32_min(MERGE_PER * l, have - 1);
    UNROLLED
    for (u32 bit = MERGE_WAYS / 2; bit; bit /= 2)
        own += start[own + bit] <= first ? bit : 0;
    BARRIER();
    ROLLED
    for (u32 step = 1; step < MERGE_WAYS; step *= 2)
        merge_round(word, start, MERGE_WAYS, step, own);
    merge_put(word, tile, have, a_out, b_out);
}

#endif
