/* The part of a result that follows from the number of contacts of each frame, and that viewers
 * read first: where each frame begins, how its lines are joined, and that there are no
 * other cells (data/format.md). */
#ifndef IMP_STORE_LAYOUT_H
#define IMP_STORE_LAYOUT_H

#include "columns.h"
#include "h5.h"

/* Results are version 2.1 of the format. */
#define RESULT_MINOR 1

/* Checks type and version, the first `frames` frames of a file called `path`, whose group /VTKHDF
 * is `root`, and the columns that its contacts have. IMP_ERR_INPUT names the first wrong dataset.
 */
int layout_check(mem *m, hid_t root, const char *path, uint64_t frames, const int64_t *contacts,
                 const column_table *t, column_set set);

#endif
