/* See raw_points.h. */
#include "raw_points.h"

#include "budget.h"
#include "error.h"

static buffer *filled(raw_points *r)
{
    return r->wide ? &r->in64.raw : &r->in32.raw;
}

/* Kernels take both arrays and read one. */
static buffer *raw_points_fill_unused(raw_points *r)
{
    return r->wide ? &r->in32.raw : &r->in64.raw;
}

static int is_next(const source *last, const imp_frame *f)
{
    return (const char *)last->at + last->bytes == (const char *)f->point;
}

/* Frames that were read together follow one another in one array: they are one source. */
static int sources_of(const context *c, const imp_frame *frame, size_t frames, source **out,
                      size_t *count)
{
    size_t n = 0;
    int err = mem_alloc(c->mem, frames * sizeof **out, out);
    for (size_t f = 0; f < frames && !err; f++) {
        const size_t bytes = frame_point_bytes(&frame[f]) * frame[f].mesh->vertices;
        if (n && is_next(&(*out)[n - 1], &frame[f]))
            (*out)[n - 1].bytes += bytes;
        else if (bytes)
            (*out)[n++] = (source){frame[f].point, bytes};
    }
    *count = n;
    return err;
}

/* A view shows one place: frames in several are copied to one. */
static int show(const context *c, const source *list, size_t n, raw_points *r)
{
    int err = IMP_OK;
    const size_t bytes = sources_bytes(list, n);
    if (n > 1) {
        TRY(mem_alloc(c->mem, bytes, &r->staged));
        sources_copy(list, n, r->staged);
    }
    TRY(bytes_wrap(c->dev64, filled(r), n == 1 ? list->at : r->staged, bytes));
out:
    return err;
}

void raw_swap(raw_points *a, raw_points *b)
{
    const raw_points was = *a;
    *a = *b;
    *b = was;
}

/* A frame stays as it is during a call, so its place in the caller's array says which it is. */
static int has_copies(const raw_points *r, const imp_frame *frame, size_t frames)
{
    return r->frame == frame && r->frames == frames;
}

/* ---- copies that go ahead */

/* What a device copies at a time. */
#define PART ((size_t)BUDGET_PINNED_PIECE)

/* The next source, or a part of it if it is long, or several short ones. */
static int send_part(const context *c, raw_points *r)
{
    source *first = &r->list[r->next], part = *first;
    const source *list = first;
    size_t n = 1, bytes = first->bytes;
    if (bytes > PART) {
        part.bytes = bytes = PART;
        list = &part;
    }
    while (r->next + n < r->sources && bytes + first[n].bytes <= PART)
        bytes += first[n++].bytes;
    if (bytes_prefetch(c->dev64, filled(r), r->sent, list, n))
        return 0;
    r->sent += bytes;
    if (list == first) {
        r->next += n;
    } else {
        first->at = (const char *)first->at + bytes;
        first->bytes -= bytes;
    }
    return 1;
}

static int left(const raw_points *r)
{
    return r->next < r->sources;
}

static void send_begin(const context *c, const imp_frame *frame, size_t frames, raw_points *r)
{
    raw_invalidate(r);
    mem_free(c->mem, r->list);
    r->list = NULL;
    if (sources_of(c, frame, frames, &r->list, &r->sources))
        r->sources = 0;
    r->wide = frame->type != IMP_FLOAT32;
    if (bytes_fit(c->dev64, raw_points_fill_unused(r), 0) ||
        !bytes_prefetch_fit(c->dev64, filled(r), sources_bytes(r->list, r->sources))) {
        raw_invalidate(r);
        return;
    }
    r->frame = frame;
    r->frames = frames;
}

int raw_prefetch(const context *c, const imp_frame *frame, size_t frames, raw_points *r)
{
    if (!has_copies(r, frame, frames))
        send_begin(c, frame, frames, r);
    if (left(r) && !send_part(c, r))
        raw_invalidate(r);
    return left(r);
}

/* Those of *r or of *other, if one of them has copies; what is left of them first. */
static int take_copies(const context *c, const imp_frame *frame, size_t frames, raw_points *r,
                       raw_points *other)
{
    if (other && has_copies(other, frame, frames))
        raw_swap(r, other);
    while (has_copies(r, frame, frames) && left(r))
        raw_prefetch(c, frame, frames, r);
    return has_copies(r, frame, frames) && !device_prefetch_done(c->dev64);
}

int raw_open(const context *c, const block_view *v, const imp_frame *frame, raw_points *r,
             raw_points *other)
{
    int err = IMP_OK;
    source *list = NULL;
    size_t n = 0;
    /* Stable ids and parts of frames change in their places. */
    const int stay = v->verts && block_view_whole(v) && !c->dev64->host_memory;
    if (stay && take_copies(c, frame, v->frames, r, other))
        goto out;
    raw_invalidate(r);
    r->wide = frame->type != IMP_FLOAT32;
    TRY(sources_of(c, frame, v->frames, &list, &n));
    TRY(bytes_fit(c->dev64, raw_points_fill_unused(r), 0));
    TRY(c->dev64->host_memory ? show(c, list, n, r) : bytes_gather(c->dev64, filled(r), list, n));
    if (stay) {
        r->frame = frame;
        r->frames = v->frames;
    }
out:
    mem_free(c->mem, list);
    return err;
}

void raw_close(const context *c, raw_points *r)
{
    buffer_unwrap(c->dev64, &r->in64);
    buffer_unwrap(c->dev64, &r->in32);
    if (!filled(r)->capacity)
        raw_invalidate(r);
    mem_free(c->mem, r->staged);
    r->staged = NULL;
}

void raw_invalidate(raw_points *r)
{
    r->frame = NULL;
    r->frames = r->next = r->sources = r->sent = 0;
}

void raw_free(const context *c, raw_points *r)
{
    raw_close(c, r);
    buffer_free(c->dev64, &r->in64);
    buffer_free(c->dev64, &r->in32);
    mem_free(c->mem, r->list);
    r->list = NULL;
    raw_invalidate(r);
}
