/* The cache from frame to frame (imp_def.update): bounds, tables and contacts of a frame are reused
 * in the next where they still hold. This is method C's update without topology change
 * (kernels/README.md). */
#ifndef IMP_FRAME_CACHE_H
#define IMP_FRAME_CACHE_H

#include "bounds.h"
#include "columns.h"
#include "dirty_set.h"
#include "pairs.h"

#define FRAME_CACHE_SAMPLE 1024 /* vertices */

/* A sample of the last frame's vertices, which shows whether caching pays. */
typedef struct frame_cache_sample {
    double x[FRAME_CACHE_SAMPLE][DIMENSIONS];
    uint32_t vertices; /* number of vertices of the sampled frame */
} frame_cache_sample;

/* The points of the last frame on the device: frame_cache.c. */
typedef struct frame_cache_points {
    raw_points raw;       /* the current frame's points */
    buffer_u8 used;       /* [verts] 1: a primitive has the vertex */
    uint8_t *host_used;   /* the same on the host */
    buffer_u8 renewed;    /* [chunks of verts] MOVED_FIRST or MOVED_USED of moved.h; */
    int none;             /* all of `renewed` are 0 */
    buffer_f64 before;    /* [3 * verts] */
    buffer_u8 moved, any; /* [verts], [chunks of verts] */
    buffer_f64 box;       /* [chunks of verts] */
    buffer_u32 bad;       /* [chunks of verts] */
} frame_cache_points;

/* The undecided pairs of the last frame, as prims. */
typedef struct frame_cache_undecided {
    uint32_t *a, *b; /* [count] */
    uint64_t count, capacity;
} frame_cache_undecided;

/* The cached data of the last frame. Its bounds and its table stay where they were made, in the
 * workspace. */
typedef struct frame_cache {
    int ready;     /* the cache holds the last frame */
    int recording; /* contacts of the current frame are being cached */
    int coherent;  /* caching pays: few vertices moved from the last frame to the current one */
    int by_id;     /* consecutive meshes are matched by id: frames are viewed by stable ids
                      (persistent_ids.h) */
    const imp_mesh *mesh; /* mesh of the last frame, cached or not */
    int follows;          /* the current frame has the same mesh */
    uint64_t number; /* number of the current mesh; increases unless the mesh is that of the frame
                        before */
    const imp_mesh *every; /* the mesh of all frames of the last block; NULL: several meshes */
    uint64_t topology;     /* number of the current block's mesh, likewise */
    uint64_t candidates;   /* all candidates of the last frame */
    uint64_t found;        /* its candidates with a dirty primitive */
    int found_known;       /* `found` is valid; a full pass does not count it */
    frame_cache_sample sample;
    contact_rows rows, added, next; /* with prims */
    frame_cache_undecided undecided;
    frame_cache_points points;
    dirty_set dirty;
    device_ids ids;
} frame_cache;

/* Compares a block's first frame with the last one and decides whether caching pays. Called first
 * for each block. same_call: the last frame is from the same call of imp_detect, so that equal mesh
 * pointers are equal meshes with any imp_def.update. never: the reason why nothing can be cached,
 * or NULL. Returns the reason why the frame cannot continue from the last one, a static text; "":
 * it may. */
const char *frame_cache_compare(const context *c, frame_cache *k, const block_view *v,
                                int same_call, const char *never);

/* Returns whether the frame is viewed by stable ids (persistent_ids.h). After
 * frame_cache_compare. */
int frame_cache_by_id(const frame_cache *k);

/* Returns whether this frame can continue from the last one. */
int frame_cache_fits(const frame_cache *k, const block_view *v);

/* Invalidates the cache; keeps its memory. */
void frame_cache_invalidate(frame_cache *k);
void frame_cache_free(const context *c, frame_cache *k);

/* Starts caching the contacts of the current frame, if k->recording. frame_cache_record must
 * receive all rows of the frame, each once; frame_cache_record_undecided, called once for each
 * range, caches the undecided pairs. An error only means that nothing is cached. */
void frame_cache_record_begin(const context *c, frame_cache *k);
void frame_cache_record(void *user, const imp_contacts *rows); /* an output_recorder */
void frame_cache_record_undecided(const context *c, frame_cache *k, const pairs *undecided);
void frame_cache_record_end(const context *c, frame_cache *k, const block_view *v, const bounds *o,
                            uint64_t found);

/* ---- the frame after: incremental_pass.c */

/* A contact_sink: collects the rows of pairs with a dirty primitive. */
int frame_cache_take_rows(void *user, const block_view *v, column_rows *rows);

/* Makes the rows of this frame from those of the last frame that still hold and the added ones. */
int frame_cache_merge(frame_cache *k);

/* Appends the new undecided pairs of this frame. */
int frame_cache_add_undecided(const context *c, frame_cache *k, const pairs *added);

/* ---- frame_cache.c */

/* Records the points of the first cached frame, and which vertices primitives have. */
int frame_cache_points_first(const context *c, const block_view *v, const bounds *o,
                             frame_cache *k);

/* Compares the points of the next frame of the same mesh and sets k->dirty. *same becomes 0 if the
 * frame's unit differs or a point is not finite: the cache cannot be used then. */
int frame_cache_points_next(const context *c, const block_view *v, const bounds *o, frame_cache *k,
                            int *same);

/* Scales the points and updates the bounds of the dirty primitives. */
int frame_cache_update_bounds(const context *c, const block_view *v, bounds *o, frame_cache *k);

#endif
