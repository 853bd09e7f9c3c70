/* The bodies of a world as one mesh with a pose of each, as batches hold it. */
#ifndef IMP_BODY_MESH_H
#define IMP_BODY_MESH_H

#include "world.h"

/* All zero at first, except mem. */
typedef struct body_mesh {
    mem *mem;
    const world *w; /* which has numbers of cells and vertices */
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object;
    double *rest;
    double *point;  /* [3 * vertices] of the last body_mesh_pose */
    imp_pose *pose; /* [bodies] */
} body_mesh;

/* The world must outlive it. Errors: MEMORY. */
int body_mesh_make(const world *w, body_mesh *out);
void body_mesh_free(body_mesh *m);

/* Where the bodies are. */
void body_mesh_pose(body_mesh *m, const pcs_body *body);

#endif
