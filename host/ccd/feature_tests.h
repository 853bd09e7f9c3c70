/* Contacts between two instants, as pairs of features of primitives: a point and a face, or two
 * edges. Takes the place of narrow where the view has a second instant. */
#ifndef IMP_FEATURE_TESTS_H
#define IMP_FEATURE_TESTS_H

#include "bounds.h"
#include "pairs.h"
#include "sample.h"
#include "parallel.h"

/* Pairs of features of primitives a and b. A code has their kind and their numbers within the
 * primitives, as VTK has them; the face of a triangle is 0, or in a view of four corners 3. */
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

/* Bits of a primitive's owned features. */
#define REP_CORNER(i) (1u << (i))
#define REP_EDGE(i) (1u << (4 + (i)))
#define REP_FACE(i) (1u << (10 + (i)))

/* Working memory, and what was collected. */
typedef struct feature_tests {
    feature_pairs meet, undecided; /* of the whole range */
    pairs local;                   /* candidates on the device of this stage, or of selves */
    buffer_f64 gap;                /* [CCD_GAPS * frames] up to which features are near */
    buffer_u32 vert0;              /* [frames + 1] of the view */
    buffer_f64 ends;               /* [CCD_ROW * verts] points at both instants */
    buffer_f64 span;               /* of GPUs and triangles: [CCD_ROW * verts] */
    buffer_u32 mask;               /* pairs of features of some candidates; see kernels/ccd.h */
    buffer_u32 which;              /* these one by one */
    buffer_u32 open, decided;      /* those that the first test leaves open, and the second */
    buffer_u32 count;
    buffer_u64 offset, compacted, before;
    buffer_u8 verdict;
    buffer_f64 note; /* of GPUs: [CCD_NOTE or more * some open ones] */
    scanner scan;
    sample sample; /* of all pairs of features: impacts.c */
} feature_tests;

/* Before the first piece of a view, whose bounds have both instants. */
int feature_tests_begin(const context *c, const block_view *v, const bounds *o, feature_tests *s);

/* Pairs of prims on the device dev64, for feature_tests_collect: the candidates, which may hold
 * anything afterwards; */
int feature_tests_candidates(const context *c, candidates *found, feature_tests *s, pairs **from);

/* or each primitive of [first, last) with itself: of tetrahedra, whose features may meet where it
 * is turned inside out. */
int feature_tests_selves(const context *c, const block_view *v, uint32_t first, uint32_t last,
                         feature_tests *s, pairs **from);

/* Tests the pairs of owned features of these pairs whose boxes over both instants overlap and that
 * share no vertex; rep: [prims] on the device dev64. Adds those that surely meet to s->meet, those
 * left to exact arithmetic to s->undecided, and the numbers of all pairs of frame f to
 * candidates_vf and candidates_ee of info[f]. */
int feature_tests_collect(const context *c, const block_view *v, const bounds *o,
                          const buffer_u32 *rep, const pairs *from, feature_tests *s,
                          imp_frame_info *info);

void feature_tests_clear(feature_tests *s); /* forgets what was collected */
void feature_tests_free(const context *c, feature_tests *s);

/* Frees what only a range has used, so that a smaller one finds memory. */
void feature_tests_free_range(const context *c, feature_tests *s);

#endif
