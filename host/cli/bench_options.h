/* What `impinge bench` is told. */
#ifndef IMP_BENCH_OPTIONS_H
#define IMP_BENCH_OPTIONS_H

#include "cli.h"
#include "work.h"

#define BENCH_OPEN UINT64_MAX /* a number that was not given */

typedef struct bench_options {
    work w;
    uint64_t reps, as_gpu;
    const char *json, *against;
    int paced, listed, quiet, force, swept;
} bench_options;
WORK_FIRST(bench_options);

extern const cli_option bench_option_list[];

/* Puts in what was not given, and says so if options do not go together. Returns an exit code, or
 * -1. */
int bench_usage(bench_options *o);

#endif
