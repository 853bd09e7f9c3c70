/* The truth about frames and steps, for `check` and tests: pairs, bounds, candidates, features,
 * kinds and rows. */
#ifndef IMP_TRUTH_H
#define IMP_TRUTH_H

#include "impinge.h"
#include "mem.h"
#include "oracle.h"
#include "oracle_ccd.h"

/* ---- A pair of primitives as the oracles take it, and as what its contact is reported. */

/* Triangles have three corners. */
solid_case truth_solids(const imp_frame *f, uint32_t a, uint32_t b);

/* A vertex that is named again has the number of its first corner. */
tri_pair truth_triangles(const imp_frame *f, uint32_t a, uint32_t b);

/* enum imp_kind; 0: they do not meet */
int truth_kind(const imp_frame *f, oracle *o, uint32_t a, uint32_t b);

/* ---- The rows that the truth about a frame or a step consists of. */

typedef struct truth_row {
    uint32_t a, b;                /* a < b */
    int kind;                     /* enum imp_kind */
    double toi;                   /* the last three of a step, else 0 */
    int64_t feature_a, feature_b; /* as in imp_contacts */
} truth_row;

typedef struct truth {
    size_t count;
    truth_row *row; /* sorted by (toi, a, b) */
    /* of pairs with a body that turns, which do not meet at the start: those that surely meet, by
     * that toi; sorted by (a, b), kind 0 */
    size_t turning;
    truth_row *turning_row;
} truth;

/* The one of this pair, or NULL. */
const truth_row *truth_rigid_ccd_row(const truth *t, uint32_t a, uint32_t b);

void truth_sort_pairs(truth *t); /* by (a, b) */

/* Removes the rows of these pairs, which are sorted by (a, b). */
void truth_leave_out(truth *t, const truth *pairs);
void truth_free(mem *m, truth *t);

/* ---- The contacts of a frame again, or of the step from a frame to the next, by the plainest
 * means: every pair of boxes in float64, then the oracle's rational numbers. For `check` and the
 * tests; nothing of kernels/ and exact/ is used. */

/* Contacts, or in stage candidates the pairs with overlapping exact bounds (kind 0). Options are
 * those of the run. wanted[triangles]: only pairs with at least one wanted triangle; NULL: all. */
int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out);

/* The same of the step between two frames of one mesh, in which vertices move evenly and bodies
 * turn, as imp_detect has it with imp_def.continuous; of candidates the bounds over the step. */
int truth_ccd_find(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                   const uint8_t *wanted, int threads, truth *out);

/* Where two primitives meet, as a result has it; they do meet. */
typedef struct truth_claim {
    int kind;
    const double *point;     /* six */
    int deep;                /* there are collision points and a depth */
    const double *collision; /* three for each */
    uint64_t collisions;
    double depth;
} truth_claim;

/* NULL if the claim is right, else what is wrong; of triangles within tolerances (oracle.h). One
 * `o` per thread. */
const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim);

/* The same of a row of a step, whose kind, share and features are right. One that meets at the
 * start is as in the first frame; else one point is on each of its features, and no two others are
 * nearer. */
const char *truth_ccd_points_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                   const truth_row *row, const truth_claim *claim);

/* ---- What a result says of the broad phase, as far as it follows from the frames: which pairs
 * have bounds that overlap, and which primitives are left out. A run's bounds are rounded outwards,
 * so pairs that nearly touch may overlap or not. */

/* next: NULL, or the end of the step, here and below. counts: pairs whose bounds overlap, and those
 * whose bounds do if rounding made them larger. Options are those of the run. */
int truth_bounds_count(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                       int threads, uint64_t counts[2]);

/* Does a body turn? Then bounds have margins that are a matter of the run. */
int truth_bounds_turning(const imp_frame *f, const imp_frame *next);

/* margin: what rounding may add to the bounds of all pairs; lost: what the unit of the frame may
 * take from coordinates that are far smaller than others. */
void truth_bounds_sizes(const imp_frame *f, const imp_frame *next, const imp_def *def,
                        double *margin, double *lost);

/* May the pair a, b, a < b, be a candidate? `any`: if its bounds may be of any kind. */
int truth_bounds_near(const imp_frame *f, const imp_frame *next, const imp_def *def, int any,
                      double margin, uint32_t a, uint32_t b);

/* NULL if these are the centroids of both, in order, within 1e-15 of their coordinates. */
const char *truth_centroids_fault(const imp_frame *f, uint32_t a, uint32_t b, double lost,
                                  const double point[6]);

/* Primitives with a coordinate that is not finite. */
uint64_t truth_bounds_bad(const imp_frame *f, const imp_frame *next);

/* ---- How many pairs of features of a step have boxes that overlap: what a result calls
 * candidates_vf and candidates_ee. A vertex, an edge or a face counts once in each object that has
 * it, however many primitives have it; only the face of each triangle of a mesh without tetrahedra
 * counts by itself. */

/* Are these numbers a matter of the step alone? Not of bounds that are rounded, nor if numbers of
 * the frames are so far apart that their unit takes digits of the smallest. */
int truth_candidates_known(const imp_frame *f, const imp_frame *next, const imp_def *def);

/* counts: a vertex and a face, two edges. Options are those of the run. */
int truth_candidates(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                     int threads, uint64_t counts[2]);

/* ---- All pairs of primitives with overlapping boxes, of a frame or over the step from one to the
 * next, there also as near to each other as the separation, that options allow. For truth_pairs.c
 * and truth_ccd.c, which say what such a pair is. */

typedef struct truth_case {
    const imp_frame *f[2]; /* of one mesh */
    int frames;            /* 1, or 2: a step */
    const imp_def *def;
    const uint8_t *wanted;       /* [primitives] or NULL: all */
    struct feature_cache *cache; /* [threads] of a step */
    double margin;               /* > 0: bounds are larger by what rounding may do to a run's */
    uint64_t (*count)[2];        /* [threads] of truth_pairs.c */
} truth_case;

/* Is the pair a, b of this row to be reported? Fills in the rest, which is 0. */
typedef int truth_examine(const truth_case *c, oracle *o, truth_row *row);

int truth_sweep(mem *m, const truth_case *c, truth_examine *examine, int threads, truth *out);

/* Moves rows of kind 0 to t->turning_row. Errors: MEMORY. */
int truth_part_turning(mem *m, truth *t);

int truth_corners(const imp_mesh *m, uint32_t i);
void truth_read(const imp_frame *f, uint32_t i, double x[4][3]);

/* Do options allow pairs of these two objects, or of one with itself? */
int truth_objects_wanted(const truth_case *c, int32_t p, int32_t q);

/* Do options allow the pair? */
int truth_wanted(const truth_case *c, uint32_t a, uint32_t b);

/* Do they share a vertex, by number? */
int truth_prims_share_vertex(const imp_mesh *m, uint32_t a, uint32_t b);

/* In one frame. */
int truth_boxes_overlap(const imp_frame *f, uint32_t a, uint32_t b);

/* How far from each other features may be that meet, or bounds that overlap. */
double truth_distance(const truth_case *c);

/* Do their boxes over all instants overlap, or come as near as that? Not if a coordinate of them is
 * not finite. */
int truth_boxes_near(const truth_case *c, uint32_t a, uint32_t b);

/* Do extents over all instants overlap along the axes of def->dop_k, or come as near as that? */
int truth_slabs_overlap(const truth_case *c, uint32_t a, uint32_t b);

/* ---- Two features of two primitives that move. For truth_ccd.c and truth_ccd.c. */

/* As oracle_ccd_first takes them: a face and a vertex, or two edges. */
typedef struct feature_pair {
    int vertex_face;
    uint32_t vertex[4];
    oracle_ccd_points p;
} feature_pair;

/* The first so many vertices are of one, the others of the other. */
static inline int feature_cut(const feature_pair *p)
{
    return p->vertex_face ? 3 : 2;
}

int feature_edge_count(const imp_mesh *m, uint32_t i);
int feature_face_count(const imp_mesh *m, uint32_t i);

/* Numbers of faces and edges are those of imp_contacts; the vertex is one of the mesh. */
feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex);
feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j);
void feature_face_vertices(const imp_mesh *m, uint32_t i, int face, uint32_t out[3]);
void feature_edge_vertices(const imp_mesh *m, uint32_t i, int edge, uint32_t out[2]);

/* The last answers, of one thread and for one distance. All zero at first. */
#define FEATURE_CACHE_BITS 16

typedef struct feature_answer {
    int known, vertex_face, meet;
    uint32_t vertex[4];
    double toi;
} feature_answer;

typedef struct feature_cache {
    feature_answer answer[1 << FEATURE_CACHE_BITS];
} feature_cache;

/* Do they meet, or come as near as the distance, and when first? Not if they share a vertex,
 * or an edge is from a vertex to itself. */
int truth_features_meet(feature_cache *c, const feature_pair *p, double distance, double *toi);

/* ---- The truth about pairs of a step of which a body turns. It is known within a tolerance only:
 * of some it can be shown that they meet, by an instant at which they do; the others may have a row
 * or not, and each row is judged by itself: by their distance at its toi. */

/* Does a body of the pair turn? 2: both are of one that does, so nothing moves between them. */
int truth_rigid_ccd(const truth_case *c, uint32_t a, uint32_t b);

/* Do they surely meet, or come as near as the separation? *toi: they do by then. */
int truth_rigid_ccd_meets(const truth_case *c, uint32_t a, uint32_t b, double *toi);

/* The tolerance of a step: that of the options, or 1e-6 of the largest extent of both frames. */
double truth_rigid_ccd_tolerance(const imp_frame *f, const imp_frame *next, const imp_def *def);

/* What a result says of a pair that does not meet at the start. */
typedef struct truth_rigid_ccd_claim {
    uint32_t a, b;
    int kind;
    double toi;
    int64_t feature_a, feature_b;
    const double *point; /* six */
} truth_rigid_ccd_claim;

/* NULL, or what is wrong: with the pair, with its features, with their distance at that toi, or
 * with the points. One `o` per thread. */
const char *truth_rigid_ccd_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                  const imp_def *def, const truth_rigid_ccd_claim *claim);

#endif
