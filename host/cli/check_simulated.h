/* `impinge check` of a result of `impinge pcs`: from the batch beside it, by other arithmetic. */
#ifndef IMP_CHECK_SIMULATED_H
#define IMP_CHECK_SIMULATED_H

#include "store.h"
#include "warnings.h"

typedef struct check_simulated_def {
    mem *mem;
    result_reader *result; /* which is simulated */
    const char *path, *input, *frames;
    uint64_t sample; /* bodies of each step; 0: all */
    int threads, quiet, progress;
    warnings *warnings;
} check_simulated_def;

/* Stops at the first difference. Errors: DIFFERS; INPUT, of the batch; MEMORY, ARGUMENT. */
int check_simulated(const check_simulated_def *def);

#endif
