/* Many queries at a time. A device answers most of them from bounds of float64 (solids_pack.h); the
 * others get the exact answers of solids.h. Results do not depend on that in any bit. */
#ifndef IMP_SOLIDS_BATCH_H
#define IMP_SOLIDS_BATCH_H

#include "solids.h"

/* Finds the winding numbers. Errors: MEMORY, DEVICE, CANCELLED. */
int solids_windings(const solids *s, solids_query *q, size_t n);

/* Finds the depth of points that are inside, of known winding numbers, as solids_depth: *at of
 * each. Errors: MEMORY, DEVICE, CANCELLED. */
int solids_depths(const solids *s, const solids_query *q, size_t n);

#endif
