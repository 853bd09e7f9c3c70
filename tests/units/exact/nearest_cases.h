/* Random pairs of primitives by class, for tests of distances. Four of five classes are degenerate,
 * and exactly so: their coordinates are small integers, then scaled and moved without rounding. */
#ifndef IMP_NEAREST_CASES_H
#define IMP_NEAREST_CASES_H

#include "oracle.h"
#include "testlib.h"

/* ends with NULL */
extern const char *const nearest_class_names[];

/* The i-th pair of a class. Each primitive has three or four corners; corners may have the same
 * vertex number, so that it is a segment or a point. `distance`: one that some pairs of the class
 * have exactly; positive and finite. */
void nearest_case_make(int class, uint64_t i, nearest_case *out, double *distance);

#endif
