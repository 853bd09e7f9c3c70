/* Measuring what "auto" is without a GPU (auto.h): the host against OpenCL on it. `impinge devices
 * --compare` does it, on request or as a process that `impinge run` leaves behind. */
#ifndef IMP_COMPARE_H
#define IMP_COMPARE_H

#include "auto.h"

enum compare_when {
    COMPARE_NEVER,
    COMPARE_ONCE, /* unless it is known, or another process is at it */
    COMPARE_AGAIN
};

typedef struct comparison {
    char number[24]; /* of the device compared with; "" if there is none */
    enum auto_answer answer;
    double host, rival; /* seconds for some triangles; 0: not measured now, < 0: it fails */
    int kept;           /* the answer is in the cache folder */
} comparison;

#define COMPARE_TRIANGLES 20000

void compare(enum compare_when when, int threads, comparison *out);

/* A process that nobody waits for: it yields to others, and ends after two minutes whatever a
 * driver does. */
void compare_humbly(void);

/* To be told of each pipeline that a run makes. If it is the host's only because nothing is known
 * yet, and the work is large enough for that to matter, measuring begins when this process has
 * ended, in another one: beside the run both would be slowed down, the measurement would be of a
 * busy machine, and a run that waits for the answer, if only for 2 s, loses more than it can gain.
 * def->log is told. */
void compare_later(const imp_def *def, const imp *p);

#endif
