/* Batches and results as VTKHDF: what other folders use of the store. */
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

/* ---- Names and types of cell arrays of integers, of one component: those of several blocks or
 * files, and those that a batch is to have. */

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
    cell_array *array; /* [count] of different names */
} cell_arrays;

/* Adds a name, unless it is there. Where its type is another one there, it becomes COLUMN_I64. */
int cell_arrays_add(cell_arrays *a, const char *name, enum column_type type);

/* Its number; a->count: it is not there. */
size_t cell_arrays_find(const cell_arrays *a, const char *name);

void cell_arrays_remove(cell_arrays *a, size_t i);

/* Leaves it empty; a zeroed one is allowed. */
void cell_arrays_free(cell_arrays *a);

/* ---- Writing a batch: batch_writer.c. Part of store.h, with its conventions. */

typedef struct batch_writer batch_writer;

/* What kind of file it is. All zero: triangles, float64, of one object. */
typedef struct batch_def {
    int force;                 /* an existing path is replaced, else it is IMP_ERR_EXISTS */
    int unstructured;          /* UnstructuredGrid, for triangles and tetrahedra; else PolyData, for
                                  triangles only */
    int type;                  /* of the points in the file: IMP_FLOAT64 or IMP_FLOAT32 */
    int objects;               /* write ObjectId */
    int ids;                   /* write PrimitiveId */
    const cell_arrays *arrays; /* further cell arrays, or NULL */
    int bodies; /* write /impinge/bodies: frames have poses. All frames have the same bodies, of the
                   same shapes */
    int resumable; /* batch_resume may go on with path.part, which stays if the program is ended */
    int changes;   /* of the velocities of these bodies, too: batch_append_changes */
    const matter *matter; /* of these bodies, at batch_finish; NULL: it is not written */
} batch_def;

/* Writes to path.part; batch_finish renames. A signal that ends the program removes path.part. */
int batch_create(mem *m, const char *path, const batch_def *def, batch_writer **out);

/* Appends a frame; points are converted to the file's type. The mesh may change from frame to
 * frame; while it is the same pointer its topology is written once, and its ids. id:
 * [primitives], different ones, which stay those of the same primitives in all frames; NULL in a
 * file without. IMP_ERR_ARGUMENT for primitives that this kind of file cannot hold. */
int batch_append(batch_writer *w, const imp_frame *frame, const int64_t *id, double time);

/* The same in a file with cell arrays. value: [primitives * arrays]; those of an array are written
 * where the topology or they are not those of the frame before. */
int batch_append_values(batch_writer *w, const imp_frame *frame, const int64_t *value, double time);

/* How the bodies' velocities change on the way to the frame that is appended next, not the first
 * one; and the greatest overlap of bodies so far. */
int batch_append_changes(batch_writer *w, const velocity_change *change, size_t count,
                         double overlap);

/* The source file of the frame that was appended last; for all frames or none. */
int batch_name_frame(batch_writer *w, const char *source);

/* Objects in ascending order; an empty name is none. */
int batch_name_object(batch_writer *w, int32_t object, const char *name);

/* Makes all frames so far permanent: path.part is a batch of them. */
int batch_commit(batch_writer *w);

/* Goes on with path.part after so many of its frames, at least one, which all have the mesh of
 * `frame`; later ones are cut off. For a `def` without `ids` and `arrays`. Errors: INPUT (it has
 * fewer frames, or is damaged), MEMORY, FILE. */
int batch_resume(mem *m, const char *path, const batch_def *def, const imp_frame *frame,
                 uint64_t frames, batch_writer **out);

/* All free w. Completes the file under its name; or leaves path.part with the frames so far, for
 * readers; or removes it. After an error the first two remove it, too. */
int batch_finish(batch_writer *w);
int batch_leave(batch_writer *w);
void batch_discard(batch_writer *w);

/* ---- The hash of an input: of a file, and of those that its datasets take rows from. Functions
 * return 0 or IMP_ERR_. */

/* An input in pieces of so many bytes, the last one shorter: the file, then the files that its
 * datasets take rows from (data/format.md), as if they were one. */
#define FILE_PIECE ((uint64_t)16 << 20)

/* XXH3 hashes of pieces, those of one of several tasks that share an input. */
typedef struct file_pieces {
    uint64_t bytes;        /* of the whole input */
    uint64_t first, count; /* of the pieces here */
    uint64_t *piece;       /* [count] */
    char **file;           /* [files] of the input */
    size_t files;
    atomic_int stop; /* another thread may set it: reading ends with IMP_ERR_CANCELLED */
} file_pieces;

/* Finds the files, and chooses the pieces of share `share` of `shares`. */
int file_pieces_open(const char *path, uint64_t share, uint64_t shares, file_pieces *out);

/* Reads these pieces, no other bytes. Does not use HDF5, so that another thread may. */
int file_pieces_read(file_pieces *p);

/* Both of them. */
int file_pieces_hash(const char *path, uint64_t share, uint64_t shares, file_pieces *out);
void file_pieces_free(file_pieces *p);

/* The hash of some pieces: of an input that of all of them, in order. */
uint64_t file_pieces_sum(const uint64_t *piece, uint64_t count);

/* Size and hash of a whole input. */
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
    int temporal;                  /* has Steps; else one frame with the value 0 */
    int type;                      /* of Points: IMP_FLOAT64 or IMP_FLOAT32 */
    int static_topology;           /* all frames share one mesh */
    int has_object;                /* CellData/ObjectId exists */
    int point_object;              /* PointData/ObjectId exists, which is not read */
    uint64_t empty_frames;         /* frames without a primitive */
    int unstructured;              /* UnstructuredGrid; else PolyData */
    int corners;                   /* 4 where a frame has tetrahedra, else 3 */
    uint64_t vertices, primitives; /* of the largest frame, without ghosts */
    uint64_t ghosts;               /* of all frames: cells that are left out (vtkGhostType) */
    int ids, source_ids;           /* has PrimitiveId, SourceId */
    uint64_t id_bytes;             /* that these take in a mesh, and the numbers of cells where
                                      there are ghosts */
    uint64_t name_bytes;           /* that reading such a mesh takes besides */
    uint32_t bodies;               /* rigid bodies */
    uint64_t rest_bytes;           /* that their shape takes for a mesh */
} batch_info;

/* Opens a file and checks everything that can be checked without reading topology and points.
 * IMP_ERR_INPUT for one that is missing, not HDF5, not VTKHDF, of an unsupported type or version,
 * or inconsistent. `objects`: where the objects of primitives come from; `array` names the cell
 * array for BATCH_ARRAY, else it is not read. All memory is counted in m. */
int batch_open(mem *m, const char *path, enum object_source objects, const char *array,
               batch **out);
void batch_close(batch *b);
void batch_get_info(const batch *b, batch_info *out);

/* What is odd about it, but allowed: a warning of one line; NULL past the last. Frames that are
 * missing or empty are not among them. */
const char *batch_remark(const batch *b, size_t i);

/* A hash of all counts, offsets and times: another input most likely has another one. */
uint64_t batch_tables_hash(const batch *b);

/* The names in the batch (object_names.h); they belong to it. */
const struct batch_names *batch_get_names(const batch *b);

/* Step value of a frame. */
double batch_frame_time(const batch *b, uint64_t frame);

/* Vertices and primitives of a frame, without reading it; ghosts do not count. */
void batch_frame_size(const batch *b, uint64_t frame, uint64_t *vertices, uint64_t *primitives);

/* The cells of a frame that are left out. */
uint64_t batch_frame_ghosts(const batch *b, uint64_t frame);

/* Which part of its frame a mesh is: that without ghosts, or a slab (store_partition.h), whose
 * other members only that has. */
typedef struct batch_slab {
    uint32_t *number, *vertex; /* in the frame, of its primitives and vertices: ascending; NULL:
                                  the same */
    uint8_t *carried;          /* [primitives] along which axes it begins before the slab: bits */
    uint32_t carried_count;
    uint64_t bad;    /* primitives of the frame that are in no slab; counted in the first */
    imp_whole whole; /* the frame; lower > upper corner: it has no finite primitive */
} batch_slab;

/* Frames in memory, and their arrays. frame[i].mesh is the same pointer from one frame to
 * the next, also across reads, while the topology is the same. All zero at first. */
typedef struct batch_block {
    size_t count;
    imp_frame *frame;
    struct batch_mesh **mesh;
    void *point;    /* of all frames, one after another */
    imp_pose *pose; /* the same, if the batch has rigid bodies */
    mem *mem;
} batch_block;

/* Reads the frames first, first + step, ... (count of them) into *out, freeing its contents first.
 * Cell types, indices and ids of primitives are checked here. */
int batch_read(batch *b, uint64_t first, int64_t step, size_t count, batch_block *out);

/* The same; if the last frame of `before`, another block or NULL, is the first here, it is copied.
 */
int batch_read_after(batch *b, const batch_block *before, uint64_t first, int64_t step,
                     size_t count, batch_block *out);
void batch_block_free(batch_block *out);

/* The different objects of a frame, ascending; reads its topology. *ids is valid until the next
 * call that reads. */
int batch_frame_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count);

/* How many different objects the i-th frame of a block has. */
uint64_t batch_block_objects(const batch_block *b, size_t i);

/* The part of the frame that the i-th mesh of a block is. */
const batch_slab *batch_block_slab(const batch_block *b, size_t i);

/* SourceId of its primitives, or NULL. */
const int64_t *batch_block_source_ids(const batch_block *b, size_t i);

/* Do two frames have the same topology and objects? */
int batch_same_mesh(const batch *b, uint64_t f, uint64_t g);

/* What differs between two meshes, by their contents: a few words, or NULL. */
const char *batch_mesh_differs(const imp_mesh *x, const imp_mesh *y);

/* Does a rigid body turn between any two neighbours of these frames: `count` from the first on,
 * each `step` after the one before? *yes: 1 or 0. Errors: INPUT, MEMORY. */
int batch_any_body_turns(batch *b, uint64_t first, int64_t step, uint64_t count, int *yes);

/* What its rigid bodies are made of, and what acts on them; what the file does not have gets its
 * default (matter.h). Without rigid bodies all of it is 0. matter_free(out). Errors: INPUT, MEMORY.
 */
int batch_read_matter(const batch *b, matter *out);

/* What `impinge pcs` has written of a simulation of so many steps. (*first)[steps + 1]: where the
 * velocity changes of each step begin; *overlap: the greatest of two convex bodies. Errors: INPUT,
 * MEMORY. */
int batch_find_changes(const batch *b, uint64_t steps, uint64_t **first, double *overlap);

/* Rows of them. Errors: INPUT, MEMORY. */
int batch_read_changes(const batch *b, uint64_t first, uint64_t rows, velocity_change **out);

/* ---- looking into a batch, for `info`: batch.c */

/* Opens a batch whose cells may have any type. Its frames cannot be read, only the following works.
 */
int batch_open_any_type(mem *m, const char *path, batch **out);

/* About how many bytes are read of a frame, after the one before it. */
uint64_t batch_scan_bytes(const batch *b, uint64_t frame);

/* How many cells of each VTK type a frame has. Polygons of 3 and 4 vertices count as triangles and
 * quads. */
#define BATCH_CELL_TYPES 256
int batch_scan_cells(batch *b, uint64_t frame, uint64_t count[BATCH_CELL_TYPES]);

/* A box around all finite vertices of a frame; undefined without one. */
typedef struct batch_box {
    double low[3], high[3];
    uint64_t vertices, bad; /* finite ones, others */
} batch_box;
int batch_scan_points(batch *b, uint64_t frame, batch_box *out);
void batch_box_join(batch_box *to, const batch_box *from);

/* Objects of a frame with the number of their cells, ascending. */
int batch_scan_objects(batch *b, uint64_t frame, tally *out);

/* ---- writing: batches and results grow as path.part: vtkhdf_writer.c */

/* IMP_ERR_EXISTS if path is there and not `force`, IMP_ERR_ARGUMENT if no file of this kind can be
 * there. Writers check it as well. */
int store_path_check(const char *path, int force);

/* The name of the file before it is complete: beside the end of path's links. free() it. */
int store_part_name(const char *path, char **out);

/* ---- writing a result: result_writer.c */

typedef struct result result;

/* What the frames of a result that is resumed are compared with. */
typedef struct result_frame_match {
    const struct batch *in; /* NULL: they are not */
    uint64_t first;         /* its frames first, first + step, ... */
    int64_t step;
    uint64_t slabs, unit; /* of units: as many a frame, from this one on */
    uint64_t most;        /* frames beyond are cut off; 0: none are */
} result_frame_match;

/* The provenance of a result; all of it except the device must agree when a run is resumed. Text in
 * UTF-8. members: what a file says of where it is from, each by itself. */
typedef struct result_provenance {
    const char *command; /* the command line */
    const char *options; /* those that results depend on, in a normal form */
    const char *device;
    const char *input;
    uint64_t input_bytes, input_hash; /* of a shard that of its pieces */
    const struct file_pieces *pieces; /* of a shard; NULL: it is none */
    uint64_t input_tables;            /* of a shard: batch_tables_hash */
    const int32_t (*object_pair)[2];  /* the list that `options` refers to, or NULL */
    size_t object_pairs;
    const char *collide_txt, *csv, *counts, *json; /* files that are written beside it, or NULL */
    const struct batch_names *names;               /* of objects, or NULL; those of `like` */
    const imp_def *def; /* decides with the following which columns contacts have */
    int source_ids;     /* the batch has SourceId */
    int simulated;      /* it has no input yet: see result_set_input */
    int units;          /* see result_units */
    result_frame_match frames;
    const struct result_reader *like; /* it gets the columns of this one, and is made at once; NULL:
                                         those of `def` */
} result_provenance;

/* The most that a writer takes, RESULT_FRAME_BYTES of it for each frame of a block. Under a lower
 * limit it keeps fewer rows back. */
#define RESULT_BYTES ((uint64_t)80 << 20)
#define RESULT_FRAME_BYTES 96

/* Writes to path.part. */
int result_create(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out);

/* Continues path.part after its last committed frame; *done is their number. Creates it if it does
 * not exist. IMP_ERR_INPUT if it is damaged or has another provenance; the text names the
 * difference.
 */
int result_resume(mem *m, const char *path, int force, const result_provenance *provenance,
                  result **out, uint64_t *done);

/* Is `path` the complete result of this provenance? 1: yes, and every frame in it is sound; 0: it
 * does not exist; IMP_ERR_EXISTS: it is something else; the text names the difference. */
int result_is_done(mem *m, const char *path, const result_provenance *provenance);

/* A step of a result: a frame of the input, or with imp_def.continuous the way from one to
 * the next. */
typedef struct result_step {
    const imp_mesh *mesh;
    uint64_t number;          /* of the frame in the input, of the first one of two */
    double time, next;        /* step values of that frame, and of the second one */
    const batch_slab *part;   /* which part of the frame the mesh is; NULL: it is whole */
    const int64_t *source_id; /* [primitives] if the result has them */
} result_step;

/* The time at a fraction of the step, between the two or one of them. */
double result_time(const result_step *of, double toi);

/* Contacts of a block of steps, in order of step and ORDER of contact.def; any number of calls.
 * c->frame is the position in the block, `of` that step. */
int result_add(result *r, const imp_contacts *c, const result_step *of);

/* The columns that contacts have in a file: contact.def as a table over result_rows. */
enum stored_column {
#define CONTACT(name, ...) STORED_##name,
#define DERIVED(name, ...) STORED_##name,
#define VARYING(name, ...) STORED_##name,
#include "contact.def"
    STORED_COLUMNS
};
extern const column_table stored_table;

/* Those that this result has. */
column_set result_writer_columns(const result *r);

/* Rows of stored_table: how many of the first `count` contacts fit, and appends as many, of that
 * step, in the types of the file. Any thread may do so. Errors: MEMORY. */
size_t stored_rows_fit(const column_rows *to, const imp_contacts *from, size_t count);
int stored_rows_append(column_rows *to, const imp_contacts *from, size_t rows,
                       const result_step *of);

/* result_add of such rows; frame[i]: the position in the block of row i's step. */
int result_add_chunk(result *r, const column_rows *rows, const uint32_t *frame);

/* Ends a block of `count` steps, also those without contacts. */
int result_end_block(result *r, size_t count, const result_step *of, const imp_frame_info *info);

/* The input that a simulation has written beside its result, which it can name only at its end. */
int result_set_input(result *r, uint64_t bytes, uint64_t hash);

/* Makes all ended frames permanent. result_end_block also does that from time to time. */
int result_commit(result *r);

/* All three free r. Completes the file under its name; or leaves path.part after the last committed
 * frame; or removes path.part. */
int result_finish(result *r);
void result_leave(result *r);
void result_discard(result *r);

/* ---- joining results: join.c */

typedef struct result_join result_join;

/* Begins a result of the frames of others, in the order in which they are added. `copy`: with their
 * rows; else its rows are virtual, in their files, found by names relative to its own, but for
 * narrow columns, which it has where they are at most 64 MiB; `rows`: how many there will be. */
int result_join_begin(mem *m, const char *path, int force, int copy, uint64_t rows,
                      const result_provenance *provenance, result_join **out);

/* Before the work that ends with a join into `path`: may result_join_begin replace what an earlier
 * run has left at path.part? Errors: EXISTS (the text says what it is), FILE (it is in use).
 * `provenance` of the join, complete with the hash of the input; NULL: it is not known yet. */
int result_join_check_stale_parts(mem *m, const char *path, int force,
                                  const result_provenance *provenance);

/* Removes units that an earlier run has left at `path` and path.part, if nothing is lost by that:
 * those of the same input and options as `provenance`, or with `force` any. Other files stay. */
void result_units_drop_stale(mem *m, const char *path, int force,
                             const result_provenance *provenance);

/* Appends all frames of a complete result. INPUT if it has other columns, or if a frame is damaged.
 */
int result_join_add(result_join *j, const char *path, struct result_reader *r);

/* A frame of a result that has the contacts of one slab of a frame (store_partition.h). */
typedef struct result_part {
    struct result_reader *reader;
    uint64_t frame;
} result_part;

/* Appends one frame of all its slabs, at least one: their rows in one order, the sums of their
 * tables. Only with `copy`. INPUT as above. */
int result_join_slabs(result_join *j, const result_part *part, size_t parts);

/* What it has so far. */
void result_join_sums(const result_join *j, uint64_t *frames, uint64_t *contacts);

/* Both free j. Completes the file under its name; or removes it. */
int result_join_finish(result_join *j);
void result_join_discard(result_join *j);

/* ---- reading a result: result_reader.c */

typedef struct result_reader result_reader;

/* [frames] each */
typedef struct result_frames {
    const double *time, *seconds;
    const int64_t *input_frame, *candidates, *contacts, *undecided, *bad, *entries_written;
    const int64_t *candidates_vf, *candidates_ee; /* NULL if it has no Share */
    const uint64_t *checksum;
} result_frames;

#define SHARDS_MOST 1000000        /* of a run */
#define PARTITION_SLABS_MOST 16384 /* of a frame: store_partition.h */

/* What a shard has of its own. */
typedef struct result_shard {
    uint64_t index, count; /* it is number `index` of so many; 0: it is whole */
    uint64_t pieces;       /* of the input that it has hashed */
    const uint64_t *piece; /* [pieces] */
    char tables[24];       /* batch_tables_hash */
} result_shard;

/* A result of run --space before its slabs are joined: each of its frames is a unit, the contacts
 * of one slab of a step. Unit u of a run is slab u % slabs of step u / slabs. */
typedef struct result_units {
    uint64_t slabs; /* of each step; 0: its frames are frames */
    uint64_t first, count;
} result_units;

/* members: what a file says of itself, each by itself */
typedef struct result_info {
    uint64_t frames; /* complete ones */
    int complete;    /* it has all frames of its run */
    int continuous;  /* its frames are steps from one frame of the input to the next */
    int times;       /* its contacts have Share and Time */
    int simulated;   /* it is of `impinge pcs`, whose bodies are in its input, and candidates pairs
                        of these */
    char version[64], command[4096], options[4096], device[512], input[4096], input_hash[24];
    char collide_txt[4096], csv[4096], counts[4096],
        json[4096]; /* what was written beside it; "" if nothing */
    uint64_t input_bytes;
    result_shard shard;
    result_units units;
    const int32_t (*object_pair)[2];
    size_t object_pairs;
    const struct batch_names *names; /* of objects; after result_open_info: none */
    result_frames of;
} result_info;

/* Opens a result, complete or not (path.part). IMP_ERR_INPUT for anything else. */
int result_open(mem *m, const char *path, result_reader **out);

/* The same without tables and rows, in half of the time: of its info `of` is empty, and nothing
 * else can be asked but the number of rows that the file has, valid or not; 0: it has none. */
int result_open_info(mem *m, const char *path, result_reader **out);
uint64_t result_row_count(const result_reader *r);
void result_close(result_reader *r);
const result_info *result_get_info(const result_reader *r);

/* Checks everything that follows from the number of contacts of each frame: IMP_ERR_INPUT. */
int result_check_layout(result_reader *r);

/* Contacts of frame k: an array for each line of contact.def, under its name. Missing columns are
 * NULL. They belong to the reader until the next call. */
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

/* The same of `count` contacts of that frame, from number `first` on. */
int result_read_rows(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                     result_rows *out);

/* Which of these arrays it has: columns of stored_table in result.h. */
column_set result_columns(const result_reader *r);

/* Objects and kinds of `count` contacts, from number `first` of frame k on, into the caller's
 * arrays.
 */
int result_read_kinds(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                      int32_t *object_a, int32_t *object_b, uint8_t *kind);

/* Their primitives. */
int result_read_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count, int64_t *a,
                      int64_t *b);

/* What a table of pairs of objects has of the same contacts, into the caller's arrays. Columns that
 * the result lacks are 0. */
typedef struct result_pairs {
    int32_t *object_a, *object_b;
    double *depth, *time;
    int64_t *source_a, *source_b;
} result_pairs;
int result_read_object_pairs(result_reader *r, uint64_t k, uint64_t first, uint64_t count,
                             const result_pairs *out);

/* Times of impact, as toi and as step values, of the same contacts, if info.times. */
int result_read_times(result_reader *r, uint64_t k, uint64_t first, uint64_t count, double *toi,
                      double *time);

/* What /impinge/checksum holds for a frame with these rows. */
uint64_t result_checksum(const result_rows *rows);

/* Is this file a result rather than a batch? 0 also for what cannot be opened. */
int result_is_file(const char *path);

#endif
