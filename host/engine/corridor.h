/* The corridor: blocks of frames walk through it, each by one pass. It alone chooses the pass, does
 * a block again with less where memory is short or on the host where the device fails, hears
 * imp_cancel, and takes the time. */
#ifndef IMP_CORRIDOR_H
#define IMP_CORRIDOR_H

#include "engine.h"

/* A walk of frames. */
typedef struct walk {
    const context *c;
    rooms *r;
    imp_profile *t;
    handout out;
    slots *model;        /* whose frame it is: model.c; else NULL */
    int any;             /* one contact is enough: touches.c */
    const imp_frame *to; /* the second instant of the one frame, else NULL: imp_sweep */
    int alone; /* memory was short: nothing of the current block is kept, before it or after it */
} walk;

/* All frames of w->out, `count` of them. host: whose device may be given up for the host; NULL: it
 * may not. Errors: as imp_detect. */
int corridor(walk *w, imp *host, size_t count, imp_frame_info *info);

/* ---- for passes */

/* Adds the time since *start, without the sink's, to *stage, and starts again. */
void corridor_time(walk *w, double *stage, double *start);
double corridor_clock(const walk *w);

/* How many candidates to take at a time: a third of the free memory holds them and what narrow makes
 * of them. */
uint64_t corridor_piece(const context *c);

/* Contacts whose lower primitive is in [first, last) of the view, to the sink. */
typedef int range_detect(walk *w, uint32_t first, uint32_t last, imp_frame_info *info);

/* All of a view, whose broad phase is built: in one range if memory allows, else in halves, and so
 * on. Adds to info[frames]. */
int corridor_ranges(walk *w, range_detect *detect, imp_frame_info *info);

/* Opens this frame instead of the view's; by: as view.slots. */
int corridor_view(walk *w, const imp_frame *frame, size_t count, slots *by);

#endif
