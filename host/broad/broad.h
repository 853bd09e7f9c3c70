/* The broad phase: which pairs of primitives have overlapping bounds. A method is a folder of its
 * own and a line in broad.def; no method knows another. Every method finds exactly the pairs {a < b
 * of one frame, allowed by the rules, bounds overlap}, each once, and hands them out in pieces of a
 * size that memory allows. On a GPU their order may differ from run to run; nothing depends on it.
 * (Trees of spheres and oriented boxes report fewer false candidates.)
 *
 * Two ways to make pieces are shared: queries.h, for devices with many items at work, and strips.h,
 * for those with few. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "bounds.h"
#include "movers.h"
#include "pairs.h"

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

/* Of a method with a table that can be kept from a frame to the next of one mesh and unit (keep.h):
 * entries of primitives that did not move are not written. Pairs are then the ones with at least
 * one primitive that moved, each once, in pieces as of `next`. moved: the caller's until all pairs
 * are found. */
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

#endif
