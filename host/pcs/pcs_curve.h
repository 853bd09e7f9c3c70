/* An order of boxes in which neighbours in space are near each other: what they touch of a table is
 * then still in the cache. No result depends on it. */
#ifndef IMP_PCS_CURVE_H
#define IMP_PCS_CURVE_H

#include "mem.h"

/* Along a Z curve (Morton) through the middles of the boxes, which are finite. order: [boxes].
 * Errors: MEMORY. */
int pcs_curve(mem *m, const double (*box)[6], uint32_t boxes, uint32_t *order);

#endif
