/* Vertices are one where they are near each other. */
#ifndef IMP_WELD_NEAR_H
#define IMP_WELD_NEAR_H

#include "welding.h"

/* imp_weld with a tolerance above 0: w->map. Errors: MEMORY. */
int weld_near(welding *w, double tolerance);

#endif
