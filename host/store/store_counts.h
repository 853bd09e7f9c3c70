/* The file of --counts: for each primitive the number of its contacts, on the mesh of the input. It
 * is VTKHDF, frame by frame as the result, with links to what it takes from the input: points and
 * cells are not copied. */
#ifndef IMP_STORE_COUNTS_H
#define IMP_STORE_COUNTS_H

#include "output.h"
#include "store.h"

/* Makes it of all frames of a result and its input; `to` is of outputs_hdf5. Memory is that of one
 * frame's counts, counted in m. On failure, and after a signal, nothing of a file stays. */
int counts_write(mem *m, batch *in, result_reader *r, text_output *to);

#endif
