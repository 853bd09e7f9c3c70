/* Meshes of cells of any type in VTKHDF, of one block or of several, for `convert`: PolyData,
 * UnstructuredGrid, MultiBlockDataSet and PartitionedDataSetCollection. */
#ifndef IMP_VTKHDF_READER_H
#define IMP_VTKHDF_READER_H

#include "batch.h"
#include "object_names.h"
#include "store.h"

#include <stddef.h>
#include <stdint.h>

typedef struct vtkhdf_reader vtkhdf_reader;

typedef struct vtkhdf_reader_info {
    uint64_t frames;
    int temporal;   /* has Steps; else one frame with the time 0 */
    int type;       /* of Points: IMP_FLOAT32 if all blocks have that, else IMP_FLOAT64 */
    int composite;  /* its blocks have names */
    int has_object; /* the block of a file that is not composite has CellData/ObjectId */
    size_t blocks;
} vtkhdf_reader_info;

/* Opens a file and checks everything that can be checked without reading topology and points. All
 * blocks have the same steps, or one frame that is the same in all steps. Errors: INPUT (the text
 * names file, dataset and reason), MEMORY. */
int vtkhdf_reader_open(mem *m, const char *path, vtkhdf_reader **out);
void vtkhdf_reader_close(vtkhdf_reader *f);
void vtkhdf_reader_get_info(const vtkhdf_reader *f, vtkhdf_reader_info *out);

double vtkhdf_reader_time(const vtkhdf_reader *f, uint64_t frame);

/* The name of a block: of a MultiBlockDataSet those of its parents too, "outer/inner". "" if the
 * file is not composite. */
const char *vtkhdf_reader_block_name(const vtkhdf_reader *f, size_t block);

/* Names of objects and sources of frames, which the file may have (object_names.h). */
const batch_names *vtkhdf_reader_names(const vtkhdf_reader *f);

/* Cell arrays of integers that blocks have, and those arrays that are not read. They are the
 * file's. */
const cell_arrays *vtkhdf_reader_arrays(const vtkhdf_reader *f);
const cell_arrays *vtkhdf_reader_lost_arrays(const vtkhdf_reader *f);

/* What a frame has of a block. Cells of Vertices and Lines of PolyData are counted only. All memory
 * is the file's until the next call. */
typedef struct vtkhdf_cells {
    uint64_t vertices, cells;
    double *point;    /* [3 * vertices] */
    int64_t *node;    /* [vertices] numbers of points that blocks may share, or NULL */
    uint8_t *type;    /* [cells] of VTK: those of PolyData are 5, 6 (strip) or 7 (polygon) */
    uint64_t *end;    /* [cells] where the ids of each end */
    uint32_t *id;     /* vertices of all cells, each < vertices */
    int32_t *object;  /* [cells] CellData/ObjectId, or NULL */
    uint64_t *number; /* [cells] in the block's frame, as VTK counts them */
    int64_t *value;   /* [arrays * cells] */
    uint8_t *ghost;   /* [cells] is it left out? NULL: none is */
    uint64_t skipped; /* cells of Vertices and Lines that are no ghosts */
    uint64_t ghosts;  /* of all kinds */
} vtkhdf_cells;

/* `arrays`: which are read. A block that lacks one has zeros, but of SourceId the numbers of its
 * cells. Errors: INPUT, MEMORY. */
int vtkhdf_reader_read(vtkhdf_reader *f, size_t block, uint64_t frame, const cell_arrays *arrays,
                       vtkhdf_cells *out);

/* ---- The blocks of a VTKHDF file: where their data is, and their names. */

typedef struct file_block {
    char *name;    /* "outer/inner"; "" if the file is not composite */
    char *group;   /* below /VTKHDF; "." for that itself */
    int64_t index; /* in a collection */
} file_block;

typedef struct file_blocks {
    int composite;
    size_t count;
    file_block *block; /* [count] those that have data, in order */
} file_blocks;

/* Errors: INPUT, MEMORY; *out is then empty. */
int file_blocks_find(const char *path, file_blocks *out);
void file_blocks_free(file_blocks *b);

/* ---- Within vtkhdf_reader.c (files and blocks) and vtkhdf_reader.c (cells). */

typedef struct vtkhdf_reader_block {
    batch *cells, *strips; /* strips: NULL if there are none */
    batch_arrays arrays;
} vtkhdf_reader_block;

struct vtkhdf_reader {
    mem *mem;
    file_blocks blocks;
    vtkhdf_reader_block *block; /* [blocks.count] */
    batch_names names;
    cell_arrays arrays, lost; /* of all blocks */
    vtkhdf_reader_info info;
    const batch *first; /* the block whose steps are those of the file */
    vtkhdf_cells at;    /* what was read last */
    int64_t *chunk;     /* [BATCH_CHUNK + 1] */
};

/* Frees what was read last. */
void vtkhdf_reader_free_cells(vtkhdf_reader *f);

#endif
