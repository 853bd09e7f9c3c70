/* Sizes of work-groups for the forms in which a group cooperates (scan.cl, sort.cl), and for the
 * host that launches them (parallel.c): a kernel's local memory is as large as its group. */
#ifndef IMP_GROUP_H
#define IMP_GROUP_H

#include "dialect.h"

#define SCAN_GROUP 256
#define SCAN_PER 8 /* counts of one item */

#define SCAN_TILE (SCAN_GROUP * SCAN_PER)
#define SCAN_ALONE 8     /* tiles that one group sums in the time of two more launches */
#define SCAN_BEFORE 2048 /* tile sums that every group adds up in the time of one more launch */

#define SORT_GROUP SCAN_GROUP
#define SORT_PER 8        /* keys of one item */
#define SORT_GROUP_BITS 8 /* most bits of a key in one pass */
#define SORT_TILE_BITS 11
#define SORT_TILE (1 << SORT_TILE_BITS)

#define MERGE_GROUP SCAN_GROUP
#define MERGE_PER 8 /* words of one item */
#define MERGE_TILE_BITS 11
#define MERGE_TILE (1 << MERGE_TILE_BITS)
#define MERGE_WAY_BITS 2 /* log2 of the number of runs merged into one */
#define MERGE_WAYS (1 << MERGE_WAY_BITS)
#define MERGE_PROBE_BITS 7 /* log2 of the words read at a time for each end of a group's tile */
#define MERGE_PROBES (1 << MERGE_PROBE_BITS)

#define SEARCH_GROUP 64 /* queries of a group that searches: search.h */

/* Index of word i in local memory: items that read 16 words in a row, 16 apart, access different
 * banks. Words of a row that divides 32 stay adjacent, and bank_of(i + 32 * k) is bank_of(i) + 33 *
 * k, so that loops add a constant. */
FN u32 bank_of(u32 i)
{
    return i + i / 32;
}

#define BANK_ROW(words) ((words) + (words) / 32) /* for a multiple of 32 */

#ifdef IMP_DEVICE

#define GROUP_SUMS (2 * SCAN_GROUP)

/* Inclusive sum of x over a work-group of SCAN_GROUP; every item must call it. Afterwards sum[l] is
 * that of item l. A step adds four sums into one and alternates between the halves of `sum`: one
 * barrier for each of four steps, the last of which writes the first half. */
FN_LOCAL u64 group_prefix(u64 x, LOCAL u64 *sum)
{
    u32 l = LOCAL_ID, side = 0;
    sum[l] = x;
    ROLLED
    for (u32 d = 1; d < SCAN_GROUP; d *= 4) {
        BARRIER();
        u64 one = sum[side + (l >= d ? l - d : 0)], two = sum[side + (l >= 2 * d ? l - 2 * d : 0)];
        u64 three = sum[side + (l >= 3 * d ? l - 3 * d : 0)];
        x += (l >= d ? one : 0) + (l >= 2 * d ? two : 0) + (l >= 3 * d ? three : 0);
        side ^= SCAN_GROUP;
        sum[side + l] = x;
    }
    BARRIER();
    return x;
}

#endif

#endif
