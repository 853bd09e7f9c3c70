/* Many points and one object of triangles on the host: each triangle meets the rays of the points
 * near it (../../kernels/inside8.cl), so that no tree is needed. */
#ifndef IMP_SOLIDS_RAYS_H
#define IMP_SOLIDS_RAYS_H

#include "solids.h"

/* Sets the winding number of the queries which[n], all about object `place`, or INSIDE_DOUBT, also
 * where the point is on the surface. Errors: MEMORY, DEVICE, CANCELLED. */
int solids_rays(const solids *s, uint32_t place, solids_query *q, const size_t *which, size_t n);

#endif
