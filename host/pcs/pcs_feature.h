/* What is closest of two bodies, as contacts name it. */
#ifndef IMP_PCS_FEATURE_H
#define IMP_PCS_FEATURE_H

#include "shape.h"

/* enum imp_kind: VERTEX_FACE where a vertex is closest; else EDGE_EDGE where an edge is; else AREA.
 */
static inline uint8_t pcs_kind(const shape_nearest *near)
{
    const uint8_t a = near->kind[0], b = near->kind[1];
    if (a == SHAPE_VERTEX || b == SHAPE_VERTEX)
        return IMP_KIND_VERTEX_FACE;
    return a == SHAPE_EDGE || b == SHAPE_EDGE ? IMP_KIND_EDGE_EDGE : IMP_KIND_AREA;
}

/* Of body a (0) or b (1): a vertex, counted from vertex0, the number of the body's first one; an
 * edge 0 to 2; a face -1. */
static inline int64_t pcs_feature_code(const shape_nearest *near, int body, uint32_t vertex0)
{
    return near->feature[body] + (near->kind[body] == SHAPE_VERTEX ? vertex0 : 0);
}

#endif
