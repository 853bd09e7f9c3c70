/* See h5_seen.h. A hash table: files may have a hundred thousand groups. */
#include "h5_seen.h"

#include "error.h"

#include <stdlib.h>

typedef struct seen_pair {
    uint64_t a, b;
    int there;
} seen_pair;

/* Where it is, or would be. Ends, since half of the places are free. */
static seen_pair *seen_place(const h5_seen *s, uint64_t a, uint64_t b)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15); /* its products depend on all bits */
    size_t i = (size_t)((a * golden ^ b) * golden >> 32) & (s->capacity - 1);
    while (s->at[i].there && (s->at[i].a != a || s->at[i].b != b))
        i = (i + 1) & (s->capacity - 1);
    return &s->at[i];
}

static int seen_grow(h5_seen *s)
{
    h5_seen larger = {.count = s->count, .capacity = s->capacity ? 2 * s->capacity : 64};
    larger.at = calloc(larger.capacity, sizeof *larger.at);
    if (!larger.at)
        return imp_fail(IMP_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < s->capacity; i++)
        if (s->at[i].there)
            *seen_place(&larger, s->at[i].a, s->at[i].b) = s->at[i];
    free(s->at);
    *s = larger;
    return IMP_OK;
}

int h5_seen_add(h5_seen *s, uint64_t a, uint64_t b, int *is_new)
{
    int err = IMP_OK;
    if (2 * s->count >= s->capacity)
        TRY(seen_grow(s));
    seen_pair *at = seen_place(s, a, b);
    *is_new = !at->there;
    s->count += !at->there;
    *at = (seen_pair){a, b, 1};
out:
    return err;
}

void h5_seen_free(h5_seen *s)
{
    free(s->at);
    *s = (h5_seen){0};
}
