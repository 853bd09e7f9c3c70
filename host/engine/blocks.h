/* How many frames go through the stages together. */
#ifndef IMP_BLOCKS_H
#define IMP_BLOCKS_H

#include "broad.h"

/* Of the next `count` frames; at most `most` of them if that is not 0. */
size_t scheduler_block_length(const context *c, const broad *b, uint32_t most,
                              const imp_frame *frame, size_t count);

#endif
