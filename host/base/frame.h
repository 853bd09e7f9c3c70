/* Accessors of meshes and frames. */
#ifndef IMP_FRAME_H
#define IMP_FRAME_H

#include "impinge.h"

#include <stddef.h>

#define DIMENSIONS 3 /* coordinates of a point */

/* vertex numbers of each primitive in `corner` */
static inline uint32_t mesh_corners(const imp_mesh *m)
{
    return m->corners ? (uint32_t)m->corners : (uint32_t)IMP_TRIANGLES;
}

/* the number of corners of primitive i */
static inline uint32_t mesh_corners_of(const imp_mesh *m, size_t i)
{
    return m->corner_count ? m->corner_count[i] : mesh_corners(m);
}

/* the name of primitive i's type */
static inline const char *mesh_kind_name(const imp_mesh *m, size_t i)
{
    static const char *const names[] = {"primitive", "vertex", "edge", "triangle", "tetrahedron"};
    uint32_t corner_count = mesh_corners_of(m, i);
    return names[corner_count <= IMP_TETRAHEDRA ? corner_count : 0];
}

/* vertex numbers of all primitives */
static inline size_t mesh_corner_count(const imp_mesh *m)
{
    return (size_t)mesh_corners(m) * m->primitives;
}

/* primitives of all frames */
static inline uint64_t frames_prims(const imp_frame *frame, size_t count)
{
    uint64_t prims = 0;
    for (size_t f = 0; f < count; f++)
        prims += frame[f].mesh->primitives;
    return prims;
}

/* Vertex k of primitive i; beyond its corners the last one, so that a vertex or an edge is a
 * degenerate triangle. */
static inline uint32_t mesh_vertex(const imp_mesh *m, size_t i, uint32_t k)
{
    uint32_t corner_count = mesh_corners_of(m, i);
    return m->corner[mesh_corners(m) * i + (k < corner_count ? k : corner_count - 1)];
}

/* The object of primitive i: 0 for all of a mesh without objects. */
static inline int32_t mesh_object(const imp_mesh *m, size_t i)
{
    return m->object ? m->object[i] : 0;
}

/* Returns the index of the primitive that has this number, or m->primitives if none has. number:
 * the number of each primitive, ascending; NULL: its index. */
static inline size_t mesh_find_number(const imp_mesh *m, const uint32_t *number, int64_t n)
{
    size_t low = 0, high = m->primitives;
    if (!number)
        return n >= 0 && (uint64_t)n < m->primitives ? (size_t)n : m->primitives;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (number[middle] < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->primitives && number[low] == n ? low : m->primitives;
}

/* Returns whether primitives a and b have a common vertex. */
static inline int mesh_share(const imp_mesh *m, size_t a, size_t b)
{
    for (uint32_t i = 0; i < mesh_corners_of(m, a); i++)
        for (uint32_t j = 0; j < mesh_corners_of(m, b); j++)
            if (mesh_vertex(m, a, i) == mesh_vertex(m, b, j))
                return 1;
    return 0;
}

static inline size_t frame_point_bytes(const imp_frame *f)
{
    return DIMENSIONS * (f->type == IMP_FLOAT32 ? sizeof(float) : sizeof(double));
}

/* A vertex of a frame, whatever its type. */
static inline double frame_coordinate(const imp_frame *f, size_t v, size_t axis)
{
    return f->type == IMP_FLOAT32 ? (double)((const float *)f->point)[DIMENSIONS * v + axis]
                                  : ((const double *)f->point)[DIMENSIONS * v + axis];
}

static inline void frame_vertex(const imp_frame *f, size_t v, double x[DIMENSIONS])
{
    for (size_t k = 0; k < DIMENSIONS; k++)
        x[k] = frame_coordinate(f, v, k);
}

/* The greatest thickness of a mesh that has them. */
static inline double mesh_thickness_most(const imp_mesh *m)
{
    double most = 0;
    for (uint32_t i = 0; i < m->primitives; i++)
        most = m->thickness[i] > most ? m->thickness[i] : most;
    return most;
}

#endif
