/* Vertices are one where neighbours have them at a common edge or face. */
#ifndef IMP_WELD_EDGES_H
#define IMP_WELD_EDGES_H

#include "impinge_weld.h"
#include "welding.h"

/* imp_weld with the tolerance 0: w->map, and open, open_primitive and split of *info. Errors:
 * MEMORY. */
int weld_edges(welding *w, imp_weld_info *info);

#endif
