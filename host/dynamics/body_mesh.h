/* The bodies of a scene as one mesh with a pose of each, as batches hold it. */
#ifndef IMP_BODY_MESH_H
#define IMP_BODY_MESH_H

#include "world.h"

/* All zero at first, except mem. */
typedef struct body_mesh {
    mem *mem;
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object, *body;
    double *rest;
    uint32_t *cell0, *vertex0; /* [bodies] the first of each body */
    double *point;             /* [3 * vertices] of the last body_mesh_pose */
    imp_pose *pose;            /* [bodies] */
} body_mesh;

/* Errors: MEMORY; ARGUMENT for more than 2^31 - 1 triangles. */
int body_mesh_make(const world *w, body_mesh *out);
void body_mesh_free(body_mesh *m);

/* Where the bodies are. */
void body_mesh_pose(body_mesh *m, const pcs_body *body);

#endif
