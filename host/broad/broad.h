/* The broad phase: which pairs of primitives have overlapping bounds. A method is a folder of its
 * own and a line in broad.def; no method knows another. Every method finds exactly the pairs {a < b
 * of one frame, allowed by the rules, bounds overlap}, each once, and hands them out in pieces of a
 * size that memory allows. On a GPU their order may differ from run to run; nothing depends on it.
 * (Trees of spheres and oriented boxes report fewer false candidates.)
 *
 * Two ways to make pieces are shared: broad.h, for devices with many items at work, and broad.h,
 * for those with few. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "bounds.h"
#include "dirty_set.h"
#include "group.h"
#include "mem.h"
#include "pairs.h"
#include "parallel.h"

/* What a method sees. The view and its bounds stay as they are from build to the last next. */
typedef struct broad_input {
    const context *c;
    const block_view *view;
    const bounds *bounds;
    int cached;           /* the table is kept for the next frame: broad_incremental */
    imp_profile *profile; /* a method that counts what it does adds to it; NULL: not counted */
} broad_input;

/* The wanted pairs: those with the lower primitive in [first, last); all: [0, 2^32 - 1), as in
 * prim.h. */
typedef struct broad_range {
    uint32_t first, last;
} broad_range;

/* Of a method with a table that can be kept from a frame to the next of one mesh and unit
 * (frame_cache.h): entries of primitives that did not move are not written. Pairs are then the ones
 * with at least one primitive that moved, each once, in pieces as of `next`. moved: the caller's
 * until all pairs are found. */
typedef struct broad_incremental {
    /* Can the table that was built be kept? NULL: always. */
    int (*able)(const void *state);
    /* Before the bounds change: *pairs, unless NULL, becomes the number of pairs of the primitives
     * that will move; it, as *written, is there once all pairs have been handed out and resolved.
     */
    int (*leave)(void *state, const broad_input *in, const dirty_set *dirty, uint64_t *pairs);
    /* After the bounds changed: updates the table (*written: number of entries written) and begins
     * with the pairs, which are counted in *info once all have been handed out. */
    int (*enter)(void *state, const broad_input *in, imp_frame_info *info, uint64_t *written);
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                candidates *out);
    int (*done)(const void *state);
} broad_incremental;

/* Of a method that keeps its own trees of rigid bodies from frame to frame, by their poses. A frame
 * with poses is a block of its own. */
typedef struct broad_posing {
    /* Primitives of a block at most, whatever the number of threads. */
    uint64_t block;
} broad_posing;

typedef struct broad_method {
    const char *name;
    size_t size; /* of its state: all zero at first, and kept from block to block */
    int (*build)(void *state, const broad_input *in);
    int (*begin)(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
    /* About `most` pairs, or none; more only where fewer are not possible. */
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                candidates *out);
    int (*done)(const void *state);
    void (*free)(void *state, const context *c);
    /* Adds to info[f].touched the number of entries that the build has written for frame f.
     * NULL: there is no table. */
    int (*wrote)(void *state, const broad_input *in, imp_frame_info *info);
    const broad_incremental *incremental; /* NULL: the table is built again for each block */
    const broad_posing *posing;           /* NULL: it does not use poses */
} broad_method;

#define X(name) BROAD_##name,
enum broad_number {
#include "broad.def"
    BROAD_METHODS
};
#undef X

typedef struct broad {
    const broad_method *requested;  /* for; NULL: the best for each block */
    const broad_method *method;     /* of the current block, else of the last one */
    void *state[BROAD_METHODS];     /* of the ones that were used */
    uint64_t blocks[BROAD_METHODS]; /* that each was used for */
} broad;

/* Sets *out to the method of that name, for "auto" or NULL to NULL. Returns 0 if there is none. */
int broad_find(const char *name, const broad_method **out);
const char *broad_name(const broad *b);

/* For each method the number of blocks that it was used for. 0 past the last. */
int broad_at(const broad *b, size_t index, const char **name, uint64_t *blocks);

/* Chooses the method of a block: the one asked for, else the best one. dense: its two
 * objects are rigid bodies that overlap everywhere, where trees with poses win. */
void broad_choose(broad *b, const broad_input *in, int dense);

/* Prepares the chosen method for a block. info: [frames], NULL: not wanted. */
int broad_build(broad *b, const broad_input *in, imp_frame_info *info);

/* Begins with the pairs whose lower primitive is in [first, last) of the view. */
int broad_begin(broad *b, const broad_input *in, uint32_t first, uint32_t last,
                imp_frame_info *info);

/* The next pairs go to *out, possibly none. A single primitive with more than `most` pairs gets
 * all the memory it needs. Pairs are counted in info[frame].candidates once all have been handed
 * out, and those of out->deferred have been resolved (pairs.h). Between frames, pairs come frame by
 * frame. */
int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out);
int broad_done(const broad *b);

void broad_free(broad *b, const context *c);

/* The keeping interface of the last block's method and its state; NULL if the table cannot be kept.
 */
const broad_incremental *broad_incremental_of(const broad *b, void **state);

/* The rules as prim.h has them for the view's kind of primitives. */
uint32_t broad_rules(const broad_input *in);

/* Arguments of the kernels that search for pairs: SCENE_LIST of kernels.def. */
#define SCENE_OF(in, range)                                                                        \
    &(in)->bounds->broad.box, &(in)->bounds->broad.slab, &(in)->bounds->broad.corner,              \
        &(in)->bounds->broad.object, &(in)->bounds->broad.list, (in)->bounds->extra,               \
        (in)->c->opt.listed, broad_rules(in), (range).first, (range).last

/* Arguments of kernels that put primitives in order: CHUNKS_OF_FRAMES and what follows there.
 * bipartite: normalisation.bipartite on the device. */
#define UNSORTED_OF(in, bipartite)                                                                 \
    FRAME_CHUNKS_OF(&(in)->bounds->broad_prims), &(in)->bounds->broad.prim0, bipartite,            \
        &(in)->bounds->broad.object, &(in)->bounds->broad.box

/* ---- Pairs by query, a way for methods of the broad phase. The work is divided among queries, one
 * for each primitive that may have a partner, those of a frame contiguous. Right for GPUs.
 *
 * Where a device has work-groups, all queries put their pairs into one list that is expected to be
 * long enough (kernels/search.h). Else, and where the pairs are too many for the memory: count how
 * many pairs each query finds, prefix sum, then write the pairs of a range of queries to their
 * final positions. */

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

/* ---- Classes of sizes of the primitives of a frame, for methods that have a table for each: what
 * does not depend on how a method divides them. */

typedef struct size_class {
    uint32_t prims, part; /* prim_part of prim.h */
    float most;           /* sizes are less */
} size_class;

#define SIZE_CLASSES_MOST 128 /* of a part */

/* The upper end of bin `bin`, as size_bin of prim.h numbers them. */
float size_bin_end(uint32_t octaves, uint32_t bin);

/* Divides one part by its histogram: classes to `out`, the largest first. Returns how many. */
typedef uint32_t size_divide(const uint32_t *histogram, uint32_t part, size_class *out);

/* Classes of one frame, the largest first; returns how many. histogram: [bins], of two parts one
 * after the other; out: [SIZE_CLASSES_MOST] for each part. */
uint32_t size_classes(const uint32_t *histogram, uint32_t bins, uint32_t bipartite,
                      size_divide *divide, size_class *out);

/* Records of all classes of a block, as kernels have them. */
typedef struct size_records {
    uint32_t words;                  /* of a record */
    uint32_t count, capacity, *word; /* [words * capacity] */
} size_records;

/* Space for `more` records: their number is known only after the last frame of a block. */
int size_records_room(mem *m, size_records *r, uint32_t more);

/* ---- Pairs by strip, a way for methods of the broad phase. A strip of queries writes its pairs to
 * a region of its own and counts them; then the regions are packed. One search as long as regions
 * are large enough: right for CPUs, where one item does a whole strip. If a region was too small,
 * the strips run again with exact offsets. */

typedef struct strips strips;

/* What the method does: `n` strips from t->at on, each to its own `capacity` elements of out, or
 * with capacity = 0 to t->offset and on; t->count of each in any case. */
typedef int strip_find(void *state, const broad_input *in, const strips *t, uint32_t n,
                       uint32_t capacity, pairs *out);

struct strips {
    broad_range range;
    chunks list;       /* of queries; its frames are segments, */
    uint32_t parts;    /* segments of a frame */
    uint32_t at;       /* strips done so far */
    uint32_t capacity; /* pairs that a region holds; remembered from block to view */
    uint32_t pairs;    /* that a strip of the last piece had on average */
    buffer_u32 count;  /* of each strip of a piece */
    buffer_u64 offset;
    struct pairs regions;
};

#define STRIP 128 /* queries; of the R-tree eight whole leaves */

/* start: [parts * frames + 1] first query of each segment, then the total; a frame has `parts` of
 * them. length: queries of a strip. */
int strips_make(strips *t, const broad_input *in, const uint32_t *start, uint32_t parts,
                uint32_t length);
void strips_begin(strips *t, broad_range range);
int strips_next(strips *t, const broad_input *in, uint64_t most, imp_frame_info *info,
                strip_find *find, void *state, pairs *out);
int strips_done(const strips *t);
void strips_free(strips *t, const context *c);

/* ---- The entries of a hash's table: each item has some of its own, and may have some as a
 * visitor, which follow all others. They are sorted by bucket. */

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
