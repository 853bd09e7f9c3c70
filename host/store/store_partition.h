/* A frame, or a step between two frames, cut into slabs: for frames that are not to be in memory as
 * a whole.
 *
 * Slabs divide an axis, or two axes, at quantiles of the lower bounds of primitives. A primitive is
 * in each slab that its bounds reach. A pair whose bounds overlap belongs to the slab that has the
 * greater of both lower bounds along each axis: both are in it, and along no axis do both begin
 * before it. */
#ifndef IMP_STORE_PARTITION_H
#define IMP_STORE_PARTITION_H

#include "store.h"

typedef struct batch_partition batch_partition;

typedef struct batch_partition_def {
    uint64_t frame, next; /* the two frames of a step; the same: one frame */
    uint32_t slabs;       /* 1 to PARTITION_SLABS_MOST */
    double margin;        /* bounds of a step grow by as much; at least 0 */
    double tolerance;     /* of bodies that turn; 0: a part of the extent (motion.h) */
    int skip_bad;         /* primitives with a vertex that is not finite are in no slab; else they
                             are an error */
} batch_partition_def;

typedef struct batch_partition_info {
    uint64_t bad;     /* primitives in no slab */
    uint64_t largest; /* primitives of the largest slab */
    uint64_t objects; /* how many different ones the frame has */
    imp_whole whole;  /* the frame; lower > upper corner: it has no finite primitive */
} batch_partition_info;

/* What differs between the meshes of two frames, as batch_mesh_differs says it; NULL: nothing. A
 * step needs one mesh. Errors: INPUT, MEMORY. */
int batch_partition_meshes_differ(batch *b, uint64_t f, uint64_t g, const char **what);

/* Reads the frame block by block, and checks all that batch_read checks. Holds four bytes for each
 * vertex, eight where slabs are cut along two axes; where objects are connected components four
 * more, and while it cuts eight; where a rigid body turns in the step four more; where triangles
 * and tetrahedra are mixed one for each primitive. While it cuts it holds the poses of both
 * instants. Errors: INPUT, MEMORY. */
int batch_partition_make(batch *b, const batch_partition_def *def, batch_partition **out);
void batch_partition_free(batch_partition *s);
const batch_partition_info *batch_partition_get_info(const batch_partition *s);

/* Reads a slab as a block of one frame, or of both frames of a step, freeing the contents of *out
 * first. Reads what the slab needs alone, as far as neighbours in space are neighbours in the file.
 */
int batch_partition_read_slab(batch_partition *s, uint32_t slab, batch_block *out);

/* About how many bytes the block of the largest slab takes, and what reading it takes besides. */
uint64_t batch_partition_slab_bytes(const batch_partition *s, uint64_t *besides);

/* The different objects of a frame, as batch_frame_objects; its topology is not kept. Valid until
 * the next call. */
int batch_partition_objects(batch *b, uint64_t frame, const int32_t **ids, uint64_t *count);

#endif
