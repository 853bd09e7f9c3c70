/* The rows of a result compared with the truth, for `check`. */
#ifndef IMP_CHECK_ROWS_H
#define IMP_CHECK_ROWS_H

#include "work.h"

#include "truth.h"

/* What one frame of a result is compared with, or one step, which begins with that frame. */
typedef struct check_rows {
    job *job;
    const char *path;           /* of the result */
    uint64_t frame;             /* its number in the input */
    const imp_frame *at, *next; /* next: NULL, or the end of the step */
    const uint8_t *wanted;      /* [primitives] of a sample; NULL: all */
    const result_rows *rows;    /* a, b: positions in the mesh */
    const uint32_t *number;     /* [primitives] in the frame; NULL: the same */
    const int64_t *source_id;   /* [primitives] or NULL */
    const truth *truth;         /* in the order of the rows */
    double margin, lost;        /* of candidates: truth_bounds_sizes */
    uint64_t pairs, extra;      /* rows that were compared; additional candidates */
} check_rows;

/* Where the mesh has not all primitives of the frame (`number`): the positions in it of those of
 * rows, into a and b, [rows]. IMP_ERR_DIFFERS for one that the mesh lacks. */
int check_rows_find(const check_rows *c, const result_rows *rows, int64_t *a, int64_t *b);

/* Stops at the first difference, IMP_ERR_DIFFERS: one is enough to prove a result wrong. */
int check_rows_compare(check_rows *c);

#endif
