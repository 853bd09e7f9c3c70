/* The entries of a hash's table: each item has some of its own, and may have some as a visitor,
 * which follow all others. They are sorted by bucket. */
#ifndef IMP_ENTRIES_H
#define IMP_ENTRIES_H

#include "scan.h"
#include "strips.h"

#define VISITORS_MOST 2 /* visitors for each other entry: more cost too much memory */

/* Where those of each item begin, before they are sorted. */
typedef struct entry_counts {
    const buffer_u32 *item0;            /* [frames + 1] first item of each frame */
    const buffer_u64 *offset, *visitor; /* [items + 1] each; visitor: NULL if there is none */
} entry_counts;

/* entry0[frames + 1]: the first entry of each frame, of all that are sorted. Buckets of a frame are
 * consecutive, so its entries are too, and counts before the sort are enough. */
int entries_first(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t *entry0);

/* Adds each frame's entries, `all` together, to info[f].touched. */
int entries_wrote(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t all,
                  imp_frame_info *info);

/* Strips of entries that don't cross frames, and for the kernels what their numbers mean: entry0
 * and group0, [frames + 1], as hash_team.cl has them. Errors: MEMORY, also where entries are too
 * many for one block. */
int entries_strips(const broad_input *in, scanner *scan, const entry_counts *n, buffer_u64 *entry0,
                   buffer_u32 *group0, strips *out);

/* start: [buckets + 1] the first entry of each bucket. key: [entries], the bucket in the low bits.
 */
int entries_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                   uint32_t bits, buffer_u64 *start);

#endif
