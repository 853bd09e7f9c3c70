/* The truth about pairs of a step of which a body turns. It is known within a tolerance only: of
 * some it can be shown that they meet, by an instant at which they do; the others may have a row or
 * not, and each row is judged by itself: by their distance at its toi. */
#ifndef IMP_TRUTH_TURNING_H
#define IMP_TRUTH_TURNING_H

#include "oracle.h"
#include "truth_pairs.h"

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
