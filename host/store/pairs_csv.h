/* The file of --csv: the contacts of a result, summed over pairs of objects: one row for each frame
 * and pair that has any. Memory is taken for the pairs of a frame, not for its contacts. */
#ifndef IMP_PAIRS_CSV_H
#define IMP_PAIRS_CSV_H

#include "output.h"
#include "store.h"

/* Writes all frames of a result; memory is counted in m. On failure, and after a signal, nothing of
 * a file stays. */
int pairs_csv_write(mem *m, result_reader *r, text_output *to);

#endif
