/* Batches whose rows lie in other files, made from complete ones with plain HDF5 and no code of
 * host/. */
#ifndef IMP_H5_SERIES_H
#define IMP_H5_SERIES_H

#include "testlib.h"

#include <hdf5.h>

/* Rows and columns of another dataset: `count` of them, from `from` there to `to` here. */
typedef struct series_piece {
    const char *file, *dataset;
    hsize_t to[2], from[2], count[2];
    hsize_t stride; /* stride of rows here; 0: 1 */
} series_piece;

/* Replaces a dataset by a virtual one of the same type. The list of pieces ends with one without
 * file. */
void series_replace(const char *path, const char *name, int rank, const hsize_t *dims,
                    const series_piece *piece);

/* Moves the rows of a dataset to `files` files, "part_0.h5" ... beside the batch, as datasets of
 * the same name, and replaces it by a virtual one. */
void series_spread(const char *path, const char *name, size_t files);

/* Selects whether sources are selected as a whole (H5S_ALL), as h5py writes them. */
void series_take_wholes(int on);

/* All datasets of a PolyData batch that make up a frame, and CellData/ObjectId. */
void series_spread_all(const char *path, size_t files);

/* Path of part_I.h5; valid until the end of the program. */
const char *series_part(size_t i);

/* A copy of a dataset under another name, possibly in another (also new) file. */
void series_copy(const char *from, const char *name, const char *to, const char *to_name);

/* Removes all but the first rows of a dataset. */
void series_shorten(const char *path, const char *name, hsize_t rows);

/* Makes a chunked dataset of which only `rows` rows are written. */
void series_unwritten(const char *path, const char *name, hsize_t chunk, hsize_t rows,
                      const int64_t *fill);

/* Moves its data to a separate file. */
void series_raw(const char *path, const char *name, const char *raw);

#endif
