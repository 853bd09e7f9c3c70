/* Measures what "auto" is without a GPU (auto.h): the host or OpenCL on it. `impinge devices
 * --compare` does that; a run never does. */
#ifndef IMP_COMPARE_H
#define IMP_COMPARE_H

#include "auto.h"

enum compare_when {
    COMPARE_NEVER,
    COMPARE_ONCE, /* unless it is known, or another process is measuring it */
    COMPARE_AGAIN
};

typedef struct comparison {
    char number[24]; /* of the device compared with; "" if there is none */
    enum auto_answer answer;
    double host, rival; /* seconds for COMPARE_TRIANGLES; 0: not measured now, < 0: it fails */
    int kept;           /* the answer is in the cache folder */
} comparison;

#define COMPARE_TRIANGLES 20000

void compare(enum compare_when when, int threads, comparison *out);

/* Did "auto" take the host only because no answer is known, and is the work large enough for the
 * answer to matter? Then a user may want to measure it. */
int compare_may_pay(const imp_def *def, const imp *p);

#endif
