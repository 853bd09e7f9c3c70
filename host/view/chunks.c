/* Ranges of items that do not cross frames. */
#include "chunks.h"

#include "error.h"

#include <string.h>

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

static void chunks_fill(chunks *c, const uint32_t *start, uint32_t frames, uint32_t length)
{
    uint32_t n = 0;
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t i = start[f]; i < start[f + 1]; n++) {
            uint32_t end = start[f + 1] - i > length ? i + length : start[f + 1];
            c->first[n] = i;
            c->last[n] = i = end;
            c->frame[n] = f;
        }
}

/* A chunk never crosses frames, so a kernel looks its frame up once for all its items. */
static int chunks_new(mem *m, const uint32_t *start, uint32_t frames, uint32_t length, chunks *out)
{
    int err = IMP_OK;
    *out = (chunks){0};
    for (uint32_t f = 0; f < frames; f++)
        out->count += (start[f + 1] - start[f] + length - 1) / length;
    /* One allocation, freed by `first`. */
    TRY(mem_alloc(m, chunks_bytes(out), &out->first));
    out->last = out->first + out->count;
    out->frame = out->last + out->count;
    chunks_fill(out, start, frames, length);
out:
    return err;
}

/* Views of equal sizes follow one another: their chunks are on the device already. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length)
{
    int err = IMP_OK;
    chunks n = {0};
    TRY(chunks_new(m, start, frames, length, &n));
    if (c->there && c->count == n.count && !memcmp(c->first, n.first, chunks_bytes(c)))
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
