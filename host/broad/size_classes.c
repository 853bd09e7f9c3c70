/* See size_classes.h. */
#include "size_classes.h"

#include "error.h"

#include <string.h>

float size_bin_end(uint32_t octaves, uint32_t bin)
{
    uint32_t bits = (((127u - octaves) << 2) + bin + 1) << 21;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int size_records_room(mem *m, size_records *r, uint32_t more)
{
    if (r->count + more <= r->capacity)
        return IMP_OK;
    uint32_t capacity = 2 * (r->count + more);
    size_t size = r->words * sizeof *r->word;
    int err = mem_grow(m, r->count * size, capacity * size, &r->word);
    if (!err)
        r->capacity = capacity;
    return err;
}

uint32_t size_classes(const uint32_t *histogram, uint32_t bins, uint32_t bipartite,
                      size_divide *divide, size_class *out)
{
    size_class a[SIZE_CLASSES_MOST], b[SIZE_CLASSES_MOST];
    uint32_t na = divide(histogram, bipartite ? 1 : 0, a), i = 0, j = 0;
    uint32_t nb = bipartite ? divide(histogram + bins, 2, b) : 0;
    while (i < na || j < nb)
        if (j == nb || (i < na && a[i].most >= b[j].most))
            out[i + j] = a[i], i++;
        else
            out[i + j] = b[j], j++;
    return na + nb;
}
