/* The cells of a frame in chunks, for frames that are not kept in memory as a whole. */
#ifndef IMP_BATCH_PIECES_H
#define IMP_BATCH_PIECES_H

#include "batch.h"

#define CHUNK_CELLS ((uint64_t)1 << 14) /* in every chunk but the last */

/* The chunks of a frame, visited one after another. */
typedef struct cell_chunks {
    batch *b;
    uint64_t frame;
    uint64_t count;   /* number of chunks */
    batch_mesh shape; /* corner counts only; without corners and objects */
    uint32_t corners; /* corners of each cell, as stored */
    int64_t *at;      /* [BATCH_CHUNK] rows of a dataset */
    uint64_t *id0;    /* [count] the frame's first id of each chunk; NULL: cells have one size */
    /* for the chunk read last */
    uint64_t first, all;         /* range of its cells in the frame */
    uint64_t cells;              /* its cells without ghosts */
    uint32_t *corner;            /* [corners * all], the first corners * cells are used */
    uint32_t *number;            /* [CHUNK_CELLS] of its cells, from `first` on; NULL: no ghosts */
    uint8_t *ghost;              /* [CHUNK_CELLS] for all cells; NULL if `number` is */
    const uint8_t *corner_count; /* [cells] corners of each cell; NULL: `corners` */
    uint8_t *corner_count_kept;  /* [CHUNK_CELLS] */
} cell_chunks;

/* Checks types and offsets. *p is all zero, or closed by cell_chunks_close. */
int cell_chunks_open(batch *b, uint64_t frame, cell_chunks *p);
void cell_chunks_close(cell_chunks *p);

/* Moves to a chunk without reading its corners. */
int cell_chunks_seek(cell_chunks *p, uint64_t chunk);

/* Reads and checks the corners of a chunk. */
int cell_chunks_read(cell_chunks *p, uint64_t chunk);

/* Read the objects, ids and SourceId of its cells, if they exist. out: [CHUNK_CELLS] */
int cell_chunks_objects(cell_chunks *p, int32_t *out);
int batch_pieces_ids(cell_chunks *p, int64_t *out);
int cell_chunks_source_ids(cell_chunks *p, int64_t *out);

/* The same for thicknesses that are a cell array. */
int cell_chunks_thickness(cell_chunks *p, double *out);

/* Returns the number in the frame of its i-th cell. */
static inline uint64_t cell_chunks_number(const cell_chunks *p, uint64_t i)
{
    return p->first + (p->number ? p->number[i] : i);
}

#endif
