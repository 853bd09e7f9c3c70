/* All pairs of primitives with overlapping boxes, of a frame or over the step from one to the next,
 * there also as near to each other as the separation, that options allow. For truth.c and
 * truth_step.c, which say what such a pair is. */
#ifndef IMP_TRUTH_PAIRS_H
#define IMP_TRUTH_PAIRS_H

#include "oracle.h"
#include "truth_rows.h"

typedef struct truth_case {
    const imp_frame *f[2]; /* of one mesh */
    int frames;            /* 1, or 2: a step */
    const imp_def *def;
    const uint8_t *wanted;       /* [primitives] or NULL: all */
    struct feature_cache *cache; /* [threads] of a step */
    double margin;               /* > 0: bounds are larger by what rounding may do to a run's */
    uint64_t (*count)[2];        /* [threads] of truth_bounds.c */
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

#endif
