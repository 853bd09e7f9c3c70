/* A frame, or a step between two frames, cut into slabs: for frames that are not kept in memory as
 * a whole.
 *
 * Slabs divide one axis, or two, at quantiles of the lower bounds of primitives. A primitive is in
 * each slab that its bounds reach. A pair whose bounds overlap belongs to the slab that contains
 * the greater of both lower bounds along each axis: both primitives are in it, and along no axis do
 * both begin before it.
 *
 * Where what is wanted of two objects needs all of both (by_objects), slabs consist of whole
 * objects: these are put in order, the ones that overlap the least first, and the sequence is cut.
 * What is wanted of two objects belongs to the slab of the earlier one, which also has all later
 * objects whose boxes overlap the box of one of its own. */
#ifndef IMP_STORE_PARTITION_H
#define IMP_STORE_PARTITION_H

#include "store.h"

typedef struct batch_partition batch_partition;

typedef struct batch_partition_def {
    uint64_t frame, next; /* the two frames of a step; equal for a single frame */
    uint32_t slabs;       /* 1 to PARTITION_SLABS_MOST */
    double margin;        /* the bounds of each primitive grow by this; at least 0 */
    double tolerance;     /* for rotating bodies; 0: a fraction of the extent (motion.h) */
    int features;         /* rows are of features: imp_whole.vertex_at is wanted */
    int by_objects;
    /* [closed_count] with by_objects: objects, ascending, of which none may be open; the first that
     * is open comes in the first slab that is not empty */
    const int32_t *closed;
    size_t closed_count;
    int skip_bad; /* leave primitives with a vertex that is not finite out of all slabs; else they
                     are an error */
} batch_partition_def;

typedef struct batch_partition_info {
    uint64_t bad;     /* primitives in no slab */
    uint64_t largest; /* primitives in the largest slab */
    uint64_t objects; /* number of different objects in the frame */
    imp_whole whole;  /* the frame; lower > upper corner: no finite primitive */
} batch_partition_info;

/* Finds the difference between the meshes of two frames, in the words of batch_mesh_differs; NULL:
 * equal. A step needs one mesh. Errors: INPUT, MEMORY. */
int batch_partition_meshes_differ(batch *b, uint64_t f, uint64_t g, const char **what);

/* Reads the frame block by block, with all checks of batch_read. Keeps four bytes for each vertex,
 * or eight if slabs are cut along two axes; if they are cut by objects instead a bit, four bytes
 * during the cut, and about 60 bytes for each object; if objects are connected components four
 * more, and eight during the cut; if a rigid body rotates in the step four more; if triangles and
 * tetrahedra are mixed one for each primitive. During the cut it also keeps the poses of both
 * instants. Errors: INPUT, MEMORY. */
int batch_partition_make(batch *b, const batch_partition_def *def, batch_partition **out);
void batch_partition_free(batch_partition *s);
const batch_partition_info *batch_partition_get_info(const batch_partition *s);

/* Reads a slab as a block of one frame, or of both frames of a step, freeing the contents of *out
 * first. Reads only the data of the slab, as far as neighbours in space are neighbours in the
 * file. */
int batch_partition_read_slab(batch_partition *s, uint32_t slab, batch_block *out);

/* Estimates the bytes of the largest slab's block; *besides: further bytes for reading it. */
uint64_t batch_partition_slab_bytes(const batch_partition *s, uint64_t *besides);

/* Finds the different objects of a frame, like batch_frame_objects, without keeping its topology.
 * Valid until the next call. */
int batch_partition_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count);

#endif
