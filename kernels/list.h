/* Lists of pairs that work-groups of SCAN_GROUP items pick on GPUs: what a group picks goes to the
 * end side by side. So the host reads no numbers between a kernel and the next: the list is as long
 * as the one that it is picked from, and the next kernel reads how long it has become. Groups come
 * in an order that depends on the device; nothing depends on it, since pairs that meet are sorted.
 */
#ifndef IMP_LIST_H
#define IMP_LIST_H
#include "group.h"

#define LIST_TILE 1024u                   /* pairs that a group asks about */
#define LIST_PER (LIST_TILE / SCAN_GROUP) /* of an item, SCAN_GROUP apart */

/* Counts of the narrow phase, words: pairs that are near; of them those that meet, and those that
 * are undecided; and all pairs that there are, two words. */
#define LIST_NEAR 0
#define LIST_MEET 1
#define LIST_UNDECIDED 2
#define LIST_ALL 3
#define LIST_COUNTS 5

#ifdef IMP_DEVICE

/* What a group shares. */
typedef struct list_shared {
    u64 sum[GROUP_SUMS];
    u32 place[2];
} list_shared;

/* Every item picks some pairs for either of two lists, whose counts are side by side; they grow by
 * what the group picks. Returns the place of the item's first one in each. */
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
