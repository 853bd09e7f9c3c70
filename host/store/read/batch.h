/* Internal to the reader of batches: its state, cell arrays, and sets of objects. batch.c opens
 * files and reads points, batch_steps.c finds the rows of frames, batch_mesh.c reads topology,
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

/* A topology in memory, shared by all frames that have it. */
typedef struct batch_mesh {
    imp_mesh mesh;
    unsigned references;
    uint64_t frame; /* one of these frames */
    mem *mem;
    uint32_t *corner;
    uint8_t *corner_count; /* only if triangles and tetrahedra are mixed */
    int32_t *object;
    int64_t *id;        /* only if the batch has PrimitiveId */
    int64_t *source_id; /* only if the batch has SourceId */
    double *thickness;  /* only with thicknesses */
    int32_t *ids;       /* [objects] the different objects, ascending */
    uint64_t objects;
    batch_slab slab; /* the part of the frame, for a slab */
    /* only if the batch has rigid bodies */
    int32_t *body;
    double *rest;
    body_set bodies;
} batch_mesh;

/* Rigid bodies of a file (data/format.md). */
typedef struct batch_bodies {
    uint32_t count;
    int32_t *object;                    /* [count] */
    int64_t *offset;                    /* [count + 1] */
    h5_data points, field[POSE_FIELDS]; /* field: of poses; id < 0: absent */
} batch_bodies;

/* The first rows of a frame in the file. */
typedef struct batch_step {
    double time;
    uint64_t part0, parts;
    uint64_t point0;     /* first row of Points */
    uint64_t cell0, id0; /* first cell and connectivity id */
    uint64_t data0;      /* first row of cell arrays without their own offsets */
    /* first row of the arrays of objects, PrimitiveId, SourceId, vtkGhostType */
    uint64_t object0, primitive0, source0, ghost0;
    uint64_t vertices, primitives;     /* sums over all parts */
    uint64_t ids;                      /* connectivity ids of all parts */
    uint64_t others;                   /* PolyData cells of kinds that are not read */
    uint64_t ghosts, primitive_ghosts; /* left out: of all kinds, of the kind that is read */
} batch_step;

/* The kinds of PolyData cells, in the order of its cell arrays. */
enum batch_kind { BATCH_VERTICES, BATCH_LINES, BATCH_POLYGONS, BATCH_STRIPS, BATCH_KINDS };

/* Sums over parts, saturated, since numbers of a damaged file may have any value. */
typedef struct batch_part_sums {
    uint64_t points, cells, ids;
    uint64_t others; /* cells of kinds that are not read */
    uint64_t empty;  /* parts without cells */
} batch_part_sums;

/* Counts of all parts in the file. */
typedef struct batch_parts {
    uint64_t count;
    batch_part_sums
        *before; /* [count + 1] sums over the parts before each one: a frame may have many parts */
    int64_t *points, *cells, *ids; /* [count] */
    int64_t *other[BATCH_KINDS];   /* [count] cells of kinds that are not read; NULL: none */
    uint64_t written;              /* written counts; the rest read as 0 */
} batch_parts;

/* Datasets that stay open as long as the batch; id < 0: absent. */
#define BATCH_DATA 8
typedef union batch_datasets {
    struct {
        h5_data points, connectivity, offsets, types, object, primitive, source, ghost;
    };
    h5_data all[BATCH_DATA];
} batch_datasets;

/* The source of objects. */
typedef struct batch_object_array {
    enum object_source source;
    char name[100];          /* the cell array; "" if absent */
    int has_cell, has_point; /* CellData/ObjectId exists; PointData/ObjectId exists */
    int32_t *listed;         /* the list that batch_partition_objects returned */
} batch_object_array;

/* The source of thicknesses. */
typedef struct batch_thicknesses {
    batch_thickness of;
    h5_data data;   /* the cell array; id < 0: absent */
    uint64_t *row0; /* [frames] its first row in each frame; NULL: absent */
} batch_thicknesses;

#define BATCH_REMARKS 6 /* one for each caller of batch_add_remark */

typedef struct batch_remarks {
    size_t count;
    char text[BATCH_REMARKS][200];
} batch_remarks;

/* The parts of a file to open. */
typedef struct batch_selection {
    const char *block;    /* group of its datasets below /VTKHDF; NULL: /VTKHDF itself */
    int any_type;         /* cells of any type: for scanning, not for reading frames */
    enum batch_kind kind; /* kind of PolyData cells */
} batch_selection;

/* The group of the datasets, "/VTKHDF" or a block in it, and its Steps. */
typedef struct batch_paths {
    char group[100], steps[108];
} batch_paths;

/* members: the file, the datasets of each subject, and what was read last */
struct batch {
    mem *mem;
    char *path;
    batch_paths where;       /* names for messages */
    hid_t file, root, steps; /* steps: -1 for a file of one frame without Steps */
    batch_selection what;    /* the selection opened; its block is NULL */
    int unstructured;        /* UnstructuredGrid; else PolyData */
    int type;                /* type of Points */
    int static_topology;     /* all frames share one mesh */
    batch_object_array objects;
    batch_thicknesses thickness;
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

/* Reads the counts of parts. */
int batch_read_parts(batch *b);

/* Reads the frames, and where their parts begin. */
int batch_read_steps(batch *b);

/* Finds the first row of a cell array in each frame; writes it to row0[frames], or to the field at
 * this offset of each step. */
int batch_array_rows(batch *b, const char *name, uint64_t *row0);
int batch_array_offsets(batch *b, const char *name, size_t field);

/* Checks that the datasets have the rows that the frames need. */
int batch_check_steps(batch *b);

/* Returns the number of cells of a frame before the first cell of this part and kind, in VTK's
 * order: part by part, and within a part kind by kind. */
uint64_t batch_cells_before(const batch *b, uint64_t frame, uint64_t part, enum batch_kind kind);

/* Returns the number of cells of a kind in a part. */
uint64_t batch_kind_cells(const batch *b, uint64_t part, enum batch_kind kind);

/* ---- batch_steps.c: ghosts, cells that another piece of the data owns, or that are hidden */

/* Counts the ghosts of each frame; their rows must exist. */
int batch_count_ghosts(batch *b);

/* Finds the ghosts among n cells of the frame from number `first` on: out[i] is 1 for ghosts, else
 * 0. */
int batch_ghosts_read(const batch *b, uint64_t frame, uint64_t first, uint64_t n, uint8_t *out);

/* Adds the number of ghosts among n cells to *sum. */
int batch_ghosts_among(const batch *b, uint64_t frame, uint64_t first, uint64_t n, uint64_t *sum);

/* Moves n rows with ascending numbers to the front of an array, which may be NULL. */
void batch_select_rows(void *array, size_t bytes, const uint32_t *number, size_t n);

/* Returns IMP_ERR_INPUT unless the dataset has the rows from `first` on that the frame needs. */
int batch_rows_fit(const batch *b, const h5_data *d, uint64_t frame, uint64_t first, uint64_t rows);

/* Removes the ghosts from a mesh that has all cells of its frame; m->slab.number lists the rest. */
int batch_mesh_drop_ghosts(batch *b, uint64_t frame, batch_mesh *m);

/* The group of each kind of cells. */
extern const char *const batch_kind_name[BATCH_KINDS];

void batch_add_remark(batch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Turns an error in data that no contact depends on into a remark: "its text; then". */
void batch_remark_error(batch *b, const char *then);

/* Maps a Lagrange or Bezier triangle, quad or tetrahedron that has only the points of the linear
 * cell to the linear type; other types are unchanged. */
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

/* Returns the topology of a frame, with a reference for the caller. A topology that all frames
 * share is read once; then datasets that are needed only for it keep no chunks in memory. */
int batch_mesh_get(batch *b, uint64_t frame, batch_mesh **out);

/* Reads the number of corners of each cell into m->corner_count, which is NULL if all have the
 * same. */
int batch_types_read(batch *b, uint64_t frame, batch_mesh *m);
void batch_mesh_release(batch_mesh *m);

/* ---- batch_mesh.c */

/* Datasets are read in chunks, so that checking needs no second copy of a mesh. */
#define BATCH_CHUNK 65536

/* A part of a frame: its position in the file, and in the mesh being read. */
typedef struct batch_part {
    batch *b;
    uint64_t frame;
    const batch_mesh *m; /* its corner counts are known */
    int64_t *at;         /* [BATCH_CHUNK] rows of a dataset */
    uint64_t number;     /* number in the file */
    uint64_t id0;        /* first connectivity id in the file */
    uint64_t verts;      /* vertices of the frame's parts before it */
    uint64_t cells;      /* cells of the frame's parts before it */
} batch_part;

static inline uint64_t batch_part_cells(const batch_part *p)
{
    return (uint64_t)p->b->parts.cells[p->number];
}

/* Reads the corners of n cells, at most BATCH_CHUNK ids, from cell `cell` of the part on. *id0: row
 * in the file of the first id; becomes that of the next cell. batch_mesh.c. */
int batch_corners_read(const batch_part *p, uint64_t cell, uint64_t n, uint64_t *id0,
                       uint32_t *out);

/* Checks that offsets are 0 and then the end of each cell; a part without cells needs none. */
int batch_check_offsets(const batch_part *p);

/* Returns the first row of Offsets of a part whose cells may have any size; before: cells of the
 * frame's parts before it. */
uint64_t batch_offsets_first_row(const batch *b, uint64_t frame, uint64_t number, uint64_t before);

/* Checks that these rows of Offsets were written. */
int batch_offsets_stored(const batch *b, uint64_t first, uint64_t rows);

/* ---- batch_mesh.c: cell arrays, once a mesh has its corners */

/* batch_mesh_read_objects reads the objects that the file stores; batch_mesh_objects then finds
 * those that are connected components, and lists all. */
int batch_mesh_read_objects(batch *b, uint64_t frame, batch_mesh *m);
int batch_mesh_objects(batch *b, batch_mesh *m);

/* Reads the objects of n cells of a frame, from cell `first` on, from their array. at:
 * [BATCH_CHUNK] */
int batch_objects_read(batch *b, uint64_t frame, uint64_t first, uint64_t n, int64_t *at,
                       int32_t *out);

/* Reads n int64 of a dataset from row `row` on. INPUT for an unsigned value that int64 cannot hold;
 * cell: the number of the first cell in the frame, for messages. */
int batch_int64_read(const batch *b, const h5_data *d, uint64_t row, uint64_t n, uint64_t frame,
                     uint64_t cell, int64_t *out);

/* batch_thickness.c: allocates the thicknesses of a mesh with all cells of its frame, and reads the
 * cell array; once ghosts are removed and objects known, fills in the others and checks all. */
int batch_mesh_thickness(const batch *b, uint64_t frame, batch_mesh *m);
int batch_thickness_fill(const batch *b, uint64_t frame, batch_mesh *m);

/* Reads those of n cells of a frame, from cell `first` on, from the cell array. */
int batch_thickness_read(const batch *b, uint64_t frame, uint64_t first, uint64_t n, double *out);
void batch_thickness_close(batch *b);

/* batch_pieces.c: checks that each primitive of a frame has a different PrimitiveId. The check uses
 * this number of bytes for each. */
#define BATCH_NAME_BYTES 16
int batch_check_mesh_ids(batch *b, const batch_mesh *m);

/* Checks the same for a frame whose ids are not kept, in chunks. */
int batch_check_ids(batch *b, uint64_t frame);

/* Returns the root of a vertex in its connected component. */
uint32_t batch_component_root(uint32_t *parent, uint32_t v);

/* ---- batch_steps.c: point numbers, by which equal points of several blocks or parts are joined */

/* Returns the name of their PointData array, or NULL. */
const char *batch_node_array(const batch *b);

/* Reads the numbers of a frame's points into out[vertices]; the batch must have them. Errors:
 * INPUT, MEMORY. */
int batch_nodes_read(const batch *b, uint64_t frame, int64_t *out);

/* Remarks that parts are concatenated, so that a point of two parts becomes two vertices. */
void batch_nodes_remark(batch *b);

/* ---- batch_bodies.c */

int batch_bodies_open(batch *b);
void batch_bodies_close(batch *b);

/* Bytes for each vertex to read the bodies of a mesh; all but 4 of them stay in use. */
#define BATCH_REST_BYTES 28
int batch_mesh_bodies(batch *b, uint64_t frame, batch_mesh *m);

/* Describes how errors in a frame's bodies are reported: as errors of the file. */
bodies_of batch_bodies_of(const batch *b, uint64_t frame);

/* Checks that each body has as many vertices as it has points in the file, or none. have:
 * [bodies] */
int batch_bodies_count(const batch *b, uint64_t frame, const uint32_t *have);

/* Checks that n points of bodies are finite; row: the file's row of the first one. */
int batch_check_rest_finite(const batch *b, const double *at, uint64_t row, size_t n);

/* Reads n poses of a frame, from body `first` on, without checks. */
int batch_poses_of(batch *b, uint64_t frame, uint32_t first, uint32_t n, imp_pose *pose);

/* Reads the poses of a frame into pose[bodies], and checks its points against them. */
int batch_read_poses(batch *b, const batch_mesh *m, imp_frame *f, imp_pose *pose);

/* ---- batch.c */

/* Opens /VTKHDF of a file, or a block below it. Errors: INPUT. */
int batch_open_root(const char *path, hid_t file, const char *block, hid_t *out);

/* Returns whether this Type is that of a file with several blocks. */
int batch_is_composite(const char *type);

int batch_open_as(mem *m, const char *path, enum object_source objects, const char *array,
                  const batch_selection *what, batch **out);

/* ---- Internal to the readers of batches: integer cell arrays of any name, which `convert` keeps.
 * CellData/ObjectId and vtkGhostType are excluded: they decide how a cell is used. */

/* An array of a block. */
typedef struct batch_array {
    h5_data data;
    uint64_t *row0; /* [frames] first row */
} batch_array;

typedef struct batch_arrays {
    cell_arrays of;
    batch_array *array; /* [of.count] */
} batch_arrays;

/* Opens the arrays of a block, and checks that they have the rows of every frame. Adds the names of
 * other arrays of its cells and points to `lost`, as "CellData/NAME". Errors: INPUT, MEMORY. */
int batch_arrays_open(batch *b, batch_arrays *out, cell_arrays *lost);
void batch_arrays_close(batch_arrays *a);

/* The error for an array that a user named and that is missing: it lists those that there are. */
int batch_arrays_missing(batch *b, const char *name);

/* Reads the values of `rows` cells from number `first` of a frame on, as `type`; COLUMN_U64 as
 * their bits. INPUT for a value that the type cannot hold. */
int batch_array_read(const batch *b, const batch_array *a, enum column_type type, uint64_t frame,
                     uint64_t first, uint64_t rows, int64_t *out);

/* ---- The different objects of primitives. */

typedef struct object_set {
    mem *mem;
    int32_t *id; /* [count] the first `sorted` ones ascending */
    size_t count, sorted, capacity;
} object_set;

/* Adds objects, which are often equal to their neighbours; object_set_end leaves each once,
 * ascending. */
int object_set_add(object_set *s, const int32_t *object, size_t n);
void object_set_end(object_set *s);

#endif
