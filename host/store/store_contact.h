/* What a result has of each frame; and of each contact: contact.def as a table over result_rows,
 * and how each of its columns is made of what the pipeline hands out. */
#ifndef IMP_STORE_CONTACT_H
#define IMP_STORE_CONTACT_H

#include "contact_columns.h"
#include "store.h"

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

enum stored_column {
#define CONTACT(name, ...) STORED_##name,
#define DERIVED(name, ...) STORED_##name,
#define VARYING(name, ...) STORED_##name,
#include "contact.def"
    STORED_COLUMNS
};

extern const column_table stored_table;

/* The columns that a result of this provenance has. */
column_set stored_columns(const result_provenance *provenance);

/* Its position in a line of collide.txt, 0: none; the titles of its values in the first line, which
 * for varying length are the number of items and the items. */
typedef struct stored_text {
    int position;
    const char *titles;
} stored_text;
extern const stored_text stored_texts[STORED_COLUMNS];

/* Rows that are made at a time, in the caller's memory. */
#define STORED_CHUNK 4096
typedef union stored_chunk {
    int64_t wide[STORED_CHUNK];
    int32_t object[STORED_CHUNK];
    double time[STORED_CHUNK];
} stored_chunk;

/* The values of column c for `rows` contacts, the first of a view, of that step: in the view
 * itself, if they are stored as they are, else in *chunk. */
const void *stored_values(int c, const imp_contacts *from, size_t rows, const result_step *of,
                          stored_chunk *chunk);

/* Where the items of each row begin; NULL if the column's length does not vary. */
const uint64_t *stored_first(int c, const imp_contacts *from);

#endif
