/* The tables of a result, a value for each frame or step, compared with what the frames say; and
 * what `check` does not look at. */
#ifndef IMP_CHECK_TABLES_H
#define IMP_CHECK_TABLES_H

#include "work.h"

/* A sample of `count` of n things, spread over them by a fixed sequence: (*out)[n] is 1 for these;
 * NULL: all. mem_free(*out). Errors: MEMORY. */
int check_sample(mem *m, uint64_t n, uint64_t count, uint8_t **out);

/* What was not compared, of all frames so far. */
typedef struct check_skipped {
    int candidates; /* a frame's number of candidates, or not to one */
    int features;   /* a step's candidates_vf and candidates_ee */
    int points;     /* rows whose points are promised within bounds */
    int turning;    /* rows of bodies that turn */
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
