/* Continuous detection between two instants of frames, while vertices move linearly or bodies
 * rotate: the data of a step, and the functions that turn feature pairs into rows. ccd_pass.c is
 * the pass.
 *
 * All frames of a block have one mesh, so its feature tables hold for all of them. A feature_pair
 * has prims; a feature_test and an impact have primitives and vertices of the mesh, and the
 * frame. */
#ifndef IMP_CCD_STEP_H
#define IMP_CCD_STEP_H

#include "columns.h"
#include "feature_tests.h"
#include "rep_features.h"
#include "stages.h"
#include "rigid_ccd.h"

/* Where the rows of a block's frame begin. */
typedef struct step_start {
    uint64_t impact; /* index of its first impact row */
    uint64_t seen;   /* delivered.seen of the output, once they are delivered */
    uint64_t own;    /* number of earlier rows of starts within rotating bodies */
} step_start;

/* A place in the order of a step's rows. */
typedef struct step_moment {
    double toi;
    uint32_t a, b;
} step_moment;

/* A place past every row of a step. */
extern const step_moment step_end;

static inline int moment_before(double toi, uint32_t a, uint32_t b, const step_moment *than)
{
    return toi != than->toi ? toi < than->toi : a != than->a ? a < than->a : b < than->b;
}

/* The impacts within the steps of a block's frames, which have one mesh. */
typedef struct step_rows {
    contact_rows rows;      /* with the caller's numbers, frame by frame, each in order */
    step_start *start;      /* [frames + 1] */
    uint32_t frames, prims; /* prims: of each frame */
    uint8_t *excluded;      /* [frames * prims] primitives that take no part; NULL: all take part */
    const uint32_t *body;   /* [prims] rigid_ccd.body; NULL: no body rotates */
    step_moment from, to;   /* wanted rows: [from, to); with several frames all */
} step_rows;

/* Returns whether a row at this place is wanted. */
static inline int step_wants(const step_rows *of, double toi, uint32_t a, uint32_t b)
{
    return !moment_before(toi, a, b, &of->from) && moment_before(toi, a, b, &of->to);
}

/* Returns whether this is a later part of a step, whose earlier rows were delivered. */
static inline int step_is_later(const step_rows *of)
{
    return moment_before(0, 0, 0, &of->from);
}

/* Two features that meet by the device's verdict, or are undecided. */
typedef struct feature_pair {
    uint32_t a, b, code; /* prims, and the code of their features as in feature_pairs */
} feature_pair;

typedef struct feature_pair_list {
    feature_pair *list;
    size_t count, capacity;
} feature_pair_list;

/* Two features, and the exact verdict whether and when they meet. */
typedef struct feature_test {
    uint32_t frame;
    feature of[2]; /* feature of a, then of b: a vertex and a face in either order, or two edges */
    int meets, kind;
    double toi;
} feature_test;

/* Its four vertices, of a face and a vertex, or of two edges; independent of which primitive's
 * numbering it was opened with. */
void feature_test_vertices(const feature_test *e, uint32_t v[4]);

/* Sets `meets` and `toi`, exactly. */
void feature_test_decide(const context *c, const block_view *v, feature_test *of);

/* The contact of two primitives by one of their feature pairs. */
typedef struct impact {
    uint32_t frame, a, b;
    uint32_t vertex[4]; /* those of a face and a vertex, or of two edges */
    int kind;           /* enum imp_kind; 0: dropped */
    double toi;
    int64_t feature[2];
} impact;

typedef struct impact_list {
    impact *list;
    size_t count, capacity;
} impact_list;

/* The impacts that a thread has found, and their destination. */
typedef struct impact_part {
    impact_list impacts;
    size_t to;
} impact_part;

typedef struct ccd_step {
    /* the pass's own, over both instants: */
    const block_view *view;
    const bounds *bounds;
    narrow *narrow;
    const rigid_ccd *rigid; /* the block's; NULL: no body rotates */
    feature_tests features;
    rep_features rep;
    buffer_u32 rep_bits;      /* [prims] rep.bits of each frame, on the device */
    uint32_t rep_bits_frames; /* number of frames in rep_bits, if it holds `rep` with no primitive
                                 excluded; else 0 */
    int cuts;                 /* memory is short: found.to may be lowered while impacts are found */
    feature_pair_list pairs;
    impact_list impacts, first; /* all impacts; the first impact of each pair */
    size_t packed;              /* number of impacts after the last impact_partition_pack */
    impact_part *part;          /* [parts] lists of threads */
    int parts;
    step_rows found; /* rows in order of (frame, toi, a, b), and the range of wanted ones */
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

/* The representative features without the primitives that take no part in a frame. */
static inline rep_features ccd_step_features(const ccd_step *m, uint32_t frame)
{
    rep_features t = m->rep;
    t.excluded = m->found.excluded ? m->found.excluded + ccd_step_first_prim(m, frame) : NULL;
    return t;
}

/* Finds the primitives that take no part in the frames of the view, whose bounds are made, and the
 * representative features of the others: m->found.excluded, m->rep, m->rep_bits. same_call: the
 * last mesh is from the same call of imp_detect. Errors: MEMORY. */
int ccd_step_owners(const context *c, int same_call, ccd_step *m);

/* Sets the features of a pair, without a verdict. */
void feature_test_open(const ccd_step *m, const feature_pair *h, feature_test *out);

/* Prefetches the points of these vertices of a frame, at both instants, into the CPU's caches. */
void ccd_step_fetch_points(const ccd_step *m, uint32_t frame, const uint32_t vertex[4]);

/* Re-checks, by exact arithmetic, the sampled feature pairs that are not in m->pairs, which the
 * device therefore found apart. Errors: DEVICE for a difference, CANCELLED. */
int ccd_step_verify(const context *c, ccd_step *m);

/* The same with a function of the caller, which returns whether a sampled pair should be there; its
 * `verdict` is 1 if it is. */
int ccd_step_verify_with(const context *c, ccd_step *m, verify_wrong *missed, const void *user);

/* Reads back the feature pairs that the pieces up to now have found: m->pairs gets the undecided
 * ones, which are counted in info of their frames, then those that meet. Errors: MEMORY, DEVICE. */
int ccd_step_read_pairs(const context *c, ccd_step *m, imp_frame_info *info);

/* Decides exactly which feature pairs of a range meet, and when; adds to m->impacts all allowed
 * pairs of primitives with such features. Errors: MEMORY, CANCELLED. */
int impacts_add(const context *c, ccd_step *m);

/* Returns whether the rules allow a contact of these primitives of one frame. */
int impacts_allowed(const context *c, const ccd_step *m, uint32_t i, uint32_t j);

/* Adds to m->impacts the impacts of candidates with a rotating body; all candidates are different
 * pairs. c: the pass's context; given: the context with the caller's rules. Converts the candidates
 * to prims. Errors: MEMORY, CANCELLED. */
int rigid_impacts_take(const context *c, const context *given, ccd_step *m, candidates *found);

/* Whether an impact is of a pair with a rotating body; and the two points of such an impact, in
 * units of its frame. */
int impact_is_rigid(const ccd_step *m, const impact *e);
void rigid_impact_points(const context *c, const ccd_step *m, const impact *of, double out[6]);

/* Whether two impacts have the same pair of primitives; and, if so, whether x precedes y and is the
 * contact. */
int impact_same_pair(const impact *x, const impact *y);
int impact_comes_first(const impact *x, const impact *y);

/* Returns whether memory is too short to make rows of all impacts. */
int impact_partition_many(const context *c, const ccd_step *m);

/* Keeps only the first impact of each pair of primitives: a pair may have one for each of its
 * feature pairs. */
void impact_partition_pack(ccd_step *m);

/* While impacts are found: packs them if they take much memory. If m->cuts and there are too many
 * for their rows, also calls impact_partition_cut. */
void impact_partition_make_room(const context *c, ccd_step *m);

/* After IMP_ERR_MEMORY in a block of one step: gives up the later half of the rows known so far,
 * and drops their impacts. Returns 0 if this is no help, since they are few. */
int impact_partition_cut(const context *c, ccd_step *m);

/* After all ranges: adds to m->found the first contact of each pair that does not meet at the
 * start, if it is wanted. Errors: MEMORY. */
int impact_output_rows(const context *c, ccd_step *m);

#endif
