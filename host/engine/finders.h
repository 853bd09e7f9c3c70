/* Pairs by finder, a way for methods of the broad phase. The work is divided among finders, one for
 * each primitive that may have a partner, those of a frame side by side: count how many pairs each
 * finds, prefix sum, then emit a range of finders exactly where their pairs belong. Two look-ups,
 * no waste: right for GPUs. */
#ifndef IMP_FINDERS_H
#define IMP_FINDERS_H

#include "broad.h"
#include "scan.h"

typedef struct finders finders;

/* What the method does: count[finder] for `n` finders from finder0 on, and their pairs, those of
 * finder f to out from offset[f] - base on. */
typedef struct finder_calls {
    int (*count)(void *state, const broad_input *in, const finders *f, uint32_t n);
    int (*emit)(void *state, const broad_input *in, const finders *f, uint32_t n, pairs *out);
} finder_calls;

struct finders {
    broad_range range;
    uint32_t at, end; /* finders done so far, and all */
    buffer_u32 count; /* pairs of each finder */
    buffer_u64 offset;
    uint64_t total, base; /* pairs of all, and emitted so far */
    scanner scan;
};

/* start: [frames + 1] first finder of each frame, then the total. */
int finders_begin(finders *f, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const finder_calls *calls, void *state, imp_frame_info *info);
int finders_next(finders *f, const broad_input *in, uint64_t most, const finder_calls *calls,
                 void *state, pairs *out);
int finders_done(const finders *f);
void finders_free(finders *f, device *d);

/* Pairs that would need more than 16 GB: less of the block at a time has fewer. */
int pairs_few(uint64_t count);

#endif
