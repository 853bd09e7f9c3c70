/* A call: frames on their way through the stages, what passes work on, and what they share. */
#ifndef IMP_WALK_H
#define IMP_WALK_H

#include "engine.h"
#include "handout.h"
#include "moving.h"

typedef struct call {
    const context *c;
    workspace *r;
    imp_profile *t;
    output out;
    persistent_ids *model; /* the model that the frame is of: model.c; else NULL */
    int any;               /* one contact is enough: imp_touches */
    int steps;             /* between each frame and the next: imp_def.continuous */
    /* the second instants of the block's frames: of its view, else NULL; of ccd_pass alone */
    const imp_frame *to, *next;
    const imp_frame *upcoming; /* [upcoming_count] whose points the next block needs: ahead.h */
    size_t upcoming_count;
    struct pending_output *pending; /* rows of the block before: due.h */
    imp_frame_info *info;           /* of the block's frames */
    const char *reason;             /* why the block is not incremental; "": it is */
    const struct pass *start_pass;  /* of ccd_pass: the pass of the first instants, */
    struct ccd_step *ccd;           /* and what its own call fills, */
    const context *caller;          /* by these options */
    const struct rigid_ccd *rigid;  /* the bodies that turn in the block's steps; NULL: none */
    double stage_start;             /* of call_stage_time */
    int no_cache; /* memory was short: the block keeps nothing, and uses nothing that is kept */
} call;

/* What pass_moving.c works with, beside the workspace of the block. */
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

/* Contacts whose lower primitive is in [first, last) of the view, to the sink. */
typedef int range_detect(call *w, uint32_t first, uint32_t last, imp_frame_info *info);

/* All of a view, whose broad phase is built: in one range if memory allows, else in halves, and so
 * on. Adds to info[frames]. */
int call_ranges(call *w, range_detect *detect, imp_frame_info *info);

/* Opens this frame instead of the view's; by: as block_view.ids. */
int call_view(call *w, const imp_frame *frame, size_t count, persistent_ids *by);

#endif
