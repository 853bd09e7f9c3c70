/* Meshes of cells of any type in VTKHDF, of one or several blocks, for `convert`: PolyData,
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
    int temporal;   /* has Steps; else one frame at time 0 */
    int type;       /* type of Points: IMP_FLOAT32 if all blocks have it, else IMP_FLOAT64 */
    int composite;  /* has named blocks */
    int has_object; /* cells have numbers of objects: by an array that was chosen, or not composite,
                     * and CellData/ObjectId exists */
    int by_array;   /* they are of another array than ObjectId, whose values have no names */
    size_t blocks;
} vtkhdf_reader_info;

/* Opens a file and checks everything that can be checked without reading topology and points. All
 * blocks have the same steps, or one frame that is the same in all steps. Errors: INPUT (the text
 * names file, dataset and reason), MEMORY. array: the cell array of objects, in place of blocks and
 * ObjectId, which all blocks must have; NULL: none was chosen. */
int vtkhdf_reader_open(mem *m, const char *path, const char *array, vtkhdf_reader **out);
void vtkhdf_reader_close(vtkhdf_reader *f);
void vtkhdf_reader_get_info(const vtkhdf_reader *f, vtkhdf_reader_info *out);

double vtkhdf_reader_time(const vtkhdf_reader *f, uint64_t frame);

/* Returns the name of a block; in a MultiBlockDataSet with its parents' names, "outer/inner". "" if
 * the file is not composite. */
const char *vtkhdf_reader_block_name(const vtkhdf_reader *f, size_t block);

/* Returns the names of objects and sources of frames, if the file has them (object_names.h). */
const batch_names *vtkhdf_reader_names(const vtkhdf_reader *f);

/* Return the integer cell arrays of the blocks, and the arrays that are not read. They belong to
 * the file. */
const cell_arrays *vtkhdf_reader_arrays(const vtkhdf_reader *f);
const cell_arrays *vtkhdf_reader_lost_arrays(const vtkhdf_reader *f);

/* The cells of a block in a frame. Cells of Vertices and Lines of PolyData are only counted. All
 * memory belongs to the file until the next call. */
typedef struct vtkhdf_cells {
    uint64_t vertices, cells;
    double *point;    /* [3 * vertices] */
    int64_t *node;    /* [vertices] numbers of points that blocks may share, or NULL */
    uint8_t *type;    /* [cells] VTK types; PolyData: 5, 6 (strip) or 7 (polygon) */
    uint64_t *end;    /* [cells] end of each cell's ids */
    uint32_t *id;     /* vertices of all cells, each < vertices */
    int32_t *object;  /* [cells] CellData/ObjectId, or NULL */
    uint64_t *number; /* [cells] number in the block's frame, in VTK's order */
    int64_t *value;   /* [arrays * cells] */
    uint8_t *ghost;   /* [cells] 1: left out; NULL: none is */
    uint64_t skipped; /* cells of Vertices and Lines that are not ghosts */
    uint64_t ghosts;  /* ghosts of all kinds */
} vtkhdf_cells;

/* Reads a frame of a block. arrays: the arrays to read. A block that lacks one gets zeros, or for
 * SourceId the numbers of its cells. Errors: INPUT, MEMORY. */
int vtkhdf_reader_read(vtkhdf_reader *f, size_t block, uint64_t frame, const cell_arrays *arrays,
                       vtkhdf_cells *out);

/* ---- The blocks of a VTKHDF file: groups of their data, and names. */

typedef struct file_block {
    char *name;    /* "outer/inner"; "" if the file is not composite */
    char *group;   /* below /VTKHDF; "." for /VTKHDF itself */
    int64_t index; /* position in a collection */
} file_block;

typedef struct file_blocks {
    int composite;
    size_t count;
    file_block *block; /* [count] blocks with data, in order */
} file_blocks;

/* Errors: INPUT, MEMORY; *out is then empty. */
int file_blocks_find(const char *path, file_blocks *out);
void file_blocks_free(file_blocks *b);

/* ---- Internal to vtkhdf_reader.c. */

typedef struct vtkhdf_reader_block {
    batch *cells, *strips; /* strips: NULL if absent */
    batch_arrays arrays;
} vtkhdf_reader_block;

struct vtkhdf_reader {
    mem *mem;
    file_blocks blocks;
    vtkhdf_reader_block *block; /* [blocks.count] */
    batch_names names;
    const char *array;        /* the chosen array of objects, or NULL */
    cell_arrays arrays, lost; /* arrays of all blocks */
    vtkhdf_reader_info info;
    const batch *first; /* the block whose steps are the file's */
    vtkhdf_cells at;    /* the cells read last */
    int64_t *chunk;     /* [BATCH_CHUNK + 1] */
};

/* Frees the cells read last. */
void vtkhdf_reader_free_cells(vtkhdf_reader *f);

#endif
