/* See raw_points.h. */
#include "raw_points.h"

#include "error.h"

#include <string.h>

/* Frames that were read together follow one another in one array, which needs no copy. */
static int side_by_side(const imp_frame *frame, uint32_t frames)
{
    for (uint32_t f = 1; f < frames; f++) {
        const imp_frame *last = &frame[f - 1], *next = &frame[f];
        const char *end =
            (const char *)last->point + frame_point_bytes(last) * last->mesh->vertices;
        if (next->type != last->type || (const char *)next->point != end)
            return 0;
    }
    return 1;
}

/* float64 has each float32, so kernels compute the same from a copy. */
static void stage_points(const view *v, const imp_frame *frame, double *out)
{
    for (uint32_t f = 0; f < v->frames; f++) {
        size_t n = (size_t)DIMENSIONS * frame[f].mesh->vertices;
        const float *single = frame[f].point;
        double *to = out + (size_t)DIMENSIONS * v->vert0[f];
        if (frame[f].type != IMP_FLOAT32 && n)
            memcpy(to, frame[f].point, n * sizeof *to);
        else
            for (size_t i = 0; i < n; i++)
                to[i] = single[i];
    }
}

int raw_open(const context *c, const view *v, const imp_frame *frame, raw_points *r)
{
    int err = IMP_OK;
    size_t n = (size_t)DIMENSIONS * v->verts;
    const double *from = frame->point;
    int together = side_by_side(frame, v->frames);
    /* Staged points are float64, so that frames of both types fit one array. */
    r->wide = !together || frame->type != IMP_FLOAT32;
    if (!together) {
        TRY(mem_alloc(c->mem, n * sizeof *r->staged, &r->staged));
        stage_points(v, frame, r->staged);
        from = r->staged;
    }
    /* Kernels take both arrays and read one; the other one is empty. */
    TRY(buffer_wrap(c->dev64, &r->in64, from, r->wide ? n : 0));
    TRY(buffer_wrap(c->dev64, &r->in32, (const float *)frame->point, r->wide ? 0 : n));
out:
    return err;
}

void raw_close(const context *c, raw_points *r)
{
    buffer_unwrap(c->dev64, &r->in64);
    buffer_unwrap(c->dev64, &r->in32);
    mem_free(c->mem, r->staged);
    r->staged = NULL;
}

void raw_free(const context *c, raw_points *r)
{
    raw_close(c, r);
    buffer_free(c->dev64, &r->in64);
    buffer_free(c->dev64, &r->in32);
}
