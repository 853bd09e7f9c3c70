/* Batches for rows of pairs within a distance, the columns of such rows, and divisions of the work.
 */
#ifndef IMP_NEAR_FILES_H
#define IMP_NEAR_FILES_H

#include "program.h"
#include "run_rows.h"

#include <stdint.h>

/* The results that tests compare. */
#define OUT at("out.vtkhdf")
#define WHOLE at("whole.vtkhdf")

/* The columns of a result besides those of read_rows. */
typedef struct near_rows {
    rows r;
    double *weight[2], *normal;
    int64_t *feature[2];
} near_rows;

near_rows distances_read(const char *path);
void distances_free(near_rows *n);

/* Returns whether two rows are the same in all columns. */
int distances_same_row(const near_rows *x, size_t i, const near_rows *y, size_t j);

/* A batch of triangles, or of triangles and tetrahedra, without common vertices. */
const char *distances_moving(int solids);

/* Compares OUT with WHOLE. */
void check_distances_same(const char *about);

/* Compares shards that are merged with WHOLE. more, and last: further options, or NULL */
void check_distances_merge(const char *in, const char *first, const char *more, const char *last);

/* Blocks, methods, memory, incremental frames and shards of the rows that some options choose, of
 * which all but the first may be NULL. */
void check_rows_divided(const char *in, const char *first, const char *second, const char *third);

#endif
