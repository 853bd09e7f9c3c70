/* Within `impinge check`: provenance, rows and tables of a result, and results of `pcs`. */
#ifndef IMP_CHECK_H
#define IMP_CHECK_H

#include "cli.h"
#include "job.h"
#include "store.h"
#include "truth.h"

/* ---- The provenance of a result: its options and its objects' names. */

/* Returns IMP_ERR_DIFFERS unless a run of this input writes, to the letter, the options that
 * job_parse_normal_form has read; for a shard, with its frames. `w` is open. The functions below
 * return IMP_ERR_DIFFERS likewise. */
int check_provenance_options(const job *w, const char *path, const result_info *info);

/* Compares the names with those of the input's objects. want: NULL if the input has no names. */
int check_provenance_names(const batch_names *want, const char *path, const result_info *info);

/* ---- The rows of a result compared with the truth, for `check`. */

/* One frame of a result, or the step that begins with it, and the data that it is compared with. */
typedef struct check_rows {
    job *job;
    const char *path;           /* the result's path */
    uint64_t frame;             /* the frame's number in the input */
    const imp_frame *at, *next; /* next: the end of the step, or NULL */
    const uint8_t *wanted;      /* [primitives] 1 for those in the sample; NULL: all */
    const result_rows *rows;    /* a, b: positions in the mesh */
    const uint32_t *number;     /* [primitives] numbers in the frame; NULL: the same */
    const int64_t *source_id;   /* [primitives], or NULL */
    const truth *truth;         /* in the order of the rows */
    double margin, lost;        /* tolerances of candidates: truth_bounds_sizes */
    uint64_t pairs, extra;      /* rows compared; additional candidates */
} check_rows;

/* Finds the positions, in a mesh that lacks some primitives of the frame (`number`), of the
 * primitives of rows; writes them to a and b, both [rows]. IMP_ERR_DIFFERS for a primitive that the
 * mesh lacks. */
int check_rows_find(const check_rows *c, const result_rows *rows, int64_t *a, int64_t *b);

/* Returns IMP_ERR_DIFFERS at the first difference: one is enough to prove a result wrong. */
int check_rows_compare(check_rows *c);

/* For rows of other kinds. IMP_ERR_DIFFERS if the result has other columns than its options give;
 * if the objects, ids or the time of row i are wrong. */
int check_rows_columns(const check_rows *c);
int check_rows_names(const check_rows *c, uint64_t i);

/* Returns the position in the mesh of a primitive's number in the frame; -1 if the mesh lacks
 * it. */
int64_t check_rows_position(const check_rows *c, int64_t number);

/* ---- check_inside.c: vertices inside objects, and relations of objects. */

/* As check_rows_compare, for rows INSIDE; check_rows.truth is not used. */
int check_inside_compare(check_rows *c, const truth_inside *t);

/* Compares the relations of the frame. */
int check_relations_compare(const check_rows *c, const step_relations *of,
                            const truth_relations *t);

/* ---- `impinge check` for a result of `impinge pcs`: recomputed from the batch beside it, by other
 * arithmetic. */

typedef struct check_simulated_def {
    mem *mem;
    result_reader *result; /* a simulated result */
    const char *path, *input, *frames;
    uint64_t sample; /* bodies in each step; 0: all */
    int threads, quiet, progress;
    warnings *warnings;
} check_simulated_def;

/* Stops at the first difference. Errors: DIFFERS; INPUT, for the batch; MEMORY, ARGUMENT. */
int check_simulated(const check_simulated_def *def);

/* ---- The tables of a result, which have one value for each frame or step, compared with the
 * frames; and the list of values that `check` does not compare. */

/* Chooses a sample of `count` of n things by a fixed sequence: (*out)[n] is 1 for these; NULL: all.
 * mem_free(*out). Errors: MEMORY. */
int check_sample(mem *m, uint64_t n, uint64_t count, uint8_t **out);

/* Extends a sample of primitives to all primitives of their objects: the nearest pair of two
 * objects is known only from all pairs. Errors: MEMORY. */
int check_sample_objects(mem *m, const imp_mesh *mesh, uint8_t *sample);

/* Values that were not compared, in all frames so far. */
typedef struct check_skipped {
    int candidates;     /* a frame's number of candidates: not compared, or with a tolerance */
    int features;       /* a step's candidates_vf and candidates_ee */
    int points;         /* rows whose points are only promised within bounds */
    int nearest;        /* rows of pairs that do not touch */
    int inside;         /* rows of vertices inside objects */
    int relations;      /* relations of a frame, with a sample */
    int turning;        /* rows of rotating bodies */
    column_set columns; /* columns of stored_table that the truth does not have */
} check_skipped;

/* One frame or step of a result. */
typedef struct check_tables {
    job *job;
    const char *path; /* the result's path */
    const result_info *info;
    uint64_t k;                 /* the frame's number in the result */
    const imp_frame *at, *next; /* next: the end of the step, or NULL */
    int sampled;                /* values that need all pairs are not compared */
} check_tables;

/* Checks that frame k is the input frame that the options name, before that frame is read.
 * IMP_ERR_DIFFERS if not, here and below. */
int check_tables_frame_number(const job *w, const char *path, const result_info *info, uint64_t k);

/* Compares the time and the counts of the frame. */
int check_tables_compare(const check_tables *c, check_skipped *skipped);

/* Adds to *skipped the values that are not compared in these rows. */
void check_tables_rows(const check_tables *c, const result_rows *rows, check_skipped *skipped);

/* Prints one line that names everything that was not compared, or only within bounds. */
void check_skipped_print(const check_skipped *skipped);

#endif
