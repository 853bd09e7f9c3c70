/* A VTKHDF file that grows step by step: the common part of batches and results. One of the four
 * topologies of PolyData has cells; the others exist and are empty, as VTK requires. An
 * UnstructuredGrid has one topology, and a type for each cell.
 *
 * The file is initialised under another name, then becomes PATH.part, and PATH at the end. Rows are
 * buffered in memory; vtkhdf_writer_flush writes them, then vtkhdf_writer_commit the number of
 * complete steps, and each flushes the file: a file whose writer is killed holds all committed
 * steps. */
#ifndef IMP_VTKHDF_WRITER_H
#define IMP_VTKHDF_WRITER_H

#include "columns.h"
#include "h5.h"
#include "store.h"

enum vtkhdf_topology {
    VTKHDF_VERTICES,
    VTKHDF_LINES,
    VTKHDF_POLYGONS,
    VTKHDF_STRIPS,
    VTKHDF_TOPOLOGIES,
    VTKHDF_GRID = VTKHDF_TOPOLOGIES /* UnstructuredGrid; all others are PolyData */
};

/* A cell array. Those of contacts are in result.h. */
typedef struct vtkhdf_array {
    const char *name;
    enum column_type type;
} vtkhdf_array;

typedef struct vtkhdf_writer_def {
    int minor;     /* version 2.minor */
    int temporary; /* useless until it is complete: signals.h */
    enum vtkhdf_topology cells;
    enum column_type points;
    const vtkhdf_array *array; /* [arrays], must outlive the file */
    int arrays;
} vtkhdf_writer_def;

/* The groups of the file. An UnstructuredGrid has no groups for topologies. */
enum vtkhdf_group {
    VTKHDF_ROOT,
    VTKHDF_STEPS,
    VTKHDF_CELL_DATA,
    VTKHDF_DATA_OFFSETS,
    VTKHDF_TOPOLOGY,
    VTKHDF_GROUPS = VTKHDF_TOPOLOGY + VTKHDF_TOPOLOGIES
};

/* The datasets of the file: rows, then tables of parts, then tables of steps; cell array a is
 * VTKHDF_ARRAY + 2 a, and the first rows of frames in it are the next one. */
enum vtkhdf_data {
    VTKHDF_POINTS,
    VTKHDF_CONNECTIVITY,
    VTKHDF_OFFSETS,
    VTKHDF_TYPES, /* only in an UnstructuredGrid */
    VTKHDF_POINT_COUNT,
    VTKHDF_CELL_COUNT,
    VTKHDF_ID_COUNT = VTKHDF_CELL_COUNT + VTKHDF_TOPOLOGIES,
    VTKHDF_VALUES = VTKHDF_ID_COUNT + VTKHDF_TOPOLOGIES,
    VTKHDF_PART0,
    VTKHDF_PARTS,
    VTKHDF_POINT0,
    VTKHDF_CELL0,
    VTKHDF_ID0,
    VTKHDF_ARRAY
};

typedef struct vtkhdf_writer {
    mem *mem;
    vtkhdf_writer_def def;
    char *path, *part; /* final name, and name while the file grows */
    char *fresh;       /* the name before vtkhdf_writer_appear, else NULL */
    int force;         /* replace a file that has the final name */
    hid_t file, at[VTKHDF_GROUPS];
    uint64_t done; /* steps */
    h5_grow *data; /* [VTKHDF_ARRAY + 2 * def.arrays] */
} vtkhdf_writer;

/* Appends rows to one of the datasets. */
int vtkhdf_writer_add_rows(vtkhdf_writer *p, int data, const void *rows, uint64_t count);

/* Like store_path_check, for the temporary names (provenance.c). results: a run may continue the
 * existing file. Removes the file of an earlier run at `fresh`. */
int stale_parts_clear(const char *part, const char *fresh, int force, int results);

/* Removes path.part if a join of this provenance has left it complete. */
int stale_parts_drop_join(mem *m, const char *path, const result_provenance *provenance);

/* Creates a file under a third name; all names are checked first. If path is a link, the file grows
 * beside its target. */
int vtkhdf_writer_create(mem *m, const char *path, int force, const vtkhdf_writer_def *def,
                         vtkhdf_writer *p);

/* Called when the file has everything that must precede the first step: it becomes path.part. */
int vtkhdf_writer_appear(vtkhdf_writer *p);

/* Opens path.part, so that the caller can read its number of steps. */
int vtkhdf_writer_reopen(mem *m, const char *path, int force, const vtkhdf_writer_def *def,
                         vtkhdf_writer *p);

/* The ends of the datasets after `done` steps. vtkhdf_writer_open_rows opens them without changing
 * anything; vtkhdf_writer_truncate cuts off everything beyond. */
typedef struct vtkhdf_extent {
    uint64_t done, parts, points, ids, offsets, cells;
} vtkhdf_extent;
int vtkhdf_writer_open_rows(vtkhdf_writer *p, const vtkhdf_extent *e);
int vtkhdf_writer_truncate(vtkhdf_writer *p);

/* Adds a part: its counts, in the tables of the topology with cells and of the others. */
int vtkhdf_writer_add_part(vtkhdf_writer *p, int64_t points, int64_t cells, int64_t ids);

/* A step with one part; array0: the first row of each cell array. */
typedef struct vtkhdf_step {
    double time;
    int64_t part0, point0, cell0, id0;
    const int64_t *array0; /* [def.arrays] */
} vtkhdf_step;
int vtkhdf_writer_add_step(vtkhdf_writer *p, const vtkhdf_step *s);

/* Writes buffered rows. */
int vtkhdf_writer_flush(vtkhdf_writer *p);

/* Commits all steps so far by writing their number. Call vtkhdf_writer_flush before. */
int vtkhdf_writer_commit(vtkhdf_writer *p);

/* Closes the file; path.part stays. */
void vtkhdf_writer_close(vtkhdf_writer *p);

/* Closes and renames to the final name. On failure path.part stays only if `keep`. */
int vtkhdf_writer_publish(vtkhdf_writer *p, int keep);

/* Closes and removes path.part, or the file that would have become it. */
void vtkhdf_writer_discard(vtkhdf_writer *p);

#endif
