/* Reference answers for frames and steps, for `check` and tests: pairs, bounds, candidates,
 * features, kinds and rows. */
#ifndef IMP_TRUTH_H
#define IMP_TRUTH_H

#include "impinge.h"
#include "mem.h"
#include "oracle.h"
#include "oracle_ccd.h"

/* ---- A pair of primitives in the oracles' form, and its contact kind. */

/* Triangles have three corners. */
solid_case truth_solids(const imp_frame *f, uint32_t a, uint32_t b);

/* A vertex that is named again has the number of its first corner. */
tri_pair truth_triangles(const imp_frame *f, uint32_t a, uint32_t b);

/* enum imp_kind; 0: no contact */
int truth_kind(const imp_frame *f, oracle *o, uint32_t a, uint32_t b);

/* ---- The reference rows of a frame or a step. */

typedef struct truth_row {
    uint32_t a, b;                /* a < b */
    int kind;                     /* enum imp_kind */
    double toi;                   /* only for a step, else 0 */
    int64_t feature_a, feature_b; /* as in imp_contacts; 0 if it has none */
    double distance;              /* likewise */
    double penetration, relative; /* with def->thickness, else 0 */
    int crossing;                 /* of contacts of a frame, else 0 */
    double depth; /* truth_inside_contacts; 0 where it is that of the pair alone, and else */
} truth_row;

typedef struct truth {
    size_t count;
    truth_row *row; /* sorted by (toi, a, b, kind, feature_a, feature_b) */
    /* Pairs with a rotating body that do not meet at the start: those that surely meet, by that
     * toi; sorted by (a, b), kind 0. */
    size_t turning;
    truth_row *turning_row;
} truth;

/* The row of this pair, or NULL. */
const truth_row *truth_rigid_ccd_row(const truth *t, uint32_t a, uint32_t b);

void truth_sort_pairs(truth *t); /* by (a, b) */

/* Removes the rows of `pairs`, which are sorted by (a, b). */
void truth_leave_out(truth *t, const truth *pairs);

/* Pairs of features, each known by the objects and the vertices of both. All zero: none. */
typedef struct truth_feature_pairs {
    size_t count;
    struct truth_feature_pair *list; /* sorted */
} truth_feature_pairs;

/* Lists the pairs of rows of features; mem_free(out->list). Errors: MEMORY. */
int truth_feature_pairs_make(mem *m, const imp_frame *f, const truth *rows,
                             truth_feature_pairs *out);

/* Removes the rows of these pairs from those of a frame, whose mesh has the same vertices. */
void truth_feature_pairs_leave_out(const imp_frame *f, const truth_feature_pairs *pairs,
                                   truth *rows);
void truth_free(mem *m, truth *t);

/* ---- Recomputes the contacts of a frame, or of the step from one frame to the next, by the
 * simplest means: every pair of boxes in float64, then the oracle's rational numbers. For `check`
 * and the tests; independent of kernels/ and exact/. */

/* Finds the contacts, or in stage candidates the pairs with overlapping exact bounds (kind 0).
 * Options are those of the run; with def->rows the rows of enum imp_rows. wanted[primitives]: only
 * pairs with at least one wanted primitive, or with IMP_ROWS_OBJECTS with an object that has one;
 * NULL: all. */
int truth_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted, int threads,
               truth *out);

/* The same for the step between two frames of one mesh, in which vertices move linearly and bodies
 * rotate, as for imp_detect with imp_def.continuous. Candidates are those of the bounds over the
 * step. */
int truth_ccd_find(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                   const uint8_t *wanted, int threads, truth *out);

/* A result's claim about two primitives that meet or are near. */
typedef struct truth_claim {
    int kind;
    const double *point;     /* six */
    int deep;                /* collision points and a depth are claimed */
    const double *collision; /* three coordinates each */
    uint64_t collisions;
    double depth;
    int deep_elsewhere;           /* `deep`, but `depth` is no claim */
    const nearest_claim *nearest; /* with def->rows, else NULL: the columns of that */
    int features;                 /* a row of two features, with IMP_ROWS_FEATURES */
    const uint8_t *end_features;  /* four; NULL: no claim */
} truth_claim;

/* Returns NULL if the claim is right, else a description of the fault. The kind and the numbers of
 * a row of two features are right. One `o` per thread. */
const char *truth_points_fault(oracle *o, const imp_frame *f, uint32_t a, uint32_t b,
                               const truth_claim *claim);

/* The same for a row of a step whose kind, toi and features are right. A pair that meets at the
 * start is checked in the first frame; otherwise each feature must have one of the points, and no
 * two other points may be nearer. */
const char *truth_ccd_points_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                   const truth_row *row, const truth_claim *claim);

/* ---- Closed objects (imp_def.inside): the vertices inside them, and the relations of objects.
 * Primitives with coordinates that are not finite are left out. */

/* A vertex inside a closed object: see IMP_ROWS_INSIDE. The face is that with the least (distance,
 * b, side) of those whose two sides differ in being inside anywhere on it. */
typedef struct truth_inside_row {
    uint32_t vertex, a, b;
    int32_t winding;
    double depth;
    int side;    /* b's face, as feature_face_vertices; 0 if b is a triangle */
    int outward; /* the direction of the face's outward normal: 1 that in which its corners go
                    around counter-clockwise, -1 the reverse; 0: its outside is on different sides
                    at different places, so away from the vertex */
} truth_inside_row;

typedef struct truth_inside {
    size_t count;
    truth_inside_row *row; /* sorted by (vertex, a, b) */
    uint32_t closed, open; /* objects that count as solids; listed ones that are open */
} truth_inside;

/* wanted[primitives]: only rows of which a is wanted; NULL: all. Errors: MEMORY. */
int truth_inside_find(mem *m, const imp_frame *f, const imp_def *def, const uint8_t *wanted,
                      int threads, truth_inside *out);
void truth_inside_free(mem *m, truth_inside *t);

/* The order of rows, for qsort. */
int truth_inside_order(const void *x, const void *y);

/* A result's claim about a vertex inside an object. */
typedef struct truth_inside_claim {
    int32_t winding;
    double depth;
    const double *point;       /* six */
    const double *barycentric; /* four */
    const double *normal;      /* three */
} truth_inside_claim;

/* Returns NULL if the claim is right, else a description of the fault. `row` is the truth of the
 * claim's vertex, a and b. Winding and depth must be equal, and the first point the vertex.
 * Weights may be 2^-48 off, a coordinate of the second point 2^-48 of the face's extent, 2^-52 of
 * itself and 2^-1074, and a coordinate of the normal 2^-50. */
const char *truth_inside_fault(const imp_frame *f, const truth_inside_row *row,
                               const truth_inside_claim *claim);

/* Sets the depth of each contact as imp_contacts.depth has it. Errors: MEMORY. */
int truth_inside_contacts(mem *m, const imp_frame *f, const imp_def *def, int threads, truth *t);

/* The relations of a frame, and the parts that are swallowed, as in imp_relations. */
typedef struct truth_relations {
    size_t count, swallowed_count;
    imp_relation *relation;
    imp_swallowed *swallowed;
    uint32_t closed, open;
} truth_relations;

/* Errors: MEMORY. */
int truth_relations_find(mem *m, const imp_frame *f, const imp_def *def, int threads,
                         truth_relations *out);
void truth_relations_free(mem *m, truth_relations *t);

/* Returns NULL if the claim is right, else a description of the first fault; object: the two
 * objects that it is about. */
const char *truth_relations_fault(const truth_relations *want, const imp_relations *claim,
                                  int32_t object[2]);

/* ---- The claims of a result about the broad phase, as far as they follow from the frames: the
 * pairs with overlapping bounds, and the primitives left out. A run's bounds are rounded outwards,
 * so pairs that nearly touch may overlap or not. */

/* next: NULL, or the end of the step, here and below. counts: pairs whose bounds overlap, and pairs
 * whose bounds overlap after inflation by the rounding. Options are those of the run. */
int truth_bounds_count(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                       int threads, uint64_t counts[2]);

/* Returns whether a body rotates. Then the margins of bounds depend on the run. */
int truth_bounds_turning(const imp_frame *f, const imp_frame *next);

/* margin: upper limit of the rounding added to the bounds of all pairs; lost: upper limit of what
 * the frame's unit takes from coordinates far smaller than others. */
void truth_bounds_sizes(const imp_frame *f, const imp_frame *next, const imp_def *def,
                        double *margin, double *lost);

/* Returns whether the pair a, b, a < b, may be a candidate. `any`: with bounds of any kind. */
int truth_bounds_near(const imp_frame *f, const imp_frame *next, const imp_def *def, int any,
                      double margin, uint32_t a, uint32_t b);

/* Returns NULL if these are the centroids of both, in order, within 1e-15 of their coordinates. */
const char *truth_centroids_fault(const imp_frame *f, uint32_t a, uint32_t b, double lost,
                                  const double point[6]);

/* Number of primitives with a coordinate that is not finite. */
uint64_t truth_bounds_bad(const imp_frame *f, const imp_frame *next);

/* ---- The number of feature pairs of a step with overlapping boxes, which a result reports as
 * candidates_vf and candidates_ee. A vertex, an edge or a face counts once in each object that has
 * it, however many primitives have it; only the face of each triangle of a mesh without tetrahedra
 * counts by itself. */

/* Returns whether these numbers depend on the step alone. They do not with rounded bounds, nor if
 * the coordinates of the frames differ so much in size that their unit takes digits of the
 * smallest. */
int truth_candidates_known(const imp_frame *f, const imp_frame *next, const imp_def *def);

/* counts: vertex-face pairs, edge-edge pairs. Options are those of the run. */
int truth_candidates(mem *m, const imp_frame *f, const imp_frame *next, const imp_def *def,
                     int threads, uint64_t counts[2]);

/* ---- All pairs of primitives allowed by the options with overlapping boxes, in a frame or over a
 * step, where boxes within the separation also count; or all pairs of features with such boxes. For
 * the other files truth_*.c, which examine the pairs. */

typedef struct truth_case {
    const imp_frame *f[2]; /* two frames have the same mesh */
    int frames;            /* 1, or 2 for a step */
    const imp_def *def;
    const uint8_t *wanted;                 /* [primitives] or NULL: all */
    struct feature_cache *cache;           /* [threads] for a step */
    const struct truth_features *features; /* pairs are those of these; NULL: of primitives */
    double margin;        /* > 0: bounds are inflated by the rounding of a run's bounds */
    uint64_t (*count)[2]; /* [threads] for those that count pairs */
} truth_case;

/* Returns whether the pair a, b of this row is to be reported, and fills in the rest of the row,
 * which is 0 before. With truth_case.features a and b are positions in their list. */
typedef int truth_examine(const truth_case *c, oracle *o, truth_row *row);

int truth_sweep(mem *m, const truth_case *c, truth_examine *examine, int threads, truth *out);

/* Calls `examine`, which reports no pair, for all pairs, and adds c->count of all threads. */
int truth_sweep_count(mem *m, truth_case *c, truth_examine *examine, int threads,
                      uint64_t counts[2]);

/* Moves rows of kind 0 to t->turning_row. Errors: MEMORY. */
int truth_part_turning(mem *m, truth *t);

int truth_corners(const imp_mesh *m, uint32_t i);
void truth_read(const imp_frame *f, uint32_t i, double x[4][3]);

/* Returns whether the options allow pairs of these two objects, or of one with itself. */
int truth_objects_wanted(const truth_case *c, int32_t p, int32_t q);

/* Returns whether the options allow the pair. */
int truth_wanted(const truth_case *c, uint32_t a, uint32_t b);

/* Returns whether they share a vertex, by number. */
int truth_prims_share_vertex(const imp_mesh *m, uint32_t a, uint32_t b);

/* Returns whether their boxes overlap in one frame. */
int truth_boxes_overlap(const imp_frame *f, uint32_t a, uint32_t b);

/* The box of a primitive or a feature, over the step if there is one. */
typedef struct truth_box {
    uint32_t id;
    double lo[3], hi[3];
} truth_box;

/* Returns 0 if a coordinate is not finite. */
int truth_prim_box(const truth_case *c, uint32_t i, truth_box *out);

/* Makes an empty box, and extends it to a vertex. */
truth_box truth_box_empty(uint32_t id);
void truth_box_extend(truth_box *b, const double x[3]);

/* Returns whether they are farther apart than the distance along an axis. Exact despite rounding:
 * no float64 number is between a difference and its rounded value. */
int truth_boxes_apart(const truth_box *p, const truth_box *q, double distance);

int truth_compare_boxes(const void *p, const void *q); /* for qsort, by lo[0] */

/* The distance within which features meet, primitives have a row, and bounds overlap; with
 * def->thickness the greatest of all primitives. */
double truth_distance(const truth_case *c);

/* The thicknesses of two primitives of a frame, with def->thickness. */
static inline void truth_thickness(const imp_frame *f, uint32_t a, uint32_t b, double out[2])
{
    out[0] = f->mesh->thickness[a];
    out[1] = f->mesh->thickness[b];
}

/* Returns whether their boxes over the step overlap or are within that distance. False if one of
 * their coordinates is not finite. */
int truth_boxes_near(const truth_case *c, uint32_t a, uint32_t b);

/* The same for their extents along the axes of def->dop_k, if their boxes are near; with
 * def->thickness for these, too. */
int truth_slabs_overlap(const truth_case *c, uint32_t a, uint32_t b);

/* ---- Rows of pairs that are near (def->rows). For truth_pairs.c. */

nearest_case truth_nearest_case(const imp_frame *f, uint32_t a, uint32_t b);

/* Sets kind, features and distance for two primitives that share no vertex. */
void truth_nearest_row(const imp_frame *f, oracle *o, truth_row *row);

/* truth_find for rows of features, and for rows of objects. */
int truth_features_find(mem *m, const truth_case *c, int threads, truth *out);
int truth_objects_find(mem *m, const truth_case *c, int threads, truth *out);

/* truth_points_fault for two features; the weights are those of their owners' corners. */
const char *truth_features_fault(const imp_frame *f, uint32_t a, uint32_t b,
                                 const truth_claim *claim);

/* ---- Pairs that are within def->ring edges along the mesh. */

typedef struct truth_ring {
    mem *mem;
    uint32_t ring, vertices;
    uint64_t *edge;      /* each edge in both directions, its first vertex in the upper half */
    size_t *first;       /* [vertices + 1] start of each vertex's edges */
    uint32_t *component; /* [vertices] the least vertex that edges lead to */
} truth_ring;

/* After an error truth_ring_close frees the part that was made. Errors: MEMORY. */
int truth_ring_open(mem *m, const imp_mesh *mesh, uint32_t ring, truth_ring *out);
void truth_ring_close(truth_ring *t);

/* Working memory of a thread. */
typedef struct truth_ring_search {
    const truth_ring *of;
    uint32_t *steps, *queue; /* [vertices] edges to each vertex; those found, in that order */
    size_t queued;
} truth_ring_search;

/* After an error truth_ring_search_close frees the part that was made. Errors: MEMORY. */
int truth_ring_search_open(const truth_ring *t, truth_ring_search *s);
void truth_ring_search_close(truth_ring_search *s);

/* The vertices of a primitive or a feature. */
typedef struct truth_vertices {
    uint32_t count, vertex[4];
} truth_vertices;

/* Returns whether a vertex of p is within the ring of one of q; the same for two primitives. */
int truth_ring_has(truth_ring_search *s, const truth_vertices *p, const truth_vertices *q);
int truth_ring_prims(truth_ring_search *s, const imp_mesh *m, uint32_t a, uint32_t b);

/* Removes the rows of primitives, or of features, that def->ring leaves out. Errors: MEMORY. */
int truth_ring_leave_out(mem *m, const truth_case *c, int threads, truth *of);

/* The vertices of both features of a row. */
void truth_features_of_row(const imp_frame *f, const truth_row *row, truth_vertices out[2]);

/* ---- The features of all primitives with finite vertices, each once in its object. */

#define NO_VERTEX UINT32_MAX

typedef struct truth_feature {
    int32_t object;
    uint32_t vertices;  /* of its type: 1, 2 or 3 */
    uint32_t vertex[3]; /* ascending, each once, then NO_VERTEX: a face may have a vertex twice */
    uint32_t owner;     /* the first primitive of the object that has it */
    int64_t value;      /* its number in the owner, as in imp_contacts, the least of several */
    int lone;           /* a vertex without an edge, an edge without a face of three vertices */
} truth_feature;

typedef struct truth_features {
    size_t count;
    truth_feature *list;
    uint32_t *first, *tet; /* tetrahedra of each vertex: tet[first[v]] to tet[first[v + 1] - 1] */
} truth_features;

/* Over a step of a mesh without tetrahedra the face of each triangle counts by itself. After an
 * error truth_features_close frees the part that was made. Errors: MEMORY. */
int truth_features_open(mem *m, const truth_case *c, truth_features *out);
void truth_features_close(mem *m, truth_features *t);

/* Returns whether both have a common vertex. */
int truth_features_joined(const truth_feature *p, const truth_feature *q);

truth_box truth_feature_box(const truth_case *c, uint32_t i);

/* ---- Two features of two moving primitives. For truth_ccd.c. */

/* Input of oracle_ccd_first: a face and a vertex, or two edges. */
typedef struct feature_pair {
    int vertex_face;
    uint32_t vertex[4];
    oracle_ccd_points p;
} feature_pair;

/* Number of vertices of the first feature; the others belong to the second. */
static inline int feature_cut(const feature_pair *p)
{
    return p->vertex_face ? 3 : 2;
}

int feature_edge_count(const imp_mesh *m, uint32_t i);
int feature_face_count(const imp_mesh *m, uint32_t i);

/* Faces and edges are numbered as in imp_contacts; the vertex is one of the mesh. */
feature_pair feature_face(const truth_case *c, uint32_t a, int face, uint32_t vertex);
feature_pair feature_edges(const truth_case *c, uint32_t a, int i, uint32_t b, int j);
void feature_face_vertices(const imp_mesh *m, uint32_t i, int face, uint32_t out[3]);
void feature_edge_vertices(const imp_mesh *m, uint32_t i, int edge, uint32_t out[2]);

/* Recent verdicts of one thread and for one distance. All zero at first. */
#define FEATURE_CACHE_BITS 16

typedef struct feature_answer {
    int known, vertex_face, meet;
    uint32_t vertex[4];
    double toi;
} feature_answer;

typedef struct feature_cache {
    feature_answer answer[1 << FEATURE_CACHE_BITS];
} feature_cache;

/* Returns whether they meet or approach within the distance, and the first toi. False if they share
 * a vertex, or an edge is from a vertex to itself. */
int truth_features_meet(feature_cache *c, const feature_pair *p, double distance, double *toi);

/* ---- Reference answers for pairs of a step with a rotating body, known only within a tolerance:
 * some can be shown to meet, by a time at which they do. The others may have a row or not, and each
 * row is checked by itself, by the pair's distance at its toi. */

/* Returns whether a body of the pair rotates. 2: both primitives belong to one such body, so
 * nothing moves between them. */
int truth_rigid_ccd(const truth_case *c, uint32_t a, uint32_t b);

/* Returns whether they surely meet or approach within the separation. *toi: they do by then. */
int truth_rigid_ccd_meets(const truth_case *c, uint32_t a, uint32_t b, double *toi);

/* The tolerance of a step: the option's, or 1e-6 of the largest extent of both frames. */
double truth_rigid_ccd_tolerance(const imp_frame *f, const imp_frame *next, const imp_def *def);

/* A result's claim about a pair that does not meet at the start. */
typedef struct truth_rigid_ccd_claim {
    uint32_t a, b;
    int kind;
    double toi;
    int64_t feature_a, feature_b;
    const double *point; /* six */
} truth_rigid_ccd_claim;

/* Returns NULL, or a description of the fault: with the pair, with its features, with their
 * distance at that toi, or with the points. One `o` per thread. */
const char *truth_rigid_ccd_fault(oracle *o, const imp_frame *f, const imp_frame *next,
                                  const imp_def *def, const truth_rigid_ccd_claim *claim);

#endif
