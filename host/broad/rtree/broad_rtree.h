/* Private to the packed R-tree: broad_rtree.c (build, pairs), broad_rtree_update.c (incremental
 * update, and primitives that enter without a position of their own). */
#ifndef IMP_BROAD_RTREE_H
#define IMP_BROAD_RTREE_H

#include "prim.h"
#include "broad.h"
#include "rtree.h"
#include "parallel.h"

/* First positions of frames, leaves and levels. A segment is a part of a frame (rtree.cl). */
typedef struct rtree_layout {
    uint32_t parts, segments; /* per frame, and in total */
    uint32_t *rank0, *leaf0;  /* [segments + 1] */
    uint32_t *position0;      /* [segments + 1] 16 * leaf0 */
    uint32_t *entry0;         /* [chunks] first destination of a chunk's entering primitives; NULL
                               * if all primitives enter */
    uint32_t *part0;  /* [2 * chunks] the same for each part, if there is one frame with two */
    uint32_t swapped; /* 1, or RTREE_SWAPPED: of that frame */
    uint32_t level0[RTREE_LEVELS_MOST + 1], levels;
    buffer_u32 bipartite; /* [frames] as normalisation.bipartite, or RTREE_SWAPPED */
    buffer_u32 entry0_buf, rank0_buf, leaf0_buf, level0_buf;
    buffer_u32 frame0; /* [frames + 1] first position of each frame */
} rtree_layout;

/* Sort keys of the primitives, used while their order is computed. */
typedef struct rtree_keys {
    uint32_t digits; /* digits of a position on the space-filling curve */
    buffer_u32 count, key, value;
    buffer_u32 coarse; /* [prims] keys of the first sort, for use in the second */
    buffer_u32
        order; /* [prims] all numbers in order, if only those of the second part are sorted */
    buffer_u32 part0;
    buffer_f32 sum;
    int halved; /* `order` is used */
} rtree_keys;

/* The tree: its nodes, and the copies of primitive data in its leaves. */
typedef struct rtree_leaves {
    buffer_f32 node;
    buffer_u32 id, corner;
    buffer_i32 object, leaf_object;
    uint32_t by_rank;    /* pairs are of ranks, that is, leaf positions */
    ranks ranked;        /* `id` and `triangle` */
    buffer_f64 triangle; /* [triangle_words * positions] */
} rtree_leaves;

/* State of incremental updates: the position of each primitive, and the dirty set. */
typedef struct rtree_update {
    int positioned;         /* position_of is filled */
    buffer_u32 position_of; /* [prims] */
    segments cut;
    buffer_u8 mark, leaf_mark;
    buffer_u32 leaf; /* [marked] the marked leaves */
    uint32_t marked;
    buffer_u32 dirty0, others;
    buffer_u32 changed;     /* [nodes] 0: the node is unchanged */
    strips strips;          /* strips of `leaf` */
    const dirty_set *dirty; /* the caller's; valid while its pairs are found */
} rtree_update;

/* Spare leaves after the others, for primitives that enter an existing tree. */
typedef struct rtree_delta {
    uint32_t spare, used; /* number of spare leaves, and of those in use */
    uint32_t count;       /* primitives */
    buffer_u32 stable, member, index, index0;
    buffer_u8 stay, come;
} rtree_delta;

typedef struct rtree {
    int by_strip;
    int as_given; /* of two parts, that of the first primitive's object is the first */
    queries queries;
    strips strips;
    sorter sort;
    rtree_layout lay;
    rtree_keys keys;
    rtree_leaves leaves;
    rtree_update update;
    rtree_delta delta;
} rtree;

static inline uint32_t rtree_position_count(const rtree *t)
{
    return t->lay.position0[t->lay.segments];
}

/* Arguments of kernels, RTREE_LIST of kernels.def. */
#define RTREE_OF(t)                                                                                \
    &(t)->leaves.node, &(t)->lay.level0_buf, (t)->lay.levels, &(t)->leaves.id,                     \
        &(t)->leaves.corner, &(t)->leaves.object, &(t)->leaves.leaf_object, &(t)->lay.leaf0_buf,   \
        (t)->lay.parts

/* Kernel arguments: the per-primitive data that leaves are filled from. */
#define RTREE_PRIMS_OF(in, corners, objects)                                                       \
    &(in)->bounds->broad.box, corners, &(in)->bounds->broad.corner, objects,                       \
        &(in)->bounds->broad.object

/* broad_method.build */
int rtree_build(void *state, const broad_input *in);

static inline uint32_t rtree_objects(const broad_input *in)
{
    return (broad_rules(in) & (RULE_SELF | RULE_BETWEEN)) != 0;
}

/* Changed cells: primitives that enter without a position of their own go to the delta. Call
 * rtree_come before leaves get new bounds. *came: some entered. *full: too many entered, so the
 * tree must be rebuilt. rtree_delta_sort, called after rtree_come, sorts them. */
int rtree_come(rtree *t, const broad_input *in, int *came, int *full);
int rtree_delta_sort(rtree *t, const broad_input *in);
void rtree_delta_free(rtree *t, device *d);

extern const broad_method broad_rtree;
extern const broad_incremental rtree_incremental;
void rtree_update_free(rtree *t, const context *c);

#endif
