/* The stages that a pass calls, in order: bound -> (objects) -> broad -> narrow -> order -> rows.
 * Each is given a context, a view, what came before, and what is its own to fill. The broad phase
 * is in ../broad, objects in ../objects. */
#ifndef IMP_STAGES_H
#define IMP_STAGES_H

#include "bounds.h"
#include "emission.h"
#include "pairs.h"
#include "sample.h"
#include "scan.h"

/* ---- bound.c */

/* Uploads the view with the points of its first instant, finds the frames' boxes and bad
 * primitives, scales, bounds. IMP_ERR_INPUT for a bad primitive unless they are to be skipped. */
int bound_block(const context *c, const block_view *v, bounds *out);

/* Inflation of the linear swept bounds of each primitive of all frames, in units of their frames.
 */
typedef void bound_margins(const struct rigid_ccd *t, const normalisation *u, int threads,
                           double *margin);

/* The same over both instants of the view, in one unit: bounds contain all instants between.
 * margins: of a view with bodies that turn. */
int bound_step(const context *c, const block_view *v, bound_margins *margins, bounds *out);

/* Has primitive i of frame f of the view a vertex that is not finite, at any of its instants? */
int bound_bad_in(const block_view *v, uint32_t f, uint32_t i);
void bound_free(const context *c, bounds *o);
void bound_free_points(const context *c, bounds *o); /* copies of points that are not in use */

/* ---- narrow.c: verdicts */

/* Verdicts on pairs, and what picking by them takes, on the device of these pairs. */
typedef struct verdicts {
    buffer_u8 verdict;
    buffer_u32 count;
    buffer_u64 offset;
    scanner scan;
} verdicts;

/* Working memory of the narrow phase, and what it has collected of a range. */
typedef struct narrow {
    pairs near;            /* candidates that are not far, on the broad phase's device; */
    pairs local;           /* those on the narrow phase's, if that is another */
    pairs piece_undecided; /* of these, the ones that the first test leaves open */
    pairs decided;         /* of these, the ones that the second leaves open, and those that meet */
    pairs meet, undecided; /* of the whole range */
    buffer_u32 kind;       /* [frames] corners that primitives have by their mesh; 0: mixed */
    buffer_f64 centroid;   /* [3 * prims] of candidates, */
    int centroids;         /* if it is filled */
    double exact;          /* seconds of exact arithmetic, to be added to the profile */
    buffer_u32 counts;     /* of lists that work-groups make, on the broad phase's device */
    verdicts verdicts;
    sample sample; /* of the candidates, as prims: verify.h */
} narrow;

/* A kernel of pairs in the form that the device is for: one by one, or on the host eight at a time.
 */
#define RUN_PAIRS(d, name, pairs, ...)                                                             \
    ((d)->groups ? RUN(d, name, pairs, __VA_ARGS__)                                                \
                 : RUN(d, name##8, ((uint64_t)(pairs) + 7) / 8, (uint32_t)(pairs), __VA_ARGS__))

/* Of n verdicts those that are `one` or `two` are picked tile by tile: by work-groups where the
 * device has them, else by items, each COMPACT_CHUNK. The number of tiles; and how many of each
 * tile have verdict `one`, then how many have `two`. */
#define COMPACT_CHUNK 256
uint32_t compact_tiles(const device *d, uint64_t n);
int compact_tile_counts(device *d, const buffer_u8 *verdict, uint32_t n, uint32_t one, uint32_t two,
                        buffer_u32 *count);

/* Prefix sums of how many pairs of each tile have verdict `one`, then of how many have `two`, which
 * may be TRI_NO_VERDICT; picked: pairs with `one`, and with either. A choice of one is read once.
 */
int compact_sums(device *d, scanner *s, const buffer_u32 *count, uint32_t tiles, uint32_t two,
                 buffer_u64 *offset, uint64_t picked[2]);

/* Adds the verdicts on `found` to s->meet and s->undecided; in stage candidates all pairs go to
 * meet. `found` may hold anything afterwards. */
int narrow_collect(const context *c, const block_view *v, const bounds *o, candidates *found,
                   narrow *s);

/* Pairs of prims on the host. */
typedef struct pair_list {
    const uint32_t *a, *b;
    size_t count;
} pair_list;

/* result[i]: TRI_APART, TRI_MEET or TRI_UNDECIDED, of pair i. Collects nothing. */
int narrow_verdicts(const context *c, const block_view *v, const bounds *o, const pair_list *of,
                    narrow *s, uint8_t *result);

/* Is the first test asked in float32, of points that the bounds have? */
uint32_t narrow_filters_float(const context *c);
void narrow_clear(narrow *s); /* forgets what was collected */
void narrow_free(const context *c, narrow *s);

/* ---- order.c */

/* Sorts what narrow has collected by (a, b). */
int narrow_sort(const context *c, const block_view *v, sorter *s, narrow *n);

/* ---- contact.c: rows */

/* Contacts of the collected pairs, which are in order, to the sink. Counts the undecided pairs in
 * info[frame]. Errors: MEMORY, DEVICE, CANCELLED, what the sink returns. */
int contact_emit(const context *c, const block_view *v, const bounds *o, narrow *s, row_stream *e,
                 contact_sink *sink, void *user, imp_frame_info *info);

/* The same in two parts. The second one does not need what the first one is given, and can come
 * when the device does other work: may_wait says so. */
int contact_begin(const context *c, const block_view *v, const bounds *o, narrow *s, int may_wait,
                  row_stream *e, contact_sink *sink, void *user, imp_frame_info *info);
int contact_end(const context *c, row_stream *e);

#endif
