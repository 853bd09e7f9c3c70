/* See object_set.h. */
#include "object_set.h"

#include "error.h"

#include <stdlib.h>

static int int32_compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void object_set_end(object_set *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->id, s->count, sizeof *s->id, int32_compare);
    for (size_t i = 0; i < s->count; i++)
        if (i == 0 || s->id[i] != s->id[i - 1])
            s->id[kept++] = s->id[i];
    s->count = s->sorted = kept;
}

/* Neighbours mostly have the same one. A full list is sorted; it grows where that leaves it more
 * than half full. */
int object_set_add(object_set *s, const int32_t *object, size_t n)
{
    int err = IMP_OK;
    for (size_t i = 0; i < n; i++) {
        if (s->count && object[i] == s->id[s->count - 1])
            continue;
        if (s->count == s->capacity)
            object_set_end(s);
        if (s->count == s->capacity || (s->sorted == s->count && 2 * s->count > s->capacity)) {
            const size_t more = s->capacity ? 2 * s->capacity : 1024;
            TRY(mem_grow(s->mem, s->count * sizeof *s->id, more * sizeof *s->id, &s->id));
            s->capacity = more;
        }
        s->id[s->count++] = object[i];
    }
out:
    return err;
}
