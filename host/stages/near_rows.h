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

/* Features of primitives a and b, whose positions in frame f are prim[]. They are stored byte by
 * byte: a number that is read as a whole where its parts were just written waits for these. */
typedef struct near_pair {
    const imp_frame *f;
    uint32_t a, b, prim[2];
    uint8_t vertices[2], number[2];
} near_pair;

static inline void near_pair_set(near_pair *of, int n, exact_feature f)
{
    of->vertices[n] = (uint8_t)f.vertices;
    of->number[n] = (uint8_t)f.number;
}

static inline exact_feature near_pair_feature(const near_pair *of, int n)
{
    return (exact_feature){of->vertices[n], of->number[n]};
}

/* Adds a pair, which becomes row `row`: the caller sets what near_rows_next returns, then calls
 * near_rows_add. edges: both features are edges. p and q: exact_numbers_of its primitives. */
near_pair *near_rows_next(near_rows *of, int edges);
void near_rows_add(near_rows *of, size_t row, int edges, const exact_numbered *p,
                   const exact_numbered *q);

/* The same for a pair of which the nearest points are known. */
void near_rows_put(const context *c, const column_rows *out, size_t row, uint32_t a, uint32_t b,
                   const exact_nearest *n);

/* Makes the rows that are left. of: or NULL. */
void near_rows_close(near_rows *of);

/* Rows of a list: of some of the kinds 0 to NEAR_KINDS - 1; `add` adds row i. */
#define NEAR_KINDS 3
typedef struct near_source {
    const void *list;
    int (*kind)(const void *list, size_t i);
    void (*add)(const void *list, size_t i, near_rows *to);
} near_source;

/* The columns that each row of near features has. */
#define NEAR_COLUMNS                                                                               \
    (COLUMN_BIT(CONTACT_a) | COLUMN_BIT(CONTACT_b) | COLUMN_BIT(CONTACT_kind) |                    \
     COLUMN_BIT(CONTACT_points) | COLUMN_BIT(CONTACT_feature_a) | COLUMN_BIT(CONTACT_feature_b) |  \
     COLUMN_BIT(CONTACT_distance) | COLUMN_BIT(CONTACT_barycentric_a) |                            \
     COLUMN_BIT(CONTACT_barycentric_b) | COLUMN_BIT(CONTACT_normal) |                              \
     COLUMN_BIT(CONTACT_penetration) | COLUMN_BIT(CONTACT_relative))

/* Adds all n of them with all threads, as the rows of *out that `add` names. Only NEAR_COLUMNS are
 * set. Errors: MEMORY, CANCELLED. */
int near_rows_fill(const context *c, const near_source *from, size_t n, column_rows *out);

/* The same as rows 0 to n - 1, whose other columns are 0. */
int near_rows_make(const context *c, const near_source *from, size_t n, column_rows *out);

#endif
