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

/* A kernel that tests all pairs of a and b, whose number is counts[LIST_ALL] and the next, upper
 * word, but not more than `room`, and appends those that are near to the list a_out, b_out, which
 * has counts[LIST_NEAR] pairs. NEAR(i): whether pair i is. m: the group's local memory. */
#define LIST_FILTER(m, room, a, b, NEAR, counts, a_out, b_out)                                     \
    do {                                                                                           \
        u32 pairs = (counts)[LIST_ALL + 1] ? (room) : u32_min(room, (counts)[LIST_ALL]);           \
        u32 first = GROUP_ID * LIST_TILE + LOCAL_ID, picked = 0;                                   \
        ROLLED                                                                                     \
        for (u32 k = 0; k < LIST_PER; k++) {                                                       \
            u32 i = first + k * SCAN_GROUP;                                                        \
            if (i < pairs && NEAR(i))                                                              \
                picked |= 1u << k;                                                                 \
        }                                                                                          \
        u32 at = list_places(m, (counts) + LIST_NEAR, bit_count(picked), 0).x;                     \
        for (u32 k = 0; k < LIST_PER; k++)                                                         \
            if (picked >> k & 1) {                                                                 \
                (a_out)[at] = (a)[first + k * SCAN_GROUP];                                         \
                (b_out)[at++] = (b)[first + k * SCAN_GROUP];                                       \
            }                                                                                      \
    } while (0)

/* A kernel that decides a list of counts[LIST_NEAR] pairs, at most `room`. Pairs that meet are
 * appended to the list that begins at a_out, b_out; undecided ones to another, which begins at the
 * far end of that space and grows backwards. counts[LIST_MEET] and counts[LIST_UNDECIDED] are their
 * lengths. DECIDE(i) stores verdict[i], unless a kernel before
 * did. */
#define LIST_SPLIT(m, room, a, b, DECIDE, verdict, counts, a_out, b_out)                           \
    do {                                                                                           \
        for (u32 first = GROUP_ID * SCAN_GROUP; first < (counts)[LIST_NEAR]; first += ITEMS) {     \
            u32 i = first + LOCAL_ID, result = TRI_APART;                                          \
            if (i < (counts)[LIST_NEAR]) {                                                         \
                DECIDE(i);                                                                         \
                result = (verdict)[i];                                                             \
            }                                                                                      \
            u32x2 at =                                                                             \
                list_places(m, (counts) + LIST_MEET, result == TRI_MEET, result == TRI_UNDECIDED); \
            u32 to = result == TRI_MEET ? at.x : (room)-1 - at.y;                                  \
            if (result != TRI_APART) {                                                             \
                (a_out)[to] = (a)[i];                                                              \
                (b_out)[to] = (b)[i];                                                              \
            }                                                                                      \
        }                                                                                          \
    } while (0)

#endif
#endif
