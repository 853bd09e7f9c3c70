/* What a result says of the broad phase, as far as it follows from the frames: which pairs have
 * bounds that overlap, and which primitives are left out. A run's bounds are rounded outwards, so
 * pairs that nearly touch may overlap or not. */
#ifndef IMP_TRUTH_BOUNDS_H
#define IMP_TRUTH_BOUNDS_H

#include "truth_rows.h"

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

#endif
