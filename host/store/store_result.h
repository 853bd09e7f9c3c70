/* Within the writers of results: store_result.c (of a run), store_join.c (of shards that others
 * wrote); and the reader, store_result_read.c. */
#ifndef IMP_STORE_RESULT_H
#define IMP_STORE_RESULT_H

#include "store_columns.h"
#include "store_contact.h"
#include "store_names.h"
#include "store_poly.h"

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

/* Writes the rows of all parts, which have its columns, in the order of rows: store_merge.c. INPUT
 * if a part is damaged. */
int row_merge_write(column_writer *to, mem *from, const result_part *part, size_t parts);

/* Which tables it has: columns of frame_tables. */
column_set result_tables(const result_reader *r);

#endif
