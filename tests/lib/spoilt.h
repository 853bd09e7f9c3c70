/* Batches with a fault in a frame, for tests of the error that is reported. */
#ifndef IMP_SPOILT_H
#define IMP_SPOILT_H

#include <stddef.h>
#include <stdint.h>

#define SPOILT_FRAMES 24

/* A vertex of frame `bad` is not finite (SPOILT_FRAMES: none); connectivity of frame `torn` (-1:
 * none) is wrong. Each frame has its own topology. The path is valid until the next call. */
const char *spoilt_batch(size_t bad, int64_t torn);

#endif
