/* Cells of VTKHDF files become shapes. */
#ifndef IMP_VTKHDF_H
#define IMP_VTKHDF_H

#include "file_shape.h"

struct vtkhdf_reader;
struct cell_arrays;

/* As mesh_file_read. `path`: for messages. */
int vtkhdf_read(struct vtkhdf_reader *f, const char *path, uint64_t frame, int numbers,
                const struct cell_arrays *arrays, file_shape *out);

#endif
