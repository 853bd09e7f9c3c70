/* The broad phase: finds the pairs of primitives with overlapping bounds. A method is a folder of
 * its own and a line in broad.def; no method knows another. Every method finds exactly the pairs {a
 * < b of one frame, allowed by the rules, bounds overlap}, each once, and returns them in pieces of
 * a size that memory allows. On a GPU their order may differ from run to run; no result depends on
 * it. (Trees of spheres and oriented boxes report fewer false candidates.)
 *
 * This header also declares two strategies that methods share: pairs by query, for devices with
 * many items in flight, and pairs by strip, for those with few. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "bounds.h"
#include "dirty_set.h"
#include "group.h"
#include "mem.h"
#include "pairs.h"
#include "parallel.h"

/* The input of a method. The view and its bounds do not change from build to the last next. */
typedef struct broad_input {
    const context *c;
    const block_view *view;
    const bounds *bounds;
    int cached;           /* the table is kept for the next frame: see broad_incremental */
    imp_profile *profile; /* counters of the method; NULL: nothing is counted */
} broad_input;

/* The wanted pairs: those whose lower primitive is in [first, last). All pairs: [0, 2^32 - 1), as
 * in prim.h. */
typedef struct broad_range {
    uint32_t first, last;
} broad_range;

/* Incremental update, for methods whose table can be kept from one frame to the next of the same
 * mesh and unit (frame_cache.h): entries of primitives that did not move are not written again. The
 * pairs are then those with at least one primitive that moved, each once, in pieces like those of
 * broad_method.next. The dirty set belongs to the caller and must stay valid until all pairs are
 * found. */
typedef struct broad_incremental {
    /* Returns whether the table that was built can be kept. NULL: always. */
    int (*able)(const void *state);
    /* Called before the bounds change. *pairs, unless NULL, becomes the number of pairs of the
     * primitives that will move. It and *written are valid once all pairs have been returned and
     * resolved. */
    int (*leave)(void *state, const broad_input *in, const dirty_set *dirty, uint64_t *pairs);
    /* Called after the bounds changed: updates the table, sets *written to the number of entries
     * written, and begins the pairs, which are counted in *info once all have been returned. */
    int (*enter)(void *state, const broad_input *in, imp_frame_info *info, uint64_t *written);
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                candidates *out);
    int (*done)(const void *state);
} broad_incremental;

/* For methods that keep trees of rigid bodies from frame to frame and only pose them. A frame with
 * poses is a block of its own. */
typedef struct broad_posing {
    /* Greatest number of primitives in a block, whatever the number of threads. */
    uint64_t block;
} broad_posing;

typedef struct broad_method {
    const char *name;
    size_t size; /* bytes of its state: all zero at first, kept from block to block */
    int (*build)(void *state, const broad_input *in);
    int (*begin)(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
    /* Returns about `most` pairs, or none; more only where fewer are not possible. */
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                candidates *out);
    int (*done)(const void *state);
    void (*free)(void *state, const context *c);
    /* Adds the number of entries that the build wrote for frame f to info[f].entries_written. NULL:
     * the method has no table. */
    int (*wrote)(void *state, const broad_input *in, imp_frame_info *info);
    const broad_incremental *incremental; /* NULL: the table is rebuilt for each block */
    const broad_posing *posing;           /* NULL: poses are not used */
} broad_method;

#define X(name) BROAD_##name,
enum broad_number {
#include "broad.def"
    BROAD_METHODS
};
#undef X

typedef struct broad {
    const broad_method *requested;  /* NULL: the best one for each block */
    const broad_method *method;     /* the current block's, or the last block's between blocks */
    void *state[BROAD_METHODS];     /* states of the methods used so far; others NULL */
    uint64_t blocks[BROAD_METHODS]; /* number of blocks that each method was used for */
} broad;

/* Sets *out to the method called `name`, or to NULL for "auto" or NULL. Returns 0 if the name is
 * unknown. */
int broad_find(const char *name, const broad_method **out);
const char *broad_name(const broad *b);

/* The number of blocks that method `index` was used for. Returns 0 past the last method. */
int broad_at(const broad *b, size_t index, const char **name, uint64_t *blocks);

/* Chooses the method of a block: the requested one, else the best one. dense: the block's two
 * objects are rigid bodies that overlap everywhere, where trees with poses are fastest. */
void broad_choose(broad *b, const broad_input *in, int dense);

/* Prepares the chosen method for a block. info: [frames], or NULL if not wanted. */
int broad_build(broad *b, const broad_input *in, imp_frame_info *info);

/* Begins the search for the pairs whose lower primitive is in [first, last) of the view. */
int broad_begin(broad *b, const broad_input *in, uint32_t first, uint32_t last,
                imp_frame_info *info);

/* Writes the next pairs to *out, possibly none. A single primitive with more than `most` pairs gets
 * all the memory it needs. Pairs are counted in info[frame].candidates once all have been returned
 * and those of out->deferred have been resolved (pairs.h). In continuous detection, pairs are
 * ordered by frame. */
int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info,
               candidates *out);
int broad_done(const broad *b);

void broad_free(broad *b, const context *c);

/* The incremental interface of the last block's method, and its state; NULL if the table cannot be
 * kept. */
const broad_incremental *broad_incremental_of(const broad *b, void **state);

/* The rules for the view's kind of primitives, as in prim.h. */
uint32_t broad_rules(const broad_input *in);

/* Arguments of the kernels that search for pairs: SCENE_LIST of kernels.def. */
#define SCENE_OF(in, range)                                                                        \
    &(in)->bounds->broad.box, &(in)->bounds->broad.slab, &(in)->bounds->broad.corner,              \
        &(in)->bounds->broad.object, &(in)->bounds->broad.list, (in)->bounds->extra,               \
        (in)->c->opt.listed, broad_rules(in), (range).first, (range).last

/* Arguments of kernels that sort primitives: CHUNKS_OF_FRAMES and the arguments after it.
 * bipartite: normalisation.bipartite on the device. */
#define UNSORTED_OF(in, bipartite)                                                                 \
    FRAME_CHUNKS_OF(&(in)->bounds->broad_prims), &(in)->bounds->broad.prim0, bipartite,            \
        &(in)->bounds->broad.object, &(in)->bounds->broad.box

/* ---- Pairs by query, a strategy shared by methods of the broad phase. The work is divided among
 * queries, one for each primitive that may have a partner; the queries of a frame are contiguous.
 * It suits GPUs.
 *
 * On devices with work-groups, all queries append their pairs to one list whose expected length is
 * allocated (kernels/search.h). Otherwise, or if the pairs exceed the memory: count the pairs of
 * each query, compute a prefix sum, then write the pairs of a range of queries to their final
 * positions. */

typedef struct queries queries;

/* Callbacks of the method. count: writes count[query] for `n` queries from query0 on. emit: writes
 * their pairs, those of query q from offset[q] - base on in out. search: writes the pairs of all n
 * queries at once, as many as fit *out, with sums of all that exist (SEARCH_LIST); NULL if the
 * method has no such form. */
typedef struct query_calls {
    int (*count)(void *state, const broad_input *in, const queries *q, uint32_t n);
    int (*emit)(void *state, const broad_input *in, const queries *q, uint32_t n, pairs *out);
    int (*search)(void *state, const broad_input *in, queries *q, uint32_t n, pairs *out);
} query_calls;

struct queries {
    broad_range range;
    const buffer_u32 *start;
    uint32_t at, end; /* next query, and one past the last */
    int counted;      /* count and offset are filled */
    buffer_u32 count; /* pairs of each query */
    buffer_u64 offset;
    uint64_t total, base; /* number of all pairs, and of those emitted so far */
    scanner scan;
    /* state of searches */
    uint64_t found;          /* number of pairs that the last search found */
    uint32_t queried;        /* queries of the last search: the next one is expected to find as many
                              * pairs for each */
    uint64_t room, most;     /* capacity of this search in pairs, and of any search */
    int many;                /* more than `most` pairs exist */
    deferred_count deferred; /* number of pairs that the search found */
    imp_frame_info *info;    /* [frames] receives that number */
    uint32_t frames;
};

/* Number of items for a search of n queries, rounded up to whole work-groups; and its arguments,
 * SEARCH_LIST of kernels.def. */
static inline uint64_t search_items(uint32_t n)
{
    return ((uint64_t)n + SEARCH_GROUP - 1) / SEARCH_GROUP * SEARCH_GROUP;
}

#define SEARCH_OF(q, out) (uint32_t)(out)->count, &(q)->deferred.sums, &(out)->a, &(out)->b

/* start: [frames + 1] the first query of each frame, then the total; it must stay valid until all
 * pairs are found. */
int queries_begin(queries *q, const broad_input *in, broad_range range, const buffer_u32 *start,
                  uint32_t count, const query_calls *calls, void *state, imp_frame_info *info);
int queries_next(queries *q, const broad_input *in, uint64_t most, const query_calls *calls,
                 void *state, imp_frame_info *info, candidates *out);
int queries_done(const queries *q);
void queries_free(queries *q, device *d);

/* ---- Size classes of a frame's primitives, for methods that have a table for each class. This
 * part is independent of how a method divides sizes into classes. */

typedef struct size_class {
    uint32_t prims, part; /* part: prim_part of prim.h */
    float most;           /* exclusive upper limit of sizes */
} size_class;

#define SIZE_CLASSES_MOST 128 /* per part */

/* The upper limit of bin `bin`, as numbered by size_bin of prim.h. */
float size_bin_end(uint32_t octaves, uint32_t bin);

/* Divides one part by its histogram: writes its classes to `out`, the largest first. Returns their
 * number. */
typedef uint32_t size_divide(const uint32_t *histogram, uint32_t part, size_class *out);

/* Writes the classes of one frame to out, the largest first, and returns their number. histogram:
 * [bins] for each of two parts, one after the other; out: [SIZE_CLASSES_MOST] for each part. */
uint32_t size_classes(const uint32_t *histogram, uint32_t bins, uint32_t bipartite,
                      size_divide *divide, size_class *out);

/* Records of all classes of a block, in the kernels' layout. */
typedef struct size_records {
    uint32_t words;                  /* per record */
    uint32_t count, capacity, *word; /* [words * capacity] */
} size_records;

/* Reserves space for `more` records; the final number is known only after the last frame of a
 * block. */
int size_records_room(mem *m, size_records *r, uint32_t more);

/* ---- Pairs by strip, a strategy shared by methods of the broad phase. A strip of queries writes
 * its pairs to its own region and counts them; then the regions are packed. One search suffices as
 * long as regions are large enough. It suits CPUs, where one item processes a whole strip. If a
 * region was too small, the strips run again with exact offsets. */

typedef struct strips strips;

/* Callback of the method: searches `n` strips from t->at on. Each writes to its own `capacity`
 * elements of out, or from t->offset on if capacity = 0. Every strip writes its t->count. */
typedef int strip_find(void *state, const broad_input *in, const strips *t, uint32_t n,
                       uint32_t capacity, pairs *out);

struct strips {
    broad_range range;
    chunks list;       /* chunks of queries; their frames are segments */
    uint32_t parts;    /* segments per frame */
    uint32_t at;       /* strips done so far */
    uint32_t capacity; /* pairs per region; kept from block to block */
    uint32_t pairs;    /* average number of pairs per strip in the last piece */
    buffer_u32 count;  /* number of pairs of each strip of a piece */
    buffer_u64 offset;
    struct pairs regions;
};

#define STRIP 128 /* queries; eight whole leaves of the R-tree */

/* start: [parts * frames + 1] the first query of each segment, then the total; each frame has
 * `parts` segments. length: queries per strip. */
int strips_make(strips *t, const broad_input *in, const uint32_t *start, uint32_t parts,
                uint32_t length);
void strips_begin(strips *t, broad_range range);
int strips_next(strips *t, const broad_input *in, uint64_t most, imp_frame_info *info,
                strip_find *find, void *state, pairs *out);
int strips_done(const strips *t);
void strips_free(strips *t, const context *c);

/* ---- The entries of a hash table. Each item has some entries of its own and may have some as a
 * visitor; visitors' entries follow all others. Entries are sorted by bucket. */

#define VISITORS_MOST 2 /* visitors for each other entry: more use too much memory */

/* The first entries of each item, before the sort. */
typedef struct entry_counts {
    const buffer_u32 *item0;            /* [frames + 1] first item of each frame */
    const buffer_u64 *offset, *visitor; /* [items + 1] each; visitor: NULL without visitors */
} entry_counts;

/* entry0[frames + 1]: the first sorted entry of each frame. Buckets of a frame are consecutive, so
 * its entries are too, and the counts before the sort suffice. */
int entries_first(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t *entry0);

/* Adds each frame's entries, `all` together, to info[f].entries_written. */
int entries_wrote(const broad_input *in, scanner *scan, const entry_counts *n, uint64_t all,
                  imp_frame_info *info);

/* Makes strips of entries that do not cross frames, and the arrays by which kernels map strips and
 * groups to frames: entry0 and group0, [frames + 1], as in hash_team.cl. Errors: MEMORY, also if
 * one block has too many entries. */
int entries_strips(const broad_input *in, scanner *scan, const entry_counts *n, buffer_u64 *entry0,
                   buffer_u32 *group0, strips *out);

/* Finds the first entry of each bucket. start: [buckets + 1]. key: [entries], the bucket in the low
 * bits. */
int entries_starts(device *d, const buffer_u32 *key, uint64_t entries, uint32_t buckets,
                   uint32_t bits, buffer_u64 *start);

#endif
