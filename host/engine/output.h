/* Delivers rows of a view to the caller's sink: replaces prims by the caller's numbers and frames,
 * and skips rows that the sink already has when a range or a block is repeated. */
#ifndef IMP_OUTPUT_H
#define IMP_OUTPUT_H

#include "columns.h"
#include "clock.h"
#include "ccd_step.h"
#include "error.h"
#include "block_view.h"

/* Delivery progress of a call, counted over all its frames. A repeated block or range yields the
 * same rows in the same order, so these counts tell which of them the sink has. */
typedef struct delivered {
    uint64_t seen;   /* rows seen; goes back where they are repeated */
    uint64_t handed; /* the greatest number of rows that the sink has received; never goes back */
    uint64_t range;  /* rows of complete ranges */
    uint64_t block;  /* rows of complete blocks */
} delivered;

/* Delivery progress of the rows of steps. */
typedef struct step_place {
    size_t frame;        /* frame of the view */
    contact_cursor next; /* its impacts that are not delivered yet, and all after them */
    uint64_t impact;     /* index of the first of them */
    uint64_t seen;       /* rows of the start, delivered or left out */
    uint64_t own;        /* rows of the start within rotating bodies */
} step_place;

/* Rows of steps: contacts at the start, as the start's pass delivers them, merged with the impacts
 * later in the step. */
typedef struct output_step {
    const step_rows *of;
    step_place at, range; /* current place, and that at the start of the range */
    /* columns of rows of the start */
    double toi[CONTACT_ROWS_PART];
    int64_t feature[CONTACT_ROWS_PART];
    uint8_t kind[CONTACT_ROWS_PART];
} output_step;

/* Receives rows with prims, not the caller's numbers. */
typedef void output_recorder(void *user, const imp_contacts *rows);

typedef struct output {
    imp_sink *sink;
    void *user;
    size_t frame0; /* the block's first frame in the caller's array */
    delivered count;
    uint64_t given; /* imp_detect_from: rows that the caller has from another call */
    /* receives the rows of a view of one frame, each once, before prims become the caller's
     * numbers; NULL: none */
    output_recorder *record;
    void *record_user;        /* its `user` */
    uint64_t recorded;        /* rows of the frame already recorded */
    output_step *step;        /* NULL: rows are of frames */
    int refused;              /* the sink's result, if not 0 */
    double outside;           /* seconds in the sink, which belong to no stage */
    faults *faults;           /* NULL: not counted */
    const atomic_int *cancel; /* nonzero after a call of the sink ends the run; NULL: never */
    error_state *text;        /* gets the error text that a sink set; NULL: not kept */
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

/* Goes back to an earlier place: the next rows are those from there on. Returns the current
 * place. */
static inline delivered output_go_to(output *h, delivered to)
{
    const delivered from = h->count;
    to.handed = from.handed;
    h->count = to;
    return from;
}

/* Returns whether the sink has rows of the block from this call. */
static inline int output_has_rows(const output *h)
{
    const uint64_t before = h->count.block > h->given ? h->count.block : h->given;
    return h->count.handed > before;
}

/* Starts recording, with the first row of the view's frame; NULL: no recording. */
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

/* A contact_sink, with an output_target as `user`: delivers rows of the view's prims, in order,
 * after those of the last call; replaces the prims in `rows` by the caller's numbers. Errors:
 * CANCELLED if the sink stopped the run. */
int output_rows(void *user, const block_view *v, column_rows *rows);

/* Delivers rows of frame rows.frame of the view, which have the caller's numbers. Errors: as
 * output_rows. */
int output_input_rows(output_target *to, const block_view *v, imp_contacts rows);

/* Delivers the relations of a frame (imp_def.relations), which may be NULL. Errors: CANCELLED. */
int output_relations(output *h, const block_view *v, int (*sink)(void *, const imp_relations *),
                     void *user, const imp_relations *relations);

/* Delivers all cached rows of the view's one frame; *rows is not changed. Where the caller's
 * numbers are in another order than prims, rows are delivered sorted by the caller's numbers.
 * Errors: MEMORY, CANCELLED. */
int output_cached_rows(output *h, const context *c, const block_view *v, const contact_rows *rows);

/* From here on, rows are those of a block's steps, and are counted in of->start. Unwanted rows of
 * the start are left out. */
void output_step_begin(output *h, output_step *step, const step_rows *of);

/* Delivers the remaining impacts and ends the output of steps. */
int output_step_end(output *h, const block_view *v);

#endif
