/* Within results: the layout of the file, its columns and checksums, provenance, and the table of a
 * contact's columns. */
#ifndef IMP_RESULT_H
#define IMP_RESULT_H

#include "columns.h"
#include "h5.h"
#include "object_names.h"
#include "store.h"
#include "vtkhdf_writer.h"

#include <xxhash.h>

/* ---- What a result has of each frame; and of each contact: contact.def as a table over
 * result_rows, and how each of its columns is made of what the pipeline hands out. */

/* The tables of /impinge: one row a frame. */
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
    FRAME_TABLES
};
extern const column_table frame_tables; /* over result_frames */

/* The columns that a result of this provenance has. */
column_set stored_columns(const result_provenance *provenance);

/* Its position in a line of collide.txt, 0: none; the titles of its values in the first line, which
 * for varying length are the number of items and the items. */
typedef struct stored_text {
    int position;
    const char *titles;
} stored_text;
extern const stored_text stored_texts[STORED_COLUMNS];

/* Rows at a time where there is no other reason for a number. */
#define STORED_CHUNK 4096

/* ---- The part of a result that follows from the number of contacts of each frame, and that
 * viewers read first: where each frame begins, how its lines are joined, and that there are no
 * other cells (data/format.md). */

/* Results are version 2.1 of the format. */
#define RESULT_MINOR 1

/* Checks type and version, the first `frames` frames of a file called `path`, whose group /VTKHDF
 * is `root`, and the columns that its contacts have. IMP_ERR_INPUT names the first wrong dataset.
 */
int layout_check(mem *m, hid_t root, const char *path, uint64_t frames, const int64_t *contacts,
                 const column_table *t, column_set set);

/* ---- The provenance of a result, in /impinge, and whether it is that of the current run. */

/* Writes all of it into the open group, of a file called `path` in messages; or only the texts that
 * may change when a run is resumed. */
int provenance_write(mem *m, hid_t group, const char *path, const result_provenance *o);
int provenance_write_texts(hid_t group, const char *path, const result_provenance *o);

/* That of the input alone. */
int provenance_write_input(hid_t group, const char *path, uint64_t bytes, uint64_t hash);

/* Do these options, in their normal form, ask for steps between frames? Are they of a scene? */
int provenance_is_continuous(const char *options);
int provenance_has_times(const char *options); /* of contacts with their times between frames? */
int provenance_is_simulated(const char *options);

/* Are they of a shard, and of which? */
int provenance_shard(const char *options, uint64_t *shard, uint64_t *shards);

/* Are its frames units, each a slab of a step? How many slabs a step has (0: it has none), and the
 * units of the result: so many from the first on. */
int provenance_partition(const char *options, uint64_t *slabs, uint64_t *first, uint64_t *count);

/* Do two normal forms differ in nothing but slabs: what one has as units, the other has as frames?
 */
int provenance_same_but_units(const char *options, const char *others);

/* Was this result, complete or not, made from the same input with the same options, and is every
 * frame in it undamaged? The text of IMP_ERR_INPUT names the difference. */
int provenance_check(mem *m, const char *path, const result_provenance *o, int *complete);

/* ---- The checksum of a frame's rows that come in chunks: that of columns_sum. */

typedef struct row_sums {
    const column_table *table;
    XXH3_state_t *values[COLUMNS_MOST], *ends[COLUMNS_MOST]; /* NULL: no such column */
    uint64_t items[COLUMNS_MOST];                            /* of varying length, so far */
} row_sums;

/* *s is all zero. Errors: MEMORY. */
int row_sums_open(const column_table *t, column_set set, row_sums *s);
void row_sums_close(row_sums *s);

/* The next rows, the first of a view. */
void row_sums_add(row_sums *s, const void *view, size_t rows);

/* The same of one column: its values, of this number of bytes; and where the items of each row end,
 * from `first` as in a view. */
void row_sums_values(row_sums *s, int c, const void *values, size_t bytes);
void row_sums_ends(row_sums *s, int c, const uint64_t *first, size_t rows);

/* The checksum; the next row is the first of another frame. */
uint64_t row_sums_end(row_sums *s);

/* ---- The columns of a table in a file that grows frame by frame, and reading them: for any table;
 * that of contacts is in result.h.
 *
 *   CellData  a dataset there, and in Steps/CellDataOffsets where each frame begins in it
 *   VTKHDF    a dataset that the file has anyway: Points, the rows of several of its rows
 *   impinge   two there, of varying length: all items, and where those of each row begin, one more
 *             than there are rows, counted over the whole file
 *
 * Errors are those of h5.h. */

/* The groups, which must stay open; `path` is for messages. */
typedef struct column_groups {
    const char *path;
    hid_t root, cells, frames, own; /* /VTKHDF, CellData, Steps/CellDataOffsets; /impinge */
} column_groups;

/* ---- writing */

typedef struct column_writer_column {
    h5_grow values, first, frames;
    h5_grow *to;    /* `values`, or what the file has anyway */
    uint64_t items; /* of varying length: in the file */
} column_writer_column;

typedef struct column_writer {
    mem *mem;
    const column_table *table;
    column_set set;
    column_groups at;
    column_writer_column *out; /* [table->count] */
    row_sums sums;             /* of the frame */
} column_writer;

/* Makes the datasets (rows and frames H5_NEW), or opens those of a file with this number of valid
 * rows and frames; column_writer_truncate cuts off what is beyond. `points` gets the rows of a
 * column of group VTKHDF, and is not cut here. *w is all zero. */
int column_writer_open(mem *m, const column_groups *at, const column_table *t, column_set set,
                       h5_grow *points, uint64_t rows, uint64_t frames, column_writer *w);
int column_writer_truncate(column_writer *w);

/* Appends rows of column c; `first` as in a view, if its length varies. */
int column_writer_add_rows(column_writer *w, int c, const void *values, const uint64_t *first,
                           size_t rows);

/* Appends all of a table's rows, in all columns. Their checksum is the caller's: row_sums_add. */
int column_writer_add_chunk(column_writer *w, const column_rows *rows);

/* The same of rows that are elsewhere: counts them for the checksum, and appends where their items
 * end. */
int column_writer_add_virtual(column_writer *w, int c, const void *values, const uint64_t *first,
                              size_t rows);

/* The checksum of all rows since the last one: of a frame's. */
uint64_t column_writer_end_sum(column_writer *w);

/* Begins a frame with row `row`. */
int column_writer_begin_frame(column_writer *w, uint64_t row);

int column_writer_flush(column_writer *w);
void column_writer_close(column_writer *w);

/* The same checksum of rows in memory, over the checksums of the columns that exist, in the order
 * of the table. One of varying length has two: of where the items of each row end, counted from the
 * first row's (which begins at 0), and of the items. */
uint64_t columns_sum(const column_table *t, const void *view, size_t rows);

/* ---- reading */

typedef struct column_reader_column {
    h5_data values, first;
    uint64_t per_row; /* rows of `values` in one of ours */
} column_reader_column;

typedef struct column_reader {
    mem *mem;
    const column_table *table;
    column_set set;
    column_reader_column *in; /* [table->count] */
} column_reader;

/* Opens the columns that exist, with `rows` rows at least. A column without a condition must exist.
 * *r is all zero. */
int column_reader_open(mem *m, const column_groups *at, const column_table *t, uint64_t rows,
                       column_reader *r);
void column_reader_close(column_reader *r);

/* Rows [first, first + rows), into `out`, whose capacity suffices, replacing its rows; or of one
 * column of fixed length into the caller's array. */
int column_reader_read_all(const column_reader *r, uint64_t first, size_t rows, column_rows *out);
int column_reader_read(const column_reader *r, int c, uint64_t first, size_t rows, void *out);

/* ---- Within the writers of results: result_writer.c (of a run), join.c (of shards that others
 * wrote); and the reader, result_reader.c. */

/* A frame whose contacts are complete. */
typedef struct frame_end {
    uint64_t rows, checksum;
} frame_end;

struct result {
    vtkhdf_writer p;
    mem *mem;
    hid_t group; /* /impinge */
    column_writer columns;
    column_set tables; /* of frame_tables */
    h5_grow table[FRAME_TABLES];
    uint64_t rows, most; /* contacts of all ended frames; of the largest frame */
    uint64_t frame_rows; /* of the frame being written */
    column_rows chunk;   /* of result_add */
    frame_end *end;      /* of the block's first `closed` frames */
    size_t closed, end_capacity;
    double committed; /* when */
};

/* The next step is complete: `of`, its rows and their checksum, and its row of the other tables. */
int result_end_step(result *r, const result_step *of, const frame_end *end,
                    const imp_frame_info *info);

struct result_reader {
    mem *mem;
    char *path;
    hid_t file, root, group;
    result_info info;
    batch_names names;
    int64_t *rows0;                           /* [frames + 1] first contact of each frame */
    void *table[FRAME_TABLES], *time, *pairs; /* what info points to */
    uint64_t *piece;                          /* as well */
    column_reader columns;
    column_rows rows;
};

/* Writes the rows of all parts, which have its columns, in the order of rows: join.c. INPUT
 * if a part is damaged. */
int row_merge_write(column_writer *to, mem *from, const result_part *part, size_t parts);

/* Which tables it has: columns of frame_tables. */
column_set result_tables(const result_reader *r);

#endif
