/* The options of `impinge bench`. */
#ifndef IMP_BENCH_OPTIONS_H
#define IMP_BENCH_OPTIONS_H

#include "cli.h"
#include "work.h"

typedef struct bench_options {
    work w;
    uint64_t reps, as_gpu;
    const char *json, *against;
    int paced, listed, queries, quiet, force;
} bench_options;
WORK_FIRST(bench_options);

extern const cli_option bench_option_list[];

/* Sets what was not given, and refuses options that do not go together. Returns an exit code, or
 * -1. */
int bench_usage(bench_options *o);

#endif
