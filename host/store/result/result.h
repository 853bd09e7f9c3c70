/* Internal to results: the layout of the file, its columns and checksums, provenance, and the table
 * of a contact's columns. */
#ifndef IMP_RESULT_H
#define IMP_RESULT_H

#include "columns.h"
#include "h5.h"
#include "object_names.h"
#include "store.h"
#include "vtkhdf_writer.h"

#include <xxhash.h>

/* ---- The data of a result for each frame, and for each contact: contact.def as a table over
 * result_rows, and the conversion of the pipeline's contacts to its columns. */

/* The tables of /impinge: one row for each frame. */
enum frame_table {
    FRAME_INPUT,
    FRAME_CANDIDATES,
    FRAME_CONTACTS,
    FRAME_UNDECIDED,
    FRAME_BAD,
    FRAME_TOUCHED,
    FRAME_CANDIDATES_VF,
    FRAME_CANDIDATES_EE,
    FRAME_SECONDS,
    FRAME_CHECKSUM,
    FRAME_CLOSED, /* from here on: with relations */
    FRAME_OPEN,
    FRAME_RELATIONS, /* their checksum */
    FRAME_TABLES
};
extern const column_table frame_tables; /* over result_frames */

/* Returns the columns of a result with this provenance. */
column_set stored_columns(const result_provenance *provenance);

/* position: in a line of collide.txt, 0: not printed; titles: of its values in the first line, for
 * varying length the number of items and the items. */
typedef struct stored_text {
    int position;
    const char *titles;
} stored_text;
extern const stored_text stored_texts[STORED_COLUMNS];

/* Rows at a time, unless another number is needed. */
#define STORED_CHUNK 4096

/* ---- The part of a result that follows from the number of contacts of each frame, and that
 * viewers read first: the beginning of each frame, the lines that join its points, and the empty
 * tables of other cells (data/format.md). */

/* Results are version 2.1 of the format. */
#define RESULT_MINOR 1

/* Checks type and version, the first `frames` frames of a file called `path`, whose group /VTKHDF
 * is `root`, and the columns of its contacts. IMP_ERR_INPUT names the first wrong dataset. */
int layout_check(mem *m, hid_t root, const char *path, uint64_t frames, const int64_t *contacts,
                 const column_table *t, column_set set);

/* ---- The provenance of a result, in /impinge, and its comparison with that of the current run. */

/* Write all of it into the open group, of a file called `path` in messages; or only the texts that
 * may change when a run is resumed. */
int provenance_write(mem *m, hid_t group, const char *path, const result_provenance *o);
int provenance_write_texts(hid_t group, const char *path, const result_provenance *o);

/* Writes the provenance of the input alone. */
int provenance_write_input(hid_t group, const char *path, uint64_t bytes, uint64_t hash);

/* Return whether these options, in their normal form, ask for steps between frames; and whether
 * they are a scene's. */
int provenance_is_continuous(const char *options);
int provenance_has_times(const char *options);                  /* whether contacts have times */
int provenance_distance(const char *options, double *distance); /* whether rows have distances; the
                                                                   greatest one asked for */
int provenance_has_thickness(const char *options);              /* whether rows have depths */
int provenance_is_simulated(const char *options);
int provenance_has_relations(const char *options); /* whether steps have relations of objects */
int provenance_is_inside(const char *options);     /* whether rows are vertices inside objects */

/* Returns whether the options are a shard's, and finds which one. */
int provenance_shard(const char *options, uint64_t *shard, uint64_t *shards);

/* Returns whether the frames are units, each a slab of a step. *slabs: slabs of a step, 0: none;
 * *first, *count: the units of the result. */
int provenance_partition(const char *options, uint64_t *slabs, uint64_t *first, uint64_t *count);

/* Returns whether two normal forms differ only in slabs: one has units for the other's frames. */
int provenance_same_but_units(const char *options, const char *others);

/* Checks that this result, complete or not, was made from the same input with the same options, and
 * that every frame in it is undamaged. The text of IMP_ERR_INPUT names the difference. */
int provenance_check(mem *m, const char *path, const result_provenance *o, int *complete);

/* ---- The checksum of a frame's rows that arrive in chunks: that of columns_sum. */

typedef struct row_sums {
    const column_table *table;
    XXH3_state_t *values[COLUMNS_MOST], *ends[COLUMNS_MOST]; /* NULL: no such column */
    uint64_t items[COLUMNS_MOST];                            /* items so far, for varying length */
} row_sums;

/* *s is all zero. Errors: MEMORY. */
int row_sums_open(const column_table *t, column_set set, row_sums *s);
void row_sums_close(row_sums *s);

/* Adds the next rows, the first ones of a view. */
void row_sums_add(row_sums *s, const void *view, size_t rows);

/* Add the next rows of one column: its values, of this number of bytes; and the ends of each row's
 * items, from `first` as in a view. */
void row_sums_values(row_sums *s, int c, const void *values, size_t bytes);
void row_sums_ends(row_sums *s, int c, const uint64_t *first, size_t rows);

/* Returns the checksum; the next row is the first of another frame. */
uint64_t row_sums_end(row_sums *s);

/* ---- The columns of a table in a file that grows frame by frame, and their readers: for any
 * table; that of contacts is stored_table.
 *
 *   CellData  a dataset there, and in Steps/CellDataOffsets the first row of each frame
 *   VTKHDF    a dataset that every file has: Points, several rows for each row of the column
 *   impinge   a dataset there; for varying length two: all items, and the position of the first
 *             item of each row, one more than there are rows, counted over the whole file
 *
 * Errors are those of h5.h. */

/* The groups, which must stay open; path: for messages. */
typedef struct column_groups {
    const char *path;
    hid_t root, cells, frames, own; /* /VTKHDF, CellData, Steps/CellDataOffsets; /impinge */
} column_groups;

/* ---- writing */

typedef struct column_writer_column {
    h5_grow values, first, frames;
    h5_grow *to;    /* `values`, or a dataset that every file has */
    uint64_t items; /* items in the file, for varying length */
} column_writer_column;

typedef struct column_writer {
    mem *mem;
    const column_table *table;
    column_set set;
    column_groups at;
    column_writer_column *out; /* [table->count] */
    row_sums sums;             /* checksum of the frame */
} column_writer;

/* Creates the datasets (rows and frames H5_NEW), or opens those of a file with this number of valid
 * rows and frames; column_writer_truncate removes later ones. `points` gets the rows of a column of
 * group VTKHDF, and is not truncated here. *w is all zero. */
int column_writer_open(mem *m, const column_groups *at, const column_table *t, column_set set,
                       h5_grow *points, uint64_t rows, uint64_t frames, column_writer *w);
int column_writer_truncate(column_writer *w);

/* Appends rows of column c; first: as in a view, if its length varies. */
int column_writer_add_rows(column_writer *w, int c, const void *values, const uint64_t *first,
                           size_t rows);

/* Appends all rows of a table, in all columns. The caller adds them to the checksum:
 * row_sums_add. */
int column_writer_add_chunk(column_writer *w, const column_rows *rows);

/* Does the same for rows stored elsewhere: adds them to the checksum, and appends the ends of their
 * items. */
int column_writer_add_virtual(column_writer *w, int c, const void *values, const uint64_t *first,
                              size_t rows);

/* Returns the checksum of all rows since the last call, which are a frame's. */
uint64_t column_writer_end_sum(column_writer *w);

/* Begins a frame with row `row`. */
int column_writer_begin_frame(column_writer *w, uint64_t row);

int column_writer_flush(column_writer *w);
void column_writer_close(column_writer *w);

/* Returns the same checksum for rows in memory: a checksum over those of the existing columns, in
 * the order of the table. A column of varying length has two: one for the ends of each row's items,
 * counted from the first row (which begins at 0), and one for the items. */
uint64_t columns_sum(const column_table *t, const void *view, size_t rows);

/* ---- reading */

typedef struct column_reader_column {
    h5_data values, first;
    uint64_t per_row; /* rows of `values` for each row of the column */
} column_reader_column;

typedef struct column_reader {
    mem *mem;
    const column_table *table;
    column_set set;
    column_reader_column *in; /* [table->count] */
} column_reader;

/* Opens the columns that exist, with at least `rows` rows. A column without a condition must exist.
 * *r is all zero. */
int column_reader_open(mem *m, const column_groups *at, const column_table *t, uint64_t rows,
                       column_reader *r);
void column_reader_close(column_reader *r);

/* Read rows [first, first + rows): all columns into `out`, whose capacity suffices, replacing its
 * rows; or one column of fixed length into the caller's array. */
int column_reader_read_all(const column_reader *r, uint64_t first, size_t rows, column_rows *out);
int column_reader_read(const column_reader *r, int c, uint64_t first, size_t rows, void *out);

/* ---- The relations of objects: two tables of rows, each with the first row of every frame. */

enum { RELATION_PAIRS, RELATION_SWALLOWED, RELATION_TABLES };
extern const column_table relation_tables[RELATION_TABLES];

/* All zero: there are none. */
typedef struct relation_writer {
    int there;
    column_writer table[RELATION_TABLES];
    h5_grow first[RELATION_TABLES];
    uint64_t rows[RELATION_TABLES];
} relation_writer;

/* Creates the datasets in /impinge (frames H5_NEW), or opens those of a file with this number of
 * finished frames; the next function removes later rows. Errors are those of h5.h. */
int relation_writer_open(mem *m, hid_t group, const char *path, uint64_t frames,
                         relation_writer *w);
int relation_writer_truncate(relation_writer *w);

/* Appends the relations of the next frame; *sum: their checksum. */
int relation_writer_add(relation_writer *w, const step_relations *of, uint64_t *sum);
int relation_writer_flush(relation_writer *w);
void relation_writer_close(relation_writer *w);

typedef struct relation_reader {
    mem *mem;
    column_reader table[RELATION_TABLES];
    uint64_t *first[RELATION_TABLES]; /* [frames + 1] */
    column_rows rows[RELATION_TABLES];
} relation_reader;

/* Opens the relations of `frames` frames. Errors: INPUT, MEMORY. */
int relation_reader_open(mem *m, hid_t group, const char *path, uint64_t frames,
                         relation_reader *r);
int relation_reader_read(relation_reader *r, uint64_t k, step_relations *out);
void relation_reader_close(relation_reader *r);

/* ---- Internal to the writers of results, result_writer.c (a run's) and join.c (joins of shards),
 * and to the reader, result_reader.c. */

/* A frame whose contacts are complete. */
typedef struct frame_end {
    uint64_t rows, checksum;
} frame_end;

struct result {
    vtkhdf_writer p;
    mem *mem;
    hid_t group; /* /impinge */
    column_writer columns;
    column_set tables; /* the set of frame_tables */
    h5_grow table[FRAME_TABLES];
    relation_writer relations;
    uint64_t rows, most; /* contacts of all ended frames; contacts of the largest frame */
    uint64_t frame_rows; /* contacts of the current frame */
    column_rows chunk;   /* the buffer of result_add */
    frame_end *end;      /* ends of the block's first `closed` frames */
    size_t closed, end_capacity;
    double committed; /* time of the last commit */
};

/* Ends the next step, `of`: its rows and their checksum, and its row of the other tables. */
int result_end_step(result *r, const result_step *of, const frame_end *end,
                    const imp_frame_info *info);

struct result_reader {
    mem *mem;
    char *path;
    hid_t file, root, group;
    result_info info;
    batch_names names;
    int64_t *rows0;                           /* [frames + 1] first contact of each frame */
    void *table[FRAME_TABLES], *time, *pairs; /* the arrays that info points to */
    int32_t *thickness_object;
    double *thickness;
    int32_t *inside_object;
    uint64_t *piece; /* as table, for info.shard */
    relation_reader relations;
    column_reader columns;
    column_rows rows;
};

/* Merges the rows of all parts, which have the same columns, in the order of rows: join.c. INPUT if
 * a part is damaged. */
int row_merge_write(column_writer *to, mem *from, const result_part *part, size_t parts);

/* Adds the relations of a step, if the parts have any, in the order of relations: join_relations.c.
 * INPUT if a part is damaged. */
int join_relations(result *r, mem *m, const result_part *part, size_t parts);

/* Returns the set of its tables: columns of frame_tables. */
column_set result_tables(const result_reader *r);

#endif
