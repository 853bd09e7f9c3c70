/* A batch of three objects, and the rows of its result, for the tests of `run`. */
#ifndef IMP_RUN_ROWS_H
#define IMP_RUN_ROWS_H

#include "program.h"

#define CPU "--device", "cpu", "--threads", "1"

#define FRAMES 9
#define TRIANGLES 40

/* Three objects that touch each other and themselves; frames 3 and 8 have no contacts. Primitives
 * have the SourceId given by source_id. */
const char *make_batch(void);
int64_t source_id(int64_t primitive);

/* All rows of a result. */
typedef struct rows {
    size_t frames, count;
    int64_t *input_frame, *contacts; /* [frames] */
    int64_t *a, *b, *oa, *ob, *kind; /* [count] */
    int64_t *sa, *sb;                /* [count] SourceIdA, SourceIdB, or NULL */
    double *point, *toi, *time;      /* the latter two are NULL if rows have no time */
    double *distance;                /* [count], or NULL */
    size_t *frame;                   /* [count] its index in the result */
} rows;

rows read_rows(const char *path);
void free_rows(rows *r);

/* Runs with additional options; the result is at("out.vtkhdf"). */
void run_with(const char *in, const char *const *more);
#define RUN_WITH(in, ...) run_with(in, (const char *const[]){__VA_ARGS__, NULL})

/* Runs with --continuous to a result, which must be sound. */
void run_steps(const char *in, const char *out, const char *const *more);
#define RUN_STEPS(in, out, ...) run_steps(in, out, (const char *const[]){__VA_ARGS__, NULL})

#endif
