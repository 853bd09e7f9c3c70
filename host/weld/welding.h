/* A mesh, its points in one or several frames, and which of its vertices are one so far. */
#ifndef IMP_WELDING_H
#define IMP_WELDING_H

#include "frame.h"
#include "mem.h"

#define WELD_NONE UINT32_MAX

typedef struct welding {
    mem *mem;
    const imp_frame *frame; /* [frames] of one mesh */
    size_t frames;
    const imp_mesh *mesh;
    uint32_t *map; /* [mesh->vertices] disjoint sets: a vertex before it of the same set, or itself.
                      The first vertex of a set stands for it */
} welding;

/* Each vertex is alone. */
void welding_start(welding *w);

/* The vertex that stands for v. */
uint32_t welding_find(const welding *w, uint32_t v);

/* a and b are one. */
void welding_join(const welding *w, uint32_t a, uint32_t b);

static inline int32_t welding_object(const welding *w, size_t primitive)
{
    return w->mesh->object ? w->mesh->object[primitive] : 0;
}

#endif
