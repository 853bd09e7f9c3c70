/* Questions on moving features with known answers: do a vertex and a face, or two edges, meet, and
 * when first? A file of questions is an array of them, as in memory. */
#ifndef BENCH_QUESTION_H
#define BENCH_QUESTION_H

#include "exact_point.h"

#include <stddef.h>

/* Of numbers alone, so that other programs write and read them without a layout. */
typedef struct question {
    double kind; /* enum exact_ccd_kind */
    exact_motion m;
    double want;  /* the toi, rounded down; or one of the two below */
    double group; /* whatever its maker tells apart by it */
} question;

#define NEVER (-1.0)
#define SOME_TIME 2.0 /* they meet, and when is not known */

/* Times of impact, or NEVER, to the questions: by exact arithmetic (exact.h), or by all of
 * impinge, as a mesh of two primitives in a step between two frames. Returns the seconds for a
 * question in one thread. Failures end the program. */
typedef double question_way(const question *asked, size_t n, double *toi);
question_way questions_exact, questions_whole;

#endif
