/* How many frames go through the stages together. */
#ifndef IMP_SCHEDULER_H
#define IMP_SCHEDULER_H

#include "broad.h"
#include "ccd_step.h"
#include "engine.h"
#include "output.h"

/* Of the next `count` frames; at most `most` of them if that is not 0. */
size_t scheduler_block_length(const context *c, const broad *b, uint32_t most,
                              const imp_frame *frame, size_t count);

/* ---- A call: frames on their way through the stages, what passes work on, and what they share. */

/* members: one call's state, which the scheduler and its passes share */
typedef struct call {
    const context *c;
    workspace *r;
    imp_profile *t;
    const imp_frame *frames; /* all of the call */
    output out;
    persistent_ids *model; /* the model that the frame is of: model.c; else NULL */
    int any;               /* one contact is enough: imp_touches */
    int steps;             /* between each frame and the next: imp_def.continuous */
    /* the second instants of the block's frames: of its view, else NULL; of ccd_pass alone */
    const imp_frame *to, *next;
    const imp_frame *upcoming; /* [upcoming_count] whose points the next block needs: scheduler.h */
    size_t upcoming_count;
    struct pending_output *pending; /* rows of the block before: scheduler.h */
    imp_frame_info *info;           /* of the block's frames */
    const char *reason;             /* why the block is not incremental; "": it is */
    const struct pass *start_pass;  /* of ccd_pass: the pass of the first instants, */
    struct ccd_step *ccd;           /* and what its own call fills, */
    const context *caller;          /* by these options */
    const struct rigid_ccd *rigid;  /* the bodies that turn in the block's steps; NULL: none */
    double stage_start;             /* of call_stage_time */
    int no_cache; /* memory was short: the block keeps nothing, and uses nothing that is kept */
    imp *host;    /* may go on on the host if its device fails; NULL: none may */
} call;

/* What ccd_pass.c works with, beside the workspace of the block. */
typedef struct step_workspace {
    ccd_step ccd;
    workspace work; /* over both instants; `moving` has its view, bounds and narrow */
    output_step rows;
} step_workspace;

/* Seconds, without those that the sink takes. */
double call_clock(const call *w);

/* Adds the time since call_stage_begin, or since the last call_stage_time, to a stage. */
void call_stage_begin(call *w);
void call_stage_time(call *w, double *stage);

/* The same where a stage ends. Waits for the device if stages are to be timed (internal.h); else
 * what it does later counts as the stage's that waits for it. */
int call_stage_end(call *w, double *stage);

/* Adds what contact_emit took for exact arithmetic, and counts what was decided again. */
void call_add_exact(call *w);
void call_add_verified(call *w, sample *s);

/* What the broad phase sees of the call. cached: its table is kept for the next frame. */
broad_input call_broad_input(const call *w, int cached);

/* The number of candidates of a piece: a third of the free memory holds them and what narrow makes
 * of them. */
uint64_t call_piece_candidates(const context *c);

/* Opens this frame instead of the view's; by: as block_view.ids. */
int call_view(call *w, const imp_frame *frame, size_t count, persistent_ids *by);

/* ---- Retries: what is tried again with less where memory is short, or on the host where the
 * device fails. A loop is `do err = ...; while (scheduler_retry(w, &a, &err));`. */

/* What is tried. */
enum attempt_of {
    ATTEMPT_BLOCK = 1,  /* a block's pass */
    ATTEMPT_RANGE = 2,  /* a range of the primitives of a view */
    ATTEMPT_STEP = 4,   /* of ccd_pass: what is found in a step, or in a part of it; */
    ATTEMPT_ROWS = 8,   /* rows of what was found; */
    ATTEMPT_START = 16, /* the pass of the first instant */
};

/* All zero at first, but for what it is of. */
typedef struct attempt {
    enum attempt_of of;
    size_t frames;        /* of a block; 0: the device took rows of the block before with it */
    uint32_t first, last; /* of a range */
    delivered at;         /* of a start: the rows before it */
    int released;         /* of a block: points were given back; of a start: what was found was */
} attempt;

/* After a try with this error, or none: is it to be tried again? What that needs is given up. Else
 * *err is final, and may be another one. */
int scheduler_retry(call *w, attempt *a, int *err);

/* Ranges of a view whose broad phase is built: one if memory allows, else halves, and so on. */
typedef struct range {
    attempt a; /* contacts whose lower primitive is in [a.first, a.last) */
    uint32_t prims;
    imp_frame_info *part; /* [frames] counts of this range, zero at first */
} range;

int range_first(call *w, range *out); /* Errors: MEMORY */
void range_close(const call *w, range *r);

static inline int range_more(const range *r)
{
    return r->a.first < r->prims;
}

/* After this range, with this error or none: the next one, or a smaller one again. Counts of ranges
 * that are complete are added to info. Returns an error that is final. */
int range_next(call *w, range *r, int err, imp_frame_info *info);

/* A rung of the ladder of scheduler_retry gives something up, or has nothing to give. Its answer:
 * the next one has to give as well; try again; or the error is final. */
enum retry_result { RETRY_MORE, RETRY_AGAIN, RETRY_END };
typedef enum retry_result retry_rung(call *w, attempt *a, int *err);

/* Those within a step: ccd_pass.c. */
retry_rung ccd_retry_leave, ccd_retry_release, ccd_retry_cut, ccd_retry_start;

/* ---- The scheduler: blocks of frames go through the stages, each by one pass. It alone chooses
 * the pass, does a block again with less where memory is short or on the host where the device
 * fails, obeys imp_cancel, and takes the time. */

/* Takes all of w->frames, `count` of them, or the steps between these. host: the pipeline that
 * may continue on the host if its device fails; NULL: none may. Errors: as imp_detect. */
int scheduler_run(call *w, imp *host, size_t count, imp_frame_info *info);

/* ---- While the host waits for a device with memory of its own, points of the next block go there,
 * part by part, and rows of the block before (scheduler.h) go to the sink. */

/* The points that come after those of the current block: frame [count], of the next view; 0: none
 * are known. For each block, before its pass. */
void prefetch_set(call *w, const imp_frame *frame, size_t count);

/* From here on the host does so while it waits, until prefetch_end. Before bounds are made the view
 * must have one instant. */
void prefetch_begin(call *w);
void prefetch_end(call *w);

/* Memory is short: frees what is not in use, and for the rest of the call nothing more comes ahead.
 * Returns whether there was any. */
int prefetch_release(call *w);

/* The caller may change the points of which there are copies. */
void prefetch_drop(call *w);

/* ---- Rows of a block that come from a device, and go to the sink, while it searches for the
 * candidates of the next block. The host waits for these, and the device needs nothing of the block
 * any more.
 */

/* All zero at first. */
typedef struct pending_output {
    block_view view; /* of that block */
    output_target to;
    size_t frame0;
    delivered count; /* rows before the ones that are due */
    int open;
    int err; /* of those that went to the sink while the device was waited for */
} pending_output;

/* May rows of primitives [first, last) of the current view come later? */
int pending_output_may(const call *w, uint32_t first, uint32_t last);

/* What contact_begin has left is due. Errors: MEMORY; then nothing is. */
int pending_output_leave(call *w);

/* Are rows of the block before still due? */
int pending_output_before(const call *w);

/* Hands out what is due of the block before. Errors: DEVICE, CANCELLED. */
int pending_output_deliver(call *w);

/* Forgets it, after waiting for it. */
void pending_output_drop(call *w);

/* The device failed: does that take rows of the block before with it? They are forgotten. */
int pending_output_lost(call *w);

/* ---- Passes: ways of a block through the stages. Each is a file. Its last function lists the
 * stages, bound -> broad -> narrow -> order -> rows. The scheduler chooses one for each block. */

typedef struct pass {
    const char *name;                          /* as imp_frame_info has it */
    int (*run)(call *w, imp_frame_info *info); /* info: [frames], zero */
} pass;

extern const pass full_pass;        /* the ordinary one */
extern const pass incremental_pass; /* a frame that continues from the one before */
extern const pass ccd_pass;         /* what meets between two instants, and when */

/* Can the current view continue from the frame before? If so, finds what moved. Errors: MEMORY,
 * DEVICE.
 */
int incremental_pass_can(call *w, int *can);

#endif
