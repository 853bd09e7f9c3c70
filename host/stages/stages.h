/* What the stages bound, narrow, order and rows offer to passes, and the stream of rows to the
 * sink. */
#ifndef IMP_STAGES_H
#define IMP_STAGES_H

#include "bounds.h"
#include "columns.h"
#include "device.h"
#include "exact.h"
#include "pairs.h"
#include "parallel.h"
#include "sample.h"

/* ---- Rows of a range on their way to the sink, piece by piece: while the host hands out one
 * piece, the next one comes from the device. contact_rows.c fills and empties it. */

/* Receives rows of prims of a view in order, which it may change. */
typedef int contact_sink(void *user, const block_view *v, column_rows *rows);

/* Some pairs that meet. */
typedef struct contact_piece {
    pairs of; /* on the device with float64, */
    buffer_f64 point;
    readback readback; /* and where their rows land */
    column_rows rows;
} contact_piece;

#define ROW_STREAM_PIECES 2

/* All zero at first. Memory is kept from range to range. */
typedef struct row_stream {
    contact_piece piece[ROW_STREAM_PIECES];
    unsigned pieces;       /* that take turns, */
    unsigned first, going; /* and those that have begun, from `first` on */
    column_rows decided;   /* rows of undecided pairs, */
    contact_cursor host;   /* those of them that are to come, */
    column_rows merged;    /* and, if there are any, short runs of both kinds in order */
    const block_view *view;
    contact_sink *sink;
    void *user;
} row_stream;

/* Rows that the sink has still to get; are some of them on their way? */
uint64_t row_stream_left(const row_stream *e);
int row_stream_waits(const row_stream *e);
int row_stream_done(const context *c, const row_stream *e);

/* Is there memory that only the next range needs? */
int row_stream_holds_memory(const row_stream *e);

/* Forgets them, after waiting for them. */
void row_stream_drop(const context *c, row_stream *e);
void row_stream_free(const context *c, row_stream *e);

/* ---- The stages that a pass calls, in order: bound -> (objects) -> broad -> narrow -> order ->
 * rows. Each is given a context, a view, what came before, and what is its own to fill. The broad
 * phase is in ../broad, objects in ../objects. */

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
    sample sample; /* of the candidates, as prims: stages.h */
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

/* ---- narrow.c */

/* Sorts what narrow has collected by (a, b). */
int narrow_sort(const context *c, const block_view *v, sorter *s, narrow *n);

/* ---- contact_rows.c: rows */

/* Contacts of the collected pairs, which are in order, to the sink. Counts the undecided pairs in
 * info[frame]. Errors: MEMORY, DEVICE, CANCELLED, what the sink returns. */
int contact_emit(const context *c, const block_view *v, const bounds *o, narrow *s, row_stream *e,
                 contact_sink *sink, void *user, imp_frame_info *info);

/* The same in two parts. The second one does not need what the first one is given, and can come
 * when the device does other work: may_wait says so. */
int contact_begin(const context *c, const block_view *v, const bounds *o, narrow *s, int may_wait,
                  row_stream *e, contact_sink *sink, void *user, imp_frame_info *info);
int contact_end(const context *c, row_stream *e);

/* ---- Within the last stage: contact_rows.c merges the rows that the device decided with the ones
 * that the host did; the others make these rows. */

/* What rows are made of. */
typedef struct contact_source {
    const context *c;
    const block_view *v;
    const bounds *o;
    narrow *s;
} contact_source;

/* A way to make rows. */
typedef struct contact_maker {
    size_t most; /* pairs of s->meet at a time, at most */
    int alone;   /* once begun, a piece needs nothing else than itself */
    /* Rows of the `n` pairs of s->meet from `first` on, all of which meet, to to->rows, which has
     * room for them. They are there at readback_end. beside: as readback_begin. */
    int (*meet)(const contact_source *of, uint64_t first, uint32_t n, int beside,
                contact_piece *to);
    /* Adds rows of undecided pairs, the ones that do meet. NULL: no pair is undecided. */
    int (*decide)(const contact_source *of, const pair_list *pairs, column_rows *out);
} contact_maker;

/* Triangles alone, with contact points only, in pieces that the device needs to fill, or to go on
 * while rows come; with solids, or with depth and collision points; in stage candidates, by the
 * cost of a launch on the device. */
contact_maker contact_of_triangles(const contact_source *of);
extern const contact_maker contact_of_solids;
contact_maker contact_of_candidates(const contact_source *of);

/* The number of rows of these columns to hold at a time: as memory allows, at most `most`. */
size_t contact_fit(const context *c, column_set set, uint64_t most);

/* By exact arithmetic: triangles i and j of a frame. */
void contact_triangles(const imp_frame *frame, uint32_t i, uint32_t j, exact_contact *out);

/* By exact arithmetic: do primitives i and j of a frame meet? Those that share a vertex: beyond
 * what they share. */
int contact_meets(const imp_frame *frame, uint32_t i, uint32_t j);

/* The pairs [first, first + n) of s->meet, and their points, made on the device. */
int contact_points(const contact_source *of, uint64_t first, uint32_t n, pairs *to,
                   buffer_f64 *point);

/* ---- imp_def.verify: of the candidates that a device has decided some are decided again on the
 * host, by exact arithmetic. A difference is IMP_ERR_DEVICE before a row of them is handed out; the
 * scheduler then ends the use of the device. */

/* Adds the candidates of a piece to what is sampled, as prims. `from`: those of `found` on the
 * device of the narrow phase, of ranks if it has some, before they are decided. Errors: MEMORY,
 * DEVICE. */
int verify_sample_candidates(const context *c, const candidates *found, const pairs *from,
                             sample *s);

/* Compares the sample with s->meet and s->undecided, both in order, and clears it. Errors: MEMORY,
 * DEVICE (also for a difference), CANCELLED. */
int verify_pairs(const context *c, const block_view *v, narrow *s);

/* The same of pairs of which the device says verdict[i] (narrow_verdicts): of a sample of these.
 * They are in order; s is empty before and afterwards. */
int verify_verdicts(const context *c, const block_view *v, const pair_list *of,
                    const uint8_t *verdict, sample *s);

/* Asks `wrong` of each element of the sample, in threads: *first is the first of which it is not 0,
 * s->count if there is none. All are counted as verified. Errors: CANCELLED. */
typedef int verify_wrong(const void *user, const sampled *p);
int verify_first(const context *c, sample *s, verify_wrong *wrong, const void *user, size_t *first);

/* IMP_ERR_DEVICE: primitives a and b of frame f of the view (positions in the frame), or features
 * of them, meet or not, and the device says something else. `what`: "triangles" ... */
int verify_differs(const context *c, const block_view *v, uint32_t f, const uint32_t prim[2],
                   int meet, const char *what);

/* ---- Corners and objects of a view's primitives, on the devices that read them. */

/* Fills o->on64, except its bounds. A mesh that several frames have goes to the device once, also
 * where they are of several blocks of as many frames.
 * Errors: MEMORY, DEVICE. */
int topology_put(const context *c, const block_view *v, bounds *o);

#endif
