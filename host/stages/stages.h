/* The functions of the stages bound, narrow, order and rows for passes, and the row stream to the
 * sink. */
#ifndef IMP_STAGES_H
#define IMP_STAGES_H

#include "bounds.h"
#include "columns.h"
#include "device.h"
#include "exact.h"
#include "pairs.h"
#include "parallel.h"
#include "ring.h"
#include "sample.h"

/* ---- Row stream: delivers the rows of a range to the sink in pieces; while the host delivers one
 * piece, the next one is read back from the device. contact_rows.c fills and empties it. */

/* Receives rows with prims of the view, in order, and may change them. */
typedef int contact_sink(void *user, const block_view *v, column_rows *rows);

/* A piece of the pairs that meet. */
typedef struct contact_piece {
    pairs of; /* on the device with float64 */
    buffer_f64 point;
    buffer_u8 feature; /* end_features */
    readback readback; /* readback of their rows */
    column_rows rows;
    double rounded; /* points of triangles: scaling may have rounded coordinates below this */
} contact_piece;

#define ROW_STREAM_PIECES 2

/* Zero at first. Memory is reused from range to range. */
typedef struct row_stream {
    contact_piece piece[ROW_STREAM_PIECES];
    unsigned pieces;        /* number of pieces that take turns */
    unsigned first, going;  /* the pieces in progress: `going` of them, from `first` on */
    column_rows decided;    /* rows of undecided pairs, decided by the host */
    contact_cursor host;    /* the part of them that is not delivered yet */
    column_rows merged;     /* short runs of both kinds in order, if the host has rows */
    const block_view *view; /* the view of these prims */
    int (*finish)(const context *c, const block_view *v, contact_piece *piece); /* contact_maker */
    contact_sink *sink;
    void *user;
} row_stream;

/* Number of rows that the sink has not received; whether a readback is in progress; whether all
 * readbacks are complete. */
uint64_t row_stream_left(const row_stream *e);
int row_stream_waits(const row_stream *e);
int row_stream_done(const context *c, const row_stream *e);

/* Returns whether it holds memory that only the next range needs. */
int row_stream_holds_memory(const row_stream *e);

/* Waits for the readbacks and discards the rows. */
void row_stream_drop(const context *c, row_stream *e);
void row_stream_free(const context *c, row_stream *e);

/* ---- The stages that a pass calls, in order: bound -> (objects) -> broad -> narrow -> order ->
 * rows. Arguments are a context, a view, the results of earlier stages, and the stage's own data.
 * The broad phase is in ../broad, objects in ../objects. */

/* ---- bound.c */

/* Uploads the view with the points of its first instant, finds the frames' boxes and bad
 * primitives, scales the points and makes the bounds. Errors: INPUT for a bad primitive unless
 * these are skipped. */
int bound_block(const context *c, const block_view *v, bounds *out);

/* Inflation of the linear swept bounds of each primitive of all frames, in units of their frames.
 */
typedef void bound_margins(const struct rigid_ccd *t, const normalisation *u, int threads,
                           double *margin);

/* The same over both instants of the view, in one unit: bounds contain all times between. margins:
 * used if the view has rotating bodies. */
int bound_step(const context *c, const block_view *v, bound_margins *margins, bounds *out);

/* Returns whether primitive i of frame f has a vertex that is not finite, at any instant of the
 * view. */
int bound_bad_in(const block_view *v, uint32_t f, uint32_t i);

/* INPUT, with the vertex of the first bad primitive that is not finite. */
int bound_fail_bad(const imp_frame *f);

void bound_free(const context *c, bounds *o);
void bound_free_points(const context *c, bounds *o); /* only unused copies of points */

/* ---- narrow.c: verdicts */

/* Verdicts on pairs, and the buffers for compaction by verdict, on the device of the pairs. */
typedef struct verdicts {
    buffer_u8 verdict;
    buffer_u32 count;
    buffer_u64 offset;
    scanner scan;
} verdicts;

/* Working memory of the narrow phase, and the pairs collected in a range. */
typedef struct narrow {
    pairs near;            /* candidates that are not far, on the broad phase's device */
    pairs local;           /* the same on the narrow phase's device, if it is another */
    pairs piece_undecided; /* those of them that the first test leaves open */
    pairs decided;         /* those of them that the second test leaves open, and those that meet */
    pairs meet, undecided; /* collected pairs of the whole range */
    buffer_u32 kind;       /* [frames] corners of the mesh's primitives; 0: mixed */
    buffer_f64 centroid;   /* [3 * prims] centroids for rows of candidates */
    int centroids;         /* `centroid` is filled */
    double exact;          /* seconds of exact arithmetic, to be added to the profile */
    buffer_u32 counts;     /* counts of work-groups' lists, on the broad phase's device */
    verdicts verdicts;
    verdicts codes;   /* with rows, where the device made them: nearest features of meet, or
                         verdicts on the intersection (distance_codes.c) */
    pairs touching;   /* those of them that certainly intersect */
    uint64_t touched; /* number of these that have rows */
    buffer_f64 limit; /* with rows: distance_limits_put */
    buffer_f64 note;  /* with rows, on devices: [DISTANCE_NOTE * items] */
    sample sample;    /* sample of the candidates, as prims */
    ring_mesh ring;   /* with imp_def.ring: the mesh of the last pairs, of the current call */
    struct distance_kept *kept; /* with rows: memory of distance_rows.c */
} narrow;

void distance_kept_free(const context *c, struct distance_kept **of);

/* Runs a kernel on pairs: eight per item on the host, one per item on devices with groups. */
#define RUN_EIGHTS(d, name, pairs, ...)                                                            \
    RUN(d, name, ((uint64_t)(pairs) + 7) / 8, (uint32_t)(pairs), __VA_ARGS__)
#define RUN_PAIRS(d, name, pairs, ...)                                                             \
    ((d)->groups ? RUN(d, name, pairs, __VA_ARGS__) : RUN_EIGHTS(d, name##8, pairs, __VA_ARGS__))

/* Compaction of n pairs by verdict `one` or `two`, tile by tile: a tile is a work-group if the
 * device has groups, else COMPACT_CHUNK pairs of an item. Returns the number of tiles;
 * compact_tile_counts counts the pairs of each tile with verdict `one`, then those with `two`. */
#define COMPACT_CHUNK 256
uint32_t compact_tiles(const device *d, uint64_t n);
int compact_tile_counts(device *d, const buffer_u8 *verdict, uint32_t n, uint32_t one, uint32_t two,
                        buffer_u32 *count);

/* Prefix sums of the counts of each tile with verdict `one`, then of those with `two`, which may be
 * TRI_NO_VERDICT. picked: the number of pairs with `one`, and with either; with a single verdict
 * only one number is read back. */
int compact_sums(device *d, scanner *s, const buffer_u32 *count, uint32_t tiles, uint32_t two,
                 buffer_u64 *offset, uint64_t picked[2]);

/* Copies pairs with verdict `one` (s->verdict), then those with `two`, to `to`. decided: the number
 * with `one`, and with either. */
int narrow_compact(device *d, verdicts *s, const pairs *from, uint32_t one, uint32_t two, pairs *to,
                   uint64_t decided[2]);

/* Adds the verdicts on `found` to s->meet and s->undecided; in stage candidates all pairs go to
 * meet. *found is undefined afterwards. */
int narrow_collect(const context *c, const block_view *v, const bounds *o, candidates *found,
                   narrow *s);

/* Pairs of prims on the host. */
typedef struct pair_list {
    const uint32_t *a, *b;
    size_t count;
} pair_list;

/* Puts the squares of lengths that are certainly within the distance, and certainly beyond it, in
 * the unit of each frame, or the halves of thicknesses (kernels/distance_code.h). */
int distance_limits_put(const context *c, const block_view *v, const bounds *o, buffer_f64 *out);

/* Sets result[i] to the verdict of pair i: TRI_APART, TRI_MEET or TRI_UNDECIDED. Collects
 * nothing. */
int narrow_verdicts(const context *c, const block_view *v, const bounds *o, const pair_list *of,
                    narrow *s, uint8_t *result);

/* Returns whether the first test runs in float32, on points in the bounds. */
uint32_t narrow_filters_float(const context *c);
void narrow_clear(narrow *s); /* discards the collected pairs */
void narrow_free(const context *c, narrow *s);

/* ---- narrow.c */

/* Sorts the collected pairs by (a, b). */
int narrow_sort(const context *c, const block_view *v, sorter *s, narrow *n);

/* ---- contact_rows.c: rows */

/* Delivers the contacts of the collected pairs, which are in order, to the sink. Counts the
 * undecided pairs in info[frame]. Errors: MEMORY, DEVICE, CANCELLED, and the sink's result. */
int contact_emit(const context *c, const block_view *v, const bounds *o, narrow *s, row_stream *e,
                 contact_sink *sink, void *user, imp_frame_info *info);

/* The same in two parts. contact_end does not use the other arguments of contact_begin; with
 * may_wait it may be called while the device does other work. */
int contact_begin(const context *c, const block_view *v, const bounds *o, narrow *s, int may_wait,
                  row_stream *e, contact_sink *sink, void *user, imp_frame_info *info);
int contact_end(const context *c, row_stream *e);

/* ---- Internal to the stage rows: contact_rows.c merges rows decided by the device with those
 * decided by the host; triangle_rows.c and solid_rows.c make them. */

/* The data from which rows are made. */
typedef struct contact_source {
    const context *c;
    const block_view *v;
    const bounds *o;
    narrow *s;
} contact_source;

/* A method of making rows. */
typedef struct contact_maker {
    size_t most; /* maximum number of pairs of s->meet in a piece */
    int alone;   /* a piece, once begun, does not depend on other data */
    /* makes rows of the `n` pairs of s->meet from `first` on, all of which meet, in to->rows, which
     * has room for them; complete after readback_end. beside: as readback_begin */
    int (*meet)(const contact_source *of, uint64_t first, uint32_t n, int beside,
                contact_piece *to);
    /* adds rows of those undecided pairs that meet; NULL: no pair is undecided */
    int (*decide)(const contact_source *of, const pair_list *pairs, column_rows *out);
    /* completes the rows of a piece after readback_end, with the view of their prims, which may be
     * that of an earlier block; NULL: they are complete */
    int (*finish)(const context *c, const block_view *v, contact_piece *piece);
} contact_maker;

/* Makers for triangles without depth or collision points, in pieces large enough to fill the
 * device, or smaller ones to overlap with the readback; for solids, or with depth and collision
 * points; and for stage candidates, in pieces by the cost of a launch. */
contact_maker contact_of_triangles(const contact_source *of);
extern const contact_maker contact_of_solids;
contact_maker contact_of_candidates(const contact_source *of);

/* distance_rows.c: rows of pairs within the distance (imp_def.rows). */
contact_maker contact_of_distances(const contact_source *of);

/* distance_codes.c: names the nearest features of n pairs that are certain, on a device with
 * groups. */
int distance_features_find(device *d, const bounds *o, const pairs *of, uint64_t n,
                           buffer_u8 *code);

/* Whether that device does it for all pairs of a range at once; makes s->codes and s->touching of
 * all pairs of s->meet, which are in order; reads pairs with their codes. */
int distance_codes_on_device(const contact_source *of);
int distance_codes_make(const contact_source *of);
int distance_codes_read(const contact_source *of, uint64_t first, uint32_t n, uint32_t *a,
                        uint32_t *b, uint8_t *code);

/* Makes the rows of these pairs, which are in order, whatever their distances; *out has room for
 * them. Errors: MEMORY, DEVICE, CANCELLED. */
int distance_rows_given(const contact_source *of, const pair_list *list, column_rows *out);

/* A maker for contacts, whatever imp_def.rows is. */
contact_maker contact_of_contacts(const contact_source *of);

/* The number of rows with these columns to hold at a time: as many as memory allows, at most
 * `most`. */
size_t contact_fit(const context *c, column_set set, uint64_t most);

/* Decides triangles i and j of a frame by exact arithmetic. */
void contact_triangles(const imp_frame *frame, uint32_t i, uint32_t j, exact_contact *out);

/* Decides by exact arithmetic whether primitives i and j of a frame meet; if they share a vertex,
 * whether they meet beyond the shared part. */
int contact_meets(const imp_frame *frame, uint32_t i, uint32_t j);

/* The greatest distance of a pair of primitives of a frame that has a row, with rows. */
exact_limit contact_limit(const context *c, const imp_frame *frame, uint32_t i, uint32_t j);

/* A number that no such distance of the frame exceeds. */
double contact_limit_most(const context *c, const imp_frame *frame);

/* Decides by exact arithmetic whether the pair belongs in the result: whether it meets, or with
 * rows is within the distance. */
int contact_wanted(const context *c, const imp_frame *frame, uint32_t i, uint32_t j);

/* Copies the pairs [first, first + n) of s->meet and makes their points and features, on the
 * device; sets to->of, to->point, to->feature and to->rounded. */
int contact_points(const contact_source *of, uint64_t first, uint32_t n, contact_piece *to);

/* Makes those of the points, and their features, that the device left in doubt (lane_contact.h) by
 * exact arithmetic. point: [6 * pairs] of a piece, read back; feature: [4 * pairs] or NULL;
 * rounded: of the piece. Errors: CANCELLED. */
int contact_points_finish(const context *c, const block_view *v, const pair_list *of,
                          double rounded, double *point, uint8_t *feature);

/* ---- imp_def.verify: the host re-checks sampled candidates of a device by exact arithmetic. A
 * difference is IMP_ERR_DEVICE before any of their rows is delivered; the scheduler then drops the
 * device. */

/* Adds the candidates of a piece to the sample, as prims. from: the pairs of *found on the device
 * of the narrow phase, ranks if *found has ranks, before they are decided. Errors: MEMORY,
 * DEVICE. */
int verify_sample_candidates(const context *c, const candidates *found, const pairs *from,
                             sample *s);

/* Compares the sample with s->meet and s->undecided, which are in order, and clears it. Errors:
 * MEMORY, DEVICE (also for a difference), CANCELLED. */
int verify_pairs(const context *c, const block_view *v, narrow *s);

/* The same for a sample of pairs with verdicts verdict[i] of narrow_verdicts. The pairs are in
 * order; *s is empty before and afterwards. */
int verify_verdicts(const context *c, const block_view *v, const pair_list *of,
                    const uint8_t *verdict, sample *s);

/* Calls `wrong` for each element of the sample, in threads. *first: the first element with a result
 * other than 0, or s->count. All are counted as verified. Errors: CANCELLED. */
typedef int verify_wrong(const void *user, const sampled *p);
int verify_first(const context *c, sample *s, verify_wrong *wrong, const void *user, size_t *first);

/* Fails with IMP_ERR_DEVICE: primitives prim[0] and prim[1] of frame f of the view (positions in
 * the frame), or features of them, meet or not, and the device differs. what: for example
 * "triangles". */
int verify_differs(const context *c, const block_view *v, uint32_t f, const uint32_t prim[2],
                   int meet, const char *what);

/* ---- Topology: corners and objects of a view's primitives, on the devices that read them. */

/* Fills o->on64, except its bounds. A mesh shared by several frames is copied to the device once,
 * also for consecutive blocks with the same number of frames. Errors: MEMORY, DEVICE. */
int topology_put(const context *c, const block_view *v, bounds *o);

#endif
