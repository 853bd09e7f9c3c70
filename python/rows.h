/* What the Python package adds to the library, in C: rows are collected without Python, SIGINT ends
 * a call, and warnings wait until it is over. declare.py declares all this to Python from here. */
#ifndef IMP_PYTHON_ROWS_H
#define IMP_PYTHON_ROWS_H

#include "impinge.h"
#include "impinge_pcs.h"

/* All contacts of a frame. Its arrays are of malloc; whoever takes one leaves NULL here. All zero
 * at first. */
typedef struct rows {
    imp_contacts view;
    size_t room;          /* what the arrays have room for */
    size_t expected;      /* what they get at first, at least */
    size_t item_room[32]; /* the same of each column of varying length, in items */
    /* with imp_def.inside: its relations, also arrays of malloc */
    imp_relation *relation;
    imp_swallowed *swallowed;
    size_t relations, swallowed_parts;
    uint32_t closed, open; /* as in imp_relations */
} rows;

/* Frees the arrays of `frames` frames. */
void rows_free(rows *r, size_t frames);

/* Frees an array that was taken. */
void rows_free_array(void *array);

/* A column of contact.def. */
typedef struct rows_column {
    const char *name;         /* in imp_contacts; of a derived column its own */
    const char *group, *file; /* the dataset of a result */
    const char *file_first;   /* of varying length: where the items of a contact begin; else NULL */
    int values;               /* of a contact, or of an item */
    int derived;              /* 1: only files have it */
    int (*when)(const imp_def *d); /* do contacts of such a pipeline have it? NULL: always */
} rows_column;

/* Column `index`, in the order of contact.def; NULL past the last. */
const rows_column *rows_column_at(size_t index);

/* Warnings of the library, as many as fit, a line each: imp_def.log and its user. */
typedef struct rows_notes {
    size_t used;
    char text[4096];
} rows_notes;
void rows_note(void *notes, const char *line);

/* How a call is made. Zero at first, then the same for all calls of a pipeline. */
typedef struct rows_call {
    int ends; /* SIGINT ends this call: it comes from Python's main thread */
    int late; /* SIGINT came when nothing was left to end, so the library would end the next call */
    size_t most; /* contacts of a frame in the last call */
    rows *rows;  /* those of the running call, NULL: it has none */
} rows_call;

/* imp_def.relations, whose user is the rows_call of the pipeline: copies them to its rows. */
int rows_relations(void *call, const imp_relations *found);

/* imp_detect, imp_touches and imp_model_query with the contacts in r[frames]. A handler of SIGINT
 * that somebody has set, such as Python's, is called as well. */
int rows_detect(imp *p, const imp_frame *frames, size_t count, rows *r, imp_frame_info *info,
                rows_call *how);
int rows_touches(imp *p, const imp_frame *frame, int *yes, rows_call *how);
int rows_query(imp_model *m, rows *r, imp_frame_info *info, rows_call *how);

/* imp_pcs_step, with these arguments. SIGINT ends it as the calls above; what hooks run of Python
 * ends by itself. */
typedef struct rows_step_of {
    imp_pcs *pcs;
    imp_pose *pose;
    double seconds;
    imp_pcs_hooks hooks;
    imp_pcs_info *info;
} rows_step_of;
int rows_step(const rows_step_of *step, rows_call *how);

/* imp_solids_create and imp_solids_points; p: their pipeline. */
int rows_solids_create(imp *p, const imp_frame *frame, imp_solids **out, rows_call *how);
typedef struct rows_points_of {
    imp_solids *solids;
    int32_t object;
    const double *point;
    size_t count;
    imp_inside_points out;
} rows_points_of;
int rows_solids_points(imp *p, const rows_points_of *points, rows_call *how);

/* imp_create, imp_model_create, imp_pcs_create and imp_device_at, which load drivers: the handler
 * of SIGINT stays. */
int rows_create(const imp_def *def, imp **out);
int rows_model_create(const imp_def *def, int corners, imp_model **out);
int rows_pcs_create(const imp_pcs_def *def, imp_pcs **out);
int rows_device_at(size_t index, imp_device_info *out);

/* Copies numbers that are `least` to `most` as 32 bits each. Returns 0 if one is not; then what it
 * wrote is of no use. most - least is below 2^63. */
int rows_narrow(const int64_t *from, size_t count, int64_t least, int64_t most, void *to);

/* A hash of these bytes: whether an array is still what it was. */
uint64_t rows_hash(const void *bytes, size_t count);

#endif
