/* Writing a batch: store_batch_write.c. Part of store.h, with its conventions. */
#ifndef IMP_STORE_WRITER_H
#define IMP_STORE_WRITER_H

#include "cell_arrays.h"
#include "impinge.h"
#include "matter.h"
#include "mem.h"
#include "velocity_change.h"

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

#endif
