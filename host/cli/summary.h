/* The summary that `run` and `bench` print at the end, as text and as JSON. */
#ifndef IMP_SUMMARY_H
#define IMP_SUMMARY_H

#include "json.h"
#include "output_file.h"
#include "devices.h"
#include "job.h"
#include "exports.h"
#include "relation_sums.h"

/* Wall seconds of each stage. In `run`, load and save overlap with the others, and so do the stages
 * of several devices: their sum may exceed the total. */
enum stage {
    STAGE_LOAD,
    STAGE_BOUND,
    STAGE_BROAD,
    STAGE_ORDER,
    STAGE_NARROW,
    STAGE_EXACT, /* a part of narrow */
    STAGE_SAVE,
    STAGE_EVENTS, /* to count them, after the total */
    STAGE_TOTAL,
    STAGE_DETECT,
    STAGES
};
extern const char *const stage_names[STAGES];

/* A stage of files: where all frames are in memory nothing is loaded, saved or counted. */
static inline int stage_is_of_files(int stage)
{
    return stage == STAGE_LOAD || stage == STAGE_SAVE || stage == STAGE_EVENTS;
}

/* Copies a pipeline's seconds to their stages. */
void stage_seconds(const imp_profile *t, double seconds[STAGES]);

/* Sums over frames. */
typedef struct frame_sums {
    uint64_t candidates, contacts, undecided, bad, entries_written;
    uint64_t candidates_vf, candidates_ee; /* with --continuous */
    int features;                          /* candidates_vf and candidates_ee are known */
    uint64_t candidates_max, contacts_max; /* maximum over frames */
    uint64_t contacts_frame;               /* the first frame with contacts_max */
    uint64_t contact_frames;               /* frames with a contact */
    double seconds;
} frame_sums;

frame_sums frame_sums_of(const result_info *i);

/* members: the figures that are printed */
typedef struct summary {
    const char *input, *device, *broad;
    const devices *p;                     /* without open devices nothing was computed */
    uint64_t frames, primitives, objects; /* with --continuous, frames are steps */
    uint64_t ghosts;                      /* cells of these frames that are left out */
    frame_sums total;
    int continuous, near; /* --continuous; rows: contact_sums_json_kinds */
    uint32_t verify;      /* --verify; 0: not given */
    uint64_t peak_bytes;
    first_contact first; /* the first contact of all, or the nearest pair, if there is one */
    uint64_t most_frame; /* the first frame of the input with total.contacts_max */
    int events_known;
    size_t events;                  /* the number of events, if events_known */
    const contact_sums *sums;       /* sums over all contacts, after tally_merge */
    const relation_sums *relations; /* with --inside; NULL: not known */
    const region_sums *regions;     /* with --regions; NULL: not known */
    const batch_names *names;
    const warnings *warnings;
} summary;

/* Fills in the facts that the input and the pipelines know; there may be no pipeline. */
summary summary_begin(const job *w, const devices *p);

/* Begins and ends one document, an object, as a text. Unless json_end is reached, text_output_end
 * must be called with an error, which removes the text. */
int json_begin(json *j, text_output *to);
int json_end(json *j, text_output *to);

/* Writes the members that all documents share, into an open object. */
void summary_json(json *j, const summary *s);

/* The regions in one line, and in a document. */
void region_sums_print(const region_sums *s, const batch_names *names);

uint64_t summary_peak_rss(void);

#endif
