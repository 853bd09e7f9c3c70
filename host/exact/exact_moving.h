/* Do two features meet while their vertices move evenly, and when first? */
#ifndef IMP_EXACT_MOVING_H
#define IMP_EXACT_MOVING_H

#include "exact_motion.h"

/* Do a vertex and a face, or two edges, meet while they move? They are closed sets: a face without
 * area is the segment or point that it is. All coordinates finite. Returns 1, and as the toi the
 * first instant that they meet, 0 to 1, rounded down to float64; or 0. Always exact; for any number
 * of threads. */
int exact_ccd_first(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

/* The same by integers alone, some ten times slower: for tests. */
int exact_ccd_first_integers(enum exact_ccd_kind kind, const exact_motion *m, double *toi);

#endif
