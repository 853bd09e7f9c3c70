/* A walk of frames through the rooms: impinge.c; walk_next.c for a frame that goes on from the one
 * before, walk_near.c for other views of a frame. */
#ifndef IMP_WALK_H
#define IMP_WALK_H

#include "engine.h"
#include "faults.h"

/* Between the rooms and the caller's sink. A range or a block that has to be done again yields the
 * same contacts again: those that were handed out already are passed over. */
typedef struct gate {
    const imp_frame *frame; /* the caller's array */
    imp_sink *sink;
    void *user;
    size_t frame0;   /* the block's first frame in the caller's array */
    uint64_t seen;   /* contacts of all frames, as they come */
    uint64_t handed; /* the most that were ever handed out */
    uint64_t ranges; /* of complete ranges */
    uint64_t blocks; /* of complete blocks */
    keep *keep;      /* takes contacts of a frame that is to be kept */
    int refused;     /* what the caller's sink returned, if that was not 0 */
    double outside;  /* seconds spent in it, which belong to no room */
    faults *faults;  /* NULL: nobody counts them */
} gate;

/* An imp_sink: of a gate. */
int gate_sink(void *user, const imp_contacts *in);

/* A walk of frames through rooms. */
typedef struct walk {
    const context *c;
    rooms *r;
    imp_profile *t;
    gate gate;
    roster *model; /* whose frame it is: model.c; else NULL */
    int any;       /* one contact is enough: touches.c */
} walk;

/* All frames of the gate, `count` of them, and an imp_cancel that came meanwhile is heard. */
int walk_heard(walk *w, imp *p, size_t count, imp_frame_info *info);

/* The device has failed: reports it, and goes on with the host for good. */
int walk_fall_back(imp *p);

/* After an error kernels may still be at work on the caller's frames, which are about to go: waits
 * for them. Returns err, whose text stays. */
int walk_wait_out(const context *c, int err);

/* How many of the frames go together, at most so many if `most` is not 0: block.c. */
size_t walk_length(const context *c, uint32_t most, const imp_frame *frame, size_t count);

/* Adds the time since *start to *room, and starts anew. */
void room_time(double *room, double *start);

/* Candidates at a time: what a third of the free memory holds, with what narrow makes of them. */
uint64_t walk_piece(const context *c);

/* All pairs of the block, whose broad phase is built, to the gate: in one range if memory allows,
 * else in halves, and so on. */
int walk_ranges(walk *w, imp_frame_info *info);

/* Room 4: what the narrow room has collected. */
int walk_order(walk *w, double *start);

/* These frames instead of the block at hand; by: as block.roster. */
int walk_again(walk *w, const imp_frame *frame, size_t count, roster *by);

/* What of the block at hand cannot have a partner is left out, if that can be told beforehand and
 * nothing better is known: then nothing is kept for the next frame. After keep_begin. */
int walk_near(walk *w);

/* The frame after the one that is kept. *done stays 0 if nothing of it can be kept. */
int walk_next(walk *w, imp_frame_info *info, int *done);

#endif
