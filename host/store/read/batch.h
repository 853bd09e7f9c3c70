/* Within the reader of batches: its state, cell arrays, and sets of objects. batch.c opens files
 * and reads points, batch_steps.c finds the rows of frames, batch_mesh.c reads topology,
 * batch_pieces.c ids, batch_bodies.c rigid bodies. */
#ifndef IMP_BATCH_H
#define IMP_BATCH_H

#include "bodies.h"
#include "h5.h"
#include "mem.h"
#include "object_names.h"
#include "store.h"

#include <stddef.h>
#include <stdint.h>

/* A topology in memory, shared by the frames that have it. */
typedef struct batch_mesh {
    imp_mesh mesh;
    unsigned references;
    uint64_t frame; /* one that has it */
    mem *mem;
    uint32_t *corner;
    uint8_t *corner_count; /* only where triangles and tetrahedra are mixed */
    int32_t *object;
    int64_t *id;        /* only where the batch has PrimitiveId */
    int64_t *source_id; /* only where it has SourceId */
    int32_t *ids;       /* [objects] the different ones, ascending */
    uint64_t objects;
    batch_slab slab; /* which part of the frame it is */
    /* only where the batch has rigid bodies */
    int32_t *body;
    double *rest;
    body_set bodies;
} batch_mesh;

/* Rigid bodies of a file (data/format.md). */
typedef struct batch_bodies {
    uint32_t count;
    int32_t *object;                    /* [count] */
    int64_t *offset;                    /* [count + 1] */
    h5_data points, field[POSE_FIELDS]; /* of poses; id < 0: not there */
} batch_bodies;

/* Where the parts of a frame are in the file. */
typedef struct batch_step {
    double time;
    uint64_t part0, parts;
    uint64_t point0;     /* first row of Points */
    uint64_t cell0, id0; /* first cell and connectivity id */
    uint64_t data0;      /* first row of cell arrays without offsets of their own */
    /* first row of the array of objects, of PrimitiveId, SourceId, vtkGhostType */
    uint64_t object0, primitive0, source0, ghost0;
    uint64_t vertices, primitives;     /* of all parts */
    uint64_t ids;                      /* and connectivity ids */
    uint64_t others;                   /* cells of PolyData of kinds that are not read */
    uint64_t ghosts, primitive_ghosts; /* cells of all kinds, and of that which is read, that are
                                          left out */
} batch_step;

/* What PolyData has cells of, in the order of its cell arrays. */
enum batch_kind { BATCH_VERTICES, BATCH_LINES, BATCH_POLYGONS, BATCH_STRIPS, BATCH_KINDS };

/* Sums over parts, which saturate: numbers of a damaged file may be any. */
typedef struct batch_part_sums {
    uint64_t points, cells, ids;
    uint64_t others; /* cells of kinds that are not read */
    uint64_t empty;  /* parts without cells */
} batch_part_sums;

/* Counts of all parts in the file. */
typedef struct batch_parts {
    uint64_t count;
    batch_part_sums
        *before; /* [count + 1] of the parts before each: frames may have many of them */
    int64_t *points, *cells, *ids; /* [count] */
    int64_t *other[BATCH_KINDS];   /* [count] of kinds that are not read; NULL: there are none */
    uint64_t written;              /* of the counts; further ones read as 0 */
} batch_parts;

/* Datasets that are open as long as the batch; id < 0: not there. */
#define BATCH_DATA 8
typedef union batch_datasets {
    struct {
        h5_data points, connectivity, offsets, types, object, primitive, source, ghost;
    };
    h5_data all[BATCH_DATA];
} batch_datasets;

/* Where objects come from. */
typedef struct batch_object_array {
    enum object_source source;
    char name[100];          /* the cell array; "": none */
    int has_cell, has_point; /* is there a CellData/ObjectId, a PointData/ObjectId? */
    int32_t *listed;         /* what batch_partition_objects has returned */
} batch_object_array;

#define BATCH_REMARKS 6 /* callers of batch_add_remark, each of which adds one at most */

typedef struct batch_remarks {
    size_t count;
    char text[BATCH_REMARKS][200];
} batch_remarks;

/* What to open of a file. */
typedef struct batch_selection {
    const char *block;    /* the group of its datasets below /VTKHDF; NULL: that itself */
    int any_type;         /* cells of any type: for looking, not for reading frames */
    enum batch_kind kind; /* of PolyData */
} batch_selection;

/* The group of its datasets, "/VTKHDF" or a block there, and their Steps. */
typedef struct batch_paths {
    char group[100], steps[108];
} batch_paths;

struct batch {
    mem *mem;
    char *path;
    batch_paths where;       /* for messages */
    hid_t file, root, steps; /* steps: -1 for a file of one frame without them */
    batch_selection what;    /* was opened; its block is NULL */
    int unstructured;        /* UnstructuredGrid; else PolyData */
    int type;                /* of Points */
    int static_topology;     /* all frames share one mesh */
    batch_object_array objects;
    uint64_t frames;
    batch_step *step; /* [frames] */
    batch_parts parts;
    batch_datasets in;
    uint64_t offsets_written;
    batch_mesh *last; /* the topology read last */
    batch_names names;
    batch_bodies bodies;
    batch_remarks remarks;
};

/* ---- batch_steps.c */

/* Counts of parts. */
int batch_read_parts(batch *b);

/* Frames, and where their parts begin. */
int batch_read_steps(batch *b);

/* Where the rows of a cell array begin in each frame: into row0[frames], or into the field at this
 * offset of each step. */
int batch_array_rows(batch *b, const char *name, uint64_t *row0);
int batch_array_offsets(batch *b, const char *name, size_t field);

/* Do the datasets hold what the frames need of them? */
int batch_check_steps(batch *b);

/* How many cells of a frame come before the first of this part and kind, as VTK counts them: part
 * by part, and in each kind by kind. */
uint64_t batch_cells_before(const batch *b, uint64_t frame, uint64_t part, enum batch_kind kind);

/* The cells of a kind that a part has. */
uint64_t batch_kind_cells(const batch *b, uint64_t part, enum batch_kind kind);

/* ---- batch_steps.c: cells that another part of the data has, or that are hidden */

/* Counts those of each frame, whose rows exist. */
int batch_count_ghosts(batch *b);

/* Which of n cells from number `first` of the frame on are ghosts: out[i] is 1, else 0. */
int batch_ghosts_read(const batch *b, uint64_t frame, uint64_t first, uint64_t n, uint8_t *out);

/* Adds those of n cells to *sum. */
int batch_ghosts_among(const batch *b, uint64_t frame, uint64_t first, uint64_t n, uint64_t *sum);

/* Moves n rows, whose numbers ascend, to the front of an array, which may be NULL. */
void batch_select_rows(void *array, size_t bytes, const uint32_t *number, size_t n);

/* IMP_ERR_INPUT unless the dataset has so many rows from `first` on, as the frame needs. */
int batch_rows_fit(const batch *b, const h5_data *d, uint64_t frame, uint64_t first, uint64_t rows);

/* Takes the ghosts out of a mesh that has all cells of its frame; m->slab.number says which remain.
 */
int batch_mesh_drop_ghosts(batch *b, uint64_t frame, batch_mesh *m);

/* The groups of the kinds of cells. */
extern const char *const batch_kind_name[BATCH_KINDS];

void batch_add_remark(batch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* An error of something that no contact depends on becomes one: "its text; then". */
void batch_remark_error(batch *b, const char *then);

/* Triangles, quads and tetrahedra as VTK's Lagrange and Bezier cells: with the points of the linear
 * cell they are that, and have its type here; all other cells have their own. */
static inline int64_t batch_linear_type(int64_t type, int64_t points)
{
    static const struct {
        int64_t type, lagrange, bezier, points;
    } linear[] = {{5, 69, 76, 3}, {9, 70, 77, 4}, {10, 71, 78, 4}};
    for (int i = 0; i < 3; i++)
        if ((type == linear[i].lagrange || type == linear[i].bezier) && points == linear[i].points)
            return linear[i].type;
    return type;
}

/* ---- batch_mesh.c */

/* The topology of a frame, with a reference for the caller. One that all frames share is read once:
 * then datasets that only it is read from keep no chunks in memory. */
int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out);

/* The number of corners of each cell, into m->own, which is NULL where all have the same. */
int batch_types_read(batch *b, uint64_t frame, batch_mesh *m);
void batch_mesh_release(batch_mesh *m);

/* ---- batch_mesh.c */

/* Datasets are read in chunks, so that checking needs no second copy of a mesh. */
#define BATCH_CHUNK 65536

/* A part of a frame: where it is in the file, and in the mesh that is being read. */
typedef struct batch_part {
    batch *b;
    uint64_t frame;
    const batch_mesh *m; /* how many corners each cell has is known */
    int64_t *at;         /* [BATCH_CHUNK] of a dataset */
    uint64_t number;     /* in the file */
    uint64_t id0;        /* first connectivity id in the file */
    uint64_t verts;      /* vertices of the frame's parts before it */
    uint64_t cells;      /* and cells */
} batch_part;

static inline uint64_t batch_part_cells(const batch_part *p)
{
    return (uint64_t)p->b->parts.cells[p->number];
}

/* The corners of n cells, at most BATCH_CHUNK of ids, from cell `cell` of the part on, whose first
 * id is row *id0 of the file, which becomes that of the next cell. batch_mesh.c. */
int batch_corners_read(const batch_part *p, uint64_t cell, uint64_t n, uint64_t *id0,
                       uint32_t *out);

/* Offsets must be 0 and then the end of each cell; a part without cells needs none. */
int batch_check_offsets(const batch_part *p);

/* The first row of Offsets of a part with cells of any size; `before`: cells of the frame's parts
 * before it. */
uint64_t batch_offsets_first_row(const batch *b, uint64_t frame, uint64_t number, uint64_t before);

/* Were these rows of Offsets written? */
int batch_offsets_stored(const batch *b, uint64_t first, uint64_t rows);

/* ---- batch_mesh.c: cell arrays, once a mesh has its corners */

/* The objects of a mesh's primitives that the file has; then those that are connected components,
 * and the list of all. */
int batch_mesh_read_objects(batch *b, uint64_t frame, batch_mesh *m);
int batch_mesh_objects(batch *b, batch_mesh *m);

/* The objects of n cells of a frame, from cell `first` on, in their array. at: [BATCH_CHUNK] */
int batch_objects_read(batch *b, uint64_t frame, uint64_t first, uint64_t n, int64_t *at,
                       int32_t *out);

/* n int64 of a dataset from row `row` on. INPUT for an unsigned one that int64 cannot hold; `cell`:
 * the number of the first cell in the frame, for messages. */
int batch_int64_read(const batch *b, const h5_data *d, uint64_t row, uint64_t n, uint64_t frame,
                     uint64_t cell, int64_t *out);

/* batch_pieces.c: PrimitiveId, different for each primitive of a frame. The check takes
 * this number of bytes for each. */
#define BATCH_NAME_BYTES 16
int batch_check_mesh_ids(batch *b, const batch_mesh *m);

/* The same check of a frame whose ids are not kept, by chunks. */
int batch_check_ids(batch *b, uint64_t frame);

/* The root of a vertex among those that are connected. */
uint32_t batch_component_root(uint32_t *parent, uint32_t v);

/* ---- batch_steps.c: numbers of points, by which those of several blocks or parts are one */

/* The array of PointData that has them, or NULL. */
const char *batch_node_array(const batch *b);

/* Those of a frame, into out[vertices], of a batch that has them. Errors: INPUT, MEMORY. */
int batch_nodes_read(const batch *b, uint64_t frame, int64_t *out);

/* Where parts are concatenated, a point that two of them have is two vertices. */
void batch_nodes_remark(batch *b);

/* ---- batch_bodies.c */

int batch_bodies_open(batch *b);
void batch_bodies_close(batch *b);

/* Bytes that reading the bodies of a mesh takes for each vertex; all except 4 of them stay. */
#define BATCH_REST_BYTES 28
int batch_mesh_bodies(batch *b, uint64_t frame, batch_mesh *m);

/* How an error of the bodies of a frame is reported: as one of the file. */
bodies_of batch_bodies_of(const batch *b, uint64_t frame);

/* Has each body a vertex for each of its points in the file, or none? have: [bodies] */
int batch_bodies_count(const batch *b, uint64_t frame, const uint32_t *have);

/* Are n points of bodies finite, which are rows of the file from this one on? */
int batch_check_rest_finite(const batch *b, const double *at, uint64_t row, size_t n);

/* n poses of a frame, from body `first` on; they are not checked. */
int batch_poses_of(batch *b, uint64_t frame, uint32_t first, uint32_t n, imp_pose *pose);

/* The poses of a frame into pose[bodies], and the check of its points against them. */
int batch_read_poses(batch *b, const batch_mesh *m, imp_frame *f, imp_pose *pose);

/* ---- batch.c */

/* /VTKHDF of a file, or a block below it. Errors: INPUT. */
int batch_open_root(const char *path, hid_t file, const char *block, hid_t *out);

/* Is this Type that of a file of several blocks? */
int batch_is_composite(const char *type);

int batch_open_as(mem *m, const char *path, enum object_source objects, const char *array,
                  const batch_selection *what, batch **out);

/* ---- Within the readers of batches: the values of cell arrays of integers of any name, which
 * `convert` keeps. CellData/ObjectId and vtkGhostType are not among them: they decide what becomes
 * of a cell.
 */

/* An array of a block. */
typedef struct batch_array {
    h5_data data;
    uint64_t *row0; /* [frames] its first row */
} batch_array;

typedef struct batch_arrays {
    cell_arrays of;
    batch_array *array; /* [of.count] */
} batch_arrays;

/* Opens those of a block, and checks that they have the rows of every frame. Names of other arrays
 * of its cells and points are added to `lost`, as "CellData/NAME". Errors: INPUT, MEMORY. */
int batch_arrays_open(batch *b, batch_arrays *out, cell_arrays *lost);
void batch_arrays_close(batch_arrays *a);

/* Values of `rows` cells from number `first` of a frame on, as `type`: those of COLUMN_U64 as their
 * bits. INPUT for one that the type cannot hold. */
int batch_array_read(const batch *b, const batch_array *a, enum column_type type, uint64_t frame,
                     uint64_t first, uint64_t rows, int64_t *out);

/* ---- The different objects of primitives. */

typedef struct object_set {
    mem *mem;
    int32_t *id; /* [sorted] ascending, then others up to `count` */
    size_t count, sorted, capacity;
} object_set;

/* Adds those of neighbours; object_set_end leaves each once, ascending. */
int object_set_add(object_set *s, const int32_t *object, size_t n);
void object_set_end(object_set *s);

#endif
