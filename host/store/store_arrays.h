/* Within the readers of batches: the values of cell arrays of integers of any name, which `convert`
 * keeps. CellData/ObjectId and vtkGhostType are not among them: they decide what becomes of a cell.
 */
#ifndef IMP_STORE_ARRAYS_H
#define IMP_STORE_ARRAYS_H

#include "cell_arrays.h"
#include "store_batch.h"

/* An array of a block. */
typedef struct batch_array {
    h5_data data;
    uint64_t *row0; /* [frames] its first row */
} batch_array;

typedef struct batch_arrays {
    cell_arrays of;
    batch_array *array; /* [of.count] */
} batch_arrays;

/* Opens those of a block, and checks that they have the rows of every frame. Names of other arrays
 * of its cells and points are added to `lost`, as "CellData/NAME". Errors: INPUT, MEMORY. */
int batch_arrays_open(batch *b, batch_arrays *out, cell_arrays *lost);
void batch_arrays_close(batch_arrays *a);

/* Values of `rows` cells from number `first` of a frame on, as `type`: those of COLUMN_U64 as their
 * bits. INPUT for one that the type cannot hold. */
int batch_array_read(const batch *b, const batch_array *a, enum column_type type, uint64_t frame,
                     uint64_t first, uint64_t rows, int64_t *out);

#endif
