/* Rows of a range on their way to the sink, piece by piece: while the host hands out one piece, the
 * next one comes from the device. contact.c fills and empties it. */
#ifndef IMP_EMISSION_H
#define IMP_EMISSION_H

#include "contact_rows.h"
#include "landing.h"
#include "pairs.h"

/* Receives rows of prims in order, which it may change. */
typedef int contact_sink(void *user, column_rows *rows);

/* Some pairs that meet. */
typedef struct contact_piece {
    pairs of; /* on the device with float64, */
    buffer_f64 point;
    readback readback; /* and where their rows land */
    column_rows rows;
} contact_piece;

#define ROW_STREAM_PIECES 2

/* All zero at first. Memory is kept from range to range. */
typedef struct row_stream {
    contact_piece piece[ROW_STREAM_PIECES];
    unsigned pieces;       /* that take turns, */
    unsigned first, going; /* and those that have begun, from `first` on */
    column_rows decided;   /* rows of undecided pairs, */
    contact_cursor host;   /* those of them that are to come, */
    column_rows merged;    /* and, if there are any, rows of both kinds in order */
    contact_sink *sink;
    void *user;
} row_stream;

/* Rows that the sink has still to get; are some of them on their way? */
uint64_t row_stream_left(const row_stream *e);
int row_stream_waits(const row_stream *e);
int row_stream_done(const context *c, const row_stream *e);

/* Is there memory that only the next range needs? */
int row_stream_holds_memory(const row_stream *e);

/* Forgets them, after waiting for them. */
void row_stream_drop(const context *c, row_stream *e);
void row_stream_free(const context *c, row_stream *e);

#endif
