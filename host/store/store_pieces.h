/* The cells of a frame in pieces, for frames that are not to be in memory as a whole. */
#ifndef IMP_STORE_PIECES_H
#define IMP_STORE_PIECES_H

#include "store_batch.h"

#define PIECE_CELLS ((uint64_t)1 << 14) /* of all pieces but the last */

/* A walk over them. */
typedef struct batch_pieces {
    batch *b;
    uint64_t frame;
    uint64_t count;   /* of pieces */
    batch_mesh shape; /* how many corners each cell has; no corners, no objects */
    uint32_t corners; /* numbers of each cell */
    int64_t *at;      /* [BATCH_PIECE] of a dataset */
    uint64_t *id0;    /* [count] first id of each piece in the frame; NULL: cells are alike */
    /* of the piece that was read last */
    uint64_t first, all; /* its cells in the frame */
    uint64_t cells;      /* of these without ghosts */
    uint32_t *corner;    /* [corners * all], of which corners * cells are in use */
    uint32_t *number; /* [PIECE_CELLS] of its cells, from `first` on; NULL: there are no ghosts */
    uint8_t *ghost;   /* [PIECE_CELLS] of all; NULL then */
    const uint8_t *corner_count; /* [cells] how many corners each has; NULL: `corners` */
    uint8_t *corner_count_kept;  /* [PIECE_CELLS] */
} batch_pieces;

/* Checks types and offsets. *p is all zero, or what batch_pieces_close left. */
int batch_pieces_open(batch *b, uint64_t frame, batch_pieces *p);
void batch_pieces_close(batch_pieces *p);

/* The walk is at a piece; its corners are not read. */
int batch_pieces_at(batch_pieces *p, uint64_t piece);

/* Reads and checks the corners of a piece. */
int batch_pieces_read(batch_pieces *p, uint64_t piece);

/* The objects, ids and SourceId of its cells, if there are any. out: [PIECE_CELLS] */
int batch_pieces_objects(batch_pieces *p, int32_t *out);
int batch_pieces_ids(batch_pieces *p, int64_t *out);
int batch_pieces_source_ids(batch_pieces *p, int64_t *out);

/* The number in the frame of its i-th cell. */
static inline uint64_t batch_pieces_number(const batch_pieces *p, uint64_t i)
{
    return p->first + (p->number ? p->number[i] : i);
}

#endif
