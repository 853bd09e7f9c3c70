/* What the reader gives, held against what was put together: sizes, times, triangles, points,
 * objects of every frame. */
#ifndef IMP_CHECK_BATCH_H
#define IMP_CHECK_BATCH_H

#include "h5_make.h"
#include "store.h"

/* What the test is about, for messages. */
extern char about[200];

/* c: the cell array that tells objects, if any. */
void check_file(const make *m, const char *path, enum object_source how, const make_cells *c,
                int is_static);

/* Frames in blocks of `most`, forwards or backwards. */
void check_blocks(const make *m, const make_cells *c, batch *b, size_t most, int back);

/* What reading a frame returns, or opening its file. */
int read_code(const char *path, size_t frame);

#endif
