/* Rooms 1 and 6: batches of frames and results, both VTKHDF (data/format.md).
 *
 * Functions return 0 or IMP_ERR_; the error text names file, dataset and reason. Handles are used
 * by one thread at a time. HDF5 prints nothing. */
#ifndef IMP_STORE_H
#define IMP_STORE_H

#include "impinge.h"

/* ---- reading a batch: store_batch.c */

typedef struct batch batch;

enum batch_objects { BATCH_OBJECT_ID = 0, BATCH_CONNECTED = 1, BATCH_ARRAY = 2 };

typedef struct batch_info {
    uint64_t frames;
    int temporal;                 /* has Steps; else one frame with the value 0 */
    int type;                     /* of Points: IMP_FLOAT64 or IMP_FLOAT32 */
    int static_topology;          /* all frames share one mesh */
    int has_object;               /* CellData/ObjectId is there */
    uint64_t vertices, triangles; /* of the largest frame */
} batch_info;

/* Opens and checks everything that can be checked without reading points: IMP_ERR_INPUT for a file
 * that is missing, not HDF5, not VTKHDF, of an unsupported type or version, or inconsistent.
 * `objects` says which body a triangle belongs to; `array` names the cell array for BATCH_ARRAY. */
int batch_open(const char *path, enum batch_objects objects, const char *array, batch **out);
void batch_close(batch *b);
void batch_get_info(const batch *b, batch_info *out);

/* Step value of a frame. */
double batch_time(const batch *b, uint64_t frame);

/* Vertices and triangles of a frame, without reading it. */
void batch_size(const batch *b, uint64_t frame, uint64_t *vertices, uint64_t *triangles);

/* Frames in memory. The arrays belong to it; frame[i].mesh stays the same pointer from one frame to
 * the next, also across reads, while the topology does. */
typedef struct batch_block {
    size_t count;
    imp_frame *frame;
    /* the rest is the reader's */
    size_t frame_room;
    void *point;
    size_t point_bytes;
    struct batch_mesh **mesh; /* one reference for each frame */
} batch_block;

/* Reads the frames first, first + step, ... (count of them) into *out, reusing its memory. Checks
 * indices and cell types. All zero *out at first. */
int batch_read(batch *b, uint64_t first, uint64_t step, size_t count, batch_block *out);
void batch_block_free(batch_block *out);

/* ---- writing a batch: store_batch_write.c */

typedef struct batch_writer batch_writer;

/* Writes to path.part; batch_finish renames. An existing path is IMP_ERR_EXISTS unless `force`. */
int batch_create(const char *path, int force, int point_type, batch_writer **out);

/* Appends a frame; points are converted to the file's type. The mesh may change from frame to
 * frame; while it is the same pointer its topology is written once. */
int batch_append(batch_writer *w, const imp_frame *frame, double time);

/* Completes the file under its name; batch_discard removes what there is. Both free w. */
int batch_finish(batch_writer *w);
void batch_discard(batch_writer *w);

#endif
