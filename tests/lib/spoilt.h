/* Batches with something wrong in a frame, for tests of which error is told. */
#ifndef IMP_SPOILT_H
#define IMP_SPOILT_H

#include <stddef.h>
#include <stdint.h>

#define SPOILT_FRAMES 24

/* A vertex of frame `bad` is not finite (SPOILT_FRAMES: of none); connectivity of frame `torn` (or
 * none: -1) is wrong. Each frame has its own. The path is valid until the next call. */
const char *spoilt_batch(size_t bad, int64_t torn);

#endif
