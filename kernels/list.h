/* Lists of pairs that work-groups of SCAN_GROUP items select on GPUs: the pairs that a group
 * selects are appended contiguously. So the host reads no counts between one kernel and the next:
 * the list has the capacity of its source, and the next kernel reads its length. The order of
 * groups depends on the device; no result depends on it, since pairs that meet are sorted. */
#ifndef IMP_LIST_H
#define IMP_LIST_H
#include "group.h"

#define LIST_TILE 1024u                   /* pairs that a group tests */
#define LIST_PER (LIST_TILE / SCAN_GROUP) /* pairs of an item, SCAN_GROUP apart */

/* Indices of the narrow phase's counts, in words: pairs that are near; those of them that meet, and
 * those that are undecided; and all pairs, two words. */
#define LIST_NEAR 0
#define LIST_MEET 1
#define LIST_UNDECIDED 2
#define LIST_ALL 3
#define LIST_COUNTS 5

#ifdef IMP_DEVICE

/* The local memory of a group. */
typedef struct list_shared {
    u64 sum[GROUP_SUMS];
    u32 place[2];
} list_shared;

/* Reserves space for the pairs that each item selects for two lists, whose counts are adjacent and
 * grow by the group's total. Returns the index of the item's first pair in each list. */
FN_LOCAL u32x2 list_places(LOCAL list_shared *m, GLOBAL u32 *counts, u32 one, u32 two)
{
    u64 upto = group_prefix(one | (u64)two << 32, m->sum);
    if (LOCAL_ID == SCAN_GROUP - 1) {
        m->place[0] = (u32)upto ? ATOMIC_ADD(counts, (u32)upto) : 0;
        m->place[1] = upto >> 32 ? ATOMIC_ADD(counts + 1, (u32)(upto >> 32)) : 0;
    }
    BARRIER();
    u32x2 at = {m->place[0] + (u32)upto - one, m->place[1] + (u32)(upto >> 32) - two};
    BARRIER();
    return at;
}

#endif
#endif
