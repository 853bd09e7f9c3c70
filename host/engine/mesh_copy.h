/* What a mesh says of its primitives, kept: callers may change or free theirs between two calls,
 * and an equal pointer need not be the same mesh. */
#ifndef IMP_MESH_COPY_H
#define IMP_MESH_COPY_H

#include "impinge.h"
#include "mem.h"

/* As in imp_mesh; NULL where that is. */
typedef struct mesh_copy {
    uint32_t vertices, primitives;
    int corners;
    uint32_t *corner;
    int32_t *object;
    uint8_t *corner_count;
} mesh_copy;

/* After an error mesh_copy_free frees what there is. Errors: MEMORY. */
int mesh_copy_make(mem *m, const imp_mesh *of, mesh_copy *out);
void mesh_copy_free(mem *m, mesh_copy *t);

/* Has a mesh the same primitives, with the same objects? */
int mesh_copy_equal(const mesh_copy *t, const imp_mesh *with, int threads);

#endif
