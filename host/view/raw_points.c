/* See raw_points.h. */
#include "raw_points.h"

#include "error.h"

#include <string.h>

/* Frames that were read together follow one another in one array, which needs no copy. */
static int side_by_side(const imp_frame *frame, size_t frames)
{
    for (size_t f = 1; f < frames; f++) {
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

void raw_swap(raw_points *a, raw_points *b)
{
    const raw_points was = *a;
    *a = *b;
    *b = was;
}

static int has_copies(const raw_points *r, const imp_frame *frame, size_t count)
{
    return r->from == frame->point && r->count == count && r->wide == (frame->type != IMP_FLOAT32);
}

/* Those of *r or of *other, if one of them has copies. */
static int take_copies(const context *c, const imp_frame *frame, size_t count, raw_points *r,
                       raw_points *other)
{
    if (other && has_copies(other, frame, count))
        raw_swap(r, other);
    return has_copies(r, frame, count) && !device_ahead_done(c->dev64);
}

int raw_open(const context *c, const view *v, const imp_frame *frame, raw_points *r,
             raw_points *other)
{
    int err = IMP_OK;
    size_t n = (size_t)DIMENSIONS * v->verts;
    const double *from = frame->point;
    int together = side_by_side(frame, v->frames);
    /* Slots and parts of frames change in their places. */
    const int stay = together && n && view_whole(v) && !c->dev64->views;
    if (stay && take_copies(c, frame, n, r, other))
        goto out;
    raw_forget(r);
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
    if (stay) {
        r->from = frame->point;
        r->count = n;
    }
out:
    return err;
}

void raw_close(const context *c, raw_points *r)
{
    buffer_unwrap(c->dev64, &r->in64);
    buffer_unwrap(c->dev64, &r->in32);
    if (!(r->wide ? r->in64.raw.capacity : r->in32.raw.capacity))
        raw_forget(r);
    mem_free(c->mem, r->staged);
    r->staged = NULL;
}

void raw_forget(raw_points *r)
{
    r->from = NULL;
    r->count = 0;
}

/* Both buffers exist in any case, as for raw_open. */
void raw_ahead(const context *c, const imp_frame *frame, size_t frames, raw_points *r)
{
    size_t n = 0;
    for (size_t f = 0; f < frames; f++)
        n += (size_t)DIMENSIONS * frame[f].mesh->vertices;
    if (!n || !side_by_side(frame, frames) || has_copies(r, frame, n))
        return;
    raw_forget(r);
    r->wide = frame->type != IMP_FLOAT32;
    if (r->wide ? buffer_fit(c->dev64, &r->in32, 0) ||
                      !buffer_ahead(c->dev64, &r->in64, (const double *)frame->point, n)
                : buffer_fit(c->dev64, &r->in64, 0) ||
                      !buffer_ahead(c->dev64, &r->in32, (const float *)frame->point, n))
        return;
    r->from = frame->point;
    r->count = n;
}

void raw_free(const context *c, raw_points *r)
{
    raw_close(c, r);
    buffer_free(c->dev64, &r->in64);
    buffer_free(c->dev64, &r->in32);
    raw_forget(r);
}
