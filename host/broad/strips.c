/* See strips.h. */
#include "strips.h"

#include "error.h"

#define STRIP_ROOM 1024 /* pairs of a strip's region at first */
#define STRIP_ROOM_MOST 65536

/* A region keeps the size that earlier blocks needed: frames of a motion differ little. */
int strips_make(strips *t, const broad_input *in, const uint32_t *start, uint32_t parts,
                uint32_t length)
{
    t->parts = parts;
    if (!t->capacity)
        t->capacity = STRIP_ROOM;
    return chunks_make(in->c->mem, in->c->dev, &t->list, start, parts * in->view->frames, length);
}

void strips_begin(strips *t, broad_range range)
{
    t->range = range;
    t->at = 0;
    t->pairs = 0;
}

/* A piece of strips: the number of pairs of each, and their destination. */
typedef struct strip_piece {
    uint32_t strips, fit; /* that ran, and those with pairs that fit */
    uint32_t *count;      /* [strips] */
    uint64_t *offset;     /* [strips + 1] */
    uint32_t most;        /* pairs of a strip */
} strip_piece;

static int piece_run(strips *t, const broad_input *in, uint64_t most, strip_find *find, void *state,
                     strip_piece *p)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    uint32_t all = t->list.count;
    /* By the pairs that strips had lately, where these are more than a region holds. */
    uint64_t n = most / (t->capacity > t->pairs ? t->capacity : t->pairs) + 1;
    p->strips = all - t->at < n ? all - t->at : (uint32_t)n;
    /* the same size for a last, short piece: buffers of constant size are not reallocated */
    TRY(pairs_fit(d, &t->regions, (all < n ? all : n) * t->capacity));
    TRY(buffer_fit(d, &t->count, p->strips));
    TRY(buffer_fit(d, &t->offset, p->strips + 1));
    TRY(mem_alloc(in->c->mem, p->strips * sizeof *p->count, &p->count));
    TRY(mem_alloc(in->c->mem, (p->strips + 1) * sizeof *p->offset, &p->offset));
    TRY(find(state, in, t, p->strips, t->capacity, &t->regions));
    TRY(buffer_read(d, &t->count, 0, p->count, p->strips));
out:
    return err;
}

/* Prefix sum of the counts, as far as the pairs fit; one strip at least. */
static void piece_sum(const strips *t, uint64_t most, strip_piece *p, imp_frame_info *info)
{
    uint64_t sum = 0;
    while (p->fit < p->strips && (p->fit == 0 || sum + p->count[p->fit] <= most)) {
        uint32_t n = p->count[p->fit];
        info[t->list.frame[t->at + p->fit] / t->parts].candidates += n;
        p->most = n > p->most ? n : p->most;
        p->offset[p->fit++] = sum;
        sum += n;
    }
    p->offset[p->fit] = sum;
}

/* Enlarges regions that a strip's pairs did not fit into: to a quarter more than those pairs, or to
 * what the memory of all regions allows, if that is enough. */
static void regions_widen(strips *t, const strip_piece *p)
{
    if (!p->strips || p->most <= t->capacity || t->capacity >= STRIP_ROOM_MOST)
        return;
    size_t room = t->regions.a.raw.capacity / BUFFER_BYTES(&t->regions.a, p->strips);
    uint64_t wide = p->most + (uint64_t)p->most / 4;
    wide = room >= p->most && room < wide ? room : wide;
    t->capacity = wide < STRIP_ROOM_MOST ? (uint32_t)wide : STRIP_ROOM_MOST;
}

int strips_next(strips *t, const broad_input *in, uint64_t most, imp_frame_info *info,
                strip_find *find, void *state, pairs *out)
{
    int err = IMP_OK;
    device *d = in->c->dev;
    strip_piece p = {0};
    TRY(piece_run(t, in, most, find, state, &p));
    for (uint32_t i = 0; i < p.strips; i++)
        /* Kernels count the pairs of a strip in 32 bits. */
        TRY(pairs_few(p.count[i]));
    piece_sum(t, most, &p, info);
    TRY(buffer_write(d, &t->offset, 0, p.offset, p.fit + 1));
    TRY(pairs_fit(d, out, p.offset[p.fit]));
    /* A region that was too small has only some of its pairs: all strips of the piece search again,
     * and write to the final positions. */
    if (p.most <= t->capacity)
        TRY(RUN(d, strips_pack, p.fit, t->capacity, &t->count, &t->offset, &t->regions.a,
                &t->regions.b, &out->a, &out->b));
    else
        TRY(find(state, in, t, p.fit, 0, out));
    t->at += p.fit;
    t->pairs = (uint32_t)(p.offset[p.fit] / p.fit);
    regions_widen(t, &p);
out:
    mem_free(in->c->mem, p.count);
    mem_free(in->c->mem, p.offset);
    return err;
}

int strips_done(const strips *t)
{
    return t->at == t->list.count;
}

void strips_free(strips *t, const context *c)
{
    buffer_free(c->dev, &t->count);
    buffer_free(c->dev, &t->offset);
    pairs_free(c->dev, &t->regions);
    chunks_free(c->mem, c->dev, &t->list);
}
