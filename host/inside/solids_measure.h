/* Points and faces that are known to be nearest to them: their distances in lanes
 * (../../kernels/measure8.cl), where the nearest point is certainly within the face. The results
 * are those of exact_pair_nearest. */
#ifndef IMP_SOLIDS_MEASURE_H
#define IMP_SOLIDS_MEASURE_H

#include "device.h"
#include "measure_code.h"
#include "solids.h"

#define MEASURE_ROOM 64u /* a multiple of eight */

/* Zero at first. */
typedef struct solids_measure {
    uint32_t count;
    double unit[MEASURE_ROOM], x[3 * MEASURE_POINTS * MEASURE_ROOM]; /* see measure8.cl */
    uint32_t row[MEASURE_ROOM], at[MEASURE_POINTS * MEASURE_ROOM];
    double out[MEASURE_RESULTS * MEASURE_ROOM];
    uint8_t sure[MEASURE_ROOM];
} solids_measure;

/* Adds a triangle and a point, number m->count before. */
void solids_measure_add(const solids *s, uint32_t prim, const double x[3], solids_measure *m);
void solids_measure_run(const device *d, solids_measure *m);

/* Sets the distance, the weights of the face and its nearest point. Returns 0 if they are not
 * certain. */
int solids_measure_get(const solids_measure *m, uint32_t i, exact_nearest *out);

#endif
