/* Batches whose rows lie in other files, made of whole ones with plain HDF5 and nothing of host/.
 */
#ifndef IMP_H5_SERIES_H
#define IMP_H5_SERIES_H

#include "testlib.h"

#include <hdf5.h>

/* Rows and columns of another dataset: `count` of them, from `from` there to `to` here. */
typedef struct series_piece {
    const char *file, *dataset;
    hsize_t to[2], from[2], count[2];
    hsize_t stride; /* of rows here; 0: 1 */
} series_piece;

/* A virtual dataset in place of what is there, with its type. The pieces end with one without file.
 */
void series_replace(const char *path, const char *name, int rank, const hsize_t *dims,
                    const series_piece *piece);

/* Rows of a dataset go to `files` files, "part_0.h5" ... beside the batch, as datasets of the same
 * name; in its place stands a virtual one. */
void series_spread(const char *path, const char *name, size_t files);

/* From now on sources are taken as wholes (H5S_ALL), as h5py writes them, or not. */
void series_take_wholes(int on);

/* All datasets of a PolyData batch that a frame is made of, and CellData/ObjectId. */
void series_spread_all(const char *path, size_t files);

/* Path of part_I.h5; valid for good. */
const char *series_part(size_t i);

/* A copy of a dataset under another name, possibly in another (also new) file. */
void series_copy(const char *from, const char *name, const char *to, const char *to_name);

/* Only the first rows of a dataset stay. */
void series_shorten(const char *path, const char *name, hsize_t rows);

/* Chunked, and nothing is written of it but `rows` rows. */
void series_unwritten(const char *path, const char *name, hsize_t chunk, hsize_t rows,
                      const int64_t *fill);

/* Its data go to a file of their own. */
void series_raw(const char *path, const char *name, const char *raw);

#endif
