/* Contacts between two instants of frames, while vertices move linearly, or bodies turn: what
 * passes keep of them, and how pairs of features become rows. pass_moving.c is the pass.
 *
 * All frames of a block have one mesh, so what is known of its features holds for all of them.
 * Hits are of prims; from meetings on primitives and vertices are those of the mesh, and the frame
 * stands beside them. */
#ifndef IMP_MOVING_H
#define IMP_MOVING_H

#include "contact_rows.h"
#include "feature.h"
#include "incidence.h"
#include "stages.h"
#include "turning.h"

/* Where the rows of a frame of a block begin. */
typedef struct step_start {
    uint64_t way;  /* among those that were found on the way */
    uint64_t seen; /* in handout.seen, once they are handed out */
    uint64_t own;  /* among those of the start within bodies that turn */
} step_start;

/* A place in the order of a step's rows. */
typedef struct step_moment {
    double toi;
    uint32_t a, b;
} step_moment;

/* Past every row of a step. */
extern const step_moment step_end;

static inline int moment_before(double toi, uint32_t a, uint32_t b, const step_moment *than)
{
    return toi != than->toi ? toi < than->toi : a != than->a ? a < than->a : b < than->b;
}

/* What was found on the way between two instants of a block's frames, which have one mesh. */
typedef struct step_rows {
    contact_rows rows;      /* by the caller's numbers, frame by frame, each in order */
    step_start *start;      /* [frames + 1] */
    uint32_t frames, prims; /* prims: of each frame */
    uint8_t *left;          /* [frames * prims] take no part; NULL: none are left out */
    const uint32_t *body;   /* [prims] turning.body; NULL: nothing turns */
    step_moment from, to;   /* rows are wanted from the one to before the other; of several
                               frames all are */
} step_rows;

/* Is a row at this place wanted? */
static inline int step_wants(const step_rows *of, double toi, uint32_t a, uint32_t b)
{
    return !moment_before(toi, a, b, &of->from) && moment_before(toi, a, b, &of->to);
}

/* Is it a later part of a step, of which earlier rows were handed out? */
static inline int step_is_later(const step_rows *of)
{
    return moment_before(0, 0, 0, &of->from);
}

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
    uint32_t frame;
    feature of[2]; /* of a and of b: of a vertex and a face in any order, or two edges */
    int meets, kind;
    double toi;
} meeting;

/* Its four vertices: of a face and a vertex, or of two edges. */
void meeting_vertices(const meeting *e, uint32_t v[4]);

/* Sets `meets` and `toi`, exactly. */
void meeting_decide(const context *c, const view *v, meeting *of);

/* The contact of two primitives by one of their pairs of features. */
typedef struct event {
    uint32_t frame, a, b;
    uint32_t vertex[4]; /* of a face and a vertex, or of two edges */
    int kind;           /* enum imp_kind; 0: dropped */
    double toi;
    int64_t feature[2];
} event;

typedef struct event_list {
    event *list;
    size_t count, capacity;
} event_list;

/* What a thread has found, and where that goes. */
typedef struct event_part {
    event_list events;
    size_t to;
} event_part;

typedef struct moving {
    /* over both instants, of the pass: */
    const view *view;
    const bounds *bounds;
    narrow *narrow;
    const turning *turns; /* of the block; NULL: nothing turns */
    features features;
    incidence incidence;
    buffer_u32 owned;      /* [prims] incidence.owned of each frame, on the device */
    uint32_t owned_frames; /* that it has, of the incidence and without what a step leaves out */
    int cuts;              /* memory is short: found.to may come nearer while events are found */
    hit_list hits;
    event_list events, first; /* all; the first of each pair */
    size_t packed;            /* events after the last moving_pack */
    event_part *part;         /* [parts] of threads */
    int parts;
    step_rows found; /* rows in order of (frame, toi, a, b), and which are wanted */
} moving;

/* The first prim of a frame, and the frame of a prim. */
static inline uint32_t moving_first(const moving *m, uint32_t frame)
{
    return frame * m->found.prims;
}

static inline uint32_t moving_frame(const moving *m, uint32_t prim)
{
    return prim / m->found.prims;
}

/* Without the primitives that take no part in a frame. */
static inline incidence moving_incidence(const moving *m, uint32_t frame)
{
    incidence t = m->incidence;
    t.left = m->found.left ? m->found.left + moving_first(m, frame) : NULL;
    return t;
}

/* Which primitives take no part in the frames of the view, whose bounds are made, and what the
 * others own: m->found.left, m->incidence, m->owned. same_call: the last mesh was of the same call
 * of imp_detect. Errors: MEMORY. */
int moving_owners(const context *c, int same_call, moving *m);

/* The features of a hit, without an answer. */
void hit_features(const moving *m, const hit *h, meeting *out);

/* From memory to caches: where the vertices of a frame are at both instants. */
void moving_fetch_points(const moving *m, uint32_t frame, const uint32_t vertex[4]);

/* A sample of the pairs of features, against m->hits, which has those that the device does not take
 * for apart: what it says of the others, exactly. Errors: DEVICE for a difference, CANCELLED. */
int moving_verify(const context *c, moving *m);

/* Decides which hits of a range meet, and when, exactly; adds to m->events all pairs of primitives
 * with such features that the rules allow. Errors: MEMORY, CANCELLED. */
int moving_add(const context *c, moving *m);

/* May these primitives of one frame have a contact, by the rules? */
int moving_allowed(const context *c, const moving *m, uint32_t i, uint32_t j);

/* Adds to m->events those of the candidates with a body that turns, which all have different pairs.
 * c: of the pass; given: with the caller's rules. The candidates become prims. Errors: MEMORY,
 * CANCELLED. */
int moving_take_turning(const context *c, const context *given, moving *m, candidates *found);

/* Is an event of such a pair? Then its two points, in the unit of its frame. */
int moving_turns(const moving *m, const event *e);
void moving_turning_points(const context *c, const moving *m, const event *of, double out[6]);

/* Are two events of the same primitives? Is then x the contact rather than y? */
int moving_same_pair(const event *x, const event *y);
int moving_comes_first(const event *x, const event *y);

/* Are there more events than memory has room for to make rows of them? */
int moving_many(const context *c, const moving *m);

/* Of each pair of primitives only the first event up to now stays: there may be as many as pairs of
 * features that both have. */
void moving_pack(moving *m);

/* While events are found: packs them where they take much. If m->cuts and there are too many for
 * their rows, moving_cut. */
void moving_make_room(const context *c, moving *m);

/* After an error for want of memory, of a block of one step: of the rows that are known up to then
 * the later half is not wanted any more, and its events go. 0: that is no help, since they are few.
 */
int moving_cut(const context *c, moving *m);

/* When all ranges have added theirs: of all pairs that do not meet at the start the first contact
 * goes to m->found, if it is one of those that are wanted. Errors: MEMORY. */
int moving_rows(const context *c, moving *m);

#endif
