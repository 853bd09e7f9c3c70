/* From rows of a view to the caller's sink: rows become the caller's numbers and frames, and rows
 * that the sink already has are skipped when a range or a block is repeated. */
#ifndef IMP_OUTPUT_H
#define IMP_OUTPUT_H

#include "columns.h"
#include "clock.h"
#include "ccd_step.h"
#include "block_view.h"

/* How far rows of a call have come, counted over all its frames. A repeated block or range yields
 * the same rows in the same order, so these numbers say which of them the sink has. */
typedef struct delivered {
    uint64_t seen;   /* rows, as they come: goes back where they are repeated */
    uint64_t handed; /* the greatest number that the sink ever got; never goes back */
    uint64_t range;  /* rows of complete ranges */
    uint64_t block;  /* rows of complete blocks */
} delivered;

/* How far rows of a step have come. */
typedef struct step_place {
    size_t frame;        /* of the view, */
    contact_cursor next; /* its rows on the way, and what comes after them, that are to come, */
    uint64_t impact;     /* the number of the first of these, */
    uint64_t seen;       /* and of its rows of the start, also those that are not handed out */
    uint64_t own;        /* rows of the start within bodies that turn */
} step_place;

/* Rows of steps between two instants: those that are handed out meet at the start; in between come
 * those that were found on the way. */
typedef struct output_step {
    const step_rows *of;
    step_place at, range; /* now, and at the start of the range */
    /* what the former get */
    double toi[CONTACT_ROWS_PART];
    int64_t feature[CONTACT_ROWS_PART];
    uint8_t kind[CONTACT_ROWS_PART];
} output_step;

/* Receives rows of prims. */
typedef void output_recorder(void *user, const imp_contacts *rows);

typedef struct output {
    imp_sink *sink;
    void *user;
    size_t frame0; /* the block's first frame in the caller's array */
    delivered count;
    uint64_t given; /* rows that the caller has from another call: imp_detect_from */
    /* Receives the rows of a view of one frame, each once, before they are given the caller's
     * numbers. NULL: none */
    output_recorder *record;
    void *record_user; /* its `user` */
    uint64_t recorded; /* rows of the frame that it has */
    output_step *step; /* NULL: rows are of frames */
    int refused;       /* what the caller's sink returned, if that was not 0 */
    double outside;    /* seconds spent in it, which belong to no stage */
    faults *faults;    /* NULL: not counted */
} output;

/* The next rows repeat a block, or a range of it. */
static inline void output_block(output *h)
{
    h->count.range = h->count.block;
}

static inline void output_range(output *h)
{
    h->count.seen = h->count.range;
    if (h->step)
        h->step->at = h->step->range;
}

/* The range, or the block, is complete. */
static inline void output_range_done(output *h)
{
    h->count.range = h->count.seen;
    if (h->step)
        h->step->range = h->step->at;
}

static inline void output_block_done(output *h)
{
    h->count.block = h->count.range;
}

/* The next rows are those from an earlier place on. Returns the current one. */
static inline delivered output_go_to(output *h, delivered to)
{
    const delivered from = h->count;
    to.handed = from.handed;
    h->count = to;
    return from;
}

/* Has the sink rows of the block, from this call? */
static inline int output_has_rows(const output *h)
{
    const uint64_t before = h->count.block > h->given ? h->count.block : h->given;
    return h->count.handed > before;
}

/* From here on rows are recorded, from the first one of the view's frame on. NULL: none are. */
static inline void output_record_begin(output *h, output_recorder *record, void *user)
{
    h->record = record;
    h->record_user = user;
    h->recorded = 0;
}

typedef struct output_target {
    output *out;
    imp_frame_info *info; /* [frames of the view] gets the number of contacts */
} output_target;

/* Rows of prims of the view, in order, none before the last row; `rows` gets the caller's numbers
 * in place. It is a contact_sink: `user` is an output_target. Errors: CANCELLED if the sink said
 * stop. */
int output_rows(void *user, const block_view *v, column_rows *rows);

/* All rows of the view's one frame, which stay as they are. Where the caller's numbers are in
 * another order than prims, rows are sorted by them. Errors: MEMORY, CANCELLED. */
int output_cached_rows(output *h, const context *c, const block_view *v, const contact_rows *rows);

/* From here on rows are those of a block's steps, and are counted in of->start. Rows of the start
 * that are not wanted are left out. */
void output_step_begin(output *h, output_step *step, const step_rows *of);

/* What remains of them. */
int output_step_end(output *h, const block_view *v);

#endif
