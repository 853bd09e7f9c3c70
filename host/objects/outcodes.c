/* See outcodes.h. */
#include "outcodes.h"

#include "error.h"
#include "float_env.h"
#include "units.h"

#include <string.h>

#define MARGIN 0x1p-16 /* in units of the frame: bounds are rounded by less than 2^-22 */

/* The box of a chunk; 0 if a point is not finite. x - x is 0 for finite x only, a form that
 * compilers turn into vector code. */
static int chunk_box(const imp_frame *f, uint32_t begin, uint32_t end, extent *e)
{
    int finite = 1;
    *e = extent_none;
    for (size_t v = begin; v < end; v++) {
        double x[DIMENSIONS];
        frame_vertex(f, v, x);
        finite &= x[0] - x[0] == 0 && x[1] - x[1] == 0 && x[2] - x[2] == 0;
        extent_point(e, x);
    }
    return finite;
}

/* A vertex that has the coordinate which is a face of the frame's box. Both loops end: the box was
 * made of these coordinates. */
static uint32_t find_extreme(const outcodes *o, const extent *chunk, uint32_t face)
{
    uint32_t axis = face % DIMENSIONS, i = 0, v;
    double x[DIMENSIONS];
    int low = face < DIMENSIONS;
    double at = low ? o->box.lo[axis] : o->box.hi[axis];
    while ((low ? chunk[i].lo[axis] : chunk[i].hi[axis]) != at)
        i++;
    for (v = CHUNK * i;; v++) {
        frame_vertex(o->frame, v, x);
        if (x[axis] == at)
            return v;
    }
}

/* All threads make boxes of chunks, one joins them: minima do not depend on the order. */
int outcodes_look(mem *m, outcodes *o, int *finite)
{
    int err = IMP_OK;
    int64_t n = chunks_of(o->verts), bad = 0;
    extent *chunk = NULL;
    TRY(mem_alloc(m, (size_t)n * sizeof *chunk, &chunk));
#pragma omp parallel num_threads(o->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for reduction(+ : bad) nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = CHUNK * (uint32_t)i;
        bad += !chunk_box(o->frame, begin, outcodes_chunk_end(begin, o->verts), &chunk[i]);
    }
    o->box = extent_none;
    for (int64_t i = 0; i < n; i++)
        extent_join(&o->box, &chunk[i]);
    *finite = !bad;
    if (!bad)
        o->margin = ldexp(MARGIN, normalisation_exponent(o->box.lo, o->box.hi));
    for (uint32_t face = 0; !bad && face < FACES; face++)
        o->extreme[face] = find_extreme(o, chunk, face);
out:
    mem_free(m, chunk);
    return err;
}

/* Outcodes of a chunk of vertices. */
static inline void code_chunk(const imp_frame *f, uint32_t begin, uint32_t end, const extent *box,
                              uint8_t *code)
{
    const extent b = *box;
    for (size_t v = begin; v < end; v++) {
        double x[DIMENSIONS];
        unsigned bits = 0;
        frame_vertex(f, v, x);
        for (int k = 0; k < DIMENSIONS; k++)
            bits |= (unsigned)(x[k] < b.lo[k]) << k | (unsigned)(x[k] > b.hi[k]) << (k + 3);
        code[v] = (uint8_t)bits;
    }
}

/* Setting codes removes the marks, so they are set again. */
static void code_extremes(outcodes *o)
{
    for (int face = 0; face < FACES; face++)
        o->code[o->extreme[face]] |= EXTREME;
}

void outcodes_clear(outcodes *o)
{
    memset(o->code, 0, o->verts);
    code_extremes(o);
}

void outcodes_set(outcodes *o, uint32_t first, uint32_t last, const extent *box)
{
    /* Bounds are rounded outward: what they reach beyond their vertices must count as near. */
    extent wide = *box;
    int64_t n = first < last ? chunks_of(last - first) : 0;
    for (int k = 0; k < DIMENSIONS; k++) {
        wide.lo[k] -= o->margin;
        wide.hi[k] += o->margin;
    }
#pragma omp parallel num_threads(o->threads) if (n > 1)
    EACH_IN_FLOAT_ENV
#pragma omp for nowait
    for (int64_t i = 0; i < n; i++) {
        uint32_t begin = first + CHUNK * (uint32_t)i;
        code_chunk(o->frame, begin, outcodes_chunk_end(begin, last), &wide, o->code);
    }
    code_extremes(o);
}
