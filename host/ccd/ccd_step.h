/* Contacts between two instants of frames, while vertices move linearly, or bodies turn: what
 * passes keep of them, and how pairs of features become rows. ccd_pass.c is the pass.
 *
 * All frames of a block have one mesh, so what is known of its features holds for all of them.
 * Feature pairs are of prims; from feature tests on primitives and vertices are those of the mesh,
 * and the frame stands beside them. */
#ifndef IMP_CCD_STEP_H
#define IMP_CCD_STEP_H

#include "columns.h"
#include "feature_tests.h"
#include "rep_features.h"
#include "stages.h"
#include "rigid_ccd.h"

/* Where the rows of a frame of a block begin. */
typedef struct step_start {
    uint64_t impact; /* among those that were found on the way */
    uint64_t seen;   /* in delivered.seen of the output, once they are handed out */
    uint64_t own;    /* among those of the start within bodies that turn */
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
    uint8_t *excluded;      /* [frames * prims] take no part; NULL: none are left out */
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
typedef struct feature_pair {
    uint32_t a, b, code; /* prims, and their features as in feature_pairs */
} feature_pair;

typedef struct feature_pair_list {
    feature_pair *list;
    size_t count, capacity;
} feature_pair_list;

/* Two features, and whether and when they meet. */
typedef struct feature_test {
    uint32_t frame;
    feature of[2]; /* of a and of b: of a vertex and a face in any order, or two edges */
    int meets, kind;
    double toi;
} feature_test;

/* Its four vertices: of a face and a vertex, or of two edges. */
void feature_test_vertices(const feature_test *e, uint32_t v[4]);

/* Sets `meets` and `toi`, exactly. */
void feature_test_decide(const context *c, const block_view *v, feature_test *of);

/* The contact of two primitives by one of their pairs of features. */
typedef struct impact {
    uint32_t frame, a, b;
    uint32_t vertex[4]; /* of a face and a vertex, or of two edges */
    int kind;           /* enum imp_kind; 0: dropped */
    double toi;
    int64_t feature[2];
} impact;

typedef struct impact_list {
    impact *list;
    size_t count, capacity;
} impact_list;

/* What a thread has found, and where that goes. */
typedef struct impact_part {
    impact_list impacts;
    size_t to;
} impact_part;

typedef struct ccd_step {
    /* over both instants, of the pass: */
    const block_view *view;
    const bounds *bounds;
    narrow *narrow;
    const rigid_ccd *rigid; /* of the block; NULL: nothing turns */
    feature_tests features;
    rep_features rep;
    buffer_u32 rep_bits;      /* [prims] rep.bits of each frame, on the device */
    uint32_t rep_bits_frames; /* that it has, of `rep` and without what a step leaves out */
    int cuts; /* memory is short: found.to may come nearer while impacts are found */
    feature_pair_list pairs;
    impact_list impacts, first; /* all; the first of each pair */
    size_t packed;              /* impacts after the last impact_partition_pack */
    impact_part *part;          /* [parts] of threads */
    int parts;
    step_rows found; /* rows in order of (frame, toi, a, b), and which are wanted */
} ccd_step;

/* The first prim of a frame, and the frame of a prim. */
static inline uint32_t ccd_step_first_prim(const ccd_step *m, uint32_t frame)
{
    return frame * m->found.prims;
}

static inline uint32_t ccd_step_frame(const ccd_step *m, uint32_t prim)
{
    return prim / m->found.prims;
}

/* Without the primitives that take no part in a frame. */
static inline rep_features ccd_step_features(const ccd_step *m, uint32_t frame)
{
    rep_features t = m->rep;
    t.excluded = m->found.excluded ? m->found.excluded + ccd_step_first_prim(m, frame) : NULL;
    return t;
}

/* Which primitives take no part in the frames of the view, whose bounds are made, and what the
 * others own: m->found.excluded, m->rep, m->rep_bits. same_call: the last mesh was of the same call
 * of imp_detect. Errors: MEMORY. */
int ccd_step_owners(const context *c, int same_call, ccd_step *m);

/* The features of a pair, without an answer. */
void feature_test_open(const ccd_step *m, const feature_pair *h, feature_test *out);

/* From memory to caches: where the vertices of a frame are at both instants. */
void ccd_step_fetch_points(const ccd_step *m, uint32_t frame, const uint32_t vertex[4]);

/* A sample of the pairs of features, against m->pairs, which has those that the device does not
 * take for apart: what it says of the others, exactly. Errors: DEVICE for a difference, CANCELLED.
 */
int ccd_step_verify(const context *c, ccd_step *m);

/* Decides which pairs of a range meet, and when, exactly; adds to m->impacts all pairs of
 * primitives with such features that the rules allow. Errors: MEMORY, CANCELLED. */
int impacts_add(const context *c, ccd_step *m);

/* May these primitives of one frame have a contact, by the rules? */
int impacts_allowed(const context *c, const ccd_step *m, uint32_t i, uint32_t j);

/* Adds to m->impacts those of the candidates with a body that turns, which all have different
 * pairs. c: of the pass; given: with the caller's rules. The candidates become prims. Errors:
 * MEMORY, CANCELLED. */
int rigid_impacts_take(const context *c, const context *given, ccd_step *m, candidates *found);

/* Is an impact of such a pair? Then its two points, in the unit of its frame. */
int impact_is_rigid(const ccd_step *m, const impact *e);
void rigid_impact_points(const context *c, const ccd_step *m, const impact *of, double out[6]);

/* Are two impacts of the same primitives? Is then x the contact rather than y? */
int impact_same_pair(const impact *x, const impact *y);
int impact_comes_first(const impact *x, const impact *y);

/* Are there more impacts than memory has room for to make rows of them? */
int impact_partition_many(const context *c, const ccd_step *m);

/* Of each pair of primitives only the first impact up to now stays: there may be as many as pairs
 * of features that both have. */
void impact_partition_pack(ccd_step *m);

/* While impacts are found: packs them where they take much. If m->cuts and there are too many for
 * their rows, impact_partition_cut. */
void impact_partition_make_room(const context *c, ccd_step *m);

/* After an error for want of memory, of a block of one step: of the rows that are known up to then
 * the later half is not wanted any more, and its impacts go. 0: that is no help, since they are
 * few.
 */
int impact_partition_cut(const context *c, ccd_step *m);

/* When all ranges have added theirs: of all pairs that do not meet at the start the first contact
 * goes to m->found, if it is one of those that are wanted. Errors: MEMORY. */
int impact_output_rows(const context *c, ccd_step *m);

#endif
