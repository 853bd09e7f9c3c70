/* Questions on moving features with known answers: whether a vertex and a face, or two edges, meet,
 * and when first. A file of questions is an array of them, in the memory layout. */
#ifndef BENCH_QUESTION_H
#define BENCH_QUESTION_H

#include "exact_point.h"

#include <stddef.h>

/* Numbers only, so that other programs read and write them without a struct layout. */
typedef struct question {
    double kind; /* enum exact_ccd_kind */
    exact_motion m;
    double want;  /* the toi, rounded down; or one of the two values below */
    double group; /* a label of the question's maker */
} question;

#define NEVER (-1.0)
#define SOME_TIME 2.0 /* they meet at an unknown time */

/* Times of impact, or NEVER, for the questions: by exact arithmetic (exact.h), or by the whole of
 * impinge, as a mesh of two primitives in a step between two frames. Returns the seconds per
 * question in one thread. Failures end the program. */
typedef double question_way(const question *asked, size_t n, double *toi);
question_way questions_exact, questions_whole;

#endif
