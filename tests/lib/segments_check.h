/* What is done over the frames of a block (parallel.h) against plain loops over random items. */
#ifndef IMP_SEGMENTS_CHECK_H
#define IMP_SEGMENTS_CHECK_H

#include "parallel.h"
#include "testlib.h"

/* start: [frames + 1] as segments_cut takes it. Everything that this device has kernels for; of
 * histograms, some with `bins` bins. Returns what is wrong, or NULL. */
const char *segments_wrong(device *d, segments *s, const uint32_t *start, uint32_t frames,
                           uint32_t bins, rng *r);

#endif
