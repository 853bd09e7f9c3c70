/* The operations over the frames of a block (parallel.h) against plain loops over random items. */
#ifndef IMP_SEGMENTS_CHECK_H
#define IMP_SEGMENTS_CHECK_H

#include "parallel.h"
#include "testlib.h"

/* start: [frames + 1] in the form of segments_cut. Tests everything that this device has kernels
 * for; some histograms with `bins` bins. Returns a description of the fault, or NULL. */
const char *segments_wrong(device *d, segments *s, const uint32_t *start, uint32_t frames,
                           uint32_t bins, rng *r);

#endif
