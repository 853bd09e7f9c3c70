/* Pairs by query, a way for methods of the broad phase. The work is divided among queries, one for
 * each primitive that may have a partner, those of a frame contiguous: count how many pairs each
 * finds, prefix sum, then write the pairs of a range of queries to their final positions. Right for
 * GPUs. The first pairs of each query are kept from the count where memory is plenty, so that most
 * queries search once; else all search twice. */
#ifndef IMP_QUERIES_H
#define IMP_QUERIES_H

#include "broad.h"
#include "scan.h"

typedef struct queries queries;

/* What the method does: count[query] for `n` queries from query0 on, and their pairs, those of
 * query q to out from offset[q] - base on. */
typedef struct query_calls {
    int (*count)(void *state, const broad_input *in, const queries *q, uint32_t n);
    int (*emit)(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out);
} query_calls;

struct queries {
    broad_range range;
    uint32_t at, end; /* queries done so far, and all */
    buffer_u32 count; /* pairs of each query */
    buffer_u64 offset;
    uint64_t total, base; /* pairs of all, and emitted so far */
    scanner scan;
    uint32_t early;  /* pairs of each that are kept from the count, at most (finds.h) */
    buffer_u32 kept; /* the same */
};

/* Before queries_begin, of a method whose kernels can keep pairs from the count: makes space for
 * those of `count` queries, or for none. */
void queries_keep_early(queries *q, const broad_input *in, uint32_t count);

/* start: [frames + 1] first query of each frame, then the total. */
int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info);
int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, pairs *out);
int queries_done(const queries *q);
void queries_free(queries *q, device *d);

#endif
