/* The number of frames that go through the stages together; a call's state; retries; passes. */
#ifndef IMP_SCHEDULER_H
#define IMP_SCHEDULER_H

#include "broad.h"
#include "ccd_step.h"
#include "engine.h"
#include "output.h"

/* The length of the next block: a number of the next `count` frames, at most `most` if that is not
 * 0. */
size_t scheduler_block_length(const context *c, const broad *b, uint32_t most,
                              const imp_frame *frame, size_t count);

/* ---- A call: the state of one imp_detect, which the scheduler and its passes share. */

/* members: the state of one imp_detect, which the scheduler and its passes share */
typedef struct call {
    const context *c;
    workspace *r;
    imp_profile *t;
    const imp_frame *frames; /* all frames of the call */
    output out;
    persistent_ids *model; /* model.c: the model that is queried; else NULL */
    int any;               /* imp_touches: one contact is enough */
    int steps;             /* imp_def.continuous */
    /* frames at the end of the block's steps: `to` those of the view, `next` those of ccd_pass; or
     * NULL */
    const imp_frame *to, *next;
    const imp_frame *upcoming; /* [upcoming_count] the frames whose points the next block needs */
    size_t upcoming_count;
    struct pending_output *pending; /* rows of the block before */
    imp_frame_info *info;           /* [frames] of the block */
    const char *reason;             /* why the block is not incremental; "": it is */
    const struct pass *start_pass;  /* ccd_pass: the pass of the steps' starts */
    struct ccd_step *ccd;           /* ccd_pass's own call: the step data that it fills */
    const context *caller;          /* ccd_pass's own call: the context with the caller's options */
    const struct rigid_ccd *rigid;  /* the bodies that rotate in the block's steps; NULL: none */
    double stage_start;             /* for call_stage_time */
    int no_cache; /* memory was short: the block neither writes nor uses the cache */
    imp *host; /* the pipeline that falls back to the host if its device fails; NULL: no fallback */
} call;

/* The data of ccd_pass.c beside the block's workspace. */
typedef struct step_workspace {
    ccd_step ccd;
    workspace work; /* over both instants; `ccd` points to its view, bounds and narrow */
    output_step rows;
} step_workspace;

/* Makes r->step, if it is not there. Errors: MEMORY. */
int step_workspace_open(const context *c, workspace *r);

/* Seconds on a clock that stops while the sink runs. */
double call_clock(const call *w);

/* Adds the time since call_stage_begin, or since the last call_stage_time, to a stage. */
void call_stage_begin(call *w);
void call_stage_time(call *w, double *stage);

/* call_stage_time at the end of a stage. Waits for the device if stages are timed
 * (imp_force_timed); else later device work counts in the stage that waits for it. */
int call_stage_end(call *w, double *stage);

/* Adds the time of exact arithmetic in contact_emit; counts the re-checked candidates. */
void call_add_exact(call *w);
void call_add_verified(call *w, sample *s);

/* The broad phase's input. cached: its table is kept for the next frame. */
broad_input call_broad_input(const call *w, int cached);

/* The maximum number of candidates in a piece: a third of the free memory holds them and the data
 * that narrow makes of them. */
uint64_t call_piece_candidates(const context *c);

/* Opens a view of these frames instead of the current one; by: as block_view.ids. */
int call_view(call *w, const imp_frame *frame, size_t count, persistent_ids *by);

/* ---- Retries: with less where memory is short, or on the host where the device fails. A loop is
 * `do err = ...; while (scheduler_retry(w, &a, &err));`. */

/* The part of the work that an attempt covers. */
enum attempt_of {
    ATTEMPT_BLOCK = 1,  /* the pass of a block */
    ATTEMPT_RANGE = 2,  /* a range of a view's primitives */
    ATTEMPT_STEP = 4,   /* ccd_pass: the impacts of a step, or of a part of it */
    ATTEMPT_ROWS = 8,   /* ccd_pass: the rows of these impacts */
    ATTEMPT_START = 16, /* ccd_pass: the pass of the step's start */
};

/* Zero at first, except `of`. */
typedef struct attempt {
    enum attempt_of of;
    size_t frames;        /* BLOCK: its number; 0: rows of the block before were lost too */
    uint32_t first, last; /* RANGE: its primitives */
    delivered at;         /* START: rows delivered before it */
    int released;         /* memory was freed. BLOCK: prefetched points; START: the search's data */
} attempt;

/* After an attempt that ended with *err or without an error: returns whether to try again, and has
 * then freed memory or replaced the device. Else *err is final, and may be another one. */
int scheduler_retry(call *w, attempt *a, int *err);

/* The current range of a view whose broad phase is built. The first range is the whole view; where
 * memory is short it is halved, repeatedly. */
typedef struct range {
    attempt a; /* the range: contacts whose lower primitive is in [a.first, a.last) */
    uint32_t prims;
    imp_frame_info *part; /* [frames] counts of this range */
} range;

int range_first(call *w, range *out); /* Errors: MEMORY */
void range_close(const call *w, range *r);

static inline int range_more(const range *r)
{
    return r->a.first < r->prims;
}

/* After a range that ended with `err` or without an error: moves to the next range, or to a smaller
 * one again. Adds the counts of a complete range to info. Returns an error that is final. */
int range_next(call *w, range *r, int err, imp_frame_info *info);

/* A step of scheduler_retry frees something, if it can. MORE: the next step must free memory as
 * well; AGAIN: try again; END: the error is final. */
enum retry_result { RETRY_MORE, RETRY_AGAIN, RETRY_END };
typedef enum retry_result retry_rung(call *w, attempt *a, int *err);

/* The steps for continuous detection: ccd_pass.c. */
retry_rung ccd_retry_leave, ccd_retry_release, ccd_retry_cut, ccd_retry_start;

/* ---- The scheduler: blocks of frames go through the stages, each by one pass. It alone chooses
 * the pass, repeats a block with less where memory is short or on the host where the device fails,
 * obeys imp_cancel, and measures time. */

/* Computes all of w->frames, `count` of them, or the steps between these. host: the pipeline that
 * falls back to the host if its device fails; NULL: no fallback. Errors: as imp_detect. */
int scheduler_run(call *w, imp *host, size_t count, imp_frame_info *info);

/* ---- While the host waits for a device with memory of its own, points of the next block are
 * copied to it, part by part, and rows of the block before are delivered to the sink. */

/* Sets the frames of the next view, whose points are prefetched: frame [count]; 0: unknown. Called
 * for each block, before its pass. */
void prefetch_set(call *w, const imp_frame *frame, size_t count);

/* Until prefetch_end the host does this while it waits. If bounds are not made yet, the view must
 * have one instant. */
void prefetch_begin(call *w);
void prefetch_end(call *w);

/* Memory is short: frees unused copies and ends prefetching for the rest of the call. Returns
 * whether anything was freed. */
int prefetch_release(call *w);

/* Invalidates the copies of points: the caller may change the points. */
void prefetch_drop(call *w);

/* ---- Pending output: a block's rows that are read back from the device and delivered to the sink
 * while the device searches for the candidates of the next block. The host waits for these
 * candidates anyway, and the device no longer needs data of the earlier block. */

/* Zero at first. */
typedef struct pending_output {
    block_view view; /* the view of the earlier block */
    output_target to;
    size_t frame0;
    delivered count; /* rows before the pending ones */
    int open;
    int err; /* error of rows delivered while the host waited for the device */
} pending_output;

/* Returns whether rows of primitives [first, last) of the current view may be delivered later. */
int pending_output_may(const call *w, uint32_t first, uint32_t last);

/* Takes over the output that contact_begin left unfinished. Errors: MEMORY; then nothing is
 * pending. */
int pending_output_leave(call *w);

/* Returns whether rows of the block before are still pending. */
int pending_output_before(const call *w);

/* Delivers the pending rows of the block before. Errors: DEVICE, CANCELLED. */
int pending_output_deliver(call *w);

/* Waits for the readback and discards it. */
void pending_output_drop(call *w);

/* After a device failure: discards pending rows and returns whether any rows of the block before
 * were lost. */
int pending_output_lost(call *w);

/* ---- Passes: each takes a block through the stages bound -> broad -> narrow -> order -> rows,
 * which the last function of its file lists. The scheduler chooses one for each block. */

typedef struct pass {
    const char *name;                          /* imp_frame_info.pass */
    int (*run)(call *w, imp_frame_info *info); /* info: [frames], zero */
} pass;

extern const pass full_pass;        /* the ordinary one */
extern const pass incremental_pass; /* a frame that continues from the one before */
extern const pass feature_pass;     /* rows of feature pairs within a distance */
extern const pass object_pass;      /* rows of the nearest primitives of objects */
extern const pass inside_pass;      /* vertices inside closed objects, and relations */
extern const pass ccd_pass; /* continuous detection: contacts within a step, and their toi */

/* *can: whether the current view continues from the frame before; if so, finds the dirty set.
 * Errors: MEMORY, DEVICE. */
int incremental_pass_can(call *w, int *can);

#endif
