/* Pairs by query, a way for methods of the broad phase. The work is divided among queries, one for
 * each primitive that may have a partner, those of a frame contiguous. Right for GPUs.
 *
 * Where a device has work-groups, all queries put their pairs into one list that is expected to be
 * long enough (kernels/search.h). Else, and where the pairs are too many for the memory: count how
 * many pairs each query finds, prefix sum, then write the pairs of a range of queries to their
 * final positions. */
#ifndef IMP_QUERIES_H
#define IMP_QUERIES_H

#include "broad.h"
#include "group.h"
#include "scan.h"

typedef struct queries queries;

/* What the method does: count[query] for `n` queries from query0 on; their pairs, those of query q
 * to out from offset[q] - base on; and the pairs of all n queries at once, those that fit *out,
 * with sums of all that there are (SEARCH_LIST). search: NULL, if it has no such form. */
typedef struct query_calls {
    int (*count)(void *state, const broad_input *in, const queries *q, uint32_t n);
    int (*emit)(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out);
    int (*search)(void *state, const broad_input *in, queries *q, uint32_t n, pairs *out);
} query_calls;

struct queries {
    broad_range range;
    const buffer_u32 *start;
    uint32_t at, end; /* queries done so far, and all */
    int counted;      /* are counts and offsets there? */
    buffer_u32 count; /* pairs of each query */
    buffer_u64 offset;
    uint64_t total, base; /* pairs of all, and emitted so far */
    scanner scan;
    /* searches */
    uint64_t found;          /* pairs of the last one, */
    uint32_t queried;        /* and its queries: the next one is expected to find as many of each */
    uint64_t room, most;     /* pairs of this one, and of any */
    int many;                /* there are more than `most` */
    deferred_count deferred; /* the number that was found */
    imp_frame_info *info;    /* [frames] that it is added to */
    uint32_t frames;
};

/* Items of a search of n queries, whole work-groups; and its arguments, SEARCH_LIST of kernels.def.
 */
static inline uint64_t search_items(uint32_t n)
{
    return ((uint64_t)n + SEARCH_GROUP - 1) / SEARCH_GROUP * SEARCH_GROUP;
}

#define SEARCH_OF(q, out) (uint32_t)(out)->count, &(q)->deferred.sums, &(out)->a, &(out)->b

/* start: [frames + 1] first query of each frame, then the total; the caller's until all pairs are
 * found. */
int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info);
int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, imp_frame_info *info, candidates *out);
int queries_done(const queries *q);
void queries_free(queries *q, device *d);

#endif
