/* What is made of a result: collide.txt, tables of pairs of objects, contacts of each primitive. */
#ifndef IMP_EXPORTS_H
#define IMP_EXPORTS_H

#include "output_file.h"
#include "store.h"

/* ---- collide.txt: the contacts of a result, one line each. They are read in chunks, so memory
 * does not grow with what a frame has. */

/* Writes all frames of a result. On failure, and after a signal, nothing of a file stays. */
int collide_txt_write(result_reader *r, text_output *to);

/* ---- The file of --csv: the contacts of a result, summed over pairs of objects: one row for each
 * frame and pair that has any. Memory is taken for the pairs of a frame, not for its contacts. */

/* Writes all frames of a result; memory is counted in m. On failure, and after a signal, nothing of
 * a file stays. */
int pairs_csv_write(mem *m, result_reader *r, text_output *to);

/* ---- The file of --counts: for each primitive the number of its contacts, on the mesh of the
 * input. It is VTKHDF, frame by frame as the result, with links to what it takes from the input:
 * points and cells are not copied. */

/* Makes it of all frames of a result and its input; `to` is of outputs_hdf5. Memory is that of one
 * frame's counts, counted in m. On failure, and after a signal, nothing of a file stays. */
int counts_write(mem *m, batch *in, result_reader *r, text_output *to);

#endif
