/* Sorting pairs (a, b) where an item owns a tile, as words of 32 bits: the highest bits of a are
 * the *group* of a pair (sort_count of sort.cl, scan.cl); the other bits of a, above b, are its
 * word. An item sorts the words of a group, which fit its caches. */
#include "dialect.h"

#define GROUP_FEW 32u    /* up to this many words are sorted by comparisons */
#define GROUP_MANY 1024u /* from this many words on long digits pay */
#define DIGIT_BITS 8u
#define DIGIT_BITS_MANY 11u

/* Moves the word of each pair to its group; tiles and offset[] are those of sort_scatter. bits:
 * bits of a number; group_bits: the highest bits of a. */
KERNEL void sort_words(ITEM_ARG u32 n, GLOBAL const u32 *a, GLOBAL const u32 *b, u64 pairs,
                       u64 tile, u32 bits, u32 group_bits, GLOBAL const u64 *offset,
                       GLOBAL u32 *word)
{
    if (ITEM >= n)
        return;
    u64 next[1u << DIGIT_BITS_MANY], end = (ITEM + 1) * tile < pairs ? (ITEM + 1) * tile : pairs;
    u32 shift = bits - group_bits, groups = 1u << group_bits, rest = (1u << shift) - 1;
    for (u32 g = 0; g < groups; g++)
        next[g] = offset[g * n + ITEM];
    for (u64 i = ITEM * tile; i < end; i++)
        word[next[a[i] >> shift]++] = (u32)((u64)(a[i] & rest) << bits) | b[i];
}

/* Sorts n words by insertion. */
FN void words_insert(GLOBAL u32 *word, u32 n)
{
    for (u32 i = 1; i < n; i++) {
        u32 own = word[i], to = i;
        for (; to > 0 && word[to - 1] > own; to--)
            word[to] = word[to - 1];
        word[to] = own;
    }
}

/* One pass of a radix sort by the digit of these bits. */
FN void words_pass(GLOBAL const u32 *from, GLOBAL u32 *to, u32 n, u32 shift, u32 bits)
{
    u32 next[1u << DIGIT_BITS_MANY], digits = 1u << bits, sum = 0;
    for (u32 d = 0; d < digits; d++)
        next[d] = 0;
    for (u32 i = 0; i < n; i++)
        next[from[i] >> shift & (digits - 1)]++;
    for (u32 d = 0; d < digits; d++) {
        u32 count = next[d];
        next[d] = sum;
        sum += count;
    }
    for (u32 i = 0; i < n; i++)
        to[next[from[i] >> shift & (digits - 1)]++] = from[i];
}

/* Sorts n words of `bits` bits, with `other` as scratch; returns the array that has them. */
FN GLOBAL const u32 *words_sort(GLOBAL u32 *word, GLOBAL u32 *other, u32 n, u32 bits)
{
    if (n <= GROUP_FEW) {
        words_insert(word, n);
        return word;
    }
    u32 most = n < GROUP_MANY ? DIGIT_BITS : DIGIT_BITS_MANY, passes = (bits + most - 1) / most;
    u32 step = (bits + passes - 1) / passes;
    for (u32 shift = 0; shift < bits; shift += step) {
        GLOBAL u32 *swap = word;
        words_pass(word, other, n, shift, step);
        word = other;
        other = swap;
    }
    return word;
}

/* Sorts group ITEM, which begins with word offset[tiles ITEM], and writes it as pairs. */
KERNEL void sort_groups(ITEM_ARG u32 n, u64 pairs, u32 tiles, u32 bits, u32 group_bits,
                        GLOBAL const u64 *offset, GLOBAL u32 *word, GLOBAL u32 *other,
                        GLOBAL u32 *a, GLOBAL u32 *b)
{
    if (ITEM >= n)
        return;
    u64 begin = offset[tiles * ITEM], end = ITEM + 1 < n ? offset[tiles * (ITEM + 1)] : pairs;
    u32 shift = bits - group_bits, first = ITEM << shift;
    GLOBAL const u32 *sorted =
        words_sort(word + begin, other + begin, (u32)(end - begin), shift + bits);
    for (u64 i = begin; i < end; i++) {
        u64 own = sorted[i - begin];
        a[i] = first + (u32)(own >> bits);
        b[i] = (u32)(own & (((u64)1 << bits) - 1));
    }
}
