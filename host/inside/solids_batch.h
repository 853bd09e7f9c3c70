/* Many queries at a time. A device answers most of them from bounds of float64 (solids_pack.h); the
 * others get the exact answers of solids.h. Results do not depend on that in any bit. */
#ifndef IMP_SOLIDS_BATCH_H
#define IMP_SOLIDS_BATCH_H

#include "solids.h"

typedef struct solids_query {
    double x[3];
    uint32_t place; /* the closed object */
    int32_t winding;
    int touches; /* on its surface; the winding number is 0 */
    solids_depth_at *at;
} solids_query;

/* Finds the winding numbers. Errors: MEMORY, DEVICE, CANCELLED. */
int solids_windings(const solids *s, solids_query *q, size_t n);

/* Finds the depth of points that are inside, of known winding numbers, as solids_depth: *at of
 * each. Errors: MEMORY, DEVICE, CANCELLED. */
int solids_depths(const solids *s, const solids_query *q, size_t n);

#endif
