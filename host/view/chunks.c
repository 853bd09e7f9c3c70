/* Ranges of items that do not cross frames. */
#include "chunks.h"

#include "error.h"

void chunks_free(mem *m, device *d, chunks *c)
{
    mem_free(m, c->first);
    buffer_free(d, &c->first_buf);
    buffer_free(d, &c->last_buf);
    buffer_free(d, &c->frame_buf);
    *c = (chunks){0};
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

/* A chunk never crosses frames, so a kernel looks its frame up once for all its items. `first` is
 * NULL until the new array exists, so that an error does not free the old one twice. */
int chunks_make(mem *m, device *d, chunks *c, const uint32_t *start, uint32_t frames,
                uint32_t length)
{
    int err = IMP_OK;
    mem_free(m, c->first);
    c->first = NULL;
    c->count = 0;
    for (uint32_t f = 0; f < frames; f++)
        c->count += (start[f + 1] - start[f] + length - 1) / length;
    /* One allocation, freed by `first`. */
    TRY(mem_alloc(m, 3 * (size_t)c->count * sizeof *c->first, &c->first));
    c->last = c->first + c->count;
    c->frame = c->last + c->count;
    chunks_fill(c, start, frames, length);
    TRY(buffer_put(d, &c->first_buf, c->first, c->count));
    TRY(buffer_put(d, &c->last_buf, c->last, c->count));
    TRY(buffer_put(d, &c->frame_buf, c->frame, c->count));
out:
    return err;
}
