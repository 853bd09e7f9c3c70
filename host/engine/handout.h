/* From rows of a view to the caller's sink: rows become the caller's numbers and frames, and rows
 * that the sink already has are skipped when a range or a block is repeated. */
#ifndef IMP_HANDOUT_H
#define IMP_HANDOUT_H

#include "contact_rows.h"
#include "faults.h"
#include "view.h"

/* Rows of a step between two instants: those that are handed out meet at its start; in between come
 * those that were found on the way. */
typedef struct handout_step {
    contact_cursor next, range; /* on the way: still to come, now and at the start of the range */
    uint64_t seen, ranges;      /* of the start's frame, also those not handed out: as in handout */
    const uint8_t *left; /* [primitives] not handed out: they take no part in the step; NULL */
    /* what the former get */
    double share[CONTACT_ROWS_PART];
    int64_t feature[CONTACT_ROWS_PART];
    uint8_t kind[CONTACT_ROWS_PART];
} handout_step;

/* At most one of the two sinks is set. */
typedef struct handout {
    const imp_frame *frame; /* the caller's array */
    imp_sink *sink;
    imp_swept_sink *swept_sink;
    void *user;
    size_t frame0;   /* the block's first frame in the caller's array */
    uint64_t seen;   /* rows of all frames, as they come */
    uint64_t handed; /* the greatest number that was ever handed out */
    uint64_t ranges; /* of complete ranges */
    uint64_t blocks; /* of complete blocks */
    /* Receives the rows of a view of one frame before they are given the caller's numbers; rows of
     * a repeated range come again. `at`: number of the first row within the frame. NULL: none
     */
    void (*record)(void *keep, const imp_contacts *rows, uint64_t at);
    void *keep;
    handout_step *step; /* NULL: rows are of frames */
    int refused;        /* what the caller's sink returned, if that was not 0 */
    double outside;     /* seconds spent in it, which belong to no stage */
    faults *faults;     /* NULL: not counted */
} handout;

static inline int handout_wanted(const handout *h)
{
    return h->sink || h->swept_sink;
}

/* The next rows repeat a block, or a range of it. */
static inline void handout_block(handout *h)
{
    h->ranges = h->blocks;
}

static inline void handout_range(handout *h)
{
    h->seen = h->ranges;
    if (!h->step)
        return;
    h->step->next = h->step->range;
    h->step->seen = h->step->ranges;
}

/* The range, or the block, is complete. */
static inline void handout_range_done(handout *h)
{
    h->ranges = h->seen;
    if (!h->step)
        return;
    h->step->range = h->step->next;
    h->step->ranges = h->step->seen;
}

static inline void handout_block_done(handout *h)
{
    h->blocks = h->ranges;
}

/* Rows of prims of the view, in order, none before the last row; `rows` gets the caller's numbers
 * in place. Counts contacts in info[frame]. Errors: CANCELLED if the sink said stop. */
int handout_rows(handout *h, const view *v, imp_frame_info *info, column_rows *rows);

/* All rows of the view's one frame, which stay as they are. Where the caller's numbers are in
 * another order than prims, rows are sorted by them. Errors: MEMORY, CANCELLED. */
int handout_kept(handout *h, const context *c, const view *v, const contact_rows *rows);

/* From here on rows are those of a step; `rows` were found on its way, in order. left: as
 * handout_step has it. */
void handout_step_begin(handout *h, handout_step *step, const contact_rows *rows,
                        const uint8_t *left);

/* What remains of these. */
int handout_step_end(handout *h);

/* Pairs with times of a view of two instants, in order. Errors: CANCELLED. */
int handout_swept(handout *h, const view *v, const imp_swept *pairs);

#endif
