/* See sample.h. */
#include "sample.h"

#include "error.h"

#include <string.h>

/* Elements that are read together: a read of a device costs as much as some thousand elements. */
#define STRETCH 4096

void sample_clear(sample *s)
{
    s->seen = s->step = 0;
    s->count = 0;
}

void sample_free(mem *m, sample *s)
{
    mem_free(m, s->list);
    s->list = NULL;
    s->capacity = 0;
    sample_clear(s);
}

/* Of n elements those whose number is a multiple of the step. */
static uint64_t multiples(uint64_t n, uint64_t step)
{
    return n / step + (n % step != 0);
}

/* Twice the distance: every second element stays, beginning with the first. */
static void thin(sample *s)
{
    const size_t n = (s->count + 1) / 2;
    for (size_t i = 0; i < n; i++)
        s->list[i] = s->list[2 * i];
    s->count = n;
    s->step *= 2;
}

int sample_piece(mem *m, sample *s, uint64_t n, uint32_t most, sample_part *out)
{
    int err = IMP_OK;
    const uint64_t all = s->seen + n;
    s->step = s->step ? s->step : 1;
    while (multiples(all, s->step) >= 2 * (uint64_t)most)
        thin(s);
    const uint64_t before = multiples(s->seen, s->step), after = multiples(all, s->step);
    *out = (sample_part){before * s->step - s->seen, s->step, (size_t)(after - before)};
    if (after > s->capacity) {
        TRY(mem_grow(m, s->count * sizeof *s->list, (size_t)after * sizeof *s->list, &s->list));
        s->capacity = (size_t)after;
    }
    s->seen = all;
out:
    return err;
}

int sample_read(device *d, const buffer_u32 *piece, const sample_part *part, uint32_t *out)
{
    int err = IMP_OK;
    uint32_t stretch[STRETCH];
    const size_t together = (size_t)(1 + (STRETCH - 1) / part->step);
    for (size_t i = 0, n; i < part->count; i += n) {
        n = part->count - i < together ? part->count - i : together;
        TRY(buffer_read(d, piece, (size_t)(part->first + i * part->step), stretch,
                        (size_t)((n - 1) * part->step + 1)));
        for (size_t k = 0; k < n; k++)
            out[i + k] = stretch[k * part->step];
    }
out:
    return err;
}

void sample_cut(sample *s, uint32_t most)
{
    if (s->count <= most)
        return;
    for (size_t i = 0; i < most; i++)
        s->list[i] = s->list[(uint64_t)i * s->count / most];
    s->count = most;
}
