/* What `run` and `bench` tell about themselves at the end, as text and as JSON. */
#ifndef IMP_SUMMARY_H
#define IMP_SUMMARY_H

#include "json.h"
#include "work.h"

/* Wall seconds of each room. In `run` load and save go on while the others work: all together they
 * may be more than the total. */
enum room {
    ROOM_LOAD,
    ROOM_BOUND,
    ROOM_BROAD,
    ROOM_ORDER,
    ROOM_NARROW,
    ROOM_SAVE,
    ROOM_TOTAL,
    ROOM_DETECT,
    ROOMS
};
extern const char *const room_names[ROOMS];

typedef struct summary {
    const char *input, *device, *broad;
    uint64_t frames, primitives, objects;
    uint64_t candidates, contacts, candidates_max, undecided, bad;
    uint64_t peak_bytes;
} summary;

/* One document, an object, in a file or on stdout ("", as --json without FILE gives). */
int json_begin(json *j, const char *file);
int json_end(json *j, const char *file);

/* The members that all documents share, into an open object. */
void summary_json(json *j, const summary *s);

/* 1234567 as "1,234,567"; the last few results stay valid. */
const char *grouped(uint64_t n);

/* "1 frame", "2,000 frames" */
const char *counted(uint64_t n, const char *noun);

uint64_t peak_rss(void);

#endif
