/* Within `impinge check`: what a result says of itself, its rows, its tables, and results of `pcs`.
 */
#ifndef IMP_CHECK_H
#define IMP_CHECK_H

#include "cli.h"
#include "job.h"
#include "store.h"
#include "truth.h"

/* ---- What a result says of itself: its options, the names of its objects. */

/* Would a run of this input write the options that job_parse_normal_form has read, to the letter,
 * and of a shard for these frames? `w` is open. IMP_ERR_DIFFERS if not, here and below. */
int check_provenance_options(const job *w, const char *path, const result_info *info);

/* Has it the names of the input's objects? NULL: it has none. */
int check_provenance_names(const batch_names *want, const char *path, const result_info *info);

/* ---- The rows of a result compared with the truth, for `check`. */

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

/* ---- `impinge check` of a result of `impinge pcs`: from the batch beside it, by other arithmetic.
 */

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

/* ---- The tables of a result, a value for each frame or step, compared with what the frames say;
 * and what `check` does not look at. */

/* A sample of `count` of n things, spread over them by a fixed sequence: (*out)[n] is 1 for these;
 * NULL: all. mem_free(*out). Errors: MEMORY. */
int check_sample(mem *m, uint64_t n, uint64_t count, uint8_t **out);

/* What was not compared, of all frames so far. */
typedef struct check_skipped {
    int candidates;     /* a frame's number of candidates, or not to one */
    int features;       /* a step's candidates_vf and candidates_ee */
    int points;         /* rows whose points are promised within bounds */
    int turning;        /* rows of bodies that turn */
    column_set columns; /* of stored_table, which the truth does not have */
} check_skipped;

/* One frame or step of a result. */
typedef struct check_tables {
    job *job;
    const char *path; /* of the result */
    const result_info *info;
    uint64_t k;                 /* its number in the result */
    const imp_frame *at, *next; /* next: NULL, or the end of the step */
    int sampled;                /* what takes all pairs is left out */
} check_tables;

/* Is k of the frame of the input that the options say? Before that is read. IMP_ERR_DIFFERS if not,
 * here and below. */
int check_tables_frame_number(const job *w, const char *path, const result_info *info, uint64_t k);

/* Its time and its numbers. */
int check_tables_compare(const check_tables *c, check_skipped *skipped);

/* Adds to `left` what is not compared in these rows. */
void check_tables_rows(const check_tables *c, const result_rows *rows, check_skipped *skipped);

/* Prints one line with the names of everything that was not compared, or only within bounds. */
void check_skipped_print(const check_skipped *skipped);

#endif
