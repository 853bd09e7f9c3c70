/* See bench_times.h. */
#include "bench_times.h"

#include <stdlib.h>

/* Ascending. */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void times_sort(double *seconds, uint64_t count)
{
    qsort(seconds, count, sizeof *seconds, compare);
}

/* The median is the upper one of two middle times: a time that was measured. */
void times_json(json *j, const char *key, const double *seconds, uint64_t count)
{
    json_open(j, key, '{');
    json_real(j, "min", seconds[0]);
    json_real(j, "median", seconds[count / 2]);
    json_close(j, '}');
}

void times_print(const char *name, const double *seconds, uint64_t count)
{
    printf("%-8s %12.3f %12.3f", name, 1e3 * seconds[0], 1e3 * seconds[count / 2]);
}
