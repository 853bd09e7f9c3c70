/* Tests feature pairs of primitives, a vertex and a face or two edges: over a step in continuous
 * detection, or whether they are within a distance in a frame (imp_def.rows). Replaces narrow
 * there. */
#ifndef IMP_FEATURE_TESTS_H
#define IMP_FEATURE_TESTS_H

#include "bounds.h"
#include "pairs.h"
#include "sample.h"
#include "parallel.h"

/* Feature pairs of primitives a and b. A code has their kind and their numbers within the
 * primitives, in VTK's numbering; the face of a triangle is 0, or 3 in a view with four corners. */
typedef struct feature_pairs {
    uint64_t count;
    buffer_u32 a, b, code; /* [count] */
} feature_pairs;

enum feature_kind {
    FEATURE_CORNER_FACE, /* corner i of a, face j of b */
    FEATURE_FACE_CORNER, /* face i of a, corner j of b */
    FEATURE_EDGES        /* edge i of a, edge j of b */
};

#define FEATURE_KIND(code) ((code) >> 8)
#define FEATURE_I(code) ((code) >> 4 & 15)
#define FEATURE_J(code) ((code)&15)

/* Bits of a primitive's representative features. */
#define REP_CORNER(i) (1u << (i))
#define REP_EDGE(i) (1u << (4 + (i)))
#define REP_FACE(i) (1u << (10 + (i)))

/* members: working memory, and the collected feature pairs. */
typedef struct feature_tests {
    feature_pairs meet, undecided; /* those of the whole range */
    pairs local;      /* candidates on the device of this stage, or pairs of feature_tests_selves */
    pairs all;        /* candidates of several pieces */
    buffer_f64 gap;   /* [CCD_GAPS * frames] distances up to which features are near */
    buffer_f64 limit; /* with rows: distance_limits_put */
    buffer_u32 vert0; /* [frames + 1] block_view.vert0 */
    buffer_f64 ends;  /* [CCD_ROW * verts] points at both instants */
    buffer_f64 span;  /* only GPUs and triangles: [CCD_ROW * verts] */
    buffer_u32 mask;  /* masks of feature pairs of some candidates; see kernels/ccd.h */
    buffer_u32 which; /* the same as a list */
    buffer_u32 open, decided; /* feature pairs that the first test leaves open, and those that the
                                 second decides */
    buffer_u32 count;
    buffer_u64 offset, compacted, before;
    buffer_u8 verdict;
    buffer_f64 note; /* only GPUs: [CCD_NOTE or more * some open feature pairs] */
    scanner scan;
    sample sample; /* sampled from all feature pairs: impacts.c */
} feature_tests;

/* Called before the first piece of a view, whose bounds have both instants, or with rows one. */
int feature_tests_begin(const context *c, const block_view *v, const bounds *o, feature_tests *s);

/* The candidates as pairs of prims on the device dev64, for feature_tests_collect. *found is
 * undefined afterwards. */
int feature_tests_candidates(const context *c, candidates *found, feature_tests *s, pairs **from);

/* The same with each primitive of [first, last) paired with itself: features of a tetrahedron may
 * meet where it is turned inside out. */
int feature_tests_selves(const context *c, const block_view *v, uint32_t first, uint32_t last,
                         feature_tests *s, pairs **from);

/* Appends these pairs to s->all. */
int feature_tests_keep(const context *c, const pairs *from, feature_tests *s);

/* The end of a piece of pairs that begins with pair `first`: they are in order, and those with one
 * a are in one piece. Errors: MEMORY, DEVICE. */
int feature_tests_cut(const context *c, const pairs *from, uint64_t first, uint64_t *end);

/* Tests the feature pairs of pairs [first, end) whose features are representative, whose boxes over
 * both instants overlap and that share no vertex; rep: [prims] on the device dev64. Adds those that
 * surely meet to s->meet, those left to exact arithmetic to s->undecided, and the number of all
 * feature pairs of frame f to candidates_vf and candidates_ee of info[f]. */
int feature_tests_collect(const context *c, const block_view *v, const bounds *o,
                          const buffer_u32 *rep, const pairs *from, uint64_t first, uint64_t end,
                          feature_tests *s, imp_frame_info *info);

void feature_tests_clear(feature_tests *s); /* discards the collected pairs */
void feature_tests_free(const context *c, feature_tests *s);

/* Frees the memory that only a range uses, so that a smaller range can be tried. */
void feature_tests_free_range(const context *c, feature_tests *s);

#endif
