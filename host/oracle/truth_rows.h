/* The rows that the truth about a frame or a step consists of. */
#ifndef IMP_TRUTH_ROWS_H
#define IMP_TRUTH_ROWS_H

#include "impinge.h"
#include "mem.h"

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

#endif
