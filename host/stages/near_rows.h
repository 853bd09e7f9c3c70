/* Rows of feature pairs: their exact distances, nearest points and normals. Pairs are measured many
 * at a time by the host's kernels (kernels/lane_measure.h); what these leave uncertain, by
 * integers. The results are those of exact_pair_nearest. */
#ifndef IMP_NEAR_ROWS_H
#define IMP_NEAR_ROWS_H

#include "columns.h"
#include "exact.h"
#include "stages.h"

#include <string.h>

/* Sets a value, or the values, of a column in row i. */
#define NEAR_PUT(rows, i, name, values)                                                            \
    memcpy((rows)->value[CONTACT_##name] + (i) * sizeof(values), &(values), sizeof(values))

/* A thread's pairs that have no row yet. */
typedef struct near_rows near_rows;

/* Rows go to out, which has room for them. Errors: MEMORY. */
int near_rows_open(const context *c, column_rows *out, near_rows **of);

/* Adds the pair of features i of primitive a and j of primitive b, which becomes row `row`. p and q
 * have the numbers of the vertices; their points are those of frame f. prim: positions in the
 * frame. */
typedef struct near_pair {
    const imp_frame *f;
    uint32_t a, b, prim[2];
    const exact_numbered *p, *q;
    exact_feature i, j;
} near_pair;
void near_rows_add(near_rows *of, size_t row, const near_pair *pair);

/* The same for a pair of which the nearest points are known. */
void near_rows_put(const context *c, column_rows *out, size_t row, uint32_t a, uint32_t b,
                   const exact_nearest *n);

/* Makes the rows that are left. of: or NULL. */
void near_rows_close(near_rows *of);

#endif
