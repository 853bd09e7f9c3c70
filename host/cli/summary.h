/* The summary that `run` and `bench` print at the end, as text and as JSON. */
#ifndef IMP_SUMMARY_H
#define IMP_SUMMARY_H

#include "json.h"
#include "output_file.h"
#include "devices.h"
#include "job.h"

/* Wall seconds of each stage, which is a part of the work. In `run` load and save overlap with the
 * others, and so do the stages of several devices: their sum may be more than the total. */
enum stage {
    STAGE_LOAD,
    STAGE_BOUND,
    STAGE_BROAD,
    STAGE_ORDER,
    STAGE_NARROW,
    STAGE_EXACT, /* a part of narrow */
    STAGE_SAVE,
    STAGE_TOTAL,
    STAGE_DETECT,
    STAGES
};
extern const char *const stage_names[STAGES];

/* The seconds of a pipeline, in their stages. */
void stage_seconds(const imp_profile *t, double seconds[STAGES]);

/* Sums over frames. */
typedef struct frame_sums {
    uint64_t candidates, contacts, undecided, bad, entries_written;
    uint64_t candidates_vf, candidates_ee; /* with --continuous, */
    int features;                          /* if they are known */
    uint64_t candidates_max, contacts_max; /* of a frame */
    uint64_t contacts_frame;               /* the first frame with contacts_max */
    uint64_t contact_frames;               /* frames with a contact */
    double seconds;
} frame_sums;

frame_sums frame_sums_of(const result_info *i);

typedef struct summary {
    const char *input, *device, *broad;
    const devices *p;                     /* none is open: nothing was computed */
    uint64_t frames, primitives, objects; /* with --continuous frames are steps */
    uint64_t ghosts;                      /* cells of these frames that are left out */
    frame_sums total;
    int continuous;
    uint32_t verify; /* 0: not asked for */
    uint64_t peak_bytes;
    first_contact first;      /* of all, if it is known */
    const contact_sums *sums; /* of all contacts, after tally_merge */
    const batch_names *names;
    const warnings *warnings;
} summary;

/* What the input and the pipelines know, of which there may be none. */
summary summary_begin(const job *w, const devices *p);

/* One document, an object, as a text of its own. If json_end is not reached, text_output_end with
 * an error removes it. */
int json_begin(json *j, text_output *to);
int json_end(json *j, text_output *to);

/* The members that all documents share, into an open object. */
void summary_json(json *j, const summary *s);

uint64_t summary_peak_rss(void);

#endif
