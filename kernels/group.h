/* Sizes of work-groups, for the forms in which a group cooperates (scan.cl, sort.cl) and for the
 * host that launches them (scan.c): a kernel's local memory is as large as its group. */
#ifndef IMP_GROUP_H
#define IMP_GROUP_H

#include "dialect.h"

#define SCAN_GROUP 256
#define SCAN_PER 8 /* counts of one item */

#define SORT_GROUP 128
#define SORT_PER 16       /* keys of one item */
#define SORT_GROUP_BITS 8 /* of a key, a pass, at most */

#define SEARCH_GROUP 64 /* queries of a group that searches: search.h */

/* Where word i is in local memory: items that read 16 words in a row, 16 apart, meet different
 * banks. */
FN u32 bank_of(u32 i)
{
    return i + i / 32;
}

#ifdef __OPENCL_C_VERSION__

/* A function of local memory that a kernel calls twice with the same arrays. Not inlined, PoCL 3.1
 * would give it one memory for all work-groups. */
#define FN_LOCAL static inline __attribute__((always_inline))

#endif

#endif
