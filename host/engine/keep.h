/* From frame to frame (imp_def.update): what of a frame's bounds, tables and contacts is still true
 * in the next is left as it is. Method C's update without topology change (kernels/README.md). */
#ifndef IMP_KEEP_H
#define IMP_KEEP_H

#include "handout.h"
#include "movers.h"
#include "bounds.h"
#include "pairs.h"

#define KEEP_SAMPLE 1024 /* vertices */

/* What is kept of the last frame. Its bounds and its table are where they were made, in the rooms.
 */
typedef struct keep {
    int ready;            /* the last frame is here, whole */
    int recording;        /* contacts of the frame at hand are to be kept */
    const imp_mesh *mesh; /* of the last frame, ready or not; */
    int follows;          /* it is that of the frame at hand too */
    uint64_t number;      /* of the mesh at hand: another for each that does not follow */
    double sample[KEEP_SAMPLE][DIMENSIONS]; /* some of its vertices, */
    uint32_t sampled;                       /* out of so many, */
    int others; /* meshes follow one another by name: frames go by places (slots.h) */
    int still;  /* of which but few moved until the frame at hand */
    uint64_t candidates;
    uint64_t found;  /* pairs of those that moved, in the last frame; */
    int found_known; /* 0: it was made from nothing */
    contact_rows rows, fresh, next; /* of prims */
    uint32_t *open_a, *open_b; /* [opens] the undecided pairs */
    uint64_t opens, open_room;
    buffer_u8 used;                   /* [verts] which a primitive has, */
    uint8_t *uses;                    /* the same on the host */
    buffer_u8 anew;                   /* [chunks of verts] of moved.h */
    buffer_f64 before;                /* [3 * verts] the points */
    buffer_u8 moved_point, moved_any; /* [verts], [chunks of them] */
    movers moved;
    buffer_f64 box;
    buffer_u32 bad;
    slots_copy slots;
} keep;

/* Compares a block's first frame with the one before: does it pay to keep something from one to the
 * other? For each block, before anything else. same_call: the frame before was of the same call of
 * imp_detect, so that one mesh pointer is one mesh with any imp_def.update. never: nothing is kept.
 */
void keep_look(const context *c, keep *k, const view *v, int same_call, int never);

/* Does the frame go by slots (slots.h)? After keep_look. */
int keep_by_slot(const keep *k);

/* Is there a frame that this one can go on from? */
int keep_fits(const keep *k, const view *v);

/* Forgets the frame; keeps memory. */
void keep_forget(keep *k);
void keep_free(const context *c, keep *k);

/* Contacts of the current frame are kept from here on, as they are handed out; and with keep_open,
 * once for each range, the undecided pairs. Whatever fails, they are just not kept. */
void keep_begin(const context *c, keep *k, handout *out);
void keep_open(const context *c, keep *k, const pairs *undecided);
void keep_end(const context *c, keep *k, const view *v, const bounds *o, uint64_t found);

/* ---- the frame after: pass_kept.c */

/* The rows of pairs with a primitive that moved: a contact_sink. */
int keep_fresh(void *keep, column_rows *rows);

/* The contacts of the last frame that are still true, and the fresh ones, become those of this
 * frame. */
int keep_merge(keep *k);

/* The undecided pairs of this frame that are fresh. */
int keep_add_open(const context *c, keep *k, const pairs *undecided);

/* ---- keep_points.c */

/* The points of the first frame, and which of them count. */
int keep_points_first(const context *c, const view *v, const bounds *o, keep *k);

/* Those of the next, of the same mesh: k->moved has primitives with a vertex that moved.
 * *same becomes 0 if the frame's unit is another or a point is not finite: then nothing can be
 * kept. */
int keep_points_next(const context *c, const view *v, const bounds *o, keep *k, int *same);

/* Scales the points and bounds what moved. */
int keep_bounds(const context *c, const view *v, bounds *o, keep *k);

#endif
