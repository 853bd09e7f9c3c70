/* Compares the reader's output with the batch that was made: sizes, times, triangles, points,
 * objects of every frame. */
#ifndef IMP_CHECK_BATCH_H
#define IMP_CHECK_BATCH_H

#include "h5_make.h"
#include "store.h"

/* The subject of the test, for messages. */
extern char about[200];

/* c: the cell array with the objects, or NULL. */
void check_file(const make *m, const char *path, enum object_source how, const make_cells *c,
                int is_static);

/* Reads frames in blocks of `most`, forwards or backwards. */
void check_blocks(const make *m, const make_cells *c, batch *b, size_t most, int back);

/* The error code of reading a frame, or of opening its file. */
int read_code(const char *path, size_t frame);

#endif
