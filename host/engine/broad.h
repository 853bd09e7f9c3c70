/* Room 3: which pairs of primitives have overlapping bounds. A method is a file broad_NAME.c and a
 * line in broad.def: what it keeps is its own. Every method finds exactly the pairs {a < b of one
 * frame, allowed by the rules, bounds overlap}, each once, in an order that depends on the method
 * and device alone, and hands them out in pieces of a size that memory allows.
 *
 * How pieces are made is the method's own affair, too. Two ways that methods share are queries.h,
 * for devices with many items at work, and tiles.h, for those with few. */
#ifndef IMP_BROAD_H
#define IMP_BROAD_H

#include "movers.h"

/* What a method sees. The block and its bounds stay as they are from build to the last next. */
typedef struct broad_input {
    const context *c;
    const block *block;
    const bounds *bounds;
    int kept;      /* for the next frame: broad_keeping */
    uint64_t mesh; /* its number: of frames that follow one another the same, of others never */
    int dense;     /* trees of its two objects are known to win (nearby.h) */
} broad_input;

/* Pairs are wanted whose lower primitive is in [first, last); all: [0, 2^32 - 1), as in prim.h. */
typedef struct broad_range {
    uint32_t first, last;
} broad_range;

/* For a method whose table can be kept from one frame to the next of one mesh and unit (keep.c):
 * what did not move is not written. Pairs are then those with at least one that moved, each once,
 * in pieces as those of `next`. moved: the caller's until all are found. */
typedef struct broad_keeping {
    /* Is the table that was built one that can be kept? NULL: always. */
    int (*able)(const void *state);
    /* Before the bounds change: how many pairs those that will move have goes to *pairs, which may
     * be NULL: then that is known. */
    int (*leave)(void *state, const broad_input *in, const movers *moved, uint64_t *pairs);
    /* After it: writes what has changed - how many places of the table goes to *written - and
     * begins with the pairs, which are counted in *info by the time they have all been handed out.
     */
    int (*enter)(void *state, const broad_input *in, imp_frame_info *info, uint64_t *written);
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                pairs *out);
    int (*done)(const void *state);
} broad_keeping;

typedef struct broad_method {
    const char *name;
    size_t size; /* of its state: all zero at first, and kept from block to block */
    int (*build)(void *state, const broad_input *in);
    int (*begin)(void *state, const broad_input *in, broad_range range, imp_frame_info *info);
    /* About `most` pairs, or none; more only where fewer cannot be had. */
    int (*next)(void *state, const broad_input *in, uint64_t most, imp_frame_info *info,
                pairs *out);
    int (*done)(const void *state);
    void (*free)(void *state, const context *c);
    const broad_keeping *keeping; /* NULL: its table is made anew for each block */
    /* NULL, or: adds what trees have cost since it was asked last. */
    void (*told)(void *state, imp_profile *to);
    /* Adds to info[f].touched how many places of its table the build has written for frame f. NULL:
     * there is no table. */
    int (*wrote)(void *state, const broad_input *in, imp_frame_info *info);
} broad_method;

#define X(name) BROAD_##name,
enum broad_number {
#include "broad.def"
    BROAD_METHODS
};
#undef X

typedef struct broad {
    const broad_method *asked;      /* for; NULL: what is best for a block */
    const broad_method *method;     /* of the block at hand, else of the last one */
    void *state[BROAD_METHODS];     /* of those that were used */
    uint64_t blocks[BROAD_METHODS]; /* that each was used for */
    imp_profile trees;              /* what they have told */
} broad;

/* Sets *out to the method of that name, for "auto" or NULL to NULL. Returns 0 if there is none. */
int broad_find(const char *name, const broad_method **out);
const char *broad_name(const broad *b);

/* Of each method: for how many blocks it was used. 0 past the last. */
int broad_at(const broad *b, size_t index, const char **name, uint64_t *blocks);

/* What trees have cost, into these fields of *out. */
void broad_profile(const broad *b, imp_profile *out);
void broad_profile_reset(broad *b);

/* The number of the method that a block is to get, by what is in it if none was asked for. */
enum broad_number broad_which(const broad *b, const broad_input *in);

/* Prepares for a block. info: [frames], NULL: nobody asks what was written. */
int broad_build(broad *b, const broad_input *in, imp_frame_info *info);

/* What the method of the block keeps. */
void *broad_state(const broad *b);

/* Lets the method of the block add what its trees have cost. */
void broad_tell(broad *b);

/* Begins with the pairs whose lower primitive is in [first, last) of the block. */
int broad_begin(broad *b, const broad_input *in, uint32_t first, uint32_t last,
                imp_frame_info *info);

/* The next pairs go to *out; there may be none. A single primitive with more than `most` pairs gets
 * all the room it needs. Pairs are counted in info[frame].candidates by the time they have all been
 * handed out. */
int broad_next(broad *b, const broad_input *in, uint64_t most, imp_frame_info *info, pairs *out);
int broad_done(const broad *b);

void broad_free(broad *b, const context *c);

/* The same of the method of the last block, if that can keep its table; else NULL. */
const broad_keeping *broad_keeps(const broad *b, void **state);

/* The rules as prim.h has them for the block's kind of primitives. */
uint32_t broad_rules(const broad_input *in);

/* Arguments of the kernels that look for pairs: SCENE_LIST of kernels.def. */
#define SCENE_OF(in, range)                                                                        \
    &(in)->bounds->broad.box, &(in)->bounds->broad.slab, &(in)->bounds->broad.corner,              \
        &(in)->bounds->broad.object, &(in)->bounds->broad.list, (in)->bounds->extra,               \
        (in)->c->opt.listed, broad_rules(in), (range).first, (range).last

/* Arguments of kernels that put primitives in order: CHUNKS_OF_FRAMES and what follows there.
 * bipartite: units.bipartite on the device. */
#define UNSORTED_OF(in, bipartite)                                                                 \
    FRAME_CHUNKS_OF(&(in)->bounds->broad_prims), &(in)->bounds->broad.prim0, bipartite,            \
        &(in)->bounds->broad.object, &(in)->bounds->broad.box

#endif
