/* See tally.h. */
#include "tally.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

const char *const tally_kind_name[TALLY_KINDS] = {"candidate", "point", "segment", "area",
                                                  "duplicate"};

#define SLOTS_FIRST ((size_t)64)

/* Where the pair is, or the free slot where it belongs. */
static tally_pair *find(tally_pair *slot, size_t slots, int32_t a, int32_t b)
{
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(h >> 20) & (slots - 1);
    while (slot[i].contacts && (slot[i].a != a || slot[i].b != b))
        i = (i + 1) & (slots - 1);
    return &slot[i];
}

/* Keeps the table at most half full. */
static int grow(tally *t)
{
    tally_pair *slot;
    size_t slots = t->slots ? 2 * t->slots : SLOTS_FIRST;
    int err = mem_alloc(t->mem, slots * sizeof *slot, &slot);
    if (err)
        return err;
    memset(slot, 0, slots * sizeof *slot);
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].contacts)
            *find(slot, slots, t->slot[i].a, t->slot[i].b) = t->slot[i];
    mem_free(t->mem, t->slot);
    t->slot = slot;
    t->slots = slots;
    return IMP_OK;
}

static int add_pair(tally *t, int32_t x, int32_t y)
{
    int32_t a = x < y ? x : y, b = x < y ? y : x;
    int err = t->pairs >= t->slots / 2 ? grow(t) : IMP_OK;
    if (err)
        return err;
    tally_pair *p = find(t->slot, t->slots, a, b);
    t->pairs += p->contacts == 0;
    *p = (tally_pair){a, b, p->contacts + 1};
    return IMP_OK;
}

int tally_add(tally *t, const imp_contacts *c, const imp_mesh *mesh)
{
    int err = IMP_OK;
    const int32_t *object = mesh->object;
    for (size_t i = 0; i < c->count; i++) {
        t->kind[c->kind[i] % TALLY_KINDS]++;
        if (object)
            TRY(add_pair(t, object[c->a[i]], object[c->b[i]]));
    }
out:
    return err;
}

int tally_add_rows(tally *t, const result_rows *rows)
{
    int err = IMP_OK;
    for (uint64_t i = 0; i < rows->count; i++) {
        t->kind[rows->kind[i] % TALLY_KINDS]++;
        TRY(add_pair(t, rows->object_a[i], rows->object_b[i]));
    }
out:
    return err;
}

static int pair_compare(const void *x, const void *y)
{
    const tally_pair *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

void tally_sort(tally *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].contacts)
            t->slot[n++] = t->slot[i];
    if (n)
        qsort(t->slot, n, sizeof *t->slot, pair_compare);
}

void tally_json(json *j, const tally *t, int objects)
{
    json_open(j, "kinds", '{');
    for (int k = 0; k < TALLY_KINDS; k++)
        json_count(j, tally_kind_name[k], t->kind[k]);
    json_close(j, '}');
    if (!objects)
        return;
    json_open(j, "object_pairs", '[');
    for (size_t i = 0; i < t->pairs; i++) {
        const tally_pair *p = &t->slot[i];
        json_open(j, NULL, '{');
        json_whole(j, "a", p->a);
        json_whole(j, "b", p->b);
        json_count(j, "contacts", p->contacts);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void tally_free(tally *t)
{
    mem_free(t->mem, t->slot);
    t->slot = NULL;
    t->slots = t->pairs = 0;
}
