/* From frame to frame (imp_def.update): bounds, tables and contacts of a frame that still hold in
 * the next are kept. Method C's update without topology change (kernels/README.md). */
#ifndef IMP_KEEP_H
#define IMP_KEEP_H

#include "bounds.h"
#include "contact_rows.h"
#include "movers.h"
#include "pairs.h"

#define KEEP_SAMPLE 1024 /* vertices */

/* Some vertices of the last frame: they show whether it pays to keep it. */
typedef struct keep_sample {
    double x[KEEP_SAMPLE][DIMENSIONS];
    uint32_t vertices; /* number of vertices that they were taken from */
} keep_sample;

/* The points of the last frame on the device: keep_points.c. */
typedef struct keep_points {
    raw_points raw;       /* those of the current frame */
    buffer_u8 used;       /* [verts] does a primitive have the vertex? */
    uint8_t *host_used;   /* the same on the host */
    buffer_u8 renewed;    /* [chunks of verts] MOVED_FIRST or MOVED_USED of moved.h; */
    int none;             /* all are 0 */
    buffer_f64 before;    /* [3 * verts] */
    buffer_u8 moved, any; /* [verts], [chunks of verts] */
    buffer_f64 box;       /* [chunks of verts] */
    buffer_u32 bad;       /* [chunks of verts] */
} keep_points;

/* The undecided pairs of the last frame, by prims. */
typedef struct keep_undecided {
    uint32_t *a, *b; /* [count] */
    uint64_t count, capacity;
} keep_undecided;

/* What is kept of the last frame. Its bounds and its table stay where they were made, in the
 * workspace. */
typedef struct keep {
    int ready;             /* the last frame is kept, whole */
    int recording;         /* contacts of the current frame are to be kept */
    int still;             /* few vertices moved up to the current frame */
    int by_slot;           /* meshes follow one another by id: frames go by slots (slots.h) */
    const imp_mesh *mesh;  /* of the last frame, ready or not */
    int follows;           /* the current frame has the same mesh */
    uint64_t number;       /* of the current mesh: a new one for each that does not follow */
    const imp_mesh *every; /* mesh of all frames of the last block; NULL: they have several */
    uint64_t topology;     /* number of that of the current block, likewise */
    uint64_t candidates;   /* of the last frame: all, */
    uint64_t found;        /* and those of pairs that moved, */
    int found_known;       /* which a fresh pass does not count */
    keep_sample sample;
    contact_rows rows, fresh, next; /* by prims */
    keep_undecided undecided;
    keep_points points;
    movers moved;
    slots_copy slots;
} keep;

/* Compares a block's first frame with the last one: does it pay to keep something? For each block,
 * before anything else. same_call: the last frame was of the same call of imp_detect, so that equal
 * mesh pointers are equal meshes with any imp_def.update. never: why nothing is kept, or NULL.
 * Returns why the frame cannot continue from the last one, a static text; "": it may. */
const char *keep_look(const context *c, keep *k, const view *v, int same_call, const char *never);

/* Does the frame go by slots (slots.h)? After keep_look. */
int keep_by_slot(const keep *k);

/* Can this frame continue from the last one? */
int keep_fits(const keep *k, const view *v);

/* Forgets the frame; keeps memory. */
void keep_forget(keep *k);
void keep_free(const context *c, keep *k);

/* From here on, contacts of the current frame are kept, if k->recording: all rows of the frame are
 * to go to keep_record, and with keep_record_undecided, called once for each range, the undecided
 * pairs are kept as well. After an error they are just not kept. */
void keep_begin(const context *c, keep *k);
void keep_record(void *keep, const imp_contacts *rows, uint64_t at); /* a handout_record */
void keep_record_undecided(const context *c, keep *k, const pairs *undecided);
void keep_end(const context *c, keep *k, const view *v, const bounds *o, uint64_t found);

/* ---- the frame after: pass_kept.c */

/* Takes the rows of pairs with a primitive that moved: a contact_sink. */
int keep_fresh(void *keep, column_rows *rows);

/* Rows of the last frame that still hold, and the fresh ones, become the rows of this frame. */
int keep_merge(keep *k);

/* Adds the fresh undecided pairs of this frame. */
int keep_add_undecided(const context *c, keep *k, const pairs *fresh);

/* ---- keep_points.c */

/* The points of the first frame, and which of them primitives have. */
int keep_points_first(const context *c, const view *v, const bounds *o, keep *k);

/* Those of the next frame of the same mesh; k->moved has the primitives with a vertex that moved.
 * *same becomes 0 if the frame's unit differs or a point is not finite: then nothing can be kept.
 */
int keep_points_next(const context *c, const view *v, const bounds *o, keep *k, int *same);

/* Scales the points and bounds what moved. */
int keep_bounds(const context *c, const view *v, bounds *o, keep *k);

#endif
