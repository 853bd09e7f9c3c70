/* See first_contact.h. */
#include "first_contact.h"

#include "error.h"

#include <string.h>

#define CAPACITY_FIRST ((size_t)64) /* a power of two, like all that follow */

/* Multiplied by a number close to 2^64 over the golden ratio: the upper half depends on all bits.
 */
static size_t first_contacts_hash(int32_t a, int32_t b, size_t capacity)
{
    const uint64_t pair = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    const uint64_t mixed = (pair ^ pair >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (capacity - 1);
}

/* Its entry, or the free one where it belongs. Ends, since half of the entries are free. */
static first_contact *first_contacts_lookup(first_contact *at, size_t capacity, int32_t a,
                                            int32_t b)
{
    size_t i = first_contacts_hash(a, b, capacity);
    while (at[i].known && (at[i].a != a || at[i].b != b))
        i = (i + 1) & (capacity - 1);
    return &at[i];
}

/* Positions depend on the capacity: all are entered again. */
static int first_contacts_grow(first_contacts *t)
{
    int err = IMP_OK;
    first_contact *at;
    const size_t capacity = t->capacity ? 2 * t->capacity : CAPACITY_FIRST;
    TRY(mem_alloc(t->mem, capacity * sizeof *at, &at));
    memset(at, 0, capacity * sizeof *at);
    for (size_t i = 0; i < t->capacity; i++)
        if (t->at[i].known)
            *first_contacts_lookup(at, capacity, t->at[i].a, t->at[i].b) = t->at[i];
    mem_free(t->mem, t->at);
    t->at = at;
    t->capacity = capacity;
out:
    return err;
}

static int first_contacts_earlier(const first_contact *x, const first_contact *y)
{
    return x->step != y->step ? x->step < y->step : x->toi < y->toi;
}

int first_contacts_add(first_contacts *t, const first_contact *c)
{
    int err = IMP_OK;
    if (t->count >= t->capacity / 2)
        TRY(first_contacts_grow(t));
    first_contact *at = first_contacts_lookup(t->at, t->capacity, c->a, c->b);
    t->count += !at->known;
    if (!at->known || first_contacts_earlier(c, at))
        *at = *c;
    at->known = 1;
out:
    return err;
}

const first_contact *first_contacts_find(const first_contacts *t, int32_t a, int32_t b)
{
    const first_contact *at = t->capacity ? first_contacts_lookup(t->at, t->capacity, a, b) : NULL;
    return at && at->known ? at : NULL;
}

void first_contacts_free(first_contacts *t)
{
    if (t->mem)
        mem_free(t->mem, t->at);
    *t = (first_contacts){.mem = t->mem};
}

void first_contact_json(json *j, const first_contact *c)
{
    if (!c)
        return;
    json_count(j, "first_frame", c->frame);
    json_real(j, "first_share", c->toi);
    json_real(j, "first_time", c->time);
}
