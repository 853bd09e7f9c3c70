/* The surfaces of objects: their triangles (faces here), the edges that join them, and what is
 * connected by edges. */
#ifndef IMP_REGION_MESH_H
#define IMP_REGION_MESH_H

#include "impinge.h"
#include "mem.h"

#include <stddef.h>
#include <stdint.h>

typedef struct region_object {
    int32_t object;
    uint32_t first, last; /* its faces */
} region_object;

/* members: arrays, of three kinds */
typedef struct region_mesh {
    region_object *object; /* [objects] ascending */
    size_t objects, object_capacity;
    uint32_t *prim; /* [faces] of the objects, one after another; ascending in each */
    uint32_t faces;
    uint32_t *face_of; /* [primitives] their faces; REGION_NONE: of other objects, no triangle */
    uint32_t *edge;  /* [3 * faces] the edge from corner k of a face to the next; REGION_NONE: both
                        are one vertex, or it is an edge before */
    uint32_t *end;   /* [2 * edges] the vertices of each edge, ascending */
    uint32_t *first; /* [edges + 1] */
    uint32_t *face;  /* the faces at each edge: face[first[e]] to face[first[e + 1]], ascending */
    uint32_t edges;
    uint32_t *surface; /* [faces] of the connected surface the least face */
    uint32_t *start;   /* [faces + 1] of a least face: the faces of that surface are
                          of[start[surface]] to of[start[surface + 1]], ascending */
    uint32_t *of;
    /* marks of a unit of work, REGION_NONE outside of one; of vertices 0 */
    uint32_t *edge_at, *face_at, *slot, *on, *vertex;
    /* what it was made of, to tell whether it can be used again */
    imp_mesh mesh;
    uint32_t *corner;
    int32_t *object_of;
    uint8_t *corner_count;
} region_mesh;

/* Makes the surfaces of objects, ascending; those of another frame with the same triangles are kept
 * if they have all these objects. Errors: MEMORY. */
int region_mesh_make(mem *m, const imp_mesh *mesh, const int32_t *object, size_t objects,
                     region_mesh *s);
void region_mesh_free(mem *m, region_mesh *s);

/* The object with a number, which must be one of them. */
const region_object *region_mesh_object(const region_mesh *s, int32_t object);

#endif
