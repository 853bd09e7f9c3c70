/* A VTKHDF file that grows step by step: what batches and results have in common. One of the four
 * topologies of PolyData has cells; the others exist and are empty, as VTK needs it. An
 * UnstructuredGrid has one, and a type for each cell.
 *
 * The file is made complete under another name, then becomes PATH.part, and PATH at the end. Rows
 * are kept back in memory; poly_commit writes them, then the number of steps that are complete, and
 * flushes after each: a file whose writer is killed holds all committed steps. */
#ifndef IMP_STORE_POLY_H
#define IMP_STORE_POLY_H

#include "columns.h"
#include "h5.h"
#include "store.h"

enum poly_topology {
    POLY_VERTICES,
    POLY_LINES,
    POLY_POLYGONS,
    POLY_STRIPS,
    POLY_TOPOLOGIES,
    POLY_GRID = POLY_TOPOLOGIES /* UnstructuredGrid; all else is PolyData */
};

/* A cell array. Those of contacts are in store_columns.h. */
typedef struct poly_array {
    const char *name;
    enum column_type type;
} poly_array;

typedef struct poly_def {
    int minor;    /* version 2.minor */
    int fleeting; /* useless until it is complete: signals.h */
    enum poly_topology cells;
    enum column_type points;
    const poly_array *array; /* [arrays] they must outlive the file */
    int arrays;
} poly_def;

/* Its groups. An UnstructuredGrid has no topologies of their own. */
enum poly_group {
    POLY_ROOT,
    POLY_STEPS,
    POLY_CELL_DATA,
    POLY_DATA_OFFSETS,
    POLY_TOPOLOGY,
    POLY_GROUPS = POLY_TOPOLOGY + POLY_TOPOLOGIES
};

/* Its datasets: rows, then tables of parts, then tables of steps; cell array a is POLY_ARRAY + 2 a,
 * where frames begin in it the next one. */
enum poly_data {
    POLY_POINTS,
    POLY_CONNECTIVITY,
    POLY_OFFSETS,
    POLY_TYPES, /* of an UnstructuredGrid */
    POLY_POINT_COUNT,
    POLY_CELL_COUNT,
    POLY_ID_COUNT = POLY_CELL_COUNT + POLY_TOPOLOGIES,
    POLY_VALUES = POLY_ID_COUNT + POLY_TOPOLOGIES,
    POLY_PART0,
    POLY_PARTS,
    POLY_POINT0,
    POLY_CELL0,
    POLY_ID0,
    POLY_ARRAY
};

typedef struct poly {
    mem *mem;
    poly_def def;
    char *path, *part; /* final name, and the name while it grows */
    char *fresh;       /* the name before poly_appear, else NULL */
    int force;         /* what has the final name is replaced */
    hid_t file, at[POLY_GROUPS];
    uint64_t done; /* steps */
    h5_grow *data; /* [POLY_ARRAY + 2 * def.arrays] */
} poly;

/* Appends rows to one of the datasets. */
int poly_add(poly *p, int data, const void *rows, uint64_t count);

/* As store_path_check for the names that it has while it grows (store_left.c); `results`: a run may
 * continue what exists. Removes the file of an earlier run at `fresh`. */
int poly_free_parts(const char *part, const char *fresh, int force, int results);

/* Removes path.part if a join of this origin has left it complete. */
int poly_drop_join(mem *m, const char *path, const result_origin *origin);

/* A new file, under a third name; all names are checked first. If path is a link, the file grows
 * where it leads to. */
int poly_create(mem *m, const char *path, int force, const poly_def *def, poly *p);

/* All that must be there before the first step is: it becomes path.part. */
int poly_appear(poly *p);

/* Opens path.part, so that the caller can read how far it is. */
int poly_reopen(mem *m, const char *path, int force, const poly_def *def, poly *p);

/* Where each dataset ends after `done` steps. poly_open_rows opens them and changes nothing;
 * poly_cut cuts off everything beyond. */
typedef struct poly_extent {
    uint64_t done, parts, points, ids, offsets, cells;
} poly_extent;
int poly_open_rows(poly *p, const poly_extent *e);
int poly_cut(poly *p);

/* A part: counts, for the topology that holds cells and the others. */
int poly_add_part(poly *p, int64_t points, int64_t cells, int64_t ids);

/* A step of one part; array0: the first row of each cell array. */
typedef struct poly_step {
    double time;
    int64_t part0, point0, cell0, id0;
    const int64_t *array0; /* [def.arrays] */
} poly_step;
int poly_add_step(poly *p, const poly_step *s);

/* Writes what is kept back. */
int poly_flush(poly *p);

/* Commits all steps so far; `more` writes and the number follow the data. */
int poly_commit(poly *p);

/* Closes; path.part stays. */
void poly_close(poly *p);

/* Closes and renames to the final name. On failure path.part stays only if `keep`. */
int poly_publish(poly *p, int keep);

/* Closes and removes path.part, or what would have become it. */
void poly_discard(poly *p);

#endif
