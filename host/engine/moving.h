/* Contacts between two instants of a frame, while vertices move linearly: what passes keep of them,
 * and how pairs of features become rows. pass_moving.c is the pass. */
#ifndef IMP_MOVING_H
#define IMP_MOVING_H

#include "feature.h"
#include "incidence.h"
#include "engine.h"

/* Two features of which the device says that they meet, or does not know it. */
typedef struct hit {
    uint32_t a, b, code; /* prims, and their features as in feature_pairs */
} hit;

typedef struct hit_list {
    hit *list;
    size_t count, capacity;
} hit_list;

/* Two features, and whether and when they meet. */
typedef struct meeting {
    feature of[2]; /* of a and of b: of a vertex and a face in any order, or two edges */
    int meets, kind;
    double share;
} meeting;

/* Its four vertices: of a face and a vertex, or of two edges. */
void meeting_vertices(const meeting *e, uint32_t v[4]);

/* Sets `meets` and `share`, exactly. */
void meeting_decide(const context *c, const view *v, meeting *of);

/* The contact of two primitives by one of their pairs of features. */
typedef struct event {
    uint32_t a, b;
    uint32_t vertex[4]; /* of a face and a vertex, or of two edges */
    int kind;           /* enum imp_kind; 0: dropped */
    double share;
    int64_t feature[2];
} event;

typedef struct event_list {
    event *list;
    size_t count, capacity;
} event_list;

/* A place in the order of a step's rows. */
typedef struct moving_moment {
    double share;
    uint32_t a;
} moving_moment;

static inline int moment_before(double share, uint32_t a, const moving_moment *than)
{
    return share != than->share ? share < than->share : a < than->a;
}

typedef struct moving {
    workspace work; /* of bounds over both instants */
    features features;
    incidence incidence;
    buffer_u32 owned; /* incidence.owned on the device */
    uint8_t *left;    /* [prims] with a vertex that is not finite, at either instant; NULL: none */
    moving_moment from, to; /* rows are wanted from the one to before the other */
    size_t fit; /* events of the last such interval of the step, for which memory was enough */
    hit_list hits;
    event_list events, first; /* all; the first of each pair */
    size_t packed;            /* events after the last moving_pack */
    event_list *part;         /* [parts] what each thread has found */
    int parts;
    candidates asked;       /* whether they meet at the start */
    buffer_u32 key, number; /* of events, on their way through the sorter */
    contact_rows rows;      /* in order of (share, a, b) */
    handout_step step;
} moving;

/* Decides which hits of a range meet, and when, exactly; adds to m->events all pairs of primitives
 * with such features that the rules allow. Errors: MEMORY, CANCELLED. */
int moving_add(const context *c, moving *m);

/* Of each pair of primitives only the first event up to now stays: there may be as many as pairs of
 * features that both have. */
void moving_pack(moving *m);

/* When all ranges have added theirs: of all pairs that do not meet at the start the first contact
 * goes to m->rows, if it is one of those that are wanted. Errors: MEMORY. */
int moving_rows(const context *c, moving *m);

/* After an error for want of memory: of the rows that are known up to then the later half is not
 * wanted any more. Rows of share 0 stay together: they are handed out among those of the start. 0:
 * that is no help, since they are few. */
int moving_halve(const context *c, moving *m);

#endif
