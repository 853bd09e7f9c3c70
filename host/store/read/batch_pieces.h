/* The cells of a frame in chunks, for frames that are not to be in memory as a whole. */
#ifndef IMP_BATCH_PIECES_H
#define IMP_BATCH_PIECES_H

#include "batch.h"

#define CHUNK_CELLS ((uint64_t)1 << 14) /* of all chunks but the last */

/* The chunks of a frame, one after another. */
typedef struct cell_chunks {
    batch *b;
    uint64_t frame;
    uint64_t count;   /* of chunks */
    batch_mesh shape; /* how many corners each cell has; no corners, no objects */
    uint32_t corners; /* numbers of each cell */
    int64_t *at;      /* [BATCH_CHUNK] of a dataset */
    uint64_t *id0;    /* [count] first id of each chunk in the frame; NULL: cells are alike */
    /* of the chunk that was read last */
    uint64_t first, all; /* its cells in the frame */
    uint64_t cells;      /* of these without ghosts */
    uint32_t *corner;    /* [corners * all], of which corners * cells are in use */
    uint32_t *number; /* [CHUNK_CELLS] of its cells, from `first` on; NULL: there are no ghosts */
    uint8_t *ghost;   /* [CHUNK_CELLS] of all; NULL then */
    const uint8_t *corner_count; /* [cells] how many corners each has; NULL: `corners` */
    uint8_t *corner_count_kept;  /* [CHUNK_CELLS] */
} cell_chunks;

/* Checks types and offsets. *p is all zero, or what cell_chunks_close left. */
int cell_chunks_open(batch *b, uint64_t frame, cell_chunks *p);
void cell_chunks_close(cell_chunks *p);

/* The walk is at a chunk; its corners are not read. */
int cell_chunks_seek(cell_chunks *p, uint64_t chunk);

/* Reads and checks the corners of a chunk. */
int cell_chunks_read(cell_chunks *p, uint64_t chunk);

/* The objects, ids and SourceId of its cells, if there are any. out: [CHUNK_CELLS] */
int cell_chunks_objects(cell_chunks *p, int32_t *out);
int batch_pieces_ids(cell_chunks *p, int64_t *out);
int cell_chunks_source_ids(cell_chunks *p, int64_t *out);

/* The number in the frame of its i-th cell. */
static inline uint64_t cell_chunks_number(const cell_chunks *p, uint64_t i)
{
    return p->first + (p->number ? p->number[i] : i);
}

#endif
