/* Times of repetitions in ascending order: minimum and median. */
#ifndef IMP_BENCH_H
#define IMP_BENCH_H

#include "json.h"

void times_sort(double *seconds, uint64_t count);

/* Writes a member {min, median} of a document; a line in milliseconds, without its line end. */
void times_json(json *j, const char *key, const double *seconds, uint64_t count);
void times_print(const char *name, const double *seconds, uint64_t count);

#endif
