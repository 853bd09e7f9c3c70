/* See bounds.h: chunks, normalisation, and the caller's points. */
#include "bounds.h"

#include "error.h"
#include "frame.h"
#include "mem.h"

#include <math.h>
#include <string.h>

/* ---- Chunks: ranges of items that do not cross frames. */

void chunks_free(mem *m, device *d, chunks *c)
{
    mem_free(m, c->first);
    buffer_free(d, &c->first_buf);
    buffer_free(d, &c->last_buf);
    buffer_free(d, &c->frame_buf);
    *c = (chunks){0};
}

static size_t chunks_bytes(const chunks *c)
{
    return 3 * (size_t)c->count * sizeof *c->first;
}

/* Sets the number of chunks, which are fewer if some are not used. */
static void chunks_fill(chunks *c, const uint32_t *start, uint32_t frames, uint32_t length,
                        const _Atomic uint8_t *used)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t i = start[f], end; i < start[f + 1]; i = end) {
            end = start[f + 1] - i > length ? i + length : start[f + 1];
            if (used && !used[i / length])
                continue;
            c->first[n] = i;
            c->last[n] = end;
            c->frame[n++] = f;
        }
    c->count = n;
}

/* A chunk never crosses frames, so a kernel looks up the frame once for all items. */
static int chunks_new(mem *m, const uint32_t *start, uint32_t frames, uint32_t length,
                      const _Atomic uint8_t *used, chunks *out)
{
    int err = IMP_OK;
    *out = (chunks){0};
    for (uint32_t f = 0; f < frames; f++)
        out->count += (start[f + 1] - start[f] + length - 1) / length;
    /* One allocation, freed by `first`. */
    TRY(mem_alloc(m, chunks_bytes(out), &out->first));
    out->last = out->first + out->count;
    out->frame = out->last + out->count;
    chunks_fill(out, start, frames, length, used);
out:
    return err;
}

/* The arrays of both have their own lengths, which are longer where some chunks are not used. */
static int chunks_same(const chunks *a, const chunks *b)
{
    const size_t bytes = a->count * sizeof *a->first;
    return !memcmp(a->first, b->first, bytes) && !memcmp(a->last, b->last, bytes) &&
           !memcmp(a->frame, b->frame, bytes);
}

/* Consecutive views mostly have equal sizes: the device already has their chunks. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length)
{
    return chunks_make_used(m, d, c, start, frames, length, NULL);
}

int chunks_make_used(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                     uint32_t length, const _Atomic uint8_t *used)
{
    int err = IMP_OK;
    chunks n = {0};
    TRY(chunks_new(m, start, frames, length, used, &n));
    if (c->there && c->count == n.count && chunks_same(c, &n))
        goto out;
    c->there = 0;
    TRY(buffer_put(d, &c->first_buf, n.first, n.count));
    TRY(buffer_put(d, &c->last_buf, n.last, n.count));
    TRY(buffer_put(d, &c->frame_buf, n.frame, n.count));
    mem_free(m, c->first);
    c->first = n.first;
    c->last = n.last;
    c->frame = n.frame;
    c->count = n.count;
    c->there = 1;
    n.first = NULL;
out:
    mem_free(m, n.first);
    return err;
}

#define FAR 1000 /* scaled coordinates are below 2^FAR */

#define CENTRE_STEP 0.25 /* scaled; a power of two */

/* Returns e such that half extent * 2^-e is at most 1 - CENTRE_STEP / 2 and more than half of that,
 * so that no coordinate is farther than 1 from a centre that is off by half a step; 0 if the frame
 * is a point or empty. A frame may be so far out, along an axis without extent, that this would
 * overflow: e is then the least that does not. */
int normalisation_exponent(const double *lo, const double *hi)
{
    int e = 0, e_far;
    double half = 0, far = 0, mantissa = 0;
    for (int k = 0; k < 3; k++) {
        half = fmax(half, 0.5 * hi[k] - 0.5 * lo[k]);
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    frexp(far, &e_far);
    if (half > 0)
        mantissa = frexp(half, &e);
    e += mantissa > 1 - CENTRE_STEP / 2;
    return e < e_far - FAR ? e_far - FAR : e;
}

/* Unit and centre change in steps. As long as a frame's box causes none, unmoved primitives have
 * the same bounds to the last bit, whatever else moved; and bounds depend on this frame alone. The
 * unit is a product of two powers of two that are always normal numbers. */
void normalisation_set(normalisation *u, size_t f, const double *lo, const double *hi)
{
    int e = normalisation_exponent(lo, hi), e0 = e / 2, e1 = e - e0;
    double s0 = ldexp(1, -e0), s1 = ldexp(1, -e1);
    u->scale[2 * f] = s0;
    u->scale[2 * f + 1] = s1;
    u->unscale[2 * f] = ldexp(1, e0);
    u->unscale[2 * f + 1] = ldexp(1, e1);
    for (size_t k = 0; k < 3; k++) {
        double middle = (0.5 * lo[k] + 0.5 * hi[k]) * s0 * s1;
        double centre = rint(middle / CENTRE_STEP) * CENTRE_STEP;
        u->centre[3 * f + k] = centre;
        u->reach[3 * f + k] = fmax(hi[k] * s0 * s1 - centre, centre - lo[k] * s0 * s1);
    }
}

void normalisation_grow(normalisation *u, size_t f, double by)
{
    for (size_t k = 0; k < 3; k++)
        u->reach[3 * f + k] += by;
}

int normalisation_same(const normalisation *of, const double lo[3], const double hi[3])
{
    double scale[2], unscale[2], centre[3], reach[3];
    normalisation u = {.scale = scale, .unscale = unscale, .centre = centre, .reach = reach};
    normalisation_set(&u, 0, lo, hi);
    int same = scale[0] == of->scale[0] && scale[1] == of->scale[1];
    for (int k = 0; k < DIMENSIONS; k++)
        same = same && centre[k] == of->centre[k];
    return same;
}

/* Makes the arrays of all frames in one allocation. */
int normalisation_fit(mem *m, normalisation *u, size_t n)
{
    if (u->memory && u->capacity >= n)
        return IMP_OK;
    mem_free(m, u->memory);
    *u = (normalisation){0};
    int err = mem_alloc(m, n * (10 * sizeof(double) + 2 * sizeof(uint32_t)), &u->memory);
    if (err)
        return err;
    u->capacity = (uint32_t)n;
    u->scale = u->memory;
    u->unscale = u->scale + 2 * n;
    u->centre = u->unscale + 2 * n;
    u->reach = u->centre + 3 * n;
    u->bad = (uint32_t *)(u->reach + 3 * n);
    u->bipartite = u->bad + n;
    return IMP_OK;
}

void normalisation_free(mem *m, normalisation *u)
{
    mem_free(m, u->memory);
    *u = (normalisation){0};
}

static buffer *filled(raw_points *r)
{
    return r->wide ? &r->in64.raw : &r->in32.raw;
}

/* Kernels have both arrays as arguments and read one; this is the other. */
static buffer *raw_points_fill_unused(raw_points *r)
{
    return r->wide ? &r->in32.raw : &r->in64.raw;
}

static int is_next(const source *last, const imp_frame *f)
{
    return (const char *)last->at + last->bytes == (const char *)f->point;
}

/* Frames that are consecutive in one array are one source. */
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

/* A buffer shows one host array: frames in several are first copied to one. */
static int show(const context *c, const source *list, size_t n, raw_points *r)
{
    int err = IMP_OK;
    const size_t bytes = sources_bytes(list, n);
    if (n > 1) {
        TRY(mem_alloc(c->mem, bytes, &r->staged));
        sources_copy(list, n, r->staged, c->threads);
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

/* Frames do not change during a call, so the address identifies them. */
static int has_copies(const raw_points *r, const imp_frame *frame, size_t frames)
{
    return r->frame == frame && r->frames == frames;
}

/* ---- prefetching */

/* bytes that a device copies at a time */
#define PART ((size_t)BUDGET_PINNED_PIECE)

/* Copies the next source, a part of it if it is long, or several short ones. */
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

/* Uses the copies of *r or *other, if one has them; first copies the rest. Returns whether it
 * did. */
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
    /* Points of views by stable ids, and of parts of frames, change in place. */
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
