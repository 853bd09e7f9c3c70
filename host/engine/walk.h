/* A walk of frames through the stages: what passes work on, and what they share. */
#ifndef IMP_WALK_H
#define IMP_WALK_H

#include "engine.h"
#include "handout.h"
#include "moving.h"

typedef struct walk {
    const context *c;
    workspace *r;
    imp_profile *t;
    handout out;
    slots *model; /* the model that the frame is of: model.c; else NULL */
    int any;      /* one contact is enough: imp_touches */
    int steps;    /* between each frame and the next: imp_def.continuous */
    /* the second instants of the block's frames: of its view, else NULL; of pass_moving alone */
    const imp_frame *to, *next;
    const imp_frame *later; /* [later_count] whose points the next block needs: ahead.h */
    size_t later_count;
    struct due *due;             /* rows of the block before: due.h */
    imp_frame_info *info;        /* of the block's frames */
    const char *reason;          /* why the block is not incremental; "": it is */
    const struct pass *start;    /* of pass_moving: the pass of the first instants, */
    struct moving *moving;       /* and what its own walk fills, */
    const context *given;        /* by these options */
    const struct turning *turns; /* the bodies that turn in the block's steps; NULL: none */
    double stage_start;          /* of walk_time */
    int alone; /* memory was short: the block keeps nothing, and uses nothing that is kept */
} walk;

/* What pass_moving.c works with, beside the workspace of the block. */
typedef struct step_workspace {
    moving moving;
    workspace work; /* over both instants; `moving` has its view, bounds and narrow */
    handout_step rows;
} step_workspace;

/* Seconds, without those that the sink takes. */
double walk_clock(const walk *w);

/* Adds the time since walk_start, or since the last walk_time, to a stage. */
void walk_start(walk *w);
void walk_time(walk *w, double *stage);

/* The same where a stage ends. Waits for the device if stages are to be timed (internal.h); else
 * what it does later counts as the stage's that waits for it. */
int walk_stage(walk *w, double *stage);

/* Adds what contact_emit took for exact arithmetic, and counts what was decided again. */
void walk_exact(walk *w);
void walk_verified(walk *w, sample *s);

/* What the broad phase sees of the walk. kept: its table is kept for the next frame. */
broad_input walk_input(const walk *w, int kept);

/* The number of candidates of a piece: a third of the free memory holds them and what narrow makes
 * of them. */
uint64_t walk_piece(const context *c);

/* Contacts whose lower primitive is in [first, last) of the view, to the sink. */
typedef int range_detect(walk *w, uint32_t first, uint32_t last, imp_frame_info *info);

/* All of a view, whose broad phase is built: in one range if memory allows, else in halves, and so
 * on. Adds to info[frames]. */
int walk_ranges(walk *w, range_detect *detect, imp_frame_info *info);

/* Opens this frame instead of the view's; by: as view.slots. */
int walk_view(walk *w, const imp_frame *frame, size_t count, slots *by);

#endif
