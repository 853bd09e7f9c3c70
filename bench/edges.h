/* The unit of bench_job --in-edges. */
#ifndef BENCH_EDGES_H
#define BENCH_EDGES_H
#include "impinge.h"
#include "mem.h"

/* *median: the length of the median edge of a frame; each primitive's edges count. Errors: MEMORY;
 * INPUT if all edges have length 0. */
int edges_median(mem *m, const imp_frame *f, double *median);

#endif
