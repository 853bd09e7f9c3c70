/* A vertex of a frame, whatever its type. */
#ifndef IMP_FRAME_H
#define IMP_FRAME_H

#include "impinge.h"

static inline void frame_vertex(const imp_frame *f, size_t v, double x[3])
{
    for (size_t k = 0; k < 3; k++)
        x[k] = f->type == IMP_FLOAT32 ? (double)((const float *)f->point)[3 * v + k]
                                      : ((const double *)f->point)[3 * v + k];
}

#endif
