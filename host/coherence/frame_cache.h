/* From frame to frame (imp_def.update): bounds, tables and contacts of a frame that still hold in
 * the next are kept. Method C's update without topology change (kernels/README.md). */
#ifndef IMP_FRAME_CACHE_H
#define IMP_FRAME_CACHE_H

#include "bounds.h"
#include "columns.h"
#include "dirty_set.h"
#include "pairs.h"

#define FRAME_CACHE_SAMPLE 1024 /* vertices */

/* Some vertices of the last frame: they show whether it pays to keep it. */
typedef struct frame_cache_sample {
    double x[FRAME_CACHE_SAMPLE][DIMENSIONS];
    uint32_t vertices; /* number of vertices that they were taken from */
} frame_cache_sample;

/* The points of the last frame on the device: frame_cache.c. */
typedef struct frame_cache_points {
    raw_points raw;       /* those of the current frame */
    buffer_u8 used;       /* [verts] does a primitive have the vertex? */
    uint8_t *host_used;   /* the same on the host */
    buffer_u8 renewed;    /* [chunks of verts] MOVED_FIRST or MOVED_USED of moved.h; */
    int none;             /* all are 0 */
    buffer_f64 before;    /* [3 * verts] */
    buffer_u8 moved, any; /* [verts], [chunks of verts] */
    buffer_f64 box;       /* [chunks of verts] */
    buffer_u32 bad;       /* [chunks of verts] */
} frame_cache_points;

/* The undecided pairs of the last frame, by prims. */
typedef struct frame_cache_undecided {
    uint32_t *a, *b; /* [count] */
    uint64_t count, capacity;
} frame_cache_undecided;

/* What is kept of the last frame. Its bounds and its table stay where they were made, in the
 * workspace. */
typedef struct frame_cache {
    int ready;     /* the last frame is kept, whole */
    int recording; /* contacts of the current frame are to be kept */
    int coherent;  /* few vertices moved up to the current frame */
    int by_id;     /* meshes follow one another by id: frames go by stable ids (persistent_ids.h) */
    const imp_mesh *mesh;  /* of the last frame, ready or not */
    int follows;           /* the current frame has the same mesh */
    uint64_t number;       /* of the current mesh: a new one for each that does not follow */
    const imp_mesh *every; /* mesh of all frames of the last block; NULL: they have several */
    uint64_t topology;     /* number of that of the current block, likewise */
    uint64_t candidates;   /* of the last frame: all, */
    uint64_t found;        /* and those of pairs that moved, */
    int found_known;       /* which a full pass does not count */
    frame_cache_sample sample;
    contact_rows rows, added, next; /* by prims */
    frame_cache_undecided undecided;
    frame_cache_points points;
    dirty_set dirty;
    device_ids ids;
} frame_cache;

/* Compares a block's first frame with the last one: does it pay to keep something? For each block,
 * before anything else. same_call: the last frame was of the same call of imp_detect, so that equal
 * mesh pointers are equal meshes with any imp_def.update. never: why nothing is kept, or NULL.
 * Returns why the frame cannot continue from the last one, a static text; "": it may. */
const char *frame_cache_compare(const context *c, frame_cache *k, const block_view *v,
                                int same_call, const char *never);

/* Does the frame go by stable ids (persistent_ids.h)? After frame_cache_compare. */
int frame_cache_by_id(const frame_cache *k);

/* Can this frame continue from the last one? */
int frame_cache_fits(const frame_cache *k, const block_view *v);

/* Forgets the frame; keeps memory. */
void frame_cache_invalidate(frame_cache *k);
void frame_cache_free(const context *c, frame_cache *k);

/* From here on, contacts of the current frame are kept, if k->recording: all rows of the frame are
 * to go to frame_cache_record, each once, and with frame_cache_record_undecided, called once for
 * each range, the undecided pairs are kept as well. After an error they are just not kept. */
void frame_cache_record_begin(const context *c, frame_cache *k);
void frame_cache_record(void *user, const imp_contacts *rows); /* an output_recorder */
void frame_cache_record_undecided(const context *c, frame_cache *k, const pairs *undecided);
void frame_cache_record_end(const context *c, frame_cache *k, const block_view *v, const bounds *o,
                            uint64_t found);

/* ---- the frame after: incremental_pass.c */

/* Takes the rows of pairs with a primitive that moved: a contact_sink. */
int frame_cache_take_rows(void *user, const block_view *v, column_rows *rows);

/* Rows of the last frame that still hold, and the added ones, become the rows of this frame. */
int frame_cache_merge(frame_cache *k);

/* Appends the new undecided pairs of this frame. */
int frame_cache_add_undecided(const context *c, frame_cache *k, const pairs *added);

/* ---- frame_cache.c */

/* The points of the first frame, and which of them primitives have. */
int frame_cache_points_first(const context *c, const block_view *v, const bounds *o,
                             frame_cache *k);

/* Those of the next frame of the same mesh; k->dirty has the primitives with a vertex that moved.
 * *same becomes 0 if the frame's unit differs or a point is not finite: then nothing can be kept.
 */
int frame_cache_points_next(const context *c, const block_view *v, const bounds *o, frame_cache *k,
                            int *same);

/* Scales the points and bounds what moved. */
int frame_cache_update_bounds(const context *c, const block_view *v, bounds *o, frame_cache *k);

#endif
