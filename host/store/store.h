/* Batches and results as VTKHDF: the interface of the store. */
#ifndef IMP_STORE_H
#define IMP_STORE_H

#include "bodies.h"
#include "columns.h"
#include "impinge.h"
#include "matter.h"
#include "mem.h"
#include "motion.h"
#include "sort_tally.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Names and types of one-component integer cell arrays: those of several blocks or files, and
 * those to be written to a batch. */

#define SOURCE_ID "SourceId"
#define PRIMITIVE_ID "PrimitiveId"
#define GHOST_TYPE "vtkGhostType"

typedef struct cell_array {
    char *name;
    enum column_type type; /* COLUMN_I32, COLUMN_I64 or COLUMN_U64 */
} cell_array;

typedef struct cell_arrays {
    mem *mem;
    size_t count, capacity;
    cell_array *array; /* [count] with different names */
} cell_arrays;

/* Adds a name unless it exists. If it exists with another type, its type becomes COLUMN_I64. */
int cell_arrays_add(cell_arrays *a, const char *name, enum column_type type);

/* Returns its index; a->count if absent. */
size_t cell_arrays_find(const cell_arrays *a, const char *name);

void cell_arrays_remove(cell_arrays *a, size_t i);

/* Leaves it empty; accepts a zeroed one. */
void cell_arrays_free(cell_arrays *a);

/* ---- Writing a batch: batch_writer.c, with the conventions of this header. */

typedef struct batch_writer batch_writer;

/* The kind of file. All zero: triangles, float64, one object. */
typedef struct batch_def {
    int force;                 /* replace an existing path; else it is IMP_ERR_EXISTS */
    int unstructured;          /* UnstructuredGrid, for triangles and tetrahedra; else PolyData, for
                                  triangles only */
    int type;                  /* type of the points in the file: IMP_FLOAT64 or IMP_FLOAT32 */
    int objects;               /* write ObjectId */
    int ids;                   /* write PrimitiveId */
    const cell_arrays *arrays; /* further cell arrays, or NULL */
    int bodies; /* write /impinge/bodies: frames have poses. All frames have the same bodies, with
                   the same shapes */
    int resumable; /* batch_resume may continue path.part, which stays if the program is ended */
    int changes;   /* write velocity changes of these bodies, too: batch_append_changes */
    const matter *matter; /* written by batch_finish; NULL: not written */
} batch_def;

/* Writes to path.part; batch_finish renames it. A signal that ends the program removes
 * path.part. */
int batch_create(mem *m, const char *path, const batch_def *def, batch_writer **out);

/* Appends a frame; points are converted to the file's type. The mesh may change from frame to
 * frame; while it is the same pointer, its topology and ids are written once. id: [primitives], all
 * different, constant for a primitive over all frames; NULL for a file without ids.
 * IMP_ERR_ARGUMENT for primitives that this kind of file cannot hold. */
int batch_append(batch_writer *w, const imp_frame *frame, const int64_t *id, double time);

/* Does the same for a file with cell arrays. value: [primitives * arrays]; an array is written if
 * its values or the topology differ from those of the frame before. */
int batch_append_values(batch_writer *w, const imp_frame *frame, const int64_t *value, double time);

/* Adds the velocity changes of bodies during the step to the next appended frame, which is not the
 * first; overlap: the greatest overlap of bodies so far. */
int batch_append_changes(batch_writer *w, const velocity_change *change, size_t count,
                         double overlap);

/* Names the source file of the frame appended last; for all frames or none. */
int batch_name_frame(batch_writer *w, const char *source);

/* Names objects in ascending order; an empty name is ignored. */
int batch_name_object(batch_writer *w, int32_t object, const char *name);

/* Makes all frames so far permanent: path.part is a batch of them. */
int batch_commit(batch_writer *w);

/* Continues path.part after `frames` frames, at least one, which all have the mesh of `frame`;
 * later ones are cut off. For a `def` without `ids` and `arrays`. Errors: INPUT (it has fewer
 * frames, or is damaged), MEMORY, FILE. */
int batch_resume(mem *m, const char *path, const batch_def *def, const imp_frame *frame,
                 uint64_t frames, batch_writer **out);

/* All three free w. batch_finish completes the file under its name; batch_leave leaves path.part
 * with the frames so far, for readers; batch_discard removes it. After an error the first two
 * remove it, too. */
int batch_finish(batch_writer *w);
int batch_leave(batch_writer *w);
void batch_discard(batch_writer *w);

/* ---- The hash of an input: of a file, and of the files that its datasets take rows from.
 * Functions return 0 or IMP_ERR_. */

/* Bytes of a piece of an input; the last one may be shorter. An input is the file, then the files
 * that its datasets take rows from (data/format.md), as if they were one. */
#define FILE_PIECE ((uint64_t)16 << 20)

/* XXH3 hashes of pieces, for one of several tasks that share an input. */
typedef struct file_pieces {
    uint64_t bytes;        /* size of the whole input */
    uint64_t first, count; /* range of the pieces here */
    uint64_t *piece;       /* [count] */
    char **file;           /* [files] files of the input */
    size_t files;
    atomic_int stop; /* another thread may set it: reading then ends with IMP_ERR_CANCELLED */
} file_pieces;

/* Finds the files, and chooses the pieces of share `share` of `shares`. */
int file_pieces_open(const char *path, uint64_t share, uint64_t shares, file_pieces *out);

/* Reads these pieces and no other bytes. Does not use HDF5, so that another thread may. */
int file_pieces_read(file_pieces *p);

/* Opens and reads them. */
int file_pieces_hash(const char *path, uint64_t share, uint64_t shares, file_pieces *out);
void file_pieces_free(file_pieces *p);

/* Returns the hash of pieces; for an input, of all its pieces in order. */
uint64_t file_pieces_sum(const uint64_t *piece, uint64_t count);

/* Finds size and hash of a whole input. */
int file_hash(const char *path, uint64_t *bytes, uint64_t *hash);

/* ---- Batches of frames and results, both VTKHDF (data/format.md).
 *
 * Functions return 0 or IMP_ERR_; the error text names file, dataset and reason. Handles are used
 * by one thread at a time. HDF5 prints nothing. */

/* ---- reading a batch: batch.c */

typedef struct batch batch;

enum object_source { BATCH_OBJECT_ID = 0, BATCH_CONNECTED = 1, BATCH_ARRAY = 2 };

typedef struct batch_info {
    uint64_t frames;
    int temporal;                  /* has Steps; else one frame at time 0 */
    int type;                      /* type of Points: IMP_FLOAT64 or IMP_FLOAT32 */
    int static_topology;           /* all frames share one mesh */
    int has_object;                /* CellData/ObjectId exists */
    int point_object;              /* PointData/ObjectId exists, which is not read */
    uint64_t empty_frames;         /* frames without a primitive */
    int unstructured;              /* UnstructuredGrid; else PolyData */
    int corners;                   /* 4 if a frame has tetrahedra, else 3 */
    uint64_t vertices, primitives; /* in the largest frame, without ghosts */
    uint64_t ghosts;               /* cells left out (vtkGhostType), in all frames */
    int ids, source_ids;           /* has PrimitiveId, SourceId */
    uint64_t id_bytes;   /* bytes of the ids in a mesh, and of cell numbers if there are ghosts */
    uint64_t name_bytes; /* further bytes for reading such a mesh */
    uint32_t bodies;     /* rigid bodies */
    uint64_t rest_bytes; /* bytes of their shapes in a mesh */
} batch_info;

/* Opens a file and checks everything that can be checked without reading topology and points.
 * IMP_ERR_INPUT for a file that is missing, not HDF5, not VTKHDF, of an unsupported type or
 * version, or inconsistent. objects: the source of the primitives' objects; array: the cell array
 * for BATCH_ARRAY, otherwise ignored. All memory is counted in m. */
int batch_open(mem *m, const char *path, enum object_source objects, const char *array,
               batch **out);
void batch_close(batch *b);

/* The thicknesses of primitives, finite and not negative: one for all; one for each object; the
 * values of a cell array of float32 or float64. */
enum thickness_source {
    BATCH_THICKNESS_NONE = 0,
    BATCH_THICKNESS_ALL,
    BATCH_THICKNESS_OBJECTS,
    BATCH_THICKNESS_ARRAY
};

typedef struct batch_thickness {
    enum thickness_source source;
    double all;
    const char *name; /* OBJECTS: the file, for messages; ARRAY: the cell array */
    size_t objects;
    const int32_t *object; /* [objects] ascending */
    const double *value;   /* [objects] */
} batch_thickness;

/* Sets imp_mesh.thickness of all meshes read from now on; called before the first is read. The
 * texts and arrays belong to the caller, and must not change. Errors: INPUT (there is no such
 * array), MEMORY. Reading then also fails with INPUT for a value that is no thickness, and for an
 * object without one. */
int batch_set_thickness(batch *b, const batch_thickness *of);

/* Finds a number that no thickness of a frame exceeds. Errors: INPUT, MEMORY. */
int batch_thickness_most(batch *b, uint64_t frame, double *most);
void batch_get_info(const batch *b, batch_info *out);

/* Returns unusual but valid properties of the batch, each a warning of one line; NULL past the
 * last. Missing or empty frames are not included. */
const char *batch_remark(const batch *b, size_t i);

/* Returns a hash of all counts, offsets and times, which very likely differs for another input. */
uint64_t batch_tables_hash(const batch *b);

/* Returns the names in the batch (object_names.h), which belong to it. */
const struct batch_names *batch_get_names(const batch *b);

/* Returns the step value of a frame. */
double batch_frame_time(const batch *b, uint64_t frame);

/* Finds the numbers of vertices and primitives of a frame without reading it; ghosts do not
 * count. */
void batch_frame_size(const batch *b, uint64_t frame, uint64_t *vertices, uint64_t *primitives);

/* Returns the number of cells of a frame that are left out. */
uint64_t batch_frame_ghosts(const batch *b, uint64_t frame);

/* The part of a frame that a mesh contains: the frame without ghosts, or a slab
 * (store_partition.h). Members after `vertex` are for slabs only. */
typedef struct batch_slab {
    uint32_t *number, *vertex; /* ascending frame numbers of primitives, vertices; NULL: the same */
    uint8_t *carried; /* [primitives] bits: axes along which it begins before the slab; in one of
                         whole objects 1: it is of an object of a later slab */
    uint32_t carried_count;
    uint8_t *vertex_at; /* [vertices] imp_whole.vertex_at; NULL: rows are of primitives */
    uint64_t bad;       /* primitives of the frame that are in no slab; counted in slab 0 */
    imp_whole whole;    /* the frame; lower > upper corner: it has no finite primitive */
} batch_slab;

/* Frames in memory, and their arrays. frame[i].mesh is the same pointer for consecutive frames,
 * also across reads, while the topology is the same. All zero at first. */
typedef struct batch_block {
    size_t count;
    imp_frame *frame;
    struct batch_mesh **mesh;
    void *point;    /* points of all frames, one after another */
    imp_pose *pose; /* poses likewise, if the batch has rigid bodies */
    mem *mem;
} batch_block;

/* Reads the frames first, first + step, ... (count of them) into *out, whose contents are freed
 * first. Checks cell types, indices and ids of primitives. */
int batch_read(batch *b, uint64_t first, int64_t step, size_t count, batch_block *out);

/* Does the same; if the last frame of `before`, another block or NULL, is the first one here, it is
 * copied. */
int batch_read_after(batch *b, const batch_block *before, uint64_t first, int64_t step,
                     size_t count, batch_block *out);

/* Reads a frame without its points and poses. */
int batch_read_mesh(batch *b, uint64_t frame, batch_block *out);
void batch_block_free(batch_block *out);

/* Finds the different objects of a frame, ascending; reads its topology. *ids is valid until the
 * next call that reads. */
int batch_frame_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count);

/* Returns the number of different objects in the i-th frame of a block. */
uint64_t batch_block_objects(const batch_block *b, size_t i);

/* Returns the part of the frame that the i-th mesh of a block contains. */
const batch_slab *batch_block_slab(const batch_block *b, size_t i);

/* Returns SourceId of its primitives, or NULL. */
const int64_t *batch_block_source_ids(const batch_block *b, size_t i);

/* Returns whether two frames have the same topology and objects. */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g);

/* Returns a few words for the difference between the contents of two meshes, or NULL. */
const char *batch_mesh_differs(const imp_mesh *x, const imp_mesh *y);

/* Finds whether a rigid body rotates between any two neighbours of these frames: `count` from the
 * first on, each `step` after the one before. *yes: 1 or 0. Errors: INPUT, MEMORY. */
int batch_any_body_turns(batch *b, uint64_t first, int64_t step, uint64_t count, int *yes);

/* Reads the materials of the rigid bodies, and the forces on them; values that the file does not
 * have get their defaults (matter.h). All 0 without rigid bodies. matter_free(out). Errors: INPUT,
 * MEMORY. */
int batch_read_matter(const batch *b, matter *out);

/* Finds the velocity changes that `impinge pcs` has written for a simulation of so many steps.
 * (*first)[steps + 1]: the first row of each step; *overlap: the greatest of two convex bodies.
 * Errors: INPUT, MEMORY. */
int batch_find_changes(const batch *b, uint64_t steps, uint64_t **first, double *overlap);

/* Reads rows of the velocity changes. Errors: INPUT, MEMORY. */
int batch_read_changes(const batch *b, uint64_t first, uint64_t rows, velocity_change **out);

/* ---- scanning a batch, for `info`: batch.c */

/* Opens a batch whose cells may have any type. Its frames cannot be read; only the following
 * functions work. */
int batch_open_any_type(mem *m, const char *path, batch **out);

/* Estimates how many bytes are read for a frame, after the one before it. */
uint64_t batch_scan_bytes(const batch *b, uint64_t frame);

/* Counts the cells of each VTK type in a frame. Polygons of 3 and 4 vertices count as triangles and
 * quads. */
#define BATCH_CELL_TYPES 256
int batch_scan_cells(batch *b, uint64_t frame, uint64_t count[BATCH_CELL_TYPES]);

/* A box around all finite vertices of a frame; undefined without one. */
typedef struct batch_box {
    double low[3], high[3];
    uint64_t vertices, bad; /* finite vertices; others */
} batch_box;
int batch_scan_points(batch *b, uint64_t frame, batch_box *out);
void batch_box_join(batch_box *to, const batch_box *from);

/* Finds the objects of a frame with the number of their cells, ascending. */
int batch_scan_objects(batch *b, uint64_t frame, tally *out);

/* ---- writing: batches and results grow as path.part: vtkhdf_writer.c */

/* IMP_ERR_EXISTS if the path exists and not `force`, IMP_ERR_ARGUMENT if no file of this kind can
 * be created there. Writers check it as well. */
int store_path_check(const char *path, int force);

/* Returns the name of the incomplete file: beside the end of path's links. The caller frees it. */
int store_part_name(const char *path, char **out);

/* ---- writing a result: result_writer.c */

typedef struct result result;

/* The frames that those of a resumed result must match. */
typedef struct result_frame_match {
    const struct batch *in; /* NULL: not compared */
    uint64_t first;         /* the frames first, first + step, ... */
    int64_t step;
    uint64_t slabs, unit; /* for units: slabs of a frame; the first unit */
    uint64_t most;        /* later frames are cut off; 0: none are */
} result_frame_match;

/* The provenance of a result; all of it except the device must agree when a run is resumed. Text is
 * UTF-8. members: independent facts recorded in the file */
typedef struct result_provenance {
    const char *command; /* the command line */
    const char *options; /* the options that results depend on, in a normal form */
    const char *device;
    const char *input;
    uint64_t input_bytes, input_hash; /* the input's; for a shard, those of its pieces */
    const struct file_pieces *pieces; /* a shard's; NULL: no shard */
    uint64_t input_tables;            /* a shard's batch_tables_hash */
    const int32_t (*object_pair)[2];  /* the list that `options` refers to, or NULL */
    size_t object_pairs;
    const batch_thickness *thickness; /* likewise; written if it is of objects */
    const int32_t *inside_object;     /* likewise, [inside_objects], or NULL */
    size_t inside_objects;
    const char *collide_txt, *csv, *counts, *contours, *regions,
        *json;                       /* further output files, or NULL */
    const struct batch_names *names; /* names of objects, or NULL; unused with `like` */
    const imp_def *def;              /* determines the columns of contacts, with the next members */
    int source_ids;                  /* the batch has SourceId */
    int simulated;                   /* the input does not exist yet: see result_set_input */
    int units;                       /* see result_units */
    result_frame_match frames;
    const struct result_reader *like; /* a result that gives the columns, for a join, which cannot
                                         be resumed; NULL: columns of `def` */
} result_provenance;

/* The most memory that a writer uses, with RESULT_FRAME_BYTES for each frame of a block. Under a
 * lower limit it buffers fewer rows. */
#define RESULT_BYTES ((uint64_t)80 << 20)
#define RESULT_FRAME_BYTES 96

/* Writes to path.part. */
int result_create(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out);

/* Continues path.part after its last committed frame; *done: the number of committed frames.
 * Creates it if it does not exist. IMP_ERR_INPUT if it is damaged or has another provenance; the
 * text names the difference. */
int result_resume(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out, uint64_t *done);

/* Returns 1 if `path` is the complete result of this provenance, and every frame in it is sound; 0
 * if it does not exist; IMP_ERR_EXISTS if it is something else; the text names the difference. */
int result_is_done(mem *m, const char *path, const result_provenance *provenance);

/* A step of a result: a frame of the input, or with imp_def.continuous the interval from one frame
 * to the next. */
typedef struct result_step {
    const imp_mesh *mesh;
    uint64_t number;          /* number in the input of the frame, or of the first of two */
    double time, next;        /* step values of that frame, and of the second one */
    const batch_slab *part;   /* the part of the frame that the mesh contains; NULL: all */
    const int64_t *source_id; /* [primitives] if the result has them */
} result_step;

/* Returns the time at the toi, a fraction of the step: between the two step values or equal to one
 * of them. */
double result_time(const result_step *of, double toi);

/* Adds contacts of a block of steps, sorted by step and by ORDER of contact.def; may be called any
 * number of times. c->frame is the position in the block; `of` is that step. */
int result_add(result *r, const imp_contacts *c, const result_step *of);

/* The columns of contacts in a file: contact.def as a table over result_rows. */
enum stored_column {
#define CONTACT(name, ...) STORED_##name,
#define DERIVED(name, ...) STORED_##name,
#define VARYING(name, ...) STORED_##name,
#include "contact.def"
    STORED_COLUMNS
};
extern const column_table stored_table;

/* Returns the columns of this result. */
column_set result_writer_columns(const result *r);

/* Rows of stored_table: the first function returns how many of the first `count` contacts fit, the
 * second appends as many contacts of that step, in the types of the file. May be called in any
 * thread. Errors: MEMORY. */
size_t stored_rows_fit(const column_rows *to, const imp_contacts *from, size_t count);
int stored_rows_append(column_rows *to, const imp_contacts *from, size_t rows,
                       const result_step *of);

/* Does the same as result_add, for such rows; frame[i]: the position in the block of row i's
 * step. */
int result_add_chunk(result *r, const column_rows *rows, const uint32_t *frame);

/* ---- relations of objects: with imp_def.inside a result has those of each step. relations.c */

/* Rows, in the types of the file: arrays of `count`. */
typedef struct relation_rows {
    uint64_t count;
#define RELATION(name, type, ...) const type *name;
#include "relation.def"
} relation_rows;

typedef struct swallowed_rows {
    uint64_t count;
#define SWALLOWED(name, type, ...) const type *name;
#include "relation.def"
} swallowed_rows;

/* The words for relations, by enum imp_relation_kind: "touching", "a_in_b". */
#define RELATION_KINDS (IMP_RELATION_B_IN_A + 1)
extern const char *const relation_name[RELATION_KINDS];

/* The relations of a step. */
typedef struct step_relations {
    relation_rows pairs;
    swallowed_rows swallowed;
    int64_t closed, open; /* objects that count as solids; listed ones that were skipped */
} step_relations;

/* A copy of the relations that a pipeline hands out. All zero: none. */
typedef struct relation_copy {
    column_rows rows[2]; /* of the pairs, of the swallowed parts */
    int64_t closed, open;
    uint64_t bytes; /* of memory */
} relation_copy;

/* The bytes that a copy needs. */
uint64_t relation_copy_bytes(const imp_relations *of);

/* Replaces *to by the relations of a frame, of which `part` is in memory, or all (NULL). Errors:
 * MEMORY. */
int relation_copy_make(mem *m, const imp_relations *of, const imp_frame *frame,
                       const batch_slab *part, relation_copy *to);
void relation_copy_free(relation_copy *c);

/* Sets a view of a copy, which needs no freeing. */
step_relations relation_copy_view(const relation_copy *c);

/* Returns whether the result has relations; adds those of the next step. Called for each step of a
 * block before result_end_block. */
int result_has_relations(const result *r);
int result_relate(result *r, const step_relations *of);

/* Ends a block of `count` steps, including those without contacts. */
int result_end_block(result *r, size_t count, const result_step *of, const imp_frame_info *info);

/* Sets the input that a simulation has written beside its result, which is known only at its
 * end. */
int result_set_input(result *r, uint64_t bytes, uint64_t hash);

/* Makes all ended frames permanent. result_end_block also does that from time to time. */
int result_commit(result *r);

/* All three free r. result_finish completes the file under its name; result_leave leaves path.part
 * after the last committed frame; result_discard removes path.part. */
int result_finish(result *r);
void result_leave(result *r);
void result_discard(result *r);

/* ---- joining results: join.c */

typedef struct result_join result_join;

/* Begins a result that joins the frames of others, in the order in which they are added. copy: rows
 * are copied; else they are virtual and stay in their files, found by names relative to the new
 * one; narrow columns are copied even then, if they are at most 64 MiB in all. rows: their total
 * number. */
int result_join_begin(mem *m, const char *path, int force, int copy, uint64_t rows,
                      const result_provenance *provenance, result_join **out);

/* Called before the work that ends with a join into `path`: checks that result_join_begin may
 * replace a file that an earlier run has left at path.part. Errors: EXISTS (the text describes the
 * file), FILE (it is in use). provenance: that of the join, with the hash of the input; NULL: not
 * known yet. */
int result_join_check_stale_parts(mem *m, const char *path, int force,
                                  const result_provenance *provenance);

/* Removes units that an earlier run has left at `path` and path.part, if nothing is lost: those of
 * the same input and options as `provenance`, or any with `force`. Other files stay. */
void result_units_drop_stale(mem *m, const char *path, int force,
                             const result_provenance *provenance);

/* Appends all frames of a complete result. INPUT if it has other columns, or if a frame is damaged.
 */
int result_join_add(result_join *j, const char *path, struct result_reader *r);

/* A frame of a result that holds the contacts of one slab of a frame (store_partition.h). */
typedef struct result_part {
    struct result_reader *reader;
    uint64_t frame;
} result_part;

/* Appends one frame, joined from all its slabs, at least one: their rows in one order, the sums of
 * their tables. Only with `copy`. INPUT as above. */
int result_join_slabs(result_join *j, const result_part *part, size_t parts);

/* Returns the totals so far. */
void result_join_sums(const result_join *j, uint64_t *frames, uint64_t *contacts);

/* Both free j. result_join_finish completes the file under its name; result_join_discard removes
 * it. */
int result_join_finish(result_join *j);
void result_join_discard(result_join *j);

/* ---- reading a result: result_reader.c */

typedef struct result_reader result_reader;

/* [frames] each */
typedef struct result_frames {
    const double *time, *seconds;
    const int64_t *input_frame, *candidates, *contacts, *undecided, *bad, *entries_written;
    const int64_t *candidates_vf, *candidates_ee; /* NULL if there is no Share */
    /* NULL unless there are relations: numbers of objects, as in step_relations; the checksum of
     * the relations */
    const int64_t *closed, *open;
    const uint64_t *relations_checksum;
    const uint64_t *checksum;
} result_frames;

#define SHARDS_MOST 1000000        /* shards of a run */
#define PARTITION_SLABS_MOST 16384 /* slabs of a frame: store_partition.h */

/* The properties of a shard. */
typedef struct result_shard {
    uint64_t index, count; /* the shard's index among so many; count 0: no shard */
    uint64_t pieces;       /* pieces of the input that it has hashed */
    const uint64_t *piece; /* [pieces] */
    char tables[24];       /* batch_tables_hash */
} result_shard;

/* A result of run --space before its slabs are joined: each of its frames is a unit, the contacts
 * of one slab of a step. Unit u of a run is slab u % slabs of step u / slabs. */
typedef struct result_units {
    uint64_t slabs; /* slabs of each step; 0: frames are no units */
    uint64_t first, count;
} result_units;

/* members: independent facts recorded in the file */
typedef struct result_info {
    uint64_t frames; /* complete frames */
    int complete;    /* it has all frames of its run */
    int continuous;  /* its frames are steps from one frame of the input to the next */
    int times;       /* its contacts have Share and Time */
    int distances;   /* its rows are pairs within `distance`, and have Distance */
    double distance; /* 0 without that option; infinite with thicknesses */
    int thick;       /* they also have Penetration and Relative */
    int relations;   /* it has relations of objects: its run had --inside */
    int inside;      /* its rows are vertices inside objects, and have Winding */
    int simulated;   /* by `impinge pcs`: the input has the bodies; candidates are pairs of them */
    char version[64], command[4096], options[4096], device[512], input[4096], input_hash[24];
    char collide_txt[4096], csv[4096], counts[4096], contours[4096], regions[4096],
        json[4096]; /* further output files; "" if absent */
    uint64_t input_bytes;
    result_shard shard;
    result_units units;
    const int32_t (*object_pair)[2];
    size_t object_pairs;
    const int32_t *thickness_object; /* [thicknesses] objects, and their thicknesses; NULL: none */
    const double *thickness;
    size_t thicknesses;
    const int32_t *inside_object; /* [inside_objects] the list of --inside; NULL: none */
    size_t inside_objects;
    const struct batch_names *names; /* names of objects; none after result_open_info */
    result_frames of;
} result_info;

/* Opens a result, complete or not (path.part). IMP_ERR_INPUT for anything else. */
int result_open(mem *m, const char *path, result_reader **out);

/* Opens only the provenance, in half of the time, without tables and rows: `of` of the info is
 * empty, and otherwise only result_row_count may be called. It returns the number of rows in the
 * file, valid or not; 0 if it has none. */
int result_open_info(mem *m, const char *path, result_reader **out);
uint64_t result_row_count(const result_reader *r);
void result_close(result_reader *r);
const result_info *result_get_info(const result_reader *r);

/* Checks everything that follows from the number of contacts of each frame: IMP_ERR_INPUT. */
int result_check_layout(result_reader *r);

/* Contacts of frame k: an array for each line of contact.def, under its name. Missing columns are
 * NULL. The arrays belong to the reader until the next call. */
typedef struct result_rows {
    uint64_t count;
#define CONTACT(name, type, values, when, group, file, stored, ...) const stored *name;
#define DERIVED(name, of, rule, when, group, file, stored, ...) const stored *name;
#define VARYING(name, type, values, when, group, file, file_first, stored, ...)                    \
    const uint64_t *name##_first;                                                                  \
    const stored *name;
#include "contact.def"
} result_rows;
int result_read(result_reader *r, uint64_t k, result_rows *out);

/* Reads `count` contacts of that frame, from number `first` on. */
int result_read_rows(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                     result_rows *out);

/* Reads some of the columns of stored_table, of `frames` consecutive frames from k on; those not in
 * the set are NULL. */
int result_read_columns(result_reader *r, uint64_t k, uint64_t frames, column_set set,
                        result_rows *out);

/* Returns the set of these arrays that exist: columns of stored_table. */
column_set result_columns(const result_reader *r);

/* Reads objects and kinds of `count` contacts, from number `first` of frame k on, into the caller's
 * arrays. */
int result_read_kinds(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                      int32_t *object_a, int32_t *object_b, uint8_t *kind);

/* Reads their primitives. */
int result_read_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count, int64_t *a,
                      int64_t *b);

/* Reads the columns for a table of pairs of objects, for the same contacts, into the caller's
 * arrays. Columns that the result lacks are 0. */
typedef struct result_pairs {
    int32_t *object_a, *object_b;
    uint8_t *kind;
    double *depth, *time, *distance, *penetration;
    int64_t *source_a, *source_b;
} result_pairs;
int result_read_object_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                             const result_pairs *out);

/* Reads times of impact, as toi and as step values, of the same contacts, if info.times. */
int result_read_times(result_reader *r, uint64_t k, uint64_t first, uint64_t count, double *toi,
                      double *time);

/* Reads distances of the same rows, if info.distances. */
int result_read_distances(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                          double *distance);

/* Reads penetrations of the same rows, if info.thick. */
int result_read_penetrations(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                             double *penetration);

/* Reads the relations of frame k, if info.relations. The arrays belong to the reader until the next
 * call. result_relations_checksum returns the value in /impinge/relations_checksum for them. */
int result_read_relations(result_reader *r, uint64_t k, step_relations *out);
uint64_t result_relations_checksum(const step_relations *of);

/* Reads vertices and depths of the same rows, if info.inside. */
int result_read_depths(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                       int64_t *vertex, double *depth);

/* Returns the value in /impinge/checksum for a frame with these rows. */
uint64_t result_checksum(const result_rows *rows);

/* Returns whether this file is a result rather than a batch; 0 also if it cannot be opened. */
int result_is_file(const char *path);

#endif
