/* Rows of contacts on their way to the sink: in order, cut at the ends of frames, and handed over
 * some thousand at a time. */
#ifndef IMP_ROWS_H
#define IMP_ROWS_H

#include "contact_columns.h"
#include "types.h"

#define ROWS_MOST (1u << 12) /* contacts handed to the sink at a time: they stay in a cache */

typedef struct contact_rows {
    column_rows at;        /* positions in the frame */
    const uint32_t *prim0; /* of the block */
    const uint32_t *id;    /* what its primitives are in the caller's frame (nearby.h), or NULL */
    uint32_t frame;
    imp_sink *sink;
    void *user;
    imp_frame_info *info;
} contact_rows;

/* How many rows of these columns to hold at a time: as memory allows, `most` at most. */
size_t rows_room(const context *c, column_set set, uint64_t most);

int rows_open(const context *c, const block *b, contact_rows *r);
void rows_close(contact_rows *r);

/* Rows whose a and b are positions in the block, in order, none before the last row. */
int rows_add(contact_rows *r, imp_contacts c);

/* The same rows without a copy: *m becomes positions in the frame, piece by piece. */
int rows_hand_out(contact_rows *r, column_rows *m);

/* The last ones. */
int rows_flush(contact_rows *r);

#endif
