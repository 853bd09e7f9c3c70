/* Within the batch reader: store_batch.c (file, steps, points) and store_mesh.c (topology). */
#ifndef IMP_STORE_BATCH_H
#define IMP_STORE_BATCH_H

#include "h5.h"
#include "store.h"

/* A topology in memory, shared by the frames that have it. */
typedef struct batch_mesh {
    imp_mesh mesh;
    unsigned references;
    uint64_t frame; /* one that has it */
    mem *mem;
    uint32_t *triangle;
    int32_t *object;
    int32_t *ids; /* [objects] the different ones, ascending */
    uint64_t objects;
} batch_mesh;

/* Where the parts of a frame lie in the file. */
typedef struct batch_step {
    uint64_t part0, parts;
    uint64_t point0;              /* first row of Points */
    uint64_t cell0, id0;          /* first cell and connectivity id */
    uint64_t data0;               /* first row of cell arrays that say nothing else */
    uint64_t object0, primitive0; /* first row of ObjectId (or its stand-in) and PrimitiveId */
    uint64_t vertices, triangles; /* of all parts */
} batch_step;

struct batch {
    mem *mem;
    char *path;
    hid_t file, root;
    int unstructured; /* UnstructuredGrid; else PolyData */
    char cells[24];   /* the group of the cells: "/VTKHDF/Polygons" or "/VTKHDF" */
    uint64_t frames;
    int temporal, type;
    enum batch_objects objects;
    char object_array[100]; /* name of the cell array that tells objects; "" if none */
    int has_object, has_primitive;
    uint64_t parts;
    int64_t *part_points, *part_cells, *part_ids; /* [parts] */
    double *time;                                 /* [frames] */
    batch_step *step;                             /* [frames] */
    h5_data points, connectivity, offsets, types, object, primitive;
    batch_mesh *last; /* the topology read last */
};

/* Do two frames have the same topology and objects? */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g);

/* The topology of a frame, with a reference for the caller. */
int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out);
void batch_mesh_put(batch_mesh *m);

#endif
